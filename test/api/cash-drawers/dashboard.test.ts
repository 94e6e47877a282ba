/** Cash drawer shifts in the dashboard: the owner lists and reads them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { insertShifts, makeShift } from '../../support/drawers.js';
import type { ApiResponse } from '../../support/http.js';
import { idsOf, walkV2 } from '../../support/lists.js';
import { ensureDefined, mainLocation } from '../../support/people.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const SHIFTS = '/api/dashboard/cash-drawer-shifts';

let server: TestServer;
let owner: TestOwner;
let stranger: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }, { name: 'Three' }] });
  stranger = await createOwner(server);
});
afterAll(() => server.stop());

const place = () => mainLocation(owner.merchant);
const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];
const v2 = async (shiftId: string, rest = '') =>
  (await server.call('GET', `/v2/cash-drawers/shifts/${shiftId}${rest}`, { token: owner.merchant.token })).body;

describe('dashboard.listCashDrawerShifts', () => {
  it('returns the shifts of a location newest first, each with all that v2 shows', async () => {
    const { merchant } = owner;
    const older = await makeShift(server, merchant, { at: '2020-02-26T10:00:00.123Z', closed: 10_000 });
    const newer = await makeShift(server, merchant, { at: '2020-02-26T11:00:00Z', events: [['PAID_IN', 5]] });
    const elsewhere = await makeShift(server, merchant, {
      at: '2020-02-26T12:00:00Z',
      locationId: ensureDefined(merchant.locationIds[1]),
    });
    const answer = await owner.call('GET', `${SHIFTS}?location_id=${place()}`);
    const shown = { shifts: [(await v2(newer.id)).cash_drawer_shift, (await v2(older.id)).cash_drawer_shift] };
    expect([answer.status, answer.body]).toMatchObject([200, shown]);
    const other = await owner.call('GET', `${SHIFTS}?location_id=${merchant.locationIds[1]}`);
    expect(idsOf(other.body.shifts)).toEqual([elsewhere.id]);
  });

  it('returns the shifts of all locations, by state, employee and time of opening', async () => {
    const { merchant } = await createOwner(server);
    const { call, ...own } = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
    await makeShift(server, merchant, { at: '2020-02-26T10:00:00Z' });
    const [one = '', two = ''] = own.merchant.locationIds;
    const counted = await makeShift(server, own.merchant, {
      at: '2020-02-26T10:00:00Z',
      locationId: one,
      closed: 9_000,
    });
    const open = await makeShift(server, own.merchant, { at: '2020-02-26T11:00:00Z', locationId: two });
    const list = async (query = '') => (await call('GET', `${SHIFTS}${query}`)).body.shifts;
    expect(idsOf(await list())).toEqual([open.id, counted.id]);
    expect(idsOf(await list('?state=CLOSED'))).toEqual([counted.id]);
    expect(idsOf(await list('?state=OPEN'))).toEqual([open.id]);
    expect(idsOf(await list(`?state=OPEN&location_id=${one}`))).toEqual([]);
    expect(idsOf(await list('?begin_time=2020-02-26T11:00:00Z'))).toEqual([open.id]);
    expect(idsOf(await list('?end_time=2020-02-26T11:00:00Z'))).toEqual([counted.id]);
    const [{ opening_employee_id }] = await list('?state=OPEN');
    expect(idsOf(await list(`?employee_id=${opening_employee_id}`))).toContain(open.id);
    expect(await list('?employee_id=nobody')).toEqual([]);
    expect(refusal(await call('GET', `${SHIFTS}?state=GONE`))).toEqual([400, 'INVALID_ENUM_VALUE', 'state']);
    const backwards = await call('GET', `${SHIFTS}?begin_time=2020-02-27&end_time=2020-02-26`);
    expect(refusal(backwards)).toEqual([400, 'INVALID_TIME_RANGE', 'end_time']);
  });

  it('returns nothing for locations of other merchants', async () => {
    await makeShift(server, stranger.merchant, { at: '2020-02-26T10:00:00Z' });
    const answers = [];
    for (const id of ['LNOWHERE00000', mainLocation(stranger.merchant)]) {
      answers.push(await owner.call('GET', `${SHIFTS}?location_id=${id}`));
    }
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect(answers[0]?.text).not.toContain('"id"');
  });

  it('returns pages by cursor, 50 by default and 200 at most', async () => {
    const locationId = ensureDefined(owner.merchant.locationIds[2]);
    await insertShifts(server, owner.merchant, { count: 210, from: '2020-03-01T00:00:00Z', locationId });
    const sizes = async (query: Record<string, string>) => {
      const parameters = { location_id: locationId, ...query };
      const pages = await walkV2({ get: (path) => owner.call('GET', path), path: SHIFTS, parameters });
      const shifts = pages.flatMap(({ body }) => body.shifts);
      expect(shifts.map(({ opened_cash_money }) => opened_cash_money.amount)).toEqual(
        Array.from({ length: 210 }, (_, index) => 209 - index),
      );
      return pages.map(({ body }) => body.shifts.length);
    };
    expect(await sizes({})).toEqual([50, 50, 50, 50, 10]);
    expect(await sizes({ limit: '500' })).toEqual([200, 10]);
  });
});

describe('dashboard.retrieveCashDrawerShift', () => {
  it('returns a shift with all its events, as v2 shows them', async () => {
    const events = [
      ['CASH_TENDER_PAYMENT', 500],
      ['CASH_TENDER_CANCELLED_PAYMENT', 200],
      ['PAID_OUT', 50, 'window cleaner'],
    ] as const;
    const { id } = await makeShift(server, owner.merchant, { at: '2020-02-26T10:00:00.123Z', events, closed: 1 });
    const answer = await owner.call('GET', `${SHIFTS}/${id}`);
    const shown = { shift: (await v2(id)).cash_drawer_shift, events: (await v2(id, '/events')).events };
    expect([answer.status, answer.body]).toMatchObject([200, shown]);
    expect(answer.body.events).toHaveLength(3);
  });

  it("returns 404 for an unknown shift, and for another merchant's (decision 0015)", async () => {
    const foreign = await makeShift(server, stranger.merchant, { at: '2020-02-26T10:00:00Z' });
    for (const id of [foreign.id, '0190a0a0-0000-7000-8000-000000000000', 'nothing']) {
      const answer = await owner.call('GET', `${SHIFTS}/${id}`);
      expect([answer.status, answer.body.errors[0].detail]).toEqual([
        404,
        `There is no cash drawer shift with the id ${id}.`,
      ]);
    }
  });
});

describe('the dashboard operations on cash drawers', () => {
  it('require an owner session, and no approval (decisions 0020, 0052)', async () => {
    const { id } = await makeShift(server, owner.merchant, { at: '2020-02-26T10:00:00Z' });
    const paths = [`${SHIFTS}?location_id=${place()}`, `${SHIFTS}/${id}`];
    for (const path of paths) {
      expect((await server.call('GET', path)).status).toBe(401);
      expect((await server.call('GET', path, { token: owner.merchant.token })).status).toBe(401);
    }
    await server.operator('PUT', `/api/sandbox/merchants/${owner.merchant.id}/approval`, { approved: false });
    for (const path of paths) expect((await owner.call('GET', path)).status).toBe(200);
    await server.operator('PUT', `/api/sandbox/merchants/${owner.merchant.id}/approval`, { approved: true });
  });

  it('are read-only: other methods are refused', async () => {
    const { id } = await makeShift(server, owner.merchant, { at: '2020-02-26T10:00:00Z' });
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await owner.call(method, `${SHIFTS}/${id}`, { body: {} })).status, method).toBe(405);
    }
  });
});
