/** The v1 view of the payment of an order. */
import { toV1Money } from '../../api/money.js';
import type { Static } from '../../api/wire.js';
import { negate, ZERO } from '../../base/money.js';
import { type Instant, printSeconds } from '../../base/time.js';
import { receiptUrl, toV1Brand, type V1Tender } from '../paid-sales/v1.view.js';
import type { OrderTender } from './model.js';

/** Converts a captured payment. */
export function toV1Tender(tender: OrderTender, capturedAt: Instant, currency: string): Static<typeof V1Tender> {
  const { id, cardBrand, last4, total, refundedOrExchanged } = tender;
  const brand = toV1Brand(cardBrand);
  const isGiftCard = brand === 'SQUARE_GIFT_CARD';
  const takenAt = printSeconds(capturedAt);
  return {
    id,
    type: isGiftCard ? 'SQUARE_GIFT_CARD' : 'CREDIT_CARD',
    name: isGiftCard ? 'Gift Card' : 'Credit Card',
    receipt_url: receiptUrl(tender),
    card_brand: brand,
    ...(last4 !== null && { pan_suffix: last4 }),
    entry_method: 'WEB_FORM',
    total_money: toV1Money(total, currency),
    tip_money: toV1Money(ZERO, currency), // the checkout has no tips
    tendered_money: toV1Money(total, currency),
    tendered_at: takenAt,
    settled_at: takenAt,
    refunded_money: toV1Money(negate(refundedOrExchanged), currency),
    is_exchange: false,
  };
}
