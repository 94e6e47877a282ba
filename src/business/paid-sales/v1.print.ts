/** Prints sales as JSON text in the format of `v1.view.ts`. */
import { printV1Money } from '../../api/money.js';
import { QUANTITY_OF_ONE } from '../../base/decimal.js';
import { type Amount, amount, subtract, ZERO } from '../../base/money.js';
import { printSeconds } from '../../base/time.js';
import { isGiftCard } from '../../processor/contract.js';
import { computeReceipt } from '../receipts/model.js';
import { type ReceiptSite, receiptUrl, withReceiptUrl } from '../receipts/url.js';
import { printReceipt } from '../receipts/v1.print.js';
import { printV1Refund } from '../refunds/v1.print.js';
import { tenderTypeOf } from '../tenders/model.js';
import { computeSaleSums, type PaidSale, sumRefunds, type Tender, type TenderRefund } from './model.js';
import { toV1Brand } from './v1.view.js';

/** What the text of a sale needs besides the sale. */
export interface V1Site extends ReceiptSite {
  readonly currency: string;
}

/** The host of `payment_url` that clients know, for a server without a public URL (decision 0147). */
const KNOWN_HOST = 'https://squareup.com';

/**
 * Builds text without objects, because most parts are stored as text and a page has up to two hundred sales. The contract
 * tests check the text against the schema.
 */
export function printV1Payment(sale: PaidSale, { currency, ...site }: V1Site): string {
  const { id, locationId } = sale;
  const sums = computeSaleSums(sale);
  const [first] = sale.tenders;
  const tenders = `[${sale.tenders.map((tender) => printV1Tender(tender, refundedOf(tender, sale), { currency, ...site })).join()}]`;
  return (
    `{"id":"${id}","merchant_id":"${locationId}","created_at":"${printSeconds(sale.createdAt)}"` +
    // The location's account, not the employee at the register (decision 0054).
    `,"creator_id":"${locationId}","device":${printDevice(sale)}` +
    `,"payment_url":"${site.publicUrl ?? KNOWN_HOST}/dashboard/sales/transactions/${id}"` +
    (first ? `,"receipt_url":"${receiptUrl(site, first.id)}"` : '') +
    `,"tip_money":${printV1Money(sums.tip, currency)},"total_collected_money":${printV1Money(sums.collected, currency)}` +
    `,"processing_fee_money":${printV1Money(sums.fee, currency)},"net_total_money":${printV1Money(sums.net, currency)}` +
    `,"refunded_money":${printV1Money(sums.refunded, currency)}` +
    `,${receiptOf(sale, sums.paid, currency).slice(1, -1)}` +
    `,"tender":${tenders},"tenders":${tenders},"refunds":${printRefunds(sale)},"is_partial":${sale.isPartial}}`
  );
}

/** Puts the public URL into sales that were printed without it. So copies stay valid if the URL changes. */
export function withV1Urls(json: string, site: ReceiptSite): string {
  const { publicUrl } = site;
  if (publicUrl === undefined) return json;
  // A quotation mark inside of a text is printed with a backslash, so no text has such a field.
  return withReceiptUrl(json, site).replaceAll(`"payment_url":"${KNOWN_HOST}/`, () => `"payment_url":"${publicUrl}/`);
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
  { currency, ...site }: V1Site,
): string {
  const { id, total, tendered } = tender;
  const takenAt = printSeconds(tender.capturedAt);
  return (
    `{"id":"${id}",${printKind(tender)}` +
    (tender.employeeId === null ? '' : `,"employee_id":"${tender.employeeId}"`) +
    `,"receipt_url":"${receiptUrl(site, id)}"` +
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
    return printV1Refund({ v1Id: sale.id, ...refund, fee, total }).text;
  });
  return `[${printed.join()}]`;
}

function tenderOf({ id, paymentId }: TenderRefund, { tenders }: PaidSale): Tender {
  const tender = tenders.find((each) => each.id === paymentId);
  if (!tender) throw new Error(`refund ${id} belongs to no tender of its sale`);
  return tender;
}
