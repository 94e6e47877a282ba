/** Captures, voids and reverses payments. */
import type { Ids } from '../../base/ids.js';
import { ZERO } from '../../base/money.js';
import { type Instant, latest } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import type { Charged } from '../../processor/contract.js';
import { breakDownTip, nullIfEmpty } from '../receipts/breakdown.js';
import { type Payment, processingFee, type Refund, refundable, refundedOrExchanged } from './model.js';
import { type Reversal, toChargeMovement, toReversal } from './outcomes.js';
import { findRemainingAppFee, movePaymentToCanceled, movePaymentToCompleted } from './queries.js';

interface ChangeContext {
  readonly ids: Ids;
  readonly at: Instant;
  /** Whether the processor has a ledger that also has to change. */
  readonly notifyProcessor: boolean;
}

/** Captures an APPROVED payment. Returns it as it is afterwards. */
export function capturePayment(
  change: Change,
  { ids, at }: Omit<ChangeContext, 'notifyProcessor'>,
  payment: Payment,
  { fee = processingFee(payment) }: Charged,
): Payment {
  const captured = {
    ...payment,
    status: 'COMPLETED',
    capturedAt: at,
    updatedAt: latest(payment.updatedAt, at),
    fee,
    delayedUntil: null,
  } as const;
  const movement = toChargeMovement(ids, captured);
  if (!movement) throw new Error('a captured card payment must have a charge movement');
  movePaymentToCompleted(change, { paymentId: payment.id, at, fee, movement });
  return captured;
}

export function voidApproved(change: Change, payment: Payment, at: Instant): Payment {
  movePaymentToCanceled(change, { paymentId: payment.id, at, from: 'APPROVED' });
  return { ...payment, status: 'CANCELED', updatedAt: latest(payment.updatedAt, at), delayedUntil: null };
}

/**
 * Voids an APPROVED payment. Of a COMPLETED payment, refunds the amount that no refund has reserved (decision 0028). The
 * change here is final at once. Due work notifies a processor that has its own ledger, and retries until it responds.
 * Returns the refund, or undefined if there is none.
 */
export async function reverseOrVoid(
  change: Change,
  { ids, at: requestedAt, notifyProcessor }: ChangeContext,
  payment: Payment,
): Promise<Refund | undefined> {
  // A request can arrive before the payment is recorded and wait for it. The change must not be dated before the payment.
  const at = latest(requestedAt, payment.updatedAt);
  const move = { paymentId: payment.id, at };
  if (payment.status === 'APPROVED') {
    const processorWork = notifyProcessor
      ? ({ kind: 'SEND_VOID', subjectId: payment.id, dueAt: at } as const)
      : undefined;
    movePaymentToCanceled(change, { ...move, from: 'APPROVED', processorWork });
  }
  if (payment.status !== 'COMPLETED') return undefined;
  const reversal = await toReversalOfRemainder(change, { ids, at }, payment);
  const movement = reversal?.movement;
  const processorWork =
    notifyProcessor && movement ? ({ kind: 'SEND_REVERSAL', subjectId: movement.id, dueAt: at } as const) : undefined;
  movePaymentToCanceled(change, { ...move, from: 'COMPLETED', reversal, processorWork });
  return reversal?.refund;
}

/**
 * Undefined if nothing is left to refund. The breakdown has the tip only: a payment that can be reversed is of the API, or of a
 * sale that was never paid in full.
 */
async function toReversalOfRemainder(
  change: Change,
  { ids, at }: Omit<ChangeContext, 'notifyProcessor'>,
  payment: Payment,
): Promise<Reversal | undefined> {
  const part = refundable(payment);
  if (part === ZERO) return undefined;
  const breakdown = nullIfEmpty(breakDownTip(payment, { before: refundedOrExchanged(payment), part }));
  const remainingAppFee = await findRemainingAppFee(change, payment);
  return toReversal(ids, payment, { part, at, breakdown, remainingAppFee });
}
