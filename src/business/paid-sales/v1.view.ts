/** The v1 schemas of sales, which v1 calls payments, and of their tenders. */
import { V1Money } from '../../api/money.js';
import { choice, model, optional, Time, Type } from '../../api/wire.js';
import { RECEIPT_FIELDS } from '../receipts/v1.view.js';
import { V1Refund } from '../refunds/v1.view.js';

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
  // An empty object without a register.
  device: model('V1PaymentDevice', { id: optional(Type.String()), name: optional(Type.String()) }),
  payment_url: Type.String(),
  receipt_url: optional(Type.String()),
  tip_money: V1Money,
  total_collected_money: V1Money,
  processing_fee_money: V1Money,
  net_total_money: V1Money,
  refunded_money: V1Money,
  ...RECEIPT_FIELDS,
  // Clients read `tender`, the contract says `tenders`, so both are returned (decision 0016).
  tender: tenders,
  tenders,
  refunds: Type.Array(V1Refund),
  is_partial: Type.Boolean(),
});

/** Converts a card brand of v2 into v1 (contract 18). Brands that v1 does not have become OTHER_BRAND. */
export function toV1Brand(brand: string | null): (typeof CARD_BRANDS)[number] {
  if (brand === 'MASTERCARD') return 'MASTER_CARD';
  return CARD_BRANDS.find((known) => known === brand) ?? 'OTHER_BRAND';
}
