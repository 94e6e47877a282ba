/** Every SQL statement on sales, payments and the keys they were made with. */
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import {
  type Order,
  type Page,
  type PageRequest,
  pageClause,
  type TimeRange,
  toPage,
  within,
} from '../../database/keyset.js';
import { type DueWork, SubjectBusy } from '../due-work/model.js';
import { deleteDueWork, insertDueWork, insertOverdueWork } from '../due-work/queries.js';
import type { Movement } from '../movements/model.js';
import { insertMovement } from '../movements/queries.js';
import { type Call, deleteCall, insertCreateCall, type StoredRequest } from './call-queries.js';
import { appFeeLeft, type Payment, type PaymentStatus, type PendingPayment, type VisibleStatus } from './model.js';

const columnsAfterId = (sql: Sql) => sql`
  sale_id, location_id, application_id, status, source_type, created_at, updated_at, captured_at, delayed_until,
  currency, amount, tip, total, app_fee, fee, refunded, returned, refund_ids, refunds_blocked, card, details, errors`;

/** Named as the model names them, so that a row is a payment as it comes. */
const columns = (sql: Sql) => sql`payment_id as id, ${columnsAfterId(sql)}`;

export async function findPayment(sql: Sql, merchantId: string, paymentId: string): Promise<Payment | undefined> {
  const [row] = await sql<Payment[]>`
    select ${columns(sql)}
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status <> 'PENDING'`;
  return row;
}

/** Holds a payment still while money of it is given back. */
export async function lockPayment(tx: Tx, merchantId: string, paymentId: string): Promise<Payment | undefined> {
  const [row] = await tx<Payment[]>`
    select ${columns(tx)}
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status <> 'PENDING'
    for update`;
  return row;
}

/** The same without waiting, for who holds due work: he that has the payment may be about to remove that work. */
export async function lockIdlePayment(tx: Tx, merchantId: string, paymentId: string): Promise<Payment | undefined> {
  const [row] = await tx<Payment[]>`
    select ${columns(tx)}
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status <> 'PENDING'
    for update skip locked`;
  if (!row && (await findPayment(tx, merchantId, paymentId))) throw new SubjectBusy('the payment is in other hands');
  return row;
}

/** What is left of the application's fee, of a payment that is locked; null where it took none. */
export async function findAppFeeLeft(tx: Tx, merchantId: string, payment: Payment): Promise<Amount | null> {
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
  return appFeeLeft(payment, row ?? { returnedFees: ZERO, promised: ZERO });
}

export interface PaymentFilter {
  readonly merchantId: string;
  readonly locationId?: string | undefined;
  readonly total?: number | undefined;
  readonly last4?: string | undefined;
  readonly cardBrand?: string | undefined;
  readonly created: TimeRange;
  readonly order: Order;
  readonly page: PageRequest;
}

export async function listPayments(sql: Sql, filter: PaymentFilter): Promise<Page<Payment>> {
  const { merchantId, locationId, total, last4, cardBrand, created, order, page } = filter;
  const rows = await sql<Payment[]>`
    select ${columns(sql)}
    from payments
    where merchant_id = ${merchantId} and status <> 'PENDING'
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${total === undefined ? sql`` : sql`and total = ${total}`}
    ${last4 === undefined ? sql`` : sql`and last_4 = ${last4}`}
    ${cardBrand === undefined ? sql`` : sql`and card_brand = ${cardBrand}`}
    ${within(sql, 'created_at', created, 'ASC')}
    ${pageClause(sql, { at: 'created_at', id: 'payment_id' }, page, order)}`;
  return toPage(rows, page.limit, (payment) => ({ at: payment.createdAt, id: payment.id }));
}

export interface IdempotencyKey {
  readonly applicationId: string;
  readonly operation: 'createPayment' | 'refundPayment';
  readonly key: string;
}

/**
 * Makes a payment with all that hangs on it: the key, the sale and the movement of a captured one, the due time of a
 * delayed one. One statement, one commit; false where the key is taken, and then nothing was written. A second request
 * with the same key waits here until the first has committed.
 */
