/** One online order: what was ordered, where it goes, its history, and what can be done with it. */
import { Button, Grid, Stack, Text, Timeline, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { printAddressWithCountry } from '../../../src/base/postal-address.js';
import { cardName } from '../../../src/business/tenders/words.js';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { CopyId } from '../../ui/copy-id.js';
import { type Fact, Facts } from '../../ui/facts.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, LoadingBlock } from '../../ui/states.js';
import { TextLink } from '../../ui/text-link.js';
import { Moment } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { Line, ReceiptLines } from '../sales/receipt-view.js';
import { BackLink } from '../shell/shell.js';
import { type OrderAction, type OrderDetail, OrderStateTag, orderTitle } from './order.js';
import { OrderModal } from './order-modal.js';

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery({
    queryKey: ['retrieveOrder', id],
    queryFn: () => call(dashboard.retrieveOrder, { order_id: id }),
  });
  return (
    <QueryView query={query} loading={<LoadingBlock height={420} />}>
      {({ order }) => <OrderView order={order} />}
    </QueryView>
  );
}

const ACTIONS: Readonly<Record<OrderAction, string>> = { COMPLETE: 'Complete', CANCEL: 'Cancel', REFUND: 'Refund' };

function OrderView({ order }: { readonly order: OrderDetail }) {
  const { timezoneOf, locationName } = useBusiness();
  const [action, setAction] = useState<OrderAction>();
  return (
    <Frame
      title={`${orderTitle(order)} for ${order.recipient_name}`}
      description={
        <>
          <Moment at={order.created_at} timezone={timezoneOf(order.location_id)} style="long" /> ·{' '}
          {locationName(order.location_id)}
        </>
      }
      above={<BackLink to="/dashboard/orders">Orders</BackLink>}
      actions={
        <>
          <OrderStateTag state={order.state} />
          {order.actions.toReversed().map((each) => (
            <Button key={each} variant={each === 'COMPLETE' ? 'filled' : 'default'} onClick={() => setAction(each)}>
              {ACTIONS[each]}
            </Button>
          ))}
        </>
      }
    >
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <Items order={order} />
            <Delivery order={order} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            <History order={order} />
            <Payment order={order} />
          </Stack>
        </Grid.Col>
      </Grid>
      {action && <OrderModal order={order} action={action} onClose={() => setAction(undefined)} />}
    </Frame>
  );
}

function Items({ order }: { readonly order: OrderDetail }) {
  return (
    <Card padded>
      <Title order={2} size="h5" mb="sm">
        Items
      </Title>
      <ReceiptLines receipt={order.receipt} lines={order.receipt_lines} />
      {order.refunded_money.amount > 0 && <Line name="Refunded" value={order.refunded_money} isQuiet />}
      {order.promo_code && (
        <Text size="sm" c="dimmed" mt="xs">
          Promo code {order.promo_code}
        </Text>
      )}
    </Card>
  );
}

function Delivery({ order }: { readonly order: OrderDetail }) {
  const facts: (Fact | false)[] = [
    { name: 'Recipient', value: order.recipient_name },
    {
      name: order.fulfillment === 'PICKUP' ? 'Pick-up at' : 'Address',
      value: printAddressWithCountry(order.shipping_address).map((line) => (
        <Text key={line} inherit>
          {line}
        </Text>
      )),
    },
    { name: 'Email', value: order.buyer_email_address },
    order.recipient_phone_number !== undefined && { name: 'Phone', value: order.recipient_phone_number },
    order.tracking_number !== undefined && {
      name: 'Tracking number',
      value: <CopyId id={order.tracking_number} label="tracking number" />,
    },
    order.buyer_note !== undefined && { name: 'Note of the buyer', value: order.buyer_note },
    order.completed_note !== undefined && { name: 'Note on completion', value: order.completed_note },
    order.canceled_note !== undefined && { name: 'Note on cancellation', value: order.canceled_note },
    order.refunded_note !== undefined && { name: 'Note on the refund', value: order.refunded_note },
  ];
  return (
    <Card padded>
      <Title order={2} size="h5" mb="xs">
        Delivery
      </Title>
      <Facts facts={facts.filter((fact) => fact !== false)} />
    </Card>
  );
}

const HISTORY: Readonly<Record<OrderDetail['history'][number]['action'], string>> = {
  ORDER_PLACED: 'Ordered',
  DECLINED: 'Payment declined',
  PAYMENT_RECEIVED: 'Paid',
  CANCELED: 'Canceled',
  COMPLETED: 'Completed',
  REFUNDED: 'Refunded',
  EXPIRED: 'Not paid in time',
};

function History({ order }: { readonly order: OrderDetail }) {
  const { timezoneOf } = useBusiness();
  return (
    <Card padded>
      <Title order={2} size="h5" mb="md">
        History
      </Title>
      <Timeline
        bulletSize={12}
        lineWidth={2}
        styles={{ itemTitle: { lineHeight: 1.35 } }}
        active={order.history.length}
      >
        {order.history.map(({ action, created_at }) => (
          <Timeline.Item key={action} title={HISTORY[action]}>
            <Text size="sm" c="dimmed">
              <Moment at={created_at} timezone={timezoneOf(order.location_id)} />
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Card>
  );
}

function Payment({ order }: { readonly order: OrderDetail }) {
  const { timezoneOf } = useBusiness();
  const facts: (Fact | false)[] = [
    order.last_4 !== undefined && { name: 'Card', value: cardName(order) },
    order.sale_id !== undefined && {
      name: 'Sale',
      value: <TextLink to={`/dashboard/sales/${order.sale_id}`}>Show the sale</TextLink>,
    },
    order.state === 'PENDING' && {
      name: 'Expires',
      value: <Moment at={order.expires_at} timezone={timezoneOf(order.location_id)} />,
    },
    { name: 'Id', value: <CopyId id={order.id} label="order id" /> },
  ];
  return (
    <Card padded>
      <Title order={2} size="h5" mb="xs">
        Details
      </Title>
      <Facts facts={facts.filter((fact) => fact !== false)} />
    </Card>
  );
}
