import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiResponse, nextPath } from '../../support/http.js';
import { repetitions } from '../../support/long.js';
import { expectBooksInOrder } from '../../support/payments.js';
import { startTestServer, type TestServer } from '../../support/server.js';
import {
  adjust,
  fail,
  listed,
  made,
  openShop,
  setClock,
  type TestBusiness,
  type WireSettlement,
} from '../../support/settlements.js';

/** What the tests know of a settlement besides its fields. */
interface Known extends WireSettlement {
  readonly locationId: string;
}

const DAYS = 12;
const LOCATIONS = [
  { name: 'New York', timezone: 'America/New_York' },
  { name: 'Los Angeles', timezone: 'America/Los_Angeles' },
];
const dayOf = (day: number): string => new Date(Date.parse('2020-02-01T15:00:00Z') + day * 86_400_000).toISOString();
const NOW = dayOf(DAYS);

let server: TestServer;
let shop: TestBusiness;
let known: Known[];

/** Twelve days at two locations; every third settlement failed. */
beforeAll(async () => {
  server = await startTestServer();
  shop = await openShop(server, { locations: LOCATIONS, clock: { now: dayOf(0), frozen: true } });
  for (let day = 1; day <= DAYS; day++) {
    for (const locationId of shop.locationIds) made(await adjust(server, { ...shop, locationId }, 100 * day));
    await setClock(server, shop, dayOf(day));
    const all = await listed(server, shop, 'me/settlements');
    if (day % 3 === 0) made(await fail(server, shop, all.at(-1)?.id ?? ''));
  }
  const found = await Promise.all(
    shop.locationIds.map(async (locationId) =>
      (await listed(server, shop, `${locationId}/settlements`)).map((each) => ({ ...each, locationId })),
    ),
  );
  known = found.flat();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const ask = (path: string): Promise<ApiResponse> => server.call('GET', path, { token: shop.token });
const idsOf = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id);

/** All pages, following the URL in the `Link` header. */
async function walk(path: string): Promise<string[]> {
  const ids: string[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer: ApiResponse = await ask(next);
    expect(answer.status, answer.text).toBe(200);
    ids.push(...idsOf(answer.body));
    next = nextPath(answer);
  }
  return ids;
}

describe('v1.listSettlements', () => {
  it('returns every settlement without its entries, by location', async () => {
    expect(known).toHaveLength(2 * DAYS);
    const [first] = known;
    expect(Object.keys(first ?? {}).sort()).toEqual(
      ['bank_account_id', 'id', 'initiated_at', 'locationId', 'status', 'total_money'].sort(),
    );
    expect(new Set(idsOf(await listed(server, shop, 'me/settlements')))).toEqual(new Set(idsOf(known)));
    expect(known.filter(({ status }) => status === 'FAILED')).toHaveLength(DAYS / 3);
  });

  it('matches a simple search for any combination of filters, in pages of any size', async () => {
    const times = fc.constantFrom(
      undefined,
      ...known.flatMap(({ initiated_at: at }) => [at, new Date(Date.parse(at) + 1000).toISOString()]),
    );
    const combination = fc.record({
      place: fc.constantFrom('me', ...shop.locationIds),
      order: fc.constantFrom(undefined, 'ASC', 'DESC'),
      status: fc.constantFrom(undefined, 'SENT', 'FAILED'),
      begin: times,
      end: times,
      limit: fc.integer({ min: 1, max: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(combination, async ({ place, order, status, begin, end, limit }) => {
        fc.pre(begin === undefined || end === undefined || begin <= end);
        const descending = order === 'DESC';
        const inRange = ({ initiated_at }: Known): boolean => {
          const at = Date.parse(initiated_at);
          const [from, to] = [Date.parse(begin ?? '2019-02-13'), Date.parse(end ?? NOW)];
          if (descending) return at > from && at <= to;
          return at >= from && (end === undefined ? at <= to : at < to);
        };
        const expected = known
          .filter((each) => place === 'me' || each.locationId === place)
          .filter((each) => status === undefined || each.status === status)
          .filter(inRange)
          .sort((a, b) => (a.initiated_at + a.id < b.initiated_at + b.id ? -1 : 1));
        if (descending) expected.reverse();
        const query = Object.entries({ order, status, begin_time: begin, end_time: end, limit });
        const search = new URLSearchParams(
          query.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]])),
        );
        expect(await walk(`/v1/${place}/settlements?${search}`)).toEqual(idsOf(expected));
      }),
      { seed: 20_200_226, numRuns: repetitions({ usual: 30, long: 60 }) },
    );
  });

  it.each([
    ['begin_time', 'begin_time=2012-12-31T23:59:59Z&end_time=2013-06-01', '2013'],
    ['end_time', 'begin_time=2019-01-01&end_time=2020-01-01T00:00:01Z', 'one year'],
    ['end_time', 'begin_time=2018-06-01', 'one year'],
    ['end_time', 'end_time=2020-02-14', 'one year'],
    ['end_time', 'end_time=2019-02-13', 'before 2019-02-13T15:00:00Z'],
    ['begin_time', 'begin_time=2020-02-14', 'current time'],
    ['end_time', 'begin_time=2020-02-02&end_time=2020-02-01', 'before begin_time'],
    ['status', 'status=PENDING', 'SENT, FAILED'],
    ['status', 'status=sent', 'SENT, FAILED'],
    ['order', 'order=asc', 'ASC, DESC'],
    ['limit', 'limit=201', '200'],
    ['limit', 'limit=-1', '0'],
  ])('refuses an invalid %s: %s (contract 4.2 rules 1 and 3)', async (field, search, says) => {
    const answer = await ask(`/v1/me/settlements?${search}`);
    expect([answer.status, answer.body.type, answer.body.field]).toEqual([400, 'bad_request.invalid_parameter', field]);
    expect(answer.body.message).toContain(says);
  });

  it('accepts a range of a whole calendar year, also a leap year', async () => {
    expect((await ask('/v1/me/settlements?begin_time=2020-01-01&end_time=2021-01-01')).status).toBe(200);
    expect((await ask('/v1/me/settlements?begin_time=2013-01-01&end_time=2014-01-01')).status).toBe(200);
  });

  it('keeps its range over all pages', async () => {
    const first = await ask('/v1/me/settlements?limit=1');
    const next = nextPath(first) ?? '';
    const { searchParams } = new URL(next, server.baseUrl);
    expect([...searchParams].slice(1)).toEqual([
      ['begin_time', '2019-02-13T15:00:00.000Z'],
      ['end_time', NOW],
      ['limit', '1'],
    ]);
  });

  it('returns nothing at an unknown location, and neither does the retrieval', async () => {
    const stranger = await openShop(server);
    for (const place of ['nowhere', stranger.locationId, 'ME']) {
      for (const path of [`/v1/${place}/settlements`, `/v1/${place}/settlements/${known[0]?.id}`]) {
        const answer = await ask(path);
        expect([path, answer.status, answer.body.type]).toEqual([path, 404, 'not_found']);
      }
    }
  });
});
