/** SQL statements that find, list, lock and change payments. create-queries.ts inserts them. */
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import {
  type ChangeFilter,
  changeClause,
  changePosition,
  type Page,
  type PageRequest,
  toPage,
} from '../../database/keyset.js';
import type { EventKind } from '../../events/model.js';
import { insertEvents } from '../../events/record-queries.js';
import type { DueWork } from '../due-work/model.js';
import { deleteDueWork, insertDueWork, insertOverdueWork } from '../due-work/queries.js';
import type { IdempotencyKey } from '../idempotency/queries.js';
import type { Movement } from '../movements/model.js';
import { insertMovements } from '../movements/queries.js';
import { type Call, deleteCall } from './call-queries.js';
import { type Payment, type PaymentStatus, type PendingPayment, remainingAppFee, type VisibleStatus } from './model.js';
import type { Reversal } from './outcomes.js';
import { insertRefundRows } from './refund-queries.js';

/** A payment with the JSON text that v2 returns for it. */
export interface PaymentWithJson extends Payment {
  readonly v2Json: string;
}

/** All columns that are written, without the two of the primary key. */
export const paymentColumnsAfterId = (sql: Sql) => sql`
  sale_id, location_id, channel, application_id, status, source_type, created_at, updated_at, captured_at,
  delayed_until, currency, amount, tip, total, app_fee, fee, refunded, returned, refund_ids, refunds_blocked, card_brand,
  last_4, exchanged, employee_id, register_tender_id, entry_method, tendered, tender_name, is_exchange, drawer_shift_id, errors,
  card_details, details`;

/** Columns with the names of the model, so that a row is a `Payment`. The JSON that v2 returns unchanged stays text. */
export const paymentColumns = (sql: Sql) => sql`
  payment_id as id, sale_id, location_id, channel, application_id, status, source_type, created_at, updated_at,
  captured_at, delayed_until, currency, amount, tip, total, app_fee, fee, refunded, returned, refund_ids, refunds_blocked, card_brand,
  last_4, exchanged, employee_id, register_tender_id, entry_method, tendered, tender_name, is_exchange, drawer_shift_id,
  errors, card_details::text, details::text`;

export async function findPayment(sql: Sql, merchantId: string, paymentId: string): Promise<Payment | undefined> {
  const [row] = await sql<Payment[]>`
    select ${paymentColumns(sql)}
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status <> 'PENDING'`;
  return row;
}

/** The payment with its v2 JSON. */
export async function findPaymentWithJson(
  sql: Sql,
  merchantId: string,
  paymentId: string,
): Promise<PaymentWithJson | undefined> {
  const [row] = await sql<PaymentWithJson[]>`
    select ${paymentColumns(sql)}, v2_json
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status <> 'PENDING'`;
  return row;
}

/** The v2 JSON of a payment. Finds card payments only (decision 0025). */
export async function findPaymentJson(
  sql: Sql,
  merchantId: string,
  paymentId: string,
): Promise<PaymentJson | undefined> {
  const [row] = await sql<PaymentJson[]>`
    select v2_json
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and source_type = 'CARD' and status <> 'PENDING'`;
  return row;
}

/** Locks a payment while it is refunded, reversed or held. */
export async function lockPayment(tx: Tx, merchantId: string, paymentId: string): Promise<Payment | undefined> {
  const [row] = await tx<Payment[]>`
    select ${paymentColumns(tx)}
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status <> 'PENDING'
    for update`;
  return row;
}

