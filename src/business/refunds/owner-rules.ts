/** The rules of refunds that only the owner makes: from which tender an amount comes, and when items can be returned. Pure. */
import { Refusal } from '../../base/errors.js';
import { type Amount, amount, subtract, ZERO } from '../../base/money.js';
import { type DisputablePayment, type Payment, refundedOrExchanged } from '../payments/model.js';
import { type ItemRefund, returnedByItem } from '../receipts/item-refunds.js';
import type { TenderPart } from './model.js';

/** An amount that the owner refunds comes from one tender. With several tenders, the owner has to name it. */
export function requireAmountOfOne(tenders: readonly DisputablePayment[], part: Amount): TenderPart {
  const [payment, ...others] = tenders;
  if (payment && others.length === 0) return { payment, part };
  throw new Refusal('MISSING_REQUIRED_PARAMETER', {
    field: 'tender_id',
    detail: 'The sale has several tenders. Name the one that is refunded.',
  });
}

/** Once an amount was refunded or exchanged, it is not known for which items. */
export function requireOnlyReturns(tenders: readonly Payment[], earlier: readonly ItemRefund[]): void {
  if (tenders.every((tender) => refundedOrExchanged(tender) === returnedByItem(earlier, tender.id))) return;
  throw new Refusal('PAYMENT_NOT_REFUNDABLE', {
    field: 'items',
    detail:
      'A part of this sale was refunded by amount, so its items can no longer be refunded singly. Refund an amount.',
  });
}

/** Takes the price of returned items from the tenders in their order, but not from their tips. */
export function allocateReturn(
  tenders: readonly DisputablePayment[],
  earlier: readonly ItemRefund[],
  wanted: Amount,
): readonly TenderPart[] {
  const parts: TenderPart[] = [];
  let missing = wanted;
  for (const payment of tenders) {
    const left = subtract(payment.amount, returnedByItem(earlier, payment.id));
    const part = amount(Math.min(missing, left));
    missing = subtract(missing, part);
    if (part > ZERO) parts.push({ payment, part });
  }
  if (missing === ZERO) return parts;
  throw new Refusal('REFUND_AMOUNT_INVALID', {
    field: 'tender_id',
    detail: `The items cost ${wanted}, which is ${missing} more than was paid by this tender.`,
  });
}
