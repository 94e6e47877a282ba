/** Cash that registers took or gave back while no drawer was open for it. */
import { useQuery } from '@tanstack/react-query';
import { CASH_OUTSIDE } from '../../../src/business/figures/drawer.js';
import { figuresOf } from '../../../src/business/figures/model.js';
import { call } from '../../client/call.js';
import { usePagedList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { Figures } from '../../ui/figures.js';
import { IconCashRegister } from '../../ui/icons.js';
import { Money } from '../../ui/money.js';
import { moneyColumn } from '../../ui/money-column.js';
import { Page as Frame } from '../../ui/page.js';
import { Empty } from '../../ui/states.js';
import { TextLink } from '../../ui/text-link.js';
import { Moment } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { DaysFilter, useDays } from '../date-filters.js';
import { LocationFilter } from '../filters.js';
import { BackLink } from '../shell/shell.js';
import { useLocationColumns, usePersonColumns } from './columns.js';

type Entry = ResponseOf<typeof dashboard.listCashOutsideDrawers>['entries'][number];

const KINDS: Readonly<Record<Entry['kind'], string>> = { SALE: 'Sale', REFUND: 'Refund' };

/** The location and the days in the address bar. Without days, the last 30. */
export function useOutsideFilters() {
  const [location] = useAddress('location');
  return { location_id: location, ...useDays(location) };
}

export function useOutsideSums() {
  const filters = useOutsideFilters();
  return useQuery({
    queryKey: ['sumCashOutsideDrawers', filters],
    queryFn: async () => (await call(dashboard.sumCashOutsideDrawers, filters)).cash,
  });
}

export function Page() {
  const { begin_time, end_time } = useOutsideFilters();
  const days = begin_time === undefined && end_time === undefined ? ' The last 30 days are shown.' : '';
  return (
    <Frame
      title={CASH_OUTSIDE.cash_money.label}
      description={`What registers took or gave back in cash while no drawer was open for it.${days}`}
      above={<BackLink to="/dashboard/cash-drawers">Cash drawers</BackLink>}
    >
      <Sums />
      <Entries />
    </Frame>
  );
}

function Sums() {
  const { data } = useOutsideSums();
  if (!data) return null;
  const figures = figuresOf(CASH_OUTSIDE).map(({ name, label }) => ({
    name: label,
    value: <Money value={data[name]} />,
  }));
  return <Figures figures={figures} />;
}

function useColumns(): Column<Entry>[] {
  const { timezoneOf } = useBusiness();
  const location = useLocationColumns<Entry>();
  const person = usePersonColumns<Entry>({
    key: 'employee',
    header: 'Employee',
    person: ({ employee_id }) => employee_id,
    device: ({ device_name }) => device_name,
  });
  return [
    {
      key: 'time',
      header: 'Time',
      cell: ({ at, location_id }) => <Moment at={at} timezone={timezoneOf(location_id)} />,
      value: ({ at }) => at,
    },
    {
      key: 'what',
      header: 'What',
      cell: ({ kind, payment_id }) => <TextLink to={`/dashboard/sales/${payment_id}`}>{KINDS[kind]}</TextLink>,
      value: ({ kind }) => KINDS[kind],
    },
    ...location,
    ...person,
    moneyColumn<Entry>({ key: 'amount', header: 'Cash', of: ({ amount_money }) => amount_money }),
  ];
}

function Entries() {
  const list = usePagedList(dashboard.listCashOutsideDrawers, useOutsideFilters(), ({ entries }) => entries);
  return (
    <DataTable
      name="Cash in no drawer"
      list={list}
      columns={useColumns()}
      sortable={false}
      rowKey={({ id }) => id}
      filters={
        <>
          <LocationFilter />
          <DaysFilter />
        </>
      }
      empty={
        <Empty icon={IconCashRegister} title="All cash is in a drawer">
          Cash that a register takes while its drawer is closed appears here, and what it sends later with a time before
          the drawer was opened.
        </Empty>
      }
    />
  );
}