/** The remaining application fee of a locked payment. Null without an application fee. */
export async function findRemainingAppFee(tx: Tx, merchantId: string, payment: Payment): Promise<Amount | null> {
  if (payment.appFee === null || payment.refundIds.length === 0) return payment.appFee;
  const [row] = await tx<{ returnedFees: Amount; promised: Amount }[]>`
    select
      (
        select coalesce(sum(fee), 0)::bigint
        from movements
        where merchant_id = ${merchantId} and payment_id = ${payment.id} and kind <> 'CHARGE'
      ) as returned_fees,
      (
        select coalesce(sum(app_fee), 0)::bigint
        from refunds
        where merchant_id = ${merchantId} and payment_id = ${payment.id} and status = 'PENDING'
      ) as promised`;
  return remainingAppFee(payment, row ?? { returnedFees: ZERO, promised: ZERO });
}

export interface PaymentFilter extends ChangeFilter {
  readonly merchantId: string;
  readonly locationId?: string | undefined;
  readonly total?: number | undefined;
  readonly last4?: string | undefined;
  readonly cardBrand?: string | undefined;
  readonly page: PageRequest;
}

/** Only the v2 JSON of a payment. */
export type PaymentJson = Pick<PaymentWithJson, 'v2Json'>;

export async function listPayments(sql: Sql, filter: PaymentFilter): Promise<Page<PaymentJson>> {
  const { merchantId, locationId, total, last4, cardBrand, page } = filter;
  const rows = await sql<Pick<PaymentWithJson, 'id' | 'createdAt' | 'updatedAt' | 'v2Json'>[]>`
    select payment_id as id, created_at, updated_at, v2_json
    from payments
    where merchant_id = ${merchantId} and source_type = 'CARD' and status <> 'PENDING'
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${total === undefined ? sql`` : sql`and total = ${total}`}
    ${last4 === undefined ? sql`` : sql`and last_4 = ${last4}`}
    ${cardBrand === undefined ? sql`` : sql`and card_brand = ${cardBrand}`}
    ${changeClause(sql, 'payment_id', filter, page)}`;
  return toPage(rows, page.limit, changePosition(filter));
}

/** The columns that `paymentEvents` reads from its CTE. */
export const paymentEventColumns = (sql: Sql) => sql`
  payments.merchant_id, payments.payment_id, payments.sale_id, payments.location_id, payments.source_type,
  payments.status, payments.updated_at, payments.captured_at, payments.channel, payments.v2_json`;

/**
 * The events of payments that were created or changed: an event with the v2 JSON, and, once the payment is captured, a v1
 * event without content. A new tender of a register or an online order gets no v1 event here: the change of its sale
 * publishes one.
 */
export const paymentEvents = (sql: Sql, cte: string, kind: EventKind) => sql`(
  select
    merchant_id, location_id, null::text as application_id, ${kind}::text as kind, payment_id as entity_id,
    updated_at as happened_at, v2_json as object
  from ${sql(cte)}
  where v2_json is not null and status <> 'PENDING'
  union all
  select
    merchant_id, location_id, null, 'PAYMENT_UPDATED',
    case
      when channel = 'API' then sale_id
      else (
        select v1_id
        from sales
        where sales.merchant_id = changed.merchant_id and sales.sale_id = changed.sale_id
      )
    end,
    updated_at, null
  from ${sql(cte)} changed
  where captured_at is not null and (channel = 'API' or ${kind} <> 'payment.created')
)`;

interface PaymentMove {
  readonly merchantId: string;
  readonly paymentId: string;
  readonly at: Instant;
}

/** The due work that voids an APPROVED payment when it expires. */
export const expirePaymentWork = (paymentId: string) => ({ kind: 'EXPIRE_PAYMENT', subjectId: paymentId }) as const;

