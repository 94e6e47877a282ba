/** The v1 list of timecards: filters, orders, limits and pages. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import { createEmployee, createEmployees } from '../../support/employees.js';
import { type ApiResponse, nextPath } from '../../support/http.js';
import { CLIENT_STYLES, idsOf, walkV1 } from '../../support/lists.js';
import { isLong, repetitions } from '../../support/long.js';
import { ensureDefined } from '../../support/people.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const CARDS = '/v1/me/timecards';
const ORDERS = ['ASC', 'DESC'] as const;
const UNKNOWN_ID = '0190a0a0-0000-7000-8000-000000000000';

interface V1Timecard {
  readonly id: string;
  readonly employee_id: string;
  readonly deleted: boolean;
  readonly clockin_time: string;
  readonly clockout_time?: string;
  readonly created_at: string;
  readonly updated_at: string;
}

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Seconds after 2020-02-26T10:00:00Z. */
const second = (count: number): string => new Date(1_582_711_200_000 + count * 1000).toISOString().replace('.000', '');

const getAs =
  ({ token }: TestMerchant) =>
  (path: string): Promise<ApiResponse> =>
    server.call('GET', path, { token });

const itemsOf = (pages: readonly ApiResponse[]): V1Timecard[] => pages.flatMap(({ body }) => body);

async function send(merchant: TestMerchant, method: string, path: string, body?: unknown): Promise<V1Timecard> {
  const answer = await server.call(method, path, { token: merchant.token, body });
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body;
}

/** A merchant with one past shift at each given second. Its clock is frozen at the last of them. */
async function workAt(seconds: readonly number[]): Promise<{ merchant: TestMerchant; made: V1Timecard[] }> {
  const merchant = await server.createMerchant({ clock: { now: second(seconds[0] ?? 0), frozen: true } });
  const { id: employee_id } = await createEmployee(server, merchant);
  const made: V1Timecard[] = [];
  for (const at of seconds) {
    await changeClock(server, merchant.id, { now: second(at) });
    const body = { employee_id, clockin_time: second(at - 100), clockout_time: second(at - 50) };
    made.push(await send(merchant, 'POST', CARDS, body));
  }
  return { merchant, made };
}