export async function insertPayment(
  tx: Tx,
  merchantId: string,
  payment: Payment<PaymentStatus>,
  {
    key,
    requestHash,
    movement,
    call,
  }: {
    readonly key: IdempotencyKey;
    readonly requestHash: Buffer;
    readonly movement?: Movement | undefined;
    /** Where the processor is still to be asked. */
    readonly call?: { readonly request: StoredRequest; readonly retryAt: Instant };
  },
): Promise<boolean> {
  const { capturedAt, delayedUntil, card } = payment;
  const rows = await tx`
    with key as (${insertKey(tx, merchantId, key, requestHash, payment.id)})
    ${
      capturedAt === null
        ? tx``
        : tx`, sale as (
      insert into sales (merchant_id, sale_id, location_id, created_at)
      select ${merchantId}, ${payment.saleId}, ${payment.locationId}, ${capturedAt}::timestamptz
      from key
    )`
    }
    ${movement ? tx`, movement as (${insertMovement(tx, merchantId, movement, 'key')})` : tx``}
    ${call ? tx`, call as (${insertCreateCall(tx, merchantId, { paymentId: payment.id, ...call }, 'key')})` : tx``}
    ${
      delayedUntil === null
        ? tx``
        : tx`, due as (${insertDueWork(
            tx,
            merchantId,
            { kind: 'VOID_PAYMENT', subjectId: payment.id, dueAt: delayedUntil },
            'key',
          )})`
    }
    insert into payments (merchant_id, payment_id, ${columnsAfterId(tx)}, card_brand, last_4)
    select
      ${merchantId}, ${payment.id}, ${payment.saleId}, ${payment.locationId}, ${payment.applicationId},
      ${payment.status}, ${payment.sourceType}, ${payment.createdAt}::timestamptz, ${payment.updatedAt}::timestamptz,
      ${capturedAt}::timestamptz, ${delayedUntil}::timestamptz, ${payment.currency}, ${payment.amount}::bigint,
      ${payment.tip}::bigint, ${payment.total}::bigint, ${payment.appFee}::bigint, ${payment.fee}::bigint,
      ${payment.refunded}::bigint, ${payment.returned}::bigint, ${payment.refundIds as string[]}::text[],
      ${payment.refundsBlocked}::boolean, ${JSON.stringify(card)}::text::json, ${JSON.stringify(payment.details)}::text::json,
      ${payment.errors && JSON.stringify(payment.errors)}::text::json, ${card?.brand ?? null}::text, ${card?.last4 ?? null}::text
    from key
    returning 1`;
  return rows.length > 0;
}

/** The insert of a key for what is about to be made; no row where it is taken already. */
export function insertKey(
  tx: Tx,
  merchantId: string,
  { applicationId, operation, key }: IdempotencyKey,
  requestHash: Buffer,
  madeId: string,
) {
  return tx`
    insert into idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id)
    values (${merchantId}, ${applicationId}, ${operation}, ${key}, ${requestHash}, ${madeId})
    on conflict do nothing
    returning made_id`;
}

/** What a key has made, and with which request. */
export async function findKey(
  sql: Sql,
  merchantId: string,
  { applicationId, operation, key }: IdempotencyKey,
): Promise<{ requestHash: Buffer; madeId: string } | undefined> {
  const [row] = await sql<{ requestHash: Buffer; madeId: string }[]>`
    select request_hash, made_id
    from idempotency_keys
    where merchant_id = ${merchantId} and application_id = ${applicationId} and operation = ${operation} and key = ${key}`;
  return row;
}

/** Frees a key and tells what it had made. */
export async function deleteKey(
  tx: Tx,
  merchantId: string,
  { applicationId, operation, key }: IdempotencyKey,
): Promise<string | undefined> {
  const [row] = await tx<{ madeId: string }[]>`
    delete from idempotency_keys
    where merchant_id = ${merchantId} and application_id = ${applicationId} and operation = ${operation} and key = ${key}
    returning made_id`;
  return row?.madeId;
}

interface Move {
  readonly merchantId: string;
  readonly paymentId: string;
  readonly at: Instant;
}

const voidWork = (paymentId: string) => ({ kind: 'VOID_PAYMENT', subjectId: paymentId }) as const;

/** APPROVED -> COMPLETED, with the sale and the movement; undefined where it is no longer APPROVED. */
export async function movePaymentToCompleted(
  tx: Tx,
  { merchantId, paymentId, at, fee, movement }: Move & { readonly fee: number; readonly movement: Movement },
): Promise<Payment | undefined> {
  const [row] = await tx<Payment[]>`
    with moved as (
      update payments
      set status = 'COMPLETED', captured_at = ${at}, updated_at = ${at}, fee = ${fee}, delayed_until = null
      where merchant_id = ${merchantId} and payment_id = ${paymentId} and status = 'APPROVED'
      returning payment_id, ${columnsAfterId(tx)}
    ),
    sale as (
      insert into sales (merchant_id, sale_id, location_id, created_at)
      select ${merchantId}, sale_id, location_id, captured_at
      from moved
    ),
    movement as (${insertMovement(tx, merchantId, movement, 'moved')}),
    call as (${deleteCall(tx, merchantId, paymentId)} and exists (select from moved)),
    due as (${deleteDueWork(tx, merchantId, voidWork(paymentId))} and exists (select from moved))
    select ${columns(tx)}
    from moved`;
  return row;
}

