/** The table of a report, with a CSV of all its rows. */
import { type Column, DataTable } from '../../ui/data-table.js';
import { moneyColumn } from '../../ui/money-column.js';
import {
  type FigureKey,
  figuresIn,
  GROUPS,
  type Group,
  isTime,
  mainFigureOf,
  nameOf,
  type ReportRow,
  type SalesReport,
} from './terms.js';
import { printCount } from './use-amounts.js';

/** The place of the row below all others. */
const TOTAL = -1;

interface ComparedRow extends ReportRow {
  readonly place: number;
  readonly before: number | undefined;
}

function useColumns({ currency, before }: SalesReport, group: Group): Column<ComparedRow>[] {
  const main = mainFigureOf(group);
  const money = (key: FigureKey, header: string): Column<ComparedRow> =>
    moneyColumn({
      key,
      header,
      of: (row) => ({ amount: row[key], currency }),
      ...(key !== main && { wide: true }),
    });
  const count = (header: string): Column<ComparedRow> => ({
    key: 'sales_count',
    header,
    align: 'right',
    cell: ({ sales_count }) => printCount(sales_count),
    value: ({ sales_count }) => sales_count,
    wide: true,
  });
  const quantity: Column<ComparedRow> = {
    key: 'quantity',
    header: 'Quantity',
    align: 'right',
    cell: ({ quantity: units = 0 }) => printCount(units),
    value: ({ quantity: units = 0 }) => units,
  };
  const earlier = moneyColumn<ComparedRow>({
    key: 'before',
    header: 'Before',
    of: (row) => (row.before === undefined ? undefined : { amount: row.before, currency }),
  });
  return [
    {
      key: 'name',
      header: GROUPS.find(({ value }) => value === group)?.label ?? '',
      cell: (row) => (
        <span style={{ whiteSpace: isTime(group) ? 'nowrap' : 'normal' }}>
          {row.place === TOTAL ? 'Total' : nameOf(row, group)}
        </span>
      ),
      value: (row) => (isTime(group) ? row.place : nameOf(row, group)),
      // Spreadsheets can sort dates, but not dates in words.
      csv: (row) => (isTime(group) ? row.key : nameOf(row, group)),
    },
    ...(group === 'ITEM' || group === 'CATEGORY' ? [quantity] : []),
    ...figuresIn(group).flatMap(({ key, label }) => {
      if (key === 'sales_count') return [count(label)];
      return key === main && before ? [money(key, label), earlier] : [money(key, label)];
    }),
  ];
}

export function ReportTable({ report, group }: { readonly report: SalesReport; readonly group: Group }) {
  const main = mainFigureOf(group);
  const byKey = new Map(report.before?.rows.map((row) => [row.key, row]));
  const rows = report.rows.map((row, place) => ({
    ...row,
    place,
    before: report.before && ((isTime(group) ? report.before.rows[place] : byKey.get(row.key))?.[main] ?? 0),
  }));
  const list = {
    rows,
    error: undefined,
    hasMore: false,
    isLoadingMore: false,
    refetch: () => undefined,
    loadMore: () => undefined,
    loadAll: async () => rows,
  };
  return (
    <DataTable
      name={`Sales by ${group.toLowerCase().replaceAll('_', ' ')} ${report.begin_date} to ${report.end_date}`}
      list={list}
      columns={useColumns(report, group)}
      rowKey={({ key }) => key}
      sum={{
        ...report.rows_total,
        ...{ key: '', place: TOTAL, before: report.before?.rows_total[main] },
      }}
      empty={null}
    />
  );
}
