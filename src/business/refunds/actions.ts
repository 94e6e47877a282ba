/** Gives money back: reserves it at once, and finishes when the processor has. */
import type { ApplicationContext } from '../../api/operation.js';
import { notFound, Refusal } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { type Amount, add, ZERO } from '../../base/money.js';
import { hashSecret } from '../../base/secrets.js';
import { type Instant, instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import type { Processor } from '../../processor/contract.js';
import type { Made } from '../payments/actions.js';
import { keepsBooks } from '../payments/calls.js';
import { findKey, type IdempotencyKey } from '../payments/key-queries.js';
import type { Payment } from '../payments/model.js';
import { returnOf } from '../payments/outcomes.js';
import { findAppFeeLeft, lockIdlePayment, lockPayment } from '../payments/queries.js';
import { REFUND_DELAY_MS, type Refund, requireAppFeeShare, requireRefundable } from './model.js';
import {
  findRefund,
  insertRefund,
  insertRefundKey,
  lockRefund,
  moveRefundToCompleted,
  moveRefundToFailed,
} from './queries.js';

export interface NewRefund {
  readonly key: string;
  /** The whole request in one form. */
  readonly request: string;
  readonly paymentId: string;
  readonly amount: Amount;
  readonly appFee: Amount | null;
  readonly reason: string | null;
}

export const SUFFIX_LENGTH = 43;

export async function refundPayment(context: ApplicationContext, given: NewRefund): Promise<Made<Refund>> {
  const { database, merchant, caller, now } = context;
  const key: IdempotencyKey = { applicationId: caller.applicationId, operation: 'refundPayment', key: given.key };
  const requestHash = hashSecret(given.request);
  const id = `${given.paymentId}_${newId(SUFFIX_LENGTH)}`;
  return database.transaction(async (tx) => {
    // Refusals below roll the key back, so a refused request can be mended and sent again.
    if (!(await insertRefundKey(tx, merchant.id, key, requestHash, id)))
      return replay(tx, merchant.id, key, requestHash);
    const payment = await lockPayment(tx, merchant.id, given.paymentId);
    if (!payment) {
      throw new Refusal('NOT_FOUND', { field: 'payment_id', detail: notFound('payment', given.paymentId).message });
    }
    requireRefundable(payment, given.amount, now);
    if (given.appFee !== null) {
      const left = await findAppFeeLeft(tx, merchant.id, payment);
      requireAppFeeShare(given.appFee, { amount: given.amount, left });
    }
    const refund = toNewRefund(payment, given, { id, now });
    await insertRefund(tx, merchant.id, refund, instant(now + REFUND_DELAY_MS));
    return { made: refund, replayed: false };
  });
}

async function replay(tx: Tx, merchantId: string, key: IdempotencyKey, requestHash: Buffer): Promise<Made<Refund>> {
  const known = await findKey(tx, merchantId, key);
  if (!known?.requestHash.equals(requestHash))
    throw new Refusal('IDEMPOTENCY_KEY_REUSED', { field: 'idempotency_key' });
  const made = await findRefund(tx, merchantId, known.madeId);
  if (!made) throw new Error('a key names the refund it made');
  return { made, replayed: true };
}

export function toNewRefund(
  payment: Payment,
  given: Pick<NewRefund, 'amount' | 'appFee' | 'reason'>,
  { id, now }: { id: string; now: Instant },
): Refund {
  return {
    id,
    paymentId: payment.id,
    locationId: payment.locationId,
    status: 'PENDING',
    sourceType: payment.sourceType,
    createdAt: now,
    updatedAt: now,
    currency: payment.currency,
    amount: given.amount,
    appFee: given.appFee,
    returnedFee: null,
    orderId: newId(28),
    reason: given.reason,
  };
}

/** Due work (decision 0029): the processor has given the money back, or could not. */
export async function finishRefund(
  tx: Tx,
  { processor, merchantId }: { processor: Processor; merchantId: string },
  refundId: string,
  at: Instant,
): Promise<void> {
  const found = await findRefund(tx, merchantId, refundId);
  // The payment first, then the refund: the order in which a new refund locks them.
  const payment = found && (await lockIdlePayment(tx, merchantId, found.paymentId));
  const refund = payment && (await lockRefund(tx, merchantId, refundId));
  if (!payment || refund?.status !== 'PENDING') return;
  const { amount: part, appFee: appFeeShare } = refund;
  // What this refund itself had promised is free again.
  const appFeeLeft = add((await findAppFeeLeft(tx, merchantId, payment)) ?? ZERO, appFeeShare ?? ZERO);
  const merchant = { id: merchantId, hasRules: true }; // nobody waits for this, so the rules can be looked up
  if (await processor.refund({ key: `${merchantId}:${refundId}`, merchant, paymentId: payment.id, amount: part })) {
    const back = { part, kind: 'REFUND', refundId, at, appFeeShare, appFeeLeft } as const;
    const { movement, returnedFee } = returnOf(payment, back);
    await moveRefundToCompleted(tx, { merchantId, refund, at, movement, returnedFee });
    return;
  }
  // Decision 0028: of a payment that was reversed meanwhile, this part goes back with the rest.
  const back = { part, kind: 'REVERSAL', refundId: null, at, appFeeLeft } as const;
  const reversal = payment.status === 'CANCELED' ? returnOf(payment, back).movement : undefined;
  const told =
    reversal && keepsBooks(processor, merchantId)
      ? ({ kind: 'GIVE_BACK', subjectId: reversal.id, dueAt: at } as const)
      : undefined;
  await moveRefundToFailed(tx, { merchantId, refund, at, reversal, told });
}
