/** Who receives the events of a merchant, and the built-in receiver for those who have none. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { CopyId } from '../../ui/copy-id.js';
import { IconPlus } from '../../ui/icons.js';
import { useAct } from '../../ui/save.js';
import { Card, Failed, LoadingBlock } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';

export function Subscriptions({ merchantId }: { readonly merchantId: string }) {
  const act = useAct();
  const query = useQuery({
    queryKey: ['listWebhookSubscriptions', merchantId],
    queryFn: async () => (await call(sandbox.listWebhookSubscriptions, { merchant_id: merchantId })).subscriptions,
  });
  if (query.error) return <Failed error={query.error} onRetry={() => query.refetch()} />;
  if (!query.data) return <LoadingBlock height={72} />;
  const openReceiver = () =>
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
          {!query.data.some(({ notification_url }) => notification_url.includes('/api/sandbox/receiver/')) && (
            <Button size="xs" leftSection={<IconPlus size={16} />} onClick={openReceiver}>
              Use the built-in receiver
            </Button>
          )}
        </Group>
        {query.data.length === 0 && (
          <Text c="dimmed">
            No application has subscribed to events about this merchant, so none is recorded. The built-in receiver
            accepts all of them.
          </Text>
        )}
        {query.data.map(({ id, application_name, notification_url, generation, enabled, signature_key }) => (
          <Group key={id} gap="sm">
            <Tag tone={enabled ? 'good' : 'quiet'}>{enabled ? generation : `${generation}, off`}</Tag>
            <Text fw={600}>{application_name}</Text>
            <Text ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
              {notification_url}
            </Text>
            <Group gap={4} wrap="nowrap">
              <Text size="sm" c="dimmed">
                key
              </Text>
              <CopyId id={signature_key} label="signature key" />
            </Group>
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
