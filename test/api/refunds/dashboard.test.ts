/** Refunds that the owner makes on the dashboard: whole, by amount, by item, per tender; two owners at once; and the laws afterwards. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUANTITY_OF_ONE, type Quantity, type Rate } from '../../../src/base/decimal.js';
import { amount } from '../../../src/base/money.js';
import type { ReceiptInput } from '../../../src/business/receipts/model.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { advance, expectBooksInOrder, pay, usd } from '../../support/payments.js';
import { startTestServer, type TestServer } from '../../support/server.js';
import { type MadeSale, makeSale, type TenderPlan } from '../../support/split-sales.js';
import { part as partV1, refundV1, tryToRefundV1 } from '../../support/v1-refunds.js';

const AT = '2020-02-26T09:00:00Z';

let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server, { clock: { now: '2020-02-26T10:00:00Z', frozen: true } });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

/** Two coffees at 3.50 with 10 % tax, a loaf at 6.00, 10 % off, and a service charge of 1.00: 7.00 + 6.00 - 1.30 + 0.63 + 1.00. */
const RECEIPT: ReceiptInput = {
  items: [
    {
      ...{ kind: 'ITEM', name: 'Coffee', quantity: (2 * QUANTITY_OF_ONE) as Quantity, price: amount(350) },
      ...{ modifiers: [], discounts: [] },
      taxes: [{ name: 'Tax', rate: 100_000 as Rate, inclusion: 'ADDITIVE' }],
    },
    {
      ...{ kind: 'ITEM', name: 'Loaf', quantity: QUANTITY_OF_ONE, price: amount(600) },
      ...{ modifiers: [], discounts: [], taxes: [] },
    },
  ],
  discounts: [{ name: 'Regulars', restricted: false, rate: 100_000 as Rate }],
  taxes: [],
  surcharges: [{ name: 'Service', kind: 'CUSTOM', amount: amount(100) }],
};
const DUE = 1333;
const ONE_COFFEE = 347;

const sell = (...tenders: readonly TenderPlan[]): Promise<MadeSale> =>
  makeSale(server, owner.merchant, { at: AT, receipt: RECEIPT, tenders });

const card = (units: number, tip?: number): TenderPlan => ({
  ...{ source: 'CARD', amount: units, ...(tip !== undefined && { tip }) },
});

type Json = Record<string, unknown>;

const tryToRefund = (saleId: string, body: Json, by = owner): Promise<ApiResponse> =>
  by.call('POST', `/api/dashboard/sales/${saleId}/refunds`, { body: { idempotency_key: randomUUID(), ...body } });

async function refund(saleId: string, body: Json): Promise<ApiResponse['body']['refunds']> {
  const { status, text, body: answer } = await tryToRefund(saleId, body);
  if (status !== 200) throw new Error(`not refunded: ${status} ${text}`);
  return answer.refunds;
}

const quote = (saleId: string, body: Json): Promise<ApiResponse> =>
  owner.call('POST', `/api/dashboard/sales/${saleId}/refund-quotes`, { body });

const show = async (saleId: string): Promise<ApiResponse['body']> =>
  (await owner.call('GET', `/api/dashboard/sales/${saleId}`)).body.sale;

const items = (...lines: readonly (readonly [line: number, quantity: string])[]) => ({
  type: 'ITEMS',
  items: lines.map(([line, quantity]) => ({ line, quantity })),
});

