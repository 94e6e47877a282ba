/** A database from before v1 was shown as live data has it: what was sold then is shown as the same sale is now. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseQuantity, parseRate, QUANTITY_OF_ONE, RATE_OF_ONE } from '../src/base/decimal.js';
import { amount } from '../src/base/money.js';
import { breakDown } from '../src/business/receipts/breakdown.js';
import { identifyLines } from '../src/business/receipts/line-ids.js';
import { computeReceipt, type ReceiptInput } from '../src/business/receipts/model.js';
import { toBreakdownWords } from '../src/business/receipts/v1.breakdown.view.js';
import { printReceipt } from '../src/business/receipts/v1.view.js';
import { openOlderDatabase } from './support/older-database.js';
import { expectBooksInOrder } from './support/payments.js';
import { startTestServer, type TestDatabase, type TestServer } from './support/server.js';

const FOLDER = fileURLToPath(new URL('../migrations/', import.meta.url));
const MIGRATION = readdirSync(FOLDER).find((name) => name.endsWith('-v1-words.sql')) ?? 'missing';

const money = (units: number) => ({ amount: units, currency_code: 'USD' });
const rate = (text: string) => parseRate(text) ?? RATE_OF_ONE;

const VAT = { name: "Value 'added' tax", rate: rate('0.085'), inclusion: 'INCLUSIVE' } as const;
const CITY = { name: 'City tax', rate: rate('0.01'), inclusion: 'ADDITIVE', id: 'city' } as const;

/** 5.00 with 8.5 % in it; two croissants with butter at 10 % off; an amount; and a service charge. */
const SOLD: ReceiptInput = {
  items: [
    { ...{ kind: 'ITEM', name: 'Latte', quantity: QUANTITY_OF_ONE, price: amount(500) }, ...bare(), taxes: [VAT] },
    {
      ...{ kind: 'ITEM', name: 'Croissant ☕', quantity: parseQuantity('2') ?? QUANTITY_OF_ONE, price: amount(300) },
      variationName: 'Almond',
      notes: 'warm',
      detail: { categoryName: 'Bakery', sku: 'CRO', itemId: 'own-id' },
      modifiers: [{ name: 'Butter', price: amount(50) }],
      discounts: [{ name: 'Staff', rate: rate('0.1'), restricted: false }],
      taxes: [VAT, CITY],
    },
    { ...{ kind: 'CUSTOM_AMOUNT', name: 'Custom', quantity: QUANTITY_OF_ONE, price: amount(100) }, ...bare() },
  ],
  discounts: [],
  taxes: [],
  surcharges: [{ name: 'Service', kind: 'CUSTOM', rate: rate('0.1') }],
};

function bare() {
  return { modifiers: [], discounts: [], taxes: [] };
}

const vat = (units: number) => ({
  ...{ name: VAT.name, applied_money: money(units), rate: '0.085000', inclusion_type: 'INCLUSIVE' },
});
const city = (units: number) => ({
  ...{ name: 'City tax', applied_money: money(units), rate: '0.010000', inclusion_type: 'ADDITIVE', fee_id: 'city' },
});
const service = (units: number) => ({
  ...{ name: 'Service', applied_money: money(units), rate: '0.100000', type: 'CUSTOM', taxable: false, taxes: [] },
});

/** As the version before wrote it. */
const OLD_RECEIPT = {
  inclusive_tax_money: money(88),
  additive_tax_money: money(6),
  tax_money: money(94),
  discount_money: money(-70),
  gross_sales_money: money(1300),
  net_sales_money: money(1230),
  surcharge_money: money(123),
  swedish_rounding_money: money(0),
  inclusive_tax: [vat(88)],
  additive_tax: [city(6)],
  surcharges: [service(123)],
  itemizations: [
    {
      ...{
        name: 'Latte',
        quantity: 1,
        itemization_type: 'ITEM',
        item_detail: { category_name: '', sku: '' },
        notes: '',
      },
      ...{ single_quantity_money: money(500), gross_sales_money: money(500), discount_money: money(0) },
      ...{ net_sales_money: money(500), total_money: money(500), taxes: [vat(39)], discounts: [], modifiers: [] },
    },
    {
      ...{ name: 'Croissant ☕', quantity: 2, itemization_type: 'ITEM', notes: 'warm', item_variation_name: 'Almond' },
      item_detail: { category_name: 'Bakery', sku: 'CRO', item_id: 'own-id' },
      ...{ single_quantity_money: money(300), gross_sales_money: money(700), discount_money: money(-70) },
      ...{ net_sales_money: money(630), total_money: money(636), taxes: [vat(49), city(6)] },
      discounts: [{ name: 'Staff', applied_money: money(-70) }],
      modifiers: [{ name: 'Butter', applied_money: money(100) }],
    },
    {
      ...{ name: 'Custom', quantity: 1, itemization_type: 'CUSTOM_AMOUNT', notes: '' },
      ...{ single_quantity_money: money(100), gross_sales_money: money(100), discount_money: money(0) },
      ...{ net_sales_money: money(100), total_money: money(100), taxes: [], discounts: [], modifiers: [] },
    },
  ],
};

