/** Orders side by side by their state. */
import { Button, Group, Text, Title } from '@mantine/core';
import { usePagedList } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { Link } from '../../ui/link.js';
import { Money } from '../../ui/money.js';
import { Card, Failed, LoadingRows } from '../../ui/states.js';
import { Moment } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { LocationFilter } from '../filters.js';
import classes from './board.module.css';
import { NoOrders } from './no-orders.js';
import { type Order, type OrderState, orderTitle, STATES } from './order.js';

/** The number of orders in a column. The list of a state has all. */
const SHOWN = 8;

/** From new orders to finished ones. */
const COLUMNS: readonly OrderState[] = ['PENDING', 'OPEN', 'COMPLETED', 'REFUNDED', 'CANCELED'];

export function Board() {
  const [location] = useAddress('location');
  const any = usePagedList(dashboard.listOrders, { location_id: location }, ({ orders }) => orders);
  return (
    <>
      <Group gap="sm">
        <LocationFilter />
      </Group>
      {any.rows?.length === 0 ? (
        <Card>
          <NoOrders />
        </Card>
      ) : (
        <div className={classes['board']}>
          {COLUMNS.map((state) => (
            <BoardColumn key={state} state={state} location={location} />
          ))}
        </div>
      )}
    </>
  );
}

interface BoardColumnProps {
  readonly state: OrderState;
  readonly location: string | undefined;
}

function BoardColumn({ state, location }: BoardColumnProps) {
  const list = usePagedList(dashboard.listOrders, { location_id: location, state }, ({ orders }) => orders);
  const [, showAll] = useAddress('state');
  return (
    <section className={classes['column']} aria-label={STATES[state].label}>
      <Group gap={6} justify="space-between" mb="xs">
        <Title order={2} size="h6">
          {STATES[state].label}
        </Title>
        <Text span size="sm" c="dimmed">
          {list.rows && `${list.rows.length}${list.hasMore ? '+' : ''}`}
        </Text>
      </Group>
      {list.rows === undefined && list.error ? (
        <Failed error={list.error} onRetry={() => list.refetch()} />
      ) : list.rows === undefined ? (
        <LoadingRows rows={3} />
      ) : list.rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          None
        </Text>
      ) : (
        <ul className={classes['orders']} data-state="full">
          {list.rows.slice(0, SHOWN).map((order) => (
            <li key={order.id}>
              <OrderCard order={order} />
            </li>
          ))}
        </ul>
      )}
      {list.rows !== undefined && list.rows.length > SHOWN && (
        <Button variant="subtle" size="xs" fullWidth mt={8} onClick={() => showAll(state)}>
          Show all
        </Button>
      )}
    </section>
  );
}

function OrderCard({ order }: { readonly order: Order }) {
  const { timezoneOf, locationName, locations } = useBusiness();
  return (
    <Link to={`/dashboard/orders/${order.id}`} className={classes['card'] ?? ''}>
      <Text span fw={600} truncate display="block">
        {order.recipient_name}
      </Text>
      <Text span size="sm" truncate display="block">
        {orderTitle(order)}
      </Text>
      {locations.length > 1 && (
        <Text span size="sm" c="dimmed" truncate display="block">
          {locationName(order.location_id)}
        </Text>
      )}
      <span className={classes['row']}>
        <Text span size="sm" c="dimmed">
          <Moment at={order.created_at} timezone={timezoneOf(order.location_id)} />
        </Text>
        <Money value={order.total_money} fw={600} />
      </span>
    </Link>
  );
}
