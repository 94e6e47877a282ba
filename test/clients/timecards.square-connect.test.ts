/** The 2020 client against a listening server: the six operations on timecards. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { changeClock } from '../support/clock.js';
import { createEmployee } from '../support/employees.js';
import { ensureDefined, mainLocation } from '../support/people.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { connectFor, fieldsOf, plain, refusalOf, type V1LaborApi } from './connect.js';

let server: TestServer;

beforeAll(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {}); // the client warns of each call that it is deprecated
  server = await startTestServer();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await server.stop();
});

interface Shop {
  readonly merchant: TestMerchant;
  readonly employee_id: string;
  readonly place: string;
  readonly api: V1LaborApi;
}

/** A merchant with one employee, whose clock is frozen at 10:00:00. */
async function openShop(): Promise<Shop> {
  const merchant = await server.createMerchant({ clock: { now: '2020-02-26T10:00:00Z', frozen: true } });
  const { id: employee_id } = await createEmployee(server, merchant);
  const { labor: api } = connectFor(server.baseUrl, merchant.token);
  return { merchant, employee_id, place: mainLocation(merchant), api };
}

const SHIFT = { clockin_time: '2020-02-25T09:00:00Z', clockout_time: '2020-02-25T17:30:00Z' };

describe('V1EmployeesApi, timecards', () => {
  it('creates a timecard with every field of the model, and retrieves it', async () => {
    const { api, employee_id, place } = await openShop();
    const given = { employee_id, ...SHIFT, clockin_location_id: place, clockout_location_id: place };
    const created = await api.createTimecard(given);
    expect(Object.keys(created).sort()).toEqual(fieldsOf('V1Timecard'));
    expect(plain(created)).toEqual({
      ...given,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      deleted: false,
      created_at: '2020-02-26T10:00:00Z',
      updated_at: '2020-02-26T10:00:00Z',
      regular_seconds_worked: 8.5 * 3600,
      overtime_seconds_worked: 0,
      doubletime_seconds_worked: 0,
    });
    expect(await api.retrieveTimecard(String(created['id']))).toEqual(created);
  });

  it('clocks in, out, edits and deletes; the empty response of a deletion arrives as text (contract 27)', async () => {
    const { api, merchant, employee_id, place } = await openShop();
    const card = await api.createTimecard({ employee_id });
    const id = String(card['id']);
    expect(card['clockout_time']).toBeUndefined();
    await changeClock(server, merchant.id, { advance: 'PT8H' });
    // Dates are written with milliseconds.
    const out = await api.updateTimecard(id, {
      clockout_time: new Date('2020-02-26T18:00:00.999Z'),
      clockout_location_id: place,
    });
    expect(out).toMatchObject({ clockout_time: '2020-02-26T18:00:00Z', regular_seconds_worked: 8 * 3600 });
    const edited = await api.updateTimecard(id, { clockin_time: '2020-02-26T09:00:00+00:00' });
    expect(edited).toMatchObject({ clockin_time: '2020-02-26T09:00:00Z', clockout_time: '2020-02-26T18:00:00Z' });
    expect(await api.deleteTimecard(id)).toBe('{}');
    expect(await api.deleteTimecard(id)).toBe('{}');
    expect(await api.retrieveTimecard(id)).toMatchObject({ deleted: true, clockin_time: '2020-02-26T09:00:00Z' });
  });

  it('sends a fetched timecard back and changes only the time of the update (contract 6 rule 1)', async () => {
    const { api, merchant, employee_id } = await openShop();
    for (const times of [SHIFT, {}]) {
      const id = String((await api.createTimecard({ employee_id, ...times }))['id']);
      await changeClock(server, merchant.id, { advance: 'PT1H' });
      const fetched = await api.retrieveTimecard(id);
      const updated = await api.updateTimecard(id, fetched);
      expect(updated).toEqual({ ...fetched, updated_at: updated['updated_at'] });
      expect(await api.listTimecardEvents(id)).toMatchObject([
        { event_type: 'API_CREATE' },
        { event_type: 'API_EDIT' },
      ]);
    }
  });

  it('lists events with every field of the model, oldest first', async () => {
    const { api, merchant, employee_id } = await openShop();
    const id = String((await api.createTimecard({ employee_id, ...SHIFT }))['id']);
    await changeClock(server, merchant.id, { advance: 'PT1H' });
    await api.updateTimecard(id, { clockin_time: '2020-02-25T08:00:00Z' });
    await api.deleteTimecard(id);
    const events = await api.listTimecardEvents(id);
    for (const event of events) expect(Object.keys(event).sort()).toEqual(fieldsOf('V1TimecardEvent'));
    const [later, moved] = ['2020-02-26T11:00:00Z', { ...SHIFT, clockin_time: '2020-02-25T08:00:00Z' }];
    expect(plain(events)).toEqual([
      { id: expect.any(String), event_type: 'API_CREATE', ...SHIFT, created_at: '2020-02-26T10:00:00Z' },
      { id: expect.any(String), event_type: 'API_EDIT', ...moved, created_at: later },
      { id: expect.any(String), event_type: 'API_DELETE', ...moved, created_at: later },
    ]);
  });

  it('lists by every filter, with dates and booleans as the client writes them', async () => {
    const { api, employee_id } = await openShop();
    const card = await api.createTimecard({ employee_id, ...SHIFT });
    const date = (time: string) => new Date(time);
    for (const matching of [
      {},
      { order: 'ASC' },
      { order: 'DESC', limit: 200 },
      { employeeId: employee_id },
      { beginClockinTime: date('2020-02-25T09:00:00Z') },
      { endClockinTime: '2020-02-25T09:00:01Z' },
      { beginClockoutTime: date('2020-02-25T17:30:00Z') },
      { endClockoutTime: '2020-02-25T17:30:01Z' },
      { beginUpdatedAt: date('2020-02-26T10:00:00Z') },
      { endUpdatedAt: '2020-02-26T10:00:01Z' },
      { deleted: false },
    ]) {
      expect(await api.listTimecards(matching), JSON.stringify(matching)).toEqual([card]);
    }
    for (const other of [
      { employeeId: '0190a0a0-0000-7000-8000-000000000000' },
      { beginClockinTime: date('2020-02-25T09:00:01Z') },
      { endClockinTime: '2020-02-25T09:00:00Z' },
      { beginClockoutTime: date('2020-02-25T17:30:01Z') },
      { endClockoutTime: '2020-02-25T17:30:00Z' },
      { beginUpdatedAt: date('2020-02-26T10:00:01Z') },
      { endUpdatedAt: '2020-02-26T10:00:00Z' },
      { deleted: true },
    ]) {
      expect(await api.listTimecards(other), JSON.stringify(other)).toEqual([]);
    }
    await api.deleteTimecard(String(card['id']));
    expect(await api.listTimecards({ deleted: true })).toMatchObject([{ id: card['id'], deleted: true }]);
  });

  it.each([
    ['only the token', {}],
    ['the token and all it asked for at first', { limit: 2, order: 'DESC', deleted: false }],
  ])('pages by the Link header to the end, sending %s', async (_style, repeated) => {
    const { api, employee_id } = await openShop();
    const made: unknown[] = [];
    for (let index = 0; index < 5; index++) made.push((await api.createTimecard({ employee_id, ...SHIFT }))['id']);
    const seen: unknown[][] = [];
    let options: Record<string, string | number | boolean> = { limit: 2, order: 'DESC', deleted: false };
    for (;;) {
      const { data, response } = await api.listTimecardsWithHttpInfo(options);
      seen.push(data.map(({ id }) => id));
      const next = /^<([^>]+)>;rel='next'$/.exec(response.headers['link'] ?? '')?.[1];
      if (next === undefined) break;
      options = { ...repeated, batchToken: ensureDefined(new URL(next).searchParams.get('batch_token')) };
    }
    expect(seen.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(seen.flat()).toEqual(made.toReversed());
  });

  it('reads the deprecation headers (decision 0017)', async () => {
    const { api, employee_id } = await openShop();
    const { response } = await api.createTimecardWithHttpInfo({ employee_id });
    expect(response.headers).toMatchObject({
      deprecation: '@1582675200',
      sunset: 'Fri, 26 Feb 2021 00:00:00 GMT',
    });
  });

  it('is refused with a status and a body of type, message and field', async () => {
    const { api, employee_id } = await openShop();
    const id = String((await api.createTimecard({ employee_id }))['id']);
    const refused = (type: string, field?: string) => ({ type, message: expect.any(String), ...(field && { field }) });
    expect(await refusalOf(api.createTimecard({ employee_id }))).toEqual({
      status: 422,
      body: refused('unprocessable_entity', 'employee_id'),
    });
    expect(await refusalOf(api.createTimecard({ employee_id: 'nobody' }))).toEqual({
      status: 404,
      body: refused('not_found', 'employee_id'),
    });
    expect(await refusalOf(api.createTimecard({ employee_id, clockout_time: SHIFT.clockout_time }))).toEqual({
      status: 400,
      body: refused('bad_request.missing_parameter', 'clockin_time'),
    });
    expect(await refusalOf(api.listTimecards({ limit: 201 }))).toEqual({
      status: 400,
      body: refused('bad_request.invalid_parameter', 'limit'),
    });
    expect(await refusalOf(api.retrieveTimecard('a/b'))).toEqual({ status: 404, body: refused('not_found') });
    await api.deleteTimecard(id);
    expect(await refusalOf(api.updateTimecard(id, { clockout_time: SHIFT.clockout_time }))).toEqual({
      status: 422,
      body: refused('unprocessable_entity'),
    });
    const unapproved = await server.createMerchant({ approved: false });
    const stranger = connectFor(server.baseUrl, unapproved.token).labor;
    expect(await refusalOf(stranger.listTimecards())).toEqual({ status: 403, body: refused('forbidden') });
  });
});
