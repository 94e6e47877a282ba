/** The v1 schemas of sales, which v1 calls payments, and of their tenders. */
import { V1Money } from '../../api/money.js';
import { about, choice, model, optional, Time, Type } from '../../api/wire.js';
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
  id: about('The id of the tender.', Type.String()),
  type: about('How the buyer paid.', choice(TENDER_TYPES)),
  name: about('The name of the tender for people, for example `Visa`.', Type.String()),
  employee_id: about('The employee who took the tender.', optional(Type.String())),
  receipt_url: about("The address of the buyer's receipt.", Type.String()),
  card_brand: about('The brand of the card.', optional(choice(CARD_BRANDS))),
  pan_suffix: about('The last four digits of the card number.', optional(Type.String())),
  entry_method: about('How the card was read.', optional(choice(ENTRY_METHODS))),
  payment_note: about('A note about the tender.', optional(Type.String())),
  total_money: about('The amount of the tender, with its tip.', V1Money),
  tip_money: about('The tip within the total.', optional(V1Money)),
  tendered_money: about('What the buyer handed over. With cash it can be more than the total.', V1Money),
  tendered_at: about('When the tender was taken.', Time),
  settled_at: about('When the tender was part of a settlement.', optional(Time)),
  change_back_money: about('The change that the buyer got.', optional(V1Money)),
  refunded_money: about('What was refunded to this tender. Zero or negative.', V1Money),
  is_exchange: about('Whether the tender is the value of returned goods.', Type.Boolean()),
});

const tenders = Type.Array(V1Tender);

export const V1Payment = model('V1Payment', {
  id: about('The id of the sale. The first generation calls a sale a payment.', Type.String()),
  merchant_id: about('The location of the sale.', Type.String()),
  created_at: about('When the sale was made.', Time),
  creator_id: about('The employee who rang up the sale, or else the merchant.', Type.String()),
  // An empty object without a register.
  device: about(
    'The register of the sale. Empty if there is none.',
    model('V1PaymentDevice', {
      id: about('The id of the register.', optional(Type.String())),
      name: about('The name of the register.', optional(Type.String())),
    }),
  ),
  payment_url: about("The address of the sale's page in the dashboard.", Type.String()),
  receipt_url: about("The address of the buyer's receipt.", optional(Type.String())),
  tip_money: about('The sum of all tips.', V1Money),
  total_collected_money: about('What all tenders paid together.', V1Money),
  processing_fee_money: about('The sum of all processing fees. Zero or negative.', V1Money),
  net_total_money: about('What was collected, less the processing fees.', V1Money),
  refunded_money: about('What was refunded. Zero or negative.', V1Money),
  ...RECEIPT_FIELDS,
  // Clients read `tender`, the contract says `tenders`, so both are returned (decision 0016).
  tender: about('The tenders of the sale. The same as `tenders`.', tenders),
  tenders: about('The tenders of the sale.', tenders),
  refunds: about('The refunds of the sale.', Type.Array(V1Refund)),
  is_partial: about('Whether the sale is not paid in full.', Type.Boolean()),
});

/** Converts a card brand of v2 into v1 (contract 18). Brands that v1 does not have become OTHER_BRAND. */
export function toV1Brand(brand: string | null): (typeof CARD_BRANDS)[number] {
  if (brand === 'MASTERCARD') return 'MASTER_CARD';
  return CARD_BRANDS.find((known) => known === brand) ?? 'OTHER_BRAND';
}
