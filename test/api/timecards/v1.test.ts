/** The v1 operations on single timecards: clock-in, import, clock-out, edit, delete, and their events. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import { createEmployee, type V1Employee } from '../../support/employees.js';
import type { ApiResponse } from '../../support/http.js';
import { ensureDefined, mainLocation } from '../../support/people.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const CARDS = '/v1/me/timecards';
const UNKNOWN_ID = '0190a0a0-0000-7000-8000-000000000000';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Seconds after 2020-02-26T10:00:00Z. */
const second = (count: number): string => new Date(1_582_711_200_000 + count * 1000).toISOString().replace('.000', '');
const hour = (count: number): string => second(count * 3600);

interface Shop {
  readonly merchant: TestMerchant;
  readonly employee: V1Employee;
  /** The first location is the main one. */
  readonly places: readonly [string, string];
  call(method: string, path: string, body?: unknown): Promise<ApiResponse>;
  create(body?: Record<string, unknown>): Promise<ApiResponse>;
  events(cardId: string): Promise<{ event_type: string; clockin_time: string; clockout_time?: string }[]>;
  clock(now: string): Promise<unknown>;
}

/** A merchant with two locations and one employee. Its clock is frozen at 10:00:00.789. */
async function openShop(
  employeeBody: (places: readonly string[]) => Record<string, unknown> = () => ({}),
): Promise<Shop> {
  const merchant = await server.createMerchant({
    locations: [{ name: 'One' }, { name: 'Two' }],
    clock: { now: '2020-02-26T10:00:00.789Z', frozen: true },
  });
  const places = [mainLocation(merchant), ensureDefined(merchant.locationIds[1])] as const;
  const employee = await createEmployee(server, merchant, employeeBody(places));
  const call = (method: string, path: string, body?: unknown) =>
    server.call(method, path, { token: merchant.token, body });
  return {
    merchant,
    employee,
    places,
    call,
    create: (body = {}) => call('POST', CARDS, { employee_id: employee.id, ...body }),
    events: async (cardId) => (await call('GET', `${CARDS}/${cardId}/events`)).body,
    clock: (now) => changeClock(server, merchant.id, { now }),
  };
}

const refusal = ({ status, body }: ApiResponse) => [status, body.type, body.field];
const invalid = (field: string) => [400, 'bad_request.invalid_parameter', field];

