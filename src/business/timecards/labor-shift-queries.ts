/** SQL for the search for shifts, which are timecards that are not deleted. */
import { isUuid } from '../../base/ids.js';
import { type Instant, LAST_INSTANT } from '../../base/time.js';
import type { Fragment, Sql } from '../../database/database.js';
import {
  type LocationRange,
  type Page,
  type PageRequest,
  pageClause,
  type SortOrder,
  type TimeRange,
  toPage,
} from '../../database/keyset.js';
import type { LaborShiftSortField, Timecard, WorkdayMatcher } from './model.js';
import { timecards } from './table.js';

export interface LaborShiftFilter {
  readonly merchantId: string;
  /** The location of shifts that have none. */
  readonly mainLocationId: string;
  readonly locationIds?: readonly string[] | undefined;
  /** The employee must be in each of these lists. */
  readonly employeeIds: readonly (readonly string[])[];
  readonly isOpen?: boolean | undefined;
  /** `start` and `end` include both of their ends. */
  readonly start: TimeRange;
  readonly end: TimeRange;
  readonly workdays?: { readonly by: WorkdayMatcher; readonly at: readonly LocationRange[] } | undefined;
  readonly sortBy: LaborShiftSortField;
  readonly order: SortOrder;
  readonly page: PageRequest;
}

const SORT_COLUMNS: Readonly<Record<LaborShiftSortField, string>> = {
  START_AT: 'clockin_at',
  END_AT: 'end_at',
  CREATED_AT: 'created_at',
  UPDATED_AT: 'updated_at',
};

/** Must be the same expression as in the index timecards_end. An open shift sorts after all others. */
const endAt = (sql: Sql): Fragment => sql`coalesce(clockout_at, timestamptz '9999-12-31 23:59:59.999+00')`;

export async function listLaborShifts(sql: Sql, filter: LaborShiftFilter): Promise<Page<Timecard>> {
  const { merchantId, mainLocationId, locationIds, isOpen, start, end, workdays, sortBy, order, page } = filter;
  const employeeIds = filter.employeeIds.map((ids) => ids.filter(isUuid));
  const locationId = sql`coalesce(clockin_location_id, ${mainLocationId})`;
  const rows = await sql<Timecard[]>`
    select ${timecards.select(sql)}
    from (
      select merchant_id, ${timecards.names(sql)}, ${endAt(sql)} as end_at
      from timecards
      where merchant_id = ${merchantId} and not deleted
    ) shift
    where merchant_id = ${merchantId}
    ${employeeIds.reduce((all, ids) => sql`${all} and employee_id = any (${ids}::uuid[])`, sql``)}
    ${locationIds === undefined ? sql`` : sql`and ${locationId} = any (${locationIds as string[]}::text[])`}
    ${isOpen === undefined ? sql`` : isOpen ? sql`and clockout_at is null` : sql`and clockout_at is not null`}
    ${between(sql, sql`clockin_at`, start)}
    ${between(sql, sql`clockout_at`, end)}
    ${workdays ? onWorkdays(sql, locationId, workdays) : sql``}
    ${pageClause(sql, { at: SORT_COLUMNS[sortBy], id: 'timecard_id' }, page, order)}`;
  return toPage(rows, page.limit, (card) => ({ at: timeOf(card, sortBy), id: card.id }));
}

function between(sql: Sql, column: Fragment, { begin, end }: TimeRange): Fragment {
  return sql`${begin === undefined ? sql`` : sql`and ${column} >= ${begin}`}
    ${end === undefined ? sql`` : sql`and ${column} <= ${end}`}`;
}

/** Compares each location in its own time zone. The union of all ranges bounds the scan of the index. */
function onWorkdays(sql: Sql, locationId: Fragment, { by, at }: NonNullable<LaborShiftFilter['workdays']>): Fragment {
  const [from, to] =
    by === 'INTERSECTION'
      ? [endAt(sql), sql`clockin_at`]
      : repeatColumn(by === 'START_AT' ? sql`clockin_at` : sql`clockout_at`);
  const within = ({ begin, end }: Omit<LocationRange, 'locationIds'>) => sql`
    ${begin === undefined ? sql`true` : sql`${from} >= ${begin}`} and ${end === undefined ? sql`true` : sql`${to} < ${end}`}`;
  const some = at.reduce(
    (all, days) => sql`${all} or ${locationId} = any (${days.locationIds as string[]}::text[]) and ${within(days)}`,
    sql`false`,
  );
  return sql`and ${within(boundsOf(at))} and (${some})`;
}

const repeatColumn = (column: Fragment): [Fragment, Fragment] => [column, column];

function boundsOf(at: readonly LocationRange[]): Omit<LocationRange, 'locationIds'> {
  const [begins, ends] = [at.map(({ begin }) => begin), at.map(({ end }) => end)];
  return {
    begin: begins.reduce((one, other) => (one === undefined || other === undefined || one < other ? one : other)),
    end: ends.reduce((one, other) => (one === undefined || other === undefined || one > other ? one : other)),
  };
}

function timeOf(card: Timecard, sortBy: LaborShiftSortField): Instant {
  switch (sortBy) {
    case 'START_AT':
      return card.clockinAt;
    case 'END_AT':
      return card.clockoutAt ?? LAST_INSTANT;
    case 'CREATED_AT':
      return card.createdAt;
    case 'UPDATED_AT':
      return card.updatedAt;
  }
}
