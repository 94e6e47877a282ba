/** Sales as the first generation shows them: it calls them payments, and what paid them tenders. */
import { V1Money } from '../../api/money.js';
import { Printed } from '../../api/printed.js';
import { choice, model, optional, Time, Type } from '../../api/wire.js';
import { QUANTITY_OF_ONE } from '../../base/decimal.js';
import type { JsonText } from '../../base/json.js';
import { type Amount, amount, subtract, ZERO } from '../../base/money.js';
import { printSeconds } from '../../base/time.js';
import { computeReceipt } from '../receipts/model.js';
import { printReceipt, RECEIPT_FIELDS } from '../receipts/v1.view.js';
import { toV1Refund, V1Refund } from '../refunds/v1.view.js';
import { givenBack, type PaidSale, sumUp, type Tender, type TenderRefund } from './model.js';

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

/** Printed by hand, since most of it is text already and a page holds two hundred; the schema above holds it to its word. */
export function printV1Payment(sale: PaidSale, currency: string): Printed {
  const { id, locationId } = sale;
  const sums = sumUp(sale);
  const [first] = sale.tenders;
  const taken = `[${sale.tenders.map((tender) => printTender(tender, sale, currency)).join()}]`;
  return new Printed(
    `{"id":"${id}","merchant_id":"${locationId}","created_at":"${printSeconds(sale.createdAt)}"` +
      // Decision 0054: the account that took it is the location's, whoever stood at the register.
      `,"creator_id":"${locationId}","device":${printDevice(sale)}` +
      `,"payment_url":"https://squareup.com/dashboard/sales/transactions/${id}"` +
      (first ? `,"receipt_url":"${receiptUrl(first)}"` : '') +
      `,"tip_money":${printMoney(sums.tip, currency)},"total_collected_money":${printMoney(sums.collected, currency)}` +
      `,"processing_fee_money":${printMoney(sums.fee, currency)},"net_total_money":${printMoney(sums.net, currency)}` +
      `,"refunded_money":${printMoney(sums.refunded, currency)}` +
      `,${receiptOf(sale, sums.paid, currency).slice(1, -1)}` +
      `,"tender":${taken},"tenders":${taken},"refunds":${printRefunds(sale)},"is_partial":${sale.isPartial}}`,
  );
}

function printMoney(value: Amount, currency: string): string {
  return `{"amount":${value},"currency_code":"${currency}"}`;
}

export function receiptUrl({ id }: Pick<Tender, 'id'>): string {
  return `https://squareup.com/receipt/preview/${id}`;
}

function printDevice({ kind, deviceId, deviceName }: PaidSale): string {
  return kind === 'REGISTER' ? `{"id":"${deviceId}","name":${JSON.stringify(deviceName)}}` : '{}';
}

/** What was sold: as it was rung up; nothing yet while the sale is partial (decision 0055); of the API just an amount. */
function receiptOf(sale: PaidSale, paid: Amount, currency: string): JsonText<object> {
  if (sale.isPartial) return printReceipt({ ...NOTHING_SOLD, gross: paid, net: paid, due: paid }, currency);
  return sale.receipt ?? printCustomAmount(paid, currency);
}

const NOTHING_SOLD = computeReceipt({ items: [], discounts: [], taxes: [], surcharges: [] });

/** Receipts of one minor unit by currency: those of any other amount differ from it in that amount alone. */
const CUSTOM_AMOUNTS = new Map<string, string>();

function printCustomAmount(price: Amount, currency: string): JsonText<object> {
  let ofOne = CUSTOM_AMOUNTS.get(currency);
  if (ofOne === undefined) {
    const item = { kind: 'CUSTOM_AMOUNT', name: 'Custom Amount', quantity: QUANTITY_OF_ONE, price: amount(1) } as const;
    const items = [{ ...item, modifiers: [], discounts: [], taxes: [] }];
    ofOne = printReceipt(computeReceipt({ items, discounts: [], taxes: [], surcharges: [] }), currency);
    CUSTOM_AMOUNTS.set(currency, ofOne);
  }
  return ofOne.replaceAll('"amount":1,', `"amount":${price},`) as JsonText<object>;
}

function printTender(tender: Tender, { refunds }: PaidSale, currency: string): string {
  const { id, total, tendered } = tender;
  const takenAt = printSeconds(tender.capturedAt);
  const refunded = givenBack(refunds.filter(({ paymentId }) => paymentId === id));
  return (
    `{"id":"${id}",${printKind(tender)}` +
    (tender.employeeId === null ? '' : `,"employee_id":"${tender.employeeId}"`) +
    `,"receipt_url":"${receiptUrl(tender)}"` +
    (tender.note === null ? '' : `,"payment_note":${JSON.stringify(tender.note)}`) +
    `,"total_money":${printMoney(total, currency)}` +
    (tender.sourceType === 'CARD' ? `,"tip_money":${printMoney(tender.tip ?? ZERO, currency)}` : '') +
    `,"tendered_money":${printMoney(tendered ?? total, currency)}` +
    `,"tendered_at":"${takenAt}"` +
    (tender.sourceType === 'CARD' ? `,"settled_at":"${takenAt}"` : '') +
    (tender.sourceType === 'CASH'
      ? `,"change_back_money":${printMoney(subtract(tendered ?? total, total), currency)}`
      : '') +
    `,"refunded_money":${printMoney(refunded, currency)},"is_exchange":${tender.isExchange}}`
  );
}

/** What it was paid with. */
function printKind(tender: Tender): string {
  switch (tender.sourceType) {
    case 'CASH':
      return '"type":"CASH","name":"Cash"';
    case 'OTHER':
      return `"type":"OTHER","name":${JSON.stringify(tender.tenderName ?? 'Other')}`;
    case 'CARD': {
      const brand = toV1Brand(tender.cardBrand);
      const kind =
        brand === 'SQUARE_GIFT_CARD'
          ? '"type":"SQUARE_GIFT_CARD","name":"Gift Card"'
          : '"type":"CREDIT_CARD","name":"Credit Card"';
      const suffix = tender.last4 === null ? '' : `,"pan_suffix":"${tender.last4}"`;
      return `${kind},"card_brand":"${brand}"${suffix},"entry_method":"${tender.entryMethod ?? 'WEB_FORM'}"`;
    }
  }
}

/** v2's word in v1's spelling (contract 18); those that v1 has no word for are others. */
export function toV1Brand(brand: string | null): (typeof CARD_BRANDS)[number] {
  if (brand === 'MASTERCARD') return 'MASTER_CARD';
  return CARD_BRANDS.find((known) => known === brand) ?? 'OTHER_BRAND';
}

function printRefunds(sale: PaidSale): string {
  if (sale.refunds.length === 0) return '[]';
  const shown = sale.refunds.map((refund) => {
    const { fee, total } = tenderOf(refund, sale);
    return toV1Refund({ ...refund, v1Id: sale.id, fee, total });
  });
  return JSON.stringify(shown);
}

function tenderOf({ id, paymentId }: TenderRefund, { tenders: among }: PaidSale): Tender {
  const tender = among.find((each) => each.id === paymentId);
  if (!tender) throw new Error(`refund ${id} is of no tender of its sale`);
  return tender;
}
