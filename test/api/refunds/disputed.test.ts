/** While a dispute holds the money of a payment, nobody refunds it: at each surface, at the queue, and in races (decision 0225). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { openStore, placePaid, type TestStore, update } from '../../support/orders.js';
import {
  advance,
  cancelByKey,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  getRefund,
  pay,
  refund,
  tryToRefund,
  usd,
} from '../../support/payments.js';
import { openBusiness, openShift, type Register } from '../../support/people.js';
import { keep, sendQueue } from '../../support/queue.js';
import { card, cash, item, sell, tryToSell } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';
import { hold, made, release } from '../../support/settlements.js';
import { expectV1Refusal, part, refundV1, tryToRefundV1 } from '../../support/v1-refunds.js';

const NOW = '2020-02-26T10:15:30.154Z';
const DISPUTED = {
  ...{ status: 400, code: 'PAYMENT_NOT_REFUNDABLE', category: 'REFUND_ERROR' },
  ...{ field: 'payment_id', says: ['disputed'] },
};

let server: TestServer;
let owner: TestOwner;
let till: Register;
let store: TestStore;

beforeAll(async () => {
  server = await startTestServer();
  const business = await openBusiness(
    server,
    { clock: { now: NOW, frozen: true } },
    { role: { permissions: ['REGISTER_ISSUE_REFUNDS', 'REGISTER_ACCESS_SALES_HISTORY'] } },
  );
  ({ owner, register: till } = business);
  store = await openStore(server, owner.merchant);
  await openShift(till);
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const dispute = async (id: string, amount?: number): Promise<string> =>
  made(await hold(server, owner.merchant, id, amount)).hold.id;

const byOwner = (saleId: string, body: object): Promise<ApiResponse> =>
  owner.call('POST', `/api/dashboard/sales/${saleId}/refunds`, { body: { idempotency_key: randomUUID(), ...body } });

const atRegister = (body: object): Promise<ApiResponse> =>
  till.write('/api/register/refunds', { reason: 'cold', ...body });

const auditOf = async (kind: string) =>
  (await owner.call('GET', `/api/dashboard/audit-events?kind=${kind}`)).body.audit_events;

describe('a disputed payment', () => {
  it('is not refunded by an application, in whole or in part, until the dispute ends', async () => {
    const payment = await pay(server, owner.merchant);
    await dispute(payment.id);
    expectRefusal(await tryToRefund(server, owner.merchant, payment, { amount_money: usd(1) }), DISPUTED);
    expectV1Refusal(
      await tryToRefundV1(server, owner.merchant, { payment_id: payment.id }),
      422,
      'payment_id',
      'disputed',
    );
    expectV1Refusal(await tryToRefundV1(server, owner.merchant, part(payment.id, 1)), 422, 'payment_id', 'disputed');
    expect((await getPayment(server, owner.merchant, payment.id)).refunded_money).toBeUndefined();
    made(await release(server, owner.merchant, payment.id));
    await refundV1(server, owner.merchant, { payment_id: payment.id });
  });

  it('is not refunded at all while a part of it is disputed', async () => {
    const payment = await pay(server, owner.merchant);
    await dispute(payment.id, 300);
    expectRefusal(await tryToRefund(server, owner.merchant, payment, { amount_money: usd(700) }), DISPUTED);
  });

  it('is not reversed by its key', async () => {
    const key = randomUUID();
    const payment = await pay(server, owner.merchant, { idempotency_key: key });
    await dispute(payment.id);
    expectRefusal(await cancelByKey(server, owner.merchant, key), DISPUTED);
    expect((await getPayment(server, owner.merchant, payment.id)).status).toBe('COMPLETED');
    made(await release(server, owner.merchant, payment.id));
    expect((await cancelByKey(server, owner.merchant, key)).status).toBe(200);
  });

  it('is not refunded at a register, nor does it pay for other goods, nor is its open sale canceled', async () => {
    const sale = await sell(till, { tenders: [card()] });
    await dispute(sale.payment_id ?? '');
    const whole = { payment_id: sale.payment_id, type: 'FULL' };
    expectRefusal(await atRegister(whole), DISPUTED);
    const items = { payment_id: sale.payment_id, type: 'ITEMS', items: [{ line: 0, quantity: '1' }] };
    expectRefusal(await atRegister(items), DISPUTED);
    const returns = [{ payment_id: sale.payment_id, amount_money: { amount: 500 }, reason: 'too small' }];
    expectRefusal(await tryToSell(till, { itemizations: [item(500)], returns }), DISPUTED);
    const open = await sell(till, { tenders: [card(400)] });
    await dispute(open.tenders[0]?.id ?? '');
    const canceled = await till.write(`/api/register/sales/${open.id}/cancel`, {});
    const { sale: asItIs, ...refused } = canceled.body; // decision 0235
    expectRefusal({ ...canceled, body: refused }, DISPUTED);
    expect(asItIs.state).toBe('OPEN');
  });

  it('blocks its own tender of a split sale only', async () => {
    const sale = await sell(till, { tenders: [card(600), cash()] });
    const [byCard, byCash] = sale.tenders;
    await dispute(byCard?.id ?? '');
    expectRefusal(await atRegister({ payment_id: sale.id, type: 'FULL' }), DISPUTED);
    const { status, text } = await atRegister({
      ...{ payment_id: byCash?.id, type: 'PARTIAL', refunded_money: { amount: 400 } },
    });
    expect(status, text).toBe(200);
  });

  it('keeps its order from being canceled or refunded', async () => {
    const order = await placePaid(store);
    const sale = await owner.call('GET', `/api/dashboard/orders/${order.id}`);
    const saleId: string = sale.body.order.sale_id;
    const { tenders } = (await owner.call('GET', `/api/dashboard/sales/${saleId}`)).body.sale;
    await dispute(tenders[0].id);
    expectV1Refusal(await update(server, store, order, 'CANCEL'), 422, undefined, 'disputed');
    const canceled = await owner.call('PUT', `/api/dashboard/orders/${order.id}`, { body: { action: 'CANCEL' } });
    expect([canceled.status, canceled.text]).toEqual([400, expect.stringContaining('disputed')]);
    const atCounter = await till.write(`/api/register/orders/${order.id}/cancel`);
    expect([atCounter.status, atCounter.text]).toEqual([400, expect.stringContaining('disputed')]);
  });
});

describe('the owner', () => {
  it('overrules a dispute by naming it, for one sale, which the audit log shows', async () => {
    const payment = await pay(server, owner.merchant);
    const id = await dispute(payment.id);
    const quote = await owner.call('POST', `/api/dashboard/sales/${payment.id}/refund-quotes`, {
      body: { type: 'WHOLE' },
    });
    expect(quote.body.disputes).toEqual([
      { id, tender_id: payment.id, amount_money: usd(1000), placed_at: expect.any(String) },
    ]);
    const body = { type: 'WHOLE', amount_money: usd(1000) };
    expectRefusal(await byOwner(payment.id, body), DISPUTED);
    expectRefusal(await byOwner(payment.id, { ...body, overruled_disputes: ['another'] }), DISPUTED);
    const { body: answer } = await byOwner(payment.id, { ...body, overruled_disputes: [id] });
    const [{ details }] = await auditOf('REFUND_CREATED');
    expect(details).toMatchObject({ sale_id: payment.id, overruled_disputes: id, disputed_amount: '1000' });
    await advance(server, owner.merchant, 'PT10S');
    expect((await getRefund(server, owner.merchant, answer.refunds[0].id)).status).toBe('COMPLETED');
  });

  it('overrules no dispute that came after the one that was confirmed', async () => {
    const payment = await pay(server, owner.merchant);
    const first = await dispute(payment.id);
    made(await release(server, owner.merchant, payment.id));
    await dispute(payment.id);
    const body = { type: 'WHOLE', amount_money: usd(1000), overruled_disputes: [first] };
    expectRefusal(await byOwner(payment.id, body), DISPUTED);
  });
});

describe('a dispute that comes while a refund is pending', () => {
  it('makes it fail, so the money goes back at most once', async () => {
    const payment = await pay(server, owner.merchant);
    const pending = await refund(server, owner.merchant, payment, { amount_money: usd(400) });
    await dispute(payment.id);
    await advance(server, owner.merchant, 'PT10S');
    expect((await getRefund(server, owner.merchant, pending.id)).status).toBe('FAILED');
    expect((await getPayment(server, owner.merchant, payment.id)).refunded_money).toBeUndefined();
    made(await release(server, owner.merchant, payment.id));
    await refund(server, owner.merchant, payment, { amount_money: usd(1000) });
  });

  it('of an order leaves the money to the owner, who refunds it when the dispute ends', async () => {
    const order = await placePaid(store);
    const saleId: string = (await owner.call('GET', `/api/dashboard/orders/${order.id}`)).body.order.sale_id;
    expect((await update(server, store, order, 'REFUND')).status).toBe(200);
    const { tenders, total_money } = (await owner.call('GET', `/api/dashboard/sales/${saleId}`)).body.sale;
    await dispute(tenders[0].id);
    await advance(server, owner.merchant, 'PT10S');
    await expectBooksInOrder(server);
    made(await release(server, owner.merchant, tenders[0].id));
    made(await byOwner(saleId, { type: 'WHOLE', amount_money: total_money }));
  });

  it('does not make one fail that the owner made in spite of it', async () => {
    const payment = await pay(server, owner.merchant);
    const id = await dispute(payment.id, 300);
    const body = { type: 'AMOUNT', amount_money: usd(100), overruled_disputes: [id] };
    const { body: answer } = await byOwner(payment.id, body);
    made(await release(server, owner.merchant, payment.id));
    const second = await dispute(payment.id);
    expect(second).not.toBe(id);
    await advance(server, owner.merchant, 'PT10S');
    expect((await getRefund(server, owner.merchant, answer.refunds[0].id)).status).toBe('FAILED');
  });
});

describe('the queue of a register', () => {
  const kept = (body: object) =>
    keep(till, 'issueRefund', { occurred_at: NOW, body: { reason: 'cold', type: 'FULL', ...body } });
  const send = async (write: unknown) => made(await sendQueue(till, NOW, [write])).results[0];

  it('records the cash that was paid out, flagged, and pays nothing to the disputed card', async () => {
    const sale = await sell(till, { tenders: [card(600), cash()] });
    const [byCard, byCash] = sale.tenders;
    await advance(server, owner.merchant, 'PT1S');
    await dispute(byCard?.id ?? '');
    await advance(server, owner.merchant, 'PT1S');
    const result = await send(kept({ payment_id: sale.id }));
    expect(result).toMatchObject({ status: 'ACCEPTED', flags: [{ code: 'DISPUTED' }, { code: 'PAID_OUT_OFFLINE' }] });
    const bySource = Object.fromEntries(
      result.response.refunds.map((each: { source_type: string }) => [each.source_type, each]),
    );
    expect(bySource['CASH']).toMatchObject({ status: 'COMPLETED', payment_id: byCash?.id, amount_money: usd(400) });
    await advance(server, owner.merchant, 'PT10S');
    expect((await getRefund(server, owner.merchant, bySource['CARD'].id)).status).toBe('FAILED');
    made(await release(server, owner.merchant, byCard?.id ?? ''));
    await refundV1(server, owner.merchant, { payment_id: byCard?.id });
  });

  it('refuses a refund of a disputed card', async () => {
    const sale = await sell(till, { tenders: [card()] });
    await dispute(sale.payment_id ?? '');
    expect(await send(kept({ payment_id: sale.payment_id }))).toMatchObject({
      status: 'REFUSED',
      error: { code: 'PAYMENT_NOT_REFUNDABLE' },
    });
  });

  it('refuses to cancel an open sale with a disputed card, though cash is beside it', async () => {
    const sale = await sell(till, { tenders: [card(500), cash(1)] });
    const byCard = sale.tenders[0]?.id ?? '';
    await dispute(byCard);
    const canceled = keep(till, 'cancelSale', { occurred_at: NOW, body: { sale_id: sale.id } });
    const refused = { status: 'REFUSED', error: { code: 'PAYMENT_NOT_REFUNDABLE' } };
    expect(await send(canceled)).toMatchObject(refused);
    expect((await getPayment(server, owner.merchant, byCard)).status).toBe('COMPLETED');
    made(await release(server, owner.merchant, byCard));
    expect(await send(canceled)).toMatchObject({ status: 'ACCEPTED' });
  });
});
