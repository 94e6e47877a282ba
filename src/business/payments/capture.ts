/** Captures, voids and reverses payments, each with one call of a function in the database. */
import type { Ids } from '../../base/ids.js';
import { ZERO } from '../../base/money.js';
import { type Instant, latest } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import { breakDownTip, nullIfEmpty } from '../receipts/breakdown.js';
import { type Payment, processingFee, type Refund, refundable, refundedOrExchanged } from './model.js';
import { type Reversal, toChargeMovement, toReversal } from './outcomes.js';
import {
  findRemainingAppFee,
  movePaymentToCanceled,
  movePaymentToCompleted,
  type PaymentJson,
  type PaymentWithJson,
} from './queries.js';

interface Change {
  readonly merchantId: string;
  readonly ids: Ids;
  readonly at: Instant;
  /** Whether the processor has a ledger that also has to change. */
  readonly notifyProcessor: boolean;
}

/** Returns undefined if the payment is no longer APPROVED. */
export async function capturePayment(
  tx: Tx,
  { merchantId, ids, at }: Omit<Change, 'notifyProcessor'>,
  payment: Payment,
): Promise<PaymentWithJson | undefined> {
  const fee = processingFee(payment);
  const movement = toChargeMovement(ids, { ...payment, status: 'COMPLETED', capturedAt: at, fee });
  if (!movement) throw new Error('a captured card payment must have a charge movement');
  const json = await movePaymentToCompleted(tx, { merchantId, paymentId: payment.id, at, fee, movement });
  if (!json) return undefined;
  const updatedAt = latest(payment.updatedAt, at);
  return { ...payment, status: 'COMPLETED', capturedAt: at, updatedAt, fee, delayedUntil: null, ...json };
}

/** Returns undefined if the payment is no longer APPROVED. */
export async function voidApproved(
  tx: Tx,
  merchantId: string,
  paymentId: string,
  at: Instant,
): Promise<PaymentJson | undefined> {
  return movePaymentToCanceled(tx, { merchantId, paymentId, at, from: 'APPROVED' });
}

/**
 * Voids an APPROVED payment. Of a COMPLETED payment, refunds the amount that no refund has reserved (decision 0028). The
 * change here is final at once. Due work notifies a processor that has its own ledger, and retries until it responds.
 * Returns the refund, or undefined if there is none.
 */
export async function reverseOrVoid(
  tx: Tx,
  { merchantId, ids, at: requestedAt, notifyProcessor }: Change,
  payment: Payment,
): Promise<Refund | undefined> {
  // A request can arrive before the payment is recorded and wait for it. The change must not be dated before the payment.
  const at = latest(requestedAt, payment.updatedAt);
  const move = { merchantId, paymentId: payment.id, at };
  if (payment.status === 'APPROVED') {
    const processorWork = notifyProcessor
      ? ({ kind: 'SEND_VOID', subjectId: payment.id, dueAt: at } as const)
      : undefined;
    await movePaymentToCanceled(tx, { ...move, from: 'APPROVED', processorWork });
  }
  if (payment.status !== 'COMPLETED') return undefined;
  const reversal = await toReversalOfRemainder(tx, { merchantId, ids, at }, payment);
  const movement = reversal?.movement;
  const processorWork =
    notifyProcessor && movement ? ({ kind: 'SEND_REVERSAL', subjectId: movement.id, dueAt: at } as const) : undefined;
  await movePaymentToCanceled(tx, { ...move, from: 'COMPLETED', reversal, processorWork });
  return reversal?.refund;
}

/**
 * Undefined if nothing is left to refund. The breakdown has the tip only: a payment that can be reversed is of the API, or of a
 * sale that was never paid in full.
 */
async function toReversalOfRemainder(
  tx: Tx,
  { merchantId, ids, at }: Omit<Change, 'notifyProcessor'>,
  payment: Payment,
): Promise<Reversal | undefined> {
  const part = refundable(payment);
  if (part === ZERO) return undefined;
  const breakdown = nullIfEmpty(breakDownTip(payment, { before: refundedOrExchanged(payment), part }));
  return toReversal(ids, payment, {
    part,
    at,
    breakdown,
    remainingAppFee: await findRemainingAppFee(tx, merchantId, payment),
  });
}
