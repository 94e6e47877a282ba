/** The credential of a request: what this page finds or makes, a token with chosen permissions, the developer's own, or an application. */
import { Button, Group, PasswordInput, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { replaceSamples } from '../../../src/api/example-ids.js';
import { SAMPLE_IDS, SAMPLE_SECRETS } from '../../../src/api/sample-ids.js';
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { useAddress } from '../../ui/address.js';
import { useAct } from '../../ui/save.js';
import { NewTokenModal } from '../merchants/new-token-modal.js';
import type { Composed } from './composed.js';
import { listLocations } from './own-credentials.js';
import { READ_ONCE } from './read-once.js';
import classes from './try.module.css';
import type { TriedPlace } from './use-example.js';

interface CredentialProps {
  readonly composed: Composed;
  readonly onCompose: (composed: Composed) => void;
  readonly typed: Typed;
  readonly onType: (part: Partial<Typed>) => void;
  readonly place: TriedPlace;
}

export interface Typed {
  readonly secret: string;
  /** Of an employee who is signed in at a register. */
  readonly session: string;
}

export function Credential(props: CredentialProps) {
  switch (props.composed.operation.scheme) {
    case 'accessToken':
      return <Token {...props} />;
    case 'publishableKey':
      return (
        <Secret {...props} label="Publishable key">
          Leave empty to use the key of the merchant's store. If no store is open, call sandbox.openStore first.
        </Secret>
      );
    case 'deviceToken':
      return <Register {...props} />;
    case 'operatorKey':
      return (
        <Secret {...props} label="Operator key">
          Leave empty to send the request as the operator who is signed in to this console.
        </Secret>
      );
    case undefined:
      return props.composed.operation.surface === 'register' ? null : <Application {...props} />;
    default:
      return <Application {...props} />;
  }
}

interface SecretProps extends CredentialProps {
  readonly label: string;
  readonly children: string;
}

function Secret({ typed, onType, label, children }: SecretProps) {
  return (
    <PasswordInput
      className={classes['secret'] ?? ''}
      label={label}
      description={children}
      autoComplete="off"
      value={typed.secret}
      onChange={({ currentTarget }) => onType({ secret: currentTarget.value })}
    />
  );
}

function Register(props: CredentialProps) {
  const { typed, onType, place } = props;
  const { data: locations = [] } = useQuery({
    queryKey: ['locations', place.merchantId],
    queryFn: () => listLocations(place.merchantId),
    ...READ_ONCE,
  });
  const [, choose] = useAddress('location');
  return (
    <Group gap="xs" align="flex-end">
      {locations.length > 1 && (
        <Select
          className={classes['secret'] ?? ''}
          label="Register"
          description="The location of this page's register."
          data={locations.map(({ id, name }) => ({ value: id, label: `Try it, ${name}` }))}
          value={place.locationId ?? locations[0]?.id ?? null}
          onChange={(id) => choose(id ?? undefined)}
          allowDeselect={false}
        />
      )}
      <Secret {...props} label="Device token">
        Leave empty to use the register of this page, with an employee who has all permissions.
      </Secret>
      <PasswordInput
        className={classes['secret'] ?? ''}
        label="Employee session"
        description="Leave both empty to use the session of that employee."
        autoComplete="off"
        value={typed.session}
        onChange={({ currentTarget }) => onType({ session: currentTarget.value })}
      />
    </Group>
  );
}

function Token({ typed, onType, place: { merchantId } }: CredentialProps) {
  const [isChoosing, setChoosing] = useState(false);
  const created = (token: string): void => {
    onType({ secret: token });
    setChoosing(false);
  };
  return (
    <Group gap="xs" align="flex-end">
      <PasswordInput
        style={{ flex: '1 1 220px' }}
        label="Access token"
        description="Leave empty to use a new token with all permissions, valid for an hour."
        autoComplete="off"
        value={typed.secret}
        onChange={({ currentTarget }) => onType({ secret: currentTarget.value })}
      />
      <Button variant="default" onClick={() => setChoosing(true)}>
        Choose permissions
      </Button>
      {isChoosing && <NewTokenModal merchantId={merchantId} onClose={() => setChoosing(false)} onCreated={created} />}
    </Group>
  );
}

/** Nobody but its developer knows the secret of an application, so the example needs a new application. */
function Application({ composed, onCompose, typed, onType, place: { merchantId } }: CredentialProps) {
  const act = useAct();
  const create = () =>
    act(async () => {
      const { application, application_secret = '' } = await call(sandbox.createApplication, { name: 'Try it' });
      const grant = { merchant_id: merchantId, application_id: application.id };
      const tokens = await call(sandbox.createAuthorization, grant);
      onType({ secret: application_secret });
      onCompose(
        replaced(composed, {
          [SAMPLE_IDS.client_id]: application.id,
          [SAMPLE_SECRETS.client_secret]: application_secret,
          [SAMPLE_SECRETS.access_token]: tokens.access_token,
          [SAMPLE_SECRETS.refresh_token]: tokens.refresh_token ?? '',
        }),
      );
    }, 'An application is made, and authorized by the merchant');
  return (
    <Group gap="xs" align="flex-end">
      {composed.operation.scheme === 'clientSecret' && (
        <PasswordInput
          style={{ flex: '1 1 220px' }}
          label="Application secret"
          autoComplete="off"
          value={typed.secret}
          onChange={({ currentTarget }) => onType({ secret: currentTarget.value })}
        />
      )}
      <Button variant="default" onClick={create}>
        Make an application
      </Button>
      <Text size="sm" c="dimmed" style={{ flex: '1 1 220px' }}>
        The merchant authorizes the new application. You can also type the id and the secret of your own.
      </Text>
    </Group>
  );
}

function replaced({ operation, values, body }: Composed, by: Readonly<Record<string, string>>): Composed {
  return { operation, ...JSON.parse(replaceSamples(JSON.stringify({ values, body }), by)) };
}