describe('v1.createTimecard', () => {
  it('clocks the employee in at the current time, in whole seconds (contract 3, decision 0010)', async () => {
    const { create, employee } = await openShop();
    const answer = await create();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      employee_id: employee.id,
      deleted: false,
      clockin_time: '2020-02-26T10:00:00Z',
      created_at: '2020-02-26T10:00:00Z',
      updated_at: '2020-02-26T10:00:00Z',
      regular_seconds_worked: 0,
      overtime_seconds_worked: 0,
      doubletime_seconds_worked: 0,
    });
  });

  it.each([
    ['2020-02-26T07:30:00Z', '2020-02-26T07:30:00Z'],
    ['2020-02-26T07:30:00.999Z', '2020-02-26T07:30:00Z'],
    ['2020-02-25T23:30:00-08:00', '2020-02-26T07:30:00Z'],
    ['2020-02-26T07:30', '2020-02-26T07:30:00Z'],
    ['2020-02-26', '2020-02-26T00:00:00Z'],
  ])('clocks in at the given time %s', async (clockin_time, shown) => {
    const { create } = await openShop();
    const { status, body } = await create({ clockin_time });
    expect([status, body.clockin_time, body.created_at]).toEqual([200, shown, '2020-02-26T10:00:00Z']);
    expect(body).not.toHaveProperty('clockout_time');
  });

  it('stores the clock-in location', async () => {
    const { create, places } = await openShop();
    const { body } = await create({ clockin_location_id: places[1] });
    expect(body.clockin_location_id).toBe(places[1]);
    expect(body).not.toHaveProperty('clockout_location_id');
  });

  it('accepts a clock-in in the future, and a shift of no length (decision 0021)', async () => {
    const { create, call } = await openShop();
    const planned = await create({ clockin_time: hour(24) });
    expect([planned.status, planned.body.clockin_time]).toEqual([200, hour(24)]);
    const ended = await call('PUT', `${CARDS}/${planned.body.id}`, { clockout_time: hour(24) });
    expect([ended.status, ended.body.regular_seconds_worked]).toEqual([200, 0]);
  });

  it('imports a past shift and counts every second as regular time (contract 3, decision 0021)', async () => {
    const { create, places, events } = await openShop();
    const { status, body } = await create({
      clockin_time: hour(-9),
      clockout_time: second(-3600 + 7),
      clockin_location_id: places[0],
      clockout_location_id: places[1],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      clockin_time: hour(-9),
      clockout_time: second(-3600 + 7),
      clockin_location_id: places[0],
      clockout_location_id: places[1],
      regular_seconds_worked: 8 * 3600 + 7,
      overtime_seconds_worked: 0,
      doubletime_seconds_worked: 0,
    });
    expect(await events(body.id)).toMatchObject([{ event_type: 'API_CREATE', clockout_time: second(-3600 + 7) }]);
  });

  it('imports a past shift while the employee is clocked in, and allows a clock-in after an import (decision 0021)', async () => {
    const { create } = await openShop();
    const past = { clockin_time: hour(-9), clockout_time: hour(-1) };
    const statuses = [await create(past), await create(), await create(past), await create(past)];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('refuses clockout_time without clockin_time, naming clockin_time (decision 0021)', async () => {
    const { create, call } = await openShop();
    const answer = await create({ clockout_time: hour(-1) });
    expect(refusal(answer)).toEqual([400, 'bad_request.missing_parameter', 'clockin_time']);
    expect((await call('GET', CARDS)).body).toEqual([]);
  });

  it('refuses to clock in an employee who is already clocked in, with 422 (contract 3, decision 0003)', async () => {
    const { create, call } = await openShop();
    const first = await create();
    for (const body of [{}, { clockin_time: hour(-100) }]) {
      expect(refusal(await create(body))).toEqual([422, 'unprocessable_entity', 'employee_id']);
    }
    expect((await call('GET', CARDS)).body).toEqual([first.body]);
  });

  it('clocks in again after a clock-out, and after the open card was deleted (decision 0021)', async () => {
    const { create, call, clock } = await openShop();
    const first = await create();
    await clock(hour(1));
    expect((await call('PUT', `${CARDS}/${first.body.id}`, { clockout_time: hour(1) })).status).toBe(200);
    const again = await create();
    expect(again.status).toBe(200);
    expect((await create()).status).toBe(422);
    expect((await call('DELETE', `${CARDS}/${again.body.id}`)).status).toBe(200);
    expect((await create()).status).toBe(200);
  });

  it('allows other employees to clock in while one is clocked in', async () => {
    const { create, merchant } = await openShop();
    const other = await createEmployee(server, merchant);
    expect((await create()).status).toBe(200);
    expect((await create({ employee_id: other.id })).status).toBe(200);
  });

  it('refuses a clock-out one second before the clock-in', async () => {
    const { create } = await openShop();
    const at = (clockout_time: string) => create({ clockin_time: hour(-2), clockout_time });
    expect(refusal(await at(second(-7201)))).toEqual(invalid('clockout_time'));
    const same = await at(hour(-2));
    expect([same.status, same.body.regular_seconds_worked]).toEqual([200, 0]);
  });

  it('refuses clockout_location_id without clockout_time (contract 22.3)', async () => {
    const { create, places } = await openShop();
    expect(refusal(await create({ clockout_location_id: places[0] }))).toEqual(invalid('clockout_location_id'));
  });

  it('returns 404 naming employee_id for an employee that does not exist or belongs to another merchant (decision 0015)', async () => {
    const { create } = await openShop();
    const foreign = (await openShop()).employee.id;
    for (const employee_id of [UNKNOWN_ID, foreign, 'nobody', '0']) {
      const answer = await create({ employee_id });
      expect(refusal(answer)).toEqual([404, 'not_found', 'employee_id']);
      expect(answer.body.message).toBe(`There is no employee with the id ${employee_id}.`);
    }
  });

  it.each([[{}], [{ employee_id: null }], [{ employee_id: '' }]])('requires employee_id: %j', async (body) => {
    const { call } = await openShop();
    const answer = await call('POST', CARDS, body);
    expect(refusal(answer)).toEqual([400, 'bad_request.missing_parameter', 'employee_id']);
  });

  it.each([
    { employee_id: 5 },
    { clockin_time: 1_582_711_200 },
    { clockin_time: 'noon' },
    { clockin_time: '2020-02-30' },
    { clockin_location_id: 5 },
    { clockin_location_id: ['A'] },
  ])('refuses %j, naming the field', async (body) => {
    const { create } = await openShop();
    expect(refusal(await create(body))).toEqual(invalid(ensureDefined(Object.keys(body)[0])));
  });

  it('refuses unknown locations and those of another merchant, naming the field', async () => {
    const { create } = await openShop();
    const foreign = (await openShop()).places[0];
    const past = { clockin_time: hour(-2), clockout_time: hour(-1) };
    for (const field of ['clockin_location_id', 'clockout_location_id']) {
      for (const place of ['LNOWHERE00000', foreign]) {
        expect(refusal(await create({ ...past, [field]: place }))).toEqual(invalid(field));
      }
    }
  });

  it('refuses a location for which the employee is not authorized, naming the field', async () => {
    const { create, places } = await openShop(([one]) => ({ authorized_location_ids: [one] }));
    const past = { clockin_time: hour(-2), clockout_time: hour(-1) };
    expect(refusal(await create({ clockin_location_id: places[1] }))).toEqual(invalid('clockin_location_id'));
    expect(refusal(await create({ ...past, clockout_location_id: places[1] }))).toEqual(
      invalid('clockout_location_id'),
    );
    const both = { ...past, clockin_location_id: places[0], clockout_location_id: places[0] };
    expect((await create(both)).status).toBe(200);
    expect((await create({ clockin_location_id: places[0] })).status).toBe(200);
  });

  it('reports invalid input before a conflict of state (decision 0004)', async () => {
    const { create, places } = await openShop(([one]) => ({ authorized_location_ids: [one] }));
    await create();
    expect(refusal(await create({ clockin_location_id: 'LNOWHERE00000' }))).toEqual(invalid('clockin_location_id'));
    expect(refusal(await create({ clockin_location_id: places[1] }))).toEqual(invalid('clockin_location_id'));
  });

  it('accepts INACTIVE employees (decision 0021)', async () => {
    const { create, employee } = await openShop();
    expect(employee.status).toBe('INACTIVE');
    expect((await create()).status).toBe(200);
  });

  it('treats null and empty text as absent, and ignores read-only and unknown fields (decision 0012)', async () => {
    const { create } = await openShop();
    const { status, body } = await create({
      id: UNKNOWN_ID,
      deleted: true,
      created_at: hour(-5),
      regular_seconds_worked: 99,
      clockin_time: null,
      clockout_time: '',
      clockin_location_id: '',
      clockout_location_id: null,
      nonsense: { deep: true },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ deleted: false, clockin_time: second(0), created_at: second(0) });
    expect(body.regular_seconds_worked).toBe(0);
    expect(body.id).not.toBe(UNKNOWN_ID);
    for (const name of ['clockout_time', 'clockin_location_id', 'clockout_location_id']) {
      expect(body).not.toHaveProperty(name);
    }
  });

  it('returns the employee id as stored, in whatever case it was sent', async () => {
    const { create, call, employee } = await openShop();
    const { body } = await create({ employee_id: employee.id.toUpperCase() });
    expect(body.employee_id).toBe(employee.id);
    expect((await call('GET', `${CARDS}/${body.id}`)).body).toEqual(body);
  });
});

