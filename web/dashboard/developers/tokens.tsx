/** Personal access tokens of the business. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { useWholeList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconKey, IconPlus } from '../../ui/icons.js';
import { useSaved } from '../../ui/save.js';
import { SecretModal } from '../../ui/secret-modal.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { Moment, printTime } from '../../ui/time.js';
import { NewTokenModal } from './new-token-modal.js';

type Token = ResponseOf<typeof dashboard.listTokens>['tokens'][number];

function stateOf({ revoked_at, expires_at }: Token): string {
  if (revoked_at !== undefined) return 'Revoked';
  return expires_at !== undefined && Date.parse(expires_at) <= Date.now() ? 'Expired' : 'Valid';
}

const COLUMNS: readonly Column<Token>[] = [
  { key: 'label', header: 'Label', cell: ({ label }) => label, value: ({ label }) => label },
  {
    key: 'state',
    header: 'State',
    cell: (token) => <Tag tone={stateOf(token) === 'Valid' ? 'good' : 'quiet'}>{stateOf(token)}</Tag>,
    value: stateOf,
  },
  {
    key: 'permissions',
    header: 'May use',
    cell: ({ permissions }) => `${permissions.length} ${permissions.length === 1 ? 'permission' : 'permissions'}`,
    value: ({ permissions }) => permissions.join(' '),
    wide: true,
  },
  {
    key: 'used',
    header: 'Last used',
    cell: ({ last_used_at }) => (last_used_at === undefined ? 'Never' : <Moment at={last_used_at} />),
    value: ({ last_used_at }) => last_used_at ?? '',
    wide: true,
  },
  {
    key: 'created',
    header: 'Created',
    cell: ({ created_at }) => printTime(created_at, 'date'),
    value: ({ created_at }) => created_at,
    wide: true,
  },
  {
    key: 'expires',
    header: 'Expires',
    cell: ({ expires_at }) => (expires_at === undefined ? 'Never' : printTime(expires_at, 'date')),
    value: ({ expires_at }) => expires_at,
    wide: true,
  },
];

export function Tokens() {
  const list = useWholeList(dashboard.listTokens, {}, ({ tokens }) => tokens);
  const [chosen, setChosen] = useState<Token>();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<string>();
  const saved = useSaved();
  return (
    <>
      <DataTable
        name="Personal tokens"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        rowName={({ label }) => label}
        actions={[
          {
            label: 'Revoke',
            danger: true,
            isOffered: ({ revoked_at }) => revoked_at === undefined,
            run: setChosen,
          },
        ]}
        filters={
          <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
            Create a token
          </Button>
        }
        empty={
          <Empty icon={IconKey} title="No personal tokens">
            A token lets a program of your own work with your business. Create one with just the permissions it needs.
          </Empty>
        }
      />
      {isCreating && <NewTokenModal onClose={() => setCreating(false)} onCreated={setCreated} />}
      {created !== undefined && (
        <SecretModal title="The personal token" secret={created} onClose={() => setCreated(undefined)}>
          Programs send it as “Authorization: Bearer TOKEN”. Whoever has it can do what you allowed.
        </SecretModal>
      )}
      {chosen && (
        <ConfirmModal
          title={`Revoke the token ${chosen.label}?`}
          submitLabel="Revoke"
          danger
          onClose={() => setChosen(undefined)}
          onConfirm={async () => {
            await call(dashboard.revokeToken, { token_id: chosen.id });
            await saved('The token is revoked');
          }}
        >
          Programs that use it are refused at once.
        </ConfirmModal>
      )}
    </>
  );
}
