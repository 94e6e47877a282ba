/** Every SQL statement on sales, payments and the keys they were made with. */
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import { type Fragment, type Sql, type Tx, toTimestamp } from '../../database/database.js';
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
import { insertMovements } from '../movements/queries.js';
import { type Call, deleteCall, insertCreateCalls, type StoredRequest } from './call-queries.js';
import type { IdempotencyKey } from './key-queries.js';
import {
  appFeeLeft,
  type Payment,
  type PaymentStatus,
  type PendingPayment,
  type ShownPayment,
  type VisibleStatus,
} from './model.js';

const columnsAfterId = (sql: Sql) => sql`
  sale_id, location_id, application_id, status, source_type, created_at, updated_at, captured_at, delayed_until,
  currency, amount, tip, total, app_fee, fee, refunded, returned, refund_ids, refunds_blocked, card_brand, last_4,
  errors, card_details, details`;

/** Named as the model names them, so that a row is a payment as it comes. What is JSON in the words of v2 stays text. */
const columns = (sql: Sql) => sql`
  payment_id as id, sale_id, location_id, application_id, status, source_type, created_at, updated_at, captured_at,
  delayed_until, currency, amount, tip, total, app_fee, fee, refunded, returned, refund_ids, refunds_blocked, card_brand,
  last_4, errors, card_details::text, details::text`;

export async function findPayment(sql: Sql, merchantId: string, paymentId: string): Promise<Payment | undefined> {
  const [row] = await sql<Payment[]>`
    select ${columns(sql)}
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status <> 'PENDING'`;
  return row;
}

/** The same with what v2 shows of it. */
export async function findShownPayment(
  sql: Sql,
  merchantId: string,
  paymentId: string,
): Promise<ShownPayment | undefined> {
  const [row] = await sql<ShownPayment[]>`
    select ${columns(sql)}, shown
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status <> 'PENDING'`;
  return row;
}