describe('v1.retrieveTimecard', () => {
  it('returns the card as create, update and delete left it', async () => {
    const { create, call, clock } = await openShop();
    const made = (await create()).body;
    const path = `${CARDS}/${made.id}`;
    expect((await call('GET', path)).body).toEqual(made);
    await clock(hour(8));
    const changed = (await call('PUT', path, { clockout_time: hour(8) })).body;
    expect((await call('GET', path)).body).toEqual(changed);
    await clock(hour(9));
    await call('DELETE', path);
    expect((await call('GET', path)).body).toEqual({ ...changed, deleted: true, updated_at: hour(9) });
  });
});

describe('a missing timecard', () => {
  it.each([
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['GET', '/events'],
  ])("returns 404 on %s %s, and so does another merchant's (decision 0015)", async (method, rest) => {
    const { call } = await openShop();
    const foreign: string = (await (await openShop()).create()).body.id;
    for (const id of [UNKNOWN_ID, foreign, 'nothing']) {
      const answer = await call(
        method,
        `${CARDS}/${id}${rest}`,
        method === 'PUT' ? { clockout_time: hour(1) } : undefined,
      );
      expect([answer.status, answer.body]).toEqual([
        404,
        { type: 'not_found', message: `There is no timecard with the id ${id}.` },
      ]);
    }
  });

  it('is not changed by requests of another merchant', async () => {
    const [mine, theirs] = [await openShop(), await openShop()];
    const card = (await mine.create()).body;
    await theirs.call('PUT', `${CARDS}/${card.id}`, { clockout_time: hour(1) });
    await theirs.call('DELETE', `${CARDS}/${card.id}`);
    expect((await mine.call('GET', `${CARDS}/${card.id}`)).body).toEqual(card);
    expect(await mine.events(card.id)).toHaveLength(1);
  });
});

