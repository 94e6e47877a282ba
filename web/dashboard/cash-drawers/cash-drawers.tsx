/** The shifts of the cash drawers of all locations. */
import { CASH_OUTSIDE, DRAWER_COUNT } from '../../../src/business/figures/drawer.js';
import { usePagedList } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { figureColumns } from '../../ui/figure-columns.js';
import { IconCashRegister } from '../../ui/icons.js';
import { Money, printMoney } from '../../ui/money.js';
import { Notice } from '../../ui/notice.js';
import { Page as Frame } from '../../ui/page.js';
import { Empty } from '../../ui/states.js';
import { TextLink } from '../../ui/text-link.js';
import { Moment } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { DaysFilter, useDays } from '../date-filters.js';
import { ChoiceFilter, EmployeeFilter, LocationFilter } from '../filters.js';
import { useLocationColumns, usePersonColumns } from './columns.js';
import { useOutsideFilters, useOutsideSums } from './outside.js';
import { Difference, SHIFT_STATES, type Shift, ShiftState } from './shift.js';

export function Page() {
  return (
    <Frame
      title="Cash drawers"
      description="Each shift from opening to counting: what should be in the drawer, and what was."
    >
      <OutsideNotice />
      <Shifts />
    </Frame>
  );
}

/** With the location and the days of the list. */
function OutsideNotice() {
  const [filters, { data }] = [useOutsideFilters(), useOutsideSums()];
  if (!data || data.taken_count + data.given_back_count === 0) return null;
  const when =
    filters.begin_time === undefined && filters.end_time === undefined ? 'In the last 30 days, registers' : 'Registers';
  return (
    <Notice tone="warning" title={`${CASH_OUTSIDE.cash_money.label}: ${printMoney(data.cash_money)}`}>
      {when} took <Money value={data.taken_money} /> and gave back <Money value={data.given_back_money} /> while no
      drawer was open for it.{' '}
      <TextLink to="/dashboard/cash-drawers/outside" search={(before) => before}>
        Show what it was for
      </TextLink>
    </Notice>
  );
}

function useColumns(): Column<Shift>[] {
  const { timezoneOf } = useBusiness();
  const location = useLocationColumns<Shift>();
  const person = usePersonColumns<Shift>({
    key: 'by',
    header: 'Opened by',
    person: ({ opening_employee_id }) => opening_employee_id,
    device: ({ device }) => device.name,
  });
  return [
    {
      key: 'opened',
      header: 'Opened',
      cell: ({ opened_at, location_id }) => <Moment at={opened_at} timezone={timezoneOf(location_id)} />,
      value: ({ opened_at }) => opened_at,
    },
    ...location,
    { key: 'state', header: 'State', cell: () => null, value: ({ state }) => state, csvOnly: true },
    ...person,
    ...figureColumns<typeof DRAWER_COUNT, Shift>({
      table: DRAWER_COUNT,
      of: ({ cash }) => cash,
      looks: {
        opened_cash_money: { csvOnly: true },
        cash_sales_money: { csvOnly: true },
        cash_refunds_money: { csvOnly: true },
        paid_in_money: { csvOnly: true },
        paid_out_money: { csvOnly: true },
        expected_cash_money: { wide: true },
        over_short_money: {
          cell: (shift) => (shift.cash.over_short_money ? <Difference shift={shift} /> : <ShiftState shift={shift} />),
        },
        counted_cash_money: { wide: true },
      },
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
