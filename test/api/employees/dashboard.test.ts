/** Employees in the dashboard: their status, which changes only here (contract 3), and their hours by day. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { createEmployee, createEmployees } from '../../support/employees.js';
import type { ApiResponse } from '../../support/http.js';
import { CLIENT_STYLES, idsOf, walkV2 } from '../../support/lists.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('employees in the dashboard', () => {
  const EMPLOYEES = '/api/dashboard/employees';
  const START = '2020-02-26T10:00:00Z';
  const LATER = '2020-02-26T11:00:00Z';
  const MISSING_ID = '018f3c0d-0e11-7222-8333-444455556666';

  let owner: TestOwner;

  beforeAll(async () => {
    owner = await createOwner(server);
  });

  const names = (count: number) => Array.from({ length: count }, (_, index) => ({ first_name: `n${index}` }));

  /** The same employee in both generations. */
  async function seen(of: TestOwner, id: string) {
    const get = async (path: string) => (await server.call('GET', path, { token: of.merchant.token })).body;
    return { v1: await get(`/v1/me/employees/${id}`), v2: (await get(`/v2/employees/${id}`)).employee };
  }

  describe('dashboard.activateEmployee and dashboard.deactivateEmployee', () => {
    it('change the status and updated_at, visible in both generations', async () => {
      const own = await createOwner(server, { clock: { now: START, frozen: true } });
      const employee = await createEmployee(server, own.merchant, { email: 'ana@example.com' });
      await changeClock(server, own.merchant.id, { now: LATER });
      const activated = await own.call('POST', `${EMPLOYEES}/${employee.id}/activate`);
      expect(activated.status).toBe(200);
      expect(activated.body.employee).toMatchObject({ id: employee.id, status: 'ACTIVE', updated_at: LATER });
      const { v1, v2 } = await seen(own, employee.id);
      expect(v1).toEqual({ ...employee, status: 'ACTIVE', updated_at: LATER });
      expect(v2).toEqual(activated.body.employee);

      await changeClock(server, own.merchant.id, { advance: 'PT1H' });
      const deactivated = await own.call('POST', `${EMPLOYEES}/${employee.id}/deactivate`);
      expect(deactivated.body.employee).toMatchObject({ status: 'INACTIVE', updated_at: '2020-02-26T12:00:00Z' });
      expect((await seen(own, employee.id)).v1.status).toBe('INACTIVE');
    });

    it.each([
      ['activate', 'ACTIVE'],
      ['deactivate', 'INACTIVE'],
    ])('%s keeps updated_at if nothing changes', async (verb, status) => {
      const own = await createOwner(server, { clock: { now: START, frozen: true } });
      const { id } = await createEmployee(server, own.merchant);
      await own.call('POST', `${EMPLOYEES}/${id}/${verb}`);
      await changeClock(server, own.merchant.id, { now: LATER });
      const answer = await own.call('POST', `${EMPLOYEES}/${id}/${verb}`);
      expect([answer.status, answer.body.employee.status, answer.body.employee.updated_at]).toEqual([
        200,
        status,
        START,
      ]);
    });

    it('are the only operations that change a status: writes of both generations do not', async () => {
      const { token } = owner.merchant;
      const { id } = await createEmployee(server, owner.merchant, { status: 'ACTIVE' });
      expect((await seen(owner, id)).v1.status).toBe('INACTIVE');
      await server.call('PUT', `/v1/me/employees/${id}`, { token, body: { status: 'ACTIVE', first_name: 'B' } });
      expect((await seen(owner, id)).v1.status).toBe('INACTIVE');
      await owner.call('POST', `${EMPLOYEES}/${id}/activate`);
      await server.call('PUT', `/v1/me/employees/${id}`, { token, body: { status: 'INACTIVE', first_name: 'C' } });
      const { v1, v2 } = await seen(owner, id);
      expect([v1.status, v2.status, v1.first_name]).toEqual(['ACTIVE', 'ACTIVE', 'C']);
      expect((await server.call('PUT', `/v2/employees/${id}`, { token, body: { status: 'INACTIVE' } })).status).toBe(
        405,
      );
    });

    it.each(['activate', 'deactivate'])('%s returns 404 for an invalid or unknown id', async (verb) => {
      for (const id of [MISSING_ID, 'nobody', '%00']) {
        const answer = await owner.call('POST', `${EMPLOYEES}/${id}/${verb}`);
        expect([answer.status, answer.body.errors[0].code]).toEqual([404, 'NOT_FOUND']);
      }
    });

    it("return 404 for another merchant's employee, and change nothing (decision 0015)", async () => {
      const other = await createOwner(server);
      const { id } = await createEmployee(server, other.merchant);
      const theirs = await owner.call('POST', `${EMPLOYEES}/${id}/activate`);
      const missing = await owner.call('POST', `${EMPLOYEES}/${MISSING_ID}/activate`);
      expect(theirs.status).toBe(404);
      expect(theirs.text.replaceAll(id, 'ID')).toBe(missing.text.replaceAll(MISSING_ID, 'ID'));
      expect((await seen(other, id)).v1.status).toBe('INACTIVE');
    });

    it('require a session: an access token of the same merchant is refused, and nothing changes', async () => {
      const { id } = await createEmployee(server, owner.merchant);
      for (const options of [{}, { token: owner.merchant.token }, { headers: { cookie: 'tillhouse_session=guess' } }]) {
        expect((await server.call('POST', `${EMPLOYEES}/${id}/activate`, options)).status).toBe(401);
      }
      expect((await seen(owner, id)).v1.status).toBe('INACTIVE');
    });

    it("refuse a foreign Origin and change nothing, and accept the server's own (decision 0053)", async () => {
      const { id } = await createEmployee(server, owner.merchant);
      const activate = (origin: string) => owner.call('POST', `${EMPLOYEES}/${id}/activate`, { headers: { origin } });
      expect((await activate('https://evil.example')).status).toBe(403);
      expect((await seen(owner, id)).v1.status).toBe('INACTIVE');
      expect((await activate(server.baseUrl)).status).toBe(200);
      expect((await seen(owner, id)).v1.status).toBe('ACTIVE');
    });

    it('support POST only', async () => {
      const answer = await owner.call('GET', `${EMPLOYEES}/${MISSING_ID}/activate`);
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
    });
  });

  describe('dashboard.listEmployees', () => {
    it('returns what v2 returns and more, oldest first, and filters by status', async () => {
      const own = await createOwner(server);
      const [a, b] = await createEmployees(server, own.merchant, names(2));
      await own.call('POST', `${EMPLOYEES}/${b?.id}/activate`);
      const list = async (query: string) => (await own.call('GET', `${EMPLOYEES}${query}`)).body;
      const v2 = (await server.call('GET', '/v2/employees', { token: own.merchant.token })).body;
      expect(await list('')).toMatchObject(v2);
      expect(idsOf((await list('?status=ACTIVE')).employees)).toEqual([b?.id]);
      expect(idsOf((await list('?status=INACTIVE')).employees)).toEqual([a?.id]);
    });

    it.each([
      ['status=GONE', 'INVALID_ENUM_VALUE', 'status'],
      ['limit=ten', 'EXPECTED_INTEGER', 'limit'],
      ['cursor=nonsense', 'INVALID_CURSOR', 'cursor'],
    ])('refuses %s with 400 %s', async (query, code, field) => {
      const answer = await owner.call('GET', `${EMPLOYEES}?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0]).toMatchObject({ code, field });
    });

    it('returns 50 per page by default and 200 at most', async () => {
      const own = await createOwner(server);
      await Promise.all(names(203).map((body) => createEmployee(server, own.merchant, body)));
      const get = (path: string) => own.call('GET', path);
      const sizes = async (parameters: Record<string, string>) =>
        (await walkV2({ get, path: EMPLOYEES, parameters })).map(({ body }) => body.employees.length);
      expect(await sizes({})).toEqual([50, 50, 50, 50, 3]);
      expect(await sizes({ limit: '200' })).toEqual([200, 3]);
      expect(await sizes({ limit: '500' })).toEqual([200, 3]);
    });

    it.each(CLIENT_STYLES.slice(1))(
      'returns employees of one second exactly once, to clients that send %s',
      async (style) => {
        const own = await createOwner(server, { clock: { now: START, frozen: true } });
        const made = await createEmployees(server, own.merchant, names(5));
        const get = (path: string) => own.call('GET', path);
        const pages = await walkV2({ get, path: EMPLOYEES, parameters: { limit: '2', status: 'INACTIVE' }, style });
        expect(pages.flatMap(({ body }) => idsOf(body.employees))).toEqual(idsOf(made));
        expect(pages).toHaveLength(3);
      },
    );

    it("never returns another merchant's employees", async () => {
      const other = await createOwner(server);
      await createEmployee(server, owner.merchant);
      expect((await other.call('GET', EMPLOYEES)).body).toEqual({ employees: [] });
    });
  });

  describe('the dashboard of a merchant that is not approved', () => {
    it.each([
      ['GET', EMPLOYEES],
      ['POST', `${EMPLOYEES}/${MISSING_ID}/activate`],
      ['POST', `${EMPLOYEES}/${MISSING_ID}/deactivate`],
    ])('%s %s returns 403 FORBIDDEN (decision 0020)', async (method, path) => {
      const unapproved = await createOwner(server, { approved: false });
      const answer = await unapproved.call(method, path);
      expect([answer.status, answer.body.errors[0].code]).toEqual([403, 'FORBIDDEN']);
      expect((await unapproved.call('GET', '/api/dashboard/session')).status).toBe(200);
    });
  });
});

describe('hours in the dashboard', () => {
  const HOURS = '/api/dashboard/hours';
  const CARDS = '/api/dashboard/timecards';
  const HOUR = 3600;

  let owner: TestOwner;
  let ana: string;
  let ben: string;
  let newYork: string;
  let tokyo: string;

  beforeAll(async () => {
    owner = await createOwner(server, {
      locations: [
        { name: 'New York', timezone: 'America/New_York' },
        { name: 'Tokyo', timezone: 'Asia/Tokyo' },
      ],
      clock: { now: '2026-03-11T16:00:00Z', frozen: true }, // Wednesday noon in New York
    });
    [newYork = '', tokyo = ''] = owner.merchant.locationIds;
    [ana, ben] = [(await createEmployee(server, owner.merchant)).id, (await createEmployee(server, owner.merchant)).id];
  });

  async function work(
    employee_id: string,
    clockin_time: string,
    clockout_time?: string,
    location?: string,
  ): Promise<ApiResponse> {
    const body = { employee_id, clockin_time, clockout_time, clockin_location_id: location };
    const answer = await owner.call('POST', CARDS, { body });
    expect(answer.status, answer.text).toBe(200);
    return answer;
  }

  const hours = async (query = '') => (await owner.call('GET', `${HOURS}${query}`)).body;
  const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];

  interface WireHours {
    readonly employee_id: string;
    readonly seconds: number;
    readonly days: readonly { readonly date: string; readonly seconds: number }[];
  }

  /** By date. */
  function daysOf(id: string, { employees }: { employees: readonly WireHours[] }): Record<string, number> {
    const found = employees.find(({ employee_id }) => employee_id === id);
    return Object.fromEntries(found?.days.map(({ date, seconds }) => [date, seconds]) ?? []);
  }

  describe('dashboard.listHours', () => {
    it('splits at midnight of the location, also on the day on which the clocks change', async () => {
      // Saturday 22:00 to Sunday 06:00 in New York. The clocks skip 2:00 on Sunday 8 March: 7 hours, 2 of them on Saturday.
      await work(ana, '2026-03-08T03:00:00Z', '2026-03-08T10:00:00Z', newYork);
      const found = await hours(`?begin_date=2026-03-07&end_date=2026-03-08&employee_id=${ana}`);
      expect(daysOf(ana, found)).toEqual({ '2026-03-07': 2 * HOUR, '2026-03-08': 5 * HOUR });
      expect(found).toMatchObject({ begin_date: '2026-03-07', end_date: '2026-03-08', seconds: 7 * HOUR });
      expect((await hours(`?begin_date=2026-03-08&end_date=2026-03-08&employee_id=${ana}`)).seconds).toBe(5 * HOUR);
    });

    it('counts a day of each location by its own clock, and cards without a location at the main one', async () => {
      await work(ben, '2026-03-02T14:30:00Z', '2026-03-02T15:30:30Z', tokyo); // 23:30 to 00:30:30 in Tokyo
      await work(ben, '2026-03-03T04:30:00Z', '2026-03-03T05:30:00Z'); // 23:30 to 00:30 in New York
      const range = '?begin_date=2026-03-02&end_date=2026-03-03';
      const found = await hours(range);
      expect(daysOf(ben, found)).toEqual({ '2026-03-02': 3600, '2026-03-03': 3630 });
      expect((await hours(`${range}&location_id=${tokyo}`)).seconds).toBe(3630);
      expect((await hours(`${range}&location_id=${newYork}`)).seconds).toBe(3600);
    });

    it('is this week from Monday by default, and counts open cards until now', async () => {
      await work(ana, '2026-03-11T13:00:00Z'); // 9:00, still there at noon
      const found = await hours();
      expect([found.begin_date, found.end_date]).toEqual(['2026-03-09', '2026-03-15']);
      expect(found.employees).toEqual([
        {
          employee_id: ana,
          seconds: 3 * HOUR,
          clocked_in: true,
          days: [{ date: '2026-03-11', seconds: 3 * HOUR, clocked_in: true }],
        },
      ]);
      await changeClock(server, owner.merchant.id, { advance: 'PT30M' });
      expect((await hours()).seconds).toBe(3.5 * HOUR);
    });

    it('leaves deleted cards out', async () => {
      const range = '?begin_date=2026-02-02&end_date=2026-02-02';
      const { body } = await work(ana, '2026-02-02T15:00:00Z', '2026-02-02T16:00:00Z');
      expect((await hours(range)).seconds).toBe(HOUR);
      await owner.call('DELETE', `${CARDS}/${body.timecard.id}`);
      expect(await hours(range)).toMatchObject({ seconds: 0, employees: [] });
    });

    it('adds up to the seconds of the timecards, whatever they are', async () => {
      const { id } = await createEmployee(server, owner.merchant);
      let expected = 0;
      for (let index = 0; index < 40; index++) {
        const begin = Date.parse('2026-01-05T00:00:00Z') + index * 17 * 3_600_000 + index * 1000;
        const seconds = 600 + ((index * 7919) % 50_000);
        expected += seconds;
        const times = [begin, begin + seconds * 1000].map((at) => new Date(at).toISOString());
        await work(id, times[0] ?? '', times[1], index % 3 === 0 ? tokyo : newYork);
      }
      const found = await hours(`?begin_date=2025-12-31&end_date=2026-03-01&employee_id=${id}`);
      expect(found.seconds).toBe(expected);
      expect(Object.values(daysOf(id, found)).reduce((sum, each) => sum + each, 0)).toBe(expected);
    });

    it.each([
      ['begin_date=2026-03-09&end_date=2026-03-08', 'INVALID_TIME_RANGE', 'end_date'],
      ['begin_date=2026-01-01&end_date=2026-12-31', 'INVALID_TIME_RANGE', 'end_date'],
      ['begin_date=2026-02-30', 'INVALID_TIME', 'begin_date'],
      ['begin_date=today', 'VALUE_REGEX_MISMATCH', 'begin_date'],
    ])('refuses %s', async (query, code, field) => {
      expect(refusal(await owner.call('GET', `${HOURS}?${query}`))).toEqual([400, code, field]);
    });

    it.each(['0001-01-01', '9999-12-31'])('accepts %s', async (day) => {
      expect((await owner.call('GET', `${HOURS}?begin_date=${day}`)).status).toBe(200);
      expect((await owner.call('GET', `${HOURS}?end_date=${day}`)).status).toBe(200);
    });
  });

  describe('timecards of the owner', () => {
    it('are created with a first event, and listed by location and time', async () => {
      const { timecard } = (await work(ben, '2026-02-10T15:00:00Z', '2026-02-10T16:00:00Z', tokyo)).body;
      const found = (await owner.call('GET', `${CARDS}/${timecard.id}`)).body;
      expect(found.timecard).toEqual(timecard);
      expect(found.events).toMatchObject([{ event_type: 'DASHBOARD_EDIT', clockin_time: '2026-02-10T15:00:00Z' }]);
      const list = async (query: string) =>
        (await owner.call('GET', `${CARDS}?employee_id=${ben}&${query}`)).body.timecards.map(
          ({ id }: { id: string }) => id,
        );
      const [at, later] = ['2026-02-10T15:00:00Z', '2026-02-10T15:00:01Z'];
      expect(await list(`begin_time=${at}&end_time=${later}`)).toEqual([timecard.id]);
      expect(await list(`begin_time=${later}&end_time=2026-02-11`)).toEqual([]);
      expect(await list(`begin_time=2026-02-10&end_time=${at}`)).toEqual([]);
      expect(await list(`begin_time=${at}&location_id=${newYork}`)).not.toContain(timecard.id);
      expect(await list(`begin_time=${at}&location_id=${tokyo}`)).toContain(timecard.id);
    });

    it('clock in an employee who is not clocked in, and only once', async () => {
      const { id } = await createEmployee(server, owner.merchant);
      await work(id, '2026-03-11T15:00:00Z');
      const body = { employee_id: id, clockin_time: '2026-03-11T15:30:00Z' };
      const answer = await owner.call('POST', CARDS, { body });
      expect([answer.status, answer.body.errors[0].detail]).toEqual([400, 'The employee is already clocked in.']);
    });

    it('are edited by version: an outdated one is refused, and the history shows each edit', async () => {
      const { timecard } = (await work(ben, '2026-02-12T15:00:00Z', '2026-02-12T16:00:00Z')).body;
      const path = `${CARDS}/${timecard.id}`;
      const edit = (clockout_time: string, version: string) =>
        owner.call('PUT', path, { body: { clockout_time, version } });
      const first = await edit('2026-02-12T17:00:00Z', timecard.version);
      expect(first.status).toBe(200);
      expect(refusal(await edit('2026-02-12T18:00:00Z', timecard.version))).toEqual([409, 'CONFLICT', undefined]);
      const { timecard: now, events } = (await owner.call('GET', path)).body;
      expect(now).toEqual(first.body.timecard);
      expect(events.map(({ clockout_time }: { clockout_time: string }) => clockout_time)).toEqual([
        '2026-02-12T16:00:00Z',
        '2026-02-12T17:00:00Z',
      ]);
      expect((await edit('2026-02-12T18:00:00Z', now.version)).status).toBe(200);
    });

    it('need a clock-in, times in the right order, and known locations', async () => {
      const at = '2026-02-12T15:00:00Z';
      for (const [body, ...expected] of [
        [{ clockin_time: undefined }, 400, 'MISSING_REQUIRED_PARAMETER', 'clockin_time'],
        [{ clockout_time: '2026-02-12T14:00:00Z' }, 400, 'INVALID_VALUE', 'clockout_time'],
        [{ clockin_location_id: 'nowhere' }, 400, 'INVALID_VALUE', 'clockin_location_id'],
      ] as const) {
        const answer = await owner.call('POST', CARDS, { body: { employee_id: ana, clockin_time: at, ...body } });
        expect(refusal(answer)).toEqual(expected);
      }
    });
  });
});
