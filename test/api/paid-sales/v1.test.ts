/** Sales in v1: payments of the API, and the list of payments. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../../support/http.js';
import { walkV1 } from '../../support/lists.js';
import {
  advance,
  approve,
  expectBooksInOrder,
  getPayment,
  pay,
  paymentBody,
  receiptUrlOf,
  refund,
  tryToPay,
  usd,
} from '../../support/payments.js';
import { mainLocation } from '../../support/people.js';
import type { WireSale } from '../../support/sales.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

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
        ...{ entry_method: 'WEB_FORM', receipt_url: receiptUrlOf(server, merchant, id) },
        ...{ payment_note: 'Two "coffees"', total_money: v1(1200), tip_money: v1(200), tendered_money: v1(1200) },
        ...{ tendered_at: '2020-02-26T10:15:30Z', settled_at: '2020-02-26T10:15:30Z' },
        ...{ refunded_money: nothing, is_exchange: false },
      };
      expect(await shown(merchant, id)).toEqual({
        ...{ id, merchant_id: location, created_at: '2020-02-26T10:15:30Z', creator_id: location, device: {} },
        payment_url: `${server.baseUrl}/dashboard/sales/transactions/${id}`,
        receipt_url: receiptUrlOf(server, merchant, id),
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
