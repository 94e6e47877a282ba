/** The webhook subscriptions to events of the business that applications and personal tokens made. */
import { useState } from 'react';
import { call } from '../../client/call.js';
import { usePagedList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconWebhook } from '../../ui/icons.js';
import { useAct, useSaved } from '../../ui/save.js';
import { Empty } from '../../ui/states.js';
import { DeleteSubscription, SUBSCRIPTION_COLUMNS } from './subscription-table.js';

type MadeSubscription = ResponseOf<typeof dashboard.listMadeSubscriptions>['subscriptions'][number];

const KINDS: Readonly<Record<MadeSubscription['made_by'], string>> = {
  APPLICATION: 'Application',
  PERSONAL_TOKEN: 'Personal token',
};

const [NAME, ...OTHERS] = SUBSCRIPTION_COLUMNS;
const MAKER: Column<MadeSubscription> = {
  key: 'maker',
  header: 'Made by',
  cell: ({ made_by, maker }) => `${KINDS[made_by]}: ${maker}`,
  value: ({ maker }) => maker,
};
const COLUMNS: readonly Column<MadeSubscription>[] = [...(NAME ? [NAME] : []), MAKER, ...OTHERS];

export function MadeSubscriptions() {
  const list = usePagedList(dashboard.listMadeSubscriptions, {}, (page) => page.subscriptions);
  const [deleted, setDeleted] = useState<MadeSubscription>();
  const [rotated, setRotated] = useState<MadeSubscription>();
  const act = useAct();
  const setEnabled = ({ id }: MadeSubscription, enabled: boolean) =>
    act(
      () => call(dashboard.updateMadeSubscription, { subscription_id: id, subscription: { enabled } }),
      enabled ? 'The subscription is on' : 'The subscription is off',
    );
  const test = ({ id }: MadeSubscription) =>
    act(
      () => call(dashboard.testMadeSubscription, { subscription_id: id }),
      ({ status_code }) =>
        status_code === undefined ? 'The address did not respond' : `The address responded with ${status_code}`,
    );
  return (
    <>
      <DataTable
        name="Webhook subscriptions"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        actions={[
          { label: 'Turn off', isOffered: ({ enabled }) => enabled, run: (row) => setEnabled(row, false) },
          { label: 'Turn on', isOffered: ({ enabled }) => !enabled, run: (row) => setEnabled(row, true) },
          { label: 'Send a test', run: test },
          { label: 'Replace the key', run: setRotated },
          { label: 'Delete', danger: true, run: setDeleted },
        ]}
        empty={
          <Empty icon={IconWebhook} title="No subscription">
            What an application or a personal token subscribes to appears here. Only its maker and you see its key and
            its address, and may change it.
          </Empty>
        }
      />
      {rotated && <ReplaceKey subscription={rotated} onClose={() => setRotated(undefined)} />}
      {deleted && (
        <DeleteSubscription
          subscription={deleted}
          remove={() => call(dashboard.deleteMadeSubscription, { subscription_id: deleted.id })}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
}

interface ReplaceKeyProps {
  readonly subscription: MadeSubscription;
  readonly onClose: () => void;
}

function ReplaceKey({ subscription: { id, name }, onClose }: ReplaceKeyProps) {
  const saved = useSaved();
  const replace = async () => {
    await call(dashboard.rotateMadeSubscriptionKey, { subscription_id: id });
    await saved('The key is replaced');
  };
  return (
    <ConfirmModal
      title={`Replace the key of ${name}?`}
      submitLabel="Replace"
      danger
      onClose={onClose}
      onConfirm={replace}
    >
      The next message is signed with the new key. The receiver refuses it until it knows this key.
    </ConfirmModal>
  );
}
