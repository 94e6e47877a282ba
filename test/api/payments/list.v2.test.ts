import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import { repetitions } from '../../support/long.js';
import {
  advance,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  type Holder,
  later,
  pay,
  tryToPay,
  usd,
  type WirePayment,
  walk,
} from '../../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const START = '2020-02-26T10:15:30.154Z';

let server: TestServer;
/** Has the payment history that the tests query. */
let merchant: TestMerchant;
let history: WirePayment[];

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant({
    locations: [{ name: 'One' }, { name: 'Two' }, { name: 'Three' }],
    clock: { now: START, frozen: true },
  });
  history = await makeHistory();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const frozen = (now = START) => server.createMerchant({ clock: { now, frozen: true } });

/** Payments of every state at several locations and times, three or four at each instant. */
async function makeHistory(): Promise<WirePayment[]> {
  const [one, two, three] = merchant.locationIds;
  const kinds = [
    { location_id: one, amount_money: usd(500) },
    { location_id: two, source_id: 'cnon:gift-card-nonce-ok', amount_money: usd(500) },
    { location_id: one, source_id: 'cnon:card-nonce-declined', amount_money: usd(700) },
    { location_id: two, autocomplete: false, amount_money: usd(700) },
    { location_id: three, source_id: 'cnon:gift-card-nonce-ok', amount_money: usd(400), tip_money: usd(100) },
    { location_id: one, source_id: 'ccof:customer-card-id-ok', customer_id: 'C1', amount_money: usd(900) },
  ];
  const made: WirePayment[] = [];
  for (let instant = 0; instant < 10; instant++) {
    const here = kinds.slice(instant % 3, (instant % 3) + 4);
    for (const kind of here) made.push((await tryToPay(server, merchant, kind)).body.payment);
    await advance(server, merchant, 'PT6H');
  }
  return made;
}

const list = (query: Record<string, string>, { token }: Holder = merchant) =>
  server.call('GET', `/v2/payments?${new URLSearchParams(query)}`, { token });
const ids = (payments: readonly { readonly id: string }[]) => payments.map(({ id }) => id);

async function walkIds(query: Record<string, string>, who: Holder = merchant): Promise<string[]> {
  const pages = await walk(server, who, `/v2/payments?${new URLSearchParams(query)}`);
  return pages.flatMap(({ body }) => ids(body.payments ?? []));
}

interface Filter {
  readonly location_id?: string;
  readonly total?: string;
  readonly last_4?: string;
  readonly card_brand?: string;
  readonly begin_time?: string;
  readonly end_time?: string;
  readonly sort_order?: string;
}

/** The expected list: groups by instant, in order; payments of one instant are in any order. */
function oracle(filter: Filter): string[][] {
  const card = ({ card_details }: WirePayment) =>
    (card_details as { card?: { card_brand: string; last_4: string } }).card;
  const kept = history.filter(
    (payment) =>
      (filter.location_id === undefined || payment.location_id === filter.location_id) &&
      (filter.total === undefined || payment.total_money.amount === Number(filter.total)) &&
      (filter.last_4 === undefined || card(payment)?.last_4 === filter.last_4) &&
      (filter.card_brand === undefined || card(payment)?.card_brand === filter.card_brand) &&
      (filter.begin_time === undefined || payment.created_at >= filter.begin_time) &&
      (filter.end_time === undefined || payment.created_at < filter.end_time),
  );
  const instants = byInstant(kept).toSorted(([a = ''], [b = '']) => (timeOf(a) < timeOf(b) ? -1 : 1));
  return filter.sort_order === 'ASC' ? instants : instants.reverse();
}

const timeOf = (id: string) => history.find((payment) => payment.id === id)?.created_at ?? '';

function byInstant(payments: readonly { readonly id: string }[]): string[][] {
  const groups: string[][] = [];
  for (const { id } of payments) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && timeOf(last[0]) === timeOf(id)) last.push(id);
    else groups.push([id]);
  }
  return groups.map((group) => group.toSorted());
}

async function expectOracle(filter: Filter, paging: Record<string, string> = {}): Promise<void> {
  const found = await walkIds({ ...filter, ...paging } as Record<string, string>);
  expect(byInstant(found.map((id) => ({ id })))).toEqual(oracle(filter));
}

