/** Sales of registers, inserted directly into the tables, and their v1 format. */
import { randomUUID } from 'node:crypto';
import { parseQuantity, parseRate, QUANTITY_OF_ONE } from '../../src/base/decimal.js';
import { realIds } from '../../src/base/ids.js';
import { toJson } from '../../src/base/json.js';
import { type Amount, add, amount, ZERO } from '../../src/base/money.js';
import { type Instant, instant } from '../../src/base/time.js';
import { insertPayment } from '../../src/business/payments/charge.js';
import { type Payment, PENDING_DEFAULTS } from '../../src/business/payments/model.js';
import { toChargeMovement } from '../../src/business/payments/outcomes.js';
import { toReceiptRecord } from '../../src/business/receipts/copies.js';
import { computeReceipt, type ItemInput, type ReceiptInput } from '../../src/business/receipts/model.js';
import { addTenderToSale, cancelSale, openSale } from '../../src/business/sales/actions.js';
import { NEW_SALE, type Sale } from '../../src/business/sales/model.js';
import type { SourceType } from '../../src/business/tenders/model.js';
import type { Json } from './payments.js';
import { mainLocation } from './people.js';
import type { TestMerchant, TestServer } from './server.js';

export const EMPLOYEE = '0190a6c0-0000-7000-8000-000000000001';

export interface TestTender {
  readonly amount: number;
  readonly tip?: number;
  readonly at?: string;
  readonly sourceType?: SourceType;
  readonly fee?: number;
  readonly change?: Partial<Pick<Payment, 'tendered' | 'tenderName' | 'entryMethod' | 'isExchange' | 'cardBrand'>>;
}

export interface TestSale {
  readonly receipt: ReceiptInput;
  readonly tenders: readonly TestTender[];
  /** When the sale was made. Its tenders have the same time unless they specify another. */
  readonly at: string;
  readonly locationId?: string;
  readonly isCanceled?: boolean;
}

export interface MadeSale {
  /** Its id in v1. */
  readonly id: string;
  /** Its id at the register. */
  readonly saleId: string;
  readonly tenderIds: readonly string[];
}

/** One item of this price without options. */
export function priced(price: number, change: Partial<ItemInput> = {}): ReceiptInput {
  const item: ItemInput = {
    ...{ kind: 'ITEM', name: 'Latte', quantity: QUANTITY_OF_ONE, price: amount(price) },
    ...{ modifiers: [], discounts: [], taxes: [], ...change },
  };
  return { items: [item], discounts: [], taxes: [], surcharges: [] };
}

/** A receipt with every kind of part. */
export const FULL_RECEIPT: ReceiptInput = {
  items: [
    {
      ...{ kind: 'ITEM', name: 'Latte', variationName: 'Large', notes: 'Hot', quantity: parsed(parseQuantity('2.5')) },
      price: amount(500),
      detail: { categoryName: 'Drinks', sku: 'LAT-L', itemId: 'item-1', itemVariationId: 'variation-1' },
      modifiers: [{ name: 'Oat milk', optionId: 'option-1', price: amount(50) }],
      discounts: [{ name: 'Happy hour', id: 'discount-1', restricted: false, rate: parsed(parseRate('0.1')) }],
      taxes: [{ name: 'VAT', id: 'tax-1', rate: parsed(parseRate('0.05')), inclusion: 'INCLUSIVE' }],
    },
  ],
  discounts: [{ name: 'Off', restricted: false, amount: amount(37) }],
  taxes: [{ name: 'Sales tax', id: 'tax-2', rate: parsed(parseRate('0.085')), inclusion: 'ADDITIVE' }],
  surcharges: [
    { name: 'Service', id: 'surcharge-1', kind: 'AUTO_GRATUITY', rate: parsed(parseRate('0.18')) },
    { name: 'Delivery', kind: 'CUSTOM', amount: amount(60) },
  ],
};

/** Its tenders: a card with a tip, cash with change, another tender, returned goods. */
export const FULL_TENDERS: readonly TestTender[] = [
  { amount: 300, tip: 100, fee: 20 },
  { amount: 400, sourceType: 'CASH', change: { tendered: amount(500) } },
  { amount: 200, sourceType: 'OTHER', change: { tenderName: 'Voucher "A"' } },
  { amount: dueOf(FULL_RECEIPT) - 900, sourceType: 'OTHER', change: { isExchange: true } },
];

