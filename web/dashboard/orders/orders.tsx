/** Online orders: a board by state on desktops, a list on phones and with a filter. */
import { SegmentedControl, useMatches } from '@mantine/core';
import { usePagedList } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { moneyColumn } from '../../ui/money-column.js';
import { Page as Frame } from '../../ui/page.js';
import { Moment } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { ChoiceFilter, LocationFilter } from '../filters.js';
import { Board } from './board.js';
import { NoOrders } from './no-orders.js';
import { type Order, type OrderState, OrderStateTag, orderTitle, STATES } from './order.js';

type View = 'board' | 'list';

/** A board needs room. A state in the address asks for a list. */
function useView(): [View, (view: View) => void, boolean] {
  const [[view, setView], [state]] = [useAddress('view'), useAddress('state')];
  const isWide = useMatches({ base: false, md: true });
  const shown = !isWide || state !== undefined || view === 'list' ? 'list' : 'board';
  return [shown, (chosen) => setView(chosen === 'list' ? 'list' : undefined), isWide];
}

export function Page() {
  const [view, setView, isWide] = useView();
  const [state] = useAddress('state');
  return (
    <Frame
      title="Orders"
      description="What shoppers ordered in your online stores. Complete an order when it is on its way."
      actions={
        isWide &&
        state === undefined && (
          <SegmentedControl
            size="xs"
            aria-label="View"
            data={[
              { value: 'board', label: 'Board' },
              { value: 'list', label: 'List' },
            ]}
            value={view}
            onChange={(chosen) => setView(chosen as View)}
          />
        )
      }
    >
      {view === 'board' ? <Board /> : <Orders />}
    </Frame>
  );
}

function useColumns(): Column<Order>[] {
  const { timezoneOf, locationName } = useBusiness();
  return [
    {
      key: 'time',
      header: 'Ordered',
      cell: ({ created_at, location_id }) => <Moment at={created_at} timezone={timezoneOf(location_id)} />,
      value: ({ created_at }) => created_at,
    },
    {
      key: 'recipient',
      header: 'For',
      cell: ({ recipient_name }) => recipient_name,
      value: ({ recipient_name }) => recipient_name,
      wide: true,
    },
    { key: 'what', header: 'What', cell: orderTitle, value: orderTitle, wide: true },
    {
      key: 'location',
      header: 'Location',
      cell: ({ location_id }) => locationName(location_id),
      value: ({ location_id }) => locationName(location_id),
      wide: 'desktop',
    },
    {
      key: 'state',
      header: 'State',
      cell: ({ state }) => <OrderStateTag state={state} />,
      value: ({ state }) => STATES[state].label,
    },
    moneyColumn({ key: 'total', header: 'Total', of: ({ total_money }) => total_money }),
  ];
}

function Orders() {
  const [[location], [state], [order]] = [useAddress('location'), useAddress('state'), useAddress('order')];
  const list = usePagedList(
    dashboard.listOrders,
    {
      location_id: location,
      state: state as OrderState | undefined,
      order: order as 'ASC' | 'DESC' | undefined,
    },
    ({ orders }) => orders,
  );
  return (
    <DataTable
      name="Orders"
      list={list}
      columns={useColumns()}
      sortable={false}
      rowKey={({ id }) => id}
      rowLink={({ id }) => `/dashboard/orders/${id}`}
      filters={
        <>
          <LocationFilter />
          <ChoiceFilter
            name="state"
            label="State"
            options={Object.entries(STATES).map(([value, { label }]) => ({ value, label }))}
          />
          <ChoiceFilter name="order" label="Newest first" options={[{ value: 'ASC', label: 'Oldest first' }]} />
        </>
      }
      empty={<NoOrders />}
    />
  );
}