describe('v1.listTimecards', () => {
  it('returns an empty array and no Link if there are no timecards', async () => {
    const answer = await getAs(await server.createMerchant())(CARDS);
    expect([answer.status, answer.text]).toEqual([200, '[]']);
    expect(answer.headers['link']).toBeUndefined();
  });

  it('returns each card as retrieveTimecard does, oldest first, and never those of other merchants', async () => {
    const [mine, theirs] = [await workAt([0, 1, 2]), await workAt([0])];
    const [first] = mine.made;
    await send(mine.merchant, 'DELETE', `${CARDS}/${first?.id}`);
    const expected = [await send(mine.merchant, 'GET', `${CARDS}/${first?.id}`), ...mine.made.slice(1)];
    expect((await getAs(mine.merchant)(CARDS)).body).toEqual(expected);
    expect((await getAs(theirs.merchant)(CARDS)).body).toEqual(theirs.made);
  });

  it('reverses the order for DESC, also within one second, and refuses any other order', async () => {
    const { merchant, made } = await workAt([0, 0, 1, 1, 1]);
    expect((await getAs(merchant)(`${CARDS}?order=ASC`)).body).toEqual(made);
    expect((await getAs(merchant)(`${CARDS}?order=DESC`)).body).toEqual([...made].reverse());
    for (const order of ['desc', 'UP', '1']) {
      const answer = await getAs(merchant)(`${CARDS}?order=${order}`);
      expect([answer.status, answer.body.field]).toEqual([400, 'order']);
    }
  });

  describe('with one filter', () => {
    let merchant: TestMerchant;
    let made: V1Timecard[];
    beforeAll(async () => {
      ({ merchant, made } = await workAt([0, 1, 2, 3]));
    });

    it.each([
      ['clockin_time', -100],
      ['clockout_time', -50],
      ['updated_at', 0],
    ])('selects [begin, end) of %s in ASC and (begin, end] in DESC (decision 0007)', async (field, shift) => {
      const [begin, end] = [`begin_${field}`, `end_${field}`];
      const seconds = async (parameters: Record<string, string>) => {
        const { body } = await getAs(merchant)(`${CARDS}?${new URLSearchParams(parameters)}`);
        return body.map(({ id }: V1Timecard) => idsOf(made).indexOf(id));
      };
      const at = (count: number) => second(count + shift);
      expect(await seconds({ order: 'ASC', [begin]: at(1) })).toEqual([1, 2, 3]);
      expect(await seconds({ order: 'ASC', [end]: at(2) })).toEqual([0, 1]);
      expect(await seconds({ order: 'DESC', [begin]: at(1) })).toEqual([3, 2]);
      expect(await seconds({ order: 'DESC', [end]: at(2) })).toEqual([2, 1, 0]);
      expect(await seconds({ order: 'ASC', [begin]: at(1), [end]: at(3) })).toEqual([1, 2]);
      expect(await seconds({ order: 'DESC', [begin]: at(1), [end]: at(3) })).toEqual([3, 2]);
      expect(await seconds({ [begin]: at(1), [end]: at(1) })).toEqual([]);
      // A card of that second may be later than this instant: stored times have whole seconds (decision 0090).
      const within = (count: number) => at(count).replace('Z', '.001Z');
      expect(await seconds({ [begin]: within(1) })).toEqual([1, 2, 3]);
      expect(await seconds({ [end]: within(1) })).toEqual([0, 1]);
      expect(await seconds({ order: 'DESC', [begin]: within(1) })).toEqual([3, 2, 1]);
      expect(await seconds({ order: 'DESC', [end]: within(1) })).toEqual([1, 0]);
    });

    it.each(['clockin_time', 'clockout_time', 'updated_at'])(
      'refuses an invalid time of %s, naming the parameter',
      async (field) => {
        for (const [name, value] of [
          [`begin_${field}`, 'yesterday'],
          [`end_${field}`, '2020-02-30'],
          [`end_${field}`, '01-01-19'],
        ]) {
          const answer = await getAs(merchant)(`${CARDS}?${name}=${value}`);
          expect([answer.status, answer.body.type, answer.body.field]).toEqual([
            400,
            'bad_request.invalid_parameter',
            name,
          ]);
        }
        const answer = await getAs(merchant)(`${CARDS}?begin_${field}=${second(1)}&end_${field}=${second(0)}`);
        expect([answer.status, answer.body.field]).toEqual([400, `end_${field}`]);
      },
    );

    it('ignores empty and unknown parameters (decision 0012)', async () => {
      const query = 'order=&employee_id=&begin_updated_at=&deleted=&limit=&&&begin_time=2020-01-01&x=1';
      expect((await getAs(merchant)(`${CARDS}?${query}`)).body).toEqual(made);
    });
  });

  it('leaves open cards out of any range of clockout_time', async () => {
    const { merchant, made } = await workAt([0]);
    const { id: employee_id } = await createEmployee(server, merchant);
    const open = await send(merchant, 'POST', CARDS, { employee_id });
    const list = async (query: string) => (await getAs(merchant)(`${CARDS}?${query}`)).body;
    expect(await list('')).toEqual([...made, open]);
    expect(await list('begin_clockout_time=2000-01-01')).toEqual(made);
    expect(await list('end_clockout_time=2100-01-01')).toEqual(made);
    expect(await list('begin_clockin_time=2000-01-01')).toEqual([...made, open]);
  });

  it('filters by employee, and returns an empty list for an unknown employee or one of another merchant', async () => {
    const merchant = await server.createMerchant();
    const [ana, ben] = await createEmployees(server, merchant, [{}, {}]);
    const cards = [];
    for (const employee of [ana, ben, ana]) {
      const times = { clockin_time: second(0), clockout_time: second(1) };
      cards.push(await send(merchant, 'POST', CARDS, { employee_id: employee?.id, ...times }));
    }
    const list = async (id: string) => (await getAs(merchant)(`${CARDS}?employee_id=${id}`)).body;
    expect(await list(ensureDefined(ana).id)).toEqual([cards[0], cards[2]]);
    expect(await list(ensureDefined(ben).id.toUpperCase())).toEqual([cards[1]]);
    const other = await server.createMerchant();
    for (const id of [UNKNOWN_ID, 'nobody', (await createEmployee(server, other)).id])
      expect(await list(id)).toEqual([]);
    expect((await getAs(other)(`${CARDS}?employee_id=${ensureDefined(ana).id}`)).body).toEqual([]);
  });

  it('filters by deleted, in every spelling of true and false, and returns both kinds without it (contract 4.1 rule 2)', async () => {
    const { merchant, made } = await workAt([0, 0, 0, 0]);
    for (const index of [1, 3]) await send(merchant, 'DELETE', `${CARDS}/${made[index]?.id}`);
    const spellings: [string[], number[]][] = [
      [
        ['', 'deleted='],
        [0, 1, 2, 3],
      ],
      [
        ['deleted=true', 'deleted=True', 'deleted=1'],
        [1, 3],
      ],
      [
        ['deleted=false', 'deleted=False', 'deleted=0'],
        [0, 2],
      ],
    ];
    for (const [queries, expected] of spellings) {
      for (const query of queries) {
        const { body } = await getAs(merchant)(`${CARDS}?${query}`);
        expect(idsOf(body), query).toEqual(expected.map((index) => made[index]?.id));
        expect(body.map(({ deleted }: V1Timecard) => deleted)).toEqual(expected.map((index) => index % 2 === 1));
      }
    }
  });

  it('refuses other words in deleted', async () => {
    const merchant = await server.createMerchant();
    for (const word of ['TRUE', 'FALSE', 'yes', '2', 'null', 'truely']) {
      const answer = await getAs(merchant)(`${CARDS}?deleted=${word}`);
      expect([word, answer.status, answer.body.field]).toEqual([word, 400, 'deleted']);
    }
  });

  it('refuses a limit that is out of range or no whole number (contract 8, decision 0009)', async () => {
    const merchant = await server.createMerchant();
    for (const limit of ['-1', '201', '1000', '2.5', 'ten', '1e2']) {
      const { status, body } = await getAs(merchant)(`${CARDS}?limit=${limit}`);
      expect([limit, status, body.type, body.field]).toEqual([limit, 400, 'bad_request.invalid_parameter', 'limit']);
    }
  });

  it('returns pages of 100 by default and of 200 at most (contract 8)', async () => {
    const { merchant, made } = await workAt([0]);
    await server.database.sql`
      insert into timecards (
        merchant_id, timecard_id, employee_id, clockin_at, clockout_at, deleted, created_at, updated_at
      )
      select merchant_id, gen_random_uuid(), employee_id, clockin_at, clockout_at, deleted, created_at, updated_at
      from timecards, generate_series(1, 204)
      where timecard_id = ${ensureDefined(made[0]).id}`;
    const sizes = async (parameters: Record<string, string>) =>
      (await walkV1({ get: getAs(merchant), path: CARDS, parameters })).map(({ body }) => body.length);
    expect(await sizes({})).toEqual([100, 100, 5]);
    expect(await sizes({ limit: '200' })).toEqual([200, 5]);
    expect(await sizes({ limit: '41' })).toEqual([41, 41, 41, 41, 41]);
  });
});

