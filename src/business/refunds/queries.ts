/** SQL statements on refunds. sale-refund-queries.ts reads them with their sales, for v1. */
import { requireFound } from '../../base/errors.js';
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Bulk } from '../../database/copy.js';
import type { Sql, Tx } from '../../database/database.js';
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
import { type IdempotencyKey, insertKey } from '../idempotency/queries.js';
import type { Movement } from '../movements/model.js';
import { MOVEMENT_COLUMNS } from '../movements/queries.js';
import type { Reversal } from '../payments/outcomes.js';
import { REFUND_COLUMNS, toRefundRow, toStoredRefund } from '../payments/refund-columns.js';
import { type WithStoredBreakdown, withBreakdown } from '../receipts/stored.js';
import type { Refund, RefundStatus } from './model.js';

/** A refund with the JSON text that v2 returns for it. */
export interface RefundWithJson extends Refund {
  readonly v2Json: string;
}

/** Only the v2 JSON of a refund. */
export type RefundJson = Pick<RefundWithJson, 'v2Json'>;

const v2Json = (sql: Sql) => sql`
  ${fn(sql, 'print_refund')}(
    refund_id, payment_id, location_id, status, source_type, created_at, updated_at, currency, amount, app_fee, returned_fee,
    order_id, reason
  ) as v2_json`;

/** v2 shows refunds of cards, without exchanges and reversals (decision 0025). */
const shownByV2 = (sql: Sql) => sql`source_type = 'CARD' and origin in ('API', 'REGISTER')`;

/** Finds only refunds that v2 shows. */
export async function findRefund(sql: Sql, merchantId: string, refundId: string): Promise<Refund | undefined> {
  const [row] = await sql<WithStoredBreakdown<Refund>[]>`
    select ${REFUND_COLUMNS.select(sql)}
    from refunds
    where merchant_id = ${merchantId} and refund_id = ${refundId} and ${shownByV2(sql)}`;
  return row && withBreakdown(row);
}

/** The v2 JSON of a refund. */
export async function findRefundJson(sql: Sql, merchantId: string, refundId: string): Promise<RefundJson | undefined> {
  const [row] = await sql<RefundJson[]>`
    select ${v2Json(sql)}
    from refunds
    where merchant_id = ${merchantId} and refund_id = ${refundId} and ${shownByV2(sql)}`;
  return row;
}

export async function lockRefund(tx: Tx, merchantId: string, refundId: string): Promise<Refund | undefined> {
  const [row] = await tx<WithStoredBreakdown<Refund>[]>`
    select ${REFUND_COLUMNS.select(tx)}
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

export async function listRefunds(sql: Sql, filter: RefundFilter): Promise<Page<RefundJson>> {
  const { merchantId, locationId, status, page } = filter;
  const rows = await sql<Pick<RefundWithJson, 'id' | 'createdAt' | 'updatedAt' | 'v2Json'>[]>`
    select refund_id as id, created_at, updated_at, ${v2Json(sql)}
    from refunds
    where merchant_id = ${merchantId} and ${shownByV2(sql)}
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${status === undefined ? sql`` : sql`and status = ${status}`}
    ${changeClause(sql, 'refund_id', filter, page)}`;
  return toPage(rows, page.limit, changePosition(filter));
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

/**
 * Inserts refunds of locked payments, at most one per payment, and reserves their amounts. PENDING refunds get due work that
 * finishes them at `dueAt`.
 */
export async function insertRefunds(
  tx: Tx,
  merchantId: string,
  refunds: readonly Refund[],
  dueAt: Instant,
): Promise<RefundWithJson[]> {
  const rows = await tx<RefundJson[]>`
    select ${fn(tx, 'create_refunds')}(${merchantId}, ${`[${refunds.map(toRefundRow)}]`}::text::json, ${dueAt}) as v2_json`;
  return refunds.map((refund, index) => ({ ...refund, v2Json: requireFound(rows[index], 'a created refund').v2Json }));
}

/** Bulk insert of past refunds in their current state, without their movements. Their payments already include the amounts. */
export function insertPastRefunds(past: Bulk, merchantId: string, refunds: readonly Refund[]): void {
  past.copy(
    'refunds',
    (tx) => tx`copy refunds (merchant_id, ${REFUND_COLUMNS.names(tx)}) from stdin`,
    refunds,
    (refund) => [merchantId, ...REFUND_COLUMNS.toCells(toStoredRefund(refund))],
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
    select ${fn(tx, 'complete_refund')}(
      ${merchantId}, ${refund.id}, ${at}, ${returnedFee}, ${appFee}, ${MOVEMENT_COLUMNS.toRow(movement)}::text::json
    )`;
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
    select ${fn(tx, 'fail_refund')}(
      ${merchantId}, ${refund.id}, ${at}, ${reversal ? toRefundRow(reversal.refund) : null}::text::json,
      ${movement ? MOVEMENT_COLUMNS.toRow(movement) : null}::text::json,
      ${processorWork ? toWorkRow(processorWork) : null}::text::json
    )`;
}
