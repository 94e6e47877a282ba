/** SQL statements that find, list, lock and change payments. create-queries.ts inserts them. */
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import { Columns } from '../../database/columns.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import {
  type ChangeFilter,
  changeClause,
  changePosition,
  type Page,
  type PageRequest,
  toPage,
} from '../../database/keyset.js';
import type { DueWork } from '../due-work/model.js';
import { toWorkRow } from '../due-work/queries.js';
import { type IdempotencyKey, toKeyRow } from '../idempotency/queries.js';
import type { Movement } from '../movements/model.js';
import { MOVEMENT_COLUMNS } from '../movements/queries.js';
import type { Call } from './call-queries.js';
import { type Payment, type PaymentStatus, type PendingPayment, remainingAppFee, type VisibleStatus } from './model.js';
import type { Reversal } from './outcomes.js';
import { toRefundRow } from './refund-columns.js';

/** A payment with the JSON text that v2 returns for it. */
export interface PaymentWithJson extends Payment {
  readonly v2Json: string;
}

export const PAYMENT_COLUMNS = new Columns<Payment<PaymentStatus>>({
  id: { column: 'payment_id', as: 'value' },
  saleId: 'value',
  locationId: 'value',
  channel: 'value',
  applicationId: 'value',
  status: 'value',
  sourceType: 'value',
  createdAt: 'time',
  updatedAt: 'time',
  capturedAt: 'time',
  delayedUntil: 'time',
  currency: 'value',
  amount: 'value',
  tip: 'value',
  total: 'value',
  appFee: 'value',
  fee: 'value',
  refunded: 'value',
  returned: 'value',
  refundIds: 'value',
  refundsBlocked: 'value',
  exchanged: 'value',
  employeeId: 'value',
  registerTenderId: 'value',
  entryMethod: 'value',
  tendered: 'value',
  tenderName: 'value',
  isExchange: 'value',
  drawerShiftId: 'value',
  cardBrand: 'value',
  last4: 'value',
  cardDetails: 'json text',
  details: 'json text',
  errors: 'json',
});

/** The copy of the v2 JSON, or a new print if the copy is of another version. */
const v2Json = (sql: Sql) => sql`
  case
    when v2_json_version = ${fn(sql, 'payment_copy_version')}() then v2_json
    else ${fn(sql, 'print_payment')}(row(payments.*)::payments)
  end as v2_json`;

export async function findPayment(sql: Sql, merchantId: string, paymentId: string): Promise<Payment | undefined> {
  const [row] = await sql<Payment[]>`
    select ${PAYMENT_COLUMNS.select(sql)}
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
    select ${PAYMENT_COLUMNS.select(sql)}, ${v2Json(sql)}
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
    select ${v2Json(sql)}
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and source_type = 'CARD' and status <> 'PENDING'`;
  return row;
}

/** Locks a payment while it is refunded, reversed or held. */
export async function lockPayment(tx: Tx, merchantId: string, paymentId: string): Promise<Payment | undefined> {
  const [row] = await tx<Payment[]>`
    select ${PAYMENT_COLUMNS.select(tx)}
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
    select payment_id as id, created_at, updated_at, ${v2Json(sql)}
    from payments
    where merchant_id = ${merchantId} and source_type = 'CARD' and status <> 'PENDING'
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${total === undefined ? sql`` : sql`and total = ${total}`}
    ${last4 === undefined ? sql`` : sql`and last_4 = ${last4}`}
    ${cardBrand === undefined ? sql`` : sql`and card_brand = ${cardBrand}`}
    ${changeClause(sql, 'payment_id', filter, page)}`;
  return toPage(rows, page.limit, changePosition(filter));
}

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
  { merchantId, paymentId, at, fee, movement }: PaymentMove & { readonly fee: Amount; readonly movement: Movement },
): Promise<PaymentJson | undefined> {
  const [row] = await tx<{ v2Json: string | null }[]>`
    select ${fn(tx, 'complete_payment')}(
      ${merchantId}, ${paymentId}, ${at}, ${fee}, ${MOVEMENT_COLUMNS.toRow(movement)}::text::json
    ) as v2_json`;
  return toPaymentJson(row);
}

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
): Promise<PaymentJson | undefined> {
  const { refund, movement } = reversal ?? {};
  const [row] = await tx<{ v2Json: string | null }[]>`
    select ${fn(tx, 'cancel_payment')}(
      ${merchantId}, ${paymentId}, ${from}, ${at}, ${refund ? toRefundRow(refund) : null}::text::json,
      ${movement ? MOVEMENT_COLUMNS.toRow(movement) : null}::text::json,
      ${processorWork ? toWorkRow(processorWork) : null}::text::json
    ) as v2_json`;
  return toPaymentJson(row);
}

function toPaymentJson(row: { readonly v2Json: string | null } | undefined): PaymentJson | undefined {
  const v2Json = row?.v2Json ?? null;
  return v2Json === null ? undefined : { v2Json };
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
    select ${PAYMENT_COLUMNS.select(sql)}, action, request, cancel_after
    from payments
    join processor_calls using (merchant_id, payment_id)
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status = 'PENDING'
    ${lock}`;
  if (!row) return undefined;
  const { action, request, cancelAfter, ...payment } = row;
  return { payment, call: { paymentId, action, request, cancelAfter } };
}

/** PENDING -> the outcome, with everything that depends on it. The caller holds the lock of the payment. */
export async function movePaymentToOutcome(
  tx: Tx,
  merchantId: string,
  payment: Payment,
  movement: Movement | undefined,
): Promise<void> {
  const { id, delayedUntil } = payment;
  const work = delayedUntil === null ? null : toWorkRow({ ...expirePaymentWork(id), dueAt: delayedUntil });
  await tx`
    select ${fn(tx, 'record_payment_outcome')}(
      ${merchantId}, ${PAYMENT_COLUMNS.toRow(payment)}::text::json,
      ${movement ? MOVEMENT_COLUMNS.toRow(movement) : null}::text::json, ${work}::text::json
    )`;
}

/** Deletes a payment that the processor did not attempt, with its call and its key. */
export async function deleteUnresolved(
  tx: Tx,
  merchantId: string,
  paymentId: string,
  key: IdempotencyKey | undefined,
): Promise<void> {
  await tx`
    select ${fn(tx, 'delete_unresolved_payment')}(
      ${merchantId}, ${paymentId}, ${key ? toKeyRow(key, null, paymentId) : null}::text::json
    )`;
}

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

/** The payments of a register's sale in the order of creation, including declined and pending payments. */
export async function listTenders(sql: Sql, merchantId: string, saleId: string): Promise<Payment<PaymentStatus>[]> {
  return sql<Payment<PaymentStatus>[]>`
    select ${PAYMENT_COLUMNS.select(sql)}
    from payments
    where merchant_id = ${merchantId} and sale_id = ${saleId} and channel = 'REGISTER'
    order by created_at, payment_id`;
}
