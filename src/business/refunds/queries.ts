/** SQL statements on refunds. sale-refund-queries.ts reads them with their sales, for v1. */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Bulk } from '../../database/copy.js';
import { type Sql, type Tx, toTimestamp } from '../../database/database.js';
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
import { insertDueWork, insertOverdueWork } from '../due-work/queries.js';
import { type IdempotencyKey, insertKey } from '../idempotency/queries.js';
import type { Movement } from '../movements/model.js';
import { insertMovements } from '../movements/queries.js';
import type { Reversal } from '../payments/outcomes.js';
import { paymentEventColumns, paymentEvents, reversedFee } from '../payments/queries.js';
import { insertRefundRows, refundColumnsAfterId } from '../payments/refund-queries.js';
import { storeBreakdown, type WithStoredBreakdown, withBreakdown } from '../receipts/stored.js';
import type { Refund, RefundStatus } from './model.js';

/** Columns with the names of the model. */
const columns = (sql: Sql) => sql`refund_id as id, ${refundColumnsAfterId(sql)}`;

/** v2 shows refunds of cards, without exchanges and reversals (decision 0025). */
const shownByV2 = (sql: Sql) => sql`source_type = 'CARD' and origin in ('API', 'REGISTER')`;

/** Finds only refunds that v2 shows. */
export async function findRefund(sql: Sql, merchantId: string, refundId: string): Promise<Refund | undefined> {
  const [row] = await sql<WithStoredBreakdown<Refund>[]>`
    select ${columns(sql)}
    from refunds
    where merchant_id = ${merchantId} and refund_id = ${refundId} and ${shownByV2(sql)}`;
  return row && withBreakdown(row);
}

export async function lockRefund(tx: Tx, merchantId: string, refundId: string): Promise<Refund | undefined> {
  const [row] = await tx<WithStoredBreakdown<Refund>[]>`
    select ${columns(tx)}
    from refunds
    where merchant_id = ${merchantId} and refund_id = ${refundId}
    for update`;
  return row && withBreakdown(row);
}

export interface RefundFilter extends ChangeFilter {
  readonly merchantId: string;
  readonly locationId?: string | undefined;
  readonly status?: RefundStatus | undefined;
  readonly page: PageRequest;
}

export async function listRefunds(sql: Sql, filter: RefundFilter): Promise<Page<Refund>> {
  const { merchantId, locationId, status, page } = filter;
  const rows = await sql<WithStoredBreakdown<Refund>[]>`
    select ${columns(sql)}
    from refunds
    where merchant_id = ${merchantId} and ${shownByV2(sql)}
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${status === undefined ? sql`` : sql`and status = ${status}`}
    ${changeClause(sql, 'refund_id', filter, page)}`;
  const refunds = rows.map(withBreakdown);
  return toPage(refunds, page.limit, changePosition(filter));
}

/** Inserts the key of a new refund. Returns false if the key is taken. */
export async function insertRefundKey(
  tx: Tx,
  merchantId: string,
  key: IdempotencyKey,
  requestHash: Buffer,
  refundId: string,
): Promise<boolean> {
  const rows = await insertKey(tx, merchantId, key, requestHash, refundId);
  return rows.length > 0;
}

/** The events of a refund and of its payment. The statement must have the CTEs `refund` and `payment`. */
const refundEvents = (sql: Sql, kind: EventKind) => [
  sql`(
    select
      merchant_id, location_id, null::text as application_id, ${kind}::text as kind, refund_id as entity_id,
      updated_at as happened_at, printed as object
    from refund
    where source_type = 'CARD' and origin in ('API', 'REGISTER')
  )`,
  paymentEvents(sql, 'payment', 'payment.updated'),
];

/** The columns that `refundEvents` reads from the CTE `refund`. */
const refundEventColumns = (sql: Sql) => sql`
  merchant_id, refund_id, payment_id, location_id, source_type, origin, updated_at, printed_refund(refunds) as printed`;

/**
 * Inserts refunds of locked payments, at most one per payment, and reserves their amounts. PENDING refunds get due work that
 * finishes them at `dueAt`.
 */
export async function insertRefunds(
  tx: Tx,
  merchantId: string,
  refunds: readonly Refund[],
  dueAt: Instant,
): Promise<void> {
  const works = refunds
    .filter(({ status }) => status === 'PENDING')
    .map(({ id }) => ({ merchantId, kind: 'FINISH_REFUND', subjectId: id, dueAt }) as const);
  await tx`
    with refund as (${insertRefundRows(tx, merchantId, refunds)}),
    ${works.length > 0 ? tx`due as (${insertDueWork(tx, works, { cte: 'refund', subject: 'refund_id' })}),` : tx``}
    payment as (
      update payments
      set
        refunded = refunded + case when origin = 'EXCHANGE' then 0 else made.amount end,
        exchanged = exchanged + case when origin = 'EXCHANGE' then made.amount else 0 end,
        returned = returned + case when origin <> 'EXCHANGE' and made.status = 'COMPLETED' then made.amount else 0 end,
        refund_ids = case when origin = 'EXCHANGE' then refund_ids else refund_ids || refund_id end,
        updated_at = greatest(payments.updated_at, made.updated_at)
      from refund as made
      where payments.merchant_id = ${merchantId} and payments.payment_id = made.payment_id
      returning ${paymentEventColumns(tx)}
    ),
    ${insertEvents(tx, [merchantId], refundEvents(tx, 'refund.created'))}
    select refund_id
    from refund`;
}

