/** The credential of a request: a token that this page makes, one with chosen permissions, one of the developer's own, or an application. */
import { Button, Group, PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { SAMPLE_IDS, SAMPLE_SECRETS } from '../../../src/api/sample-ids.js';
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { useAct } from '../../ui/save.js';
import { NewTokenModal } from '../merchants/new-token-modal.js';
import type { Composed } from './composed.js';

interface CredentialProps {
  readonly composed: Composed;
  readonly onCompose: (composed: Composed) => void;
  /** What was typed. */
  readonly secret: string;
  readonly onSecret: (secret: string) => void;
  readonly merchantId: string;
}

export function Credential(props: CredentialProps) {
  return props.composed.operation.scheme === 'accessToken' ? <Token {...props} /> : <Application {...props} />;
}

function Token({ secret, onSecret, merchantId }: CredentialProps) {
  const [isChoosing, setChoosing] = useState(false);
  const created = (token: string): void => {
    onSecret(token);
    setChoosing(false);
  };
  return (
    <Group gap="xs" align="flex-end">
      <PasswordInput
        style={{ flex: '1 1 220px' }}
        label="Access token"
        description="Empty: a new one with all permissions, for an hour."
        autoComplete="off"
        value={secret}
        onChange={({ currentTarget }) => onSecret(currentTarget.value)}
      />
      <Button variant="default" onClick={() => setChoosing(true)}>
        Choose permissions
      </Button>
      {isChoosing && <NewTokenModal merchantId={merchantId} onClose={() => setChoosing(false)} onCreated={created} />}
    </Group>
  );
}

/** Nobody but its developer knows the secret of an application, so the example needs a new one. */
function Application({ composed, onCompose, secret, onSecret, merchantId }: CredentialProps) {
  const act = useAct();
  const create = () =>
    act(async () => {
      const { application, application_secret = '' } = await call(sandbox.createApplication, { name: 'Try it' });
      const grant = { merchant_id: merchantId, application_id: application.id };
      const tokens = await call(sandbox.createAuthorization, grant);
      onSecret(application_secret);
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
          value={secret}
          onChange={({ currentTarget }) => onSecret(currentTarget.value)}
        />
      )}
      <Button variant="default" onClick={create}>
        Make an application
      </Button>
      <Text size="sm" c="dimmed" style={{ flex: '1 1 220px' }}>
        Or type the id and the secret of yours. One click makes an application that the merchant has authorized.
      </Text>
    </Group>
  );
}

function replaced({ operation, values, body }: Composed, by: Readonly<Record<string, string>>): Composed {
  const text = Object.entries(by).reduce(
    (filled, [sample, real]) => filled.replaceAll(sample, real),
    JSON.stringify({ values, body }),
  );
  return { operation, ...JSON.parse(text) };
}