function parsed<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('not a decimal');
  return value;
}

/** The amount due of a receipt. */
export function dueOf(receipt: ReceiptInput): Amount {
  return computeReceipt(receipt).due;
}

/** Inserts a sale of a register, with its tenders in order. */
export async function insertRegisterSale(
  server: TestServer,
  merchant: TestMerchant,
  given: TestSale,
): Promise<MadeSale> {
  const receipt = computeReceipt(given.receipt);
  const at = instant(Date.parse(given.at));
  const locationId = given.locationId ?? mainLocation(merchant);
  const id = realIds.newId(27);
  return server.database.change(merchant.id, async (change) => {
    const isFree = receipt.due === ZERO;
    let sale: Sale = {
      ...{ kind: 'REGISTER', id, locationId, state: isFree ? 'COMPLETED' : 'OPEN', createdAt: isFree ? at : null },
      ...{ deviceId: 'DEVICE', deviceName: 'Till "1"', employeeId: EMPLOYEE, registerSaleId: randomUUID() },
      ...{ label: null, rungUpAt: at, due: receipt.due, paid: ZERO, ...NEW_SALE },
    };
    openSale(change, sale, { receipt: toReceiptRecord(receipt, 'USD'), requestHash: Buffer.from('request') });
    const tenderIds: string[] = [];
    for (const tender of given.tenders) {
      const payment = toPayment(tender, {
        saleId: id,
        locationId,
        at: tender.at ? instant(Date.parse(tender.at)) : at,
      });
      const movement = payment.sourceType === 'CARD' ? toChargeMovement(realIds, payment) : undefined;
      insertPayment(change, { payment, movement });
      sale = addTenderToSale(change, sale, payment, payment.createdAt);
      tenderIds.push(payment.id);
    }
    if (given.isCanceled) cancelSale(change, sale);
    const isCovered = tenderIds.length === 1 && given.tenders[0]?.amount === receipt.due;
    return { id: (isCovered ? tenderIds[0] : undefined) ?? id, saleId: id, tenderIds };
  });
}

function toPayment(
  { amount: units, tip, sourceType = 'CARD', fee = 0, change }: TestTender,
  { saleId, locationId, at }: { saleId: string; locationId: string; at: Instant },
): Payment {
  const isCard = sourceType === 'CARD';
  const gratuity = tip === undefined ? null : amount(tip);
  return {
    ...PENDING_DEFAULTS,
    ...{ id: realIds.newId(27), saleId, locationId, channel: 'REGISTER', applicationId: null, status: 'COMPLETED' },
    ...{ sourceType },
    ...{ createdAt: at, updatedAt: at, capturedAt: at, currency: 'USD', fee: amount(fee) },
    ...{ amount: amount(units), tip: gratuity, total: add(amount(units), gratuity ?? ZERO) },
    ...{ employeeId: EMPLOYEE, registerTenderId: randomUUID(), entryMethod: isCard ? 'SWIPED' : null },
    ...{ cardBrand: isCard ? 'VISA' : null, last4: isCard ? '1111' : null },
    ...{ cardDetails: isCard ? toJson({}) : null, details: toJson({}) },
    ...change,
  };
}

/** A v1 payment as returned. */
export interface WireSale extends Json {
  readonly id: string;
  readonly created_at: string;
  readonly is_partial: boolean;
  readonly tender: readonly WireTender[];
  readonly tenders: readonly WireTender[];
  readonly refunds: readonly Json[];
  readonly itemizations: readonly Json[];
}

export interface WireTender extends Json {
  readonly id: string;
  readonly type: string;
}

/** The amount of one of its sums. */
export function moneyIn(owner: Json, name: string): number {
  const { amount: units, currency_code } = owner[name] as { amount: number; currency_code: string };
  if (currency_code !== 'USD' || !Number.isSafeInteger(units)) throw new Error(`${name} is no money`);
  return units;
}
