/** The applications that the owner has authorized, and what each may do. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { useWholeList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconPlug } from '../../ui/icons.js';
import { useSaved } from '../../ui/save.js';
import { Empty } from '../../ui/states.js';
import { printTime } from '../../ui/time.js';

type Authorization = ResponseOf<typeof dashboard.listAuthorizations>['authorizations'][number];

const COLUMNS: readonly Column<Authorization>[] = [
  {
    key: 'application',
    header: 'Application',
    cell: ({ application_name }) => application_name,
    value: ({ application_name }) => application_name,
  },
  {
    key: 'permissions',
    header: 'May use',
    cell: ({ permissions }) => (
      <Text size="sm" c="dimmed">
        {permissions.join(', ')}
      </Text>
    ),
    value: ({ permissions }) => permissions.join(' '),
    wide: true,
  },
  {
    key: 'since',
    header: 'Since',
    cell: ({ created_at }) => printTime(created_at, 'date'),
    value: ({ created_at }) => created_at,
  },
];

export function Authorizations() {
  const list = useWholeList(dashboard.listAuthorizations, {}, ({ authorizations }) => authorizations);
  const [chosen, setChosen] = useState<Authorization>();
  return (
    <>
      <DataTable
        name="Authorizations"
        list={list}
        columns={COLUMNS}
        rowKey={({ application_id }) => application_id}
        rowName={({ application_name }) => application_name}
        actions={[{ label: 'Revoke', danger: true, run: setChosen }]}
        empty={
          <Empty icon={IconPlug} title="No application has access">
            When you allow an application to work with your business, it appears here with what it may do.
          </Empty>
        }
      />
      {chosen && <RevokeModal authorization={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}

interface RevokeModalProps {
  readonly authorization: Authorization;
  readonly onClose: () => void;
}

function RevokeModal({ authorization: { application_id, application_name }, onClose }: RevokeModalProps) {
  const saved = useSaved();
  const revoke = async () => {
    await call(dashboard.revokeAuthorization, { application_id });
    await saved(`${application_name} no longer has access`);
  };
  return (
    <ConfirmModal
      title={`Revoke the access of ${application_name}?`}
      submitLabel="Revoke"
      danger
      onClose={onClose}
      onConfirm={revoke}
    >
      All its tokens become invalid at once. It has to ask you again.
    </ConfirmModal>
  );
}
