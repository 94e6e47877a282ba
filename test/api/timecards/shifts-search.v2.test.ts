import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmployee } from '../../support/employees.js';
import { expectRefusal, type Json } from '../../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const NOW = '2020-03-10T12:00:00Z';

let server: TestServer;
let merchant: TestMerchant;
let [ana, ben]: string[] = [];
/** By name. New York is three hours ahead of the main location in Los Angeles. */
const cards = new Map<string, string>();

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant({
    locations: [{ name: 'West' }, { name: 'East', timezone: 'America/New_York' }],
    clock: { now: NOW, frozen: true },
  });
  [ana, ben] = [(await createEmployee(server, merchant)).id, (await createEmployee(server, merchant)).id];
  const [west, east] = merchant.locationIds;
  // Until 06:30 UTC it is the previous day in the west, but not in the east.
  await clock('west night', ana, '2020-03-02T06:30:00Z', '2020-03-02T14:00:00Z', west);
  await clock('east night', ben, '2020-03-02T06:30:00Z', '2020-03-02T15:00:00Z', east);
  await clock('nowhere', ben, '2020-03-03T16:00:00Z', '2020-03-04T09:00:00Z');
  await clock('open', ana, '2020-03-09T16:00:00Z', undefined, west);
  const gone = await clock('deleted', ben, '2020-03-05T16:00:00Z', '2020-03-05T18:00:00Z', west);
  await server.call('DELETE', `/v1/me/timecards/${gone}`, { token: merchant.token });
});
afterAll(() => server.stop());

async function clock(name: string, employee_id = '', clockin_time = '', clockout_time?: string, place?: string) {
  const body = { employee_id, clockin_time, clockout_time, clockin_location_id: place };
  const answer = await server.call('POST', '/v1/me/timecards', { token: merchant.token, body });
  expect(answer.status, answer.text).toBe(200);
  cards.set(answer.body.id, name);
  return answer.body.id as string;
}

const search = (body: Json) => server.call('POST', '/v2/labor/shifts/search', { token: merchant.token, body });

/** The names of the returned shifts, page by page. */
async function find(filter: Json = {}, { sort, limit = 200 }: { sort?: Json; limit?: number } = {}): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const answer = await search({ query: { filter, ...(sort && { sort }) }, limit, ...(cursor && { cursor }) });
    expect(answer.status, answer.text).toBe(200);
    const shifts: { id: string }[] = answer.body.shifts ?? [];
    expect(shifts.length).toBeLessThanOrEqual(limit);
    found.push(...shifts.map(({ id }) => cards.get(id) ?? 'unknown'));
    cursor = answer.body.cursor;
  } while (cursor);
  return found;
}