describe('a refund of everything', () => {
  it('returns what is left of every tender, is named as made by the owner, and can be repeated with its key', async () => {
    const sale = await sell(card(1000, 200), { source: 'CASH', amount: 333 });
    const body = { type: 'WHOLE', amount_money: usd(1533), idempotency_key: randomUUID(), reason: 'Cold' };
    const first = await tryToRefund(sale.saleId, body);
    expect(first.body.refunds).toMatchObject([
      { tender_id: sale.tenderIds[0], status: 'PENDING', made_by: 'OWNER', amount_money: usd(1200), reason: 'Cold' },
      { tender_id: sale.tenderIds[1], status: 'COMPLETED', made_by: 'OWNER', amount_money: usd(333), type: 'FULL' },
    ]);
    const again = await tryToRefund(sale.saleId, body);
    expect(again.body).toEqual(first.body);
    expect((await tryToRefund(sale.saleId, { ...body, reason: 'Other' })).body.errors[0].code).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
    expect((await show(sale.id)).refundable_money).toEqual(usd(0));
    const { audit_events } = (await owner.call('GET', '/api/dashboard/audit-events?kind=REFUND_CREATED')).body;
    expect(audit_events[0].details).toMatchObject({ sale_id: sale.saleId, amount: '1533', currency: 'USD' });
    expect((await tryToRefund(sale.saleId, { type: 'WHOLE', amount_money: usd(1) })).body.errors[0].code).toBe(
      'PAYMENT_NOT_REFUNDABLE',
    );
  });

  it('is of one tender if that is named, and appears in both generations', async () => {
    const sale = await sell(card(1000), card(333));
    const [, second] = sale.tenderIds;
    await refund(sale.saleId, { type: 'WHOLE', tender_id: second, amount_money: usd(333) });
    await advance(server, owner.merchant, 'PT10S');
    const { body } = await server.call('GET', `/v2/payments/${second}`, owner.merchant);
    expect(body.payment.refunded_money).toEqual(usd(333));
    const v1 = await server.call('GET', `/v1/me/payments/${sale.id}`, owner.merchant);
    expect(v1.body.refunded_money.amount).toBe(-333);
    expect((await show(sale.saleId)).timeline.map(({ kind }: { kind: string }) => kind)).toEqual([
      ...['RUNG_UP', 'PAID', 'PAID', 'REFUNDED', 'REFUND_COMPLETED'],
    ]);
  });

  it('is refused with other figures than those that the owner saw', async () => {
    const sale = await sell(card(DUE));
    await refund(sale.saleId, { type: 'AMOUNT', amount_money: usd(33) });
    const { status, body } = await tryToRefund(sale.saleId, { type: 'WHOLE', amount_money: usd(DUE) });
    expect([status, body.errors[0]]).toMatchObject([409, { code: 'CONFLICT', field: 'amount_money' }]);
    expect((await show(sale.saleId)).refunded_money).toEqual(usd(33));
  });
});

describe('a refund of an amount', () => {
  it('is of one tender, which must be named if there are several', async () => {
    const sale = await sell(card(1000), card(333));
    const body = { type: 'AMOUNT', amount_money: usd(100) };
    expect((await tryToRefund(sale.saleId, body)).body.errors[0].field).toBe('tender_id');
    const [record] = await refund(sale.saleId, { ...body, tender_id: sale.tenderIds[1] });
    expect(record).toMatchObject({ type: 'PARTIAL', tender_id: sale.tenderIds[1] });
    expect((await tryToRefund(sale.saleId, { ...body, tender_id: 'nobody' })).status).toBe(404);
    const tooMuch = { type: 'AMOUNT', tender_id: sale.tenderIds[1], amount_money: usd(234) };
    expect((await tryToRefund(sale.saleId, tooMuch)).body.errors[0].code).toBe('REFUND_AMOUNT_INVALID');
  });

  it('of a payment without a receipt is possible, of items not', async () => {
    const { id } = await pay(server, owner.merchant, { amount_money: usd(1000), tip_money: usd(100) });
    expect((await tryToRefund(id, { ...items([0, '1']), amount_money: usd(1000) })).body.errors[0].code).toBe(
      'PAYMENT_NOT_REFUNDABLE',
    );
    const [record] = await refund(id, { type: 'AMOUNT', amount_money: usd(110) });
    expect(record).toMatchObject({ amount_money: usd(110), tip_money: usd(10) });
  });
});

