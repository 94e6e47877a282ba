/** Both published clients against a listening server: the five operations on cash drawers. */
import { type Square, SquareClient, SquareError } from 'square';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Shift } from '../../src/business/cash-drawers/model.js';
import { type DrawerEvent, makeShift } from '../support/drawers.js';
import { ensureDefined, mainLocation } from '../support/people.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { connectFor, fieldsOf, plain, refusalOf } from './connect.js';

let server: TestServer;
let merchant: TestMerchant;
/** A closed shift with a description and an event of each kind, so that every field has a value. */
let full: Shift;
let bare: Shift;

const EVENTS: readonly DrawerEvent[] = [
  ['NO_SALE', 0, 'looked inside'],
  ['CASH_TENDER_PAYMENT', 5000, 'lunch'],
  ['OTHER_TENDER_PAYMENT', 0, 'by card'],
  ['CASH_TENDER_CANCELLED_PAYMENT', 1200, 'no lunch'],
  ['OTHER_TENDER_CANCELLED_PAYMENT', 0, 'no card'],
  ['CASH_TENDER_REFUND', 700, 'cold soup'],
  ['OTHER_TENDER_REFUND', 0, 'cold soup'],
  ['PAID_IN', 300, 'change'],
  ['PAID_OUT', 450, 'window cleaner'],
];

beforeAll(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {}); // one client warns of each v1 call that it is deprecated
  server = await startTestServer();
  merchant = await server.createMerchant({ clock: { now: '2020-02-26T20:00:00Z', frozen: true } });
  const plan = { at: '2020-02-26T10:00:00.123Z', events: EVENTS, description: 'Front till', closed: 12_900 };
  full = await makeShift(server, merchant, plan);
  bare = await makeShift(server, merchant, { at: '2020-02-26T19:00:00Z' });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await server.stop();
});

const place = () => mainLocation(merchant);
const connect = () => connectFor(server.baseUrl, merchant.token);
const v1Money = (amount: number) => ({ amount, currency_code: 'USD' });
const money = (amount: number) => ({ amount, currency: 'USD' });

describe('square-connect, V1EmployeesApi', () => {
  it('retrieves a shift with every field of the model, and every kind of event with every field of its own', async () => {
    const shift = await connect().labor.retrieveCashDrawerShift(place(), full.id);
    expect(Object.keys(shift).sort()).toEqual(fieldsOf('V1CashDrawerShift'));
    const { events, device, ...rest } = plain(shift) as { events: object[]; device: object } & Record<string, unknown>;
    const who = full.openingEmployeeId;
    expect(rest).toEqual({
      id: full.id,
      event_type: 'CLOSED',
      opened_at: '2020-02-26T10:00:00Z',
      ended_at: '2020-02-26T10:00:10Z',
      closed_at: '2020-02-26T10:00:11Z',
      employee_ids: [who],
      opening_employee_id: who,
      ending_employee_id: who,
      closing_employee_id: who,
      description: 'Front till',
      starting_cash_money: v1Money(10_000),
      cash_payment_money: v1Money(3800),
      cash_refunds_money: v1Money(-700),
      cash_paid_in_money: v1Money(300),
      cash_paid_out_money: v1Money(-450),
      expected_cash_money: v1Money(12_950),
      closed_cash_money: v1Money(12_900),
    });
    expect(device).toEqual({ id: full.device.id, name: 'Till 1' });
    expect(Object.keys(device).sort()).toEqual(fieldsOf('Device'));
    for (const event of events) expect(Object.keys(event).sort()).toEqual(fieldsOf('V1CashDrawerEvent'));
    const signs: Record<string, number> = { CASH_TENDER_CANCELED_PAYMENT: -1, CASH_TENDER_REFUND: -1, PAID_OUT: -1 };
    expect(events).toEqual(
      EVENTS.map(([kind, value, description], index) => {
        const event_type = kind.replace('CANCELLED', 'CANCELED');
        return {
          id: expect.any(String),
          employee_id: who,
          event_type,
          event_money: v1Money(value * (signs[event_type] ?? 1)),
          created_at: `2020-02-26T10:00:0${index + 1}Z`,
          description,
        };
      }),
    );
  });

  it('lists shifts without events, by order and range, with dates as the client writes them', async () => {
    const { labor } = connect();
    const list = async (options = {}) => (await labor.listCashDrawerShifts(place(), options)).map(({ id }) => id);
    expect(await list()).toEqual([full.id, bare.id]);
    expect(await list({ order: 'DESC' })).toEqual([bare.id, full.id]);
    expect(await list({ beginTime: new Date('2020-02-26T19:00:00Z') })).toEqual([bare.id]);
    expect(await list({ endTime: '2020-02-26T19:00:00Z' })).toEqual([full.id]);
    const [first] = await labor.listCashDrawerShifts(place());
    expect(Object.keys(ensureDefined(first)).sort()).toEqual(
      fieldsOf('V1CashDrawerShift').filter((name) => name !== 'events'),
    );
    const { response } = await labor.listCashDrawerShiftsWithHttpInfo(place());
    expect(response.headers).toMatchObject({ deprecation: '@1582675200' });
  });

  it('is refused for a range of more than 90 days, and for an unknown shift', async () => {
    const { labor } = connect();
    const range = { beginTime: '2019-11-01', endTime: '2020-02-26' };
    expect(await refusalOf(labor.listCashDrawerShifts(place(), range))).toEqual({
      status: 400,
      body: { type: 'bad_request.invalid_parameter', message: expect.stringContaining('90 days'), field: 'end_time' },
    });
    expect(await refusalOf(labor.retrieveCashDrawerShift('me', full.id))).toMatchObject({ status: 404 });
  });
});

