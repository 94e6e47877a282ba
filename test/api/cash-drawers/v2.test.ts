/** The three v2 operations on cash drawer shifts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DrawerEvent, insertShifts, makeShift } from '../../support/drawers.js';
import type { ApiResponse } from '../../support/http.js';
import { CLIENT_STYLES, idsOf, walkV2 } from '../../support/lists.js';
import { ensureDefined, mainLocation, type WireShift } from '../../support/people.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const SHIFTS = '/v2/cash-drawers/shifts';
const UNKNOWN_ID = '0190a0a0-0000-7000-8000-000000000000';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Seconds and milliseconds after 2020-02-26T10:00:00Z. */
const second = (count: number, milliseconds = 0): string =>
  new Date(1_582_711_200_000 + count * 1000 + milliseconds).toISOString();

interface Shop {
  readonly merchant: TestMerchant;
  readonly place: string;
  readonly otherPlace: string;
  get(path: string, query?: Record<string, string>): Promise<ApiResponse>;
  list(query?: Record<string, string>): Promise<ApiResponse>;
  open(...times: string[]): Promise<string[]>;
}

async function openShop(): Promise<Shop> {
  const merchant = await server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }] });
  const place = mainLocation(merchant);
  const get = (path: string, query: Record<string, string> = {}) =>
    server.call('GET', Object.keys(query).length > 0 ? `${path}?${new URLSearchParams(query)}` : path, {
      token: merchant.token,
    });
  return {
    merchant,
    place,
    otherPlace: ensureDefined(merchant.locationIds[1]),
    get,
    list: (query = {}) => get(SHIFTS, { location_id: place, ...query }),
    async open(...times) {
      const ids: string[] = [];
      for (const at of times) ids.push((await makeShift(server, merchant, { at })).id);
      return ids;
    },
  };
}

const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];
const idsIn = ({ body }: ApiResponse): string[] => idsOf(body.items ?? []);

const EVENTS: readonly DrawerEvent[] = [
  ['NO_SALE', 0],
  ['CASH_TENDER_PAYMENT', 5000],
  ['OTHER_TENDER_PAYMENT', 0],
  ['CASH_TENDER_CANCELLED_PAYMENT', 1200],
  ['OTHER_TENDER_CANCELLED_PAYMENT', 0],
  ['CASH_TENDER_REFUND', 700],
  ['OTHER_TENDER_REFUND', 0],
  ['PAID_IN', 300, 'change from the bank'],
  ['PAID_OUT', 450],
];

const usd = (amount: number) => ({ amount, currency: 'USD' });