describe('a refund of items', () => {
  it('costs what the server computes from the receipt: with taxes and discounts, without tips and surcharges', async () => {
    const sale = await sell(card(DUE, 200));
    const { body } = await quote(sale.saleId, items([0, '1']));
    expect(body).toEqual({
      amount_money: usd(ONE_COFFEE),
      tenders: [{ tender_id: sale.id, amount_money: usd(ONE_COFFEE) }],
      items: [{ line: 0, quantity: 1, amount_money: usd(ONE_COFFEE) }],
      disputes: [],
    });
    const [record] = await refund(sale.saleId, { ...items([0, '1']), amount_money: usd(ONE_COFFEE) });
    expect(record).toMatchObject({
      ...{ tax_money: usd(32), discount_money: usd(35), tip_money: usd(0), surcharge_money: usd(0) },
      items: [{ line: 0, quantity: 1, amount_money: usd(ONE_COFFEE) }],
    });
    const shown = await show(sale.saleId);
    expect(shown.receipt.items.map((item: Json) => item['returned_quantity'])).toEqual([1, 0]);
    expect(shown.refunds_by_item).toBe(true);
    const tooMany = await quote(sale.saleId, items([0, '2']));
    expect(tooMany.body.errors[0]).toMatchObject({ code: 'INVALID_VALUE', field: 'items' });
  });

  it('and then of the rest returns each tax, discount, surcharge and tip exactly once, over several tenders', async () => {
    const sale = await sell(card(200, 50), { source: 'CASH', amount: 500 }, card(633, 10));
    await refund(sale.saleId, { ...items([0, '2'], [1, '0.5']), amount_money: usd(963) });
    const [first] = (await show(sale.saleId)).refunds;
    expect(first.items).toHaveLength(2);
    await refundV1(server, owner.merchant, partV1(sale.tenderIds[2] ?? '', 111));
    const tooLate = await quote(sale.saleId, items([1, '0.5']));
    expect(tooLate.body.errors[0]).toMatchObject({ code: 'PAYMENT_NOT_REFUNDABLE', field: 'items' });
    const { body } = await quote(sale.saleId, { type: 'WHOLE' });
    await refund(sale.saleId, { type: 'WHOLE', amount_money: body.amount_money });
    await advance(server, owner.merchant, 'PT10S');
    const { refunds, refunds_by_item: byItem } = await show(sale.saleId);
    const sum = (field: string) =>
      refunds.reduce((all: number, each: ApiResponse['body']) => all + each[field].amount, 0);
    expect(['amount_money', 'tax_money', 'discount_money', 'surcharge_money', 'tip_money'].map(sum)).toEqual([
      ...[DUE + 60, 63, 130, 100, 60],
    ]);
    expect(byItem).toBe(false);
  });

  it('from one tender takes no more than the tender paid without its tip', async () => {
    const sale = await sell(card(300, 500), { source: 'CASH', amount: DUE - 300 });
    const body = { ...items([1, '1']), tender_id: sale.tenderIds[0], amount_money: usd(540) };
    expect((await tryToRefund(sale.saleId, body)).body.errors[0].code).toBe('REFUND_AMOUNT_INVALID');
    const [record] = await refund(sale.saleId, { ...body, tender_id: sale.tenderIds[1] });
    expect(record).toMatchObject({ tender_id: sale.tenderIds[1], status: 'COMPLETED' });
  });
});

describe('two people who refund at once', () => {
  it('with the same item get one refund, and a clear refusal', async () => {
    const sale = await sell(card(DUE));
    const body = { ...items([1, '1']), amount_money: usd(540) };
    const answers = await Promise.all([1, 2, 3].map(() => tryToRefund(sale.saleId, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body.errors[0].detail).toContain('only 0 can still be returned');
    expect((await show(sale.saleId)).refunded_money).toEqual(usd(540));
  });

  it('by item, and by amount through an application: the rest is exact in either order', async () => {
    for (let round = 0; round < 5; round++) {
      const sale = await sell(card(1000), card(333));
      const [byItem, byAmount] = await Promise.all([
        tryToRefund(sale.saleId, { ...items([1, '1']), tender_id: sale.tenderIds[0], amount_money: usd(540) }),
        tryToRefundV1(server, owner.merchant, partV1(sale.tenderIds[1] ?? '', 100)),
      ]);
      expect(byAmount.status).toBe(200);
      const isFirst = byItem.status === 200;
      const { body } = await quote(sale.saleId, { type: 'WHOLE' });
      expect(body.amount_money).toEqual(usd(DUE - 100 - (isFirst ? 540 : 0)));
      await refund(sale.saleId, { type: 'WHOLE', amount_money: body.amount_money });
    }
  });

  it('with the same key get one refund', async () => {
    const sale = await sell(card(DUE));
    const body = { type: 'AMOUNT', amount_money: usd(100), idempotency_key: randomUUID() };
    const answers = await Promise.all([1, 2].map(() => tryToRefund(sale.saleId, body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await show(sale.saleId)).refunded_money).toEqual(usd(100));
  });
});

describe('another owner', () => {
  it('can neither see nor refund a sale', async () => {
    const sale = await sell(card(DUE));
    const stranger = await createOwner(server);
    expect((await tryToRefund(sale.saleId, { type: 'WHOLE', amount_money: usd(DUE) }, stranger)).status).toBe(404);
    expect((await stranger.call('GET', `/api/dashboard/sales/${sale.saleId}`)).status).toBe(404);
  });
});
