/** SQL statements on refunds. sale-refund-queries.ts reads them with their sales, for v1. */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import { type Change, json, type StepResult, type Versioned } from '../../database/change.js';
import type { Bulk } from '../../database/copy.js';
import { type Fragment, type Sql, toTimestamp } from '../../database/database.js';
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

/** `capturedAt` is when the payment was captured whose money goes back. */
const printed = (sql: Sql, capturedAt: Fragment) => sql`
  ${fn(sql, 'print_refund')}(
    refund_id, coalesce(returned_to, payment_id), location_id, status, source_type, created_at, updated_at, currency,
    amount, app_fee, returned_fee, ${capturedAt}, order_id, reason
  ) as v2_json`;

const v2Json = (sql: Sql) =>
  printed(
    sql,
    sql`case when returned_fee is not null then (
      select captured_at
      from payments
      where payments.merchant_id = refunds.merchant_id
        and payments.payment_id = coalesce(refunds.returned_to, refunds.payment_id)
    ) end`,
  );

/** v2 shows refunds of cards, without exchanges and reversals (decision 0025). */
const shownByV2 = (sql: Sql) => sql`source_type = 'CARD' and origin in ('API', 'REGISTER')`;

/** The same for a search by key: with plain conditions PostgreSQL could read an index of all such refunds of the merchant instead. */
const isShownByV2 = (sql: Sql) => sql`case when source_type = 'CARD' then origin in ('API', 'REGISTER') end`;

/** Finds only refunds that v2 shows. */
export async function findRefund(sql: Sql, merchantId: string, refundId: string): Promise<Refund | undefined> {
  const [row] = await sql<WithStoredBreakdown<Refund>[]>`
    select ${REFUND_COLUMNS.select(sql)}
    from refunds
    where merchant_id = ${merchantId} and refund_id = ${refundId} and ${isShownByV2(sql)}`;
  return row && withBreakdown(row);
}

/** The v2 JSON of a refund. */
export async function findRefundJson(sql: Sql, merchantId: string, refundId: string): Promise<RefundJson | undefined> {
  const [row] = await sql<RefundJson[]>`
    select ${v2Json(sql)}
    from refunds
    where merchant_id = ${merchantId} and refund_id = ${refundId} and ${isShownByV2(sql)}`;
  return row;
}

/** Finds a refund whose outcome is recorded. The change depends on it. */
export async function readRefund(change: Change, refundId: string): Promise<Refund | undefined> {
  const { sql, merchantId } = change;
  const [row] = await sql<(WithStoredBreakdown<Refund> & Versioned)[]>`
    select ${REFUND_COLUMNS.select(sql)}, xmin::text as version
    from refunds
    where merchant_id = ${merchantId} and refund_id = ${refundId}`;
  if (row) change.expect('refunds', [refundId], row);
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

/**
 * Inserts refunds of payments on which the change depends, and reserves their amounts. PENDING refunds get due work that finishes them at
 * `dueAt`.
 */
export function insertRefunds(
  change: Change,
  refunds: readonly Refund[],
  dueAt: Instant,
): StepResult<RefundWithJson[]> {
  const members = { refunds: json(`[${refunds.map(toRefundRow)}]`), due_at: toTimestamp(dueAt) };
  return change.call('create_refunds', members, (printed: readonly string[]) =>
    refunds.map((refund, index) => ({ ...refund, v2Json: printed[index] ?? '' })),
  );
}

/** Makes the exchanges that paid a tender not to have happened. `leaderId` is the first of them. The change depends on their payments. */
export function updateExchangesToUndone(
  change: Change,
  { leaderId, at }: { readonly leaderId: string; readonly at: Instant },
): void {
  change.call('undo_exchanges', { leader_id: leaderId, at: toTimestamp(at) });
}

/** The v2 JSON of refunds that are not committed yet. Fees are returned later. */
export async function listPrintedRefunds(sql: Sql, refunds: readonly Refund[]): Promise<RefundJson[]> {
  return sql<RefundJson[]>`
    select ${printed(sql, sql`null`)}
    from json_populate_recordset(null::refunds, ${`[${refunds.map(toRefundRow)}]`}::text::json)`;
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
  readonly refund: Refund;
  readonly at: Instant;
}

/** PENDING -> COMPLETED, with the movement. */
export function moveRefundToCompleted(
  change: Change,
  {
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
): void {
  change.call('complete_refund', {
    refund_id: refund.id,
    at: toTimestamp(at),
    returned_fee: returnedFee,
    app_fee: appFee,
    movement: json(MOVEMENT_COLUMNS.toRow(movement)),
  });
}

/** PENDING -> FAILED, or with `undo` COMPLETED -> FAILED. Releases the reserved amount. */
export function moveRefundToFailed(
  change: Change,
  {
    refund,
    at,
    reversal,
    processorWork,
    undo,
    blocks,
  }: RefundMove & {
    readonly reversal: Reversal | undefined;
    /** The due work that notifies the processor. */
    readonly processorWork: DueWork | undefined;
    /** Takes back the movement of a completed refund. */
    readonly undo?: Movement;
    /** Whether it blocks further refunds of the payment. */
    readonly blocks: boolean;
  },
): void {
  const movement = reversal?.movement;
  change.call('fail_refund', {
    refund_id: refund.id,
    at: toTimestamp(at),
    reversal: json(reversal ? toRefundRow(reversal.refund) : null),
    movement: json(movement ? MOVEMENT_COLUMNS.toRow(movement) : null),
    processor_work: json(processorWork ? toWorkRow(processorWork) : null),
    undo: json(undo ? MOVEMENT_COLUMNS.toRow(undo) : null),
    blocks,
  });
}
