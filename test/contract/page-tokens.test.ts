import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { operations } from '../../src/operations.js';
import type { ApiResponse } from '../support/http.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, type Json, openBusiness } from './business.js';
import { addCrowd } from './crowd.js';
import { BAD_TOKEN, expectDecent, expectRefusal, type Refusal } from './refusals.js';
import {
  type GoodRequest,
  goodRequest,
  identify,
  itemsIn,
  nameOf,
  pageTokenIn,
  parametersOf,
  pathOf,
  requiredQuery,
  send,
} from './requests.js';
import { BAD_TIMES, filtersOf } from './schemas.js';
import { createCaseSelector, inNeighbourhoods, shareAmongEqual } from './shares.js';
import { itHasWrittenNothing } from './stored.js';

let server: TestServer;
let business: Business;
const requests = new Map<Operation, GoodRequest>();

/** Contract 4.2 rule 1. */
const ONE_YEAR_AT_MOST = ['v1.listPayments', 'v1.listRefunds', 'v1.listSettlements'];

const paged = operations.filter((each) => each.page);

/** One piece of code reads the tokens of all lists. What a list decides itself is tried for each. */
const shareOfTokens = createCaseSelector(paged);
const shareOfValues = shareAmongEqual();

beforeAll(async () => {
  server = await startTestServer();
  business = await openBusiness(server);
  await addCrowd(server, business);
  for (const each of paged) requests.set(each, await goodRequest(each, business, server));
});
afterAll(() => server.stop());

it('the declarations have lists with pages', () => {
  expect(paged.length).toBeGreaterThan(10);
});

function requestOf(operation: Operation): GoodRequest {
  const request = requests.get(operation);
  if (!request) throw new Error(`no request for ${nameOf(operation)}`);
  return request;
}

async function get(operation: Operation, search: string): Promise<ApiResponse> {
  const answer = await send(server, operation, { ...requestOf(operation), search });
  expectDecent(answer, operation.path);
  return answer;
}

const secondPages = new Map<Operation, string>();

/** A token for the page after the first, which holds one element. */
async function secondPage(operation: Operation): Promise<string> {
  const token = secondPages.get(operation) ?? (await requestSecondPage(operation, 1));
  secondPages.set(operation, token);
  return token;
}

async function requestSecondPage(operation: Operation, limit: number): Promise<string> {
  const first = await get(operation, `${requestOf(operation).search || '?'}&limit=${limit}`);
  const token = pageTokenIn(first, operation);
  if (token === undefined) throw new Error(`no second page: ${first.text.slice(0, 200)}`);
  return token;
}

const encode = (content: unknown): string => Buffer.from(JSON.stringify(content)).toString('base64url');
const decode = (token: string): Json => JSON.parse(Buffer.from(token, 'base64url').toString());

