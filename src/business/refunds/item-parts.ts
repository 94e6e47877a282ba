/** What a refund or an exchange of items takes from each tender of a sale (decision 0146). Pure. */
import { Refusal } from '../../base/errors.js';
import type { DisputablePayment } from '../payments/model.js';
import { type PricedReturn, priceReturn, type ReturnedItem } from '../receipts/item-refunds.js';
import type { TenderPart } from './model.js';
import { allocateReturn, requireOnlyReturns } from './owner-rules.js';
import type { SaleToRefund } from './refund-tenders.js';

export interface ItemParts {
  readonly parts: readonly TenderPart[];
  readonly priced: PricedReturn;
}

/** `chosen` are the tenders from which the amount may come: all of the sale, or the one that the request names. */
export function toItemParts(
  { sale, tenders }: SaleToRefund,
  items: readonly ReturnedItem[],
  chosen: readonly DisputablePayment[] = tenders,
): ItemParts {
  if (sale.kind === 'API' || sale.state !== 'COMPLETED') {
    throw new Refusal('PAYMENT_NOT_REFUNDABLE', { detail: 'This sale has no items. Refund an amount.' });
  }
  requireOnlyReturns(tenders, sale.itemRefunds);
  const priced = priceReturn(sale.receipt, sale.itemRefunds, items);
  return { parts: requireParts(allocateReturn(chosen, sale.itemRefunds, priced.amount)), priced };
}

export function requireParts(parts: readonly TenderPart[]): readonly TenderPart[] {
  if (parts.length > 0) return parts;
  throw new Refusal('PAYMENT_NOT_REFUNDABLE', { detail: 'There is nothing left to refund.' });
}