describe('v2.listCashDrawerShifts', () => {
  it.each([{}, { location_id: '' }])('requires location_id: %j (contract 4.5, decision 0022)', async (query) => {
    const { get } = await openShop();
    expect(refusal(await get(SHIFTS, query))).toEqual([400, 'MISSING_REQUIRED_PARAMETER', 'location_id']);
  });

  it('returns 404 naming location_id for a location that is unknown, another merchant’s, or me (decisions 0015, 0018)', async () => {
    const { get } = await openShop();
    const foreign = await openShop();
    await foreign.open(second(0));
    for (const location_id of ['LNOWHERE00000', foreign.place, 'me']) {
      expect(refusal(await get(SHIFTS, { location_id }))).toEqual([404, 'NOT_FOUND', 'location_id']);
    }
  });

  it('is empty if there are no shifts (decision 0241)', async () => {
    const { list } = await openShop();
    const answer = await list();
    expect([answer.status, answer.body]).toEqual([200, {}]);
  });

  it('returns summaries under both keys, with times in milliseconds (decisions 0010, 0016)', async () => {
    const { list, merchant } = await openShop();
    const plan = { at: second(0, 7), events: EVENTS, description: 'Front till', closed: 12_900 };
    const shift = await makeShift(server, merchant, plan);
    const open = await makeShift(server, merchant, { at: second(60), opened: 0 });
    const { body } = await list();
    expect(body.items).toEqual([
      {
        id: shift.id,
        state: 'CLOSED',
        opened_at: '2020-02-26T10:00:00.007Z',
        ended_at: '2020-02-26T10:00:10.007Z',
        closed_at: '2020-02-26T10:00:11.007Z',
        description: 'Front till',
        location_id: merchant.locationIds[0],
        opened_cash_money: usd(10_000),
        expected_cash_money: usd(12_950),
        closed_cash_money: usd(12_900),
      },
      {
        id: open.id,
        state: 'OPEN',
        opened_at: '2020-02-26T10:01:00.000Z',
        location_id: merchant.locationIds[0],
        opened_cash_money: usd(0),
        expected_cash_money: usd(0),
      },
    ]);
    expect(body.cash_drawer_shifts).toEqual(body.items);
  });

  it('returns only the shifts of the requested location', async () => {
    const { list, open, merchant, otherPlace } = await openShop();
    const [here] = await open(second(0));
    const there = await makeShift(server, merchant, { at: second(0), locationId: otherPlace });
    expect(idsIn(await list())).toEqual([here]);
    expect(idsIn(await list({ location_id: otherPlace }))).toEqual([there.id]);
  });

  it.each([
    ['ASC', [1, 2]],
    ['DESC', [2, 1]],
    ['', [1, 2]],
  ])('sort_order %s includes begin_time and excludes end_time (contract 4.5)', async (sort_order, expected) => {
    const { list, open } = await openShop();
    const ids = await open(second(0), second(1), second(2), second(3));
    const at = async (query: Record<string, string>) =>
      idsIn(await list({ sort_order, ...query })).map((id) => ids.indexOf(id));
    expect(await at({ begin_time: second(1), end_time: second(3) })).toEqual(expected);
    expect((await at({ begin_time: second(1, 1) })).sort()).toEqual([2, 3]);
    expect((await at({ end_time: second(1, 1) })).sort()).toEqual([0, 1]);
    expect(await at({ begin_time: second(2), end_time: second(2) })).toEqual([]);
    expect((await at({})).sort()).toEqual([0, 1, 2, 3]);
  });

  it('has no default range and no maximum range (decision 0008)', async () => {
    const { list, open } = await openShop();
    const ids = await open('2001-01-01T00:00:00Z', '2020-01-01T00:00:00Z', '2090-01-01T00:00:00Z');
    expect(idsIn(await list())).toEqual(ids);
    expect(idsIn(await list({ begin_time: '2001-01-01', end_time: '2090-01-02' }))).toEqual(ids);
  });

  it.each([
    [{ sort_order: 'UP' }, 'INVALID_SORT_ORDER', 'sort_order'],
    [{ sort_order: 'asc' }, 'INVALID_SORT_ORDER', 'sort_order'],
    [{ begin_time: 'yesterday' }, 'INVALID_TIME', 'begin_time'],
    [{ end_time: '2020-02-30' }, 'INVALID_TIME', 'end_time'],
    [{ begin_time: second(1), end_time: second(0) }, 'INVALID_TIME_RANGE', 'end_time'],
    [{ limit: '-1' }, 'VALUE_TOO_LOW', 'limit'],
    [{ limit: '-5' }, 'VALUE_TOO_LOW', 'limit'],
    [{ limit: '1001' }, 'VALUE_TOO_HIGH', 'limit'],
    [{ limit: 'ten' }, 'EXPECTED_INTEGER', 'limit'],
    [{ limit: '1.5' }, 'EXPECTED_INTEGER', 'limit'],
    [{ cursor: 'nonsense' }, 'INVALID_CURSOR', 'cursor'],
  ])('refuses %j with %s', async (query, code, field) => {
    const { list } = await openShop();
    expect(refusal(await list(query))).toEqual([400, code, field]);
  });

  it('returns pages of 200 by default and of 1000 at most (contract 8)', async () => {
    const { get, merchant, place } = await openShop();
    await insertShifts(server, merchant, { count: 1001, from: second(0) });
    const sizes = async (query: Record<string, string>) =>
      (await walkV2({ get, path: SHIFTS, parameters: { location_id: place, ...query } })).map(({ body }) => {
        expect(body.cash_drawer_shifts).toEqual(body.items);
        return body.items.length;
      });
    expect(await sizes({})).toEqual([200, 200, 200, 200, 200, 1]);
    expect(await sizes({ limit: '1000' })).toEqual([1000, 1]);
    expect(await sizes({ limit: '501' })).toEqual([501, 500]);
    expect((await get(SHIFTS, { location_id: place, limit: '1' })).body.items).toHaveLength(1);
  });

  it.each(CLIENT_STYLES)('returns the whole list to clients that send %s, in both orders', async (style) => {
    const { get, open, place } = await openShop();
    const ids = await open(second(0), second(0), second(0), second(1), second(1), second(2), second(3));
    const ordered = [...ids.slice(0, 3).sort(), ...ids.slice(3, 5).sort(), ...ids.slice(5)];
    for (const sort_order of ['ASC', 'DESC']) {
      const parameters = { location_id: place, limit: '2', sort_order, begin_time: second(0), end_time: second(9) };
      const pages = await walkV2({ get, path: SHIFTS, parameters, style });
      expect(pages.map(({ body }) => body.items.length)).toEqual([2, 2, 2, 1]);
      expect(pages.flatMap(idsIn)).toEqual(sort_order === 'ASC' ? ordered : [...ordered].reverse());
    }
  });

  it('continues from the cursor alone, without location_id, and the cursor takes precedence (decision 0006)', async () => {
    const { get, open, list } = await openShop();
    const ids = await open(second(0), second(1), second(2));
    const { cursor } = (await list({ limit: '1' })).body;
    expect(idsIn(await get(SHIFTS, { cursor }))).toEqual([ids[1]]);
    const conflicting = { cursor, limit: '3', sort_order: 'DESC', begin_time: second(9) };
    expect(idsIn(await get(SHIFTS, conflicting))).toEqual([ids[1]]);
  });

  it('refuses the cursor of another location (decision 0006)', async () => {
    const { get, open, list, otherPlace } = await openShop();
    await open(second(0), second(1));
    const { cursor } = (await list({ limit: '1' })).body;
    expect(refusal(await get(SHIFTS, { cursor, location_id: otherPlace }))).toEqual([400, 'INVALID_CURSOR', 'cursor']);
  });

  it('reveals nothing for the cursor of another merchant (decision 0006)', async () => {
    const [mine, theirs] = [await openShop(), await openShop()];
    await theirs.open(second(0), second(1));
    const { cursor } = (await theirs.list({ limit: '1' })).body;
    expect(refusal(await mine.get(SHIFTS, { cursor }))).toEqual([404, 'NOT_FOUND', 'location_id']);
  });

  it('returns each shift once while others are opened', async () => {
    const { get, open, list } = await openShop();
    const ids = await open(second(0), second(1), second(2));
    const first = await list({ limit: '2' });
    const [before, after] = await open(second(0, 500), second(3));
    const secondPage = await get(SHIFTS, { cursor: first.body.cursor });
    expect([...idsIn(first), ...idsIn(secondPage)]).toEqual([...ids, after]);
    expect(idsIn(await list())).toContain(before);
  });
});

