/** Finishes refunds: sends the money back through the processor, and records what has become of it. */
import { nowOn } from '../../base/clock.js';
import { requireFound } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { add, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import type { DueWork } from '../due-work/model.js';
import { findClock } from '../merchants/queries.js';
import {
  findChargedPayment,
  hasOwnLedger,
  type OutcomeWriter,
  type ProcessorWorkContext,
  refundKey,
} from '../payments/calls.js';
import { type ActiveDispute, type DisputablePayment, type Payment, payerOf } from '../payments/model.js';
import { type Reversal, toFailedRefundMovement, toRefundMovement, toReversal } from '../payments/outcomes.js';
import { findActiveDispute, findRemainingAppFee, readPayment } from '../payments/queries.js';
import { markLateDay } from '../reports/actions.js';
import type { Refund, RefundStatus } from './model.js';
import { moveRefundToCompleted, moveRefundToFailed } from './moves.js';
import { findRefund, readRefund } from './queries.js';

/** Due work: refunds the money at the processor (decision 0029). */
export async function finishRefund(
  { database, processor, ids, merchantId }: ProcessorWorkContext,
  refundId: string,
  at: Instant,
): Promise<OutcomeWriter> {
  const refund = await findRefund(database.sql, merchantId, refundId);
  if (refund?.status !== 'PENDING') return undefined;
  const charged = await findChargedPayment(database, merchantId, payerOf(refund));
  const call = { key: refundKey(merchantId, refundId), ...charged, amount: refund.amount, currency: refund.currency };
  const notifyProcessor = hasOwnLedger(processor, merchantId, charged);
  const dispute = await findActiveDispute(database.sql, merchantId, payerOf(refund));
  const stopped = isStopped(refund, dispute, notifyProcessor);
  const outcome = stopped ? 'STOPPED' : (await processor.refund(call)) ? 'COMPLETED' : 'FAILED';
  return (change) => recordRefundOutcome(change, { ids, refund, at }, { outcome, notifyProcessor });
}

/**
 * A dispute stops a refund that is still to be made. A processor with its own ledger knows disputes itself, and may have made the refund in
 * an earlier call, so it is asked, unless the refund is newer than the dispute.
 */
function isStopped(
  { overruledDisputeId, updatedAt }: Refund,
  dispute: ActiveDispute | undefined,
  hasLedger: boolean,
): boolean {
  if (!dispute || dispute.id === overruledDisputeId) return false;
  return !hasLedger || dispute.placedAt < updatedAt;
}

/** The payment whose money goes back. The change depends on it, and on the payment that is refunded. */
async function readPayer(change: Change, refund: Refund): Promise<DisputablePayment> {
  if (refund.returnedTo) await readPayment(change, refund.paymentId);
  return requireFound(await readPayment(change, payerOf(refund)), 'the payment of a refund');
}

/** Whether the payment was canceled meanwhile, with all that it had left. What it had exchanged was not a part of that. */
function isReversed({ status }: Pick<Payment, 'status'>, { returnedTo }: Refund): boolean {
  return status === 'CANCELED' && !returnedTo;
}

/** What the processor said. A refund that a dispute stopped fails too, but may be made again when the dispute ends (decision 0225). */
type Outcome = 'COMPLETED' | 'FAILED' | 'STOPPED';

/** Moves the refund to COMPLETED or FAILED. The payment may have changed during the call, so it is read again. */
async function recordRefundOutcome(
  change: Change,
  { ids, refund: requested, at }: { readonly ids: Ids; readonly refund: Refund; readonly at: Instant },
  { outcome, notifyProcessor }: { readonly outcome: Outcome; readonly notifyProcessor: boolean },
): Promise<void> {
  const payment = await readPayer(change, requested);
  const refund = await readRefund(change, requested.id);
  if (refund?.status !== 'PENDING') return; // another worker recorded it
  // The day of the refund may be rolled up already, because a processor may respond late. Now its fee changes, or it no longer counts.
  const clock = requireFound(await findClock(change.sql, change.merchantId), 'the merchant of a refund');
  markLateDay(change, { locationId: refund.locationId, at: refund.createdAt, now: nowOn(clock) });
  const { amount: part, appFee: appFeeShare, breakdown } = refund;
  // The share that this refund had promised is available again.
  const remainingAppFee = add((await findRemainingAppFee(change, payment)) ?? ZERO, appFeeShare ?? ZERO);
  if (outcome === 'COMPLETED') {
    const back = { part, kind: 'REFUND', refundId: refund.id, at, appFeeShare, remainingAppFee } as const;
    moveRefundToCompleted(change, { refund, at, ...toRefundMovement(ids, payment, back) });
    return;
  }
  // If the payment was reversed during the call, this part is reversed as well (decision 0028).
  const reversal = isReversed(payment, refund)
    ? toReversal(ids, payment, { part, at, remainingAppFee, breakdown })
    : undefined;
  if (reversal) markLateDay(change, { locationId: refund.locationId, at, now: nowOn(clock) });
  const processorWork = toWork(reversal, at, notifyProcessor);
  moveRefundToFailed(change, { refund, at, reversal, processorWork, blocks: outcome === 'FAILED' });
}

/** The work that notifies the processor of a reversal. */
function toWork(reversal: Reversal | undefined, at: Instant, notifyProcessor: boolean): DueWork | undefined {
  if (!reversal?.movement || !notifyProcessor) return undefined;
  return { kind: 'SEND_REVERSAL', subjectId: reversal.movement.id, dueAt: at };
}

/**
 * The processor reports that a refund, which it had accepted with this key, has failed: the money is with the merchant again.
 * Returns the status that the refund had, or undefined if the payment has no such refund. A PENDING refund is left to the worker, which
 * asks the processor itself.
 */
export async function failRefund(
  { database, ids, merchantId, at }: FailedRefundContext,
  { paymentId, key }: { readonly paymentId: string; readonly key: string },
): Promise<RefundStatus | undefined> {
  const prefix = refundKey(merchantId, '');
  if (!key.startsWith(prefix)) return undefined;
  return database.change(merchantId, async (change) => {
    const refund = await readRefund(change, key.slice(prefix.length));
    if (!refund || payerOf(refund) !== paymentId) return undefined;
    if (refund.status !== 'COMPLETED') return refund.status;
    const payment = await readPayer(change, refund);
    const { amount: part, breakdown, locationId } = refund;
    markLateDay(change, { locationId, at: refund.createdAt, now: at });
    const undo = toFailedRefundMovement(ids, payment, refund, at);
    const before = { ...payment, returned: subtract(payment.returned, part) };
    const remainingAppFee = add((await findRemainingAppFee(change, payment)) ?? ZERO, refund.appFee ?? ZERO);
    const reversal = isReversed(payment, refund)
      ? toReversal(ids, before, { part, at, remainingAppFee, breakdown })
      : undefined;
    moveRefundToFailed(change, { refund, at, reversal, processorWork: toWork(reversal, at, true), undo, blocks: true });
    return refund.status;
  });
}

export interface FailedRefundContext extends Pick<ProcessorWorkContext, 'database' | 'ids' | 'merchantId'> {
  readonly at: Instant;
}
