import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { operations } from '../../src/operations.js';
import type { ApiResponse } from '../support/http.js';
import { isLong } from '../support/long.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, openBusiness } from './business.js';
import { addCrowd, CROWD } from './crowd.js';
import { expectDecent, expectNamed, expectRefusal, MISSING, readRefusal } from './refusals.js';
import { type GoodRequest, goodRequest, itemsIn, nameOf, pageTokenIn, requiredQuery, send } from './requests.js';
import { BAD_TIMES, filtersOf, LAST_TIMES, queryOf, type Schema } from './schemas.js';
import { createCaseSelector, inNeighbourhoods, shareAmongEqual } from './shares.js';
import { itHasWrittenNothing } from './stored.js';

let server: TestServer;
let business: Business;
const requests = new Map<Operation, GoodRequest>();

beforeAll(async () => {
  server = await startTestServer();
  business = await openBusiness(server);
  await addCrowd(server, business);
});
afterAll(() => server.stop());

const asking = operations.filter((each) => queryOf(each));
const paged = asking.filter(({ page }) => page);

/** One parser reads the queries of all operations, and one pager all limits. */
const shareOfQueries = createCaseSelector(asking);
const shareOfLimits = createCaseSelector(paged, ({ surface, page }) => `${surface} ${page?.limit.over}`);
const shareOfRanges = createCaseSelector(
  asking.filter((each) => filtersOf(each).some(([name]) => name.startsWith('begin_'))),
);
const shareOfValues = shareAmongEqual();

it('the declarations have queries with pages and without', () => {
  expect(paged.length).toBeGreaterThan(10);
  expect(asking.filter(({ page }) => !page).length).toBeGreaterThan(5);
});

/** Created once for each operation, since creating the records may write. */
async function requestOf(operation: Operation): Promise<GoodRequest> {
  const request = requests.get(operation) ?? (await goodRequest(operation, business, server));
  requests.set(operation, request);
  return request;
}

/** Sends the required parameters of a good query, followed by more: the last of repeated parameters counts. */
async function get(operation: Operation, search: string): Promise<ApiResponse> {
  const request = await requestOf(operation);
  const answer = await send(server, operation, { ...request, search: `${request.search || '?'}&${search}` });
  expectDecent(answer, operation.path);
  return answer;
}

