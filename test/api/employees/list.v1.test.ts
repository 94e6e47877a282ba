/** The v1 list of employees: filters, orders, limits and pages. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { createEmployee, createEmployees, type V1Employee } from '../../support/employees.js';
import { type ApiResponse, callApi, nextPath } from '../../support/http.js';
import { CLIENT_STYLES, idsOf, walkV1 } from '../../support/lists.js';
import { repetitions } from '../../support/long.js';
import { freePort } from '../../support/ports.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const EMPLOYEES = '/v1/me/employees';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const getAs =
  ({ token }: TestMerchant) =>
  (path: string): Promise<ApiResponse> =>
    server.call('GET', path, { token });

const second = (count: number): string => new Date(1_582_711_200_000 + count * 1000).toISOString().replace('.000', '');
const names = (count: number) => Array.from({ length: count }, (_, index) => ({ first_name: `n${index}` }));
const itemsOf = (pages: readonly ApiResponse[]): V1Employee[] => pages.flatMap(({ body }) => body);

/** A merchant with employees created at the given seconds. Its clock is frozen at the last of them. */
async function hireAt(seconds: readonly number[]): Promise<{ merchant: TestMerchant; made: V1Employee[] }> {
  const merchant = await server.createMerchant({ clock: { now: second(seconds[0] ?? 0), frozen: true } });
  const made: V1Employee[] = [];
  for (const at of seconds) {
    await changeClock(server, merchant.id, { now: second(at) });
    made.push(await createEmployee(server, merchant, { first_name: `s${at}` }));
  }
  return { merchant, made };
}