describe('v1.listTimecards, page by page', () => {
  it.each(CLIENT_STYLES)('returns the whole list to clients that send %s (contract 13.1)', async (style) => {
    const { merchant, made } = await workAt([0, 0, 0, 1, 1, 2, 3]);
    for (const order of ['ASC', 'DESC']) {
      const parameters = { limit: '2', order, deleted: 'False', begin_updated_at: second(-1) };
      const pages = await walkV1({ get: getAs(merchant), path: CARDS, parameters, style });
      expect(pages.map(({ body }) => body.length)).toEqual([2, 2, 2, 1]);
      expect(itemsOf(pages)).toEqual(order === 'ASC' ? made : [...made].reverse());
    }
  });

  it('writes Link byte for byte, with the deprecation headers (decisions 0005, 0017)', async () => {
    const { merchant } = await workAt([0, 0]);
    const { headers, rawHeaders } = await getAs(merchant)(`${CARDS}?limit=1`);
    const value = rawHeaders[rawHeaders.indexOf('Link') + 1] ?? '';
    const token = /batch_token=([\w-]+)/.exec(value)?.[1];
    expect(value).toBe(`<${server.baseUrl}${CARDS}?batch_token=${token}&limit=1>;rel='next'`);
    expect(rawHeaders.filter((name) => name.toLowerCase() === 'link')).toEqual(['Link']);
    expect([headers['deprecation'], headers['sunset']]).toEqual(['@1582675200', 'Fri, 26 Feb 2021 00:00:00 GMT']);
  });

  it.each(['ASC', 'DESC'])('returns every card exactly once while others are created, %s', async (order) => {
    const { merchant, made } = await workAt(Array.from({ length: 9 }, () => 0)); // all within one second
    const fresh: string[] = [];
    const seen: V1Timecard[] = [];
    let path: string | undefined = `${CARDS}?limit=2&order=${order}`;
    while (path) {
      const answer = await getAs(merchant)(path);
      seen.push(...answer.body);
      path = nextPath(answer);
      if (fresh.length >= 4) continue;
      const body = {
        employee_id: ensureDefined(made[0]).employee_id,
        clockin_time: second(-9),
        clockout_time: second(-8),
      };
      fresh.push((await send(merchant, 'POST', CARDS, body)).id);
    }
    const there = idsOf(seen).filter((id) => !fresh.includes(id));
    expect(there).toEqual(idsOf(order === 'ASC' ? made : [...made].reverse()));
    expect(new Set(idsOf(seen)).size).toBe(seen.length);
    // New cards are at the end of an ascending list and appear; in a descending list they are on pages already read.
    expect(idsOf(seen).filter((id) => fresh.includes(id))).toEqual(order === 'ASC' ? fresh : []);
  });

  it('keeps its position when the last returned card is changed or deleted', async () => {
    const { merchant, made } = await workAt([0, 0, 0]);
    const first = await getAs(merchant)(`${CARDS}?limit=1`);
    await changeClock(server, merchant.id, { advance: 'P1D' });
    await send(merchant, 'PUT', `${CARDS}/${made[0]?.id}`, { clockin_time: second(-200) });
    await send(merchant, 'DELETE', `${CARDS}/${made[0]?.id}`);
    expect(idsOf((await getAs(merchant)(nextPath(first) ?? '')).body)).toEqual([made[1]?.id]);
  });

  it("refuses a token of another list, and with another merchant's token returns the caller's own cards", async () => {
    const [{ merchant }, mine] = [await workAt([0, 0, 0]), await workAt([5])];
    const next = ensureDefined(nextPath(await getAs(merchant)(`${CARDS}?limit=1`)));
    expect((await getAs(mine.merchant)(next)).body).toEqual(mine.made);
    await createEmployee(server, merchant);
    const employees = ensureDefined(nextPath(await getAs(merchant)('/v1/me/employees?limit=1')));
    const answer = await getAs(merchant)(employees.replace('/employees', '/timecards'));
    expect([answer.status, answer.body.field]).toEqual([400, 'batch_token']);
  });
});

