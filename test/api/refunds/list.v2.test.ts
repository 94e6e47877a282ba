/** Refunds in v2: their list, and the money that they move. */

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import { repetitions } from '../../support/long.js';
import {
  advance,
  cancelByKey,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  getRefund,
  type Holder,
  type Json,
  later,
  movementsOf,
  pay,
  refund,
  tryToRefund,
  usd,
  type WireRefund,
  walk,
} from '../../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

describe('v2 lists of refunds', () => {
  const START = '2020-02-26T10:15:30.154Z';
  const HOUR_MS = 3_600_000;

  /** Has the refund history that the tests query. */
  let merchant: TestMerchant;
  let history: WireRefund[];

  beforeAll(async () => {
    merchant = await server.createMerchant({
      locations: [{ name: 'One' }, { name: 'Two' }],
      clock: { now: START, frozen: true },
    });
    history = await makeHistory();
  });

  const frozen = () => server.createMerchant({ clock: { now: START, frozen: true } });
  const INSTANTS = Array.from({ length: 8 }, (_, index) => later(START, index * HOUR_MS));

  /** Refunds at both locations, two at each instant: one in three failed, the last ones pending. */
  async function makeHistory(): Promise<WireRefund[]> {
    const made: string[] = [];
    const rules = `/api/sandbox/merchants/${merchant.id}/processor-rules`;
    for (const [index] of INSTANTS.entries()) {
      for (const location_id of merchant.locationIds) {
        const payment = await pay(server, merchant, { location_id });
        made.push((await refund(server, merchant, payment, { amount_money: usd(100 + index) })).id);
      }
      if (index % 3 === 1) await server.operator('POST', rules, { effect: 'FAIL_REFUND' });
      if (index < INSTANTS.length - 1) await advance(server, merchant, 'PT1H');
    }
    return Promise.all(made.map((id) => getRefund(server, merchant, id)));
  }

  const list = (query: Record<string, string>, { token }: Holder = merchant) =>
    server.call('GET', `/v2/refunds?${new URLSearchParams(query)}`, { token });
  const ids = (refunds: readonly { readonly id: string }[] = []) => refunds.map(({ id }) => id);

  async function walkIds(query: Record<string, string>, who: Holder = merchant): Promise<string[]> {
    const pages = await walk(server, who, `/v2/refunds?${new URLSearchParams(query)}`);
    return pages.flatMap(({ body }) => ids(body.refunds));
  }

  interface Filter {
    readonly location_id?: string;
    readonly status?: string;
    readonly begin_time?: string;
    readonly end_time?: string;
    readonly sort_order?: string;
  }

  /** Groups by instant, in order; refunds of one instant are in any order. */
  function oracle(filter: Filter): string[][] {
    const kept = history.filter(
      (each) =>
        (filter.location_id === undefined || each.location_id === filter.location_id) &&
        (filter.status === undefined || each.status === filter.status) &&
        (filter.begin_time === undefined || each.created_at >= filter.begin_time) &&
        (filter.end_time === undefined || each.created_at < filter.end_time),
    );
    const groups = byInstant(ids(kept)); // the history was created oldest first
    return filter.sort_order === 'ASC' ? groups : groups.reverse();
  }

  const timeOf = (id: string) => history.find((each) => each.id === id)?.created_at;

  function byInstant(found: readonly string[]): string[][] {
    const groups: string[][] = [];
    for (const id of found) {
      const last = groups.at(-1);
      if (last?.[0] !== undefined && timeOf(last[0]) === timeOf(id)) last.push(id);
      else groups.push([id]);
    }
    return groups.map((group) => group.toSorted());
  }

  describe('v2.listPaymentRefunds', () => {
    it('returns all states and locations, newest first, as getPaymentRefund shows them', async () => {
      const { status, body } = await list({});
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['refunds']);
      expect(byInstant(ids(body.refunds))).toEqual(oracle({}));
      expect(body.refunds.toSorted((a: WireRefund, b: WireRefund) => (a.id < b.id ? -1 : 1))).toEqual(
        history.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      );
      expect(new Set(history.map((each) => each.status))).toEqual(new Set(['PENDING', 'COMPLETED', 'FAILED']));
    });

    it('returns oldest first with ASC: exactly the reverse', async () => {
      const [up, down] = [await walkIds({ sort_order: 'ASC' }), await walkIds({ sort_order: 'DESC' })];
      expect(up).toEqual(down.toReversed());
      expect(await walkIds({})).toEqual(down);
      expect(byInstant(up)).toEqual(oracle({ sort_order: 'ASC' }));
    });

    it.each(['PENDING', 'COMPLETED', 'FAILED', 'REJECTED'])('filters by the status %s', async (status) => {
      expect(byInstant(await walkIds({ status }))).toEqual(oracle({ status }));
      expect(oracle({ status }).length > 0).toBe(status !== 'REJECTED');
    });

    it('filters by location; a location of another merchant or an unknown one has no refunds', async () => {
      for (const location_id of merchant.locationIds) {
        expect(byInstant(await walkIds({ location_id }))).toEqual(oracle({ location_id }));
      }
      const stranger = await frozen();
      await refund(server, stranger, await pay(server, stranger));
      for (const location_id of ['LNOWHERE00000', stranger.locationIds[0] ?? '']) {
        expect((await list({ location_id })).body).toEqual({});
      }
    });

    it('returns all refunds for CARD', async () => {
      expect(await walkIds({ source_type: 'CARD' })).toEqual(await walkIds({}));
    });

    it('includes begin_time and excludes end_time, in both orders', async () => {
      const [begin_time = '', end_time = ''] = [INSTANTS[2], INSTANTS[5]];
      for (const sort_order of ['ASC', 'DESC']) {
        const { body } = await list({ begin_time, end_time, sort_order });
        const times = new Set(body.refunds.map(({ created_at }: WireRefund) => created_at));
        expect([...times].toSorted()).toEqual(INSTANTS.slice(2, 5));
      }
    });

    it('matches an oracle for any combination of filters, orders and page sizes', async () => {
      const time = fc.constantFrom(...INSTANTS, later(START, 1), later(START, HOUR_MS - 1));
      const combination = fc.record(
        {
          location_id: fc.constantFrom(...merchant.locationIds),
          status: fc.constantFrom('PENDING', 'COMPLETED', 'FAILED', 'REJECTED'),
          source_type: fc.constant('CARD'),
          times: fc.tuple(time, time).map((times) => times.toSorted()),
          begin: fc.boolean(),
          end: fc.boolean(),
          sort_order: fc.constantFrom('ASC', 'DESC'),
          limit: fc.constantFrom('1', '2', '3', '100'),
        },
        { requiredKeys: ['times', 'begin', 'end'] },
      );
      await fc.assert(
        fc.asyncProperty(combination, async ({ times: [first = '', last = ''], begin, end, limit, ...rest }) => {
          const filter = { ...rest, ...(begin && { begin_time: first }), ...(end && { end_time: last }) };
          const found = await walkIds({ ...filter, ...(limit !== undefined && { limit }) });
          expect(byInstant(found)).toEqual(oracle(filter));
        }),
        { seed: 20_200_226, numRuns: repetitions({ usual: 30, long: 60 }) },
      );
    });

    it.each([
      ['status', 'APPROVED', 'INVALID_ENUM_VALUE'],
      ['status', 'pending', 'INVALID_ENUM_VALUE'],
      ['source_type', 'CASH', 'INVALID_ENUM_VALUE'],
      ['begin_time', 'yesterday', 'INVALID_TIME'],
      ['end_time', '01-01-19', 'INVALID_TIME'],
      ['sort_order', 'UP', 'INVALID_SORT_ORDER'],
      ['limit', '1.5', 'EXPECTED_INTEGER'],
      ['cursor', 'forged', 'INVALID_CURSOR'],
    ])('refuses %s=%s with %s', async (field, value, code) => {
      expectRefusal(await list({ [field]: value }), { code, field });
    });

    it('refuses a range that ends before it begins, explicit or by default (decision 0008)', async () => {
      const [begin_time = '', end_time = ''] = [INSTANTS[1], INSTANTS[0]];
      const backwards = { code: 'INVALID_TIME_RANGE', field: 'end_time' };
      expectRefusal(await list({ begin_time, end_time }), backwards);
      expectRefusal(await list({ end_time: '2001-01-01' }), backwards);
      expectRefusal(await list({ begin_time: '2099-01-01' }), { ...backwards, field: 'begin_time' });
    });

    it('requires PAYMENTS_READ', async () => {
      const token = await server.createToken(merchant.id, ['PAYMENTS_WRITE']);
      const category = 'AUTHENTICATION_ERROR';
      const says = ['PAYMENTS_READ'];
      expectRefusal(await list({}, { token }), { status: 403, code: 'INSUFFICIENT_SCOPES', category, says });
    });
  });

  describe('the default times of v2.listPaymentRefunds', () => {
    it('include a refund just created on a frozen clock, and a calendar year of refunds', async () => {
      const own = await frozen();
      const made = await refund(server, own, await pay(server, own));
      expect(await walkIds({}, own)).toEqual([made.id]);
      await changeClock(server, own.id, { now: '2021-02-26T10:15:30.154Z' });
      expect(await walkIds({}, own)).toEqual([made.id]);
      await changeClock(server, own.id, { now: '2021-02-26T10:15:30.155Z' });
      expect(await walkIds({}, own)).toEqual([]);
      expect(await walkIds({ begin_time: START }, own)).toEqual([made.id]);
    });

    it('stay fixed over all pages while the clock runs and refunds arrive', async () => {
      const own = await frozen();
      const payment = await pay(server, own);
      const part = { amount_money: usd(10) };
      const made: string[] = [];
      for (let count = 0; count < 3; count++) {
        made.push((await refund(server, own, payment, part)).id);
        await advance(server, own, 'P1D');
      }
      const first = (await list({ sort_order: 'ASC', limit: '2' }, own)).body;
      await advance(server, own, 'P1D');
      const added = await refund(server, own, payment, part);
      const second = (await list({ cursor: first.cursor }, own)).body;
      expect([...ids(first.refunds), ...ids(second.refunds)]).toEqual(made);
      expect(second).not.toHaveProperty('cursor');
      expect(await walkIds({ sort_order: 'ASC' }, own)).toEqual([...made, added.id]);
    });
  });

  describe('the pages of v2.listPaymentRefunds', () => {
    it('have 100 refunds at most and by default, and every refund once', async () => {
      const own = await frozen();
      const made: string[] = [];
      for (let round = 0; round < 6; round++) {
        const payment = await pay(server, own);
        for (let count = 0; count < 20 && made.length < 103; count++) {
          made.push((await refund(server, own, payment, { amount_money: usd(1) })).id);
        }
      }
      for (const limit of [undefined, '101', '1000000']) {
        const pages = await walk(server, own, `/v2/refunds${limit === undefined ? '' : `?limit=${limit}`}`);
        expect(pages.map(({ body }) => body.refunds.length)).toEqual([100, 3]);
        expect(pages.flatMap(({ body }) => ids(body.refunds)).toSorted()).toEqual(made.toSorted());
      }
    });

    it('have one refund at least', async () => {
      for (const limit of ['1', '-5']) expect((await list({ limit })).body.refunds).toHaveLength(1);
    });

    it('continue from the cursor alone, with the same parameters, and with others: the cursor takes precedence', async () => {
      const query = { status: 'COMPLETED', sort_order: 'ASC', limit: '3' };
      const { cursor } = (await list(query)).body;
      const alone = (await list({ cursor })).body;
      expect(alone.refunds).toHaveLength(3);
      expect((await list({ ...query, cursor })).body).toEqual(alone);
      expect((await list({ status: 'nonsense', sort_order: 'DESC', limit: '50', cursor })).body).toEqual(alone);
    });

    it("refuse a cursor of payments, and payments refuse one of refunds; both return the caller's own records", async () => {
      const { token } = merchant;
      const refunds = (await list({ limit: '1' })).body.cursor;
      const payments = (await server.call('GET', '/v2/payments?limit=1', { token })).body.cursor;
      const refusal = { code: 'INVALID_CURSOR', field: 'cursor' };
      expectRefusal(await list({ cursor: payments }), refusal);
      expectRefusal(await server.call('GET', `/v2/payments?cursor=${refunds}`, { token }), refusal);
      const stranger = await frozen();
      const own = await refund(server, stranger, await pay(server, stranger));
      expect(ids((await list({ cursor: refunds }, stranger)).body.refunds)).toEqual([own.id]);
    });
  });

  describe('v2.getPaymentRefund', () => {
    it("returns 404 with the id for an unknown refund, and for another merchant's", async () => {
      const stranger = await frozen();
      const { id } = await refund(server, stranger, await pay(server, stranger));
      for (const each of [`${id.slice(0, -3)}xyz`, id, 'nothing']) {
        const answer = await server.call('GET', `/v2/refunds/${each}`, { token: merchant.token });
        const shown = each.length > 64 ? `${each.slice(0, 64)}…` : each;
        expectRefusal(answer, { status: 404, code: 'NOT_FOUND' });
        expect(answer.body.errors[0].detail).toBe(`There is no refund with the id ${shown}.`);
      }
      expect((await getRefund(server, stranger, id)).id).toBe(id);
    });

    it('requires PAYMENTS_READ', async () => {
      const token = await server.createToken(merchant.id, ['PAYMENTS_WRITE']);
      const answer = await server.call('GET', `/v2/refunds/${history[0]?.id}`, { token });
      const category = 'AUTHENTICATION_ERROR';
      expectRefusal(answer, { status: 403, code: 'INSUFFICIENT_SCOPES', category, says: ['PAYMENTS_READ'] });
    });
  });
});

