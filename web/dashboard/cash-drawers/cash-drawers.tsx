/** The shifts of the cash drawers of all locations. */
import { Text } from '@mantine/core';
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
import { DaysFilter, useDays } from '../date-filters.js';
import { ChoiceFilter, EmployeeFilter, LocationFilter } from '../filters.js';
import { Difference, differenceOf, SHIFT_STATES, type Shift, ShiftState } from './shift.js';

export function Page() {
  return (
    <Frame
      title="Cash drawers"
      description="Each shift from opening to counting: what should be in the drawer, and what was."
    >
      <Shifts />
    </Frame>
  );
}

function useColumns(): Column<Shift>[] {
  const { timezoneOf, locationName, locations } = useBusiness();
  const { nameOf } = usePeople();
  const location: Column<Shift> = {
    key: 'location',
    header: 'Location',
    cell: ({ location_id }) => locationName(location_id),
    value: ({ location_id }) => locationName(location_id),
    wide: 'desktop',
  };
  return [
    {
      key: 'opened',
      header: 'Opened',
      cell: ({ opened_at, location_id }) => <Moment at={opened_at} timezone={timezoneOf(location_id)} />,
      value: ({ opened_at }) => opened_at,
    },
    ...(locations.length > 1 ? [location] : []),
    { key: 'state', header: 'State', cell: () => null, value: ({ state }) => state, csvOnly: true },
    { key: 'device', header: 'Device', cell: () => null, value: ({ device }) => device.name, csvOnly: true },
    {
      key: 'by',
      header: 'Opened by',
      cell: ({ opening_employee_id: id, device }) => (
        <>
          {nameOf(id)}
          <Text size="sm" c="dimmed">
            {device.name}
          </Text>
        </>
      ),
      value: ({ opening_employee_id: id }) => nameOf(id),
      wide: true,
    },
    moneyColumn({ key: 'expected', header: 'Expected', of: (shift) => shift.expected_cash_money, wide: true }),
    moneyColumn({ key: 'counted', header: 'Counted', of: (shift) => shift.closed_cash_money, wide: true }),
    moneyColumn({
      key: 'difference',
      header: 'Over or short',
      of: differenceOf,
      cell: (shift) => (shift.closed_cash_money ? <Difference shift={shift} /> : <ShiftState shift={shift} />),
    }),
  ];
}

function Shifts() {
  const [[location], [employee], [state]] = [useAddress('location'), useAddress('employee'), useAddress('state')];
  const { isApproved } = useBusiness();
  const days = useDays(location);
  const filters = { location_id: location, employee_id: employee, state: state as Shift['state'] | undefined, ...days };
  const list = usePagedList(dashboard.listCashDrawerShifts, filters, (page) => page.shifts);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <DataTable
      name="Cash drawer shifts"
      list={list}
      columns={useColumns()}
      rowKey={({ id }) => id}
      rowLink={({ id }) => `/dashboard/cash-drawers/${id}`}
      filters={
        <>
          <LocationFilter />
          {isApproved && <EmployeeFilter />}
          <ChoiceFilter
            name="state"
            label="State"
            options={Object.entries(SHIFT_STATES).map(([value, { label }]) => ({ value, label }))}
          />
          <DaysFilter />
        </>
      }
      empty={
        isFiltered ? (
          <Empty icon={IconCashRegister} title="No shifts match">
            Change or clear the filters above to see the others.
          </Empty>
        ) : (
          <Empty icon={IconCashRegister} title="No shifts yet">
            A shift begins when an employee opens the cash drawer at a register. Pair a device first, and give the
            employee a passcode.
          </Empty>
        )
      }
    />
  );
}
