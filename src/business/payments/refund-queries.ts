/** Inserts refund rows as part of the statements that refund money, exchange goods or cancel a payment. */
import { type Fragment, type Sql, toTimestamp } from '../../database/database.js';
import { storeBreakdown } from '../receipts/stored.js';
import type { Refund } from './model.js';

/** All columns that are written, without the two of the primary key. */
export const refundColumnsAfterId = (sql: Sql) => sql`
  payment_id, location_id, status, source_type, created_at, updated_at, currency, amount, app_fee, returned_fee,
  order_id, reason, origin, type, leader_id, breakdown, employee_id`;

/** Part of a larger statement. If `from` is given, rows are inserted only if the CTE of that name has a row. */
export function insertRefundRows(
  sql: Sql,
  merchantId: string,
  refunds: readonly Refund[],
  from?: string | undefined,
): Fragment {
  const rows = refunds.map((refund) => ({
    refund_id: refund.id,
    payment_id: refund.paymentId,
    location_id: refund.locationId,
    status: refund.status,
    source_type: refund.sourceType,
    created_at: toTimestamp(refund.createdAt),
    updated_at: toTimestamp(refund.updatedAt),
    currency: refund.currency,
    amount: refund.amount,
    app_fee: refund.appFee,
    returned_fee: refund.returnedFee,
    order_id: refund.orderId,
    reason: refund.reason,
    origin: refund.origin,
    type: refund.type,
    leader_id: refund.leaderId,
    breakdown: refund.breakdown && storeBreakdown(refund.breakdown),
    employee_id: refund.employeeId,
  }));
  return sql`
    insert into refunds (merchant_id, refund_id, ${refundColumnsAfterId(sql)})
    select ${merchantId}, refund_id, ${refundColumnsAfterId(sql)}
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as refund (
      refund_id text, payment_id text, location_id text, status text, source_type text, created_at timestamptz,
      updated_at timestamptz, currency text, amount bigint, app_fee bigint, returned_fee bigint, order_id text,
      reason text, origin text, type text, leader_id text, breakdown json, employee_id uuid
    )
    ${from === undefined ? sql`` : sql`where exists (select from ${sql(from)})`}
    returning
      merchant_id, refund_id, payment_id, location_id, source_type, status, amount, origin, created_at, updated_at,
      printed_refund(refunds) as printed`;
}
