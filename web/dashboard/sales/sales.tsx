/** All sales: filters and search in the address bar, and the whole list as CSV. */
import { Button, Group, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { figuresOf } from '../../../src/business/figures/model.js';
import { SALE_MONEY } from '../../../src/business/figures/sale.js';
import { BRAND_OPTIONS } from '../../../src/business/tenders/words.js';
import { type List, usePagedList } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { figureColumns } from '../../ui/figure-columns.js';
import { IconReceipt, IconSearch } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { PageTabs } from '../../ui/page-tabs.js';
import { Empty } from '../../ui/states.js';
import { Moment } from '../../ui/time.js';
import { useBusiness, usePeople } from '../business.js';
import { ChoiceFilter, DayFilter, EmployeeFilter, LocationFilter } from '../filters.js';
import { KINDS, type Sale, SaleState, saleTitle, stateName, tenderNames } from './sale.js';
import { UncapturedPayments } from './uncaptured.js';

const TABS = [
  { name: 'sales', label: 'Sales', content: Sales },
  { name: 'uncaptured', label: 'Authorized and declined', content: UncapturedPayments },
] as const;

export function Page() {
  return (
    <Frame
      title="Sales"
      description="Every sale at registers, online and by applications, newest first. Times are those of the location."
    >
      <PageTabs tabs={TABS} />
    </Frame>
  );
}

/** The table has no room for all figures of a sale. */
const IN_FILES_ONLY = Object.fromEntries(
  figuresOf(SALE_MONEY).flatMap(({ name }) => (name === 'paid' ? [] : [[name, { csvOnly: true as const }]])),
);

function useColumns(): Column<Sale>[] {
  const { timezoneOf, locationName } = useBusiness();
  const { nameOf } = usePeople();
  return [
    {
      key: 'time',
      header: 'Time',
      cell: ({ created_at, location_id }) => <Moment at={created_at} timezone={timezoneOf(location_id)} />,
      value: ({ created_at }) => created_at,
    },
    { key: 'what', header: 'Sold', cell: saleTitle, value: saleTitle, wide: true, brief: true },
    { key: 'tender', header: 'Paid with', cell: tenderNames, value: tenderNames },
    {
      key: 'location',
      header: 'Location',
      cell: ({ location_id }) => locationName(location_id),
      value: ({ location_id }) => locationName(location_id),
      wide: 'desktop',
      brief: true,
    },
    {
      key: 'employee',
      header: 'Employee',
      cell: ({ employee_id }) => nameOf(employee_id),
      value: ({ employee_id }) => nameOf(employee_id),
      wide: 'desktop',
      brief: true,
    },
    { key: 'state', header: 'State', cell: (sale) => <SaleState sale={sale} />, value: stateName, wide: true },
    ...figureColumns<typeof SALE_MONEY, Sale>({ table: SALE_MONEY, of: ({ sums }) => sums, looks: IN_FILES_ONLY }),
  ];
}

/** Columns that only the CSV has. */
function useCsvColumns(): Column<Sale>[] {
  const text = (key: string, header: string, of: (sale: Sale) => string | undefined): Column<Sale> => ({
    ...{ key, header, cell: of, value: of },
  });
  return [
    text('id', 'Id', ({ id }) => id),
    text('v1', 'Payment id', ({ v1_id }) => v1_id),
    text('kind', 'Kind', ({ kind }) => KINDS[kind]),
    text('reference', 'Reference', ({ tenders }) => tenders[0]?.reference_id),
  ];
}

function useFilters() {
  const [[location], [kind], [state], [tender], [brand], [employee], [refunded]] = [
    useAddress('location'),
    useAddress('kind'),
    useAddress('state'),
    useAddress('tender'),
    useAddress('brand'),
    useAddress('employee'),
    useAddress('refunded'),
  ];
  const [[flagged], [from], [to], [search], [order]] = [
    useAddress('flagged'),
    useAddress('from'),
    useAddress('to'),
    useAddress('q'),
    useAddress('order'),
  ];
  return {
    location_id: location,
    kind: kind as Sale['kind'] | undefined,
    state: state as Sale['state'] | undefined,
    tender_type: tender as Sale['tenders'][number]['type'] | undefined,
    card_brand: brand,
    employee_id: employee,
    refunded: refunded === undefined ? undefined : refunded === 'yes',
    flagged: flagged === 'yes' ? true : undefined,
    begin_date: from,
    end_date: to,
    search,
    order: order as 'ASC' | 'DESC' | undefined,
  };
}

/** Loads the next page after an empty one: the server searches a limited number of sales for each page, so more can follow. */
function useFilledList<Row>(list: List<Row>): List<Row> {
  const isSearching = list.rows?.length === 0 && list.hasMore;
  const { isLoadingMore, loadMore } = list;
  useEffect(() => {
    if (isSearching && !isLoadingMore) loadMore();
  }, [isSearching, isLoadingMore, loadMore]);
  return isSearching ? { ...list, rows: undefined } : list;
}

function Sales() {
  const filters = useFilters();
  const list = useFilledList(usePagedList(dashboard.listSales, filters, ({ sales }) => sales));
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <DataTable
      name="Sales"
      list={list}
      columns={useColumns()}
      csvColumns={useCsvColumns()}
      sortable={false}
      rowKey={({ id }) => id}
      rowLink={({ id }) => `/dashboard/sales/${id}`}
      filters={<Filters isFiltered={isFiltered} />}
      empty={
        isFiltered ? (
          <Empty icon={IconReceipt} title="No sale matches">
            Try fewer filters. The search understands ids, references, receipt numbers, the last four digits of a card,
            and amounts such as 18.40.
          </Empty>
        ) : (
          <Empty icon={IconReceipt} title="No sales yet">
            A sale appears here when a register rings it up, a shopper pays an online order, or an application charges a
            card.
          </Empty>
        )
      }
    />
  );
}

