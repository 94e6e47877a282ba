/** The webhooks that went out about a sale. */
import { Group, Stack, Text, Title } from '@mantine/core';
import type { dashboard, ResponseOf } from '../../client/operations.js';
import { Card } from '../../ui/states.js';
import { TextLink } from '../../ui/text-link.js';
import { Moment } from '../../ui/time.js';
import { DeliveryState } from '../developers/deliveries.js';

type Delivery = ResponseOf<typeof dashboard.retrieveSale>['deliveries'][number];

export function Webhooks({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  if (deliveries.length === 0) return null;
  return (
    <Card padded>
      <Title order={2} size="h5" mb="sm">
        Webhooks
      </Title>
      <Stack gap="sm">
        {deliveries.map((delivery) => (
          <Group key={delivery.id} justify="space-between" wrap="nowrap" gap="sm">
            <Stack gap={0} miw={0}>
              <TextLink to={`/dashboard/developers/deliveries/${delivery.id}`}>{delivery.event_type}</TextLink>
              <Text size="sm" c="dimmed">
                <Moment at={delivery.created_at} />
              </Text>
            </Stack>
            <DeliveryState delivery={delivery} />
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
