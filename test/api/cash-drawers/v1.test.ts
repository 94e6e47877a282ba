/** Cash drawer shifts: the two v1 operations, and the invariant of their sums, through real SQL. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount } from '../../../src/base/money.js';
import { instant } from '../../../src/base/time.js';
import { openShift, recordDrawerEvent } from '../../../src/business/cash-drawers/actions.js';
import type { ShiftEventKind } from '../../../src/business/cash-drawers/model.js';
import { changeClock } from '../../support/clock.js';
import { type DrawerEvent, drawerContext, insertShifts, makeShift } from '../../support/drawers.js';
import type { ApiResponse } from '../../support/http.js';
import { idsOf } from '../../support/lists.js';
import { repetitions } from '../../support/long.js';
import { ensureDefined, mainLocation } from '../../support/people.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('v1 cash drawer shifts', () => {
  const NOW = Date.parse('2020-06-01T12:00:00.500Z');
  const DAY_MS = 86_400_000;
  /** Days and milliseconds from the frozen time of the clocks in this file. */
  const day = (days: number, milliseconds = 0): string => new Date(NOW + days * DAY_MS + milliseconds).toISOString();

  interface Shop {
    readonly merchant: TestMerchant;
    readonly place: string;
    list(query?: Record<string, string>): Promise<ApiResponse>;
    get(path: string): Promise<ApiResponse>;
    /** Opens a shift at each time and returns the ids. */
    open(...times: string[]): Promise<string[]>;
  }

  async function openShop(): Promise<Shop> {
    const merchant = await server.createMerchant({
      locations: [{ name: 'One' }, { name: 'Two' }],
      clock: { now: day(0), frozen: true },
    });
    const place = mainLocation(merchant);
    const get = (path: string) => server.call('GET', path, { token: merchant.token });
    return {
      merchant,
      place,
      get,
      list: (query = {}) => get(`/v1/${place}/cash-drawer-shifts?${new URLSearchParams(query)}`),
      async open(...times) {
        const ids: string[] = [];
        for (const at of times) ids.push((await makeShift(server, merchant, { at })).id);
        return ids;
      },
    };
  }

  const refusal = ({ status, body }: ApiResponse) => [status, body.type, body.field];
  const invalidEnd = [400, 'bad_request.invalid_parameter', 'end_time'];

  /** All nine event types, with their v1 names and signs (contract 23). */
  const EVENTS: readonly (readonly [DrawerEvent, string, number])[] = [
    [['NO_SALE', 0], 'NO_SALE', 0],
    [['CASH_TENDER_PAYMENT', 5000], 'CASH_TENDER_PAYMENT', 5000],
    [['OTHER_TENDER_PAYMENT', 0], 'OTHER_TENDER_PAYMENT', 0],
    [['CASH_TENDER_CANCELLED_PAYMENT', 1200], 'CASH_TENDER_CANCELED_PAYMENT', -1200],
    [['OTHER_TENDER_CANCELLED_PAYMENT', 0], 'OTHER_TENDER_CANCELED_PAYMENT', 0],
    [['CASH_TENDER_REFUND', 700], 'CASH_TENDER_REFUND', -700],
    [['OTHER_TENDER_REFUND', 0], 'OTHER_TENDER_REFUND', 0],
    [['PAID_IN', 300, 'change from the bank'], 'PAID_IN', 300],
    [['PAID_OUT', 450], 'PAID_OUT', -450],
  ];

  describe('v1.listCashDrawerShifts', () => {
    it("returns the last 90 days by the merchant's clock, including the current instant (contract 4.1 rule 4)", async () => {
      const { list, open } = await openShop();
      const ids = await open(day(-90, -1), day(-90), day(-45), day(0), day(0, 1));
      expect(idsOf((await list()).body)).toEqual(ids.slice(1, 4));
      // DESC excludes its far end (decision 0007); the default end is inclusive in both orders (decision 0008).
      expect(idsOf((await list({ order: 'DESC' })).body)).toEqual([ids[3], ids[2]]);
    });

    it('moves its defaults with the clock', async () => {
      const { list, open, merchant } = await openShop();
      const ids = await open(day(-90), day(0), day(30));
      expect(idsOf((await list()).body)).toEqual(ids.slice(0, 2));
      await changeClock(server, merchant.id, { advance: 'P30D' });
      expect(idsOf((await list()).body)).toEqual(ids.slice(1));
      await changeClock(server, merchant.id, { frozen: false });
      expect(idsOf((await list()).body)).toEqual(ids.slice(1));
    });

    it.each([
      ['exactly 90 days', day(-100), day(-10)],
      ['zero length', day(-10), day(-10)],
      [
        '90 days across a daylight saving change, which does not affect UTC',
        '2020-02-01T00:00:00Z',
        '2020-05-01T00:00:00Z',
      ],
      ['90 days with another offset', '2020-02-01T00:00:00-08:00', '2020-05-01T08:00:00Z'],
    ])('accepts a range of %s', async (_what, begin_time, end_time) => {
      const { list } = await openShop();
      expect((await list({ begin_time, end_time })).status).toBe(200);
    });

    it.each([
      ['90 days and a millisecond', { begin_time: day(-100), end_time: day(-10, 1) }],
      ['a year', { begin_time: day(-365), end_time: day(0) }],
      ['more than 90 days up to now', { begin_time: day(-90, -1) }],
      ['an end before the begin', { begin_time: day(-10), end_time: day(-10, -1) }],
      ['an end in the future with the default begin', { end_time: day(0, 1) }],
      ['an end before the default begin', { end_time: day(-90, -1) }],
    ])('refuses %s, naming end_time (contract 7)', async (_what, query) => {
      const { list } = await openShop();
      for (const order of ['ASC', 'DESC']) expect(refusal(await list({ ...query, order }))).toEqual(invalidEnd);
    });

    it('accepts one end of the range and uses the default for the other', async () => {
      const { list, open } = await openShop();
      const ids = await open(day(-90), day(-30), day(-20), day(0));
      expect(idsOf((await list({ begin_time: day(-30) })).body)).toEqual(ids.slice(1));
      expect(idsOf((await list({ begin_time: day(-30, 1) })).body)).toEqual(ids.slice(2));
      expect(idsOf((await list({ end_time: day(-20) })).body)).toEqual(ids.slice(0, 2));
      expect(idsOf((await list({ end_time: day(0) })).body)).toEqual(ids.slice(0, 3));
      expect(idsOf((await list({ begin_time: day(0) })).body)).toEqual(ids.slice(3));
    });

    it('refuses a begin_time in the future with the default end, naming it (decision 0008)', async () => {
      const { list } = await openShop();
      const wrongBegin = [400, 'bad_request.invalid_parameter', 'begin_time'];
      for (const order of ['ASC', 'DESC']) {
        expect(refusal(await list({ begin_time: day(0, 1), order }))).toEqual(wrongBegin);
      }
    });

    it.each([
      ['ASC', [1, 2]],
      ['DESC', [3, 2]],
      ['', [1, 2]],
    ])('order %s includes the end at which the list starts (decision 0007)', async (order, expected) => {
      const { list, open } = await openShop();
      const ids = await open(day(-4), day(-3), day(-2), day(-1), day(0));
      const { body } = await list({ order, begin_time: day(-3), end_time: day(-1) });
      expect(idsOf(body)).toEqual(expected.map((index) => ids[index]));
    });

    it('includes the whole second for an end in whole seconds (decision 0090)', async () => {
      const { list, open } = await openShop();
      const [id] = await open(day(-1));
      const [{ opened_at: shown }] = (await list()).body;
      expect(idsOf((await list({ begin_time: shown })).body)).toEqual([id]);
      expect((await list({ end_time: shown })).body).toEqual([]);
      expect((await list({ begin_time: shown, order: 'DESC' })).body).toEqual([]);
      expect(idsOf((await list({ end_time: shown, order: 'DESC' })).body)).toEqual([id]);
      expect(idsOf((await list({ begin_time: day(-1, -1), order: 'DESC' })).body)).toEqual([id]);
    });

    it('orders shifts of one instant by id, in both directions', async () => {
      const { list, open } = await openShop();
      const ids = await open(day(-1), day(-1), day(-1), day(-2));
      const expected = [ids[3], ...ids.slice(0, 3).sort()];
      expect(idsOf((await list()).body)).toEqual(expected);
      expect(idsOf((await list({ order: 'DESC' })).body)).toEqual([...expected].reverse());
    });

    it.each([
      ['begin_time', 'yesterday'],
      ['end_time', '2020-02-30'],
      ['order', 'UP'],
    ])('refuses %s=%s, naming it', async (name, value) => {
      const { list } = await openShop();
      expect(refusal(await list({ [name]: value }))).toEqual([400, 'bad_request.invalid_parameter', name]);
    });

    it('returns only the shifts of the requested location, and none of another merchant', async () => {
      const { list, open, merchant, get } = await openShop();
      const other = ensureDefined(merchant.locationIds[1]);
      const ids = await open(day(-1));
      const elsewhere = await makeShift(server, merchant, { at: day(-1), locationId: other });
      await (await openShop()).open(day(-1));
      expect(idsOf((await list()).body)).toEqual(ids);
      expect(idsOf((await get(`/v1/${other}/cash-drawer-shifts`)).body)).toEqual([elsewhere.id]);
    });

    it('has no pages: returns every shift of the range at once, without a Link (contract 13.1)', async () => {
      const { list, merchant } = await openShop();
      await insertShifts(server, merchant, { count: 450, from: day(-1) });
      const answer = await list({ limit: '2' });
      expect([answer.status, answer.body.length, answer.headers['link']]).toEqual([200, 450, undefined]);
    });

    it('returns shifts without events, otherwise as the single retrieval does', async () => {
      const { list, get, merchant, place } = await openShop();
      const events = EVENTS.map(([event]) => event);
      const { id } = await makeShift(server, merchant, { at: day(-1), events, closed: 12_900 });
      const single = (await get(`/v1/${place}/cash-drawer-shifts/${id}`)).body;
      const { events: shown, ...rest } = single;
      expect(shown).toHaveLength(9);
      expect((await list()).body).toEqual([rest]);
    });
  });

  describe('v1.retrieveCashDrawerShift', () => {
    it('returns an open shift, with both names of its state and created_at (decision 0016)', async () => {
      const { get, merchant, place } = await openShop();
      const employeeId = '0190a0a0-0000-7000-8000-000000000001';
      const shift = await makeShift(server, merchant, { at: '2020-05-31T08:30:00.999Z', employeeId, opened: 10_050 });
      const answer = await get(`/v1/${place}/cash-drawer-shifts/${shift.id}`);
      expect(answer.status).toBe(200);
      const usd = (value: number) => ({ amount: value, currency_code: 'USD' });
      expect(answer.body).toEqual({
        id: shift.id,
        event_type: 'OPEN',
        cash_drawer_state: 'OPEN',
        created_at: '2020-05-31T08:30:00Z',
        opened_at: '2020-05-31T08:30:00Z',
        employee_ids: [employeeId],
        opening_employee_id: employeeId,
        starting_cash_money: usd(10_050),
        cash_payment_money: usd(0),
        cash_refunds_money: usd(0),
        cash_paid_in_money: usd(0),
        cash_paid_out_money: usd(0),
        expected_cash_money: usd(10_050),
        device: { id: shift.device.id, name: 'Till 1' },
        events: [],
      });
    });

    it('returns events and sums with their signs (contract 23)', async () => {
      const { get, merchant, place } = await openShop();
      const events = EVENTS.map(([event]) => event);
      const plan = { at: day(-1), events, description: 'Front till', currency: 'EUR', closed: 12_900 };
      const shift = await makeShift(server, merchant, plan);
      const { body } = await get(`/v1/${place}/cash-drawer-shifts/${shift.id}`);
      const eur = (value: number) => ({ amount: value, currency_code: 'EUR' });
      expect(body).toMatchObject({
        event_type: 'CLOSED',
        cash_drawer_state: 'CLOSED',
        description: 'Front till',
        opened_at: '2020-05-31T12:00:00Z',
        ended_at: '2020-05-31T12:00:10Z',
        closed_at: '2020-05-31T12:00:11Z',
        opening_employee_id: shift.openingEmployeeId,
        ending_employee_id: shift.openingEmployeeId,
        closing_employee_id: shift.openingEmployeeId,
        employee_ids: [shift.openingEmployeeId],
        starting_cash_money: eur(10_000),
        cash_payment_money: eur(3800),
        cash_refunds_money: eur(-700),
        cash_paid_in_money: eur(300),
        cash_paid_out_money: eur(-450),
        expected_cash_money: eur(12_950),
        closed_cash_money: eur(12_900),
      });
      expect(body.events).toEqual(
        EVENTS.map(([[, , description], event_type, value], index) => ({
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          employee_id: shift.openingEmployeeId,
          event_type,
          event_money: eur(value),
          created_at: `2020-05-31T12:00:0${index + 1}Z`,
          ...(description !== undefined && { description }),
        })),
      );
    });

    it('returns an ended shift without the fields of a closed one, and negative expected cash', async () => {
      const { get, merchant, place } = await openShop();
      const shift = await makeShift(server, merchant, {
        at: day(-1),
        opened: 0,
        events: [['PAID_OUT', 5]],
        ended: true,
      });
      const { body } = await get(`/v1/${place}/cash-drawer-shifts/${shift.id}`);
      expect(body).toMatchObject({ cash_drawer_state: 'ENDED', ended_at: '2020-05-31T12:00:02Z' });
      expect(body.expected_cash_money.amount).toBe(-5);
      for (const name of ['closed_at', 'closing_employee_id', 'closed_cash_money'])
        expect(body).not.toHaveProperty(name);
    });

    it('returns 404 for a shift of another location or merchant, and for an unknown id (decision 0015)', async () => {
      const { get, merchant, open, place } = await openShop();
      const [id] = await open(day(-1));
      const stranger = await openShop();
      const [foreign] = await stranger.open(day(-1));
      const paths = [
        [ensureDefined(merchant.locationIds[1]), ensureDefined(id)],
        [place, ensureDefined(foreign)],
        [stranger.place, ensureDefined(foreign)],
        [place, '0190a0a0-0000-7000-8000-000000000000'],
        [place, 'nothing'],
        ['LNOWHERE00000', ensureDefined(id)],
      ];
      for (const [location, shift] of paths) {
        const answer = await get(`/v1/${location}/cash-drawer-shifts/${shift}`);
        expect([answer.status, answer.body]).toEqual([
          404,
          { type: 'not_found', message: `There is no cash drawer shift with the id ${shift}.` },
        ]);
      }
      expect((await get(`/v1/${place}/cash-drawer-shifts/${id}`)).status).toBe(200);
    });
  });

  describe('the v1 operations on cash drawers', () => {
    it.each(['', '/SHIFT'])(
      'return 404 for me and for locations of other merchants (decision 0018): cash-drawer-shifts%s',
      async (rest) => {
        const { get, open } = await openShop();
        const [id] = await open(day(-1));
        const foreign = (await openShop()).place;
        for (const location of ['me', foreign, 'LNOWHERE00000']) {
          const answer = await get(`/v1/${location}/cash-drawer-shifts${rest.replace('SHIFT', ensureDefined(id))}`);
          expect([answer.status, answer.body.type]).toEqual([404, 'not_found']);
        }
      },
    );

    const DEPRECATED = { deprecation: '@1582675200', sunset: 'Fri, 26 Feb 2021 00:00:00 GMT' };

    it.each(['', '/SHIFT'])(
      'send the deprecation headers on success and refusal: cash-drawer-shifts%s (contract 9, decision 0017)',
      async (rest) => {
        const { get, open, merchant, place } = await openShop();
        const path = `/v1/${place}/cash-drawer-shifts${rest.replace('SHIFT', ensureDefined((await open(day(-1)))[0]))}`;
        const weak = await server.createToken(merchant.id, ['ORDERS_READ']);
        const answers = [
          await get(path),
          await get(path.replace(place, 'me')),
          await server.call('GET', path),
          await server.call('GET', path, { token: weak }),
        ];
        expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 403]);
        for (const { headers } of answers) expect(headers).toMatchObject(DEPRECATED);
      },
    );

    it('return 410 if retired operations are switched off (decision 0017)', async () => {
      const { open, merchant, place } = await openShop();
      const [id] = await open(day(-1));
      const retiredServer = await startTestServer({ databaseUrl: server.databaseUrl, config: { retired: 'gone' } });
      try {
        for (const rest of ['', `/${id}`]) {
          const answer = await retiredServer.call('GET', `/v1/${place}/cash-drawer-shifts${rest}`, {
            token: merchant.token,
          });
          expect([answer.status, answer.body.type]).toEqual([410, 'gone']);
          expect(answer.headers).toMatchObject(DEPRECATED);
        }
      } finally {
        await retiredServer.stop();
      }
    });

    it('require PAYMENTS_READ; the single retrieval also accepts TIMECARDS_READ (contract 11.6)', async () => {
      const { open, merchant, place } = await openShop();
      const [id] = await open(day(-1));
      const statuses = async (permission: string) => {
        const token = await server.createToken(merchant.id, [permission]);
        const ask = async (rest: string) =>
          (await server.call('GET', `/v1/${place}/cash-drawer-shifts${rest}`, { token })).status;
        return [await ask(''), await ask(`/${id}`)];
      };
      expect(await statuses('PAYMENTS_READ')).toEqual([200, 200]);
      expect(await statuses('TIMECARDS_READ')).toEqual([403, 200]);
      expect(await statuses('CASH_DRAWER_READ')).toEqual([403, 403]);
    });

    it('require no approval (decision 0020)', async () => {
      const { list, get, open, merchant, place } = await openShop();
      const [id] = await open(day(-1));
      await server.operator('PUT', `/api/sandbox/merchants/${merchant.id}/approval`, { approved: false });
      expect((await list()).status).toBe(200);
      expect((await get(`/v1/${place}/cash-drawer-shifts/${id}`)).status).toBe(200);
    });
  });
});