const WORDS = {
  kind: KINDS,
  tender: { CARD: 'Card', CASH: 'Cash', EXTERNAL_CARD: 'Card terminal', OTHER: 'Other' },
} as const;
const STATES = { COMPLETED: 'Paid', OPEN: 'Partly paid', CANCELED: 'Canceled' } as const;

function toOptions(words: Readonly<Record<string, string>>) {
  return Object.entries(words).map(([value, label]) => ({ value, label }));
}

/** On phones and tablets the filters would fill the screen, so a button opens them. */
function Filters({ isFiltered }: { readonly isFiltered: boolean }) {
  const isNarrow = useMediaQuery('(max-width: 1000px)', undefined, { getInitialValueInEffect: false });
  const [isOpen, setOpen] = useState(false);
  return (
    <Group gap="xs" style={{ flex: '1 1 auto' }}>
      <SearchBox />
      {isNarrow && (
        <Button size="xs" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filters
        </Button>
      )}
      {(!isNarrow || isOpen) && <AllFilters />}
      {isFiltered && <ClearButton />}
    </Group>
  );
}

function AllFilters() {
  return (
    <>
      <DayFilter name="from" label="From" />
      <DayFilter name="to" label="To" />
      <LocationFilter />
      <ChoiceFilter name="kind" label="Kind" options={toOptions(WORDS.kind)} />
      <ChoiceFilter name="tender" label="Tender" options={toOptions(WORDS.tender)} />
      <ChoiceFilter name="brand" label="Card brand" options={BRAND_OPTIONS} />
      <ChoiceFilter name="state" label="State" options={toOptions(STATES)} />
      <ChoiceFilter name="refunded" label="Refunds" options={toOptions({ yes: 'Refunded', no: 'Not refunded' })} />
      <ChoiceFilter name="flagged" label="Flagged" options={[{ value: 'yes', label: 'Needs review' }]} />
      <EmployeeFilter />
      <ChoiceFilter name="order" label="Newest first" options={[{ value: 'ASC', label: 'Oldest first' }]} />
    </>
  );
}

const NAMES = [
  ...['q', 'from', 'to', 'location', 'kind', 'tender', 'brand', 'state', 'refunded', 'flagged', 'employee', 'order'],
];

function ClearButton() {
  const [, clear] = useAddress(NAMES);
  return (
    <Button size="xs" variant="subtle" onClick={() => clear(undefined)}>
      Clear
    </Button>
  );
}

const PAUSE_MS = 350;

/** Searches after a pause in typing, or at once with Enter. */
function SearchBox() {
  const [search, setSearch] = useAddress('q');
  const [typed, setTyped] = useState(search ?? '');
  useEffect(() => setTyped(search ?? ''), [search]);
  useEffect(() => {
    const wanted = typed.trim() || undefined;
    if (wanted === search) return;
    const timer = setTimeout(() => setSearch(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, search, setSearch]);
  return (
    <form
      style={{ flex: '1 1 240px', maxWidth: 340 }}
      onSubmit={(event) => {
        event.preventDefault();
        setSearch(typed.trim() || undefined);
      }}
    >
      <TextInput
        size="xs"
        type="search"
        maxLength={192}
        aria-label="Search sales"
        placeholder="Id, receipt, amount, last 4, reference"
        leftSection={<IconSearch size={15} />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </form>
  );
}
