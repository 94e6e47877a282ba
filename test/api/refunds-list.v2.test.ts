import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../support/clock.js';
import {
  advance,
  expectBooksInOrder,
  expectRefusal,
  getRefund,
  type Holder,
  later,
  pay,
  refund,
  usd,
  type WireRefund,
  walk,
} from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const START = '2020-02-26T10:15:30.154Z';
const HOUR_MS = 3_600_000;

let server: TestServer;
/** Has the refund history that the tests query. */
let merchant: TestMerchant;
let history: WireRefund[];

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant({
    locations: [{ name: 'One' }, { name: 'Two' }],
    clock: { now: START, frozen: true },
  });
  history = await makeHistory();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
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
const ids = (refunds: readonly { readonly id: string }[]) => refunds.map(({ id }) => id);

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
      expect((await list({ location_id })).body).toEqual({ refunds: [] });
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
      { numRuns: 50 },
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