describe('square-connect, CashDrawersApi', () => {
  it('retrieves a shift with every field of the model', async () => {
    const { cash_drawer_shift: shift } = await connect().drawers.retrieveCashDrawerShift(place(), full.id);
    expect(Object.keys(shift).sort()).toEqual(fieldsOf('CashDrawerShift'));
    expect(plain(shift)).toMatchObject({
      id: full.id,
      state: 'CLOSED',
      opened_at: '2020-02-26T10:00:00.123Z',
      employee_ids: [full.openingEmployeeId],
      cash_refunds_money: money(-700),
      cash_paid_out_money: money(-450),
      expected_cash_money: money(12_950),
      device: { id: full.device.id, name: 'Till 1' },
    });
  });

  it('lists summaries with every field of the model, by order, range and cursor', async () => {
    const { drawers } = connect();
    const all = await drawers.listCashDrawerShifts(place());
    expect(Object.keys(ensureDefined(all.items[0])).sort()).toEqual(fieldsOf('CashDrawerShiftSummary'));
    expect(all.items.map(({ id }) => id)).toEqual([full.id, bare.id]);
    expect(all.cursor).toBeUndefined();
    const options = {
      sortOrder: 'DESC',
      beginTime: '2020-02-26T10:00:00.123Z',
      endTime: '2020-02-26T19:00:01Z',
      limit: 1,
    };
    const first = await drawers.listCashDrawerShifts(place(), options);
    const second = await drawers.listCashDrawerShifts(place(), { ...options, cursor: ensureDefined(first.cursor) });
    expect([first, second].map(({ items }) => items.map(({ id }) => id))).toEqual([[bare.id], [full.id]]);
  });

  it('lists events with every field of the model, page by page', async () => {
    const { drawers } = connect();
    const first = await drawers.listCashDrawerShiftEvents(place(), full.id, { limit: 5 });
    const second = await drawers.listCashDrawerShiftEvents(place(), full.id, {
      limit: 5,
      cursor: ensureDefined(first.cursor),
    });
    expect(second.cursor).toBeUndefined();
    const events = [...first.events, ...second.events];
    for (const event of events) expect(Object.keys(event).sort()).toEqual(fieldsOf('CashDrawerShiftEvent'));
    expect(events.map(({ event_type, event_money, description }) => [event_type, event_money, description])).toEqual(
      EVENTS.map(([kind, value, description]) => [kind, money(value), description]),
    );
    expect((await drawers.listCashDrawerShiftEvents(place(), bare.id)).events).toBeUndefined();
  });

  it('is refused with a list of errors', async () => {
    const { drawers } = connect();
    expect(await refusalOf(drawers.listCashDrawerShifts('LNOWHERE00000'))).toMatchObject({
      status: 404,
      body: { errors: [{ category: 'INVALID_REQUEST_ERROR', code: 'NOT_FOUND', field: 'location_id' }] },
    });
    expect(await refusalOf(drawers.retrieveCashDrawerShift('LNOWHERE00000', full.id))).toMatchObject({ status: 404 });
  });
});

/** For each field of the current models: whether we send it. The compiler checks that none is missing. */
type Origin = 'sent' | 'left out';

const SUMMARY: Record<keyof Square.CashDrawerShiftSummary, Origin> = {
  id: 'sent',
  state: 'sent',
  openedAt: 'sent',
  endedAt: 'sent',
  closedAt: 'sent',
  description: 'sent',
  openedCashMoney: 'sent',
  expectedCashMoney: 'sent',
  closedCashMoney: 'sent',
  createdAt: 'left out',
  updatedAt: 'left out',
  locationId: 'sent',
};

const SHIFT: Record<keyof Square.CashDrawerShift, Origin> = {
  ...SUMMARY,
  cashPaymentMoney: 'sent',
  cashRefundsMoney: 'sent',
  cashPaidInMoney: 'sent',
  cashPaidOutMoney: 'sent',
  device: 'sent',
  teamMemberIds: 'sent',
  openingTeamMemberId: 'sent',
  endingTeamMemberId: 'sent',
  closingTeamMemberId: 'sent',
};

