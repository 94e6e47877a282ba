/** Sales in v1, and the id of a sale (decision 0014): that of its only tender, or an id of its own if it is split. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../support/http.js';
import { walkV1 } from '../support/lists.js';
import { createApplication, grant } from '../support/oauth.js';
import { createStore, openStore, placePaid, retrieve, update } from '../support/orders.js';
import {
  advance,
  approve,
  expectBooksInOrder,
  getPayment,
  pay,
  paymentBody,
  refund,
  tryToPay,
  usd,
} from '../support/payments.js';
import { mainLocation, openRegister, type Register } from '../support/people.js';
import { keep, sendQueue } from '../support/queue.js';
import { Receiver } from '../support/receiver.js';
import { card, cash, DECLINED, item, SALES, sell } from '../support/register-sales.js';
import type { WireSale } from '../support/sales.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { MORNING, openShop, SEEN, setClock, settlementsOf, type TestBusiness } from '../support/settlements.js';
import { listV1, part, refundV1, tryToRefundV1, type V1Refund } from '../support/v1-refunds.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

describe('v1 payments', () => {
  const START = '2020-02-26T10:15:30.154Z';

  let merchant: TestMerchant;

  beforeAll(async () => {
    merchant = await openMerchant();
  });

  function openMerchant(): Promise<TestMerchant> {
    return server.createMerchant({
      locations: [{ name: 'One' }, { name: 'Two' }],
      clock: { now: START, frozen: true },
    });
  }

  function retrieve({ token, locationIds }: TestMerchant, id: string, place = locationIds[0]): Promise<ApiResponse> {
    return server.call('GET', `/v1/${place}/payments/${id}`, { token });
  }

  async function shown(owner: TestMerchant, id: string): Promise<WireSale> {
    const answer = await retrieve(owner, id);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  }

  async function list({ token, locationIds }: TestMerchant, query = '', place = locationIds[0]): Promise<WireSale[]> {
    const answer = await server.call('GET', `/v1/${place}/payments${query}`, { token });
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  }

  const v1 = (amount: number) => ({ amount, currency_code: 'USD' });

  describe('v1.retrievePayment', () => {
    it('returns an API payment in full: one tender, one custom amount, its tip and its fee (contract 18)', async () => {
      const { id } = await pay(server, merchant, {
        tip_money: usd(200),
        app_fee_money: usd(50),
        note: 'Two "coffees"',
      });
      const location = mainLocation(merchant);
      const nothing = v1(0);
      const tender = {
        ...{ id, type: 'CREDIT_CARD', name: 'Credit Card', card_brand: 'VISA', pan_suffix: '5858' },
        ...{ entry_method: 'WEB_FORM', receipt_url: `https://squareup.com/receipt/preview/${id}` },
        ...{ payment_note: 'Two "coffees"', total_money: v1(1200), tip_money: v1(200), tendered_money: v1(1200) },
        ...{ tendered_at: '2020-02-26T10:15:30Z', settled_at: '2020-02-26T10:15:30Z' },
        ...{ refunded_money: nothing, is_exchange: false },
      };
      expect(await shown(merchant, id)).toEqual({
        ...{ id, merchant_id: location, created_at: '2020-02-26T10:15:30Z', creator_id: location, device: {} },
        payment_url: `https://squareup.com/dashboard/sales/transactions/${id}`,
        receipt_url: `https://squareup.com/receipt/preview/${id}`,
        ...{ inclusive_tax_money: nothing, additive_tax_money: nothing, tax_money: nothing, discount_money: nothing },
        ...{ surcharge_money: nothing, swedish_rounding_money: nothing, refunded_money: nothing },
        ...{ gross_sales_money: v1(1000), net_sales_money: v1(1000), tip_money: v1(200) },
        ...{ total_collected_money: v1(1200), processing_fee_money: v1(-65), net_total_money: v1(1135) },
        ...{ inclusive_tax: [], additive_tax: [], surcharges: [], refunds: [], is_partial: false },
        ...{ tender: [tender], tenders: [tender] },
        itemizations: [
          {
            ...{ name: 'Custom Amount', quantity: '1.00000000', itemization_type: 'CUSTOM_AMOUNT' },
            item_detail: { category_name: '', sku: '' },
            ...{ single_quantity_money: v1(1000), gross_sales_money: v1(1000), discount_money: nothing },
            ...{ net_sales_money: v1(1000), total_money: v1(1000), taxes: [], discounts: [], modifiers: [] },
          },
        ],
      });
    });

    it('returns what the list returns', async () => {
      const { id } = await pay(server, merchant);
      expect((await list(merchant)).find((sale) => sale.id === id)).toEqual(await shown(merchant, id));
    });

    it('returns 404 before the capture, and then the payment with the time of the capture (decision 0026)', async () => {
      const own = await openMerchant();
      const { id } = await approve(server, own);
      expect((await retrieve(own, id)).status).toBe(404);
      await advance(server, own, 'PT1H');
      await server.call('POST', `/v2/payments/${id}/complete`, { token: own.token });
      expect(await shown(own, id)).toMatchObject({ id, created_at: '2020-02-26T11:15:30Z' });
      expect((await getPayment(server, own, id)).created_at).toBe(START);
    });

    it('returns 404 for a payment that failed, was voided, or never existed', async () => {
      const declined = (await tryToPay(server, merchant, { source_id: 'cnon:card-nonce-declined' })).body.payment;
      const voided = await approve(server, merchant);
      await server.call('POST', `/v2/payments/${voided.id}/cancel`, { token: merchant.token });
      for (const id of [declined.id, voided.id, 'none']) {
        const answer = await retrieve(merchant, id);
        expect([answer.status, answer.body]).toEqual([
          404,
          { type: 'not_found', message: `There is no payment with the id ${id}.` },
        ]);
      }
    });

    it('returns it at its own location and with `me`, and 404 elsewhere (decision 0018)', async () => {
      const [first = '', second = ''] = merchant.locationIds;
      const { id } = await pay(server, merchant, { location_id: second });
      for (const place of [second, 'me']) expect((await retrieve(merchant, id, place)).body).toMatchObject({ id });
      expect((await retrieve(merchant, id, first)).status).toBe(404);
      const stranger = await openMerchant();
      expect((await retrieve(stranger, id, 'me')).status).toBe(404);
      expect((await retrieve(stranger, id, second)).status).toBe(404);
    });

    it.each([
      ['a mastercard', 'cnon:card-nonce-ok', 'MASTERCARD', { type: 'CREDIT_CARD', card_brand: 'MASTER_CARD' }],
      ['a brand without a v1 name', 'cnon:card-nonce-ok', 'INTERAC', { card_brand: 'OTHER_BRAND' }],
      [
        'a gift card',
        'cnon:gift-card-nonce-ok',
        'SQUARE_GIFT_CARD',
        { type: 'SQUARE_GIFT_CARD', name: 'Gift Card', card_brand: 'SQUARE_GIFT_CARD' },
      ],
    ])('returns the v1 name of %s (contract 18)', async (_, source_id, brand, expected) => {
      const { id } = await pay(server, merchant, { source_id });
      await server.database.sql`update payments set card_brand = ${brand} where payment_id = ${id}`;
      expect((await shown(merchant, id)).tender).toEqual([expect.objectContaining(expected)]);
    });

    it('returns its v2 refunds, including pending ones, and their amounts', async () => {
      const own = await openMerchant();
      const payment = await pay(server, own);
      const pendingRefund = await refund(server, own, payment, { amount_money: usd(300), reason: 'spilled' });
      const sale = await shown(own, payment.id);
      expect(pendingRefund.status).toBe('PENDING');
      expect(sale).toMatchObject({
        ...{ refunded_money: v1(-300), total_collected_money: v1(1000), net_total_money: v1(941) },
        tender: [{ refunded_money: v1(-300) }],
        refunds: [
          {
            ...{ refunded_money: v1(-300), reason: 'spilled', payment_id: payment.id, merchant_id: mainLocation(own) },
            ...{ created_at: '2020-02-26T10:15:30Z', processed_at: '2020-02-26T10:15:30Z', is_exchange: false },
          },
        ],
      });
      await advance(server, own, 'PT10S');
      await refund(server, own, payment, { amount_money: usd(700) });
      await advance(server, own, 'PT10S');
      const whole = await shown(own, payment.id);
      expect(whole).toMatchObject({ refunded_money: v1(-1000), tender: [{ refunded_money: v1(-1000) }] });
      expect(whole.refunds.map(({ refunded_money }) => refunded_money)).toEqual([v1(-300), v1(-700)]);
      expect(whole.refunds.map(({ refunded_processing_fee_money }) => refunded_processing_fee_money)).toEqual([
        v1(18),
        v1(41),
      ]);
    });

    it('omits failed refunds', async () => {
      const own = await openMerchant();
      const payment = await pay(server, own);
      await server.operator('POST', `/api/sandbox/merchants/${own.id}/processor-rules`, { effect: 'FAIL_REFUND' });
      await refund(server, own, payment, { amount_money: usd(300) });
      await advance(server, own, 'PT10S');
      expect(await shown(own, payment.id)).toMatchObject({ refunded_money: v1(0), refunds: [] });
    });
  });

  describe('v1.listPayments', () => {
    it('returns the captured payments of a location, or of all with `me`, oldest first', async () => {
      const own = await openMerchant();
      const [first = '', second = ''] = own.locationIds;
      const made: string[] = [];
      for (const location_id of [first, second, first]) {
        made.push((await pay(server, own, { location_id })).id);
        await advance(server, own, 'PT1M');
      }
      await approve(server, own);
      const ids = async (query: string, place: string) => (await list(own, query, place)).map(({ id }) => id);
      expect(await ids('', first)).toEqual([made[0], made[2]]);
      expect(await ids('', second)).toEqual([made[1]]);
      expect(await ids('', 'me')).toEqual(made);
      expect(await ids('?order=DESC', 'me')).toEqual(made.toReversed());
      expect(await ids('', 'me')).toEqual(await ids('?include_partial=true', 'me'));
    });

    it.each([
      ['an unknown location', '/v1/NOBODY/payments', 404, 'not_found', undefined],
      ['a negative limit', '/v1/me/payments?limit=-1', 400, 'bad_request.invalid_parameter', 'limit'],
      ['a limit over 200', '/v1/me/payments?limit=201', 400, 'bad_request.invalid_parameter', 'limit'],
      ['an unknown order', '/v1/me/payments?order=UP', 400, 'bad_request.invalid_parameter', 'order'],
      ['an invalid flag', '/v1/me/payments?include_partial=x', 400, 'bad_request.invalid_parameter', 'include_partial'],
      [
        'a begin before 2013',
        '/v1/me/payments?begin_time=2012-12-31T23:59:59Z&end_time=2013-02-01',
        400,
        'bad_request.invalid_parameter',
        'begin_time',
      ],
      [
        'more than a year',
        '/v1/me/payments?begin_time=2018-01-01&end_time=2019-01-01T00:00:01Z',
        400,
        'bad_request.invalid_parameter',
        'end_time',
      ],
      [
        'an end before the begin',
        '/v1/me/payments?begin_time=2019-01-02&end_time=2019-01-01',
        400,
        'bad_request.invalid_parameter',
        'end_time',
      ],
    ])('refuses %s', async (_, path, status, type, field) => {
      const answer = await server.call('GET', path, { token: merchant.token });
      expect([answer.status, answer.body.type, answer.body.field]).toEqual([status, type, field]);
    });

    it('accepts a range of exactly one calendar year, from 2013 on (decision 0011)', async () => {
      for (const query of ['begin_time=2013-01-01&end_time=2014-01-01', 'begin_time=2016-01-01&end_time=2017-01-01']) {
        expect(await list(merchant, `?${query}`, 'me')).toEqual([]);
      }
    });

    it('includes the ends of a range by the order (decision 0007); a default end is now, inclusive (decision 0008)', async () => {
      const own = await openMerchant();
      const { id } = await pay(server, own);
      const range = (begin: string, end: string, order: string) =>
        list(own, `?begin_time=${begin}&end_time=${end}&order=${order}`).then((sales) => sales.map((sale) => sale.id));
      const [before, after] = ['2020-02-26T10:15:30.153Z', '2020-02-26T10:15:30.155Z'];
      expect(await range(START, after, 'ASC')).toEqual([id]);
      expect(await range(before, START, 'ASC')).toEqual([]);
      expect(await range(START, after, 'DESC')).toEqual([]);
      expect(await range(before, START, 'DESC')).toEqual([id]);
      for (const order of ['ASC', 'DESC']) expect(await list(own, `?order=${order}`)).toHaveLength(1);
    });

    it.each([
      ['begin_time=2020-02-26T10:15:30.155Z', 'begin_time'],
      ['begin_time=9999-12-31T23:59:59.999Z', 'begin_time'],
      ['end_time=2001-01-01', 'end_time'],
      ['end_time=2019-02-26T10:15:30.153Z', 'end_time'],
      ['end_time=2020-02-26T10:15:30.155Z', 'end_time'],
    ])('refuses %s, if the other end is computed from now, naming %s (decision 0008)', async (lonely, field) => {
      for (const order of ['ASC', 'DESC']) {
        const { status, body } = await server.call('GET', `/v1/me/payments?${lonely}&order=${order}`, merchant);
        expect([status, body.type, body.field]).toEqual([400, 'bad_request.invalid_parameter', field]);
      }
    });

    it('begins a year before now by default, whatever end is given, so that no payment is missing (decision 0008)', async () => {
      const own = await openMerchant();
      const { id } = await pay(server, own);
      await advance(server, own, 'P364D');
      for (const order of ['ASC', 'DESC']) {
        const found = await list(own, `?end_time=2020-02-27&order=${order}`);
        expect(found.map((sale) => sale.id)).toEqual([id]);
      }
    });

    it('repeats the whole query in Link, with the times that apply to all pages (decision 0005)', async () => {
      const own = await openMerchant();
      const ids = [];
      for (let each = 0; each < 5; each++) ids.push((await pay(server, own)).id);
      const place = mainLocation(own);
      for (const [order, expected] of [
        ['ASC', ids.toSorted()],
        ['DESC', ids.toSorted().reverse()],
      ] as const) {
        const first = await server.call(
          'GET',
          `/v1/${place}/payments?order=${order}&limit=2&include_partial=True`,
          own,
        );
        const link = String(first.headers['link']);
        const [, token = ''] = /batch_token=(.*)&begin_time/.exec(link) ?? [];
        expect(token).toMatch(/^[\w-]+$/);
        expect(link).toBe(
          `<${server.baseUrl}/v1/${place}/payments?batch_token=${token}` +
            '&begin_time=2019-02-26T10%3A15%3A30.154Z&end_time=2020-02-26T10%3A15%3A30.154Z' +
            `&include_partial=true&limit=2&order=${order}>;rel='next'`,
        );
        const pages = await walkV1({
          get: (path) => server.call('GET', path, own),
          path: `/v1/${place}/payments`,
          parameters: { order, limit: '2' },
        });
        expect(pages.flatMap(({ body }) => body.map(({ id }: WireSale) => id))).toEqual(expected);
      }
    });

    it('accepts the times of Link as parameters', async () => {
      const own = await openMerchant();
      for (let each = 0; each < 3; each++) await pay(server, own);
      for (const order of ['ASC', 'DESC']) {
        const first = await server.call('GET', `/v1/me/payments?order=${order}&limit=1`, own);
        const query = String(first.headers['link'])
          .replace(/^.*&begin_time/, 'begin_time')
          .replace(/>.*$/, '');
        expect((await server.call('GET', `/v1/me/payments?${query}`, own)).status).toBe(200);
      }
    });

    it('includes the whole second for an end in whole seconds (decision 0090)', async () => {
      const own = await openMerchant();
      const { id } = await pay(server, own);
      const shown = (await list(own)).map((sale) => sale['created_at']).join();
      const find = (query: string) => list(own, `?${query}`).then((sales) => sales.map((sale) => sale.id));
      expect(await find(`begin_time=${shown}`)).toEqual([id]);
      expect(await find(`end_time=${shown}`)).toEqual([]);
      expect(await find(`begin_time=${shown}&order=DESC`)).toEqual([]);
      expect(await find(`end_time=${shown}&order=DESC`)).toEqual([id]);
    });

    it('agrees with v2 on the captured payments, one by one', async () => {
      const own = await openMerchant();
      for (const change of [
        {},
        { tip_money: usd(7) },
        { amount_money: usd(1) },
        { source_id: 'cnon:gift-card-nonce-ok' },
      ]) {
        await server.call('POST', '/v2/payments', { token: own.token, body: paymentBody(change) });
      }
      const { payments } = (await server.call('GET', '/v2/payments?sort_order=ASC', { token: own.token })).body;
      const sales = await list(own, '', 'me');
      expect(sales).toHaveLength(4);
      for (const [index, sale] of sales.entries()) {
        const { id, total_money, location_id, processing_fee } = payments[index];
        expect(sale).toMatchObject({
          ...{ id, merchant_id: location_id, total_collected_money: v1(total_money.amount) },
          processing_fee_money: v1(-processing_fee[0].amount_money.amount),
        });
      }
    });
  });
});

describe('the id of a sale', () => {
  let shop: TestBusiness;
  let till: Register;

  const HIRING = { role: { permissions: ['REGISTER_ISSUE_REFUNDS', 'REGISTER_ACCESS_SALES_HISTORY'] } };

  beforeAll(async () => {
    shop = await openShop(server);
    till = await openRegister(server, shop.owner, { hiring: HIRING });
  });

  const get = (merchant: TestMerchant, path: string) =>
    server.call('GET', `/v1/me/payments${path}`, { token: merchant.token });
  const shown = async (id: string): Promise<WireSale> => (await get(shop, `/${id}`)).body;
  const tendersOf = (sale: { readonly tenders: readonly { readonly id: string }[] }) =>
    sale.tenders.map(({ id }) => id);
  /** The refunded amount of each tender, in order. */
  const refundedAmounts = async (ids: readonly string[]) => {
    const records: V1Refund[] = (await listV1(server, shop, { parameters: { limit: '200' } })) ?? [];
    return ids.map((id) =>
      records
        .filter(({ payment_id, is_exchange }) => payment_id === id && !is_exchange)
        .reduce((sum, { refunded_money }) => sum + refunded_money.amount, 0),
    );
  };

  /** 400 by card, 350 in cash, 250 by voucher. */
  const sellSplit = () =>
    sell(till, {
      itemizations: [item(1000)],
      tenders: [card(400), cash(350), { id: randomUUID(), type: 'OTHER', name: 'Voucher' }],
    });

  describe('a sale of one tender', () => {
    it("has one id in the list, its tender, its refund, its settlement and the register's response", async () => {
      const own = await openShop(server);
      const register = await openRegister(server, own.owner, { hiring: HIRING });
      const atRegister = await sell(register, { tenders: [card()] });
      const byApi = await pay(server, own);
      const store = await openStore(server, own);
      const order = await retrieve(server, store, await placePaid(store));
      const ids = [atRegister.tenders[0]?.id, byApi.id, order.tender?.id];
      expect([atRegister.payment_id, byApi.id, order.payment_id]).toEqual(ids);
      const sales: WireSale[] = (await get(own, '')).body;
      expect(new Set(sales.map(({ id }) => id))).toEqual(new Set(ids));
      for (const { id, tender } of sales) expect(tender.map((each) => each.id)).toEqual([id]);
      for (const id of ids) expect(await refundV1(server, own, part(id ?? '', 100))).toMatchObject({ payment_id: id });
      await setClock(server, own, SEEN);
      const entries = (await settlementsOf(server, own)).flatMap((settlement) => settlement.entries ?? []);
      expect(entries.map(({ payment_id }) => payment_id).sort()).toEqual([...ids, ...ids].sort());
    });

    it('of a refunded order has the id that the order shows', async () => {
      const store = await createStore(server);
      const placed = await placePaid(store);
      await update(server, store, placed, 'REFUND');
      const order = await retrieve(server, store, placed);
      expect(await listV1(server, store.merchant)).toMatchObject([{ payment_id: order.payment_id, type: 'FULL' }]);
    });
  });

  describe('a sale of several tenders', () => {
    it('has an id of its own, which is none of its tenders, and is found by that id and by the id of each tender', async () => {
      const sold = await sellSplit();
      const ids = tendersOf(sold);
      expect(sold.payment_id).toBe(sold.id);
      expect(ids).not.toContain(sold.id);
      const sale = await shown(sold.id);
      expect(sale.id).toBe(sold.id);
      expect(sale['payment_url']).toMatch(`/${sold.id}`);
      expect(sale['receipt_url']).toMatch(`/${ids[0]}`);
      for (const id of [sold.id, ...ids]) expect(await shown(id)).toEqual(sale);
    });

    it('has one order id of 28 characters in v2 for all its cards', async () => {
      const sold = await sell(till, { itemizations: [item(1000)], tenders: [card(400), card(600)] });
      for (const id of tendersOf(sold)) {
        const { payment } = (await server.call('GET', `/v2/payments/${id}`, { token: shop.token })).body;
        expect(payment.order_id).toBe(sold.id);
        expect(payment.order_id).toMatch(/^[0-9A-Za-z]{28}$/);
      }
    });

    it('is refunded in full by its id with FULL', async () => {
      const { payment_id, ...sold } = await sellSplit();
      const ids = tendersOf(sold);
      expect(await refundV1(server, shop, { payment_id })).toMatchObject({ payment_id: ids[0], type: 'FULL' });
      expect(await refundedAmounts(ids)).toEqual([-400, -350, -250]);
    });

    it('gives nothing back by its id with PARTIAL (contract 4.2 rule 4), in v1 and at the register', async () => {
      const { payment_id = '', ...sold } = await sellSplit();
      const refused = await tryToRefundV1(server, shop, part(payment_id, 100));
      expect([refused.status, refused.body.type, refused.body.field]).toEqual([
        400,
        'bad_request.invalid_parameter',
        'payment_id',
      ]);
      const body = { payment_id, type: 'PARTIAL', refunded_money: { amount: 100 }, reason: 'Broken' };
      expect((await till.write('/api/register/refunds', body)).status).toBe(400);
      expect(await refundedAmounts(tendersOf(sold))).toEqual([0, 0, 0]);
    });

    it("refunds its first tender only by that tender's id with FULL", async () => {
      const ids = tendersOf(await sellSplit());
      expect(await refundV1(server, shop, { payment_id: ids[0] })).toMatchObject({ payment_id: ids[0], type: 'FULL' });
      expect(await refundedAmounts(ids)).toEqual([-400, 0, 0]);
    });

    it("refunds a part of its first tender by that tender's id with PARTIAL, at most the amount of that tender", async () => {
      const [first = '', ...others] = tendersOf(await sellSplit());
      const tooMuch = await tryToRefundV1(server, shop, part(first, 401));
      expect([tooMuch.status, tooMuch.body.field]).toEqual([422, 'refunded_money']);
      expect(await refundV1(server, shop, part(first, 400))).toMatchObject({ payment_id: first, type: 'PARTIAL' });
      expect(await refundedAmounts([first, ...others])).toEqual([-400, 0, 0]);
    });

    it("refunds one tender by another tender's id with FULL", async () => {
      const ids = tendersOf(await sellSplit());
      expect(await refundV1(server, shop, { payment_id: ids[1] })).toMatchObject({ payment_id: ids[1] });
      expect(await refundedAmounts(ids)).toEqual([0, -350, 0]);
    });

    it('is refunded by the same ids at the register', async () => {
      const sold = await sellSplit();
      const ids = tendersOf(sold);
      const refund = (payment_id: string | undefined, more = {}) =>
        till.write('/api/register/refunds', { payment_id, type: 'FULL', reason: 'Broken', ...more });
      const partly = await refund(ids[0], { type: 'PARTIAL', refunded_money: { amount: 100 } });
      expect(partly.body.refunds).toMatchObject([{ payment_id: ids[0] }]);
      const first = await refund(ids[0]);
      expect(first.body.refunds).toMatchObject([{ payment_id: ids[0], amount_money: { amount: 300 } }]);
      const all = await refund(sold.payment_id);
      expect(all.body.refunds.map(({ payment_id }: V1Refund) => payment_id)).toEqual(ids.slice(1));
      expect(await refundedAmounts(ids)).toEqual([-400, -350, -250]);
    });

    it('has its own id for returned goods, whichever tenders their value comes from', async () => {
      const { payment_id } = await sellSplit();
      const goods = { payment_id, amount_money: { amount: 500 }, reason: 'Too small' };
      await sell(till, { itemizations: [item(500)], returns: [goods] });
      const { refunds, id } = await shown(payment_id ?? '');
      expect(id).toBe(payment_id);
      expect(refunds.map(({ payment_id, is_exchange }) => [payment_id, is_exchange])).toEqual([
        [id, true],
        [id, true],
      ]);
      expect((await shown(id)).tender.map(({ refunded_money }) => refunded_money)).toMatchObject([
        { amount: -400 },
        { amount: -100 },
        { amount: 0 },
      ]);
    });
  });

  describe('an open sale', () => {
    it('has its own id once a tender does not cover it, and keeps it when it completes', async () => {
      const opened = await sell(till, { tenders: [card(400, { source_id: DECLINED })] });
      expect('payment_id' in opened).toBe(false);
      const taken = (await till.write(`${SALES}/${opened.id}/tenders`, cash(300))).body.sale;
      const first = taken.tenders.find(({ status }: { status: string }) => status === 'COMPLETED').id;
      expect(taken.payment_id).toBe(opened.id);
      const partial: WireSale[] = (await get(shop, '?include_partial=true&limit=200')).body;
      expect(partial.find(({ id }) => id === opened.id)).toMatchObject({ is_partial: true });
      // A register may have stored the id of a tender.
      const done = (await till.write(`${SALES}/${first}/tenders`, card())).body.sale;
      expect(done).toMatchObject({ id: opened.id, payment_id: opened.id, state: 'COMPLETED' });
      expect(await shown(first)).toMatchObject({ id: opened.id, is_partial: false });
      expect((await till.call('GET', `${SALES}/${first}`)).body.sale).toEqual(done);
    });

    it('has the id of its tender if the first tender covers it', async () => {
      const opened = await sell(till, { tenders: [card(undefined, { source_id: DECLINED })] });
      const done = (await till.write(`${SALES}/${opened.id}/tenders`, cash())).body.sale;
      const [tender] = (await shown(opened.id)).tender;
      expect(done).toMatchObject({ payment_id: tender?.id, state: 'COMPLETED' });
      expect(await shown(opened.id)).toMatchObject({ id: tender?.id });
    });

    it('keeps its own id if an edit makes its only tender cover it, and that id still refunds it in part', async () => {
      const opened = await sell(till, { tenders: [cash(400)] });
      const edit = { id: randomUUID(), version: opened['version'], itemizations: [item(400)] };
      const done = (await till.call('PUT', `${SALES}/${opened.id}`, { body: edit })).body.sale;
      expect(done).toMatchObject({ payment_id: opened.id, state: 'COMPLETED' });
      const [tender] = tendersOf(done);
      expect(await shown(tender ?? '')).toMatchObject({ id: opened.id, tender: [{ id: tender }] });
      expect(await refundV1(server, shop, part(opened.id, 100))).toMatchObject({ payment_id: tender });
      expect(await refundV1(server, shop, { payment_id: opened.id })).toMatchObject({ payment_id: tender });
      expect(await refundedAmounts([tender ?? ''])).toEqual([-400]);
    });

    it('can be cancelled by that id', async () => {
      const opened = await sell(till, { tenders: [cash(400)] });
      const answer = await till.write(`${SALES}/${opened.payment_id}/cancel`);
      expect(answer.body.sale).toMatchObject({ id: opened.id, state: 'CANCELED', payment_id: opened.payment_id });
    });
  });

  describe('a sale with a total of 0', () => {
    it('completes without a tender, under its own id, and has nothing to refund', async () => {
      const body = { itemizations: [item(1000)], discounts: [{ name: 'On us', rate: '1' }] };
      const sold = await sell(till, { ...body, total_money: { amount: 0 } });
      expect(sold).toMatchObject({ state: 'COMPLETED', payment_id: sold.id, tenders: [] });
      expect(sold.created_at).toEqual(expect.any(String));
      const listed: WireSale[] = (await get(shop, '?limit=200')).body;
      const sale = listed.find(({ id }) => id === sold.id);
      expect(sale).toMatchObject({ tender: [], tenders: [], refunds: [], is_partial: false, itemizations: [{}] });
      expect(sale).toMatchObject({ total_collected_money: { amount: 0 }, discount_money: { amount: -1000 } });
      expect(await shown(sold.id)).toEqual(sale);
      for (const request of [{ payment_id: sold.id }, part(sold.id, 1)]) {
        const refused = await tryToRefundV1(server, shop, request);
        expect([refused.status, refused.body.type]).toEqual([422, 'unprocessable_entity']);
      }
      const returned = { payment_id: sold.id, amount_money: { amount: 1 }, reason: 'x' };
      expect((await till.write(SALES, { itemizations: [item(1)], returns: [returned] })).status).toBe(400);
    });

    it('accepts a tender for the tip, and then has the id of that tender', async () => {
      const tenders = [card(undefined, { tip_money: { amount: 200 } })];
      const sold = await sell(till, { itemizations: [item(0)], tenders });
      expect(sold).toMatchObject({ state: 'COMPLETED', payment_id: sold.tenders[0]?.id });
      expect(await shown(sold.payment_id ?? '')).toMatchObject({ tip_money: { amount: 200 } });
    });

    it('is created once if it is sent twice, also in a queue', async () => {
      const write = keep(till, 'ringUpSale', { occurred_at: MORNING, body: { itemizations: [item(0)] } });
      const send = () => sendQueue(till, MORNING, [write]);
      const [first, again] = [await send(), await send()];
      expect(first.body.results).toMatchObject([{ status: 'ACCEPTED', response: { sale: { state: 'COMPLETED' } } }]);
      expect(again.body).toEqual(first.body);
    });
  });

  describe('v1.listPayments', () => {
    it('orders payments of one instant by id, over all pages', async () => {
      const own = await openShop(server);
      const register = await openRegister(server, own.owner);
      // The last sale that was created is paid first.
      const opened: string[] = [];
      for (let count = 0; count < 5; count++) opened.push((await sell(register, { tenders: [] })).id);
      for (const id of opened.reverse()) await register.write(`${SALES}/${id}/tenders`, cash());
      for (const order of ['ASC', 'DESC']) {
        const walk = { path: '/v1/me/payments', parameters: { limit: '2', order } };
        const pages = await walkV1({ ...walk, get: (path) => server.call('GET', path, { token: own.token }) });
        const ids: string[] = pages.flatMap(({ body }) => body.map(({ id }: WireSale) => id));
        expect(ids).toHaveLength(5);
        expect(ids).toEqual(order === 'ASC' ? ids.toSorted() : ids.toSorted().reverse());
      }
    });
  });

  describe('a v1 message', () => {
    it('identifies a sale as the list does, on every channel: once for the charge, again for the refund', async () => {
      const receiver = await Receiver.open();
      const application = await createApplication(server);
      const store = await createStore(server);
      const { merchant, locationId } = store;
      const { access_token: token } = await grant(server, application, merchant.id);
      await server.operator('PUT', `/api/sandbox/applications/${application.id}/v1-webhook`, {
        notification_url: receiver.url,
      });
      await server.call('PUT', `/v1/${locationId}/webhooks`, { token, body: ['PAYMENT_UPDATED'] });
      const placed = await placePaid(store);
      const { payment_id } = await retrieve(server, store, placed);
      await receiver.until(1);
      await update(server, store, placed, 'REFUND');
      await receiver.until(2);
      await advance(server, merchant, 'PT10S');
      await receiver.until(3);
      expect(receiver.received.map(({ body }) => body.entity_id)).toEqual([payment_id, payment_id, payment_id]);
      await receiver.close();
    });
  });
});
