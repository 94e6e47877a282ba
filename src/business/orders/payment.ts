/** Pays the sale of an online order: with one card, all of it, once. */
import type { Ids } from '../../base/ids.js';
import { toJson } from '../../base/json.js';
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import type { Processor, ProcessorMerchant } from '../../processor/contract.js';
import { chargeForSale } from '../payments/charge.js';
import { type Payment, type PaymentStatus, type PendingPayment, UNANSWERED } from '../payments/model.js';
import { ID_LENGTH } from '../payments/outcomes.js';

export interface PayableOrder {
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
  readonly ids: Ids;
  readonly now: Instant;
}

/** Charges a card for a sale that is open and whose order is locked. */
export async function payOnline(
  tx: Tx,
  { merchant, processor, ids, now }: OnlineContext,
  sale: PayableOrder,
  sourceId: string,
): Promise<Payment<PaymentStatus>> {
  const pending = toPendingOnline(ids, sale, now);
  const charging = { merchant, processor, ids, at: now, now };
  return (await chargeForSale(tx, charging, pending, { sourceId, acceptPartial: false })).payment;
}

/** A payment as a shopper asks for it, before the processor has answered. */
export function toPendingOnline(ids: Ids, sale: PayableOrder, now: Instant): PendingPayment {
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
    details: toJson({ order_id: sale.orderId, buyer_email_address: sale.buyerEmail }),
    ...UNANSWERED,
  };
}