describe('v2.retrieveCashDrawerShift', () => {
  it('returns all fields of a shift, without its events (contract 23)', async () => {
    const { get, merchant, place } = await openShop();
    const plan = { at: second(0, 7), events: EVENTS, description: 'Front till', closed: 12_900 };
    const shift = await makeShift(server, merchant, plan);
    const answer = await get(`${SHIFTS}/${shift.id}`, { location_id: place });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      cash_drawer_shift: {
        id: shift.id,
        state: 'CLOSED',
        location_id: place,
        opened_at: '2020-02-26T10:00:00.007Z',
        ended_at: '2020-02-26T10:00:10.007Z',
        closed_at: '2020-02-26T10:00:11.007Z',
        description: 'Front till',
        employee_ids: [shift.openingEmployeeId],
        team_member_ids: [shift.openingEmployeeId],
        opening_employee_id: shift.openingEmployeeId,
        opening_team_member_id: shift.openingEmployeeId,
        ending_employee_id: shift.openingEmployeeId,
        ending_team_member_id: shift.openingEmployeeId,
        closing_employee_id: shift.openingEmployeeId,
        closing_team_member_id: shift.openingEmployeeId,
        opened_cash_money: usd(10_000),
        cash_payment_money: usd(3800),
        cash_refunds_money: usd(-700),
        cash_paid_in_money: usd(300),
        cash_paid_out_money: usd(-450),
        expected_cash_money: usd(12_950),
        closed_cash_money: usd(12_900),
        device: { id: shift.device.id, name: 'Till 1' },
      },
    });
  });

  it('omits the fields of later states, for an open shift and for an ended one', async () => {
    const { get, merchant } = await openShop();
    const open = await makeShift(server, merchant, { at: second(0) });
    const ended = await makeShift(server, merchant, { at: second(0), ended: true });
    const namesOf = async (id: string) => Object.keys((await get(`${SHIFTS}/${id}`)).body.cash_drawer_shift);
    const later = ['closed_at', 'closing_employee_id', 'closing_team_member_id', 'closed_cash_money'];
    expect((await namesOf(ended.id)).filter((name) => later.includes(name))).toEqual([]);
    const fieldsOfEnd = ['ended_at', 'ending_employee_id', 'ending_team_member_id'];
    expect((await namesOf(ended.id)).filter((name) => fieldsOfEnd.includes(name)).sort()).toEqual(fieldsOfEnd);
    expect((await namesOf(open.id)).filter((name) => [...fieldsOfEnd, ...later].includes(name))).toEqual([]);
  });
});

