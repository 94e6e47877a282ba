/** A table with sorting in the address bar, more rows on demand, a CSV of the whole list, and all four states. */
import { Button, Group, Menu, ScrollArea, Table, Text, UnstyledButton } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import type { List } from '../client/list.js';
import { useAddress } from './address.js';
import { downloadCsv } from './csv.js';
import classes from './data-table.module.css';
import { IconArrowDown, IconArrowUp, IconDotsVertical, IconDownload } from './icons.js';
import { Link } from './link.js';
import { Card, Failed, LoadingRows } from './states.js';

export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** What the column is sorted by, and what the CSV contains unless there is `csv`. */
  readonly value: (row: Row) => string | number | undefined;
  readonly csv?: (row: Row) => string;
  readonly align?: 'right';
  /** Hidden on phones, or wherever the table is narrower than on a desktop. */
  readonly wide?: true | 'desktop';
  /** One line: a text that is too long is cut. */
  readonly brief?: true;
  /** In the CSV only. */
  readonly csvOnly?: true;
}

export interface RowAction<Row> {
  readonly label: string;
  readonly danger?: true;
  readonly isOffered?: (row: Row) => boolean;
  readonly run: (row: Row) => void;
}

interface DataTableProps<Row> {
  /** The name of the CSV file and of the table for screen readers. */
  readonly name: string;
  readonly list: List<Row>;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly rowName?: (row: Row) => string;
  /** The address of the row's own page. */
  readonly rowLink?: (row: Row) => string;
  readonly actions?: readonly RowAction<Row>[];
  readonly filters?: ReactNode;
  /** What the CSV has besides the columns of the table. */
  readonly csvColumns?: readonly Column<Row>[];
  /** False if the list is too long to be sorted here. Default: true. */
  readonly sortable?: boolean;
  /** The parameter of the address that holds the sorting. A page with two tables needs two. */
  readonly sortName?: string;
  /** The sums of the rows. Shown below them, but not in the CSV, where spreadsheets add up the column. */
  readonly sum?: Row;
  readonly empty: ReactNode;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { name, list, filters, empty, sortName = 'sort', csvColumns = [], ...shown } = props;
  const [inAddress] = useAddress(sortName);
  const sort = shown.sortable === false ? undefined : inAddress;
  const whole = useWhole(list, sort !== undefined);
  const rows = sortRows(whole ?? list.rows, shown.columns, sort);
  return (
    <Card>
      {(filters || (rows && rows.length > 0)) && (
        <Group px="md" py="sm" gap="sm" justify="space-between" align="flex-start" className={classes['bar'] ?? ''}>
          <Group gap="sm" style={{ flex: '1 1 0', minWidth: 240 }}>
            {filters}
          </Group>
          {rows && rows.length > 0 && <CsvButton name={name} list={list} columns={[...shown.columns, ...csvColumns]} />}
        </Group>
      )}
      {rows === undefined && list.error ? (
        <Failed error={list.error} onRetry={() => list.refetch()} />
      ) : rows === undefined ? (
        <LoadingRows />
      ) : rows.length === 0 ? (
        empty
      ) : (
        <>
          <Rows name={name} rows={rows} sortName={sortName} {...shown} />
          <Footer count={rows.length} list={list} isWhole={whole !== undefined || !list.hasMore} />
        </>
      )}
    </Card>
  );
}

/** Sorting needs the whole list: sorting one page would show a wrong first row. */
function useWhole<Row>({ rows, hasMore, loadAll }: List<Row>, isNeeded: boolean): readonly Row[] | undefined {
  const [whole, setWhole] = useState<{ of: readonly Row[] | undefined; rows: readonly Row[] }>();
  const count = rows?.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads again when the number of known rows changes, not at each render
  useEffect(() => {
    if (!isNeeded || !hasMore || rows === undefined) return setWhole(undefined);
    let isCurrent = true;
    void loadAll().then((all) => isCurrent && setWhole({ of: rows, rows: all }));
    return () => {
      isCurrent = false;
    };
  }, [isNeeded, hasMore, count]);
  return isNeeded && hasMore ? whole?.rows : undefined;
}

function sortRows<Row>(
  rows: readonly Row[] | undefined,
  columns: readonly Column<Row>[],
  sort: string | undefined,
): readonly Row[] | undefined {
  const isDescending = sort?.startsWith('-') ?? false;
  const column = columns.find(({ key }) => key === (isDescending ? sort?.slice(1) : sort));
  if (!rows || !column) return rows;
  const direction = isDescending ? -1 : 1;
  return rows.toSorted((one, other) => direction * compare(column.value(one), column.value(other)));
}

function compare(one: string | number | undefined, other: string | number | undefined): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one ?? '').localeCompare(String(other ?? ''), undefined, { numeric: true });
}

type RowsProps<Row> = Omit<DataTableProps<Row>, 'list' | 'filters' | 'empty' | 'sortName' | 'csvColumns'> & {
  readonly rows: readonly Row[];
  readonly sortName: string;
};