describe('v1.updateTimecard', () => {
  it('clocks the employee out (contract 3)', async () => {
    const { create, call, places, clock } = await openShop();
    const card = (await create({ clockin_location_id: places[0] })).body;
    await clock('2020-02-26T18:00:00.500Z');
    const body = { clockout_time: '2020-02-26T17:30:01.999Z', clockout_location_id: places[1] };
    const answer = await call('PUT', `${CARDS}/${card.id}`, body);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...card,
      clockout_time: '2020-02-26T17:30:01Z',
      clockout_location_id: places[1],
      updated_at: '2020-02-26T18:00:00Z',
      regular_seconds_worked: 7.5 * 3600 + 1,
    });
  });

  it('changes only the given fields (contract 10)', async () => {
    const { create, call, places, clock } = await openShop();
    const card = (await create({ clockin_time: hour(-9), clockout_time: hour(-1) })).body;
    await clock(second(5));
    const path = `${CARDS}/${card.id}`;
    const steps: [Record<string, unknown>, Record<string, unknown>][] = [
      [{ clockin_time: hour(-8) }, { regular_seconds_worked: 7 * 3600 }],
      [{ clockout_time: hour(-2) }, { regular_seconds_worked: 6 * 3600 }],
      [{ clockin_location_id: places[0] }, {}],
      [{ clockout_location_id: places[1] }, {}],
    ];
    let expected = { ...card, updated_at: second(5) };
    for (const [body, also] of steps) {
      expected = { ...expected, ...body, ...also };
      expect((await call('PUT', path, body)).body).toEqual(expected);
    }
  });

  it('writes API_EDIT also when nothing differs, and changes only updated_at (contract 6 rule 1)', async () => {
    const { create, call, places, clock, events } = await openShop();
    const bodies = [
      {},
      {
        clockin_time: hour(-9),
        clockout_time: hour(-1),
        clockin_location_id: places[0],
        clockout_location_id: places[1],
      },
    ];
    await clock(hour(3));
    for (const body of bodies) {
      const card = (await create({ clockin_time: hour(0), ...body })).body;
      await clock(hour(4));
      for (const sent of [card, {}, { clockin_time: card.clockin_time.replace('Z', '.999+00:00') }]) {
        const answer = await call('PUT', `${CARDS}/${card.id}`, sent);
        expect([answer.status, answer.body]).toEqual([200, { ...card, updated_at: hour(4) }]);
      }
      const kinds = (await events(card.id)).map(({ event_type }) => event_type);
      expect(kinds).toEqual(['API_CREATE', 'API_EDIT', 'API_EDIT', 'API_EDIT']);
    }
  });

  it('refuses another employee, naming employee_id, and accepts the same one (decision 0021)', async () => {
    const { create, call, merchant, employee, events } = await openShop();
    const other = await createEmployee(server, merchant);
    const card = (await create()).body;
    const path = `${CARDS}/${card.id}`;
    for (const employee_id of [other.id, UNKNOWN_ID, 'nobody']) {
      expect(refusal(await call('PUT', path, { employee_id, clockout_time: hour(1) }))).toEqual(invalid('employee_id'));
    }
    expect((await call('GET', path)).body).toEqual(card);
    expect(await events(card.id)).toHaveLength(1);
    for (const employee_id of [employee.id, employee.id.toUpperCase(), '', null]) {
      expect((await call('PUT', path, { employee_id })).status).toBe(200);
    }
  });

  it.each([[{}], [{ clockout_time: null }], [{ clockout_time: '' }]])(
    'never reopens a closed card: %j (decision 0021)',
    async (body) => {
      const { create, call, clock } = await openShop();
      const card = (await create({ clockin_time: hour(-9), clockout_time: hour(-1) })).body;
      await clock(second(5));
      const answer = await call('PUT', `${CARDS}/${card.id}`, { clockin_time: hour(-8), ...body });
      expect(answer.body).toMatchObject({ clockin_time: hour(-8), clockout_time: hour(-1) });
    },
  );

  it('ignores read-only fields', async () => {
    const { create, call } = await openShop();
    const card = (await create()).body;
    const sent = {
      ...card,
      id: UNKNOWN_ID,
      deleted: true,
      created_at: hour(-9),
      updated_at: hour(9),
    };
    expect((await call('PUT', `${CARDS}/${card.id}`, sent)).body).toEqual(card);
  });

  it('refuses times in the wrong order, whichever of them is sent', async () => {
    const { create, call, events } = await openShop();
    const card = (await create({ clockin_time: hour(-9), clockout_time: hour(-1) })).body;
    const path = `${CARDS}/${card.id}`;
    const wrong = [
      { clockout_time: hour(-10) },
      { clockin_time: hour(0) },
      { clockin_time: hour(5), clockout_time: hour(4) },
    ];
    for (const body of wrong) expect(refusal(await call('PUT', path, body))).toEqual(invalid('clockout_time'));
    expect((await call('GET', path)).body).toEqual(card);
    expect(await events(card.id)).toHaveLength(1);
    expect((await call('PUT', path, { clockin_time: hour(4), clockout_time: hour(5) })).status).toBe(200);
  });

  it('refuses clockout_location_id while the employee is clocked in', async () => {
    const { create, call, places } = await openShop();
    const path = `${CARDS}/${(await create()).body.id}`;
    const body = { clockout_location_id: places[0] };
    expect(refusal(await call('PUT', path, body))).toEqual(invalid('clockout_location_id'));
    expect((await call('PUT', path, { ...body, clockout_time: hour(1) })).status).toBe(200);
  });

  it('refuses locations that are unknown, of another merchant, or not authorized for this employee, naming the field', async () => {
    const { create, call, places } = await openShop(([one]) => ({ authorized_location_ids: [one] }));
    const path = `${CARDS}/${(await create({ clockin_time: hour(-9), clockout_time: hour(-1) })).body.id}`;
    const foreign = (await openShop()).places[0];
    for (const field of ['clockin_location_id', 'clockout_location_id']) {
      for (const place of ['LNOWHERE00000', foreign, places[1]]) {
        expect(refusal(await call('PUT', path, { [field]: place }))).toEqual(invalid(field));
      }
      expect((await call('PUT', path, { [field]: places[0] })).status).toBe(200);
    }
  });

  it('keeps a location for which the employee is no longer authorized', async () => {
    const { create, call, places, employee } = await openShop();
    const card = (await create({ clockin_location_id: places[1] })).body;
    await call('PUT', `/v1/me/employees/${employee.id}`, { authorized_location_ids: [places[0]] });
    const answer = await call('PUT', `${CARDS}/${card.id}`, { ...card, clockout_time: hour(1) });
    expect([answer.status, answer.body.clockin_location_id]).toEqual([200, places[1]]);
  });

  it('refuses a deleted card with 422 and does not change it (contract 7)', async () => {
    const { create, call, events } = await openShop();
    const card = (await create()).body;
    const path = `${CARDS}/${card.id}`;
    await call('DELETE', path);
    for (const body of [{ clockout_time: hour(1) }, { clockin_time: hour(-1) }, {}, card]) {
      expect(refusal(await call('PUT', path, body))).toEqual([422, 'unprocessable_entity', undefined]);
    }
    expect((await call('GET', path)).body).toEqual({ ...card, deleted: true });
    expect(await events(card.id)).toHaveLength(2);
  });

  it('reports invalid input before the state of the card (decision 0004)', async () => {
    const { create, call } = await openShop();
    const path = `${CARDS}/${(await create()).body.id}`;
    await call('DELETE', path);
    expect(refusal(await call('PUT', path, { clockin_time: 'noon' }))).toEqual(invalid('clockin_time'));
    const body = { clockin_location_id: 'LNOWHERE00000' };
    expect(refusal(await call('PUT', path, body))).toEqual(invalid('clockin_location_id'));
  });
});