const EVENT: Record<keyof Square.CashDrawerShiftEvent, Origin> = {
  id: 'sent',
  eventType: 'sent',
  eventMoney: 'sent',
  createdAt: 'sent',
  description: 'sent',
  teamMemberId: 'sent',
};

/** What the client converted to its own names. Unknown fields keep the name of the wire. */
function expectFields(value: object | undefined, fields: Record<string, Origin>, unknown: readonly string[]): void {
  const known = Object.keys(fields).filter((name) => fields[name] === 'sent');
  expect(Object.keys(value ?? {}).sort()).toEqual([...known, ...unknown].sort());
}

describe('square 46, client.cashDrawers.shifts', () => {
  const shifts = () =>
    new SquareClient({ baseUrl: server.baseUrl, token: merchant.token, maxRetries: 0 }).cashDrawers.shifts;

  async function errorOf(call: PromiseLike<unknown>): Promise<SquareError> {
    try {
      await call;
    } catch (error) {
      if (error instanceof SquareError) return error;
      throw error;
    }
    throw new Error('the call was not refused');
  }

  it('gets a shift with the fields of the model; amounts are bigint', async () => {
    const { cashDrawerShift: shift } = await shifts().get({ shiftId: full.id, locationId: place() });
    expectFields(shift, SHIFT, ['employee_ids', 'opening_employee_id', 'ending_employee_id', 'closing_employee_id']);
    expect(shift).toMatchObject({
      id: full.id,
      state: 'CLOSED',
      openedAt: '2020-02-26T10:00:00.123Z',
      endedAt: '2020-02-26T10:00:10.123Z',
      closedAt: '2020-02-26T10:00:11.123Z',
      description: 'Front till',
      locationId: place(),
      openedCashMoney: { amount: 10_000n, currency: 'USD' },
      cashPaymentMoney: { amount: 3800n, currency: 'USD' },
      cashRefundsMoney: { amount: -700n, currency: 'USD' },
      cashPaidInMoney: { amount: 300n, currency: 'USD' },
      cashPaidOutMoney: { amount: -450n, currency: 'USD' },
      expectedCashMoney: { amount: 12_950n, currency: 'USD' },
      closedCashMoney: { amount: 12_900n, currency: 'USD' },
      device: { id: full.device.id, name: 'Till 1' },
    });
  });

  it('lists summaries with its own iterator, under the key it reads, by order and range', async () => {
    const page = await shifts().list({ locationId: place(), limit: 1 });
    expectFields(page.data[0], SUMMARY, []);
    expect(page.response.cashDrawerShifts).toHaveLength(1);
    const ids = async (request: Partial<Square.cashDrawers.ListShiftsRequest>) => {
      const seen: unknown[] = [];
      for await (const { id } of await shifts().list({ locationId: place(), limit: 1, ...request })) seen.push(id);
      return seen;
    };
    expect(await ids({})).toEqual([full.id, bare.id]);
    expect(await ids({ sortOrder: 'DESC' })).toEqual([bare.id, full.id]);
    expect(await ids({ beginTime: '2020-02-26T19:00:00Z' })).toEqual([bare.id]);
    expect(await ids({ endTime: '2020-02-26T19:00:00Z' })).toEqual([full.id]);
  });

  it('lists events with its own iterator, under the key it reads', async () => {
    const seen: Square.CashDrawerShiftEvent[] = [];
    const request = () => ({ shiftId: full.id, locationId: place() }); // the client writes the cursor into it
    for await (const event of await shifts().listEvents({ ...request(), limit: 2 })) seen.push(event);
    for (const event of seen) expectFields(event, EVENT, ['employee_id']);
    expect(seen.map(({ eventType, eventMoney, description }) => [eventType, eventMoney, description])).toEqual(
      EVENTS.map(([kind, value, description]) => [kind, { amount: BigInt(value), currency: 'USD' }, description]),
    );
    const page = await shifts().listEvents({ ...request(), limit: 4 });
    const sizes = [page.data.length];
    while (page.hasNextPage()) sizes.push((await page.getNextPage()).data.length);
    expect(sizes).toEqual([4, 4, 1]);
  });

  it('is refused with SquareError, which has the status and the errors', async () => {
    const unknown = await errorOf(shifts().list({ locationId: 'LNOWHERE00000' }));
    expect(unknown.statusCode).toBe(404);
    expect(unknown.errors).toMatchObject([{ code: 'NOT_FOUND', field: 'location_id' }]);
    const missing = await errorOf(shifts().get({ shiftId: 'nothing', locationId: place() }));
    expect([missing.statusCode, missing.errors[0]?.code]).toEqual([404, 'NOT_FOUND']);
    const much = await errorOf(shifts().list({ locationId: place(), limit: 1001 }));
    expect([much.statusCode, much.errors[0]?.code, much.errors[0]?.field]).toEqual([400, 'VALUE_TOO_HIGH', 'limit']);
  });
});