describe('v1.listTimecards, with combined filters', () => {
  let merchant: TestMerchant;
  let employeeIds: string[];
  let cards: V1Timecard[];

  /** 60 cards of three employees over ten seconds. Some are open, some are changed later, some are deleted later. */
  beforeAll(async () => {
    merchant = await server.createMerchant({ clock: { now: second(0), frozen: true } });
    employeeIds = idsOf(await createEmployees(server, merchant, [{}, {}, {}]));
    const made: V1Timecard[] = [];
    for (let at = 0; at < 10; at++) {
      await changeClock(server, merchant.id, { now: second(at) });
      for (let index = 0; index < 6; index++) {
        const worked = { clockin_time: second(at - index - 2), clockout_time: second(at - index) };
        const times = at === 3 && index < 3 ? {} : worked;
        made.push(await send(merchant, 'POST', CARDS, { employee_id: employeeIds[index % 3], ...times }));
      }
    }
    for (const [index, { id }] of made.entries()) {
      if (index % 6 === 0) await changeClock(server, merchant.id, { now: second(10 + index / 6) });
      const path = `${CARDS}/${id}`;
      if (index % 3 === 0) await send(merchant, 'PUT', path, { clockin_time: second((index % 7) - 14) });
      if (index % 4 === 1) await send(merchant, 'DELETE', path);
    }
    cards = [];
    for (const { id } of made) cards.push(await send(merchant, 'GET', `${CARDS}/${id}`));
  });

  interface Filters {
    readonly order?: 'ASC' | 'DESC';
    readonly employee?: number;
    readonly begin_clockin_time?: number;
    readonly end_clockin_time?: number;
    readonly begin_clockout_time?: number;
    readonly end_clockout_time?: number;
    readonly begin_updated_at?: number;
    readonly end_updated_at?: number;
    readonly deleted?: 'true' | 'false' | 'True' | 'False' | '1' | '0';
    readonly limit?: number;
  }

  /** Computes the expected list without SQL. */
  function expected({ order = 'ASC', ...filters }: Filters): V1Timecard[] {
    const within = (time: string | undefined, begin: number | undefined, end: number | undefined): boolean => {
      if (begin === undefined && end === undefined) return true;
      if (time === undefined) return false;
      const [from, to] = [second(begin ?? -1000), second(end ?? 1000)];
      return order === 'ASC' ? from <= time && time < to : from < time && time <= to;
    };
    const wanted = filters.deleted && ['true', 'True', '1'].includes(filters.deleted);
    const found = cards.filter(
      (card) =>
        (filters.employee === undefined || card.employee_id === employeeIds[filters.employee]) &&
        (filters.deleted === undefined || card.deleted === wanted) &&
        within(card.clockin_time, filters.begin_clockin_time, filters.end_clockin_time) &&
        within(card.clockout_time, filters.begin_clockout_time, filters.end_clockout_time) &&
        within(card.updated_at, filters.begin_updated_at, filters.end_updated_at),
    );
    return order === 'ASC' ? found : found.reverse();
  }

  const PAIRS = ['clockin_time', 'clockout_time', 'updated_at'] as const;

  function isInvalid(filters: Filters): boolean {
    return PAIRS.some((name) => {
      const [begin, end] = [filters[`begin_${name}`], filters[`end_${name}`]];
      return begin !== undefined && end !== undefined && end < begin;
    });
  }

  function toParameters({ employee, limit, ...filters }: Filters): Record<string, string> {
    const times = Object.entries(filters).map(([name, value]) => [
      name,
      typeof value === 'number' ? second(value) : String(value),
    ]);
    return {
      ...Object.fromEntries(times),
      ...(employee !== undefined && { employee_id: employeeIds[employee] ?? UNKNOWN_ID }),
      ...(limit !== undefined && { limit: String(limit) }),
    };
  }

  /** Often absent, sometimes one-sided, mostly in order, so that most lists are not empty. */
  function range(name: (typeof PAIRS)[number], min: number, max: number): fc.Arbitrary<Filters> {
    const [time, begin, end] = [fc.integer({ min, max }), `begin_${name}`, `end_${name}`];
    const both = fc.tuple(time, time);
    return fc.oneof(
      { weight: 6, arbitrary: fc.constant({}) },
      { weight: 2, arbitrary: time.map((at) => ({ [begin]: at })) },
      { weight: 2, arbitrary: time.map((at) => ({ [end]: at })) },
      { weight: 3, arbitrary: both.map((pair) => ({ [begin]: Math.min(...pair), [end]: Math.max(...pair) })) },
      { weight: 1, arbitrary: both.map(([from, to]) => ({ [begin]: from, [end]: to })) },
    );
  }

  const others: fc.Arbitrary<Filters> = fc.record(
    {
      order: fc.constantFrom('ASC' as const, 'DESC' as const),
      employee: fc.integer({ min: 0, max: 3 }),
      deleted: fc.constantFrom('true', 'false', 'True', 'False', '1', '0'),
      limit: fc.integer({ min: 1, max: 70 }),
    },
    { requiredKeys: [] },
  );

  const filters = fc
    .tuple(others, range('clockin_time', -16, 11), range('clockout_time', -16, 11), range('updated_at', -1, 21))
    .map((parts): Filters => Object.assign({}, ...parts));

  it('has test data with enough differences', () => {
    expect(cards).toHaveLength(60);
    expect(cards.filter(({ deleted }) => deleted)).toHaveLength(15);
    expect(cards.filter(({ clockout_time }) => clockout_time === undefined)).toHaveLength(3);
    expect(new Set(cards.map(({ updated_at }) => updated_at)).size).toBeGreaterThan(15);
    expect(expected({ begin_clockin_time: -5, end_clockin_time: 3 }).length).toBeGreaterThan(10);
  });

  it.each([...PAIRS.flatMap((name) => [`begin_${name}`, `end_${name}`])])(
    'returns what the rules require for %s alone',
    async (name) => {
      // The orders take turns: the lists of both begin and end at every time, or at every second one.
      for (let at = -16; at <= 21; at += 1) {
        for (const order of isLong ? ORDERS : [ORDERS[Math.abs(at) % 2] ?? 'ASC']) {
          const asked: Filters = { order, [name]: at };
          const { body } = await getAs(merchant)(`${CARDS}?${new URLSearchParams(toParameters(asked))}`);
          expect(idsOf(body), `${order} ${at}`).toEqual(idsOf(expected(asked)));
        }
      }
    },
  );

  it('matches an independent implementation of the rules, page by page, for every client style', async () => {
    let nonEmpty = 0;
    await fc.assert(
      fc.asyncProperty(filters, fc.constantFrom(...CLIENT_STYLES), async (asked, style) => {
        const parameters = toParameters(asked);
        if (isInvalid(asked)) {
          const answer = await getAs(merchant)(`${CARDS}?${new URLSearchParams(parameters)}`);
          expect(answer.status).toBe(400);
          return;
        }
        const pages = await walkV1({ get: getAs(merchant), path: CARDS, parameters, style });
        expect(itemsOf(pages)).toEqual(expected(asked));
        for (const { body } of pages.slice(0, -1)) expect(body).toHaveLength(asked.limit ?? 100);
        if (itemsOf(pages).length > 0) nonEmpty++;
      }),
      { seed: 20_200_226, numRuns: repetitions({ usual: 80, long: 200 }) },
    );
    expect(nonEmpty).toBeGreaterThan(repetitions({ usual: 15, long: 40 }));
  });
});
