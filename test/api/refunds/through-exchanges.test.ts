/** A refund of a sale that was paid with returned goods gives back what was paid for these goods (decision 0226). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestOwner } from '../../support/dashboard.js';
import { advance, expectBooksInOrder, expectRefusal, getPayment, getRefund, pay, usd } from '../../support/payments.js';
import { closeShift, endShift, openBusiness, openShift, type Register } from '../../support/people.js';
import { card, cash, item, sell, tryToSell, type WireSale } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';
import { hold, linkAccount, made, type WireSettlement } from '../../support/settlements.js';
import { expectV1Refusal, money, part, refundV1, tryToRefundV1 } from '../../support/v1-refunds.js';

const NOW = '2020-02-26T10:15:30.154Z';
const PERMISSIONS = ['REGISTER_ISSUE_REFUNDS', 'REGISTER_ACCESS_SALES_HISTORY'];

const server: TestServer = await startTestServer();
let owner: TestOwner;
let till: Register;
let shiftId: string;

beforeEach(async () => {
  const business = await openBusiness(
    server,
    { clock: { now: NOW, frozen: true } },
    { role: { permissions: PERMISSIONS } },
  );
  ({ owner, register: till } = business);
  shiftId = (await openShift(till, 10_000)).id;
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const idOf = ({ payment_id: id }: WireSale): string => id ?? '';
const goods = (sale: WireSale, amount: number, more = {}) => ({
  ...{ payment_id: idOf(sale), amount_money: { amount }, reason: 'too small', ...more },
});

/** Goods of an earlier sale pay for a new one, as far as they are worth it. */
const exchange = (sale: WireSale, amount: number, price = amount, tenders: unknown[] = []): Promise<WireSale> =>
  sell(till, { itemizations: [item(price)], returns: [goods(sale, amount)], tenders });

const sold = (...tenders: unknown[]): Promise<WireSale> => sell(till, { itemizations: [item(1000)], tenders });
const fully = (sale: WireSale) => refundV1(server, owner.merchant, { payment_id: idOf(sale) });
const v1 = async (path: string) => (await server.call('GET', `/v1/me/${path}`, { token: owner.merchant.token })).body;
const finish = () => advance(server, owner.merchant, 'PT10S');

/** What each kind of tender has collected, after refunds. */
async function collected(): Promise<Record<string, number>> {
  const query = 'begin_date=2020-02-26&end_date=2020-02-26&group_by=TENDER';
  const { body } = await owner.call('GET', `/api/dashboard/reports/sales?${query}`);
  return Object.fromEntries(
    body.rows.map(({ key, collected: units }: { key: string; collected: number }) => [key, units]),
  );
}

async function drawer() {
  const { body } = await owner.call('GET', `/api/dashboard/cash-drawer-shifts/${shiftId}`);
  return body.shift.expected_cash_money.amount;
}

const refundsOfV2 = async () =>
  (await server.call('GET', '/v2/refunds', { token: owner.merchant.token })).body.refunds ?? [];

