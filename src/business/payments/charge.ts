/** Takes a payment for a sale that is locked: a register's sale, or that of an online order. */
import type { Ids } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import type { Processor, ProcessorMerchant } from '../../processor/contract.js';
import { addToSale } from '../sales/actions.js';
import type { OnlineSale, Sale } from '../sales/model.js';
import type { StoredRequest } from './call-queries.js';
import { callKey, nextTry } from './calls.js';
import { insertPayments } from './create-queries.js';
import type { Payment, PaymentStatus, PendingPayment } from './model.js';
import { applyOutcome, chargeOf, refuseSource } from './outcomes.js';

export interface Charging {
  readonly merchant: ProcessorMerchant;
  readonly processor: Processor;
  readonly ids: Ids;
  /** When it was taken, and when we hear of it. */
  readonly at: Instant;
  readonly now: Instant;
}

/**
 * The payment, and the sale where it has it. Where the processor's answer may be lost, the payment is only noted: whoever asked
 * then has it resolved (`resolveCreate`) when this is committed.
 */
export async function chargeForSale(
  tx: Tx,
  { merchant, processor, ids, at, now }: Charging,
  pending: PendingPayment,
  { sourceId, acceptPartial }: Pick<StoredRequest, 'sourceId' | 'acceptPartial'>,
): Promise<{ readonly payment: Payment<PaymentStatus>; readonly sale: Sale | OnlineSale | undefined }> {
  const merchantId = merchant.id;
  const request = { key: callKey(merchantId, pending.id, 'CREATE'), sourceId, amount: pending.total, acceptPartial };
  if (!processor.isCertain(merchant)) {
    const call = { request: { ...request, autocomplete: true }, retryAt: nextTry() };
    await insertPayments(tx, [{ merchantId, payment: pending, call }]);
    return { payment: pending, sale: undefined };
  }
  const asked = { ...request, merchant, paymentId: pending.id, verificationToken: undefined, capture: true };
  const outcome = await processor.authorize(asked);
  if (outcome.kind === 'unusable') throw refuseSource(outcome);
  const payment = applyOutcome(pending, outcome, { autocomplete: true, at, heardAt: now });
  await insertPayments(tx, [{ merchantId, payment, movement: chargeOf(ids, payment, now) }]);
  return { payment, sale: await addToSale(tx, merchantId, payment) };
}

/** Cash and other tenders need no processor: they are complete at once. */
export async function takeWithoutProcessor(
  tx: Tx,
  merchantId: string,
  payment: Payment,
): Promise<{ readonly payment: Payment; readonly sale: Sale | OnlineSale | undefined }> {
  await insertPayments(tx, [{ merchantId, payment }]);
  return { payment, sale: await addToSale(tx, merchantId, payment) };
}