function addTests(operation: Operation): void {
  const { path, page } = operation;
  const tokenName = page?.token ?? '';
  const filters = filtersOf(operation);
  const go = (token: unknown): Promise<ApiResponse> => get(operation, `?${tokenName}=${token}`);
  const expectForged = (answer: ApiResponse, what: string): Refusal => {
    const refusal = expectRefusal(answer, path, BAD_TOKEN);
    expect(refusal.field, what).toBe(tokenName);
    return refusal;
  };
  /** The required parameters of this list's query, from a real token. */
  const requiredOf = (content: Json): Json =>
    Object.fromEntries(requiredQuery(operation).map((name) => [name, (content['q'] as Json)[name]]));

  describe(`${nameOf(operation)}, given a bad page token`, () => {
    it('refuses text that is not a token, and names the parameter', async () => {
      const real = await secondPage(operation);
      const content = decode(real);
      const { a, q, o, p, v } = content as { a: [number, string]; q: Json; o: string; p: Json; v: number };
      const forged = [
        'x',
        'AAAA',
        'null',
        '%00',
        '%ff',
        '====',
        '../../etc/passwd',
        "'%20or%201=1",
        Buffer.from('random').toString('base64'),
        real.slice(0, -4),
        real.slice(2),
        `${real}%00`,
        `${real}==`,
        `${real}${real}`,
        'A'.repeat(4096),
        'A'.repeat(12_000),
        ...[null, 5, 'x', [], {}, [content], { ...content, v: v + 1 }, { ...content, v: String(v) }].map(encode),
        ...[
          { o, p, q, v },
          { a, p, q, v },
          { a, o, q, v },
          { a, o, p, v },
          { a, o, p, q },
        ].map(encode),
        ...['v1.listNothing', '', 'constructor', 5, null].map((other) => encode({ ...content, o: other })),
        ...[{ location_id: 'L1' }, { ...p, more: 'x' }, [], null, 'x', { a: 1 }].map((other) =>
          encode({ ...content, p: other }),
        ),
        ...[[], null, 'x', 5].map((other) => encode({ ...content, q: other })),
        ...[
          null,
          [],
          [a[0]],
          [...a, 1],
          [String(a[0]), a[1]],
          [a[0], 5],
          [a[0], null],
          [1.5, a[1]],
          [1e300, a[1]],
          [-1e15, a[1]],
          [253_402_300_800_000, a[1]],
          [-62_135_596_800_001, a[1]],
          [a[0], 'a\0b'],
          [a[0], '\ud800'],
        ].map((other) => encode({ ...content, a: other })),
        Buffer.from(`{"v":1,"o":"${o}","p":${JSON.stringify(p)},"q":{},"a":[1e400,"x"]}`).toString('base64url'),
        Buffer.from('['.repeat(3000)).toString('base64url'),
      ];
      for (const token of shareOfTokens(operation, forged)) expectForged(await go(token), String(token));
    });

    it('refuses a token whose query was changed', async () => {
      const content = decode(await secondPage(operation));
      const wrong: Json[] = [{ limit: '1' }, { limit: 1.5 }, { limit: [] }, { limit: {} }];
      if (page?.limit.over === 'refuse') wrong.push({ limit: -1 }, { limit: page.limit.max + 1 }, { limit: 1e21 });
      for (const [name, schema] of filters) {
        const [text, number] = [schema.type === 'string', schema.type === 'integer'];
        const values = schema.enum ? ['sideways'] : schema.format === 'date-time' ? BAD_TIMES : ['x'.repeat(256)];
        const others = [...(number ? [1.5] : [5]), ...(text || number ? [true] : ['true'])];
        const all = [...values, [], {}, 'a\0', '\ud800', ...others];
        for (const value of shareOfValues(all, operation.surface, schema)) wrong.push({ [name]: value });
      }
      for (const change of wrong) {
        const q = { ...requiredOf(content), ...change };
        expectForged(await go(encode({ ...content, q })), JSON.stringify(q));
      }
      for (const name of requiredQuery(operation)) {
        const { [name]: _, ...q } = content['q'] as Json;
        expectForged(await go(encode({ ...content, q })), `without ${name}`);
      }
    });

    it('refuses a token whose time is invalid, or before there were any payments', async () => {
      const content = decode(await secondPage(operation));
      const { n: _, ...without } = content;
      const others = [
        without,
        ...[null, '0', 1.5, 1e300, 253_402_300_799_999, 0, 1_356_998_399_999].map((n) => ({ ...content, n })),
      ];
      for (const other of shareOfTokens(operation, others)) {
        expectForged(await go(encode(other)), JSON.stringify(other));
      }
    });

    const begin = filters.map(([name]) => name).find((name) => name.startsWith('begin_'));
    if (begin !== undefined) {
      it('refuses a token whose range the list would refuse', async () => {
        const content = decode(await secondPage(operation));
        const end = begin.replace('begin_', 'end_');
        const ranges = [{ [begin]: '2020-01-02T00:00:00Z', [end]: '2020-01-01T00:00:00Z' }];
        if (ONE_YEAR_AT_MOST.includes(nameOf(operation))) {
          ranges.push(
            { begin_time: '2012-12-31T23:59:59Z', end_time: '2013-01-02T00:00:00Z' },
            { begin_time: '2019-01-01T00:00:00Z', end_time: '2020-01-01T00:00:01Z' },
            { begin_time: '2013-01-01T00:00:00Z' },
            { end_time: '2013-01-01T00:00:00Z' },
          );
        }
        for (const range of ranges) {
          const q = { ...requiredOf(content), ...range };
          expectForged(await go(encode({ ...content, q })), JSON.stringify(q));
        }
      });
    }

    it('handles a well-formed token that the server did not issue', async () => {
      const content = decode(await secondPage(operation));
      const [at, id] = content['a'] as [number, string];
      const times = [0, -1, -62_135_596_800_000, 253_402_300_799_999].map((time) => [time, id]);
      for (const a of [
        [at, ''],
        [at, 'not-an-id'],
        ...shareOfTokens(operation, [
          [at, 'x'.repeat(2000)],
          [at, "'; drop table employees; --"],
        ]),
        ...shareOfTokens(operation, times),
      ]) {
        const answer = await go(encode({ ...content, a }));
        if (answer.status !== 200) expectForged(answer, JSON.stringify(a));
      }
      const changes: readonly object[] = [{ unknown: 1 }, { __proto__: null, constructor: 1 }, { limit: null }, {}];
      for (const change of shareOfTokens(operation, changes)) {
        const answer = await go(encode({ ...content, q: { ...requiredOf(content), ...change } }));
        expect(answer.status, answer.text.slice(0, 200)).toBe(200);
      }
    });

    it('refuses the tokens of other lists', async () => {
      const others = paged.filter((each) => each !== operation);
      for (const other of shareOfTokens(operation, others)) {
        expectForged(await go(await secondPage(other)), nameOf(other));
      }
    });

    if (parametersOf(operation).length > 0) {
      it('refuses the tokens of the same list for another path (decision 0006)', async () => {
        const token = await secondPage(operation);
        const [name = ''] = parametersOf(operation);
        const ids = { ...requestOf(operation).ids, [name]: crypto.randomUUID() };
        const elsewhere = { ...requestOf(operation), path: pathOf(operation, ids), search: `?${tokenName}=${token}` };
        expectForged(await send(server, operation, elsewhere), 'elsewhere');
      });
    }

    const others = filters.filter(([name]) => name !== 'location_id').map(([name]) => name);
    const isOfPlaces = filters.length > others.length;

    it('ignores parameters that are repeated with the page token (decision 0006)', async () => {
      const token = await requestSecondPage(operation, 2);
      const alone = await go(token);
      expect(itemsIn(alone, operation)).toHaveLength(2);
      const place = requestOf(operation).search.replace('?', '&');
      // If no parameter is a location, that name is unknown like any other (decision 0012).
      const unknown = isOfPlaces ? ['location_id='] : ['location_id=', 'location_id=nonsense'];
      for (const search of [
        ...shareOfTokens(operation, ['limit=2', 'limit=7', 'limit=abc', `limit=2${place}`, ...unknown]),
        ['limit=abc', ...others.map((name) => `${name}=nonsense`)].join('&'),
      ]) {
        const answer = await get(operation, `?${search}&${tokenName}=${token}`);
        expect([search, answer.status]).toEqual([search, 200]);
        expect(itemsIn(answer, operation)).toEqual(itemsIn(alone, operation));
      }
    });

    if (isOfPlaces) {
      it('refuses a token together with another location than its own (decision 0006)', async () => {
        const token = await secondPage(operation);
        const [, second = ''] = business.merchant.locationIds;
        for (const place of [second, 'nonsense']) {
          expectForged(await get(operation, `?${tokenName}=${token}&location_id=${place}`), place);
        }
      });
    }

    it('returns no element of the previous page', async () => {
      const most = page?.limit.max ?? 0;
      const first = await get(operation, `${requestOf(operation).search || '?'}&limit=${most}`);
      const second = await go(pageTokenIn(first, operation));
      const seen = [...itemsIn(first, operation), ...itemsIn(second, operation)].map(identify);
      expect(seen.length).toBeGreaterThan(most);
      expect(new Set(seen).size).toBe(seen.length);
    });
  });
}

for (const neighbours of inNeighbourhoods(paged)) {
  describe(`from ${neighbours.map(nameOf).at(0)} to ${neighbours.map(nameOf).at(-1)}`, () => {
    for (const each of neighbours) addTests(each);
    itHasWrittenNothing(() => server);
  });
}