/** A payment as v2 shows it to who asks later: cards only (decision 0025). */
export async function findPrintedPayment(
  sql: Sql,
  merchantId: string,
  paymentId: string,
): Promise<PrintedPayment | undefined> {
  const [row] = await sql<PrintedPayment[]>`
    select shown
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and source_type = 'CARD' and status <> 'PENDING'`;
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

/** Only what v2 shows, printed. */
export type PrintedPayment = Pick<ShownPayment, 'shown'>;

export async function listPayments(sql: Sql, filter: PaymentFilter): Promise<Page<PrintedPayment>> {
  const { merchantId, locationId, total, last4, cardBrand, created, order, page } = filter;
  const rows = await sql<Pick<ShownPayment, 'id' | 'createdAt' | 'shown'>[]>`
    select payment_id as id, created_at, shown
    from payments
    where merchant_id = ${merchantId} and source_type = 'CARD' and status <> 'PENDING'
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${total === undefined ? sql`` : sql`and total = ${total}`}
    ${last4 === undefined ? sql`` : sql`and last_4 = ${last4}`}
    ${cardBrand === undefined ? sql`` : sql`and card_brand = ${cardBrand}`}
    ${within(sql, 'created_at', created, 'ASC')}
    ${pageClause(sql, { at: 'created_at', id: 'payment_id' }, page, order)}`;
  return toPage(rows, page.limit, (payment) => ({ at: payment.createdAt, id: payment.id }));
}

/** A payment to be made, with all that hangs on it. */
export interface MadePayment {
  readonly merchantId: string;
  readonly payment: Payment<PaymentStatus>;
  readonly key: IdempotencyKey;
  readonly requestHash: Buffer;
  readonly movement?: Movement | undefined;
  /** Where the processor is still to be asked. */
  readonly call?: { readonly request: StoredRequest; readonly retryAt: Instant };
}

/**
 * Makes payments with all that hangs on each: the key, the sale and the movement of a captured one, the due time of a
 * delayed one. One statement, one commit; undefined where the key is taken, and then nothing of it was written. A second
 * request with the same key waits here until the first has committed.
 */
export async function insertPayments(tx: Tx, made: readonly MadePayment[]): Promise<(PrintedPayment | undefined)[]> {
  // In one order for all, so that two statements with the same keys do not wait for each other.
  const given = made.toSorted((one, other) => (one.key.key < other.key.key ? -1 : 1)).map(printRow);
  const movements = made.flatMap(({ merchantId, movement }) => (movement ? [{ merchantId, movement }] : []));
  const calls = made.flatMap(({ merchantId, payment, call }) =>
    call ? [{ merchantId, paymentId: payment.id, ...call }] : [],
  );
  const works = made.flatMap(({ merchantId, payment: { id, delayedUntil } }) =>
    delayedUntil === null ? [] : [{ merchantId, ...voidWork(id), dueAt: delayedUntil }],
  );
  const rows = await tx<({ paymentId: string } & PrintedPayment)[]>`
    with given as materialized (
      select
        merchant_id, payment_id, ${columnsAfterId(tx)}, operation, key, request_hash
      from json_to_recordset(${`[${given}]`}::text::json) as given (
        merchant_id text, payment_id text, sale_id text, location_id text, application_id text, status text,
        source_type text, created_at timestamptz, updated_at timestamptz, captured_at timestamptz,
        delayed_until timestamptz, currency text, amount bigint, tip bigint, total bigint, app_fee bigint, fee bigint,
        refunded bigint, returned bigint, refund_ids text[], refunds_blocked boolean, card_brand text, last_4 text,
        errors json, card_details json, details json, operation text, key text, request_hash bytea
      )
    ),
    made as (
      insert into idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id)
      select merchant_id, application_id, operation, key, request_hash, payment_id
      from given
      on conflict do nothing
      returning merchant_id, made_id as payment_id
    ),
    sale as (
      insert into sales (merchant_id, sale_id, location_id, created_at)
      select merchant_id, sale_id, location_id, captured_at
      from given
      join made using (merchant_id, payment_id)
      where captured_at is not null
    )
    ${movements.length > 0 ? tx`, movement as (${insertMovements(tx, movements, 'made')})` : tx``}
    ${calls.length > 0 ? tx`, call as (${insertCreateCalls(tx, calls, 'made')})` : tx``}
    ${works.length > 0 ? tx`, due as (${insertDueWork(tx, works, { cte: 'made', subject: 'payment_id' })})` : tx``}
    insert into payments (merchant_id, payment_id, ${columnsAfterId(tx)})
    select merchant_id, payment_id, ${columnsAfterId(tx)}
    from given
    join made using (merchant_id, payment_id)
    returning payment_id, shown`;
  const written = new Map(rows.map(({ paymentId, shown }) => [paymentId, { shown }]));
  return made.map(({ payment }) => written.get(payment.id));
}

/** Named as the columns are; what is JSON text already goes in as it is. */
function printRow({ merchantId, payment, key, requestHash }: MadePayment): string {
  const row = JSON.stringify({
    merchant_id: merchantId,
    payment_id: payment.id,
    sale_id: payment.saleId,
    location_id: payment.locationId,
    application_id: payment.applicationId,
    status: payment.status,
    source_type: payment.sourceType,
    created_at: toTimestamp(payment.createdAt),
    updated_at: toTimestamp(payment.updatedAt),
    captured_at: payment.capturedAt === null ? null : toTimestamp(payment.capturedAt),
    delayed_until: payment.delayedUntil === null ? null : toTimestamp(payment.delayedUntil),
    currency: payment.currency,
    amount: payment.amount,
    tip: payment.tip,
    total: payment.total,
    app_fee: payment.appFee,
    fee: payment.fee,
    refunded: payment.refunded,
    returned: payment.returned,
    refund_ids: payment.refundIds,
    refunds_blocked: payment.refundsBlocked,
    card_brand: payment.cardBrand,
    last_4: payment.last4,
    errors: payment.errors,
    operation: key.operation,
    key: key.key,
    request_hash: `\\x${requestHash.toString('hex')}`,
  });
  return `${row.slice(0, -1)},"card_details":${payment.cardDetails},"details":${payment.details}}`;
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
): Promise<ShownPayment | undefined> {
  const [row] = await tx<ShownPayment[]>`
    with moved as (
      update payments
      set status = 'COMPLETED', captured_at = ${at}, updated_at = ${at}, fee = ${fee}, delayed_until = null
      where merchant_id = ${merchantId} and payment_id = ${paymentId} and status = 'APPROVED'
      returning merchant_id, payment_id, ${columnsAfterId(tx)}, shown
    ),
    sale as (
      insert into sales (merchant_id, sale_id, location_id, created_at)
      select ${merchantId}, sale_id, location_id, captured_at
      from moved
    ),
    movement as (${insertMovements(tx, [{ merchantId, movement }], 'moved')}),
    call as (${deleteCall(tx, merchantId, paymentId)} and exists (select from moved)),
    due as (${deleteDueWork(tx, merchantId, voidWork(paymentId))} and exists (select from moved))
    select ${columns(tx)}, shown
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
): Promise<ShownPayment | undefined> {
  const [row] = await tx<ShownPayment[]>`
    with moved as (
      update payments
      set status = 'CANCELED', updated_at = ${at}, delayed_until = null, returned = returned + ${returned}
      where merchant_id = ${merchantId} and payment_id = ${paymentId} and status = ${from}
      returning merchant_id, payment_id, ${columnsAfterId(tx)}, shown
    ),
    ${movement ? tx`movement as (${insertMovements(tx, [{ merchantId, movement }], 'moved')}),` : tx``}
    ${told ? tx`told as (${insertOverdueWork(tx, merchantId, told, 'moved')}),` : tx``}
    call as (${deleteCall(tx, merchantId, paymentId)} and exists (select from moved)),
    due as (${deleteDueWork(tx, merchantId, voidWork(paymentId))} and exists (select from moved))
    select ${columns(tx)}, shown
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
  const { id, status, capturedAt, delayedUntil } = payment;
  const works = delayedUntil === null ? [] : [{ merchantId, ...voidWork(id), dueAt: delayedUntil }];
  await tx`
    with moved as (
      update payments
      set
        status = ${status}, updated_at = ${payment.updatedAt}, captured_at = ${capturedAt},
        delayed_until = ${delayedUntil}, amount = ${payment.amount}, total = ${payment.total}, fee = ${payment.fee},
        card_details = ${payment.cardDetails}::text::json, card_brand = ${payment.cardBrand}, last_4 = ${payment.last4},
        errors = ${payment.errors && JSON.stringify(payment.errors)}::text::json
      where merchant_id = ${merchantId} and payment_id = ${id} and status = 'PENDING'
      returning merchant_id, payment_id, sale_id, location_id, captured_at
    ),
    sale as (
      insert into sales (merchant_id, sale_id, location_id, created_at)
      select ${merchantId}, sale_id, location_id, captured_at
      from moved
      where captured_at is not null
    )
    ${movement ? tx`, movement as (${insertMovements(tx, [{ merchantId, movement }], 'moved')})` : tx``}
    ${works.length > 0 ? tx`, due as (${insertDueWork(tx, works, { cte: 'moved', subject: 'payment_id' })})` : tx``}
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
