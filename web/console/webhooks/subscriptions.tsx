/** Who receives the events of a merchant: adds, switches and deletes receivers. The built-in one is for those who have none. */
import { Button, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.js';
import type { ResponseOf } from '../../client/operations.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { CopyId } from '../../ui/copy-id.js';
import { IconPlus, IconTrash } from '../../ui/icons.js';
import { useAct, useSaved } from '../../ui/save.js';
import { Card, Failed, LoadingBlock } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { NewReceiverModal } from './new-receiver-modal.js';

export type ListedSubscription = ResponseOf<typeof sandbox.listWebhookSubscriptions>['subscriptions'][number];

export function useSubscriptions(merchantId: string) {
  return useQuery({
    queryKey: ['listWebhookSubscriptions', merchantId],
    queryFn: async () => (await call(sandbox.listWebhookSubscriptions, { merchant_id: merchantId })).subscriptions,
  });
}

export function Subscriptions({ merchantId }: { readonly merchantId: string }) {
  const act = useAct();
  const [isAdding, setAdding] = useState(false);
  const query = useSubscriptions(merchantId);
  if (query.error) return <Failed error={query.error} onRetry={() => query.refetch()} />;
  if (!query.data) return <LoadingBlock height={72} />;
  const openBuiltIn = () =>
    act(
      () => call(sandbox.openReceiver, { merchant_id: merchantId }),
      'The built-in receiver gets all events from now on',
    );
  return (
    <Card padded>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h5">
            Receivers
          </Title>
          <Group gap="xs">
            {!query.data.some(({ notification_url }) => notification_url.includes('/api/sandbox/receiver/')) && (
              <Button size="xs" variant="default" onClick={openBuiltIn}>
                Use the built-in receiver
              </Button>
            )}
            <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
              Add a receiver
            </Button>
          </Group>
        </Group>
        {query.data.length === 0 && (
          <Text c="dimmed">
            No application has subscribed to events about this merchant, so none is recorded. The built-in receiver
            accepts all of them.
          </Text>
        )}
        {query.data.map((receiver) => (
          <ReceiverRow key={receiver.id} merchantId={merchantId} receiver={receiver} />
        ))}
      </Stack>
      {isAdding && <NewReceiverModal merchantId={merchantId} onClose={() => setAdding(false)} />}
    </Card>
  );
}

interface ReceiverRowProps {
  readonly merchantId: string;
  readonly receiver: ListedSubscription;
}

function ReceiverRow({ merchantId, receiver }: ReceiverRowProps) {
  const { id, application_name, notification_url, generation, enabled, event_types, signature_key } = receiver;
  return (
    <Group gap="sm" justify="space-between">
      <Group gap="sm" style={{ flex: '1 1 320px', minWidth: 0 }}>
        <Tag tone={enabled ? 'good' : 'quiet'}>{enabled ? generation : `${generation}, off`}</Tag>
        <Text fw={600}>{application_name}</Text>
        <Text ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
          {notification_url}
        </Text>
        {generation === 'v2' && (
          <Text size="sm" c="dimmed" title={event_types.join(', ')}>
            {event_types.length} {event_types.length === 1 ? 'kind' : 'kinds'}
          </Text>
        )}
        <Group gap={4} wrap="nowrap">
          <Text size="sm" c="dimmed">
            key
          </Text>
          <CopyId id={signature_key} label="signature key" />
        </Group>
      </Group>
      {/* An application sets the address of its v1 events itself. */}
      {generation === 'v2' && (
        <ReceiverActions ids={{ merchant_id: merchantId, subscription_id: id }} receiver={receiver} />
      )}
    </Group>
  );
}

interface ReceiverActionsProps {
  readonly ids: { readonly merchant_id: string; readonly subscription_id: string };
  readonly receiver: ListedSubscription;
}

function ReceiverActions({ ids, receiver: { enabled, notification_url } }: ReceiverActionsProps) {
  const act = useAct();
  const saved = useSaved();
  const [isDeleting, setDeleting] = useState(false);
  const switchTo = (next: boolean) =>
    act(
      () => call(sandbox.updateWebhookSubscription, { ...ids, subscription: { enabled: next } }),
      next ? 'The receiver gets events again' : 'The receiver gets no more events',
    );
  const remove = async () => {
    await call(sandbox.deleteWebhookSubscription, ids);
    await saved('The receiver is deleted');
  };
  return (
    <Group gap="sm" wrap="nowrap">
      <Switch
        size="sm"
        label="On"
        aria-label={`Send events to ${notification_url}`}
        checked={enabled}
        onChange={(event) => switchTo(event.currentTarget.checked)}
      />
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<IconTrash size={16} />}
        aria-label={`Delete ${notification_url}`}
        onClick={() => setDeleting(true)}
      >
        Delete
      </Button>
      {isDeleting && (
        <ConfirmModal
          title="Delete this receiver?"
          submitLabel="Delete"
          danger
          onClose={() => setDeleting(false)}
          onConfirm={remove}
        >
          {notification_url} gets no more events, and those that wait for it are given up.
        </ConfirmModal>
      )}
    </Group>
  );
}