/** APPROVED -> COMPLETED, with the sale and the movement. Returns undefined if the payment is no longer APPROVED. */
export async function movePaymentToCompleted(
  tx: Tx,
  { merchantId, paymentId, at, fee, movement }: PaymentMove & { readonly fee: number; readonly movement: Movement },
): Promise<PaymentWithJson | undefined> {
  const [row] = await tx<PaymentWithJson[]>`
    with moved as (
      update payments
      set
        status = 'COMPLETED', captured_at = ${at}, updated_at = greatest(updated_at, ${at}), fee = ${fee},
        delayed_until = null
      where merchant_id = ${merchantId} and payment_id = ${paymentId} and status = 'APPROVED'
      returning merchant_id, payment_id, ${paymentColumnsAfterId(tx)}, v2_json
    ),
    sale as (
      insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
      select ${merchantId}, sale_id, location_id, channel, 'COMPLETED', captured_at
      from moved
    ),
    movement as (${insertMovements(tx, [{ merchantId, movement }], { cte: 'moved' })}),
    call as (${deleteCall(tx, merchantId, paymentId)} and exists (select from moved)),
    due as (${deleteDueWork(tx, merchantId, expirePaymentWork(paymentId))} and exists (select from moved)),
    ${insertEvents(tx, [merchantId], [paymentEvents(tx, 'moved', 'payment.updated')])}
    select ${paymentColumns(tx)}, v2_json
    from moved`;
  return row;
}

/** Sets the returned processing fee that v2 shows. Part of the update that reverses a payment. */
export const reversedFee = (sql: Sql, { sourceType, returnedFee, createdAt }: Reversal['refund']): Fragment => sql`
  reversed_fee = reversed_fee + ${sourceType === 'CARD' ? (returnedFee ?? ZERO) : ZERO}, reversed_at = ${createdAt}`;

/** `from` -> CANCELED, with the reversal of a captured payment. Returns undefined if the payment is in another state. */
export async function movePaymentToCanceled(
  tx: Tx,
  {
    merchantId,
    paymentId,
    at,
    from,
    reversal,
    processorWork,
  }: PaymentMove & {
    readonly from: VisibleStatus;
    readonly reversal?: Reversal | undefined;
    /** The due work that notifies the processor. */
    readonly processorWork?: DueWork | undefined;
  },
): Promise<PaymentWithJson | undefined> {
  const { refund, movement } = reversal ?? {};
  const [row] = await tx<PaymentWithJson[]>`
    with moved as (
      update payments
      set
        status = 'CANCELED', updated_at = greatest(updated_at, ${at}), delayed_until = null,
        returned = returned + ${refund?.amount ?? ZERO}
        ${refund ? tx`, ${reversedFee(tx, refund)}` : tx``}
      where merchant_id = ${merchantId} and payment_id = ${paymentId} and status = ${from}
      returning merchant_id, payment_id, ${paymentColumnsAfterId(tx)}, v2_json
    ),
    ${refund ? tx`refund as (${insertRefundRows(tx, merchantId, [refund], 'moved')}),` : tx``}
    ${movement ? tx`movement as (${insertMovements(tx, [{ merchantId, movement }], { cte: 'moved' })}),` : tx``}
    ${processorWork ? tx`release as (${insertOverdueWork(tx, merchantId, processorWork, 'moved')}),` : tx``}
    call as (${deleteCall(tx, merchantId, paymentId)} and exists (select from moved)),
    due as (${deleteDueWork(tx, merchantId, expirePaymentWork(paymentId))} and exists (select from moved)),
    ${insertEvents(tx, [merchantId], [paymentEvents(tx, 'moved', 'payment.updated')])}
    select ${paymentColumns(tx)}, v2_json
    from moved`;
  return row;
}

export interface UnresolvedPayment {
  readonly payment: PendingPayment;
  readonly call: Call;
}

/** A payment whose outcome is unknown, with its call. */
export async function findUnresolved(
  sql: Sql,
  merchantId: string,
  paymentId: string,
): Promise<UnresolvedPayment | undefined> {
  return readUnresolved(sql, merchantId, paymentId, sql``);
}

/** Finds and locks such a payment while its outcome is recorded. */
export async function lockUnresolved(
  tx: Tx,
  merchantId: string,
  paymentId: string,
): Promise<UnresolvedPayment | undefined> {
  return readUnresolved(tx, merchantId, paymentId, tx`for update`);
}

