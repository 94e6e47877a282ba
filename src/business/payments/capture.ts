/** Captures, voids and reverses payments. */
import type { Ids } from '../../base/ids.js';
import { ZERO } from '../../base/money.js';
import { type Instant, latest } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import type { Charged } from '../../processor/contract.js';
import { addOverdueWork, removeWork } from '../due-work/actions.js';
import { recordMovement } from '../movements/actions.js';
import { breakDownTip, nullIfEmpty } from '../receipts/breakdown.js';
import { recordApiSale } from '../sales/actions.js';
import { cancel, capture, type Payment, processingFee, type Refund, refundable, refundedOrExchanged } from './model.js';
import { type Reversal, toChargeMovement, toReversal } from './outcomes.js';
import { findRemainingAppFee } from './queries.js';
import { bringBackSale, insertRefundRow, savePayment } from './rows.js';
import { processorCalls } from './table.js';

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
  const captured = capture(payment, { at, fee });
  const movement = toChargeMovement(ids, captured);
  if (!movement) throw new Error('a captured card payment must have a charge movement');
  savePayment(change, captured);
  recordApiSale(change, captured);
  recordMovement(change, movement);
  endApproval(change, payment.id);
  return captured;
}

/** Removes what waits for the end of an approved payment: the call in flight, and the work that would void it. */
function endApproval(change: Change, paymentId: string): void {
  change.delete(processorCalls, { paymentId });
  removeWork(change, { kind: 'EXPIRE_PAYMENT', subjectId: paymentId });
}

export function voidApproved(change: Change, payment: Payment, at: Instant): Payment {
  bringBackSale(change, payment.id);
  const canceled = cancel(payment, at);
  savePayment(change, canceled);
  endApproval(change, payment.id);
  return canceled;
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
  if (payment.status === 'APPROVED') {
    voidApproved(change, payment, at);
    if (notifyProcessor) addOverdueWork(change, { kind: 'SEND_VOID', subjectId: payment.id, dueAt: at });
  }
  if (payment.status !== 'COMPLETED') return undefined;
  bringBackSale(change, payment.id);
  const { refund, movement } = (await toReversalOfRemainder(change, { ids, at }, payment)) ?? {};
  if (refund) insertRefundRow(change, refund);
  savePayment(change, cancel(payment, at, refund));
  if (movement) {
    recordMovement(change, movement);
    if (notifyProcessor) addOverdueWork(change, { kind: 'SEND_REVERSAL', subjectId: movement.id, dueAt: at });
  }
  endApproval(change, payment.id);
  return refund;
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