describe('v1.deleteTimecard', () => {
  it.each([
    ['clocked in', {}],
    ['clocked out', { clockin_time: hour(-9), clockout_time: hour(-1) }],
  ])('deletes a card that is %s with 200 {}, and the card stays readable (contract 3)', async (_state, body) => {
    const { create, call, clock, events } = await openShop();
    const card = (await create(body)).body;
    await clock(second(30));
    const answer = await call('DELETE', `${CARDS}/${card.id}`);
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    const after = { ...card, deleted: true, updated_at: second(30) };
    expect((await call('GET', `${CARDS}/${card.id}`)).body).toEqual(after);
    expect(await events(card.id)).toMatchObject([{ event_type: 'API_CREATE' }, { event_type: 'API_DELETE' }]);
  });

  it('returns 200 {} a second time, writes no second event and keeps updated_at (decision 0021)', async () => {
    const { create, call, clock, events } = await openShop();
    const path = `${CARDS}/${(await create()).body.id}`;
    await clock(second(1));
    await call('DELETE', path);
    const deleted = (await call('GET', path)).body;
    await clock(second(2));
    const again = await call('DELETE', path);
    expect([again.status, again.text]).toEqual([200, '{}']);
    expect((await call('GET', path)).body).toEqual(deleted);
    expect(await events(deleted.id)).toHaveLength(2);
  });
});

