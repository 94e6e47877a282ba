/** Every SQL statement on refunds. */
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
import { paymentsTold, reversedFee, toldColumns } from '../payments/queries.js';
import { insertRefundRows, refundColumnsAfterId } from '../payments/refund-queries.js';
import { storeBreakdown, type WithStoredBreakdown, withBreakdown } from '../receipts/stored.js';
import type { Refund, RefundStatus } from './model.js';

/** Named as the model names them. */
const columns = (sql: Sql) => sql`refund_id as id, ${refundColumnsAfterId(sql)}`;

/** What v2 shows (decision 0025); neither what was exchanged or reversed, nor what was never on a card. */
const shownByV2 = (sql: Sql) => sql`source_type = 'CARD' and origin in ('API', 'REGISTER')`;

/** One that v2 shows. */
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

/** Takes a key for a refund that is about to be made; false where it is taken already. */
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

/** What is told of a refund, and of its payment with it; both are common tables of the statement. */
const refundTold = (sql: Sql, kind: EventKind) => [
  sql`(
    select
      merchant_id, location_id, null::text as application_id, ${kind}::text as kind, refund_id as entity_id,
      updated_at as happened_at, printed as object
    from refund
    where source_type = 'CARD' and origin in ('API', 'REGISTER')
  )`,
  paymentsTold(sql, 'payment', 'payment.updated'),
];

/** What events of refunds are made of. */
const refundToldColumns = (sql: Sql) => sql`
  merchant_id, refund_id, payment_id, location_id, source_type, origin, updated_at, printed_refund(refunds) as printed`;

/**
 * Makes refunds of payments that are locked, one of each at the most: the amounts are reserved, those of cards are due to
 * be finished, and the others are finished with this.
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
      returning ${toldColumns(tx)}
    ),
    ${insertEvents(tx, [merchantId], refundTold(tx, 'refund.created'))}
    select refund_id
    from refund`;
}

/** Refunds of the past, as they stand now; their payments know of them already, and their movements are written apart. */
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

interface Finish {
  readonly merchantId: string;
  readonly refund: Refund;
  readonly at: Instant;
}

/** PENDING -> COMPLETED: the money has gone back, with its movement. */
export async function moveRefundToCompleted(
  tx: Tx,
  {
    merchantId,
    refund,
    at,
    movement,
    returnedFee,
    appFee,
  }: Finish & {
    readonly movement: Movement;
    readonly returnedFee: Amount;
    /** What the application gave back, asked to or in proportion; null where it took nothing. */
    readonly appFee: Amount | null;
  },
): Promise<void> {
  await tx`
    with refund as (
      update refunds
      set status = 'COMPLETED', updated_at = greatest(updated_at, ${at}), returned_fee = ${returnedFee}, app_fee = ${appFee}
      where merchant_id = ${merchantId} and refund_id = ${refund.id} and status = 'PENDING'
      returning ${refundToldColumns(tx)}
    ),
    movement as (${insertMovements(tx, [{ merchantId, movement }], { cte: 'refund' })}),
    payment as (
      update payments
      set returned = returned + ${refund.amount}, updated_at = greatest(updated_at, ${at})
      where merchant_id = ${merchantId} and payment_id = ${refund.paymentId} and exists (select from refund)
      returning ${toldColumns(tx)}
    ),
    ${insertEvents(tx, [merchantId], refundTold(tx, 'refund.updated'))}
    select refund_id
    from refund`;
}

/** PENDING -> FAILED: the amount is free again, and nothing more of the payment can be refunded. */
export async function moveRefundToFailed(
  tx: Tx,
  {
    merchantId,
    refund,
    at,
    reversal,
    told,
  }: Finish & {
    readonly reversal: Reversal | undefined;
    /** What the processor is still to be told. */
    readonly told: DueWork | undefined;
  },
): Promise<void> {
  const movement = reversal?.movement;
  await tx`
    with refund as (
      update refunds
      set status = 'FAILED', updated_at = greatest(updated_at, ${at})
      where merchant_id = ${merchantId} and refund_id = ${refund.id} and status = 'PENDING'
      returning ${refundToldColumns(tx)}
    ),
    ${reversal ? tx`reversal as (${insertRefundRows(tx, merchantId, [reversal.refund], 'refund')}),` : tx``}
    ${movement ? tx`movement as (${insertMovements(tx, [{ merchantId, movement }], { cte: 'refund' })}),` : tx``}
    ${told ? tx`due as (${insertOverdueWork(tx, merchantId, told, 'refund')}),` : tx``}
    payment as (
      update payments
      set
        refunded = refunded - ${refund.amount},
        returned = returned + ${reversal ? refund.amount : 0},
        ${reversal ? tx`${reversedFee(tx, reversal.refund)},` : tx``}
        refunds_blocked = true,
        updated_at = greatest(updated_at, ${at})
      where merchant_id = ${merchantId} and payment_id = ${refund.paymentId} and exists (select from refund)
      returning ${toldColumns(tx)}
    ),
    ${insertEvents(tx, [merchantId], refundTold(tx, 'refund.updated'))}
    select refund_id
    from refund`;
}
