/** SQL statements that add up what a register sold and gave back during a shift. */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import type { TenderType } from '../tenders/model.js';
import type { Shift } from './model.js';

/** The number and the sum of the tenders, or refunds, of one kind. */
export interface TenderSum {
  readonly type: TenderType | 'GIFT_CARD' | 'EXCHANGE';
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
}

/** The amount includes the tips. */
export interface ShiftTender extends TenderSum {
  readonly tip: Amount;
}

export interface ShiftRefunds {
  /** A refund of several tenders counts once. */
  readonly count: number;
  readonly refunds: readonly TenderSum[];
}

/** From the opening to the end of the shift, or to now if it has not ended. */
function during(sql: Sql, { openedAt, endedAt }: Shift, now: Instant): Fragment {
  return sql`between ${openedAt} and ${endedAt ?? now}`;
}

/** `payment` is the alias of the payment. Gift cards have a row of their own: see `isGiftCard`. */
const tenderType = (sql: Sql, isExchange: Fragment): Fragment => sql`
  case
    when ${isExchange} then 'EXCHANGE'
    when payment.card_brand = 'SQUARE_GIFT_CARD' then 'GIFT_CARD'
    else ${fn(sql, 'tender_type')}(payment.source_type, payment.card_brand)
  end`;

/** A sale belongs to the shift in which it was completed. */
const completedIn = (sql: Sql, shift: Shift, now: Instant): Fragment => sql`
  sales.location_id = ${shift.locationId} and sales.device_id = ${shift.device.id} and sales.state = 'COMPLETED'
  and sales.created_at ${during(sql, shift, now)}`;

export async function findShiftSales(sql: Sql, merchantId: string, shift: Shift, now: Instant): Promise<ShiftSales> {
  const [row] = await sql<ShiftSales[]>`
    select
      count(*)::int as count,
      coalesce(sum((receipt ->> 'gross')::bigint), 0)::bigint as gross,
      coalesce(sum((receipt ->> 'discount')::bigint), 0)::bigint as discount,
      coalesce(sum((receipt ->> 'tax')::bigint), 0)::bigint as tax,
      coalesce(sum((receipt ->> 'surcharge')::bigint), 0)::bigint as surcharge
    from sales
    where merchant_id = ${merchantId} and ${completedIn(sql, shift, now)}`;
  if (!row) throw new Error('a sum must have a row');
  return row;
}

/** How the sales of the shift were paid. */
export async function listShiftTenders(
  sql: Sql,
  merchantId: string,
  shift: Shift,
  now: Instant,
): Promise<ShiftTender[]> {
  return sql<ShiftTender[]>`
    select
      ${tenderType(sql, sql`payment.is_exchange`)} as type, count(*)::int as count,
      sum(payment.total)::bigint as amount, coalesce(sum(payment.tip), 0)::bigint as tip
    from sales
    join payments payment on payment.merchant_id = ${merchantId} and payment.payment_id = any (sales.tender_ids)
    where sales.merchant_id = ${merchantId} and ${completedIn(sql, shift, now)}
    group by 1`;
}

/** Refunds and exchanges that were made at the device during the shift, of any sale. */
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