describe('v1.listTimecardEvents', () => {
  it('returns every change, oldest first, with the times after that change (contract 6)', async () => {
    const { create, call, clock, places } = await openShop();
    const card = (await create()).body;
    const path = `${CARDS}/${card.id}`;
    await clock('2020-02-26T10:00:01.600Z');
    await call('PUT', path, { clockin_time: hour(-1) });
    await clock(second(2));
    await call('PUT', path, { clockout_time: second(2) });
    await call('PUT', path, { clockin_location_id: places[0] });
    await clock(second(3));
    await call('PUT', path, { clockout_time: second(1), clockin_time: hour(-2) });
    await call('DELETE', path);
    const answer = await call('GET', `${path}/events`);
    expect(answer.status).toBe(200);
    const id = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const [edit, times] = ['API_EDIT', { clockin_time: hour(-2), clockout_time: second(1) }];
    expect(answer.body).toEqual([
      { id, event_type: 'API_CREATE', clockin_time: second(0), created_at: second(0) },
      { id, event_type: edit, clockin_time: hour(-1), created_at: second(1) },
      { id, event_type: edit, clockin_time: hour(-1), clockout_time: second(2), created_at: second(2) },
      { id, event_type: edit, clockin_time: hour(-1), clockout_time: second(2), created_at: second(2) },
      { id, event_type: edit, ...times, created_at: second(3) },
      { id, event_type: 'API_DELETE', ...times, created_at: second(3) },
    ]);
    expect(new Set(answer.body.map((event: { id: string }) => event.id)).size).toBe(6);
  });

  it('keeps the order of events within one second, for any number of events', async () => {
    const { create, call, events } = await openShop();
    const card = (await create()).body;
    const times = Array.from({ length: 30 }, (_, index) => second(-index - 1));
    for (const clockin_time of times) await call('PUT', `${CARDS}/${card.id}`, { clockin_time });
    expect((await events(card.id)).map(({ clockin_time }) => clockin_time)).toEqual([second(0), ...times]);
  });
});

