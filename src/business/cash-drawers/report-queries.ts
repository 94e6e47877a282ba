/** SQL statements for X and Z reports: what a device sold and gave back while its drawer was open, and the stored reports. */
import type { Instant } from '../../base/time.js';
import type { Bulk } from '../../database/copy.js';
import type { Fragment, Sql } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import type { Shift } from './model.js';
import type { DrawerFacts, DrawerRefund, DrawerSale, StoredReport } from './report-model.js';
import { fromReportRow, type ReportRow, shiftReports, toReportRow } from './table.js';

/**
 * The time of a drawer, and what of it is in the report of another one. A sale belongs to the drawer of its device that was opened last
 * before it, and to none after that one has ended. So each sale is in exactly one report (decision 0230).
 */
interface DrawerTime {
  /** The opening of the device's next drawer. The time ends before it. */
  readonly nextOpenedAt: Instant | null;
  /** Sales and refunds that other drawers of the device have in their stored reports, if their times meet. */
  readonly countedIds: readonly string[];
}

async function findDrawerTime(sql: Sql, merchantId: string, shift: Shift): Promise<DrawerTime> {
  const [row] = await sql<{ nextOpenedAt: Instant | null; countedIds: string[] }[]>`
    select
      (
        select opened_at
        from cash_drawer_shifts
        where merchant_id = ${merchantId} and location_id = ${shift.locationId} and device_id = ${shift.device.id}
          and (opened_at, shift_id) > (${shift.openedAt}, ${shift.id}::uuid)
        order by opened_at, shift_id
        limit 1
      ) as next_opened_at,
      (
        select coalesce(json_agg(counted.id), '[]')
        from cash_drawer_shifts other
        join cash_drawer_reports report on report.merchant_id = ${merchantId} and report.shift_id = other.shift_id
        cross join lateral unnest(report.sale_ids || report.refund_ids) as counted (id)
        where other.merchant_id = ${merchantId} and other.location_id = ${shift.locationId}
          and other.device_id = ${shift.device.id} and other.shift_id <> ${shift.id}
          and other.ended_at >= ${shift.openedAt}
          ${shift.endedAt === null ? sql`` : sql`and other.opened_at <= ${shift.endedAt}`}
      ) as counted_ids`;
  if (!row) throw new Error('a select without a table must have a row');
  return row;
}

/** Whether a time is in that of the drawer. */
const within = (sql: Sql, at: Fragment, { openedAt, endedAt }: Shift, { nextOpenedAt }: DrawerTime): Fragment => sql`
  ${at} >= ${openedAt}
  ${endedAt === null ? sql`` : sql`and ${at} <= ${endedAt}`}
  ${nextOpenedAt === null ? sql`` : sql`and ${at} < ${nextOpenedAt}`}`;

/** `payment` is the alias of the payment. Gift cards have a row of their own: see `isGiftCard`. */
const tenderType = (sql: Sql, isExchange: Fragment): Fragment => sql`
  case
    when ${isExchange} then 'EXCHANGE'
    when payment.card_brand = 'SQUARE_GIFT_CARD' then 'GIFT_CARD'
    else ${fn(sql, 'tender_type')}(payment.source_type, payment.card_brand)
  end`;

/** The sales that were completed at the device in the time of its drawer, and the refunds and exchanges that were made there, of any sale. */
export async function findDrawerFacts(sql: Sql, merchantId: string, shift: Shift): Promise<DrawerFacts> {
  const time = await findDrawerTime(sql, merchantId, shift);
  const [sales, refunds] = await Promise.all([
    listSales(sql, merchantId, shift, time),
    listRefunds(sql, merchantId, shift, time),
  ]);
  const counted = new Set(time.countedIds);
  const isOwn = ({ id }: { readonly id: string }): boolean => !counted.has(id);
  return { sales: sales.filter(isOwn), refunds: refunds.filter(isOwn) };
}

async function listSales(sql: Sql, merchantId: string, shift: Shift, time: DrawerTime): Promise<DrawerSale[]> {
  return sql<DrawerSale[]>`
    select
      sales.sale_id as id, sales.created_at as at,
      ${fn(sql, 'v1_id')}(sales.sale_id, sales.tender_ids, sales.paid, sales.due, sales.keeps_own_id) as payment_id,
      receipt.gross, receipt.discount, receipt.tax, receipt.surcharge, paid.tenders
    from sales
    cross join lateral json_to_record(sales.receipt) as receipt (gross bigint, discount bigint, tax bigint, surcharge bigint)
    cross join lateral (
      select
        coalesce(json_agg(json_build_object(
          'type', ${tenderType(sql, sql`payment.is_exchange`)}, 'total', payment.total, 'tip', coalesce(payment.tip, 0)
        )), '[]') as tenders
      from unnest(sales.tender_ids) as taken (payment_id)
      join payments payment on payment.merchant_id = ${merchantId} and payment.payment_id = taken.payment_id
    ) as paid
    where sales.merchant_id = ${merchantId} and sales.location_id = ${shift.locationId} and sales.device_id = ${shift.device.id}
      and sales.state = 'COMPLETED' and ${within(sql, sql`sales.created_at`, shift, time)}`;
}

async function listRefunds(sql: Sql, merchantId: string, shift: Shift, time: DrawerTime): Promise<DrawerRefund[]> {
  return sql<DrawerRefund[]>`
    select
      refund.refund_id as id, refund.leader_id, refund.payment_id, refund.created_at as at, refund.amount,
      ${tenderType(sql, sql`refund.origin = 'EXCHANGE'`)} as type, refund.status not in ('PENDING', 'COMPLETED') as has_failed
    from refunds refund
    join payments payment on payment.merchant_id = ${merchantId}
      and payment.payment_id = coalesce(refund.returned_to, refund.payment_id)
    where refund.merchant_id = ${merchantId} and refund.location_id = ${shift.locationId}
      and refund.device_id = ${shift.device.id} and ${within(sql, sql`refund.created_at`, shift, time)}`;
}

/** The stored report of a closed drawer. Undefined if an earlier version of the program closed it. */
export async function findStoredReport(
  sql: Sql,
  merchantId: string,
  shiftId: string,
): Promise<StoredReport | undefined> {
  const [row] = await sql<ReportRow[]>`
    select ${shiftReports.select(sql)}
    from cash_drawer_reports
    where merchant_id = ${merchantId} and shift_id = ${shiftId}`;
  return row && fromReportRow(row);
}

/** Copies the reports of a generated history, after its shifts. */
export function insertPastReports(
  past: Bulk,
  merchantId: string,
  reports: readonly { readonly shiftId: string; readonly report: StoredReport }[],
): void {
  shiftReports.copy(
    past,
    merchantId,
    reports.map(({ shiftId, report }) => toReportRow(shiftId, report)),
  );
}