/** Bulk insert of past refunds in their current state, without their movements. Their payments already include the amounts. */
export function insertPastRefunds(past: Bulk, merchantId: string, refunds: readonly Refund[]): void {
  past.copy(
    'refunds',
    (tx) => tx`copy refunds (merchant_id, refund_id, ${refundColumnsAfterId(tx)}) from stdin`,
    refunds,
    (refund) => [
      merchantId,
      refund.id,
      refund.paymentId,
      refund.locationId,
      refund.status,
      refund.sourceType,
      toTimestamp(refund.createdAt),
      toTimestamp(refund.updatedAt),
      refund.currency,
      refund.amount,
      refund.appFee,
      refund.returnedFee,
      refund.orderId,
      refund.reason,
      refund.origin,
      refund.type,
      refund.leaderId,
      refund.breakdown && JSON.stringify(storeBreakdown(refund.breakdown)),
      refund.employeeId,
    ],
  );
}

interface RefundMove {
  readonly merchantId: string;
  readonly refund: Refund;
  readonly at: Instant;
}

/** PENDING -> COMPLETED, with the movement. */
export async function moveRefundToCompleted(
  tx: Tx,
  {
    merchantId,
    refund,
    at,
    movement,
    returnedFee,
    appFee,
  }: RefundMove & {
    readonly movement: Movement;
    readonly returnedFee: Amount;
    /** The returned application fee: the share that the request named, or the proportional share. Null without such a fee. */
    readonly appFee: Amount | null;
  },
): Promise<void> {
  await tx`
    with refund as (
      update refunds
      set status = 'COMPLETED', updated_at = greatest(updated_at, ${at}), returned_fee = ${returnedFee}, app_fee = ${appFee}
      where merchant_id = ${merchantId} and refund_id = ${refund.id} and status = 'PENDING'
      returning ${refundEventColumns(tx)}
    ),
    movement as (${insertMovements(tx, [{ merchantId, movement }], { cte: 'refund' })}),
    payment as (
      update payments
      set returned = returned + ${refund.amount}, updated_at = greatest(updated_at, ${at})
      where merchant_id = ${merchantId} and payment_id = ${refund.paymentId} and exists (select from refund)
      returning ${paymentEventColumns(tx)}
    ),
    ${insertEvents(tx, [merchantId], refundEvents(tx, 'refund.updated'))}
    select refund_id
    from refund`;
}

/** PENDING -> FAILED. Releases the reserved amount, and blocks further refunds of the payment. */
export async function moveRefundToFailed(
  tx: Tx,
  {
    merchantId,
    refund,
    at,
    reversal,
    processorWork,
  }: RefundMove & {
    readonly reversal: Reversal | undefined;
    /** The due work that notifies the processor. */
    readonly processorWork: DueWork | undefined;
  },
): Promise<void> {
  const movement = reversal?.movement;
  await tx`
    with refund as (
      update refunds
      set status = 'FAILED', updated_at = greatest(updated_at, ${at})
      where merchant_id = ${merchantId} and refund_id = ${refund.id} and status = 'PENDING'
      returning ${refundEventColumns(tx)}
    ),
    ${reversal ? tx`reversal as (${insertRefundRows(tx, merchantId, [reversal.refund], 'refund')}),` : tx``}
    ${movement ? tx`movement as (${insertMovements(tx, [{ merchantId, movement }], { cte: 'refund' })}),` : tx``}
    ${processorWork ? tx`due as (${insertOverdueWork(tx, merchantId, processorWork, 'refund')}),` : tx``}
    payment as (
      update payments
      set
        refunded = refunded - ${refund.amount},
        returned = returned + ${reversal ? refund.amount : 0},
        ${reversal ? tx`${reversedFee(tx, reversal.refund)},` : tx``}
        refunds_blocked = true,
        updated_at = greatest(updated_at, ${at})
      where merchant_id = ${merchantId} and payment_id = ${refund.paymentId} and exists (select from refund)
      returning ${paymentEventColumns(tx)}
    ),
    ${insertEvents(tx, [merchantId], refundEvents(tx, 'refund.updated'))}
    select refund_id
    from refund`;
}