/** To CANCELED from the state it is expected in, with the movement that takes back what was captured, if it was. */
export async function movePaymentToCanceled(
  tx: Tx,
  {
    merchantId,
    paymentId,
    at,
    from,
    returned,
    movement,
    told,
  }: Move & {
    readonly from: VisibleStatus;
    readonly returned: number;
    readonly movement: Movement | undefined;
    /** What the processor is still to be told. */
    readonly told?: DueWork | undefined;
  },
): Promise<Payment | undefined> {
  const [row] = await tx<Payment[]>`
    with moved as (
      update payments
      set status = 'CANCELED', updated_at = ${at}, delayed_until = null, returned = returned + ${returned}
      where merchant_id = ${merchantId} and payment_id = ${paymentId} and status = ${from}
      returning payment_id, ${columnsAfterId(tx)}
    ),
    ${movement ? tx`movement as (${insertMovement(tx, merchantId, movement, 'moved')}),` : tx``}
    ${told ? tx`told as (${insertOverdueWork(tx, merchantId, told, 'moved')}),` : tx``}
    call as (${deleteCall(tx, merchantId, paymentId)} and exists (select from moved)),
    due as (${deleteDueWork(tx, merchantId, voidWork(paymentId))} and exists (select from moved))
    select ${columns(tx)}
    from moved`;
  return row;
}

export interface UnresolvedPayment {
  readonly payment: PendingPayment;
  readonly call: Call;
}

/** A payment whose outcome is not known, with the call that asks for it. */
export async function findUnresolved(
  sql: Sql,
  merchantId: string,
  paymentId: string,
): Promise<UnresolvedPayment | undefined> {
  return readUnresolved(sql, merchantId, paymentId, sql``);
}

/** The same, held while its outcome is recorded. */
export async function lockUnresolved(
  tx: Tx,
  merchantId: string,
  paymentId: string,
): Promise<UnresolvedPayment | undefined> {
  return readUnresolved(tx, merchantId, paymentId, tx`for update`);
}

async function readUnresolved(sql: Sql, merchantId: string, paymentId: string, lock: Fragment) {
  const [row] = await sql<(PendingPayment & Call)[]>`
    select ${columns(sql)}, action, request, cancel_after
    from payments
    join processor_calls using (merchant_id, payment_id)
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status = 'PENDING'
    ${lock}`;
  if (!row) return undefined;
  const { action, request, cancelAfter, ...payment } = row;
  return { payment, call: { paymentId, action, request, cancelAfter } };
}

/** PENDING -> what the processor said, with all that hangs on it; the payment is locked. */
export async function movePaymentToOutcome(
  tx: Tx,
  merchantId: string,
  payment: Payment,
  movement: Movement | undefined,
): Promise<void> {
  const { id, status, capturedAt, delayedUntil, card } = payment;
  const due = delayedUntil && insertDueWork(tx, merchantId, { ...voidWork(id), dueAt: delayedUntil }, 'moved');
  await tx`
    with moved as (
      update payments
      set
        status = ${status}, updated_at = ${payment.updatedAt}, captured_at = ${capturedAt},
        delayed_until = ${delayedUntil}, amount = ${payment.amount}, total = ${payment.total}, fee = ${payment.fee},
        card = ${JSON.stringify(card)}::text::json, card_brand = ${card?.brand ?? null}, last_4 = ${card?.last4 ?? null},
        errors = ${payment.errors && JSON.stringify(payment.errors)}::text::json
      where merchant_id = ${merchantId} and payment_id = ${id} and status = 'PENDING'
      returning sale_id, location_id, captured_at
    ),
    sale as (
      insert into sales (merchant_id, sale_id, location_id, created_at)
      select ${merchantId}, sale_id, location_id, captured_at
      from moved
      where captured_at is not null
    )
    ${movement ? tx`, movement as (${insertMovement(tx, merchantId, movement, 'moved')})` : tx``}
    ${due ? tx`, due as (${due})` : tx``}
    ${deleteCall(tx, merchantId, id)}`;
}

/** The processor never tried it: as if it had not been asked for. */
export async function deleteUnresolved(
  tx: Tx,
  merchantId: string,
  paymentId: string,
  key: IdempotencyKey,
): Promise<void> {
  await tx`
    with call as (${deleteCall(tx, merchantId, paymentId)}),
    key as (
      delete from idempotency_keys
      where merchant_id = ${merchantId} and application_id = ${key.applicationId} and operation = ${key.operation}
        and key = ${key.key} and made_id = ${paymentId}
    )
    delete from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status = 'PENDING'`;
}
