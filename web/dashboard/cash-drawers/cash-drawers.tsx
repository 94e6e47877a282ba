/** The shifts of the cash drawers of a location. */
import { Tabs } from '@mantine/core';
import { usePagedList } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconCashRegister } from '../../ui/icons.js';
import { moneyColumn } from '../../ui/money-column.js';
import { Page as Frame } from '../../ui/page.js';
import { Empty } from '../../ui/states.js';
import { Moment } from '../../ui/time.js';
import { useBusiness, usePeople } from '../business.js';
import { Difference, differenceOf, type Shift, ShiftState } from './shift.js';

export function Page() {
  const { locations } = useBusiness();
  const [chosen, choose] = useAddress('location');
  const location = chosen ?? locations[0]?.id ?? '';
  return (
    <Frame
      title="Cash drawers"
      description="Each shift from opening to counting: what should be in the drawer, and what was."
    >
      {locations.length > 1 && (
        <Tabs value={location} onChange={(id) => choose(id ?? undefined)} variant="pills">
          <Tabs.List aria-label="Location">
            {locations.map(({ id, name }) => (
              <Tabs.Tab key={id} value={id}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
      )}
      <Shifts key={location} location={location} />
    </Frame>
  );
}

function useColumns(): Column<Shift>[] {
  const { timezoneOf } = useBusiness();
  const { nameOf } = usePeople();
  return [
    {
      key: 'opened',
      header: 'Opened',
      cell: ({ opened_at, location_id }) => <Moment at={opened_at} timezone={timezoneOf(location_id)} />,
      value: ({ opened_at }) => opened_at,
    },
    { key: 'state', header: 'State', cell: (shift) => <ShiftState shift={shift} />, value: ({ state }) => state },
    {
      key: 'device',
      header: 'Device',
      cell: ({ device }) => device.name,
      value: ({ device }) => device.name,
      wide: true,
    },
    {
      key: 'by',
      header: 'Opened by',
      cell: ({ opening_employee_id: id }) => nameOf(id),
      value: ({ opening_employee_id: id }) => nameOf(id),
      wide: true,
    },
    moneyColumn({ key: 'expected', header: 'Expected', of: (shift) => shift.expected_cash_money }),
    moneyColumn({ key: 'counted', header: 'Counted', of: (shift) => shift.closed_cash_money, wide: true }),
    moneyColumn({
      key: 'difference',
      header: 'Over or short',
      of: differenceOf,
      cell: (shift) => <Difference shift={shift} />,
      wide: true,
    }),
  ];
}

function Shifts({ location }: { readonly location: string }) {
  const list = usePagedList(dashboard.listCashDrawerShifts, { location_id: location }, (page) => page.shifts);
  return (
    <DataTable
      name="Cash drawer shifts"
      list={list}
      columns={useColumns()}
      rowKey={({ id }) => id}
      rowLink={({ id }) => `/dashboard/cash-drawers/${id}`}
      empty={
        <Empty icon={IconCashRegister} title="No shifts at this location">
          A shift begins when an employee opens the cash drawer at a register.
        </Empty>
      }
    />
  );
}