describe('v1.listEmployees', () => {
  it('returns an empty array and no Link if there are no employees', async () => {
    const answer = await getAs(await server.createMerchant())(EMPLOYEES);
    expect([answer.status, answer.text]).toEqual([200, '[]']);
    expect(answer.headers['link']).toBeUndefined();
  });

  it('returns each employee as retrieveEmployee does, oldest first', async () => {
    const merchant = await server.createMerchant();
    const made = await createEmployees(server, merchant, [{ email: 'a@example.com' }, { external_id: 'E2' }, {}]);
    expect((await getAs(merchant)(EMPLOYEES)).body).toEqual(made);
  });

  it('never returns the employees of another merchant', async () => {
    const [one, two] = [await server.createMerchant(), await server.createMerchant()];
    const mine = await createEmployee(server, one);
    const theirs = await createEmployee(server, two);
    expect(idsOf((await getAs(one)(EMPLOYEES)).body)).toEqual([mine.id]);
    expect(idsOf((await getAs(two)(EMPLOYEES)).body)).toEqual([theirs.id]);
  });

  it('reverses the order for DESC, also within one second', async () => {
    const { merchant, made } = await hireAt([0, 0, 1, 1, 1]);
    expect((await getAs(merchant)(`${EMPLOYEES}?order=ASC`)).body).toEqual(made);
    expect((await getAs(merchant)(`${EMPLOYEES}?order=DESC`)).body).toEqual([...made].reverse());
  });

  describe('ranges', () => {
    let merchant: TestMerchant;
    beforeAll(async () => {
      ({ merchant } = await hireAt([0, 1, 2, 3]));
    });

    it.each([
      ['ASC', 'begin_created_at', 1, [1, 2, 3]],
      ['ASC', 'end_created_at', 2, [0, 1]],
      ['DESC', 'begin_created_at', 1, [3, 2]],
      ['DESC', 'end_created_at', 2, [2, 1, 0]],
      ['ASC', 'begin_updated_at', 1, [1, 2, 3]],
      ['ASC', 'end_updated_at', 2, [0, 1]],
      ['DESC', 'begin_updated_at', 1, [3, 2]],
      ['DESC', 'end_updated_at', 2, [2, 1, 0]],
    ])('%s selects from %s=%i the seconds %j (decision 0007)', async (order, name, bound, expected) => {
      const { body } = await getAs(merchant)(`${EMPLOYEES}?order=${order}&${name}=${second(bound)}`);
      expect(body.map(({ first_name }: V1Employee) => first_name)).toEqual(expected.map((at) => `s${at}`));
    });

    it.each([
      ['ASC', [0, 1]],
      ['DESC', [2, 1]],
    ])('%s include the end at which the list starts', async (order, expected) => {
      const path = `${EMPLOYEES}?order=${order}&begin_created_at=${second(0)}&end_created_at=${second(2)}`;
      const { body } = await getAs(merchant)(path);
      expect(body.map(({ first_name }: V1Employee) => first_name)).toEqual(expected.map((at) => `s${at}`));
    });

    it('find a record created within a second at that second: stored times have whole seconds (decision 0010)', async () => {
      const merchant = await server.createMerchant({ clock: { now: '2020-02-26T10:00:00.789Z', frozen: true } });
      const made = [await createEmployee(server, merchant)];
      const find = async (query: string) => (await getAs(merchant)(`${EMPLOYEES}?${query}`)).body;
      for (const name of ['created_at', 'updated_at']) {
        expect(await find(`order=DESC&end_${name}=${second(0)}`)).toEqual(made);
        expect(await find(`order=DESC&begin_${name}=${second(0)}`)).toEqual([]);
      }
    });

    it('that begin a moment before a record was created find it, in both orders (decision 0090)', async () => {
      const merchant = await server.createMerchant({ clock: { now: '2020-02-26T10:00:00.789Z', frozen: true } });
      const made = [await createEmployee(server, merchant)];
      for (const name of ['begin_created_at', 'begin_updated_at']) {
        for (const order of ['ASC', 'DESC']) {
          const query = `${EMPLOYEES}?order=${order}&${name}=`;
          expect((await getAs(merchant)(`${query}2020-02-26T10:00:00.788Z`)).body).toEqual(made);
          expect((await getAs(merchant)(`${query}2020-02-26T10:00:01Z`)).body).toEqual([]);
          expect((await getAs(merchant)(`${query}0001-01-01T00:00:00.5Z`)).body).toEqual(made);
        }
      }
    });

    it('of zero length are empty and valid', async () => {
      const path = `${EMPLOYEES}?begin_created_at=${second(1)}&end_created_at=${second(1)}`;
      expect((await getAs(merchant)(path)).text).toBe('[]');
    });

    it.each([
      '2020-02-26',
      '2020-02-26T10:00',
      '2020-02-26T10:00:00',
      '2020-02-26T10:00:00Z',
      '2020-02-26T02:00:00-08:00',
      '2020-02-26T02:00:00-0800',
      '2020-02-26T11:00:00%2B01:00',
      '2020-02-26T11:00:00+01:00', // an unescaped plus arrives as a space
      '2020-02-26T10:00:00.000Z',
      '2020-02-26T10:00:00.0000000',
      '2020-02-26T10:00:00.000000%2B00:00',
    ])('accept the time %s', async (time) => {
      const { merchant, made } = await hireAt([0]);
      expect((await getAs(merchant)(`${EMPLOYEES}?begin_created_at=${time}`)).body).toEqual(made);
      const behind = await getAs(merchant)(`${EMPLOYEES}?end_created_at=${time}`);
      expect([behind.status, behind.text]).toEqual([200, '[]']);
    });

    it.each([
      ...['2026-02-30', '01-01-19', '2026-13-01', '2026-01-01T25:00', '2026-02-29', 'yesterday', '1582711200'].flatMap(
        (time) => ['begin_created_at', 'end_updated_at'].map((name) => [name, time] as const),
      ),
      ['end_created_at', '9999-12-31T23:59:59-01:00'],
      ['begin_updated_at', '0001-01-01T00:00:00%2B01:00'],
      ['begin_created_at', '%00'],
      ['begin_created_at', '%ff'],
    ] as const)('refuse %s=%s with 400 naming it', async (name, time) => {
      const merchant = await server.createMerchant();
      const answer = await getAs(merchant)(`${EMPLOYEES}?${name}=${time}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ type: 'bad_request.invalid_parameter', field: name });
    });

    it.each([
      ['begin_created_at', 'end_created_at'],
      ['begin_updated_at', 'end_updated_at'],
    ])('refuse an end before the begin: %s, %s', async (begin, end) => {
      const merchant = await server.createMerchant();
      const answer = await getAs(merchant)(`${EMPLOYEES}?${begin}=${second(1)}&${end}=${second(0)}`);
      expect([answer.status, answer.body.field]).toEqual([400, end]);
    });
  });

  it('filters by status and by external_id', async () => {
    const owner = await createOwner(server);
    const [a, b, c] = await createEmployees(server, owner.merchant, [
      { external_id: 'X' },
      { external_id: 'x' },
      { external_id: 'X' },
    ]);
    await owner.call('POST', `/api/dashboard/employees/${a?.id}/activate`);
    const list = async (query: string) => idsOf((await getAs(owner.merchant)(`${EMPLOYEES}?${query}`)).body);
    expect(await list('status=ACTIVE')).toEqual([a?.id]);
    expect(await list('status=INACTIVE')).toEqual([b?.id, c?.id]);
    expect(await list('external_id=X')).toEqual([a?.id, c?.id]);
    expect(await list('external_id=X&status=INACTIVE')).toEqual([c?.id]);
    expect(await list('external_id=nobody')).toEqual([]);
  });

  it.each([
    ['order', 'asc'],
    ['order', 'UP'],
    ['status', 'active'],
    ['status', 'DELETED'],
    ['external_id', 'x'.repeat(256)],
    ['external_id', '%00'],
    ['limit', '-1'],
    ['limit', '201'],
    ['limit', 'ten'],
    ['limit', '1.5'],
    ['limit', '1e2'],
    ['limit', '99999999999999999999'],
    ['batch_token', 'nonsense'],
    ['batch_token', '%00'],
  ])('refuses %s=%s with 400 naming it', async (name, value) => {
    const merchant = await server.createMerchant();
    const answer = await getAs(merchant)(`${EMPLOYEES}?${name}=${value}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ type: 'bad_request.invalid_parameter', field: name });
  });

  it('treats empty values as absent and ignores unknown parameters (decision 0012)', async () => {
    const merchant = await server.createMerchant();
    const made = await createEmployees(server, merchant, names(2));
    const query = 'order=&begin_created_at=&end_updated_at=&status=&external_id=&limit=&batch_token=&&color=red&';
    expect((await getAs(merchant)(`${EMPLOYEES}?${query}`)).body).toEqual(made);
  });

  it('returns 100 per page by default and 200 at most (contract 8)', async () => {
    const merchant = await server.createMerchant();
    const { id } = await createEmployee(server, merchant);
    await server.database.sql`
      insert into employees (
        merchant_id, employee_id, first_name, last_name, location_ids, status, is_owner, created_at, updated_at
      )
      select merchant_id, gen_random_uuid(), first_name, last_name, location_ids, status, is_owner, created_at, updated_at
      from employees, generate_series(1, 204)
      where employee_id = ${id}`;
    const sizes = async (query: string) =>
      (
        await walkV1({
          get: getAs(merchant),
          path: EMPLOYEES,
          parameters: Object.fromEntries(new URLSearchParams(query)),
        })
      ).map(({ body }) => body.length);
    expect(await sizes('')).toEqual([100, 100, 5]);
    expect(await sizes('limit=200')).toEqual([200, 5]);
    expect(await sizes('limit=41')).toEqual([41, 41, 41, 41, 41]);
  });
});

describe('v1.listEmployees, page by page', () => {
  it.each(CLIENT_STYLES)('returns the whole list to clients that send %s', async (style) => {
    const { merchant, made } = await hireAt([0, 0, 0, 1, 1, 2, 3]);
    for (const order of ['ASC', 'DESC']) {
      const parameters = { limit: '2', order, status: 'INACTIVE', begin_created_at: second(-1) };
      const pages = await walkV1({ get: getAs(merchant), path: EMPLOYEES, parameters, style });
      expect(pages.map(({ body }) => body.length)).toEqual([2, 2, 2, 1]);
      expect(itemsOf(pages)).toEqual(order === 'ASC' ? made : [...made].reverse());
    }
  });

  it('writes Link byte for byte, once, with the address of the request (decision 0005)', async () => {
    const { merchant } = await hireAt([0, 0]);
    const { rawHeaders } = await getAs(merchant)(`${EMPLOYEES}?limit=1&order=ASC`);
    const spelled = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'link');
    expect(spelled).toEqual(['Link']);
    const value = rawHeaders[rawHeaders.indexOf('Link') + 1] ?? '';
    const token = /batch_token=([\w-]+)/.exec(value)?.[1];
    expect(value).toBe(`<${server.baseUrl}${EMPLOYEES}?batch_token=${token}&limit=1&order=ASC>;rel='next'`);
  });

  it('repeats the whole normalized query in Link, sorted by name (decision 0005)', async () => {
    const { merchant } = await hireAt([0, 0]);
    const asked =
      'status=INACTIVE&limit=1&end_created_at=2030-01-01&begin_created_at=2001-01-01T02:00:00%2B02:00&color=red';
    const { headers } = await getAs(merchant)(`${EMPLOYEES}?${asked}`);
    const [, query = ''] = /\?batch_token=[\w-]+&([^>]+)>;rel='next'$/.exec(String(headers['link'])) ?? [];
    expect(query.split('&')).toEqual([
      'begin_created_at=2001-01-01T00%3A00%3A00.000Z',
      'end_created_at=2030-01-01T00%3A00%3A00.000Z',
      'limit=1',
      'status=INACTIVE',
    ]);
  });

  it('takes the origin of Link from the Host header', async () => {
    const { merchant } = await hireAt([0, 0]);
    const options = { token: merchant.token, headers: { host: 'till.localhost:8123' } };
    const { headers } = await server.call('GET', `${EMPLOYEES}?limit=1`, options);
    expect(headers['link']).toMatch(
      /^<http:\/\/till\.localhost:8123\/v1\/me\/employees\?batch_token=[\w-]+&limit=1>;rel='next'$/,
    );
  });

  it('takes the origin from --public-url if that is set', async () => {
    const { merchant, made } = await hireAt([0, 0]);
    const port = await freePort();
    const config = { port, publicUrl: 'https://till.example' };
    const publicServer = await startTestServer({ databaseUrl: server.databaseUrl, config });
    try {
      const local = `http://127.0.0.1:${port}`;
      const answer = await callApi(local, 'GET', `${EMPLOYEES}?limit=1`, { token: merchant.token });
      expect(answer.headers['link']).toMatch(
        /^<https:\/\/till\.example\/v1\/me\/employees\?batch_token=[\w-]+&limit=1>;rel='next'$/,
      );
      const next = await callApi(local, 'GET', nextPath(answer) ?? '', { token: merchant.token });
      expect(idsOf([...answer.body, ...next.body])).toEqual(idsOf(made));
    } finally {
      await publicServer.stop();
    }
  });

  it.each(['ASC', 'DESC'])('returns every existing employee exactly once while others are added, %s', async (order) => {
    const { merchant, made } = await hireAt(Array.from({ length: 9 }, () => 0)); // all within one second
    const seen: V1Employee[] = [];
    let path: string | undefined = `${EMPLOYEES}?limit=2&order=${order}`;
    while (path) {
      const answer = await getAs(merchant)(path);
      seen.push(...answer.body);
      path = nextPath(answer);
      if (seen.length < 9) await createEmployee(server, merchant, { first_name: 'new' });
    }
    const there = seen.filter(({ first_name }) => first_name !== 'new');
    expect(idsOf(there)).toEqual(idsOf(order === 'ASC' ? made : [...made].reverse()));
    expect(new Set(idsOf(seen)).size).toBe(seen.length);
  });

  it('keeps its position when the last returned employee changes', async () => {
    const { merchant, made } = await hireAt([0, 0, 0]);
    const first = await getAs(merchant)(`${EMPLOYEES}?limit=1`);
    await changeClock(server, merchant.id, { advance: 'P1D' });
    await server.call('PUT', `${EMPLOYEES}/${made[0]?.id}`, { token: merchant.token, body: { first_name: 'changed' } });
    const secondPage = await getAs(merchant)(nextPath(first) ?? '');
    expect(idsOf(secondPage.body)).toEqual([made[1]?.id]);
  });

  it('gives the token precedence over parameters (decision 0006)', async () => {
    const { merchant, made } = await hireAt([0, 0, 0, 0, 0]);
    const first = await getAs(merchant)(`${EMPLOYEES}?limit=2`);
    const next = nextPath(first);
    const answer = await getAs(merchant)(`${next}&order=DESC&limit=1&status=ACTIVE&end_created_at=nonsense`);
    expect(answer.body).toEqual(made.slice(2, 4));
  });

  it("returns the caller's own employees for another merchant's token", async () => {
    const [{ merchant }, mine] = [await hireAt([0, 0, 0]), await hireAt([5])];
    const next = nextPath(await getAs(merchant)(`${EMPLOYEES}?limit=1`));
    expect((await getAs(mine.merchant)(next ?? '')).body).toEqual(mine.made);
  });

  it('refuses a token of another operation or version, and a modified one', async () => {
    const { merchant } = await hireAt([0, 0]);
    const { token } = merchant;
    for (const name of ['A', 'B']) {
      await server.call('POST', '/v1/me/roles', { token, body: { name, permissions: [] } });
    }
    const roles = nextPath(await getAs(merchant)('/v1/me/roles?limit=1'));
    const cursor = (await getAs(merchant)('/v2/employees?limit=1')).body.cursor;
    const own = new URLSearchParams(nextPath(await getAs(merchant)(`${EMPLOYEES}?limit=1`))?.split('?')[1]).get(
      'batch_token',
    );
    const content = JSON.parse(Buffer.from(own ?? '', 'base64url').toString());
    const forge = (change: Record<string, unknown>) =>
      Buffer.from(JSON.stringify({ ...content, ...change })).toString('base64url');
    const forged = [
      new URLSearchParams(roles?.split('?')[1]).get('batch_token'),
      cursor,
      own?.slice(0, -3),
      `${own}=`,
      forge({ v: 1 }),
      forge({ q: { limit: 1000 } }),
      forge({ q: { order: 'UP' } }),
      forge({ a: ['soon', 'x'] }),
      forge({ a: [1e300, content.a[1]] }),
      forge({ a: [content.a[0], '\0'] }),
      forge({ p: { location_id: 'x' } }),
      'a'.repeat(5000),
    ];
    for (const batch_token of forged) {
      const answer = await getAs(merchant)(`${EMPLOYEES}?batch_token=${batch_token}`);
      expect([answer.status, answer.body.field], String(batch_token)).toEqual([400, 'batch_token']);
    }
  });

  it.each([
    ['an id that is not a UUID', (at: number) => [at, 'nobody']],
    ['a time before the year 1', (_at: number, id: string) => [-200_000_000_000_000, id]],
  ])('refuses a token with %s in its place', async (_what, change) => {
    const { merchant } = await hireAt([0, 0]);
    const next = nextPath(await getAs(merchant)(`${EMPLOYEES}?limit=1`));
    const own = new URL(next ?? '', server.baseUrl).searchParams.get('batch_token') ?? '';
    const content = JSON.parse(Buffer.from(own, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...content, a: change(content.a[0], content.a[1]) })).toString(
      'base64url',
    );
    const answer = await getAs(merchant)(`${EMPLOYEES}?batch_token=${forged}`);
    expect([answer.status, answer.body.field]).toEqual([400, 'batch_token']);
  });
});

