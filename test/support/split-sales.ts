/** Sales of a register for tests, inserted with the statements of `src/`: any tenders, at any time, with taxes and discounts. */
import { createHash, randomUUID } from 'node:crypto';
import { parseRate, QUANTITY_OF_ONE, RATE_OF_ONE } from '../../src/base/decimal.js';
import { realIds } from '../../src/base/ids.js';
import { toJson } from '../../src/base/json.js';
import { amount } from '../../src/base/money.js';
import { instant } from '../../src/base/time.js';
import { insertPayment } from '../../src/business/payments/charge.js';
import { type Payment, PENDING_DEFAULTS, processingFee } from '../../src/business/payments/model.js';
import { toChargeMovement } from '../../src/business/payments/outcomes.js';
import { toReceiptRecord } from '../../src/business/receipts/copies.js';
import { computeReceipt, type ReceiptInput } from '../../src/business/receipts/model.js';
import { addTenderToSale, openSale } from '../../src/business/sales/actions.js';
import { NEW_SALE, type Sale } from '../../src/business/sales/model.js';
import type { SourceType } from '../../src/business/tenders/model.js';
import { mainLocation } from './people.js';
import type { TestMerchant, TestServer } from './server.js';

export interface TenderPlan {
  readonly source: SourceType;
  /** Without the tip. */
  readonly amount: number;
  readonly tip?: number;
}

export interface SalePlan {
  readonly at: string;
  readonly tenders: readonly TenderPlan[];
  /** Absent: one custom amount that equals the sum of the tenders. */
  readonly receipt?: ReceiptInput;
  readonly locationId?: string;
  readonly device?: { readonly id: string; readonly name: string };
  readonly employeeId?: string;
}

export interface MadeSale {
  /** Its id in v1. */
  readonly id: string;
  /** Its id at the register. */
  readonly saleId: string;
  readonly tenderIds: readonly string[];
}

const NO_LINES = { modifiers: [], discounts: [], taxes: [] };

/** A receipt for `price` with 10 % off, 8.5 % additive tax and a delivery fee of 200: 2300 results in 2446. */
export function receiptOf(price: number): ReceiptInput {
  const item = { kind: 'ITEM', name: 'Thing', quantity: QUANTITY_OF_ONE, price: amount(price), ...NO_LINES } as const;
  const rate = (text: string) => parseRate(text) ?? RATE_OF_ONE;
  return {
    items: [item],
    discounts: [{ name: 'Regulars', restricted: false, rate: rate('0.1') }],
    taxes: [{ name: 'Sales tax', id: 'tax-1', rate: rate('0.085'), inclusion: 'ADDITIVE' }],
    surcharges: [{ name: 'Delivery', kind: 'CUSTOM', amount: amount(200) }],
  };
}

function plainReceipt(price: number): ReceiptInput {
  const name = 'Custom Amount';
  const item = { kind: 'CUSTOM_AMOUNT', name, quantity: QUANTITY_OF_ONE, price: amount(price), ...NO_LINES } as const;
  return { items: [item], discounts: [], taxes: [], surcharges: [] };
}

export async function makeSale({ database }: TestServer, merchant: TestMerchant, plan: SalePlan): Promise<MadeSale> {
  const { device = { id: realIds.newId(20), name: 'Till 1' }, employeeId = realIds.newUuid() } = plan;
  const paid = plan.tenders.reduce((sum, tender) => sum + tender.amount, 0);
  const receipt = computeReceipt(plan.receipt ?? plainReceipt(paid));
  const [saleId, locationId] = [realIds.newId(27), plan.locationId ?? mainLocation(merchant)];
  const opened: Sale = {
    kind: 'REGISTER',
    id: saleId,
    locationId,
    state: 'OPEN',
    createdAt: null,
    deviceId: device.id,
    deviceName: device.name,
    employeeId,
    registerSaleId: randomUUID(),
    label: null,
    rungUpAt: instant(Date.parse(plan.at)),
    due: receipt.due,
    paid: amount(0),
    ...NEW_SALE,
  };
  const payments = plan.tenders.map((tender) => toPayment(tender, { saleId, locationId, employeeId, at: plan.at }));
  await database.change(merchant.id, async (change) => {
    const requestHash = createHash('sha256').update(saleId).digest();
    openSale(change, opened, { receipt: toReceiptRecord(receipt, 'USD'), requestHash });
    let sale = opened;
    for (const payment of payments) {
      const movement = payment.sourceType === 'CARD' ? toChargeMovement(realIds, payment) : undefined;
      insertPayment(change, { payment, movement });
      sale = addTenderToSale(change, sale, payment, payment.createdAt);
    }
  });
  const tenderIds = payments.map(({ id }) => id);
  const isCovered = payments.length === 1 && payments[0]?.amount === receipt.due;
  return { id: (isCovered ? tenderIds[0] : undefined) ?? saleId, saleId, tenderIds };
}

function toPayment(
  { source, amount: units, tip }: TenderPlan,
  { saleId, locationId, employeeId, at }: { saleId: string; locationId: string; employeeId: string; at: string },
): Payment {
  const [takenAt, total, isCard] = [instant(Date.parse(at)), amount(units + (tip ?? 0)), source === 'CARD'];
  return {
    ...PENDING_DEFAULTS,
    id: realIds.newId(27),
    saleId,
    locationId,
    channel: 'REGISTER',
    applicationId: null,
    status: 'COMPLETED',
    sourceType: source,
    createdAt: takenAt,
    updatedAt: takenAt,
    capturedAt: takenAt,
    currency: 'USD',
    amount: amount(units),
    tip: tip === undefined ? null : amount(tip),
    total,
    fee: isCard ? processingFee({ total, entryMethod: 'SWIPED' }) : amount(0),
    employeeId,
    registerTenderId: randomUUID(),
    ...(isCard && { entryMethod: 'SWIPED' }),
    ...(source === 'OTHER' && { tenderName: 'Voucher' }),
    ...(source === 'CASH' && { tendered: total }),
    cardBrand: isCard ? 'VISA' : null,
    last4: isCard ? '1111' : null,
    cardDetails: isCard ? toJson({}) : null,
    details: toJson({ order_id: saleId }),
  };
}
