/** Keyset pagination: a page begins after the last row of the previous page, whatever has changed in between. */
import type { Instant } from '../base/time.js';
import type { Fragment, Sql } from './sql.js';

export type SortOrder = 'ASC' | 'DESC';

/** The position of a row in a list: its time, and its id, which makes the position unique. */
export interface Position {
  readonly at: Instant;
  readonly id: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly after: Position | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: Position | undefined;
}

export interface TimeRange {
  readonly begin?: Instant | undefined;
  readonly end?: Instant | undefined;
}

/** The time of some days at locations of one time zone. `end` is the start of the day after the last day. */
export interface LocationRange {
  readonly locationIds: readonly string[];
  readonly begin: Instant | undefined;
  readonly end: Instant | undefined;
}

/** ASC selects [begin, end), DESC selects (begin, end] (decision 0007). */
export function within(sql: Sql, column: string, range: TimeRange, order: SortOrder): Fragment {
  const [{ begin, end }, name] = [range, sql(column)];
  const ascending = order === 'ASC';
  return sql`${begin === undefined ? sql`` : ascending ? sql`and ${name} >= ${begin}` : sql`and ${name} > ${begin}`}
    ${end === undefined ? sql`` : ascending ? sql`and ${name} < ${end}` : sql`and ${name} <= ${end}`}`;
}

/** Filters a list by time of creation and of the last change, and sorts it by one of them. */
export interface ChangeFilter {
  readonly created: TimeRange;
  readonly updated?: TimeRange;
  readonly sortBy?: 'created_at' | 'updated_at';
  readonly order: SortOrder;
}

/**
 * The filter, order and limit of such a list. Both ranges include their beginning and exclude their end. A record cannot change
 * before it is created, so each range also limits the other column, which ends the index scan early.
 */
export function changeClause(
  sql: Sql,
  id: string,
  { created, updated = {}, sortBy = 'created_at', order }: ChangeFilter,
  page: PageRequest,
): Fragment {
  return sql`
    ${within(sql, 'created_at', created, 'ASC')}
    ${within(sql, 'updated_at', updated, 'ASC')}
    ${sortBy === 'created_at' ? within(sql, 'created_at', { end: updated.end }, 'ASC') : within(sql, 'updated_at', { begin: created.begin }, 'ASC')}
    ${pageClause(sql, { at: sortBy, id }, page, order)}`;
}

/** The position of a row in such a list. */
export function changePosition({ sortBy = 'created_at' }: ChangeFilter) {
  return (row: { readonly id: string; readonly createdAt: Instant; readonly updatedAt: Instant }): Position => ({
    at: sortBy === 'created_at' ? row.createdAt : row.updatedAt,
    id: row.id,
  });
}

/** The start position, order and limit of a list. It reads one row more than the page has, to know whether there is a next page. */
export function pageClause(
  sql: Sql,
  columns: { readonly at: string; readonly id: string },
  { limit, after }: PageRequest,
  order: SortOrder,
): Fragment {
  const [at, id] = [sql(columns.at), sql(columns.id)];
  const ascending = order === 'ASC';
  const start = after
    ? ascending
      ? sql`and (${at}, ${id}) > (${after.at}::timestamptz, ${after.id})`
      : sql`and (${at}, ${id}) < (${after.at}::timestamptz, ${after.id})`
    : sql``;
  const direction = ascending ? sql`asc` : sql`desc`;
  return sql`${start} order by ${at} ${direction}, ${id} ${direction} limit ${limit + 1}`;
}

/** Removes the extra row that `pageClause` reads. */
export function toPage<Row>(rows: readonly Row[], limit: number, position: (row: Row) => Position): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? position(last) : undefined };
}