describe('v1.listEmployees, with combined filters', () => {
  let owner: TestOwner;
  let everyone: V1Employee[];

  /** 48 employees over eight seconds, six in each. Some are changed or activated at later seconds. */
  beforeAll(async () => {
    owner = await createOwner(server, { clock: { now: second(0), frozen: true } });
    const { merchant } = owner;
    const byId = new Map<string, V1Employee>();
    for (let at = 0; at < 8; at++) {
      await changeClock(server, merchant.id, { now: second(at) });
      for (let index = 0; index < 6; index++) {
        const external_id = [undefined, 'A', 'B'][index % 3];
        const employee = await createEmployee(server, merchant, { external_id });
        byId.set(employee.id, employee);
      }
    }
    for (const [index, employee] of [...byId.values()].entries()) {
      if (index % 4 === 3) continue;
      await changeClock(server, merchant.id, { now: second(8 + Math.floor(index / 8)) });
      if (index % 4 === 0) {
        const { body } = await owner.call('POST', `/api/dashboard/employees/${employee.id}/activate`);
        const { status, updated_at } = body.employee;
        byId.set(employee.id, { ...employee, status, updated_at });
      } else if (index % 4 === 1) {
        const options = { token: merchant.token, body: { last_name: `changed${index}` } };
        byId.set(employee.id, (await server.call('PUT', `${EMPLOYEES}/${employee.id}`, options)).body);
      }
    }
    everyone = [...byId.values()];
  });

  interface Filters {
    readonly order?: 'ASC' | 'DESC';
    readonly begin_created_at?: number;
    readonly end_created_at?: number;
    readonly begin_updated_at?: number;
    readonly end_updated_at?: number;
    readonly status?: 'ACTIVE' | 'INACTIVE';
    readonly external_id?: 'A' | 'B' | 'C';
    readonly limit?: number;
  }

  /** Computes the expected list without SQL. */
  function expected({ order = 'ASC', ...filters }: Filters): V1Employee[] {
    const within = (time: string, begin: number | undefined, end: number | undefined): boolean => {
      const [at, from, to] = [time, second(begin ?? -1000), second(end ?? 1000)];
      return order === 'ASC' ? from <= at && at < to : from < at && at <= to;
    };
    const found = everyone.filter(
      (employee) =>
        (filters.status === undefined || employee.status === filters.status) &&
        (filters.external_id === undefined || employee.external_id === filters.external_id) &&
        within(employee.created_at, filters.begin_created_at, filters.end_created_at) &&
        within(employee.updated_at, filters.begin_updated_at, filters.end_updated_at),
    );
    return order === 'ASC' ? found : found.reverse();
  }

  function isInvalid({ begin_created_at, end_created_at, begin_updated_at, end_updated_at }: Filters): boolean {
    const isBefore = (end?: number, begin?: number) => end !== undefined && begin !== undefined && end < begin;
    return isBefore(end_created_at, begin_created_at) || isBefore(end_updated_at, begin_updated_at);
  }

  const early = fc.integer({ min: -1, max: 9 });
  const late = fc.integer({ min: -1, max: 16 });
  const filters = fc.record(
    {
      order: fc.constantFrom('ASC' as const, 'DESC' as const),
      begin_created_at: early,
      end_created_at: early,
      begin_updated_at: late,
      end_updated_at: late,
      status: fc.constantFrom('ACTIVE' as const, 'INACTIVE' as const),
      external_id: fc.constantFrom('A' as const, 'B' as const, 'C' as const),
      limit: fc.integer({ min: 1, max: 60 }),
    },
    { requiredKeys: [] },
  );

  it('has test data with enough differences', () => {
    expect(everyone).toHaveLength(48);
    expect(everyone.filter(({ status }) => status === 'ACTIVE')).toHaveLength(12);
    expect(everyone.filter(({ created_at, updated_at }) => created_at !== updated_at)).toHaveLength(24);
  });

  it('matches an independent implementation of the rules, page by page, for every client style', async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.constantFrom(...CLIENT_STYLES), async (asked, style) => {
        const parameters = Object.fromEntries(
          Object.entries(asked).map(([name, value]) => [
            name,
            typeof value === 'number' && name !== 'limit' ? second(value) : String(value),
          ]),
        );
        if (isInvalid(asked)) {
          const answer = await getAs(owner.merchant)(`${EMPLOYEES}?${new URLSearchParams(parameters)}`);
          expect(answer.status).toBe(400);
          return;
        }
        const pages = await walkV1({ get: getAs(owner.merchant), path: EMPLOYEES, parameters, style });
        expect(itemsOf(pages)).toEqual(expected(asked));
        const limit = asked.limit ?? 100;
        for (const { body } of pages.slice(0, -1)) expect(body).toHaveLength(limit);
      }),
      { seed: 20_200_226, numRuns: repetitions({ usual: 40, long: 80 }) },
    );
  });
});