const INSTANTS = Array.from({ length: 10 }, (_, index) => later(START, index * 6 * 3_600_000));

describe('v2.listPayments', () => {
  it('returns all states and locations, newest first, as getPayment shows them', async () => {
    const { status, body } = await list({});
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['payments']);
    expect(byInstant(body.payments)).toEqual(oracle({}));
    expect(body.payments).toHaveLength(40);
    expect(new Set(body.payments.map((payment: WirePayment) => payment.status))).toEqual(
      new Set(['APPROVED', 'COMPLETED', 'FAILED']),
    );
    for (const payment of body.payments.slice(0, 8)) {
      expect(payment).toEqual(await getPayment(server, merchant, payment.id));
    }
  });

  it('returns oldest first with ASC: exactly the reverse', async () => {
    const [up, down] = [await walkIds({ sort_order: 'ASC' }), await walkIds({ sort_order: 'DESC' })];
    expect(up).toEqual(down.toReversed());
    expect(await walkIds({})).toEqual(down);
    expect(byInstant(up.map((id) => ({ id })))).toEqual(oracle({ sort_order: 'ASC' }));
  });

  it.each<[string, Filter]>([
    ['total, including the tip', { total: '500' }],
    ['total, in every state', { total: '700' }],
    ['last_4', { last_4: '0000' }],
    ['card_brand', { card_brand: 'SQUARE_GIFT_CARD' }],
    ['begin_time', { begin_time: INSTANTS[4] ?? '' }],
    ['end_time', { end_time: INSTANTS[4] ?? '' }],
  ])('filters by %s alone', async (_, filter) => {
    expect(oracle(filter).length).toBeGreaterThan(0);
    expect(oracle(filter).flat().length).toBeLessThan(history.length);
    await expectOracle(filter);
  });

  it('filters by location; a location of another merchant or an unknown one has no payments', async () => {
    for (const location_id of merchant.locationIds) await expectOracle({ location_id });
    const stranger = await frozen();
    await pay(server, stranger);
    for (const location_id of ['LNOWHERE00000', stranger.locationIds[0] ?? '']) {
      expect((await list({ location_id })).body).toEqual({});
    }
  });

  it('returns nothing for a card brand, last_4 or total that no payment has', async () => {
    for (const query of [{ card_brand: 'visa' }, { card_brand: 'JCB' }, { last_4: '585' }, { total: '501' }]) {
      expect((await list(query as Record<string, string>)).body).toEqual({});
    }
  });

  it('matches an oracle for any combination of filters, orders and page sizes', async () => {
    const time = fc.constantFrom(
      ...INSTANTS,
      later(START, 1),
      later(START, 6 * 3_600_000 - 1),
      '2020-02-27T00:00:00.000Z',
    );
    const combination = fc.record(
      {
        location_id: fc.constantFrom(...merchant.locationIds),
        total: fc.constantFrom('500', '700', '900', '1'),
        last_4: fc.constantFrom('5858', '0000'),
        card_brand: fc.constantFrom('VISA', 'SQUARE_GIFT_CARD'),
        times: fc.tuple(time, time).map((times) => times.toSorted()),
        begin: fc.boolean(),
        end: fc.boolean(),
        sort_order: fc.constantFrom('ASC', 'DESC'),
        limit: fc.constantFrom('1', '2', '3', '7', '100'),
      },
      { requiredKeys: ['times', 'begin', 'end'] },
    );
    await fc.assert(
      fc.asyncProperty(combination, async ({ times: [first = '', last = ''], begin, end, limit, ...filter }) => {
        const range = { ...(begin && { begin_time: first }), ...(end && { end_time: last }) };
        await expectOracle({ ...filter, ...range }, limit === undefined ? {} : { limit });
      }),
      { seed: 20_200_226, numRuns: repetitions({ usual: 30, long: 60 }) },
    );
  });

  it('includes begin_time and excludes end_time, in both orders', async () => {
    const [begin_time = '', end_time = ''] = [INSTANTS[2], INSTANTS[5]];
    for (const sort_order of ['ASC', 'DESC']) {
      const { body } = await list({ begin_time, end_time, sort_order });
      const times = new Set(body.payments.map(({ created_at }: WirePayment) => created_at));
      expect([...times].toSorted()).toEqual(INSTANTS.slice(2, 5));
    }
    expect((await list({ begin_time, end_time: begin_time })).body).toEqual({});
  });

  it('accepts times with any offset, without a time zone, and as a date', async () => {
    const expected = (await list({ begin_time: '2020-02-27T00:00:00.000Z' })).body;
    expect(expected.payments.length).toBeGreaterThan(0);
    for (const begin_time of [
      '2020-02-27',
      '2020-02-26T16:00:00-08:00',
      '2020-02-27T01:00:00+0100',
      '2020-02-27T00:00',
    ]) {
      expect((await list({ begin_time })).body).toEqual(expected);
    }
  });

  it('treats empty and unknown parameters as absent', async () => {
    const path = '/v2/payments?&&total=&location_id=&begin_time=&end_time=&sort_order=&cursor=&limit=&colour=red&';
    const answer = await server.call('GET', path, { token: merchant.token });
    expect(answer.body).toEqual((await list({})).body);
  });

  it.each([
    ['begin_time', 'yesterday', 'INVALID_TIME'],
    ['end_time', '2020-13-01', 'INVALID_TIME'],
    ['sort_order', 'UP', 'INVALID_SORT_ORDER'],
    ['sort_order', 'asc', 'INVALID_SORT_ORDER'],
    ['total', 'many', 'EXPECTED_INTEGER'],
    ['total', '5.5', 'EXPECTED_INTEGER'],
    ['total', '-1', 'VALUE_TOO_LOW'],
    ['total', '99999999999999999999', 'VALUE_TOO_HIGH'],
    ['limit', 'all', 'EXPECTED_INTEGER'],
    ['cursor', 'forged', 'INVALID_CURSOR'],
    ['card_brand', 'x'.repeat(256), 'VALUE_TOO_LONG'],
  ])('refuses %s=%s with %s', async (field, value, code) => {
    expectRefusal(await list({ [field]: value }), { code, field });
  });

  it('refuses a range that ends before it begins, explicit or by default (decision 0008)', async () => {
    const [first = '', second = ''] = INSTANTS;
    const backwards = { code: 'INVALID_TIME_RANGE', field: 'end_time' };
    expectRefusal(await list({ begin_time: second, end_time: first }), backwards);
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

describe('the default times of v2.listPayments', () => {
  it('include a payment just created on a frozen clock', async () => {
    const own = await frozen();
    const payment = await pay(server, own);
    expect(ids((await list({}, own)).body.payments)).toEqual([payment.id]);
    expect((await list({ end_time: payment.created_at }, own)).body).toEqual({});
  });

  it('reach one calendar year back, to the millisecond, over a leap day', async () => {
    const own = await frozen();
    const { id } = await pay(server, own);
    await changeClock(server, own.id, { now: '2021-02-26T10:15:30.154Z' });
    expect(await walkIds({}, own)).toEqual([id]);
    await changeClock(server, own.id, { now: '2021-02-26T10:15:30.155Z' });
    expect(await walkIds({}, own)).toEqual([]);
    expect(await walkIds({ begin_time: START }, own)).toEqual([id]);
    expect((await getPayment(server, own, id)).id).toBe(id);
  });

  it('never begin before 2013', async () => {
    const own = await frozen('2012-12-01T00:00:00Z');
    const { id } = await pay(server, own);
    await changeClock(server, own.id, { now: '2013-06-01T00:00:00Z' });
    expect(await walkIds({}, own)).toEqual([]);
    expect(await walkIds({ begin_time: '2012-01-01' }, own)).toEqual([id]);
  });

  it('include a payment just created on a clock before 2013', async () => {
    const own = await frozen('2012-05-05T00:00:00Z');
    const { id } = await pay(server, own);
    expect(await walkIds({}, own)).toEqual([id]);
  });

  it.each(['ASC', 'DESC'])(
    'stay fixed over all pages while the clock runs and payments arrive: %s',
    async (sort_order) => {
      const own = await frozen();
      const made: string[] = [];
      for (let count = 0; count < 5; count++) {
        made.push((await pay(server, own)).id);
        await advance(server, own, 'P1D');
      }
      await changeClock(server, own.id, { now: later(START, 366 * 86_400_000) }); // the oldest payment is just within the year
      const expected = sort_order === 'ASC' ? made : made.toReversed();

      const first = (await list({ sort_order, limit: '2' }, own)).body;
      await advance(server, own, 'P10D');
      const added = await pay(server, own);
      const second = (await list({ cursor: first.cursor }, own)).body;
      await advance(server, own, 'P1D');
      const third = (await list({ cursor: second.cursor }, own)).body;
      expect([first, second, third].map(({ payments }) => ids(payments))).toEqual([
        expected.slice(0, 2),
        expected.slice(2, 4),
        expected.slice(4),
      ]);
      expect(third).not.toHaveProperty('cursor');
      expect(await walkIds({}, own)).toEqual([added.id]);
    },
  );
});

describe('the pages of v2.listPayments', () => {
  it('have 100 payments at most and by default, and every payment once, also within one instant', async () => {
    const own = await frozen();
    const made: string[] = [];
    for (let round = 0; round < 7; round++) {
      const here = await Promise.all(Array.from({ length: 15 }, () => pay(server, own)));
      made.push(...ids(here));
    }
    for (const limit of [undefined, '100', '101', '1000000', '99999999999999999999']) {
      const pages = await walk(server, own, `/v2/payments${limit === undefined ? '' : `?limit=${limit}`}`);
      expect(pages.map(({ body }) => body.payments.length)).toEqual([100, 5]);
      expect(pages.flatMap(({ body }) => ids(body.payments)).toSorted()).toEqual(made.toSorted());
      expect(pages[1]?.body).not.toHaveProperty('cursor');
    }
  });

  it('have one payment at least', async () => {
    for (const limit of ['1', '-5']) expect((await list({ limit })).body.payments).toHaveLength(1);
  });

  it('end without a cursor if the last page is full', async () => {
    const pages = await walk(server, merchant, '/v2/payments?limit=20');
    expect(pages.map(({ body }) => body.payments.length)).toEqual([20, 20]);
    expect(pages[1]?.body).not.toHaveProperty('cursor');
  });

  it('continue from the cursor alone, with the same parameters, and with others: the cursor takes precedence', async () => {
    const query = { card_brand: 'VISA', sort_order: 'ASC', begin_time: INSTANTS[1] ?? '', limit: '3' };
    const { cursor } = (await list(query)).body;
    const alone = (await list({ cursor })).body;
    expect(alone.payments).toHaveLength(3);
    expect((await list({ ...query, cursor })).body).toEqual(alone);
    const others = { card_brand: 'JCB', sort_order: 'DESC', begin_time: 'nonsense', total: 'x', limit: '50' };
    expect((await list({ ...others, cursor })).body).toEqual(alone);
  });

  it('stay at their location: another one with the cursor is refused', async () => {
    const [location_id = '', elsewhere = ''] = merchant.locationIds;
    const { cursor } = (await list({ location_id, limit: '2' })).body;
    const next = (await list({ cursor })).body;
    expect(next.payments.map((payment: WirePayment) => payment.location_id)).toEqual([location_id, location_id]);
    expect((await list({ location_id, cursor })).body).toEqual(next);
    expectRefusal(await list({ location_id: elsewhere, cursor }), { code: 'INVALID_CURSOR', field: 'cursor' });
  });

  it('refuse a cursor that is modified, cut, or from another list, naming it', async () => {
    const { cursor } = (await list({ limit: '1' })).body;
    const content = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const forged = (change: object) => Buffer.from(JSON.stringify({ ...content, ...change })).toString('base64url');
    expect((await list({ cursor: forged({}) })).status).toBe(200);
    for (const bad of [
      cursor.slice(0, -5),
      `${cursor}!`,
      forged({ v: 1 }),
      forged({ o: 'v2.listPaymentRefunds' }),
      forged({ q: { ...content.q, sort_order: 'UP' } }),
      forged({ q: { ...content.q, total: 'x' } }),
      forged({ a: ['now', 'x'] }),
      forged({ a: [1e18, 'x'] }),
      'x'.repeat(5000),
    ]) {
      expectRefusal(await list({ cursor: bad }), { code: 'INVALID_CURSOR', field: 'cursor' });
    }
  });

  it("contain the caller's own payments, whichever merchant's cursor is sent", async () => {
    const stranger = await frozen(INSTANTS[0]);
    const own = await pay(server, stranger);
    const { cursor } = (await list({ limit: '1' })).body;
    expect(ids((await list({ cursor }, stranger)).body.payments)).toEqual([own.id]);
  });
});
