/** SQL statements that find, list and change payments. create-queries.ts inserts them, json-queries.ts reads what v2 shows of them. */
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Change, Versioned } from '../../database/change.js';
import type { Fragment, Sql } from '../../database/database.js';
import { type Page, type PageRequest, pageClause, toPage } from '../../database/keyset.js';
import type { DelayAction } from './delay-model.js';
import {
  type ActiveDispute,
  type DisputablePayment,
  type Payment,
  type PaymentStatus,
  remainingAppFee,
} from './model.js';
import { dependOnPayment } from './rows.js';
import { PAYMENT_COLUMNS } from './table.js';

export async function findPayment(sql: Sql, merchantId: string, paymentId: string): Promise<Payment | undefined> {
  const [row] = await sql<Payment[]>`
    select ${PAYMENT_COLUMNS.select(sql)}
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status <> 'PENDING'`;
  return row;
}

/** The processor that has the payment. Null: that of the server. */
export async function findProcessorId(sql: Sql, merchantId: string, paymentId: string): Promise<string | null> {
  const [row] = await sql<Pick<Payment, 'processorId'>[]>`
    select processor_id
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId}`;
  return row?.processorId ?? null;
}

/** The dispute of each payment, or null. Placing a hold gives the payment a new version, so a change that depends on it is decided again. */
export const selectDispute = (sql: Sql, merchantId: string): Fragment => sql`(
  select json_build_object('id', hold_id, 'amount', amount, 'placedAt', (extract(epoch from placed_at) * 1000)::bigint)
  from holds
  where holds.merchant_id = ${merchantId} and holds.payment_id = payments.payment_id and released_at is null
) as dispute`;

export async function findActiveDispute(
  sql: Sql,
  merchantId: string,
  paymentId: string,
): Promise<ActiveDispute | undefined> {
  const [row] = await sql<ActiveDispute[]>`
    select hold_id as id, amount, placed_at
    from holds
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and released_at is null`;
  return row;
}

/** Payments with these ids, also without an outcome. */
export async function listPaymentsWithIds(
  sql: Sql,
  merchantId: string,
  ids: readonly string[],
): Promise<Payment<PaymentStatus>[]> {
  return sql<Payment<PaymentStatus>[]>`
    select ${PAYMENT_COLUMNS.select(sql)}
    from payments
    where merchant_id = ${merchantId} and payment_id = any (${ids as string[]}::text[])
    order by created_at, payment_id`;
}

/** Finds a payment that is changed. The change depends on it. */
export async function readPayment(change: Change, paymentId: string): Promise<DisputablePayment | undefined> {
  const { sql, merchantId } = change;
  const [row] = await sql<(DisputablePayment & Versioned)[]>`
    select ${PAYMENT_COLUMNS.select(sql)}, ${selectDispute(sql, merchantId)}, xmin::text as version
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status <> 'PENDING'`;
  if (row) dependOnPayment(change, row);
  return row;
}

/** The remaining application fee of a payment. Null without an application fee. Every refund changes the payment too. */
export async function findRemainingAppFee({ sql, merchantId }: Change, payment: Payment): Promise<Amount | null> {
  if (payment.appFee === null || payment.refundIds.length === 0) return payment.appFee;
  const [row] = await sql<{ returnedFees: Amount; promised: Amount }[]>`
    select
      (
        select coalesce(sum(fee), 0)::bigint
        from movements
        where merchant_id = ${merchantId} and payment_id = ${payment.id} and kind <> 'CHARGE'
      ) as returned_fees,
      (
        select coalesce(sum(app_fee), 0)::bigint
        from refunds
        where merchant_id = ${merchantId} and status = 'PENDING'
          and (payment_id = ${payment.id} and returned_to is null or returned_to = ${payment.id})
      ) as promised`;
  return remainingAppFee(payment, row ?? { returnedFees: ZERO, promised: ZERO });
}

/** A card payment that took no money, as the owner sees it. */
export interface UncapturedPayment {
  readonly id: string;
  readonly locationId: string;
  readonly status: 'APPROVED' | 'CANCELED' | 'FAILED';
  readonly createdAt: Instant;
  readonly delayedUntil: Instant | null;
  readonly delayAction: DelayAction | null;
  readonly currency: string;
  readonly total: Amount;
  readonly cardBrand: string | null;
  readonly last4: string | null;
  readonly referenceId: string | null;
  readonly errorCode: string | null;
}

interface UncapturedFilter {
  readonly merchantId: string;
  readonly status: UncapturedPayment['status'] | undefined;
  readonly locationId: string | undefined;
  readonly page: PageRequest;
}

/** Newest first. */
export async function listUncapturedPayments(
  sql: Sql,
  { merchantId, status, locationId, page }: UncapturedFilter,
): Promise<Page<UncapturedPayment>> {
  const rows = await sql<UncapturedPayment[]>`
    select
      payment_id as id, location_id, status, created_at, delayed_until, delay_action, currency, total, card_brand, last_4,
      details ->> 'reference_id' as reference_id, errors -> 0 ->> 'code' as error_code
    from payments
    where merchant_id = ${merchantId} and captured_at is null and source_type = 'CARD' and status <> 'PENDING'
      ${status === undefined ? sql`` : sql`and status = ${status}`}
      ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
      ${pageClause(sql, { at: 'created_at', id: 'payment_id' }, page, 'DESC')}`;
  return toPage(rows, page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

/** The due work that ends an APPROVED payment when its time is over. */
export const expirePaymentWork = (paymentId: string) => ({ kind: 'EXPIRE_PAYMENT', subjectId: paymentId }) as const;

/** The only payment of an online order. Undefined before the first attempt to pay. */
export async function findOnlinePayment(
  sql: Sql,
  merchantId: string,
  saleId: string,
): Promise<Payment<PaymentStatus> | undefined> {
  const [row] = await sql<Payment<PaymentStatus>[]>`
    select ${PAYMENT_COLUMNS.select(sql)}
    from payments
    where merchant_id = ${merchantId} and sale_id = ${saleId} and channel = 'ONLINE_STORE'`;
  return row;
}

/** A tender with the hash of the request that took it. Null: taken by an earlier version. */
export type RequestedTender = DisputablePayment<PaymentStatus> & { readonly requestHash: Buffer | null };

/** Like `listTenders`. The change depends on each tender. A new tender changes the sale, on which the change has to depend too. */
export async function readTendersOfSale(change: Change, saleId: string): Promise<RequestedTender[]> {
  const tenders = await listTenders(change.sql, change.merchantId, saleId);
  for (const tender of tenders) dependOnPayment(change, tender);
  return tenders;
}

/** The payments of a register's sale in the order of creation, including declined and pending payments. */
export async function listTenders(
  sql: Sql,
  merchantId: string,
  saleId: string,
): Promise<(RequestedTender & Versioned)[]> {
  return listTendersOfSales(sql, merchantId, [saleId]);
}

/** The same for several sales. */
export async function listTendersOfSales(
  sql: Sql,
  merchantId: string,
  saleIds: readonly string[],
): Promise<(RequestedTender & Versioned)[]> {
  return sql<(RequestedTender & Versioned)[]>`
    select ${PAYMENT_COLUMNS.select(sql)}, ${selectDispute(sql, merchantId)}, register_request_hash as request_hash,
      xmin::text as version
    from payments
    where merchant_id = ${merchantId} and sale_id = any (${saleIds as string[]}::text[]) and channel = 'REGISTER'
    order by created_at, payment_id`;
}
