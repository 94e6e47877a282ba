/** Sales in v1, which calls them payments, and their tenders: their schemas, and the text that responses and stored copies have. */
import { printV1Money, V1Money } from '../../api/money.js';
import { about, choice, model, optional, Time, Type } from '../../api/wire.js';
import { QUANTITY_OF_ONE } from '../../base/decimal.js';
import { type Amount, amount, subtract, ZERO } from '../../base/money.js';
import { type ReceiptSite, receiptUrl } from '../../base/receipt-url.js';
import { printSeconds } from '../../base/time.js';
import { isGiftCard } from '../../processor/contract.js';
import { computeReceipt } from '../receipts/model.js';
import { printReceipt, RECEIPT_FIELDS } from '../receipts/v1.view.js';
import { printV1Refund, V1Refund } from '../refunds/v1.view.js';
import { tenderTypeOf } from '../tenders/model.js';
import { computeSaleSums, type PaidSale, sumRefunds, type Tender, type TenderRefund } from './model.js';

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

/** What the text of a sale needs besides the sale. */
export interface V1Site extends V1Addresses {
  readonly currency: string;
}

/** The addresses in a sale, as JSON text. In a stored copy they are only marked (`copies.ts`). */
export interface V1Addresses {
  /** Of the sale's page in the dashboard. */
  saleUrl(id: string): string;
  /** Of the receipt of a tender. */
  receiptUrl(tenderId: string): string;
}

/** The host of `payment_url` that clients know, for a server without a public URL (decision 0147). */
const KNOWN_HOST = 'https://squareup.com';

/** With the addresses of a server. */
export function toV1Site({ currency, ...site }: ReceiptSite & { readonly currency: string }): V1Site {
  const { publicUrl = KNOWN_HOST } = site;
  return {
    currency,
    saleUrl: (id) => `"${publicUrl}/dashboard/sales/transactions/${id}"`,
    receiptUrl: (tenderId) => `"${receiptUrl(site, tenderId)}"`,
  };
}

/**
 * Builds text without objects, because most parts are stored as text and a page has up to two hundred sales. The contract
 * tests check the text against the schema.
 */
export function printV1Payment(sale: PaidSale, site: V1Site): string {
  const { id, locationId } = sale;
  const { currency } = site;
  const sums = computeSaleSums(sale);
  const [first] = sale.tenders;
  const tenders = `[${sale.tenders.map((tender) => printV1Tender(tender, refundedOf(tender, sale), site)).join()}]`;
  return (
    `{"id":"${id}","merchant_id":"${locationId}","created_at":"${printSeconds(sale.createdAt)}"` +
    // The location's account, not the employee at the register (decision 0054).
    `,"creator_id":"${locationId}","device":${printDevice(sale)}` +
    `,"payment_url":${site.saleUrl(id)}` +
    (first ? `,"receipt_url":${site.receiptUrl(first.id)}` : '') +
    `,"tip_money":${printV1Money(sums.tip, currency)},"total_collected_money":${printV1Money(sums.collected, currency)}` +
    `,"processing_fee_money":${printV1Money(sums.fee, currency)},"net_total_money":${printV1Money(sums.net, currency)}` +
    `,"refunded_money":${printV1Money(sums.refunded, currency)}` +
    `,${receiptOf(sale, sums.paid, currency).slice(1, -1)}` +
    `,"tender":${tenders},"tenders":${tenders},"refunds":${printRefunds(sale)},"is_partial":${sale.isPartial}}`
  );
}

function printDevice({ deviceId, deviceName }: PaidSale): string {
  return deviceId === null ? '{}' : `{"id":"${deviceId}","name":${JSON.stringify(deviceName)}}`;
}

/** A partial sale shows no items (decision 0055). A payment of the API shows one custom amount. */
function receiptOf(sale: PaidSale, paid: Amount, currency: string): string {
  if (sale.isPartial) return printReceipt({ ...EMPTY_RECEIPT, gross: paid, net: paid, due: paid }, currency);
  if (sale.v1Receipt !== null) return sale.v1Receipt;
  return sale.receipt ? printReceipt(sale.receipt, currency) : printCustomAmount(paid, currency);
}

const EMPTY_RECEIPT = computeReceipt({ items: [], discounts: [], taxes: [], surcharges: [] });

/** A printed receipt of one minor unit for each currency. Receipts of other amounts differ from it only in the amount. */
const CUSTOM_AMOUNTS = new Map<string, string>();

