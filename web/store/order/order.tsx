/** An order as its shopper sees it. The page updates by itself. */
import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { printAddressWithCountry } from '../../../src/base/postal-address.js';
import { checkout } from '../../client/checkout-operations.js';
import { Problem } from '../../client/problem.js';
import { CopyId } from '../../ui/copy-id.js';
import { IconMapQuestion, IconReceipt } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { printMoney } from '../../ui/money.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, Empty, LoadingBlock } from '../../ui/states.js';
import { Moment } from '../../ui/time.js';
import { ask } from '../ask.js';
import { Sum, Sums } from '../checkout/summary.js';
import { type Order, useStoreFacts } from '../goods.js';
import classes from './order.module.css';
import { printEvent, sayStatus } from './status-words.js';

const SOON_MS = 3000;
const LATER_MS = 15_000;

/** How long until the order may have changed. Some states are final. */
function pauseFor(order: Order | undefined): number | false {
  if (!order || order.state === 'PENDING' || order.state === 'OPEN') return SOON_MS;
  return order.state === 'COMPLETED' ? LATER_MS : false;
}

export function Page() {
  const { token = '' } = useParams({ strict: false });
  const order = useQuery({
    queryKey: ['order', token],
    queryFn: async () => (await ask(checkout.retrieveOrder, { order_token: token })).order,
    refetchInterval: ({ state: { data, error } }) => (error ? false : pauseFor(data)),
    staleTime: 0,
  });
  useEffect(() => {
    document.title = 'Your order';
  }, []);
  if (order.error instanceof Problem && order.error.status === 404) return <UnknownOrder />;
  return (
    <QueryView query={order} loading={<LoadingBlock height={420} />}>
      {(found) => <Details order={found} />}
    </QueryView>
  );
}

function UnknownOrder() {
  return (
    <Card>
      <Empty
        icon={IconMapQuestion}
        title="There is no order at this address"
        action={
          <Button component={Link} to="/">
            Go to the store
          </Button>
        }
      >
        The link may be incomplete. Open the whole link that you kept.
      </Empty>
    </Card>
  );
}

function Details({ order }: { readonly order: Order }) {
  const { title, text } = sayStatus(order);
  return (
    <Stack gap="lg" maw={720} mx="auto" data-state="full">
      <Stack gap={4} aria-live="polite">
        <Title order={1} size="1.75rem">
          {title}
        </Title>
        <Text c="dimmed" size="lg">
          {text}
        </Text>
        {order.note !== undefined && <Text>“{order.note}”</Text>}
      </Stack>
      <Card padded>
        <Stack gap="md">
          <Title order={2} size="h4">
            {order.fulfillment === 'PICKUP' ? 'Pick-up' : 'Shipping'}
          </Title>
          <div>
            <Text fw={600}>{order.recipient_name}</Text>
            {printAddressWithCountry(order.shipping_address).map((line) => (
              <Text key={line}>{line}</Text>
            ))}
          </div>
          {order.tracking_number !== undefined && (
            <Group gap="xs">
              <Text>Tracking number</Text>
              <CopyId id={order.tracking_number} label="tracking number" />
            </Group>
          )}
        </Stack>
      </Card>
      <Card padded>
        <Goods order={order} />
      </Card>
      <Card padded>
        <History order={order} />
      </Card>
      <Text c="dimmed">This page updates by itself. Keep its address to come back to your order.</Text>
      <Anchor component={Link} to="/" c="var(--accent-text)">
        Back to the store
      </Anchor>
    </Stack>
  );
}

function Goods({ order }: { readonly order: Order }) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        What you ordered
      </Title>
      {order.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of an order never change
        <Group key={index} justify="space-between" align="flex-start" wrap="nowrap">
          <div>
            <Text style={{ overflowWrap: 'anywhere' }}>
              {item.quantity > 1 && `${item.quantity} × `}
              {item.name}
            </Text>
            {(item.variation_name !== undefined || item.modifiers.length > 0) && (
              <Text size="sm" c="dimmed">
                {[item.variation_name, ...item.modifiers].filter(Boolean).join(', ')}
              </Text>
            )}
          </div>
          <Text style={{ whiteSpace: 'nowrap' }}>{printMoney(item.total_money)}</Text>
        </Group>
      ))}
      <Stack gap={6} className={classes['sums'] ?? ''}>
        <Sums lines={order.receipt_lines} />
        {order.refunded_money.amount !== 0 && <Sum name="Refunded" value={order.refunded_money} />}
      </Stack>
      {order.receipt_url !== undefined && (
        <Group>
          <Button component="a" href={order.receipt_url} variant="default" leftSection={<IconReceipt size={18} />}>
            Show the receipt
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function History({ order }: { readonly order: Order }) {
  const { data: store } = useStoreFacts();
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        History
      </Title>
      <ol className={classes['history']}>
        {order.history.map((event) => (
          <li key={event.action}>
            <span>{printEvent(event.action, order.fulfillment)}</span>
            <Text span c="dimmed">
              <Moment at={event.created_at} timezone={store?.timezone} />
            </Text>
          </li>
        ))}
      </ol>
    </Stack>
  );
}
