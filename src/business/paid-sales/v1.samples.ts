/** Sales that have every field of v1. What is printed for them is the version of stored copies, so they never change without a reason. */
import { amount } from '../../base/money.js';
import { type Instant, instant } from '../../base/time.js';
import { SAMPLE_BREAKDOWN, SAMPLE_CURRENCY, SAMPLE_RECEIPTS } from '../receipts/v1.samples.js';
import type { PaidSale, Tender, TenderRefund } from './model.js';

export { SAMPLE_CURRENCY } from '../receipts/v1.samples.js';

const AT = instant(Date.UTC(2020, 1, 26, 10, 0, 0));
const LOCATION = 'LQ5V6Y5D2BHYQ';
const SALE = '0VkQ8Tz1cR5nHs7Yd3Wf9KpX2mG';

const after = (seconds: number): Instant => instant(AT + seconds * 1000);

const CARD: Tender = {
  id: '0VkQ9Bq4hL6vJt8Na1Ce5RyZ7uX',
  sourceType: 'CARD',
  capturedAt: after(1),
  amount: amount(1000),
  tip: amount(150),
  total: amount(1150),
  fee: amount(64),
  employeeId: '019cade8-5a40-7c15-8f2b-6d0e4a917c35',
  entryMethod: 'SWIPED',
  tendered: null,
  tenderName: null,
  isExchange: false,
  cardBrand: 'MASTERCARD',
  last4: '1111',
  note: 'To "go",\tplease',
};

const GIFT_CARD: Tender = {
  ...CARD,
  id: 'gift',
  cardBrand: 'SQUARE_GIFT_CARD',
  entryMethod: null,
  tip: null,
  note: null,
};

const CASH: Tender = {
  ...{ ...GIFT_CARD, id: 'cash', sourceType: 'CASH', fee: null, employeeId: null, cardBrand: null, last4: null },
  ...{ total: amount(1000), tendered: amount(2000) },
};

const EXTERNAL_CARD: Tender = { ...CASH, id: 'external', sourceType: 'OTHER', cardBrand: 'UNKNOWN', tendered: null };

const VALUE_OF_GOODS: Tender = {
  ...{ ...EXTERNAL_CARD, id: 'goods', cardBrand: null, tenderName: 'Exchange "1"', isExchange: true },
};

const REFUND: TenderRefund = {
  id: 'refund',
  paymentId: CARD.id,
  locationId: LOCATION,
  status: 'COMPLETED',
  sourceType: 'CARD',
  createdAt: after(61),
  updatedAt: after(62),
  currency: SAMPLE_CURRENCY,
  amount: amount(300),
  appFee: null,
  returnedFee: amount(17),
  orderId: 'ORDER',
  reason: 'Cold "coffee"',
  origin: 'API',
  type: 'PARTIAL',
  leaderId: null,
  breakdown: SAMPLE_BREAKDOWN,
  employeeId: null,
  accountId: null,
  payer: null,
};

const REFUNDS: readonly TenderRefund[] = [
  REFUND,
  { ...REFUND, id: 'pending', status: 'PENDING', returnedFee: null, reason: null, breakdown: null },
  { ...REFUND, id: 'exchange', origin: 'EXCHANGE', type: 'FULL' },
];

const OF_REGISTER: PaidSale = {
  id: SALE,
  locationId: LOCATION,
  kind: 'REGISTER',
  isPartial: false,
  createdAt: AT,
  deviceId: 'DEVICE',
  deviceName: 'Counter "1"',
  receipt: SAMPLE_RECEIPTS[0] ?? null,
  v1Receipt: null,
  tenders: [CARD, GIFT_CARD, CASH, EXTERNAL_CARD, VALUE_OF_GOODS],
  refunds: REFUNDS,
};

/** A sale of a register, one without a tender, a partial one, and a payment of an application. */
export const SAMPLE_SALES: readonly PaidSale[] = [
  OF_REGISTER,
  { ...OF_REGISTER, receipt: SAMPLE_RECEIPTS[1] ?? null, tenders: [], refunds: [] },
  { ...OF_REGISTER, isPartial: true },
  {
    ...{ ...OF_REGISTER, kind: 'API', deviceId: null, deviceName: null, receipt: null, refunds: [] },
    tenders: [{ ...CARD, id: SALE, employeeId: null, entryMethod: null, cardBrand: null, last4: null }],
  },
];