function printCustomAmount(price: Amount, currency: string): string {
  let ofOne = CUSTOM_AMOUNTS.get(currency);
  if (ofOne === undefined) {
    const item = { kind: 'CUSTOM_AMOUNT', name: 'Custom Amount', quantity: QUANTITY_OF_ONE, price: amount(1) } as const;
    const items = [{ ...item, modifiers: [], discounts: [], taxes: [] }];
    ofOne = printReceipt(computeReceipt({ items, discounts: [], taxes: [], surcharges: [] }), currency);
    CUSTOM_AMOUNTS.set(currency, ofOne);
  }
  return ofOne.replaceAll('"amount":1,', `"amount":${price},`);
}

function refundedOf({ id }: Tender, { refunds }: PaidSale): Amount {
  return sumRefunds(refunds.filter(({ paymentId }) => paymentId === id));
}

/** A tender as text. `refunded` is never positive. */
export function printV1Tender(
  tender: Omit<Tender, 'amount' | 'fee'>,
  refunded: Amount,
  { currency, receiptUrl }: V1Site,
): string {
  const { id, total, tendered } = tender;
  const takenAt = printSeconds(tender.capturedAt);
  return (
    `{"id":"${id}",${printKind(tender)}` +
    (tender.employeeId === null ? '' : `,"employee_id":"${tender.employeeId}"`) +
    `,"receipt_url":${receiptUrl(id)}` +
    (tender.note === null ? '' : `,"payment_note":${JSON.stringify(tender.note)}`) +
    `,"total_money":${printV1Money(total, currency)}` +
    (tender.sourceType === 'CARD' ? `,"tip_money":${printV1Money(tender.tip ?? ZERO, currency)}` : '') +
    `,"tendered_money":${printV1Money(tendered ?? total, currency)}` +
    `,"tendered_at":"${takenAt}"` +
    (tender.sourceType === 'CARD' ? `,"settled_at":"${takenAt}"` : '') +
    (tender.sourceType === 'CASH'
      ? `,"change_back_money":${printV1Money(subtract(tendered ?? total, total), currency)}`
      : '') +
    `,"refunded_money":${printV1Money(refunded, currency)},"is_exchange":${tender.isExchange}}`
  );
}

function printKind(tender: Pick<Tender, 'sourceType' | 'tenderName' | 'cardBrand' | 'last4' | 'entryMethod'>): string {
  switch (tender.sourceType) {
    case 'CASH':
      return '"type":"CASH","name":"Cash"';
    case 'OTHER':
      if (tenderTypeOf(tender) === 'EXTERNAL_CARD') {
        return `"type":"THIRD_PARTY_CARD","name":"Third-Party Card",${printCard(tender)},"entry_method":"OTHER"`;
      }
      return `"type":"OTHER","name":${JSON.stringify(tender.tenderName ?? 'Other')}`;
    case 'CARD': {
      const kind = isGiftCard(tender.cardBrand)
        ? '"type":"SQUARE_GIFT_CARD","name":"Gift Card"'
        : '"type":"CREDIT_CARD","name":"Credit Card"';
      return `${kind},${printCard(tender)},"entry_method":"${tender.entryMethod ?? 'WEB_FORM'}"`;
    }
  }
}

function printCard({ cardBrand, last4 }: Pick<Tender, 'cardBrand' | 'last4'>): string {
  return `"card_brand":"${toV1Brand(cardBrand)}"${last4 === null ? '' : `,"pan_suffix":"${last4}"`}`;
}

function printRefunds(sale: PaidSale): string {
  const printed = sale.refunds.map((refund) => {
    const { fee, total } = tenderOf(refund, sale);
    return printV1Refund({ v1Id: sale.id, ...refund, fee, total });
  });
  return `[${printed.join()}]`;
}

function tenderOf({ id, paymentId }: TenderRefund, { tenders }: PaidSale): Tender {
  const tender = tenders.find((each) => each.id === paymentId);
  if (!tender) throw new Error(`refund ${id} belongs to no tender of its sale`);
  return tender;
}

/** Converts a card brand of v2 into v1 (contract 18). Brands that v1 does not have become OTHER_BRAND. */
export function toV1Brand(brand: string | null): (typeof CARD_BRANDS)[number] {
  if (brand === 'MASTERCARD') return 'MASTER_CARD';
  return CARD_BRANDS.find((known) => known === brand) ?? 'OTHER_BRAND';
}
