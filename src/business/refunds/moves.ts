/** Creates refunds, and changes their states: with the sums of their payments, their movements, work and events. */
import { type Instant, latest } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { publish } from '../../events/publishing.js';
import { addOverdueWork, addWork } from '../due-work/actions.js';
import type { DueWork } from '../due-work/model.js';
import { recordMovement } from '../movements/actions.js';
import type { Movement } from '../movements/model.js';
import {
  type Payment,
  payerOf,
  withCompletedRefund,
  withFailedRefund,
  withoutExchange,
  withRefund,
  withReversal,
} from '../payments/model.js';
import type { Reversal } from '../payments/outcomes.js';
import { bringBackSale, insertRefundRow, plannedOutcome, savePayment, saveRefund } from '../payments/rows.js';
import type { PrintableRefund, Refund } from './model.js';
import { readCompletedExchanges } from './queries.js';
import { printRefund } from './v2.view.js';

/** The payments that a refund concerns: the one that is refunded, and the one whose money goes back, if that is another one. */
function idsOfPayments({ paymentId, returnedTo }: Refund): readonly string[] {
  return returnedTo ? [paymentId, returnedTo] : [paymentId];
}

export type CreatedRefund = Refund & PrintableRefund;

/**
 * Inserts refunds of payments on which the change depends, and reserves their amounts. PENDING refunds get due work that finishes them at
 * `dueAt`. The constraint payments_refunded refuses more than a payment has left.
 */
export function insertRefunds(change: Change, refunds: readonly Refund[], dueAt: Instant): CreatedRefund[] {
  return refunds.map((refund) => {
    const ids = idsOfPayments(refund);
    for (const id of ids) bringBackSale(change, id);
    insertRefundRow(change, refund);
    const created = { ...refund, capturedAt: plannedOutcome(change, payerOf(refund)).capturedAt };
    publishRefund(change, created, 'refund.created');
    for (const id of ids) savePayment(change, withRefund(plannedOutcome(change, id), refund));
    if (refund.status === 'PENDING') addWork(change, { kind: 'FINISH_REFUND', subjectId: refund.id, dueAt });
    return created;
  });
}

/** v2 shows refunds of cards, without exchanges and reversals (decision 0025). */
function publishRefund(
  change: Change,
  refund: Refund & PrintableRefund,
  kind: 'refund.created' | 'refund.updated',
): void {
  const { id: entityId, sourceType, origin, locationId, updatedAt: happenedAt } = refund;
  if (sourceType !== 'CARD' || (origin !== 'API' && origin !== 'REGISTER')) return;
  publish(change, { kind, locationId, entityId, happenedAt, object: printRefund(refund) });
}

interface RefundMove {
  /** The change depends on it, and on its payments. */
  readonly refund: Refund;
  readonly at: Instant;
}

/** Saves the new state of a refund with its payments. */
function moveRefund(
  change: Change,
  refund: Refund,
  changed: Pick<Refund, 'status' | 'updatedAt' | 'returnedFee'> & Partial<Pick<Refund, 'appFee'>>,
  next: (payment: Payment, moved: Refund) => Payment,
): void {
  const ids = idsOfPayments(refund);
  for (const id of ids) bringBackSale(change, id);
  const moved = { ...refund, ...changed };
  saveRefund(change, refund, changed);
  const { capturedAt } = plannedOutcome(change, payerOf(refund));
  publishRefund(change, { ...moved, capturedAt }, 'refund.updated');
  for (const id of ids) savePayment(change, next(plannedOutcome(change, id), moved));
}

/** PENDING -> COMPLETED, with the movement. Does nothing if it is not PENDING. */
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
    /** The returned application fee: the share that the request named, or the proportional share. Null without such a fee. */
  } & Pick<Refund, 'returnedFee' | 'appFee'>,
): void {
  if (refund.status !== 'PENDING') return;
  const updatedAt = latest(refund.updatedAt, at);
  moveRefund(change, refund, { status: 'COMPLETED', updatedAt, returnedFee, appFee }, withCompletedRefund);
  recordMovement(change, movement);
}

/**
 * PENDING -> FAILED, or with `undo` COMPLETED -> FAILED (decision 0187). Releases the reserved amount. If the payment was canceled meanwhile,
 * this part is reversed as well. Does nothing if the refund is in another state.
 */
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
    /** Whether it blocks further refunds of the payment (decision 0029). One that a dispute has stopped does not (decision 0225). */
    readonly blocks: boolean;
  },
): void {
  const was = undo ? 'COMPLETED' : 'PENDING';
  if (refund.status !== was) return;
  const changed = { status: 'FAILED', updatedAt: latest(refund.updatedAt, at), returnedFee: null } as const;
  const reversed = reversal?.refund;
  moveRefund(change, refund, changed, (payment, failed) => {
    const released = withFailedRefund(payment, failed, { was, blocks });
    return reversed?.paymentId === payment.id ? withReversal(released, reversed) : released;
  });
  if (reversed) insertRefundRow(change, reversed);
  if (reversal?.movement) recordMovement(change, reversal.movement);
  if (undo) recordMovement(change, undo);
  if (processorWork) addOverdueWork(change, processorWork);
}

/**
 * COMPLETED -> FAILED, of the exchanges that paid a tender of a sale that is canceled: what they were worth can be refunded or exchanged again.
 * `leaderId` is the first of them. The change depends on their payments.
 */
export async function moveExchangesToFailed(
  change: Change,
  { leaderId, at }: { readonly leaderId: string; readonly at: Instant },
): Promise<void> {
  for (const exchange of await readCompletedExchanges(change, leaderId)) {
    bringBackSale(change, exchange.paymentId);
    saveRefund(change, exchange, { status: 'FAILED', updatedAt: latest(exchange.updatedAt, at) });
    savePayment(change, withoutExchange(plannedOutcome(change, exchange.paymentId), exchange, at));
  }
}
