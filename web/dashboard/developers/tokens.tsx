/** Personal access tokens of the business. */
import { useState } from 'react';
import { call } from '../../client/call.js';
import { useWholeList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconKey } from '../../ui/icons.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { printTime } from '../../ui/time.js';
import { useSaved } from '../save.js';

type Token = ResponseOf<typeof dashboard.listTokens>['tokens'][number];

const COLUMNS: readonly Column<Token>[] = [
  { key: 'label', header: 'Label', cell: ({ label }) => label, value: ({ label }) => label },
  {
    key: 'state',
    header: 'State',
    cell: ({ revoked_at }) =>
      revoked_at === undefined ? <Tag tone="good">Valid</Tag> : <Tag tone="quiet">Revoked</Tag>,
    value: ({ revoked_at }) => (revoked_at === undefined ? 'valid' : 'revoked'),
  },
  {
    key: 'permissions',
    header: 'May use',
    cell: ({ permissions }) => `${permissions.length} permissions`,
    value: ({ permissions }) => permissions.join(' '),
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
        empty={
          <Empty icon={IconKey} title="No personal tokens">
            The operator of this server creates tokens. They appear here, so that you can revoke them.
          </Empty>
        }
      />
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
