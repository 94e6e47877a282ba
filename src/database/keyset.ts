/** Lists by keyset: a page begins after the last row of the one before, whatever happened in between. */
import type { Instant } from '../base/time.js';
import type { Fragment, Sql } from './database.js';

export type Order = 'ASC' | 'DESC';

/** Where a page ended: the value it is sorted by, and the id that makes it unique. */
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

/** Decision 0007: ASC takes [begin, end), DESC takes (begin, end]. */
export function within(sql: Sql, column: string, range: TimeRange, order: Order): Fragment {
  const [{ begin, end }, name] = [range, sql(column)];
  const ascending = order === 'ASC';
  return sql`${begin === undefined ? sql`` : ascending ? sql`and ${name} >= ${begin}` : sql`and ${name} > ${begin}`}
    ${end === undefined ? sql`` : ascending ? sql`and ${name} < ${end}` : sql`and ${name} <= ${end}`}`;
}

/** A list that goes by the time of making or by that of the last change, and may be bounded by both. */
export interface ChangeFilter {
  readonly created: TimeRange;
  readonly updated?: TimeRange;
  readonly sortBy?: 'created_at' | 'updated_at';
  readonly order: Order;
}

/**
 * The end of such a list's statement. Both ranges take their beginning and leave their end out. Nothing is changed before it
 * is made: each range bounds the other column too, which ends the scan of an index that goes by it.
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

/** Where a row of such a list stands. */
export function changePosition({ sortBy = 'created_at' }: ChangeFilter) {
  return (row: { readonly id: string; readonly createdAt: Instant; readonly updatedAt: Instant }): Position => ({
    at: sortBy === 'created_at' ? row.createdAt : row.updatedAt,
    id: row.id,
  });
}

/** The end of a list's statement: rows after the position, in order, one more than the page holds. */
export function pageClause(
  sql: Sql,
  columns: { readonly at: string; readonly id: string },
  { limit, after }: PageRequest,
  order: Order,
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

/** Cuts the extra row off again: it only told that there is a next page. */
export function toPage<Row>(rows: readonly Row[], limit: number, position: (row: Row) => Position): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? position(last) : undefined };
}