function decodeIfPossible(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const NO_WHOLE_NUMBERS = ['abc', '1.5', '1e2', '0x10', '%2B5', '5%20', '%00', '%ff', 'NaN', 'null', '[]', '١'];
const HUGE = ['99999999999999999999', '-99999999999999999999', '9223372036854775808', '9'.repeat(400)];

/** Values that a parameter must refuse. */
function badValues({ enum: words, format, type }: Schema): readonly string[] {
  if (words) return ['sideways', 'asc', 'active', 'card', '5', `${words[0]}%20`, `${words[0]},${words[0]}`];
  if (format === 'date-time') return BAD_TIMES.map(encodeURIComponent);
  if (type === 'boolean') return ['maybe', 'yes', '2', '-1', 'true%20', 'truefalse', 'null', '[]'];
  if (type === 'integer') return NO_WHOLE_NUMBERS.map((each) => encodeURI(decodeIfPossible(each)));
  return ['x'.repeat(256)];
}

for (const neighbours of inNeighbourhoods(asking.filter((each) => filtersOf(each).length > 0))) {
  describe(`from ${neighbours.map(nameOf).at(0)} to ${neighbours.map(nameOf).at(-1)}`, () => {
    beforeAll(async () => {
      for (const each of neighbours) await requestOf(each);
    });

    it.each(neighbours.map((each) => [nameOf(each), each] as const))(
      '%s refuses invalid filters, and names them',
      async (_, operation) => {
        for (const [name, schema] of filtersOf(operation)) {
          const values = [...badValues(schema), '%00', 'a%00', '%ff', '%ZZ', 'x'.repeat(8000)];
          for (const value of shareOfValues(values, operation.surface, schema)) {
            expectNamed(await get(operation, `${name}=${value}`), operation.path, name);
          }
        }
      },
    );

    itHasWrittenNothing(() => server);
  });
}

for (const operation of asking) {
  const { path } = operation;
  const filters = filtersOf(operation);
  const required = requiredQuery(operation);

  describe(`${nameOf(operation)}, given a bad query`, () => {
    const numbers = filters.filter(([, { type }]) => type === 'integer');
    if (numbers.length > 0) {
      it('returns nothing for numbers that are out of range, or refuses them by name', async () => {
        for (const [name] of numbers) {
          for (const value of shareOfQueries(operation, HUGE)) {
            const answer = await get(operation, `${name}=${value}`);
            if (answer.status === 200) expect(operation.page ? itemsIn(answer, operation) : []).toEqual([]);
            else expectNamed(answer, path, name);
          }
        }
      });
    }

    const flags = filters.filter(([, { type }]) => type === 'boolean');
    if (flags.length > 0) {
      it('accepts booleans in every spelling that clients use (contract 10.7)', async () => {
        for (const [name] of flags) {
          for (const words of [
            ['true', 'True', '1'],
            ['false', 'False', '0'],
          ]) {
            const answers = [];
            for (const word of words) answers.push(await get(operation, `${name}=${word}`));
            expect(answers.map(({ status }) => status)).toEqual(words.map(() => 200));
            expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
          }
          const wrong = ['TRUE', 'FALSE', 'tRue', 'yes', 'no', 'on', '2', '-1', '01', '1.0', 'null', '%20true'];
          for (const word of shareOfQueries(operation, wrong)) {
            expectNamed(await get(operation, `${name}=${word}`), path, name);
          }
        }
      });
    }

    const begins = filters.map(([name]) => name).filter((name) => name.startsWith('begin_'));
    if (begins.length > 0) {
      it('refuses a range that ends before it begins, and names its end', async () => {
        for (const name of begins) {
          const end = name.replace('begin_', 'end_');
          expect(filters.map(([each]) => each)).toContain(end);
          expectNamed(await get(operation, `${name}=2020-01-02&${end}=2020-01-01`), path, end);
        }
      });

      it('handles the earliest and the latest time', async () => {
        for (const name of begins) {
          const end = name.replace('begin_', 'end_');
          const [first, last] = LAST_TIMES;
          // Without the other end, a list adds its own.
          const open = [`${name}=${first}`, `${name}=${last}`, `${end}=${first}`, `${end}=${last}`];
          const closed = [`${first}&${end}=${last}`, `${last}&${end}=${last}`, `${last}&${end}=${first}`];
          const shared = shareOfRanges(operation, closed).map((range) => `${name}=${range}`);
          for (const search of [...open, ...shared]) {
            const answer = await get(operation, search);
            if (answer.status !== 200) expect(readRefusal(answer, path).status, search).toBe(400);
          }
        }
      });
    }

    if (required.length > 0) {
      it('refuses a query without a required parameter, and names it', async () => {
        for (const name of required) {
          const request = await goodRequest(operation, business, server);
          const searches = ['', '?', `?${name}`, `?${name}=`, `?${name.toUpperCase()}=x`];
          for (const search of shareOfQueries(operation, searches)) {
            const answer = await send(server, operation, { ...request, search });
            expect(expectRefusal(answer, path, MISSING).field).toBe(name);
          }
        }
      });
    }

    it('accepts empty, repeated, unknown and unusual parameters (decision 0012)', async () => {
      const plain = await get(operation, '');
      const given = new URLSearchParams((await requestOf(operation)).search);
      const optional = filters.map(([name]) => name).filter((name) => !required.includes(name) && !given.has(name));
      const unusual = [
        '&&&a=&&',
        '=&==&=x',
        'unknown=1&limi=5&LIMIT=5',
        '__proto__=1&constructor=2&toString=3&__proto__[limit]=1',
        'limit[]=1&limit.x=2',
        '%00=1&%ff=2&%ZZ=3',
        'a&'.repeat(3000),
      ];
      for (const search of [
        'limit=&cursor=&batch_token=',
        optional.map((name) => `${name}=`).join('&'),
        ...shareOfQueries(operation, unusual),
      ]) {
        const { status, text } = await get(operation, search);
        expect([search.slice(0, 40), status, text === plain.text]).toEqual([search.slice(0, 40), 200, true]);
      }
    });
  });
}

/** Pages of a list that is longer than any page. */
for (const operation of paged) {
  const { path, page } = operation;
  if (!page) throw new Error('a list without pages');
  const { limit } = page;

  describe(`${nameOf(operation)}, asked for a page`, () => {
    it(`has pages of ${limit.default}, at most ${limit.max}`, async () => {
      expect(limit.max, 'insert more rows').toBeLessThan(CROWD);
      for (const [search, size] of [
        ['', limit.default],
        ['limit=0', limit.default], // decision 0009: clients send 0 as the zero value of the field
        ['limit=1', 1],
        ...(isLong ? [[`limit=${limit.max - 1}`, limit.max - 1] as const] : []),
        [`limit=${limit.max}`, limit.max],
      ] as const) {
        const answer = await get(operation, search);
        expect([answer.status, itemsIn(answer, operation).length], search).toEqual([200, size]);
        expect(pageTokenIn(answer, operation)).toEqual(expect.any(String));
      }
    });

    it('handles a limit out of range according to its rule (decision 0009)', async () => {
      for (const given of [limit.max + 1, ...shareOfLimits(operation, [1_000_000, ...HUGE, -1])]) {
        const answer = await get(operation, `limit=${given}`);
        if (limit.over === 'refuse') expectNamed(answer, path, 'limit');
        else {
          const size = Number(given) < 1 ? 1 : limit.max;
          expect([answer.status, itemsIn(answer, operation).length], String(given)).toEqual([200, size]);
        }
      }
    });

    it('refuses a limit that is not a whole number, and names it', async () => {
      for (const given of shareOfLimits(operation, badValues({ type: 'integer' }))) {
        expectNamed(await get(operation, `limit=${given}`), path, 'limit');
      }
    });

    it('uses the last of repeated limits', async () => {
      const repeated = await get(operation, 'limit=2&limit=1');
      expect([repeated.status, itemsIn(repeated, operation).length]).toEqual([200, 1]);
    });

    it('returns the same elements under every name that clients read (decision 0016)', async () => {
      const { body } = await get(operation, 'limit=2');
      const lists = page.keys ? page.keys.map((key) => body[key]) : [body];
      for (const list of lists) {
        expect(list).toHaveLength(2);
        expect(list).toEqual(lists[0]);
      }
    });
  });
}
