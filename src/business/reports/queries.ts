/** SQL of reports (decision 0142). */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { type Sql, type Tx, toTimestamp } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { type DayTotal, isOfDays, toGroups } from './day-totals.js';
import type { ReportGroup, ReportLine, RollUpFacts } from './model.js';

export interface ReportSelection {
  readonly merchantId: string;
  readonly locationIds: readonly string[];
  /** Days such as `2026-02-26`, both included. */
  readonly begin: string;
  readonly end: string;
  readonly group: ReportGroup | 'LOCATION_HOUR';
}

/** The sums of each group. Stored sums, and what is not stored yet, in one statement. */
export async function listReportLines(sql: Sql, selection: ReportSelection): Promise<ReportLine[]> {
  const { merchantId, locationIds, begin, end, group } = selection;
  if (isOfDays(group)) return toGroups(await listDays(sql, selection), group);
  return sql<ReportLine[]>`
    select key, name, count, quantity, gross, discount, tax, surcharge, tip, collected, fee, refund_count, refunded, refunded_tax,
      refunded_surcharge, refunded_tip, refunded_fee
    from ${fn(sql, 'list_report')}(
      ${merchantId}, ${locationIds as string[]}::text[], to_date(${begin}, 'YYYY-MM-DD'), to_date(${end}, 'YYYY-MM-DD'), ${group}
    )`;
}

/** The totals of each day and location. */
async function listDays(sql: Sql, { merchantId, locationIds, begin, end }: ReportSelection): Promise<DayTotal[]> {
  const [row] = await sql<{ days: string }[]>`
    select ${fn(sql, 'list_report_days')}(
      ${merchantId}, ${locationIds as string[]}::text[], to_date(${begin}, 'YYYY-MM-DD'), to_date(${end}, 'YYYY-MM-DD')
    ) as days`;
  return (JSON.parse(row?.days ?? '[]') as number[][]).map((day) => toDayTotal(locationIds, day));
}

/** By index: taking arrays apart by patterns costs twenty times as much. */
function toDayTotal(locationIds: readonly string[], row: readonly number[]): DayTotal {
  const at = (index: number): Amount => (row[index] ?? 0) as Amount;
  return {
    locationId: locationIds[at(0) - 1] ?? '',
    dayNumber: at(1),
    sums: {
      count: at(2),
      quantity: 0,
      gross: at(3),
      discount: at(4),
      tax: at(5),
      surcharge: at(6),
      tip: at(7),
      collected: at(8),
      fee: at(9),
      refundCount: at(10),
      refunded: at(11),
      refundedTax: at(12),
      refundedSurcharge: at(13),
      refundedTip: at(14),
      refundedFee: at(15),
    },
  };
}

/** What the next roll-up depends on. */
export async function findRollUpFacts(sql: Sql, merchantId: string): Promise<RollUpFacts | undefined> {
  const [row] = await sql<
    (Omit<RollUpFacts, 'clock'> & { readonly offsetMs: number; readonly frozenAt: Instant | null })[]
  >`
    select
      clock_offset_ms as offset_ms,
      clock_frozen_at as frozen_at,
      clock_moved_at,
      (
        select coalesce(json_agg(json_build_object('timezone', timezone)), '[]')
        from locations
        where merchant_id = ${merchantId}
      ) as locations,
      (
        select coalesce(max(count), 0)
        from report_days
        where merchant_id = ${merchantId} and dimension = 'TOTAL' and day > (
          select coalesce(max(rolled_up_to), 'infinity')::date - 7
          from report_progress
          where merchant_id = ${merchantId}
        )
      ) as sales_per_day
    from merchants
    where merchant_id = ${merchantId}`;
  if (!row) return undefined;
  const { offsetMs, frozenAt, ...facts } = row;
  return { ...facts, clock: { offsetMs, frozenAt } };
}

/** Stores the sums of everything before a time. */
export function updateRollUps(change: Change, until: Instant): void {
  change.call('roll_up_days', { until: toTimestamp(until) });
}

/** Whether anything was ever rolled up. */
export async function hasRollUps(sql: Sql, merchantId: string): Promise<boolean> {
  const found = await sql`select from report_progress where merchant_id = ${merchantId} limit 1`;
  return found.length > 0;
}

/** Marks the local day of a time to be rolled up again. */
export function insertLateDay(change: Change, locationId: string, at: Instant): void {
  change.call('mark_late_day', { location_id: locationId, at: toTimestamp(at) });
}

/** In one transaction, forgets what is rolled up, because the clock of a merchant without records has moved back. */
export async function deleteRollUps(tx: Tx, merchantId: string): Promise<void> {
  await tx`delete from report_days where merchant_id = ${merchantId}`;
  await tx`delete from report_progress where merchant_id = ${merchantId}`;
  await tx`delete from report_late_days where merchant_id = ${merchantId}`;
}

/** The names of locations or employees. */
export async function listReportNames(
  sql: Sql,
  merchantId: string,
  group: 'LOCATION' | 'EMPLOYEE',
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows =
    group === 'LOCATION'
      ? await sql<{ id: string; name: string }[]>`
        select location_id as id, name
        from locations
        where merchant_id = ${merchantId} and location_id = any (${ids as string[]}::text[])`
      : await sql<{ id: string; name: string }[]>`
        select employee_id as id, concat_ws(' ', first_name, last_name) as name
        from employees
        where merchant_id = ${merchantId} and employee_id = any (${ids as string[]}::uuid[])`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export interface LatestSale {
  readonly id: string;
  readonly locationId: string;
  readonly kind: string;
  readonly createdAt: Instant;
  readonly total: Amount;
  /** The name of the first item, and how many others there are. */
  readonly items: string | null;
}

/** Complete sales, newest first. */
export async function listLatestSales(sql: Sql, merchantId: string, limit: number): Promise<LatestSale[]> {
  return sql<LatestSale[]>`
    select
      sale_id as id, location_id, kind, created_at,
      (
        select coalesce(sum(total), 0)::bigint
        from payments
        where merchant_id = ${merchantId} and payment_id = any (coalesce(tender_ids, array[latest.sale_id]))
      ) as total,
      (receipt -> 'items' -> 0 ->> 'name')
        || case json_array_length(receipt -> 'items')
          when 1 then ''
          else ' + ' || (json_array_length(receipt -> 'items') - 1)
        end as items
    from (
      select sale_id, v1_id, location_id, kind, created_at, tender_ids, receipt
      from sales
      where merchant_id = ${merchantId} and state = 'COMPLETED'
      order by created_at desc, v1_id desc
      limit ${limit}
    ) as latest
    order by created_at desc, v1_id desc`;
}