function Rows<Row>({
  name,
  rows,
  sortName,
  sortable,
  columns: all,
  rowKey,
  rowName,
  rowLink,
  actions,
  sum,
}: RowsProps<Row>) {
  const columns = all.filter(({ csvOnly }) => !csvOnly);
  return (
    <ScrollArea
      type="auto"
      className={classes['frame'] ?? ''}
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': name }}
    >
      <Table className={classes['table'] ?? ''} highlightOnHover data-state="full">
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Header key={column.key} column={column} sortName={sortable === false ? undefined : sortName} />
            ))}
            {actions && (
              <Table.Th w={48}>
                <span className={classes['hidden']}>Actions</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)}>
              {columns.map(({ key, cell, align, wide, brief, value }, index) => (
                <Table.Td
                  key={key}
                  ta={align ?? 'left'}
                  data-align={align}
                  {...(wide && { 'data-wide': wide })}
                  {...(brief && { 'data-brief': true, title: String(value(row) ?? '') })}
                >
                  {index === 0 && rowLink ? (
                    <Link to={rowLink(row)} className={classes['link'] ?? ''}>
                      {cell(row)}
                    </Link>
                  ) : (
                    cell(row)
                  )}
                </Table.Td>
              ))}
              {actions && (
                <Table.Td>
                  <RowMenu row={row} name={rowName?.(row) ?? rowKey(row)} actions={actions} />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {sum !== undefined && (
          <Table.Tfoot>
            <Table.Tr data-sum>
              {columns.map(({ key, cell, align, wide }) => (
                <Table.Td key={key} ta={align ?? 'left'} data-align={align} {...(wide && { 'data-wide': wide })}>
                  {cell(sum)}
                </Table.Td>
              ))}
              {actions && <Table.Td />}
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
    </ScrollArea>
  );
}

interface HeaderProps<Row> {
  readonly column: Column<Row>;
  /** Undefined: the column cannot be sorted. */
  readonly sortName: string | undefined;
}

function Header<Row>({ column, sortName }: HeaderProps<Row>) {
  const { key, header, align, wide } = column;
  const [sort, setSort] = useAddress(sortName ?? '');
  if (sortName === undefined) {
    return (
      <Table.Th ta={align ?? 'left'} data-align={align} {...(wide && { 'data-wide': wide })}>
        {header}
      </Table.Th>
    );
  }
  const isSorted = sort === key || sort === `-${key}`;
  const isDescending = sort === `-${key}`;
  const next = isDescending ? undefined : sort === key ? `-${key}` : key;
  return (
    <Table.Th
      ta={align ?? 'left'}
      data-align={align}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'}
      {...(wide && { 'data-wide': wide })}
    >
      <UnstyledButton className={classes['sort'] ?? ''} onClick={() => setSort(next)}>
        {header}
        {isSorted && (isDescending ? <IconArrowDown size={14} /> : <IconArrowUp size={14} />)}
      </UnstyledButton>
    </Table.Th>
  );
}

interface RowMenuProps<Row> {
  readonly row: Row;
  readonly name: string;
  readonly actions: readonly RowAction<Row>[];
}

function RowMenu<Row>({ row, name, actions }: RowMenuProps<Row>) {
  const offered = actions.filter(({ isOffered }) => isOffered?.(row) ?? true);
  if (offered.length === 0) return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes['menu'] ?? ''} aria-label={`Actions for ${name}`}>
          <IconDotsVertical size={18} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {offered.map(({ label, danger, run }) => (
          <Menu.Item key={label} {...(danger && { c: 'var(--danger-text)' })} onClick={() => run(row)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface FooterProps<Row> {
  readonly count: number;
  readonly list: List<Row>;
  readonly isWhole: boolean;
}

function Footer<Row>({ count, list, isWhole }: FooterProps<Row>) {
  return (
    <Group px="md" py="sm" justify="space-between" className={classes['footer'] ?? ''}>
      <Text size="sm" c="dimmed">
        {isWhole ? `${count} ${count === 1 ? 'row' : 'rows'}` : `The first ${count} rows`}
      </Text>
      {!isWhole && (
        <Button variant="default" size="xs" loading={list.isLoadingMore} onClick={() => list.loadMore()}>
          Show more
        </Button>
      )}
    </Group>
  );
}

interface CsvButtonProps<Row> {
  readonly name: string;
  readonly list: List<Row>;
  readonly columns: readonly Column<Row>[];
}

function CsvButton<Row>({ name, list, columns }: CsvButtonProps<Row>) {
  const [isBusy, setBusy] = useState(false);
  const download = async (): Promise<void> => {
    setBusy(true);
    try {
      const rows = await list.loadAll();
      const cells = rows.map((row) => columns.map(({ value, csv }) => csv?.(row) ?? String(value(row) ?? '')));
      downloadCsv(name.toLowerCase().replaceAll(' ', '-'), [columns.map(({ header }) => header), ...cells]);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button variant="default" size="xs" leftSection={<IconDownload size={16} />} loading={isBusy} onClick={download}>
      CSV
    </Button>
  );
}
