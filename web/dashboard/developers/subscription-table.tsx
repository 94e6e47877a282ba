/** What the tables of webhook subscriptions share. */
import type { dashboard, ResponseOf } from '../../client/operations.js';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { CopyId } from '../../ui/copy-id.js';
import type { Column } from '../../ui/data-table.js';
import { useSaved } from '../../ui/save.js';
import { Tag } from '../../ui/tag.js';

export type Subscription = ResponseOf<typeof dashboard.listWebhookSubscriptions>['subscriptions'][number];

export const SUBSCRIPTION_COLUMNS: readonly Column<Subscription>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name, value: ({ name }) => name },
  {
    key: 'state',
    header: 'State',
    cell: ({ enabled }) => <Tag tone={enabled ? 'good' : 'quiet'}>{enabled ? 'On' : 'Off'}</Tag>,
    value: ({ enabled }) => (enabled ? 'on' : 'off'),
  },
  {
    key: 'url',
    header: 'Address',
    cell: ({ notification_url }) => notification_url,
    value: ({ notification_url }) => notification_url,
    wide: true,
  },
  {
    key: 'events',
    header: 'Events',
    cell: ({ event_types }) => event_types.join(', '),
    value: ({ event_types }) => event_types.join(' '),
    wide: true,
  },
  {
    key: 'key',
    header: 'Signature key',
    cell: ({ signature_key }) => <CopyId id={signature_key} label="signature key" />,
    value: ({ id }) => id,
    wide: true,
  },
];

interface DeleteSubscriptionProps {
  readonly subscription: Subscription;
  readonly remove: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function DeleteSubscription({ subscription, remove, onClose }: DeleteSubscriptionProps) {
  const saved = useSaved();
  const confirm = async () => {
    await remove();
    await saved('The subscription is deleted');
  };
  return (
    <ConfirmModal
      title={`Delete ${subscription.name}?`}
      submitLabel="Delete"
      danger
      onClose={onClose}
      onConfirm={confirm}
    >
      Pending deliveries to {subscription.notification_url} are canceled.
    </ConfirmModal>
  );
}