describe('the money of v2 refunds', () => {
  const START = '2020-02-26T10:15:30.154Z';

  let merchant: TestMerchant;

  beforeAll(async () => {
    merchant = await server.createMerchant();
  });

  const frozen = () => server.createMerchant({ clock: { now: START, frozen: true } });

  describe("the application's share of a refund", () => {
    const shared = (own: TestMerchant) => pay(server, own, { app_fee_money: usd(100) });

    it('is proportional by default, shown when the refund completes, and the whole fee on a full refund', async () => {
      const own = await frozen();
      const payment = await shared(own);
      const first = await refund(server, own, payment, { amount_money: usd(333) });
      expect(first).not.toHaveProperty('app_fee_money');
      await advance(server, own, 'PT10S');
      const second = await refund(server, own, payment, { amount_money: usd(667) });
      await advance(server, own, 'PT10S');
      for (const [{ id }, share] of [
        [first, 33],
        [second, 67],
      ] as const) {
        expect(await getRefund(server, own, id)).toMatchObject({ status: 'COMPLETED', app_fee_money: usd(share) });
      }
      expect(await movementsOf(server, payment.id)).toMatchObject([
        { fee: -159 },
        { amount: -333, fee: 20 + 33 },
        { amount: -667, fee: 39 + 67 },
      ]);
    });

    it('is the given amount, which the refund shows', async () => {
      const own = await frozen();
      const payment = await shared(own);
      const change = { amount_money: usd(500), app_fee_money: usd(7) };
      expect(await refund(server, own, payment, change)).toMatchObject({ app_fee_money: usd(7) });
      await advance(server, own, 'PT10S');
      expect(await movementsOf(server, payment.id)).toMatchObject([{ fee: -159 }, { amount: -500, fee: 30 + 7 }]);
    });

    it.each([
      ['more than is refunded', { amount_money: usd(50), app_fee_money: usd(51) }, 'INVALID_FEES'],
      ['more than the fee', { amount_money: usd(500), app_fee_money: usd(101) }, 'INVALID_FEES'],
      ['a negative one', { amount_money: usd(500), app_fee_money: usd(-1) }, 'VALUE_TOO_LOW'],
    ])('cannot be %s', async (_, change, code) => {
      const answer = await tryToRefund(server, merchant, await shared(merchant), change);
      expectRefusal(answer, { code, field: 'app_fee_money.amount' });
    });

    it('cannot be in another currency, nor exist for a payment without an application fee', async () => {
      const foreign = { app_fee_money: { amount: 1, currency: 'EUR' } };
      expectRefusal(await tryToRefund(server, merchant, await shared(merchant), foreign), {
        code: 'INVALID_VALUE',
        field: 'app_fee_money.currency',
      });
      const answer = await tryToRefund(server, merchant, await pay(server, merchant), { app_fee_money: usd(1) });
      expectRefusal(answer, { code: 'INVALID_FEES', field: 'app_fee_money.amount' });
    });

    it('is never more in total than the fee, including pending refunds', async () => {
      const own = await frozen();
      const payment = await shared(own);
      const half = (share: number) => ({ amount_money: usd(500), app_fee_money: usd(share) });
      await refund(server, own, payment, half(70));
      const refusal = { code: 'INVALID_FEES', field: 'app_fee_money.amount' };
      expectRefusal(await tryToRefund(server, own, payment, half(31)), refusal);
      await advance(server, own, 'PT10S');
      expectRefusal(await tryToRefund(server, own, payment, half(31)), refusal);
      await refund(server, own, payment, { amount_money: usd(500) }); // its half would be 50, but only 30 are left
      await advance(server, own, 'PT10S');
      expect((await movementsOf(server, payment.id)).map(({ fee }) => fee)).toEqual([-159, 30 + 70, 29 + 30]);
    });

    it('satisfies the laws of the books for any history', async () => {
      const own = await frozen();
      const part = fc.record({
        units: fc.integer({ min: 1, max: 400 }),
        share: fc.option(fc.nat(120)),
        wait: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), fc.boolean(), async (parts, cancels) => {
          const idempotency_key = randomUUID();
          const payment = await pay(server, own, { app_fee_money: usd(100), idempotency_key });
          for (const { units, share, wait } of parts) {
            const app_fee_money = share === null ? undefined : usd(share);
            const answer = await tryToRefund(server, own, payment, { amount_money: usd(units), app_fee_money });
            expect([200, 400]).toContain(answer.status);
            if (wait) await advance(server, own, 'PT10S');
          }
          if (cancels) expect((await cancelByKey(server, own, idempotency_key)).status).toBe(200);
          await advance(server, own, 'PT10S');
          const movements = await movementsOf(server, payment.id);
          const { refunded_money } = await getPayment(server, own, payment.id);
          const left = movements.reduce((sum, { amount }) => sum + amount, 0);
          expect(left).toBe(cancels ? 0 : 1000 - (refunded_money?.amount ?? 0));
          expect(movements.reduce((sum, { fee }) => sum + fee, 0)).toBeLessThanOrEqual(0);
        }),
        { seed: 20_200_226, numRuns: repetitions({ usual: 10, long: 20 }) },
      );
    });
  });

  describe('a failed refund', () => {
    const failNext = ({ id }: TestMerchant, change: Json = {}) =>
      server.operator('POST', `/api/sandbox/merchants/${id}/processor-rules`, { effect: 'FAIL_REFUND', ...change });

    it('is FAILED at its due time, frees its amount, and blocks further refunds', async () => {
      const own = await frozen();
      const payment = await pay(server, own);
      const made = await refund(server, own, payment, { amount_money: usd(400) });
      await failNext(own);
      await advance(server, own, 'PT10S');
      expect(await getRefund(server, own, made.id)).toEqual({
        ...made,
        status: 'FAILED',
        updated_at: later(START, 3000),
      });
      const shown = await getPayment(server, own, payment.id);
      expect(shown).toMatchObject({ status: 'COMPLETED', refund_ids: [made.id], updated_at: later(START, 3000) });
      expect(shown).not.toHaveProperty('refunded_money');
      expect(await movementsOf(server, payment.id)).toHaveLength(1);
      const answer = await tryToRefund(server, own, payment, { amount_money: usd(1) });
      const says = [payment.id, 'failed'];
      expectRefusal(answer, { code: 'PAYMENT_NOT_REFUNDABLE', category: 'REFUND_ERROR', field: 'payment_id', says });
    });

    it('does not affect another pending refund', async () => {
      const own = await frozen();
      const payment = await pay(server, own);
      const made = [await refund(server, own, payment, { amount_money: usd(400) })];
      await advance(server, own, 'PT1S');
      made.push(await refund(server, own, payment, { amount_money: usd(300) }));
      await failNext(own);
      await advance(server, own, 'PT10S');
      const statuses = await Promise.all(made.map(async ({ id }) => (await getRefund(server, own, id)).status));
      expect(statuses).toEqual(['FAILED', 'COMPLETED']);
      expect(await getPayment(server, own, payment.id)).toMatchObject({
        refunded_money: usd(300),
        refund_ids: made.map(({ id }) => id),
      });
      expect(await movementsOf(server, payment.id)).toMatchObject([{ amount: 1000 }, { kind: 'REFUND', amount: -300 }]);
    });

    it('is returned as FAILED to a retry with its key', async () => {
      const own = await frozen();
      const payment = await pay(server, own);
      const change = { idempotency_key: 'r' };
      const { id } = await refund(server, own, payment, change);
      await failNext(own);
      await advance(server, own, 'PT10S');
      const answer = await tryToRefund(server, own, payment, change);
      expect([answer.status, answer.body.refund.id, answer.body.refund.status]).toEqual([200, id, 'FAILED']);
    });
  });
});
