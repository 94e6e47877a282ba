/** What a request changed, and the events that followed. */
import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import type { ResponseOf } from '../../client/operations.js';
import type { sandbox } from '../../client/sandbox-operations.js';
import { CopyId } from '../../ui/copy-id.js';
import { TextLink } from '../../ui/text-link.js';
import { DeliveryState } from '../webhooks/delivery-state.js';
import { ClockTime } from './clock-time.js';

type Found = ResponseOf<typeof sandbox.retrieveRequest>['request'];

/** Records that have a page in the dashboard, for an owner who is signed in there. */
const DASHBOARD: Readonly<Record<string, string>> = {
  payment: '/dashboard/sales/',
  sale: '/dashboard/sales/',
  order: '/dashboard/orders/',
  employee: '/dashboard/team/',
  timecard: '/dashboard/timecards/',
  settlement: '/dashboard/payouts/',
  item: '/dashboard/catalogue/items/',
};

export function Followed({ request }: { readonly request: Found }) {
  const { records, events, merchant_id, method } = request;
  if (method === 'GET' || records.length === 0) return null;
  return (
    <>
      <Stack gap="xs">
        <Title order={3} size="h5">
          What it made or changed
        </Title>
        {records.map(({ kind, id }) => (
          <Group key={`${kind} ${id}`} gap="sm">
            <Text>{kind.replaceAll('_', ' ')}</Text>
            <CopyId id={id} />
            <TextLink to="/console" search={{ text: id }}>
              Its requests
            </TextLink>
            {DASHBOARD[kind] !== undefined && (
              <Anchor href={`${DASHBOARD[kind]}${id}`} underline="always" c="var(--accent-text)">
                In the dashboard
              </Anchor>
            )}
          </Group>
        ))}
      </Stack>
      <Stack gap="xs">
        <Title order={3} size="h5">
          Events that followed
        </Title>
        {events.length === 0 && (
          <Text c="dimmed">None: no application has subscribed to events about these records.</Text>
        )}
        {events.map(({ delivery_id, event_type, state, created_at }) => (
          <Group key={delivery_id} gap="sm">
            <TextLink to="/console/webhooks" search={{ merchant: merchant_id ?? '', delivery: delivery_id }}>
              {event_type}
            </TextLink>
            <DeliveryState state={state} />
            <Text span size="sm" c="dimmed">
              <ClockTime at={created_at} />
            </Text>
          </Group>
        ))}
      </Stack>
    </>
  );
}
