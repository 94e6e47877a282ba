/** Hours by employee and day: each location's days, exact seconds, open timecards until now; and timecards that the owner creates. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../support/clock.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { createEmployee } from '../support/employees.js';
import type { Answer } from '../support/http.js';
import { startTestServer, type TestServer } from '../support/server.js';

const HOURS = '/api/dashboard/hours';
const CARDS = '/api/dashboard/timecards';
const HOUR = 3600;

let server: TestServer;
let owner: TestOwner;
let ana: string;
let ben: string;
let newYork: string;
let tokyo: string;

beforeAll(async () => {
  server = await startTestServer();
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
afterAll(() => server.stop());

async function work(
  employee_id: string,
  clockin_time: string,
  clockout_time?: string,
  location?: string,
): Promise<Answer> {
  const body = { employee_id, clockin_time, clockout_time, clockin_location_id: location };
  const answer = await owner.call('POST', CARDS, { body });
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

const hours = async (query = '') => (await owner.call('GET', `${HOURS}${query}`)).body;
const refusal = ({ status, body }: Answer) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];

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

  it.each(['0001-01-01', '9999-12-31'])('answers for %s', async (day) => {
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

  it('clock an employee in who is not, and only once', async () => {
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

  it('need a clock-in, in the right order, at a known location', async () => {
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
