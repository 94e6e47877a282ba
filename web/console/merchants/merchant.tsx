/** One merchant: its locations, snapshot, tokens and authorizations. */
import { Button, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { useWholeList } from '../../client/list.js';
import type { ResponseOf } from '../../client/operations.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { CopyId } from '../../ui/copy-id.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { Facts } from '../../ui/facts.js';
import { IconKey, IconPlug, IconPlus } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { useAct } from '../../ui/save.js';
import { SecretModal } from '../../ui/secret-modal.js';
import { Card, Empty, LoadingBlock } from '../../ui/states.js';
import { Tag, type Tone } from '../../ui/tag.js';
import { TextLink } from '../../ui/text-link.js';
import { Moment } from '../../ui/time.js';
import { AuthorizeModal } from './authorize-modal.js';
import { NewTokenModal } from './new-token-modal.js';
import { SnapshotSection } from './snapshot.js';

type Token = ResponseOf<typeof sandbox.listTokens>['tokens'][number];
type Authorization = ResponseOf<typeof sandbox.listAuthorizations>['authorizations'][number];

/** What was created, to be shown once. */
export interface Secret {
  readonly title: string;
  readonly text: string;
}

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery({
    queryKey: ['retrieveMerchant', id],
    queryFn: async () => (await call(sandbox.retrieveMerchant, { merchant_id: id })).merchant,
  });
  const [secret, setSecret] = useState<Secret>();
  return (
    <QueryView query={query} loading={<LoadingBlock height={420} />}>
      {(merchant) => (
        <Frame
          title={merchant.business_name}
          above={<TextLink to="/console/merchants">← Merchants</TextLink>}
          actions={
            <>
              <Button variant="default" component={Link} to={`/console?merchant=${id}`}>
                Its requests
              </Button>
              <Button variant="default" component={Link} to={`/console/time?merchant=${id}`}>
                Its clock
              </Button>
            </>
          }
        >
          <Card padded>
            <Facts
              facts={[
                { name: 'Id', value: <CopyId id={merchant.id} label="merchant id" /> },
                { name: 'Country', value: `${merchant.country}, ${merchant.currency}` },
                {
                  name: 'Clock',
                  value: (
                    <>
                      <Moment at={merchant.clock.now} style="long" />
                      {merchant.clock.frozen ? ', frozen' : ''}
                    </>
                  ),
                },
                ...merchant.locations.map(({ id: location, name, timezone }) => ({
                  name: `${name} (${timezone})`,
                  value: <CopyId id={location} label="location id" />,
                })),
              ]}
            />
          </Card>
          <SnapshotSection merchantId={id} />
          <Tokens merchantId={id} onSecret={setSecret} />
          <Authorizations merchantId={id} onSecret={setSecret} />
          {secret && (
            <SecretModal title={secret.title} secret={secret.text} onClose={() => setSecret(undefined)}>
              Programs send an access token as “Authorization: Bearer TOKEN”.
            </SecretModal>
          )}
        </Frame>
      )}
    </QueryView>
  );
}

interface SectionProps {
  readonly merchantId: string;
  readonly onSecret: (secret: Secret) => void;
}

const TONES: Readonly<Record<Token['state'], Tone>> = { VALID: 'good', EXPIRED: 'warning', REVOKED: 'quiet' };

const TOKEN_COLUMNS: readonly Column<Token>[] = [
  { key: 'label', header: 'Label', cell: ({ label }) => label || 'of an application', value: ({ label }) => label },
  {
    key: 'state',
    header: 'State',
    cell: ({ state }) => <Tag tone={TONES[state]}>{state.toLowerCase()}</Tag>,
    value: ({ state }) => state,
  },
  { key: 'id', header: 'Id', cell: ({ id }) => id, value: ({ id }) => id, wide: true },
  {
    key: 'permissions',
    header: 'Permissions',
    cell: ({ permissions }) => permissions.length,
    value: ({ permissions }) => permissions.join(' '),
    align: 'right',
    wide: true,
  },
  {
    key: 'expires',
    header: 'Expires',
    cell: ({ expires_at }) => (expires_at === undefined ? 'never' : <Moment at={expires_at} style="long" />),
    value: ({ expires_at }) => expires_at ?? '',
    wide: true,
  },
];

function Tokens({ merchantId, onSecret }: SectionProps) {
  const list = useWholeList(sandbox.listTokens, { merchant_id: merchantId }, ({ tokens }) => tokens);
  const [isCreating, setCreating] = useState(false);
  const act = useAct();
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Access tokens
      </Title>
      <DataTable
        name="Access tokens"
        list={list}
        columns={TOKEN_COLUMNS}
        sortable={false}
        rowKey={({ id }) => id}
        rowName={({ id }) => id}
        actions={[
          {
            label: 'Expire now',
            danger: true,
            isOffered: ({ state }) => state === 'VALID',
            run: ({ id }) =>
              act(
                () => call(sandbox.expireTokenById, { merchant_id: merchantId, token_id: id }),
                'The token has expired',
              ),
          },
        ]}
        filters={
          <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
            Create a token
          </Button>
        }
        empty={
          <Empty icon={IconKey} title="No tokens">
            A token lets a program work with this merchant.
          </Empty>
        }
      />
      {isCreating && (
        <NewTokenModal
          merchantId={merchantId}
          onClose={() => setCreating(false)}
          onCreated={(text) => onSecret({ title: 'The access token', text })}
        />
      )}
    </Stack>
  );
}

const AUTHORIZATION_COLUMNS: readonly Column<Authorization>[] = [
  {
    key: 'name',
    header: 'Application',
    cell: ({ application_name }) => application_name,
    value: ({ application_name }) => application_name,
  },
  {
    key: 'id',
    header: 'Application id',
    cell: ({ application_id }) => application_id,
    value: ({ application_id }) => application_id,
    wide: true,
  },
  {
    key: 'permissions',
    header: 'Permissions',
    cell: ({ permissions }) => permissions.length,
    value: ({ permissions }) => permissions.join(' '),
    align: 'right',
  },
];

function Authorizations({ merchantId, onSecret }: SectionProps) {
  const list = useWholeList(
    sandbox.listAuthorizations,
    { merchant_id: merchantId },
    ({ authorizations }) => authorizations,
  );
  const [isAuthorizing, setAuthorizing] = useState(false);
  const act = useAct();
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Authorized applications
      </Title>
      <DataTable
        name="Authorizations"
        list={list}
        columns={AUTHORIZATION_COLUMNS}
        sortable={false}
        rowKey={({ application_id }) => application_id}
        rowName={({ application_name }) => application_name}
        actions={[
          {
            label: 'Revoke',
            danger: true,
            run: ({ application_id }) =>
              act(
                () => call(sandbox.revokeAuthorization, { merchant_id: merchantId, application_id }),
                'The authorization is revoked',
              ),
          },
        ]}
        filters={
          <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setAuthorizing(true)}>
            Authorize an application
          </Button>
        }
        empty={
          <Empty icon={IconPlug} title="No application is authorized">
            Authorize one without a browser: you get its tokens at once.
          </Empty>
        }
      />
      {isAuthorizing && (
        <AuthorizeModal
          merchantId={merchantId}
          onClose={() => setAuthorizing(false)}
          onAuthorized={(text) => onSecret({ title: 'The tokens of the application', text })}
        />
      )}
    </Stack>
  );
}