const DUE = 1230 + 6 + 123;

/** The refund of all of it. */
const OLD_BREAKDOWN = {
  refunded_tax_money: money(-94),
  refunded_additive_tax_money: money(-6),
  refunded_additive_tax: [city(-6)],
  refunded_inclusive_tax_money: money(-88),
  refunded_inclusive_tax: [vat(-88)],
  refunded_tip_money: money(0),
  refunded_discount_money: money(70),
  refunded_surcharge_money: money(-123),
  refunded_surcharges: [service(-123)],
};

const json = (content: object) => `'${JSON.stringify(content).replaceAll("'", "''")}'`;

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  database = await openOlderDatabase(
    MIGRATION,
    `insert into payments (merchant_id, payment_id, sale_id, location_id, application_id, status, source_type, created_at, updated_at,
      captured_at, currency, amount, total, fee, refunded, returned, refund_ids, details, register_tender_id, tendered)
    values ('M1', 'PAID', 'SOLD', 'L1', 'register', 'COMPLETED', 'OTHER', '2020-02-26T10:00Z', '2020-02-26T10:00Z',
      '2020-02-26T10:00Z', 'USD', ${DUE}, ${DUE}, 0, ${DUE}, ${DUE}, '{PAID_1}', '{}', 'tender', null);
    insert into sales (merchant_id, sale_id, location_id, created_at, state, device_id, device_name, employee_id,
      register_sale_id, request_hash, rung_up_at, due, paid, receipt, tender_ids)
    values ('M1', 'SOLD', 'L1', '2020-02-26T10:00Z', 'COMPLETED', 'D1', 'Till', '0190a0a0-0000-7000-8000-000000000001',
      'sale', '\\x00', '2020-02-26T10:00Z', ${DUE}, ${DUE}, ${json(OLD_RECEIPT)}, '{PAID}');
    insert into refunds (merchant_id, refund_id, payment_id, location_id, status, source_type, created_at, updated_at,
      currency, amount, order_id, origin, type, reason, breakdown)
    values ('M1', 'PAID_1', 'PAID', 'L1', 'COMPLETED', 'OTHER', '2020-02-26T11:00Z', '2020-02-26T11:00Z', 'USD', ${DUE},
      'O', 'REGISTER', 'FULL', 'cold', ${json(OLD_BREAKDOWN)});`,
  );
  server = await startTestServer({ databaseUrl: database.url });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

describe('a database whose receipts were written before', () => {
  const receipt = computeReceipt(identifyLines(SOLD, 'M1'));

  it('shows what was sold as the same sale is shown now, and nobody paid another sum', async () => {
    const token = await server.createToken('M1', ['PAYMENTS_READ']);
    const { status, body } = await server.call('GET', '/v1/L1/payments/SOLD', { token });
    expect(status).toBe(200);
    expect(receipt.due).toBe(DUE);
    expect(body).toMatchObject(JSON.parse(printReceipt(receipt, 'USD')));
    expect(body.total_collected_money).toEqual(money(DUE));
    expect(body.itemizations[0]).toMatchObject({
      ...{ gross_sales_money: money(461), net_sales_money: money(461), total_money: money(500) },
      item_variation_name: 'Regular',
    });
    expect(body.itemizations.map((item: object) => 'notes' in item)).toEqual([false, true, false]);
    expect(body.itemizations[2].item_detail).toEqual({ category_name: '', sku: '' });
  });

  it('shows what was refunded as the same refund is shown now', async () => {
    const token = await server.createToken('M1', ['PAYMENTS_READ']);
    const { body } = await server.call('GET', '/v1/L1/refunds', { token });
    const tenders = [{ id: 'PAID', amount: receipt.due, tip: null, total: receipt.due }];
    const stretch = { tenderId: 'PAID', before: amount(0), part: receipt.due };
    expect(body).toHaveLength(1);
    expect(body[0]).toMatchObject(toBreakdownWords(breakDown({ receipt, tenders, ...stretch }), 'USD') ?? {});
  });

  it('keeps the laws of the books', () => expectBooksInOrder(server));
});
