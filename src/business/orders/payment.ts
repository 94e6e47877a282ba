/** Charges one card for the total of an online order. */
import type { Ids } from '../../base/ids.js';
import type { Amount } from '../../base/money.js';
import type { RequestTrail } from '../../base/request-trail.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import type { Processor } from '../../processor/contract.js';
import { type ChargedMerchant, chargeForSale } from '../payments/charge.js';
import { toDetails } from '../payments/details.js';
import { type Payment, type PaymentStatus, PENDING_DEFAULTS, type PendingPayment } from '../payments/model.js';
import { ID_LENGTH } from '../payments/outcomes.js';
import { addTender } from '../sales/actions.js';
import { orders } from './table.js';

export interface PayableOrder {
  readonly saleId: string;
  readonly orderId: string;
  readonly locationId: string;
  readonly due: Amount;
  readonly currency: string;
  readonly buyerEmail: string;
}

export interface OnlineContext {
  readonly merchant: ChargedMerchant;
  readonly processor: Processor;
  readonly ids: Ids;
  readonly now: Instant;
  readonly trail: RequestTrail;
}

/**
 * The change depends on the order, and the sale is open. While the outcome is unknown, changes that were decided without the payment, such as
 * a cancellation, are decided again.
 */
export async function chargeOnline(
  change: Change,
  { merchant, processor, ids, now, trail }: OnlineContext,
  sale: PayableOrder,
  sourceId: string,
): Promise<Payment<PaymentStatus>> {
  const pending = toPendingOnlinePayment(ids, sale, now);
  const chargeContext = { merchant, processor, ids, at: now, now, trail };
  const payment = await chargeForSale(change, chargeContext, pending, { sourceId, acceptPartial: false });
  await addTender(change, payment, now);
  if (payment.status === 'PENDING') change.touch(orders, { id: sale.orderId });
  return payment;
}

/** The payment that a shopper requests, before the processor responds. */
export function toPendingOnlinePayment(ids: Ids, sale: PayableOrder, now: Instant): PendingPayment {
  return {
    id: ids.newId(ID_LENGTH),
    saleId: sale.saleId,
    locationId: sale.locationId,
    channel: 'ONLINE_STORE',
    applicationId: null,
    sourceType: 'CARD',
    createdAt: now,
    updatedAt: now,
    currency: sale.currency,
    amount: sale.due,
    total: sale.due,
    details: toDetails({ orderId: sale.orderId, buyerEmail: sale.buyerEmail }),
    ...PENDING_DEFAULTS,
  };
}