describe('the cash of a drawer', () => {
  let merchant: TestMerchant;

  beforeAll(async () => {
    merchant = await server.createMerchant();
  });

  /** Whether cash comes in (+1), goes out (-1), or stays (contract 23). */
  const DIRECTIONS: Record<ShiftEventKind, -1 | 0 | 1> = {
    NO_SALE: 0,
    CASH_TENDER_PAYMENT: 1,
    OTHER_TENDER_PAYMENT: 0,
    CASH_TENDER_CANCELLED_PAYMENT: -1,
    OTHER_TENDER_CANCELLED_PAYMENT: 0,
    CASH_TENDER_REFUND: -1,
    OTHER_TENDER_REFUND: 0,
    PAID_IN: 1,
    PAID_OUT: -1,
  };

  const kinds = Object.keys(DIRECTIONS) as ShiftEventKind[];
  type Event = readonly [ShiftEventKind, number];

  const event = fc
    .tuple(fc.constantFrom(...kinds), fc.integer({ min: 0, max: 99_999_999_999 }))
    .map(([kind, value]): Event => [kind, DIRECTIONS[kind] === 0 ? 0 : value]);

  /** A drawer cancels only cash that it has taken (decision 0058). */
  function possible(events: readonly Event[]): Event[] {
    let paid = 0;
    return events.filter(([kind, value]) => {
      const change = kind === 'CASH_TENDER_PAYMENT' ? value : kind === 'CASH_TENDER_CANCELLED_PAYMENT' ? -value : 0;
      if (paid + change < 0) return false;
      paid += change;
      return true;
    });
  }

  const total = (events: readonly Event[], ...of: ShiftEventKind[]): number =>
    events.reduce((sum, [kind, value]) => sum + (of.includes(kind) ? value : 0), 0);

  interface ShownEvent {
    readonly event_type: string;
    readonly event_money: { readonly amount: number };
  }

  const sumOf = (events: readonly ShownEvent[], of: (kind: string) => number): number =>
    events.reduce((sum, { event_type, event_money }) => sum + event_money.amount * of(event_type), 0);

  const get = async (path: string) => (await server.call('GET', path, { token: merchant.token })).body;

  describe('expected cash in the database', () => {
    const RUNS = repetitions({ usual: 12, long: 25 });

    it('equals the total of the events after each event, in the row, in v1 and in v2 (contract 23)', async () => {
      const opened = fc.integer({ min: 0, max: 99_999_999_999 });
      await fc.assert(
        fc.asyncProperty(
          opened,
          fc.array(event, { minLength: 1, maxLength: 20 }).map(possible),
          async (openedCash, events) => {
            const now = Date.now();
            const act = drawerContext(merchant, {}, instant(now));
            const description = null;
            const { id } = await server.database.change(merchant.id, async (change) =>
              openShift(change, act, { openedCash: amount(openedCash), description }),
            );
            for (const [index, [kind, value]] of events.entries()) {
              const event = { shiftId: id, kind, amount: amount(value), description };
              const shift = await server.database.change(merchant.id, (change) =>
                recordDrawerEvent(change, act, event),
              );
              const soFar = events.slice(0, index + 1);
              expect(shift).toMatchObject({
                cashPayments: total(soFar, 'CASH_TENDER_PAYMENT') - total(soFar, 'CASH_TENDER_CANCELLED_PAYMENT'),
                cashRefunds: total(soFar, 'CASH_TENDER_REFUND'),
                cashPaidIn: total(soFar, 'PAID_IN'),
                cashPaidOut: total(soFar, 'PAID_OUT'),
                expectedCash: openedCash + soFar.reduce((sum, [each, cash]) => sum + cash * DIRECTIONS[each], 0),
              });
            }

            const one = await get(`/v1/${mainLocation(merchant)}/cash-drawer-shifts/${id}`);
            expect(one.events.map((each: ShownEvent) => each.event_type)).toEqual(
              events.map(([kind]) => kind.replace('CANCELLED', 'CANCELED')),
            );
            // v1: all amounts are signed, so add them.
            expect(one.expected_cash_money.amount).toBe(openedCash + sumOf(one.events, () => 1));
            expect(one.expected_cash_money.amount).toBe(
              [
                one.starting_cash_money,
                one.cash_payment_money,
                one.cash_refunds_money,
                one.cash_paid_in_money,
                one.cash_paid_out_money,
              ].reduce((sum, money) => sum + money.amount, 0),
            );

            // v2: amounts of events are not signed, their type gives the direction. Sums of what leaves are (decision 0240).
            const two = (await get(`/v2/cash-drawers/shifts/${id}`)).cash_drawer_shift;
            const shown: ShownEvent[] = (await get(`/v2/cash-drawers/shifts/${id}/events`)).events;
            expect(shown.map(({ event_type, event_money }) => [event_type, event_money.amount])).toEqual(events);
            expect(two.expected_cash_money.amount).toBe(
              openedCash + sumOf(shown, (kind) => DIRECTIONS[kind as ShiftEventKind]),
            );
            expect(two.expected_cash_money.amount).toBe(
              two.opened_cash_money.amount +
                two.cash_payment_money.amount +
                two.cash_refunds_money.amount +
                two.cash_paid_in_money.amount +
                two.cash_paid_out_money.amount,
            );
          },
        ),
        { seed: 20_200_226, numRuns: RUNS },
      );
    });

    it('cannot be written directly: the database generates the column from the sums', async () => {
      const { sql } = server.database;
      await expect(
        sql`update cash_drawer_shifts set expected_cash = 1 where merchant_id = ${merchant.id}`,
      ).rejects.toThrow(/can only be updated to DEFAULT/);
      const [row] = await sql<{ wrong: number; shifts: number }[]>`
      select
        count(*) filter (where s.expected_cash <> s.opened_cash + coalesce(e.moved, 0))::int as wrong,
        count(*)::int as shifts
      from cash_drawer_shifts s
      left join lateral (
        select sum(case
          when kind in ('CASH_TENDER_PAYMENT', 'PAID_IN') then amount
          when kind in ('CASH_TENDER_CANCELLED_PAYMENT', 'CASH_TENDER_REFUND', 'PAID_OUT') then -amount
          else 0
        end) as moved
        from cash_drawer_events
        where merchant_id = s.merchant_id and shift_id = s.shift_id
      ) e on true
      where s.merchant_id = ${merchant.id}`;
      expect(row).toEqual({ wrong: 0, shifts: expect.any(Number) });
      expect(row?.shifts).toBeGreaterThanOrEqual(RUNS);
    });
  });
});