describe('v2.searchShifts', () => {
  it('returns all shifts except deleted ones, latest start first, an open one without an end', async () => {
    expect(await find()).toEqual(['open', 'nowhere', ...(await find({ workday: days('START_AT', 1, 2) }))]);
    const { body } = await search({ limit: 1 });
    expect(body.shifts).toMatchObject([{ status: 'OPEN', timezone: 'America/Los_Angeles' }]);
    expect(body.shifts[0]).not.toHaveProperty('end_at');
    expect((await search({ limit: 0 })).body.shifts).toHaveLength(4);
    expect((await search({})).body).not.toHaveProperty('cursor');
    expect((await search({ query: { filter: { employee_ids: ['nobody'] } } })).body).toEqual({});
  });

  it.each([1, 2, 3])('sorts by every field in both orders, in pages of %i', async (limit) => {
    for (const field of ['START_AT', 'END_AT', 'CREATED_AT', 'UPDATED_AT']) {
      const newestFirst = await find({}, { sort: { field }, limit });
      expect(newestFirst).toHaveLength(4);
      expect(await find({}, { sort: { field, order: 'ASC' }, limit })).toEqual(newestFirst.toReversed());
    }
    // Open shifts sort after all others by end.
    const byEnd = ['open', 'nowhere', 'east night', 'west night'];
    expect(await find({}, { sort: { field: 'END_AT' }, limit })).toEqual(byEnd);
  });

  it('filters by employees, locations and state; all filters must match, and an empty list is no filter', async () => {
    const [west = '', east = ''] = merchant.locationIds;
    expect(await find({ employee_ids: [ana] })).toEqual(['open', 'west night']);
    expect(await find({ team_member_ids: [ana, ben] })).toHaveLength(4);
    expect(await find({ employee_ids: [ana], team_member_ids: [ben] })).toEqual([]);
    expect(await find({ employee_ids: ['nobody'] })).toEqual([]);
    expect(await find({ employee_ids: [], location_ids: [] })).toHaveLength(4);
    expect(await find({ location_ids: [east] })).toEqual(['east night']);
    // A shift without a location belongs to the main location.
    expect(await find({ location_ids: [west] })).toEqual(['open', 'nowhere', 'west night']);
    expect(await find({ status: 'OPEN' })).toEqual(['open']);
    expect(await find({ status: 'CLOSED', location_ids: [west] })).toEqual(['nowhere', 'west night']);
  });

  it('accepts a range of starts and a range of ends, each with both ends', async () => {
    const start = { start_at: '2020-03-03T16:00:00Z', end_at: '2020-03-09T16:00:00Z' };
    expect(await find({ start })).toEqual(['open', 'nowhere']);
    expect(await find({ end: { start_at: '2020-03-02T15:00:00Z', end_at: '2020-03-02T15:00:00Z' } })).toEqual([
      'east night',
    ]);
    expect(await find({ end: { start_at: '2020-03-02T15:00:01Z' } })).toEqual(['nowhere']);
  });

  const days = (match_shifts_by: string, from: number, to: number) => ({
    date_range: { start_date: `2020-03-0${from}`, end_date: `2020-03-0${to}` },
    match_shifts_by,
  });

  it('counts days in the time zone of each location', async () => {
    expect(await find({ workday: days('START_AT', 1, 1) })).toEqual(['west night']);
    expect(await find({ workday: days('START_AT', 2, 2) })).toEqual(['east night']);
    expect(await find({ workday: { date_range: { start_date: '2020-03-02' } } })).toEqual([
      'open',
      'nowhere',
      'east night',
    ]);
    expect((await find({ workday: { date_range: { end_date: '2020-03-02' } } })).toSorted()).toEqual([
      'east night',
      'west night',
    ]);
    expect(await find({ workday: days('END_AT', 4, 4) })).toEqual(['nowhere']);
    expect(await find({ workday: days('END_AT', 3, 3) })).toEqual([]);
    expect(await find({ workday: days('INTERSECTION', 3, 3) })).toEqual(['nowhere']);
    expect(await find({ workday: days('INTERSECTION', 4, 4) })).toEqual(['nowhere']);
    expect(await find({ workday: days('INTERSECTION', 5, 8) })).toEqual([]);
  });

  it('refuses invalid queries, naming the field', async () => {
    const filtered = (filter: Json) => search({ query: { filter } });
    const [begin, end] = ['2020-03-02T00:00:00Z', '2020-03-01T00:00:00Z'];
    const range = { start_at: begin, end_at: end };
    expectRefusal(await filtered({ start: range }), { code: 'INVALID_TIME_RANGE', field: 'query.filter.start.end_at' });
    expectRefusal(await filtered({ workday: days('START_AT', 2, 1) }), {
      code: 'INVALID_TIME_RANGE',
      field: 'query.filter.workday.date_range.end_date',
    });
    expectRefusal(await filtered({ workday: { date_range: { start_date: '2020-02-30' } } }), {
      code: 'INVALID_TIME',
      field: 'query.filter.workday.date_range.start_date',
    });
    expectRefusal(await filtered({ workday: {} }), {
      code: 'MISSING_REQUIRED_PARAMETER',
      field: 'query.filter.workday.date_range',
    });
    expectRefusal(await search({ cursor: 'no-cursor' }), { code: 'INVALID_CURSOR', field: 'cursor' });
    expectRefusal(await search({ limit: 201 }), { code: 'VALUE_TOO_HIGH', field: 'limit' });
  });

  it('continues from the cursor alone, and refuses a forged cursor', async () => {
    const first = await search({ query: { sort: { order: 'ASC' } }, limit: 3 });
    const rest = await search({ cursor: first.body.cursor });
    expect(rest.body.shifts.map(({ id }: { id: string }) => cards.get(id))).toEqual(['open']);
    const content = JSON.parse(Buffer.from(first.body.cursor, 'base64url').toString());
    const cursor = Buffer.from(JSON.stringify({ ...content, a: [content.a[0], 'no uuid'] })).toString('base64url');
    expectRefusal(await search({ cursor }), { code: 'INVALID_CURSOR', field: 'cursor' });
  });
});