async function readUnresolved(sql: Sql, merchantId: string, paymentId: string, lock: Fragment) {
  const [row] = await sql<(PendingPayment & Call)[]>`
    select ${paymentColumns(sql)}, action, request, cancel_after
    from payments
    join processor_calls using (merchant_id, payment_id)
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status = 'PENDING'
    ${lock}`;
  if (!row) return undefined;
  const { action, request, cancelAfter, ...payment } = row;
  return { payment, call: { paymentId, action, request, cancelAfter } };
}

/** PENDING -> the outcome, with all dependent rows. The caller holds the lock of the payment. */
export async function movePaymentToOutcome(
  tx: Tx,
  merchantId: string,
  payment: Payment,
  movement: Movement | undefined,
): Promise<void> {
  const { id, status, capturedAt, delayedUntil } = payment;
  const works = delayedUntil === null ? [] : [{ merchantId, ...expirePaymentWork(id), dueAt: delayedUntil }];
  await tx`
    with moved as (
      update payments
      set
        status = ${status}, updated_at = ${payment.updatedAt}, captured_at = ${capturedAt},
        delayed_until = ${delayedUntil}, amount = ${payment.amount}, total = ${payment.total}, fee = ${payment.fee},
        entry_method = ${payment.entryMethod}, card_details = ${payment.cardDetails}::text::json,
        card_brand = ${payment.cardBrand}, last_4 = ${payment.last4},
        errors = ${payment.errors && JSON.stringify(payment.errors)}::text::json
      where merchant_id = ${merchantId} and payment_id = ${id} and status = 'PENDING'
      returning ${paymentEventColumns(tx)}
    ),
    sale as (
      insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
      select ${merchantId}, sale_id, location_id, channel, 'COMPLETED', captured_at
      from moved
      where captured_at is not null and channel = 'API'
    )
    ${movement ? tx`, movement as (${insertMovements(tx, [{ merchantId, movement }], { cte: 'moved' })})` : tx``}
    ${works.length > 0 ? tx`, due as (${insertDueWork(tx, works, { cte: 'moved', subject: 'payment_id' })})` : tx``},
    ${insertEvents(tx, [merchantId], [paymentEvents(tx, 'moved', 'payment.created')])}
    ${deleteCall(tx, merchantId, id)}`;
}

/** Deletes a payment that the processor did not attempt, with its call and its key. */
export async function deleteUnresolved(
  tx: Tx,
  merchantId: string,
  paymentId: string,
  key: IdempotencyKey | undefined,
): Promise<void> {
  await tx`
    with call as (${deleteCall(tx, merchantId, paymentId)})
    ${
      key
        ? tx`, key as (
      delete from idempotency_keys
      where merchant_id = ${merchantId} and application_id = ${key.applicationId} and operation = ${key.operation}
        and key = ${key.key} and made_id = ${paymentId}
    )`
        : tx``
    }
    delete from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status = 'PENDING'`;
}

/** The only payment of an online order. Undefined before the first attempt to pay. */
export async function findOnlinePayment(
  sql: Sql,
  merchantId: string,
  saleId: string,
): Promise<Payment<PaymentStatus> | undefined> {
  const [row] = await sql<Payment<PaymentStatus>[]>`
    select ${paymentColumns(sql)}
    from payments
    where merchant_id = ${merchantId} and sale_id = ${saleId} and channel = 'ONLINE_STORE'`;
  return row;
}

/** The payments of a register's sale in the order of creation, including declined and pending payments. */
export async function listTenders(sql: Sql, merchantId: string, saleId: string): Promise<Payment<PaymentStatus>[]> {
  return sql<Payment<PaymentStatus>[]>`
    select ${paymentColumns(sql)}
    from payments
    where merchant_id = ${merchantId} and sale_id = ${saleId} and channel = 'REGISTER'
    order by created_at, payment_id`;
}
