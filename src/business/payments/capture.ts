/** The single steps of a payment's life, each one statement: captured, voided, reversed. */
import type { Ids } from '../../base/ids.js';
import { ZERO } from '../../base/money.js';
import { type Instant, latest } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import { breakDownTip, unlessEmpty } from '../receipts/breakdown.js';
import { givenBack, type Payment, processingFee, type Refund, refundable, type ShownPayment } from './model.js';
import { chargeOf, type Reversal, reversalOf } from './outcomes.js';
import { findAppFeeLeft, movePaymentToCanceled, movePaymentToCompleted } from './queries.js';

/** Whose payment is changed, and when. */
interface Change {
  readonly merchantId: string;
  readonly ids: Ids;
  readonly at: Instant;
  /** The processor has books of its own. */
  readonly tell: boolean;
}

/** Undefined where it is no longer APPROVED. */
export async function captured(
  tx: Tx,
  { merchantId, ids, at }: Omit<Change, 'tell'>,
  payment: Payment,
): Promise<ShownPayment | undefined> {
  const fee = processingFee(payment);
  const movement = chargeOf(ids, { ...payment, status: 'COMPLETED', capturedAt: at, fee });
  if (!movement) throw new Error('a captured payment is owed for');
  return movePaymentToCompleted(tx, { merchantId, paymentId: payment.id, at, fee, movement });
}

/** Undefined where it is no longer APPROVED. */
export async function voidApproved(
  tx: Tx,
  merchantId: string,
  paymentId: string,
  at: Instant,
): Promise<ShownPayment | undefined> {
  return movePaymentToCanceled(tx, { merchantId, paymentId, at, from: 'APPROVED' });
}

/**
 * Decision 0028: an approved payment is voided; of a captured one, what is not refunded or about to be goes back. Both
 * are final for us at once; a processor with books of its own is told by due work, until it has answered. The refund that
 * gave something back; undefined where there was nothing to give.
 */
export async function reverseOrVoid(
  tx: Tx,
  { merchantId, ids, at: askedAt, tell }: Change,
  payment: Payment,
): Promise<Refund | undefined> {
  // Who asked before the payment was made, and waited for it, does not date back before it.
  const at = latest(askedAt, payment.updatedAt);
  const move = { merchantId, paymentId: payment.id, at };
  if (payment.status === 'APPROVED') {
    const told = tell ? ({ kind: 'RELEASE_HOLD', subjectId: payment.id, dueAt: at } as const) : undefined;
    await movePaymentToCanceled(tx, { ...move, from: 'APPROVED', told });
  }
  if (payment.status !== 'COMPLETED') return undefined;
  const reversal = await reversalOfRest(tx, { merchantId, ids, at }, payment);
  const movement = reversal?.movement;
  const told = tell && movement ? ({ kind: 'GIVE_BACK', subjectId: movement.id, dueAt: at } as const) : undefined;
  await movePaymentToCanceled(tx, { ...move, from: 'COMPLETED', reversal, told });
  return reversal?.refund;
}

/** Undefined where nothing is left to be taken back. Nothing that can be cancelled has a receipt whose lines would be given back. */
async function reversalOfRest(
  tx: Tx,
  { merchantId, ids, at }: Omit<Change, 'tell'>,
  payment: Payment,
): Promise<Reversal | undefined> {
  const part = refundable(payment);
  if (part === ZERO) return undefined;
  const breakdown = unlessEmpty(breakDownTip(payment, { before: givenBack(payment), part }));
  return reversalOf(ids, payment, { part, at, breakdown, appFeeLeft: await findAppFeeLeft(tx, merchantId, payment) });
}
