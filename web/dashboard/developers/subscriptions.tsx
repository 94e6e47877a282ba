/** The webhook subscriptions of an application. */
import { Button, MultiSelect, Stack, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import type { V2EventKind } from '../../../src/events/model.js';
import { call } from '../../client/call.js';
import { usePagedList } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { DataTable } from '../../ui/data-table.js';
import { FormModal } from '../../ui/form-modal.js';
import { IconPlus, IconWebhook } from '../../ui/icons.js';
import { useAct, useSaved } from '../../ui/save.js';
import { Empty } from '../../ui/states.js';
import { DeleteSubscription, SUBSCRIPTION_COLUMNS, type Subscription } from './subscription-table.js';

const EVENTS: Readonly<Record<V2EventKind, string>> = {
  'payment.created': 'payment.created',
  'payment.updated': 'payment.updated',
  'refund.created': 'refund.created',
  'refund.updated': 'refund.updated',
  'oauth.authorization.revoked': 'oauth.authorization.revoked',
};

export function Subscriptions({ applicationId }: { readonly applicationId: string }) {
  const list = usePagedList(
    dashboard.listWebhookSubscriptions,
    { application_id: applicationId },
    (page) => page.subscriptions,
  );
  const [isAdding, setAdding] = useState(false);
  const [chosen, setChosen] = useState<Subscription>();
  const act = useAct();
  const setEnabled = ({ id }: Subscription, enabled: boolean) =>
    act(
      () =>
        call(dashboard.updateWebhookSubscription, {
          application_id: applicationId,
          subscription_id: id,
          subscription: { enabled },
        }),
      enabled ? 'The subscription is on' : 'The subscription is off',
    );
  const remove = ({ id }: Subscription) =>
    call(dashboard.deleteWebhookSubscription, { application_id: applicationId, subscription_id: id });
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Webhook subscriptions
      </Title>
      <DataTable
        name="Webhook subscriptions"
        list={list}
        columns={SUBSCRIPTION_COLUMNS}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        actions={[
          { label: 'Turn off', isOffered: ({ enabled }) => enabled, run: (row) => setEnabled(row, false) },
          { label: 'Turn on', isOffered: ({ enabled }) => !enabled, run: (row) => setEnabled(row, true) },
          { label: 'Delete', danger: true, run: setChosen },
        ]}
        filters={
          <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
            Add a subscription
          </Button>
        }
        empty={
          <Empty icon={IconWebhook} title="No subscription yet">
            Add one, and the application is told about payments, refunds and revoked authorizations as they happen.
          </Empty>
        }
      />
      {isAdding && <AddModal applicationId={applicationId} onClose={() => setAdding(false)} />}
      {chosen && (
        <DeleteSubscription subscription={chosen} remove={() => remove(chosen)} onClose={() => setChosen(undefined)} />
      )}
    </Stack>
  );
}

function AddModal({ applicationId, onClose }: { readonly applicationId: string; readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<string[]>(['payment.created', 'payment.updated']);
  const [key] = useState(() => crypto.randomUUID());
  const saved = useSaved();
  const add = async () => {
    await call(dashboard.createWebhookSubscription, {
      application_id: applicationId,
      idempotency_key: key,
      subscription: { name, notification_url: url, event_types: events as V2EventKind[] },
    });
    await saved(`${name} is subscribed`);
  };
  return (
    <FormModal title="Add a subscription" submitLabel="Add" onClose={onClose} onSubmit={add}>
      {(errorOf) => (
        <>
          <TextInput
            label="Name"
            required
            maxLength={64}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorOf('subscription.name') ?? errorOf('name')}
            data-autofocus
          />
          <TextInput
            label="Address"
            description="The URL that receives the events."
            type="url"
            required
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            error={errorOf('subscription.notification_url') ?? errorOf('notification_url')}
          />
          <MultiSelect label="Events" data={Object.keys(EVENTS)} value={events} onChange={setEvents} required />
        </>
      )}
    </FormModal>
  );
}
