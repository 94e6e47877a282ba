/** SQL statements that add up what a register sold and gave back during a shift. */
import { type Amount, add } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql } from '../../database/database.js';
import type { Shift } from './model.js';

/** The number and the sum of the tenders, or refunds, of one kind. */
export interface TenderSum {
  readonly type: 'CARD' | 'GIFT_CARD' | 'CASH' | 'OTHER' | 'EXCHANGE';
  readonly count: number;
  readonly amount: Amount;
}

/** Sums of the complete sales of a shift. Discounts are never positive, as in receipts. */
export interface ShiftSales {
  readonly count: number;
  readonly gross: Amount;
  readonly discount: Amount;
  readonly tax: Amount;
  readonly surcharge: Amount;
  readonly tip: Amount;
  readonly tenders: readonly TenderSum[];
}

export interface ShiftRefunds {
  /** A refund of several tenders counts once. */
  readonly count: number;
  readonly refunds: readonly TenderSum[];
}

/** Until the end of the shift, or until now. */
function during(sql: Sql, { openedAt, endedAt }: Shift, now: Instant): Fragment {
  return sql`between ${openedAt} and ${endedAt ?? now}`;
}

/** `payment` is the alias of the payment. */
const tenderType = (sql: Sql, isExchange: Fragment): Fragment => sql`
  case
    when ${isExchange} then 'EXCHANGE'
    when payment.card_brand = 'SQUARE_GIFT_CARD' then 'GIFT_CARD'
    else payment.source_type
  end`;

/** A sale belongs to the shift in which it was completed. */
export async function findShiftSales(sql: Sql, merchantId: string, shift: Shift, now: Instant): Promise<ShiftSales> {
  const sold = sql`
    select sale_id, receipt, tender_ids
    from sales
    where merchant_id = ${merchantId} and location_id = ${shift.locationId} and device_id = ${shift.device.id}
      and state = 'COMPLETED' and created_at ${during(sql, shift, now)}`;
  const [sums, tenders] = await Promise.all([
    sql<Omit<ShiftSales, 'tenders' | 'tip'>[]>`
      select
        count(*)::int as count,
        coalesce(sum((receipt ->> 'gross')::bigint), 0)::bigint as gross,
        coalesce(sum((receipt ->> 'discount')::bigint), 0)::bigint as discount,
        coalesce(sum((receipt ->> 'tax')::bigint), 0)::bigint as tax,
        coalesce(sum((receipt ->> 'surcharge')::bigint), 0)::bigint as surcharge
      from (${sold}) sold`,
    sql<(TenderSum & { readonly tip: Amount })[]>`
      select
        ${tenderType(sql, sql`payment.is_exchange`)} as type, count(*)::int as count,
        sum(payment.total)::bigint as amount, coalesce(sum(payment.tip), 0)::bigint as tip
      from (${sold}) sold
      join payments payment on payment.merchant_id = ${merchantId} and payment.payment_id = any (sold.tender_ids)
      group by 1`,
  ]);
  const [sum] = sums;
  if (!sum) throw new Error('a sum must have a row');
  return { ...sum, tip: sumOfTips(tenders), tenders: tenders.map(({ tip: _, ...rest }) => rest) };
}

function sumOfTips(tenders: readonly { readonly tip: Amount }[]): Amount {
  return add(...tenders.map(({ tip }) => tip));
}

/** Refunds and exchanges that were made at the device during the shift, of whatever sale. */
export async function findShiftRefunds(
  sql: Sql,
  merchantId: string,
  shift: Shift,
  now: Instant,
): Promise<ShiftRefunds> {
  const rows = await sql<(TenderSum & { readonly leaders: number })[]>`
    select
      ${tenderType(sql, sql`refund.origin = 'EXCHANGE'`)} as type, count(*)::int as count,
      (count(*) filter (where refund.leader_id is null))::int as leaders, sum(refund.amount)::bigint as amount
    from refunds refund
    join payments payment on payment.merchant_id = ${merchantId} and payment.payment_id = refund.payment_id
    where refund.merchant_id = ${merchantId} and refund.location_id = ${shift.locationId}
      and refund.device_id = ${shift.device.id} and refund.created_at ${during(sql, shift, now)}
      and refund.status in ('PENDING', 'COMPLETED')
    group by 1`;
  return {
    count: rows.reduce((sum, { leaders }) => sum + leaders, 0),
    refunds: rows.map(({ leaders: _, ...rest }) => rest),
  };
}