describe('a refund of a sale that was paid with returned goods', () => {
  it('gives back the cash that was paid for them, from the drawer', async () => {
    const sale = await exchange(await sold(cash()), 1000);
    const refund = await fully(sale);
    expect(refund).toMatchObject({ payment_id: idOf(sale), refunded_money: money(-1000), is_exchange: false });
    expect(await drawer()).toBe(10_000);
    expect(await collected()).toEqual({ CASH: 0, EXCHANGE: 0 });
    expect((await v1(`payments/${idOf(sale)}`)).refunded_money).toEqual(money(-1000));
    expect(await refundsOfV2()).toEqual([]);
    expectV1Refusal(await tryToRefundV1(server, owner.merchant, { payment_id: idOf(sale) }), 422, 'payment_id');
  });

  it('goes back to the card that paid for them, in both generations, with its fee, and is settled', async () => {
    await linkAccount(owner);
    const first = await sold(card());
    const sale = await exchange(first, 1000);
    await fully(sale);
    await finish();
    const [refund] = await refundsOfV2();
    expect(refund).toMatchObject({
      ...{ payment_id: idOf(first), status: 'COMPLETED', amount_money: usd(1000), source_type: 'CARD' },
      processing_fee: [{ amount_money: usd(-36) }],
    });
    expect(refund.id.startsWith(idOf(first))).toBe(true);
    expect(await getPayment(server, owner.merchant, idOf(first))).toMatchObject({
      ...{ refunded_money: usd(1000), refund_ids: [refund.id] },
    });
    const [shown] = (await v1(`payments/${idOf(sale)}`)).refunds;
    expect(shown).toMatchObject({ refunded_money: money(-1000), refunded_processing_fee_money: money(36) });
    // The exchange is still all that the first sale gave back.
    expect((await v1(`payments/${idOf(first)}`)).refunds).toMatchObject([{ is_exchange: true }]);
    expect(await collected()).toEqual({ CARD: 0, EXCHANGE: 0 });
    expect(await drawer()).toBe(10_000);
    // Another payment, because nothing is paid out for a total of 0.
    const other = await pay(server, owner.merchant);
    await advance(server, owner.merchant, 'P2D');
    const settled: WireSettlement = await v1(`settlements/${(await v1('settlements'))[0].id}`);
    expect(
      settled.entries?.map(({ type, payment_id, amount_money }) => [type, payment_id, amount_money.amount]),
    ).toEqual([
      ['CHARGE', idOf(first), 964],
      ['REFUND', idOf(first), -964],
      ['CHARGE', other.id, 941],
    ]);
  });

  it('goes back through several exchanges, each tender with its share, and only once', async () => {
    const first = await sell(till, { itemizations: [item(1000)], tenders: [card(600), cash()] });
    const second = await sell(till, {
      ...{ itemizations: [item(900)], returns: [{ ...goods(first, 800), payment_id: first.id }], tenders: [cash()] },
    });
    const third = await sell(till, {
      ...{ itemizations: [item(700)], returns: [{ ...goods(second, 700), payment_id: second.id }] },
    });
    await refundV1(server, owner.merchant, part(idOf(third), 650));
    await finish();
    const [refund] = await refundsOfV2();
    expect(refund).toMatchObject({ amount_money: usd(600), payment_id: first.tenders[0]?.id });
    // The first sale took 400 in cash, the second one 100, and 50 went back.
    expect(await drawer()).toBe(10_000 + 400 + 100 - 50);
    // Goods of 700 of the second sale came back, so 200 are left: 100 of the first sale's cash, and 100 of its own.
    await refundV1(server, owner.merchant, { payment_id: second.id });
    expect(await drawer()).toBe(10_000 + 400 + 100 - 50 - 200);
    await refundV1(server, owner.merchant, { payment_id: idOf(third) });
    expect(await drawer()).toBe(10_000 + 400 + 100 - 50 - 200 - 50);
    // What the exchanges left of the first sale.
    await refundV1(server, owner.merchant, { payment_id: first.id });
    expect(await drawer()).toBe(10_000);
    expect(await collected()).toEqual({ CARD: 0, CASH: 0, EXCHANGE: 0 });
  });

  it('by item at the register, and by the owner, who sees where the money goes', async () => {
    const first = await sold(cash());
    const sale = await exchange(first, 1000, 1200, [cash()]);
    const [found] = made(await till.call('GET', `/api/register/sale-search?query=${sale.id}`)).sales;
    expect(found.tenders).toMatchObject([
      { is_exchange: true, returns_to: [{ tender: { type: 'CASH', sale_id: first.id }, amount_money: usd(1000) }] },
      { is_exchange: false },
    ]);
    const half = { type: 'ITEMS', items: [{ line: 0, quantity: '0.5' }], refunded_money: { amount: 600 } };
    const body = { payment_id: sale.id, reason: 'cold', ...half };
    const { refunds } = made(await till.write('/api/register/refunds', body));
    expect(refunds).toMatchObject([{ source_type: 'CASH', amount_money: usd(600) }]);
    const quote = made(
      await owner.call('POST', `/api/dashboard/sales/${sale.id}/refund-quotes`, { body: { type: 'WHOLE' } }),
    );
    expect(quote.tenders).toMatchObject([
      { tender_id: sale.tenders[0]?.id, amount_money: usd(400), returned_to: { type: 'CASH', sale_id: first.id } },
      { tender_id: sale.tenders[1]?.id, amount_money: usd(200) },
    ]);
    const whole = { type: 'WHOLE', amount_money: usd(600), idempotency_key: randomUUID() };
    made(await owner.call('POST', `/api/dashboard/sales/${sale.id}/refunds`, { body: whole }));
    const shown = made(await owner.call('GET', `/api/dashboard/sales/${sale.id}`)).sale;
    expect(shown.refunds[1]).toMatchObject({ returned_to: { type: 'CASH', sale_id: first.id } });
    expect(await collected()).toEqual({ CASH: 0, EXCHANGE: 0 });
    expect(await drawer()).toBe(10_000);
  });

  it('gives back money for the goods that an exchange leaves over, too', async () => {
    const sale = await exchange(await sold(cash()), 1000);
    const cheaper = await sell(till, {
      ...{ itemizations: [item(300)], returns: [goods(sale, 1000, { refunded_money: { amount: 700 } })] },
    });
    expect(await drawer()).toBe(10_300);
    await fully(cheaper);
    expect(await drawer()).toBe(10_000);
    expect(await collected()).toEqual({ CASH: 0, EXCHANGE: 0 });
  });

  it('goes through an exchange once, though several returns of one request use it', async () => {
    const back = (sale: WireSale, amount: number) => goods(sale, amount, { refunded_money: { amount } });
    const twice = await exchange(await sold(cash(300), card(700)), 1000);
    const second = await exchange(await sold(cash(300), card(700)), 1000);
    const third = await exchange(second, 400);
    for (const returns of [
      [back(twice, 300), back(twice, 700)],
      [back(third, 400), back(second, 600)],
    ]) {
      const before = await drawer();
      await sell(till, { itemizations: [item(0)], returns });
      expect((await drawer()) - before).toBe(-300);
    }
    await finish();
    expect(await collected()).toMatchObject({ CASH: 0, CARD: 0, EXCHANGE: 0 });
  });

  it('counts towards the 20 refunds of a payment, also if one request makes many (decision 0029)', async () => {
    const sale = await sold(cash());
    const returns = Array.from({ length: 20 }, () => goods(sale, 10, { refunded_money: { amount: 10 } }));
    const some = await tryToSell(till, { itemizations: [item(0)], returns: returns.slice(0, 19) });
    expect(some.status, some.text).toBe(200);
    const tooMany = {
      code: 'PAYMENT_NOT_REFUNDABLE',
      category: 'REFUND_ERROR',
      field: 'payment_id',
      says: ['20 refunds'],
    };
    expectRefusal(await tryToSell(till, { itemizations: [item(0)], returns: returns.slice(0, 2) }), tooMany);
    await refundV1(server, owner.merchant, part(idOf(sale), 10));
  });

  it('of a payment of an application returns its share of the application fee', async () => {
    const payment = await pay(server, owner.merchant, { app_fee_money: usd(100) });
    const sale = await sell(till, {
      ...{
        itemizations: [item(500)],
        returns: [{ payment_id: payment.id, amount_money: { amount: 500 }, reason: 'x' }],
      },
    });
    await fully(sale);
    await finish();
    const [refund] = await refundsOfV2();
    expect(refund).toMatchObject({ amount_money: usd(500), app_fee_money: usd(50), payment_id: payment.id });
  });

  it('frees its amounts again if the processor refuses it', async () => {
    const first = await sold(card());
    const sale = await exchange(first, 1000);
    const rule = { effect: 'FAIL_REFUND' };
    made(await server.operator('POST', `/api/sandbox/merchants/${owner.merchant.id}/processor-rules`, { ...rule }));
    await fully(sale);
    await finish();
    const [refund] = await refundsOfV2();
    expect((await getRefund(server, owner.merchant, refund.id)).status).toBe('FAILED');
    expect((await v1(`payments/${idOf(sale)}`)).refunds).toEqual([]);
    expect(await collected()).toEqual({ CARD: 1000, EXCHANGE: 0 });
    expectV1Refusal(await tryToRefundV1(server, owner.merchant, { payment_id: idOf(sale) }), 422, 'payment_id');
    expectV1Refusal(await tryToRefundV1(server, owner.merchant, { payment_id: idOf(first) }), 422, 'payment_id');
  });

  it('is refused while the money is disputed, unless the owner overrules that', async () => {
    const first = await sold(card());
    const sale = await exchange(first, 1000);
    const { id } = made(await hold(server, owner.merchant, idOf(first))).hold;
    expectV1Refusal(
      await tryToRefundV1(server, owner.merchant, { payment_id: idOf(sale) }),
      422,
      'payment_id',
      'disputed',
    );
    const body = { type: 'WHOLE', amount_money: usd(1000), idempotency_key: randomUUID(), overruled_disputes: [id] };
    made(await owner.call('POST', `/api/dashboard/sales/${idOf(sale)}/refunds`, { body }));
    await finish();
    expect((await refundsOfV2())[0].status).toBe('COMPLETED');
  });

  it('is refused if what paid for them is more than a year old, naming that payment', async () => {
    const first = await sold(card());
    await advance(server, owner.merchant, 'P360D');
    const late = await sell(till, { itemizations: [item(1000)], returns: [goods(first, 1000)] });
    await advance(server, owner.merchant, 'P10D');
    expectV1Refusal(
      await tryToRefundV1(server, owner.merchant, { payment_id: idOf(late) }),
      422,
      'payment_id',
      idOf(first),
    );
  });

  it('is the same in a Z report', async () => {
    await fully(await exchange(await sold(cash()), 1000));
    await endShift(till, shiftId);
    const closed = await closeShift(till, shiftId, 10_000);
    expect(closed.expected_cash_money).toEqual(usd(10_000));
  });
});

describe('an open sale that returned goods pay in part', () => {
  it('gives them back to their sale when it is canceled, so they can pay again, or be refunded', async () => {
    const first = await sold(cash());
    const open = await exchange(first, 600, 1500);
    expect(open.state).toBe('OPEN');
    made(await till.write(`/api/register/sales/${open.id}/cancel`, {}));
    expect(await collected()).toEqual({ CASH: 1000 });
    expect((await v1(`payments/${idOf(first)}`)).refunds).toEqual([]);
    await exchange(first, 1000);
    expect(await collected()).toEqual({ CASH: 1000, EXCHANGE: 0 });
    expectRefusal(await till.write('/api/register/refunds', { payment_id: idOf(first), type: 'FULL', reason: 'x' }), {
      code: 'PAYMENT_NOT_REFUNDABLE',
      category: 'REFUND_ERROR',
      field: 'payment_id',
    });
  });
});