describe('v2.listCashDrawerShiftEvents', () => {
  it('returns all nine types, oldest first, without negative amounts, under both keys (contract 23, decision 0016)', async () => {
    const { get, merchant } = await openShop();
    const shift = await makeShift(server, merchant, { at: second(0, 7), events: EVENTS });
    const { status, body } = await get(`${SHIFTS}/${shift.id}/events`);
    expect(status).toBe(200);
    expect(body.events).toEqual(
      EVENTS.map(([event_type, amount, description], index) => ({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        employee_id: shift.openingEmployeeId,
        team_member_id: shift.openingEmployeeId,
        event_type,
        event_money: usd(amount),
        created_at: `2020-02-26T10:00:0${index + 1}.007Z`,
        ...(description !== undefined && { description }),
      })),
    );
    expect(body.cash_drawer_shift_events).toEqual(body.events);
    expect(Object.keys(body).sort()).toEqual(['cash_drawer_shift_events', 'events']);
  });

  it('returns an empty list for a shift without events', async () => {
    const { get, open } = await openShop();
    const answer = await get(`${SHIFTS}/${(await open(second(0)))[0]}/events`);
    expect([answer.status, answer.body]).toEqual([200, {}]);
  });

  it.each(CLIENT_STYLES)('returns all events to clients that send %s', async (style) => {
    const { get, merchant, place } = await openShop();
    const { id } = await makeShift(server, merchant, { at: second(0), events: EVENTS });
    const parameters = { location_id: place, limit: '2' };
    const pages = await walkV2({ get, path: `${SHIFTS}/${id}/events`, parameters, style });
    expect(pages.map(({ body }) => body.events.length)).toEqual([2, 2, 2, 2, 1]);
    const kinds = pages.flatMap(({ body }) =>
      body.cash_drawer_shift_events.map((event: { event_type: string }) => event.event_type),
    );
    expect(kinds).toEqual(EVENTS.map(([kind]) => kind));
  });

  it('returns pages of 200 by default and of 1000 at most, also within one instant (contract 8)', async () => {
    const { get, merchant } = await openShop();
    const shift = await makeShift(server, merchant, { at: second(0) });
    await server.database.sql`
      insert into cash_drawer_events (merchant_id, shift_id, event_id, employee_id, kind, amount, created_at)
      select ${merchant.id}, ${shift.id}, gen_random_uuid(), gen_random_uuid(), 'NO_SALE', 0, '2020-02-26T11:00:00Z'
      from generate_series(1, 1001)`;
    const path = `${SHIFTS}/${shift.id}/events`;
    const walk = async (parameters: Record<string, string>) => {
      const pages = await walkV2({ get, path, parameters });
      const ids = pages.flatMap(({ body }) => idsOf(body.events));
      expect(new Set(ids).size).toBe(1001);
      return pages.map(({ body }) => body.events.length);
    };
    expect(await walk({})).toEqual([200, 200, 200, 200, 200, 1]);
    expect(await walk({ limit: '1000' })).toEqual([1000, 1]);
    for (const [limit, code] of [
      ['-1', 'VALUE_TOO_LOW'],
      ['1001', 'VALUE_TOO_HIGH'],
      ['x', 'EXPECTED_INTEGER'],
    ]) {
      expect(refusal(await get(path, { limit: ensureDefined(limit) }))).toEqual([400, code, 'limit']);
    }
  });

  it('refuses the cursor of another shift (decision 0006)', async () => {
    const { get, merchant } = await openShop();
    const [one, two] = [
      await makeShift(server, merchant, { at: second(0), events: EVENTS }),
      await makeShift(server, merchant, { at: second(0), events: EVENTS }),
    ];
    const { cursor } = (await get(`${SHIFTS}/${one.id}/events`, { limit: '1' })).body;
    expect(refusal(await get(`${SHIFTS}/${two.id}/events`, { cursor }))).toEqual([400, 'INVALID_CURSOR', 'cursor']);
  });
});

