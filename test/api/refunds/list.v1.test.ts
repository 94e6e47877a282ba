/** Refunds in v1: their list, and request_idempotence_key: one refund of a sale, whichever id names the sale (decision 0027). */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_STYLES } from '../../support/lists.js';
import {
  advance,
  authorizeAnotherApplication,
  cancelByKey,
  expectBooksInOrder,
  getPayment,
  movementsOf,
  pay,
  refund,
  usd,
} from '../../support/payments.js';
import { mainLocation } from '../../support/people.js';
import { storedReceipt } from '../../support/receipts.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';
import { makeSale } from '../../support/split-sales.js';
import {
  expectV1Refusal,
  listV1,
  listV1Pages,
  money,
  part,
  refundV1,
  tryToRefundV1,
} from '../../support/v1-refunds.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

describe('v1 lists of refunds', () => {
  const START = '2020-02-26T10:15:30.154Z';

  const frozen = (now = START) =>
    server.createMerchant({ clock: { now, frozen: true }, locations: [{ name: 'One' }, { name: 'Two' }] });

  const ask = (merchant: TestMerchant, query: string, location = 'me') =>
    server.call('GET', `/v1/${location}/refunds?${query}`, { token: merchant.token });

  /** A refund of each amount, a second apart, of payments of 1000. */
  async function refundEach(merchant: TestMerchant, amounts: readonly number[], change = {}): Promise<void> {
    for (const units of amounts) {
      const { id } = await pay(server, merchant, change);
      await refundV1(server, merchant, part(id, units));
      await advance(server, merchant, 'PT1S');
    }
  }

  const amountsOf = (items: readonly { refunded_money: { amount: number } }[]) =>
    items.map(({ refunded_money }) => -refunded_money.amount);

  describe('v1.listRefunds', () => {
    it('lists by created_at, oldest first or newest first', async () => {
      const merchant = await frozen();
      await refundEach(merchant, [1, 2, 3]);
      expect(amountsOf(await listV1(server, merchant))).toEqual([1, 2, 3]);
      expect(amountsOf(await listV1(server, merchant, { parameters: { order: 'DESC' } }))).toEqual([3, 2, 1]);
    });

    it('returns the refunds of a location, or of all with `me` (decision 0018), and 404 for another location', async () => {
      const merchant = await frozen();
      const [one = '', two = ''] = merchant.locationIds;
      await refundEach(merchant, [1], { location_id: one });
      const { id } = await pay(server, merchant, { location_id: two });
      await refundV1(server, { ...merchant, at: two }, part(id, 2));
      expect(amountsOf(await listV1(server, merchant, { location: one }))).toEqual([1]);
      expect(amountsOf(await listV1(server, merchant, { location: two }))).toEqual([2]);
      expect(amountsOf(await listV1(server, merchant))).toEqual([1, 2]);
      const stranger = await frozen();
      expectV1Refusal(await ask(merchant, '', mainLocation(stranger)), 404, undefined);
      expect(await listV1(server, stranger)).toEqual([]);
    });

    it.each(CLIENT_STYLES)('returns each refund once, page by page: %s', async (style) => {
      const merchant = await frozen();
      await refundEach(merchant, [1, 2, 3, 4, 5]);
      for (const order of ['ASC', 'DESC']) {
        const pages = await listV1Pages(server, merchant, { style, parameters: { order, limit: '2' } });
        expect(pages.map(({ body }) => body.length)).toEqual([2, 2, 1]);
        const all = amountsOf(pages.flatMap(({ body }) => body));
        expect(all).toEqual(order === 'ASC' ? [1, 2, 3, 4, 5] : [5, 4, 3, 2, 1]);
      }
    });

    it('never splits a refund over several tenders between pages (contract 4.2 rule 3)', async () => {
      const merchant = await frozen();
      const tenders = [100, 200, 300].map((amount) => ({ source: 'CASH', amount }) as const);
      for (let made = 0; made < 3; made++) {
        const sale = await makeSale(server, merchant, { at: START, tenders });
        await refundV1(server, merchant, { payment_id: sale.id });
        await refundEach(merchant, [made + 1]);
      }
      for (const order of ['ASC', 'DESC']) {
        const pages = await listV1Pages(server, merchant, { parameters: { order, limit: '2' } });
        expect(pages.map(({ body }) => body.length)).toEqual([4, 4, 4]);
        const first = amountsOf(pages[0]?.body);
        expect(first).toEqual(order === 'ASC' ? [100, 200, 300, 1] : [3, 100, 200, 300]);
      }
    });

    it('returns 100 refunds per page by default and 200 at most', async () => {
      const merchant = await frozen();
      await fill(merchant, 201);
      for (const query of ['', 'limit=0']) expect((await ask(merchant, query)).body).toHaveLength(100);
      expect((await ask(merchant, 'limit=200')).body).toHaveLength(200);
      expect(await listV1(server, merchant, { parameters: { limit: '200' } })).toHaveLength(201);
      for (const limit of ['-1', '201', 'many']) expectV1Refusal(await ask(merchant, `limit=${limit}`), 400, 'limit');
    });

    it('selects [begin, end) in ASC and (begin, end] in DESC (decision 0007)', async () => {
      const merchant = await frozen();
      await refundEach(merchant, [1, 2, 3]);
      const range = 'begin_time=2020-02-26T10:15:30.154Z&end_time=2020-02-26T10:15:32.154Z';
      expect(amountsOf((await ask(merchant, range)).body)).toEqual([1, 2]);
      expect(amountsOf((await ask(merchant, `${range}&order=DESC`)).body)).toEqual([3, 2]);
      const shown = 'begin_time=2020-02-26T10:15:30Z&end_time=2020-02-26T10:15:32Z';
      expect(amountsOf((await ask(merchant, shown)).body)).toEqual([1, 2]);
      expect(amountsOf((await ask(merchant, `${shown}&order=DESC`)).body)).toEqual([3, 2]);
    });

    it('defaults to the last year up to now, and keeps both times over all pages', async () => {
      const merchant = await frozen();
      await refundEach(merchant, [1, 2, 3]);
      const first = await ask(merchant, 'limit=2');
      await advance(server, merchant, 'PT1S');
      await refundEach(merchant, [4]);
      await advance(server, merchant, 'P1Y');
      const link = String(first.rawHeaders[first.rawHeaders.indexOf('Link') + 1]);
      const { pathname, search } = new URL(link.slice(1, link.indexOf('>')));
      const second = await server.call('GET', pathname + search, { token: merchant.token });
      expect(amountsOf(second.body)).toEqual([3]);
      expect(await listV1(server, merchant)).toEqual([]);
    });

    it('includes a refund just created on a frozen clock', async () => {
      const merchant = await frozen();
      const { id } = await pay(server, merchant);
      await refundV1(server, merchant, part(id, 7));
      for (const order of ['ASC', 'DESC']) {
        expect(amountsOf(await listV1(server, merchant, { parameters: { order } }))).toEqual([7]);
      }
    });

    it.each([
      ['before 2013', 'begin_time=2012-12-31T23:59:59Z&end_time=2013-06-01', 'begin_time', '2013-01-01'],
      ['of more than a year', 'begin_time=2019-01-01&end_time=2020-01-01T00:00:01Z', 'end_time', 'one year'],
      ['of more than a year up to now', 'begin_time=2019-02-26T10:15:30Z', 'end_time', 'one year'],
      ['backwards', 'begin_time=2020-01-02&end_time=2020-01-01', 'end_time', 'before'],
      ['with an end in the future', 'end_time=2020-12-01', 'end_time', 'one year'],
      ['with an end before the default begin', 'end_time=2018-12-01', 'end_time', 'before'],
      ['with a begin in the future', 'begin_time=2099-01-01', 'begin_time', 'current time'],
      ['with invalid times', 'begin_time=01-01-19', 'begin_time', 'time'],
    ])('refuses a range %s (contract 4.2 rule 1)', async (_, query, field, word) => {
      expectV1Refusal(await ask(await frozen(), query), 400, field, word);
    });

    it.each(['payments', 'refunds', 'settlements'])(
      'of %s reaches on 29 February back to 28 February (decision 0011)',
      async (list) => {
        const { token } = await frozen('2020-02-29T10:00:00Z');
        const since = async (begin: string) =>
          (await server.call('GET', `/v1/me/${list}?begin_time=${begin}`, { token })).status;
        expect([await since('2019-02-28T10:00:00Z'), await since('2019-02-28T09:59:59Z')]).toEqual([200, 400]);
      },
    );

    it('accepts a range of exactly one year, also a leap year (decision 0011)', async () => {
      const merchant = await frozen();
      expect((await ask(merchant, 'begin_time=2020-01-01&end_time=2021-01-01')).status).toBe(200);
      expect((await ask(merchant, 'begin_time=2013-01-01T00:00:00Z&end_time=2014-01-01')).status).toBe(200);
    });
  });

  describe('a reversal', () => {
    it('is a full refund in v1, with its tip and fee, and is not listed in v2 (decision 0026)', async () => {
      const merchant = await frozen();
      const payment = await pay(server, merchant, {
        idempotency_key: 'k',
        tip_money: usd(100),
        app_fee_money: usd(50),
      });
      await refund(server, merchant, payment, { amount_money: usd(300), app_fee_money: usd(10) });
      await advance(server, merchant, 'PT10S');
      await cancelByKey(server, merchant, 'k');
      const [, reversed] = await listV1(server, merchant);
      expect(reversed).toMatchObject({
        type: 'FULL',
        reason: '',
        refunded_money: money(-800),
        // 62 in total, 17 of it returned before. The application's fee is separate from the processor's.
        refunded_processing_fee_money: money(45),
        refunded_tip_money: money(-73),
        payment_id: payment.id,
        is_exchange: false,
      });
      const listed = (await server.call('GET', '/v2/refunds', { token: merchant.token })).body.refunds;
      expect(listed).toMatchObject([{ amount_money: usd(300) }]);
      expect(await getPayment(server, merchant, payment.id)).toMatchObject({
        refunded_money: usd(300),
        refund_ids: [listed[0].id],
      });
      const movements = await movementsOf(server, payment.id);
      const { refundId } = movements.find(({ kind }) => kind === 'REVERSAL') ?? {};
      expect(refundId).toEqual(expect.any(String));
      expect((await server.call('GET', `/v2/refunds/${refundId}`, { token: merchant.token })).status).toBe(404);
    });

    it('refunds the amount of a pending refund that failed later', async () => {
      const merchant = await frozen();
      const payment = await pay(server, merchant, { idempotency_key: 'k', tip_money: usd(100) });
      await refund(server, merchant, payment, { amount_money: usd(400) });
      await cancelByKey(server, merchant, 'k');
      await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/processor-rules`, { effect: 'FAIL_REFUND' });
      await advance(server, merchant, 'PT10S');
      const records = await listV1(server, merchant);
      expect(amountsOf(records)).toEqual([700, 400]);
      expect(records.map(({ type }) => type)).toEqual(['FULL', 'FULL']);
      expect(records.reduce((sum, each) => sum + each.refunded_tip_money.amount, 0)).toBe(-100);
    });

    it('does not exist for a payment that was only approved', async () => {
      const merchant = await frozen();
      await pay(server, merchant, { idempotency_key: 'k', autocomplete: false });
      await cancelByKey(server, merchant, 'k');
      expect(await listV1(server, merchant)).toEqual([]);
    });
  });

  /** Inserts many refunds directly into the tables, a second apart, of one payment each, for lists longer than a page. */
  async function fill({ id, locationIds: [location = ''] }: TestMerchant, count: number): Promise<void> {
    const first = `${START.slice(0, 11)}00:00:00Z`;
    const { sql } = server.database;
    await sql`
    insert into sales (
      merchant_id, sale_id, location_id, kind, state, created_at, device_id, device_name, employee_id, register_sale_id,
      request_hash, rung_up_at, due, paid, receipt, tender_ids
    )
    select
      ${id}, 'S' || n, ${location}, 'REGISTER', 'COMPLETED', ${first}::text::timestamptz, 'D', 'Till', gen_random_uuid(),
      n, '', ${first}::text::timestamptz, 5, 5, ${storedReceipt(5)}::text::json, array['P' || n]
    from generate_series(1, ${count}::int) n`;
    await sql`
    insert into payments (
      merchant_id, payment_id, sale_id, location_id, channel, employee_id, register_tender_id, status, source_type,
      created_at, updated_at, captured_at, currency, amount, total, fee, refunded, returned, refund_ids, details
    )
    select
      ${id}, 'P' || n, 'S' || n, ${location}, 'REGISTER', gen_random_uuid(), n, 'COMPLETED', 'CASH',
      ${first}::text::timestamptz, ${first}::text::timestamptz, ${first}::text::timestamptz, 'USD', 5, 5, 0, 1, 1, array['R' || n], '{}'
    from generate_series(1, ${count}::int) n`;
    await sql`
    insert into refunds (
      merchant_id, refund_id, payment_id, location_id, status, source_type, created_at, updated_at, currency, amount,
      returned_fee, order_id, origin, type
    )
    select
      ${id}, 'R' || n, 'P' || n, ${location}, 'COMPLETED', 'CASH', ${first}::text::timestamptz + n * interval '1 second',
      ${first}::text::timestamptz + n * interval '1 second', 'USD', 1, 0, 'O', 'REGISTER', 'PARTIAL'
    from generate_series(1, ${count}::int) n`;
  }
});

describe('the keys of v1 refunds', () => {
  const START = '2020-02-26T10:15:30.154Z';

  let merchant: TestMerchant;

  beforeAll(async () => {
    merchant = await frozen();
  });

  const frozen = () => server.createMerchant({ clock: { now: START, frozen: true } });

  describe('the request idempotence key', () => {
    const keyed = (id: string, units: number, key = 'r-001') => part(id, units, { request_idempotence_key: key });

    it('returns the same refund again, in its current state, and creates no second one', async () => {
      const own = await frozen();
      const { id } = await pay(server, own);
      const first = await refundV1(server, own, keyed(id, 300));
      await advance(server, own, 'P61D');
      expect(await refundV1(server, own, keyed(id, 300))).toEqual(first);
      expect(await getPayment(server, own, id)).toMatchObject({ refunded_money: usd(300) });
    });

    it('marks a replayed response, and no other', async () => {
      const { id } = await pay(server, merchant);
      const answers = [
        await tryToRefundV1(server, merchant, keyed(id, 300)),
        await tryToRefundV1(server, merchant, keyed(id, 300)),
        await tryToRefundV1(server, merchant, part(id, 100)),
      ];
      expect(answers.map(({ status, headers }) => [status, headers['idempotency-replayed']])).toEqual([
        [200, undefined],
        [200, 'true'],
        [200, undefined],
      ]);
    });

    it('returns a full refund again, though nothing is left to refund', async () => {
      const { id } = await pay(server, merchant);
      const body = { payment_id: id, request_idempotence_key: 'all' };
      expect(await refundV1(server, merchant, body)).toEqual(await refundV1(server, merchant, body));
    });

    it('is refused with another request, naming it', async () => {
      const { id } = await pay(server, merchant);
      await refundV1(server, merchant, keyed(id, 300));
      expectV1Refusal(await tryToRefundV1(server, merchant, keyed(id, 301)), 400, 'request_idempotence_key');
      expect(await refundV1(server, merchant, keyed(id, 301, 'r-002'))).toMatchObject({ refunded_money: money(-301) });
    });

    it('belongs to the payment and to the application that it was sent with', async () => {
      const [one, other] = [await pay(server, merchant), await pay(server, merchant)];
      await refundV1(server, merchant, keyed(one.id, 300));
      expect(await refundV1(server, merchant, keyed(other.id, 300))).toMatchObject({ payment_id: other.id });
      const token = await authorizeAnotherApplication(server, merchant.id);
      await refundV1(server, { ...merchant, token }, keyed(one.id, 300));
      expect(await getPayment(server, merchant, one.id)).toMatchObject({ refunded_money: usd(600) });
    });

    it('stays free if the request is refused', async () => {
      const { id } = await pay(server, merchant);
      expect((await tryToRefundV1(server, merchant, keyed(id, 1001))).status).toBe(422);
      expect(await refundV1(server, merchant, keyed(id, 1000))).toMatchObject({ refunded_money: money(-1000) });
    });

    it('is optional: without one each request creates a refund', async () => {
      const { id } = await pay(server, merchant);
      await refundV1(server, merchant, part(id, 300));
      await refundV1(server, merchant, part(id, 300));
      expect(await getPayment(server, merchant, id)).toMatchObject({ refunded_money: usd(600) });
    });
  });

  describe('the key of a sale with several tenders', () => {
    const KEY = { request_idempotence_key: 'once' };
    const split = (own: TestMerchant) => {
      const tenders = [
        { source: 'CARD', amount: 700 },
        { source: 'CASH', amount: 300 },
      ] as const;
      return makeSale(server, own, { at: START, tenders });
    };

    it('creates one refund, whether the sale is named by its own id or by a tender', async () => {
      const own = await frozen();
      const { id, saleId } = await split(own);
      const first = await refundV1(server, own, { payment_id: saleId, ...KEY });
      expect(await refundV1(server, own, { payment_id: id, ...KEY })).toEqual(first);
      expect(await listV1(server, own)).toHaveLength(2);
    });

    it('creates one refund of a sale with one tender, in full or in part, whichever id names it', async () => {
      for (const asked of [{}, part('', 200)]) {
        const own = await frozen();
        const sale = await makeSale(server, own, { at: START, tenders: [{ source: 'CARD', amount: 500 }] });
        const first = await refundV1(server, own, { ...asked, payment_id: sale.saleId, ...KEY });
        expect(await refundV1(server, own, { ...asked, payment_id: sale.id, ...KEY })).toEqual(first);
        expect(await listV1(server, own)).toEqual([first]);
      }
    });

    it.each<[string, (tenders: readonly string[]) => Record<string, unknown>]>([
      ['another tender', ([, cash = '']) => part(cash, 100)],
      ['another amount', ([card = '']) => part(card, 101)],
      ['another type', ([card = '']) => ({ payment_id: card })],
      ['another tender and type', ([, cash = '']) => ({ payment_id: cash })],
    ])('with %s is refused, and no more money is refunded', async (_, asked) => {
      const own = await frozen();
      const { tenderIds } = await split(own);
      const first = await refundV1(server, own, { ...part(tenderIds[0] ?? '', 100), ...KEY });
      const again = await tryToRefundV1(server, own, { ...asked(tenderIds), ...KEY });
      expectV1Refusal(again, 400, 'request_idempotence_key');
      expect(await listV1(server, own)).toEqual([first]);
    });

    it('ignores another reason, and an amount that a FULL refund does not need', async () => {
      const own = await frozen();
      const { id } = await split(own);
      const first = await refundV1(server, own, { payment_id: id, ...KEY });
      const body = { payment_id: id, reason: 'said otherwise', refunded_money: money(-1), unknown: 1, ...KEY };
      expect(await refundV1(server, own, body)).toEqual(first);
    });
  });

  describe('the key of a failed refund', () => {
    const failing = async (): Promise<TestMerchant> => {
      const own = await frozen();
      await server.operator('POST', `/api/sandbox/merchants/${own.id}/processor-rules`, { effect: 'FAIL_REFUND' });
      return own;
    };

    it('returns 422, saying that no money was refunded', async () => {
      const own = await failing();
      const { id } = await pay(server, own);
      const body = part(id, 300, { request_idempotence_key: 'r' });
      const first = await refundV1(server, own, body);
      expect(await refundV1(server, own, body)).toEqual(first); // pending
      await advance(server, own, 'PT10S');
      const answer = await tryToRefundV1(server, own, body);
      expectV1Refusal(answer, 422, 'payment_id', 'failed', id, 'was not refunded');
      expect(await listV1(server, own)).toEqual([]);
      expectV1Refusal(
        await tryToRefundV1(server, own, part(id, 301, { request_idempotence_key: 'r' })),
        400,
        'request_idempotence_key',
      );
    });

    it('of several tenders returns which money was refunded and which was not', async () => {
      const own = await failing();
      const tenders = [
        { source: 'CASH', amount: 300 },
        { source: 'CARD', amount: 700 },
      ] as const;
      const { id, tenderIds } = await makeSale(server, own, { at: START, tenders });
      const body = { payment_id: id, request_idempotence_key: 'r' };
      await refundV1(server, own, body);
      await advance(server, own, 'PT10S');
      const answer = await tryToRefundV1(server, own, body);
      const [cash = '', card = ''] = tenderIds;
      expectV1Refusal(answer, 422, 'payment_id', `the money of ${card} was not refunded`, `${cash} is COMPLETED`);
    });
  });

  describe('a key and a reason of any length', () => {
    it('are stored: the same long key creates one refund, and a key that differs at its end creates another', async () => {
      const own = await frozen();
      const { id } = await pay(server, own);
      // Random, so that it cannot be compressed to the maximum size of an index entry.
      const long = Array.from({ length: 2000 }, () => randomUUID()).join();
      const keyed = (key: string) => part(id, 100, { request_idempotence_key: key, reason: long });
      const first = await refundV1(server, own, keyed(`${long}a`));
      expect(first.reason).toBe(long);
      expect(await refundV1(server, own, keyed(`${long}a`))).toEqual(first);
      await refundV1(server, own, keyed(`${long}b`));
      expect(await listV1(server, own)).toMatchObject([{ reason: long }, { reason: long }]);
      const shown = await server.call('GET', `/v1/me/payments/${id}`, { token: own.token });
      expect(shown.body.refunds).toHaveLength(2);
    });

    it('are limited only by the size of the body', async () => {
      const { id } = await pay(server, merchant);
      const sized = (length: number) => part(id, 1, { reason: 'x'.repeat(length) });
      expect((await refundV1(server, merchant, sized(1_000_000))).reason).toHaveLength(1_000_000);
      expect((await tryToRefundV1(server, merchant, sized(1_050_000))).status).toBe(413);
    });

    it('have the published limit in v2: 192 characters for a reason', async () => {
      const payment = await pay(server, merchant);
      await refund(server, merchant, payment, { amount_money: usd(1), reason: 'x'.repeat(192) });
      const body = { idempotency_key: 'r', payment_id: payment.id, amount_money: usd(1), reason: 'x'.repeat(193) };
      const answer = await server.call('POST', '/v2/refunds', { token: merchant.token, body });
      expect(answer.body.errors).toMatchObject([{ code: 'VALUE_TOO_LONG', field: 'reason' }]);
    });
  });
});
