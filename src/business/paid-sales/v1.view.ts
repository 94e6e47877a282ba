/** Sales as the first generation shows them: it calls them payments, and what paid them tenders. */
import { V1Money } from '../../api/money.js';
import { choice, model, optional, Time, Type } from '../../api/wire.js';
import { RECEIPT_FIELDS } from '../receipts/v1.view.js';
import { V1Refund } from '../refunds/v1.view.js';
import type { Tender } from './model.js';

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
  tip_money: optional(V1Money),
  tendered_money: V1Money,
  tendered_at: Time,
  settled_at: optional(Time),
  change_back_money: optional(V1Money),
  refunded_money: V1Money,
  is_exchange: Type.Boolean(),
});

const tenders = Type.Array(V1Tender);

export const V1Payment = model('V1Payment', {
  id: Type.String(),
  merchant_id: Type.String(),
  created_at: Time,
  creator_id: Type.String(),
  // Empty where no register was there.
  device: model('V1PaymentDevice', { id: optional(Type.String()), name: optional(Type.String()) }),
  payment_url: Type.String(),
  receipt_url: optional(Type.String()),
  tip_money: V1Money,
  total_collected_money: V1Money,
  processing_fee_money: V1Money,
  net_total_money: V1Money,
  refunded_money: V1Money,
  ...RECEIPT_FIELDS,
  // Decision 0016: what clients read, and what the contract says.
  tender: tenders,
  tenders,
  refunds: Type.Array(V1Refund),
  is_partial: Type.Boolean(),
});

export function receiptUrl({ id }: Pick<Tender, 'id'>): string {
  return `https://squareup.com/receipt/preview/${id}`;
}

/** v2's word in v1's spelling (contract 18); those that v1 has no word for are others. */
export function toV1Brand(brand: string | null): (typeof CARD_BRANDS)[number] {
  if (brand === 'MASTERCARD') return 'MASTER_CARD';
  return CARD_BRANDS.find((known) => known === brand) ?? 'OTHER_BRAND';
}