describe.each(['', '/events'])('a shift by its id: /v2/cash-drawers/shifts/{shift_id}%s', (rest) => {
  it('is found without location_id and with its own, not with another (decision 0022)', async () => {
    const { get, open, place, otherPlace } = await openShop();
    const [id] = await open(second(0));
    const path = `${SHIFTS}/${id}${rest}`;
    expect((await get(path)).status).toBe(200);
    expect((await get(path, { location_id: '' })).status).toBe(200);
    expect((await get(path, { location_id: place })).status).toBe(200);
    for (const location_id of [otherPlace, 'LNOWHERE00000', 'me']) {
      const answer = await get(path, { location_id });
      expect([answer.status, answer.body.errors]).toEqual([
        404,
        [
          {
            category: 'INVALID_REQUEST_ERROR',
            code: 'NOT_FOUND',
            detail: `There is no cash drawer shift with the id ${id}.`,
          },
        ],
      ]);
    }
  });

  it('returns 404 if it does not exist or belongs to another merchant (decision 0015)', async () => {
    const { get } = await openShop();
    const foreign = await openShop();
    const [id] = await foreign.open(second(0));
    for (const missing of [UNKNOWN_ID, 'nothing', ensureDefined(id)]) {
      expect(refusal(await get(`${SHIFTS}/${missing}${rest}`))).toEqual([404, 'NOT_FOUND', undefined]);
      const query = { location_id: foreign.place };
      expect(refusal(await get(`${SHIFTS}/${missing}${rest}`, query))).toEqual([404, 'NOT_FOUND', undefined]);
    }
  });
});

describe('the v2 operations on cash drawers', () => {
  it('require CASH_DRAWER_READ, need no approval, are not deprecated, and echo the version (decision 0020)', async () => {
    const { merchant, open, place } = await openShop();
    const [id] = await open(second(0));
    await server.operator('PUT', `/api/sandbox/merchants/${merchant.id}/approval`, { approved: false });
    const reader = await server.createToken(merchant.id, ['CASH_DRAWER_READ']);
    const payments = await server.createToken(merchant.id, ['PAYMENTS_READ', 'TIMECARDS_READ']);
    for (const path of [`${SHIFTS}?location_id=${place}`, `${SHIFTS}/${id}`, `${SHIFTS}/${id}/events`]) {
      const answer = await server.call('GET', path, { token: reader });
      expect(answer.status).toBe(200);
      expect(answer.headers['square-version']).toBe('2020-02-26');
      for (const name of ['deprecation', 'sunset']) expect(answer.headers).not.toHaveProperty(name);
      const refused = await server.call('GET', path, { token: payments });
      expect(refusal(refused)).toEqual([403, 'INSUFFICIENT_SCOPES', undefined]);
    }
  });

  it('return the same shift as v1, in the format of v2', async () => {
    const { get, merchant, place } = await openShop();
    const { id } = await makeShift(server, merchant, { at: new Date().toISOString(), events: EVENTS, closed: 1 });
    const one = (await get(`/v1/${place}/cash-drawer-shifts/${id}`)).body;
    const two: WireShift & Record<string, unknown> = (await get(`${SHIFTS}/${id}`)).body.cash_drawer_shift;
    expect([one.id, one.event_type, one.device, one.employee_ids]).toEqual([
      two.id,
      two.state,
      two['device'],
      two['employee_ids'],
    ]);
    expect(one.starting_cash_money.amount).toBe(two.opened_cash_money.amount);
    expect(one.expected_cash_money.amount).toBe(two.expected_cash_money.amount);
    expect(one.opened_at).toBe(two.opened_at.replace(/\.\d{3}/, ''));
  });
});
