/** The card that paid an order, as the first generation shows tenders. */
import { toV1Money, V1Money } from '../../api/money.js';
import { choice, model, optional, type Static, Time, Type } from '../../api/wire.js';
import { negate } from '../../base/money.js';
import { type Instant, printSeconds } from '../../base/time.js';
import type { OrderTender } from './model.js';

const TENDER_TYPES = [
  'CREDIT_CARD',
  'CASH',
  'THIRD_PARTY_CARD',
  'NO_SALE',
  'SQUARE_WALLET',
  'SQUARE_GIFT_CARD',
  'UNKNOWN',
  'OTHER',
] as const;
const CARD_BRANDS = [
  'OTHER_BRAND',
  'VISA',
  'MASTER_CARD',
  'AMERICAN_EXPRESS',
  'DISCOVER',
  'DISCOVER_DINERS',
  'JCB',
  'CHINA_UNIONPAY',
  'SQUARE_GIFT_CARD',
] as const;
const ENTRY_METHODS = ['MANUAL', 'SCANNED', 'SQUARE_CASH', 'SQUARE_WALLET', 'SWIPED', 'WEB_FORM', 'OTHER'] as const;

export const V1Tender = model('V1Tender', {
  id: Type.String(),
  type: choice(TENDER_TYPES),
  name: Type.String(),
  employee_id: optional(Type.String()),
  receipt_url: Type.String(),
  card_brand: optional(choice(CARD_BRANDS)),
  pan_suffix: optional(Type.String()),
  entry_method: optional(choice(ENTRY_METHODS)),
  payment_note: optional(Type.String()),
  total_money: V1Money,
  tendered_money: V1Money,
  tendered_at: Time,
  settled_at: optional(Time),
  change_back_money: optional(V1Money),
  refunded_money: V1Money,
  is_exchange: Type.Boolean(),
});

/** Of one that was captured. */
export function toV1Tender(
  { id, cardBrand, last4, total, refunded }: OrderTender,
  capturedAt: Instant,
  currency: string,
): Static<typeof V1Tender> {
  const brand = toV1Brand(cardBrand);
  const isGiftCard = brand === 'SQUARE_GIFT_CARD';
  const takenAt = printSeconds(capturedAt);
  return {
    id,
    type: isGiftCard ? 'SQUARE_GIFT_CARD' : 'CREDIT_CARD',
    name: isGiftCard ? 'Gift Card' : 'Credit Card',
    receipt_url: `https://squareup.com/receipt/preview/${id}`,
    card_brand: brand,
    ...(last4 !== null && { pan_suffix: last4 }),
    entry_method: 'WEB_FORM',
    total_money: toV1Money(total, currency),
    tendered_money: toV1Money(total, currency),
    tendered_at: takenAt,
    settled_at: takenAt,
    refunded_money: toV1Money(negate(refunded), currency),
    is_exchange: false,
  };
}

/** v2's word in v1's spelling (facts 8); those that v1 has no word for are others. */
function toV1Brand(brand: string | null): (typeof CARD_BRANDS)[number] {
  if (brand === 'MASTERCARD') return 'MASTER_CARD';
  return CARD_BRANDS.find((known) => known === brand) ?? 'OTHER_BRAND';
}