describe('the six deprecated operations on timecards', () => {
  const HEADERS = { deprecation: '@1582675200', sunset: 'Fri, 26 Feb 2021 00:00:00 GMT' };
  const OPERATIONS: readonly (readonly [string, string, string])[] = [
    ['createTimecard', 'POST', CARDS],
    ['listTimecards', 'GET', CARDS],
    ['retrieveTimecard', 'GET', `${CARDS}/CARD`],
    ['updateTimecard', 'PUT', `${CARDS}/CARD`],
    ['listTimecardEvents', 'GET', `${CARDS}/CARD/events`],
    ['deleteTimecard', 'DELETE', `${CARDS}/CARD`],
  ];
  const bodyOf = (method: string, employee_id: string) =>
    method === 'POST'
      ? { employee_id, clockin_time: hour(-2), clockout_time: hour(-1) }
      : method === 'PUT'
        ? {}
        : undefined;
  const deprecation = ({ headers }: ApiResponse) => ({
    deprecation: headers['deprecation'],
    sunset: headers['sunset'],
    link: headers['link'],
  });

  it.each(OPERATIONS)(
    '%s sends the deprecation headers on success and on every refusal, without a Link (contract 9, decision 0017)',
    async (_name, method, path) => {
      const { create, call, merchant, employee } = await openShop();
      const id = (await create()).body.id;
      const answers = [
        await call(method, path.replace('CARD', id), bodyOf(method, employee.id)),
        await call(method, path.replace('CARD', UNKNOWN_ID), method === 'POST' ? {} : bodyOf(method, UNKNOWN_ID)),
        await server.call(method, path),
        await server.call(method, path, { token: await server.createToken(merchant.id, ['PAYMENTS_READ']) }),
      ];
      const listed = path === CARDS && method === 'GET';
      expect(answers.map(({ status }) => status)).toEqual([
        200,
        listed ? 200 : method === 'POST' ? 400 : 404,
        401,
        403,
      ]);
      for (const answer of answers) expect(deprecation(answer)).toEqual({ ...HEADERS, link: undefined });
    },
  );

  it('return 410 if retired operations are switched off, after 401 and 403 (decisions 0004, 0017)', async () => {
    const { create, merchant, employee } = await openShop();
    const cardId: string = (await create()).body.id;
    const weak = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    const retiredServer = await startTestServer({ databaseUrl: server.databaseUrl, config: { retired: 'gone' } });
    try {
      for (const [name, method, path] of OPERATIONS) {
        const send = (token?: string) =>
          retiredServer.call(method, path.replace('CARD', cardId), {
            body: bodyOf(method, employee.id),
            ...(token !== undefined && { token }),
          });
        const answers = [await send(merchant.token), await send(), await send(weak)];
        const expected = [
          [410, 'gone'],
          [401, 'service.not_authorized'],
          [403, 'forbidden'],
        ];
        expect(
          answers.map(({ status, body }) => [status, body.type]),
          name,
        ).toEqual(expected);
        for (const answer of answers) expect(deprecation(answer)).toMatchObject(HEADERS);
      }
    } finally {
      await retiredServer.stop();
    }
  });

  it.each(OPERATIONS)(
    '%s requires an approved account: returns 403 and changes nothing (decision 0020)',
    async (_name, method, path) => {
      const { create, call, merchant, employee, events } = await openShop();
      const id = (await create()).body.id;
      await server.operator('PUT', `/api/sandbox/merchants/${merchant.id}/approval`, { approved: false });
      const answer = await call(method, path.replace('CARD', id), bodyOf(method, employee.id));
      expect(refusal(answer)).toEqual([403, 'forbidden', undefined]);
      expect(deprecation(answer)).toMatchObject(HEADERS);
      await server.operator('PUT', `/api/sandbox/merchants/${merchant.id}/approval`, { approved: true });
      expect((await call('GET', CARDS)).body).toHaveLength(1);
      expect(await events(id)).toHaveLength(1);
    },
  );
});
