/** SQL statements that find what is stored about a buyer. Rare work: payments are found without an index. */
import { readWritesThatRefunded } from '../../access/devices/queries.js';
import type { Change, StepResult, Stored } from '../../database/change.js';
import type { Fragment, Sql } from '../../database/database.js';
import { orders, type StoredOrder } from '../orders/table.js';
import { payments, type RefundRow, refunds, type StoredPayment } from '../payments/table.js';

/** The orders with the email address of a buyer. The change depends on them. */
export function readOrdersOfBuyer(change: Change, email: string): Promise<Stored<StoredOrder>[]> {
  return change.readAll(orders, change.sql`lower(buyer_email) = lower(${email})`);
}

export interface Bought {
  readonly email: string;
  /** Of the orders of the buyer. */
  readonly saleIds: readonly string[];
}

/** Payments with the email address, and those of these sales. */
function areOfBuyer(sql: Sql, { email, saleIds }: Bought): Fragment {
  return sql`
    source_type = 'CARD'
    and (lower(details ->> 'buyer_email_address') = lower(${email}) or sale_id = any (${saleIds as string[]}::text[]))`;
}

export async function listPaymentIdsOfBuyer(sql: Sql, merchantId: string, bought: Bought): Promise<string[]> {
  const rows = await sql<{ paymentId: string }[]>`
    select payment_id
    from payments
    where merchant_id = ${merchantId} and ${areOfBuyer(sql, bought)}`;
  return rows.map(({ paymentId }) => paymentId);
}

/** The change depends on them, and so on their refunds: a refund changes its payment. */
export function readPaymentsOfBuyer(change: Change, bought: Bought): Promise<Stored<StoredPayment>[]> {
  return change.readAll(payments, areOfBuyer(change.sql, bought));
}

/**
 * The ids of the refunds that were written for payments of a buyer: also those of later sales that returned goods of the buyer paid for, and
 * the other refunds of the same act, because an act has one reason.
 */
export async function listRefundIdsOfBuyer(
  sql: Sql,
  merchantId: string,
  paymentIds: readonly string[],
): Promise<string[]> {
  const ids = paymentIds as string[];
  const acts = await sql<{ actId: string }[]>`
    select distinct coalesce(leader_id, refund_id) as act_id
    from refunds
    where merchant_id = ${merchantId} and (payment_id = any (${ids}::text[]) or returned_to = any (${ids}::text[]))`;
  const actIds = acts.map(({ actId }) => actId);
  const rows = await sql<{ refundId: string }[]>`
    select refund_id
    from refunds
    where merchant_id = ${merchantId} and (refund_id = any (${actIds}::text[]) or leader_id = any (${actIds}::text[]))`;
  return rows.map(({ refundId }) => refundId);
}

/** The change depends on them. */
export async function readRefundsOfBuyer(change: Change, paymentIds: readonly string[]): Promise<Stored<RefundRow>[]> {
  const { sql, merchantId } = change;
  const ids = await listRefundIdsOfBuyer(sql, merchantId, paymentIds);
  return change.readAll(refunds, sql`refund_id = any (${ids}::text[])`);
}

/** The responses to registers that made these refunds. The change depends on them. */
export function readResponsesWith(change: Change, refunded: readonly RefundRow[]) {
  return readWritesThatRefunded(change, {
    deviceIds: [...new Set(refunded.flatMap(({ deviceId }) => deviceId ?? []))],
    refundIds: refunded.map(({ id }) => id),
  });
}

/** The sales that these payments paid for. */
export async function listSaleIds(sql: Sql, merchantId: string, paymentIds: readonly string[]): Promise<string[]> {
  const rows = await sql<{ saleId: string }[]>`
    select distinct sale_id
    from payments
    where merchant_id = ${merchantId} and payment_id = any (${paymentIds as string[]}::text[])`;
  return rows.map(({ saleId }) => saleId);
}

/** Deletes the snapshot of the merchant, because a reset to it would bring the data back. Returns whether there was one. */
export function deleteSnapshot(change: Change): StepResult<boolean> {
  return change.call('delete_snapshot', {}, (wasDeleted: boolean) => wasDeleted);
}
