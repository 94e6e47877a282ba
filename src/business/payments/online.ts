/** Pays the sale of an online order: with one card, all of it, once. */
import { newId } from '../../base/ids.js';
import { toJson } from '../../base/json.js';
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import type { Processor, ProcessorMerchant } from '../../processor/contract.js';
import { nextTry } from './calls.js';
import { insertPayments } from './create-queries.js';
import { type Payment, type PaymentStatus, type PendingPayment, UNANSWERED } from './model.js';
import { applyOutcome, chargeOf, ID_LENGTH, refuseSource } from './outcomes.js';
import { moveSaleToCanceled } from './sale-queries.js';
import { addToSale } from './steps.js';

/** A shopper's payments belong to no application; the database lets a sale have one of them. */
const CHECKOUT = 'checkout';

export interface OnlineSale {
  readonly saleId: string;
  readonly orderId: string;
  readonly locationId: string;
  readonly due: Amount;
  readonly currency: string;
  readonly buyerEmail: string;
}

export interface OnlineContext {
  readonly merchant: ProcessorMerchant;
  readonly processor: Processor;
  readonly now: Instant;
}

/**
 * Charges a card for a sale that is open and whose order is locked. Where the processor's answer may be lost it is only
 * noted here: whoever asked then has it resolved (`resolveCreate`) when this is committed.
 */
export async function payOnline(
  tx: Tx,
  { merchant, processor, now }: OnlineContext,
  sale: OnlineSale,
  sourceId: string,
): Promise<Payment<PaymentStatus>> {
  const pending = toPending(sale, now);
  const key = `${merchant.id}:${pending.id}:CREATE`;
  const request = { key, sourceId, amount: pending.total, acceptPartial: false };
  if (!processor.isCertain(merchant)) {
    const call = { request: { ...request, autocomplete: true }, retryAt: nextTry() };
    await insertPayments(tx, [{ merchantId: merchant.id, payment: pending, call }]);
    return pending;
  }
  const asked = { ...request, merchant, paymentId: pending.id, verificationToken: undefined, capture: true };
  const outcome = await processor.authorize(asked);
  if (outcome.kind === 'unusable') throw refuseSource(outcome);
  const payment = applyOutcome(pending, outcome, { autocomplete: true, at: now });
  await insertPayments(tx, [{ merchantId: merchant.id, payment, movement: chargeOf(payment) }]);
  await addToSale(tx, merchant.id, payment);
  return payment;
}

/** Nobody will pay it any more. */
export async function giveUpSale(tx: Tx, merchantId: string, saleId: string): Promise<void> {
  await moveSaleToCanceled(tx, merchantId, saleId);
}

export function isOnline({ applicationId }: Pick<Payment, 'applicationId'>): boolean {
  return applicationId === CHECKOUT;
}

function toPending(sale: OnlineSale, now: Instant): PendingPayment {
  return {
    ...UNANSWERED,
    id: newId(ID_LENGTH),
    saleId: sale.saleId,
    locationId: sale.locationId,
    applicationId: CHECKOUT,
    sourceType: 'CARD',
    createdAt: now,
    updatedAt: now,
    currency: sale.currency,
    amount: sale.due,
    total: sale.due,
    details: toJson({ order_id: sale.orderId, buyer_email_address: sale.buyerEmail }),
  };
}
