/** Registers: pairing, passcodes, sign-in, clock-in and clock-out, and retried writes. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock, pollUntil } from '../../support/clock.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { idsOf } from '../../support/lists.js';
import {
  ensureDefined,
  hire,
  mainLocation,
  openBusiness,
  PASSCODE,
  pairDevice,
  type Register,
  setPasscode,
  signInAt,
} from '../../support/people.js';
import { sendLate } from '../../support/queue.js';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../../support/server.js';

const UNKNOWN_ID = '0190a0a0-0000-7000-8000-000000000000';
const CLOCK_IN = '/api/register/timecards/clock-in';
const CLOCK_OUT = '/api/register/timecards/clock-out';

let server: TestServer;
/** Signed in once. Tests that change the merchant itself create their own. */
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
});
afterAll(() => server.stop());

const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];
const secondPlace = () => ensureDefined(owner.merchant.locationIds[1]);

describe('dashboard.pairDevice', () => {
  it('pairs a register with a location and shows its token only this once', async () => {
    const body = { name: 'Till by the door', location_id: secondPlace() };
    const answer = await owner.call('POST', '/api/dashboard/devices', { body });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      device: {
        id: expect.stringMatching(/^[0-9A-Za-z]{20}$/),
        ...body,
        paired: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
      device_token: expect.stringMatching(/^dev_[\w-]{60}$/),
    });
    const list = await owner.call('GET', '/api/dashboard/devices');
    expect(list.body.devices).toContainEqual(answer.body.device);
    expect(list.text).not.toContain(answer.body.device_token);
    const kept = await server.database.sql`select * from device_tokens where device_id = ${answer.body.device.id}`;
    expect(JSON.stringify(kept)).not.toContain(answer.body.device_token);
    const shown = await server.call('GET', '/api/register/device', { token: answer.body.device_token });
    expect(shown.body).toMatchObject({ id: answer.body.device.id, ...body });
  });

  it.each([
    [{ name: undefined }, 'MISSING_REQUIRED_PARAMETER', 'name'],
    [{ name: '' }, 'VALUE_EMPTY', 'name'],
    [{ name: 'x'.repeat(256) }, 'VALUE_TOO_LONG', 'name'],
    [{ location_id: undefined }, 'MISSING_REQUIRED_PARAMETER', 'location_id'],
    [{ location_id: 'LNOWHERE00000' }, 'INVALID_VALUE', 'location_id'],
  ])('refuses %o with %s', async (change, code, field) => {
    const body = { name: 'Till', location_id: secondPlace(), ...change };
    expect(refusal(await owner.call('POST', '/api/dashboard/devices', { body }))).toEqual([400, code, field]);
  });

  it("refuses another merchant's location as one that does not exist (decision 0015)", async () => {
    const foreign = mainLocation(await server.createMerchant());
    const answer = await owner.call('POST', '/api/dashboard/devices', { body: { name: 'Till', location_id: foreign } });
    expect(refusal(answer)).toEqual([400, 'INVALID_VALUE', 'location_id']);
  });
});

describe('dashboard.listDevices and unpairDevice', () => {
  it("list a merchant's own devices, and end the device with all its sessions", async () => {
    const own = await createOwner(server);
    const [one, two] = [await pairDevice(server, own, { name: 'A' }), await pairDevice(server, own, { name: 'B' })];
    const employee = await hire(server, own);
    const [at, atOther] = [await signInAt(one, employee.id), await signInAt(two, employee.id)];
    expect((await at.write(CLOCK_IN)).status).toBe(200);

    const listed = async () => (await own.call('GET', '/api/dashboard/devices')).body.devices;
    expect(idsOf(await listed())).toEqual([one.id, two.id].sort());
    const answer = await own.call('DELETE', `/api/dashboard/devices/${one.id}`);
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    expect((await listed()).map(({ id, paired }: { id: string; paired: boolean }) => [id, paired])).toEqual(
      [one, two].map(({ id }) => [id, id === two.id]).sort(),
    );

    expect((await one.call('GET', '/api/register/device')).status).toBe(401);
    expect((await one.signIn(employee.id)).status).toBe(401);
    expect((await at.write(CLOCK_OUT)).status).toBe(401);
    const [left] = await server.database.sql<{ sessions: number }[]>`
      select count(*)::int as sessions from register_sessions where device_id = ${one.id} and ended_at is null`;
    expect(left).toEqual({ sessions: 0 });
    // The session is not valid at another device either, and that device is not affected.
    const moved = { token: two.token, body: { id: randomUUID() } };
    expect((await at.call('POST', CLOCK_OUT, moved)).status).toBe(401);
    expect((await atOther.write(CLOCK_OUT)).status).toBe(200);

    expect((await own.call('DELETE', `/api/dashboard/devices/${one.id}`)).status).toBe(200);
    for (const id of ['nothing', (await pairDevice(server, owner)).id]) {
      expect(refusal(await own.call('DELETE', `/api/dashboard/devices/${id}`))).toEqual([404, 'NOT_FOUND', undefined]);
    }
  });
});

describe('credentials of the register', () => {
  it('give access to the register only, and no other credential gives access to it (decision 0052)', async () => {
    const device = await pairDevice(server, owner);
    const register = await signInAt(device, (await hire(server, owner)).id);
    for (const path of [
      '/v1/me/timecards',
      '/v2/employees',
      '/api/dashboard/devices',
      '/api/sandbox/merchants/x/clock',
    ]) {
      expect((await register.call('GET', path)).status, path).toBe(401);
      expect((await server.call('GET', path, { token: register.session })).status, path).toBe(401);
    }
    for (const token of [owner.merchant.token, OPERATOR_KEY, register.session, 'nonsense']) {
      expect((await server.call('GET', '/api/register/device', { token })).status).toBe(401);
    }
    const cookieOnly = await server.call('GET', '/api/register/device', { headers: { cookie: owner.cookie } });
    expect(cookieOnly.status).toBe(401);
  });
});

describe('dashboard.setPasscode', () => {
  it.each(['0000', '123456789012'])('accepts 4 to 12 digits: %s', async (passcode) => {
    const employee = await hire(server, owner, { passcode: null });
    const answer = await setPasscode(owner, employee.id, passcode);
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    const device = await pairDevice(server, owner);
    expect((await device.signIn(employee.id, passcode)).status).toBe(200);
    const [kept] = await server.database.sql<{ passcodeHash: string }[]>`
      select passcode_hash from employee_passcodes where employee_id = ${employee.id}`;
    expect(kept?.passcodeHash).toMatch(/^\$argon2id\$/);
  });

  it.each(['123', '1234567890123', 'abcd', '12a4', ' 1234', '-1234', '１２３４', '', 1234, null, undefined])(
    'refuses %j',
    async (passcode) => {
      const [status, , field] = refusal(await setPasscode(owner, UNKNOWN_ID, passcode));
      expect([status, field]).toEqual([400, 'passcode']);
    },
  );

  it('returns 404 for an employee that does not exist or belongs to another merchant', async () => {
    const foreign = await hire(server, await createOwner(server), { passcode: null, active: false });
    for (const id of [UNKNOWN_ID, 'nobody', foreign.id]) {
      expect(refusal(await setPasscode(owner, id, '1234'))).toEqual([404, 'NOT_FOUND', undefined]);
    }
  });
});

describe('register.signIn', () => {
  it('returns a session and its employee', async () => {
    const [device, employee] = [await pairDevice(server, owner), await hire(server, owner)];
    const answer = await device.signIn(employee.id);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        session: expect.stringMatching(/^[\w-]{43}$/),
        employee_id: employee.id,
        first_name: employee.first_name,
        last_name: employee.last_name,
        permissions: [],
        now: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ]);
    const spelled = await device.signIn(employee.id.toUpperCase());
    expect([spelled.status, spelled.body.employee_id]).toEqual([200, employee.id]);
  });

  it('returns the same refusal for a wrong passcode, an unknown employee, and one without a passcode', async () => {
    const device = await pairDevice(server, owner);
    const [known, without] = [await hire(server, owner), await hire(server, owner, { passcode: null })];
    const foreign = await hire(server, await createOwner(server));
    const answers = [
      await device.signIn(known.id, '000000'),
      await device.signIn(UNKNOWN_ID),
      await device.signIn('nobody'),
      await device.signIn(without.id),
      await device.signIn(foreign.id),
    ];
    expect(refusal(ensureDefined(answers[0]))).toEqual([401, 'UNAUTHORIZED', undefined]);
    for (const { status, text } of answers) expect([status, text]).toEqual([401, answers[0]?.text]);
  });

  it.each([
    [{}, 'employee_id'],
    [{ employee_id: UNKNOWN_ID }, 'passcode'],
    [{ employee_id: UNKNOWN_ID, passcode: '' }, 'passcode'],
    [{ employee_id: UNKNOWN_ID, passcode: 1234 }, 'passcode'],
    [{ employee_id: '', passcode: '1234' }, 'employee_id'],
  ])('refuses %j, naming the field', async (body, field) => {
    const device = await pairDevice(server, owner);
    const [status, , named] = refusal(await device.call('POST', '/api/register/session', { body }));
    expect([status, named]).toEqual([400, field]);
  });

  it('pauses after 5 wrong passcodes, for this employee at this device only', async () => {
    const [device, other] = [await pairDevice(server, owner), await pairDevice(server, owner)];
    const [ana, ben] = [await hire(server, owner), await hire(server, owner)];
    for (let attempt = 0; attempt < 5; attempt++) expect((await device.signIn(ana.id, '000000')).status).toBe(401);
    const paused = await device.signIn(ana.id); // with the right passcode
    expect(refusal(paused)).toEqual([429, 'RATE_LIMITED', undefined]);
    expect(Number(paused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(paused.headers['retry-after'])).toBeLessThanOrEqual(15 * 60);
    expect((await device.signIn(ben.id)).status).toBe(200);
    expect((await other.signIn(ana.id)).status).toBe(200);
    expect((await device.signIn(ana.id)).status).toBe(429);
  });

  it('counts attempts together for all spellings of the same id', async () => {
    const [device, employee] = [await pairDevice(server, owner), await hire(server, owner)];
    const spellings = [
      employee.id,
      employee.id.toUpperCase(),
      employee.id.replace(/[a-f]/, (letter) => letter.toUpperCase()),
    ];
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await device.signIn(ensureDefined(spellings[attempt % 3]), '000000')).status).toBe(401);
    }
    for (const spelled of spellings) expect((await device.signIn(spelled)).status).toBe(429);
  });

  it('refuses INACTIVE employees, and those not authorized for the location, with 403 (contract 3)', async () => {
    const [here, there] = [
      await pairDevice(server, owner),
      await pairDevice(server, owner, { locationId: secondPlace() }),
    ];
    const inactive = await hire(server, owner, { active: false });
    expect(refusal(await here.signIn(inactive.id))).toEqual([403, 'FORBIDDEN', undefined]);
    const elsewhere = await hire(server, owner, { authorized_location_ids: [secondPlace()] });
    expect(refusal(await here.signIn(elsewhere.id))).toEqual([403, 'FORBIDDEN', undefined]);
    expect((await there.signIn(elsewhere.id)).status).toBe(200);
    // With a wrong passcode the response does not reveal either.
    for (const { id } of [inactive, elsewhere]) expect((await here.signIn(id, '000000')).status).toBe(401);
  });
});

describe('a session at the register', () => {
  const isAlive = async (register: Register) =>
    (await register.call('GET', '/api/register/cash-drawer-shifts/open')).status;

  it('requires its header, at its own device', async () => {
    const [device, other] = [await pairDevice(server, owner), await pairDevice(server, owner)];
    const register = await signInAt(device, (await hire(server, owner)).id);
    expect(await isAlive(register)).toBe(404); // authorized, but there is no open card
    const path = '/api/register/cash-drawer-shifts/open';
    expect((await device.call('GET', path)).status).toBe(401);
    for (const session of ['', 'nonsense', device.token, 'x'.repeat(2000)]) {
      const headers = { 'tillhouse-employee-session': session };
      expect((await device.call('GET', path, { headers })).status).toBe(401);
    }
    expect((await register.call('GET', path, { token: other.token })).status).toBe(401);
    const stranger = await pairDevice(server, await createOwner(server));
    expect((await register.call('GET', path, { token: stranger.token })).status).toBe(401);
  });

  it('ends when the employee signs out, and other sessions continue', async () => {
    const [device, employee] = [await pairDevice(server, owner), await hire(server, owner)];
    const [one, two] = [await signInAt(device, employee.id), await signInAt(device, employee.id)];
    const answer = await one.call('DELETE', '/api/register/session');
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    expect([await isAlive(one), await isAlive(two)]).toEqual([401, 404]);
  });

  it('ends within a second when the employee is deactivated in the dashboard', async () => {
    const [device, employee] = [await pairDevice(server, owner), await hire(server, owner)];
    const register = await signInAt(device, employee.id);
    expect(await isAlive(register)).toBe(404);
    await owner.call('POST', `/api/dashboard/employees/${employee.id}/deactivate`);
    expect(
      await pollUntil(
        () => isAlive(register),
        (status) => status === 401,
        1000,
      ),
    ).toBe(401);
    expect((await device.signIn(employee.id)).status).toBe(403);
  });

  it('ends at once on every device when the employee gets a new passcode', async () => {
    const [device, other, employee] = [
      await pairDevice(server, owner),
      await pairDevice(server, owner),
      await hire(server, owner),
    ];
    const sessions = [await signInAt(device, employee.id), await signInAt(other, employee.id)];
    const colleague = await signInAt(device, (await hire(server, owner)).id);
    await setPasscode(owner, employee.id, '9753');
    for (const register of sessions) expect(await isAlive(register)).toBe(401);
    expect(await isAlive(colleague)).toBe(404);
    expect((await device.signIn(employee.id, PASSCODE)).status).toBe(401);
    expect((await device.signIn(employee.id, '9753')).status).toBe(200);
  });

  it('ends after 12 hours of real time', async () => {
    const register = await signInAt(await pairDevice(server, owner), (await hire(server, owner)).id);
    const { sql } = server.database;
    const [row] = await sql<{ hours: number }[]>`
      select extract(epoch from expires_at - created_at)::int / 3600 as hours
      from register_sessions
      where employee_id = ${register.employeeId}`;
    expect(row).toEqual({ hours: 12 });
    await sql`
      update register_sessions
      set expires_at = now() - interval '1 second'
      where employee_id = ${register.employeeId}`;
    expect(
      await pollUntil(
        () => isAlive(register),
        (status) => status === 401,
        1000,
      ),
    ).toBe(401);
  });
});

const NOW = Date.parse('2020-02-26T10:00:00.500Z');
const ago = (milliseconds: number): string => new Date(NOW - milliseconds).toISOString();
const HOUR_MS = 3_600_000;

/** A business whose clock is frozen at 10:00:00.500. */
const openFrozen = () => openBusiness(server, { clock: { now: ago(0), frozen: true } });

const cardsOf = async ({ merchant }: TestOwner) =>
  (await server.call('GET', '/v1/me/timecards', { token: merchant.token })).body;
const eventsOf = async ({ merchant }: TestOwner, cardId: string) =>
  (await server.call('GET', `/v1/me/timecards/${cardId}/events`, { token: merchant.token })).body;

describe('register.clockIn and clockOut', () => {
  it('write a card at the location of the device, with REGISTER_CLOCKIN and REGISTER_CLOCKOUT (contract 6)', async () => {
    const { owner: own, register } = await openFrozen();
    const place = mainLocation(own.merchant);
    const clockedIn = await register.write(CLOCK_IN);
    expect(clockedIn.status).toBe(200);
    const card = clockedIn.body.timecard;
    expect(card).toMatchObject({
      employee_id: register.employeeId,
      clockin_time: '2020-02-26T10:00:00Z',
      clockin_location_id: place,
      deleted: false,
      regular_seconds_worked: 0,
    });
    expect(await cardsOf(own)).toEqual([card]);
    await changeClock(server, own.merchant.id, { advance: 'PT8H' });
    const clockedOut = await register.write(CLOCK_OUT);
    expect(clockedOut.status).toBe(200);
    expect(clockedOut.body.timecard).toEqual({
      ...card,
      clockout_time: '2020-02-26T18:00:00Z',
      clockout_location_id: place,
      updated_at: '2020-02-26T18:00:00Z',
      regular_seconds_worked: 8 * 3600,
    });
    expect(await cardsOf(own)).toEqual([clockedOut.body.timecard]);
    expect(await eventsOf(own, card.id)).toMatchObject([
      { event_type: 'REGISTER_CLOCKIN', clockin_time: '2020-02-26T10:00:00Z', created_at: '2020-02-26T10:00:00Z' },
      { event_type: 'REGISTER_CLOCKOUT', clockout_time: '2020-02-26T18:00:00Z', created_at: '2020-02-26T18:00:00Z' },
    ]);
  });

  it('refuse an employee who is already clocked in, or not clocked in, and write nothing (contract 3)', async () => {
    const { owner: own, register } = await openFrozen();
    expect(refusal(await register.write(CLOCK_OUT))).toEqual([400, 'BAD_REQUEST', undefined]);
    await register.write(CLOCK_IN);
    expect(refusal(await register.write(CLOCK_IN))).toEqual([400, 'BAD_REQUEST', 'employee_id']);
    await register.write(CLOCK_OUT);
    expect(refusal(await register.write(CLOCK_OUT))).toEqual([400, 'BAD_REQUEST', undefined]);
    const cards = await cardsOf(own);
    expect(cards).toHaveLength(1);
    expect(await eventsOf(own, cards[0].id)).toHaveLength(2);
  });

  it('see a card that an application opened or deleted', async () => {
    const { owner: own, register } = await openFrozen();
    const body = { employee_id: register.employeeId };
    const { token } = own.merchant;
    const made = (await server.call('POST', '/v1/me/timecards', { token, body })).body;
    expect((await register.write(CLOCK_IN)).status).toBe(400);
    expect((await register.write(CLOCK_OUT)).body.timecard.id).toBe(made.id);
    const again = (await register.write(CLOCK_IN)).body.timecard;
    await server.call('DELETE', `/v1/me/timecards/${again.id}`, { token });
    expect((await register.write(CLOCK_OUT)).status).toBe(400);
    expect((await register.write(CLOCK_IN)).status).toBe(200);
  });

  it('require an approved merchant: 403 (decision 0020)', async () => {
    const { owner: own, register } = await openFrozen();
    await server.operator('PUT', `/api/sandbox/merchants/${own.merchant.id}/approval`, { approved: false });
    for (const path of [CLOCK_IN, CLOCK_OUT]) {
      expect(refusal(await register.write(path))).toEqual([403, 'FORBIDDEN', undefined]);
    }
    expect(refusal(await setPasscode(own, register.employeeId, '1234'))).toEqual([403, 'FORBIDDEN', undefined]);
    await server.operator('PUT', `/api/sandbox/merchants/${own.merchant.id}/approval`, { approved: true });
    expect(await cardsOf(own)).toEqual([]);
  });

  it('accept times up to 72 hours ago, and refuse older and future ones (contract 8)', async () => {
    const { owner: own, register } = await openFrozen();
    const wrong = [ago(72 * HOUR_MS + 1), ago(-1), ago(-HOUR_MS), '2020-02-30', 'now', 5];
    for (const occurred_at of wrong) {
      const [status, , field] = refusal(await register.write(CLOCK_IN, { occurred_at }));
      expect([status, field], String(occurred_at)).toEqual([400, 'occurred_at']);
    }
    expect(await cardsOf(own)).toEqual([]);
    const late = (operation: string, occurred_at: string) => sendLate(register, ago(0), operation, { occurred_at });
    const clockedIn = await late('clockIn', ago(72 * HOUR_MS));
    expect(clockedIn.response.timecard).toMatchObject({
      clockin_time: '2020-02-23T10:00:00Z',
      created_at: '2020-02-26T10:00:00Z', // the time of the request
    });
    expect((await late('clockOut', ago(72 * HOUR_MS + 1))).error.code).toBe('TOO_OLD');
    const clockedOut = await late('clockOut', ago(64 * HOUR_MS));
    expect(clockedOut.response.timecard).toMatchObject({
      clockout_time: '2020-02-23T18:00:00Z',
      updated_at: '2020-02-26T10:00:00Z',
      regular_seconds_worked: 8 * 3600,
    });
    expect((await register.write(CLOCK_IN, { occurred_at: ago(0) })).status).toBe(200);
  });

  it('refuse a clock-out before the clock-in', async () => {
    const { register } = await openFrozen();
    const late = (operation: string, occurred_at: string) => sendLate(register, ago(0), operation, { occurred_at });
    await late('clockIn', ago(HOUR_MS));
    expect((await late('clockOut', ago(2 * HOUR_MS))).error.code).toBe('INVALID_VALUE');
    expect((await late('clockOut', ago(HOUR_MS))).status).toBe('ACCEPTED');
  });
});

describe('a write of the register', () => {
  it.each([[{ id: undefined }], [{ id: '' }], [{ id: 'x'.repeat(65) }], [{ id: 5 }]])(
    'requires an id chosen by the register: %j',
    async (body) => {
      const register = await signInAt(await pairDevice(server, owner), (await hire(server, owner)).id);
      const [status, , field] = refusal(await register.write(CLOCK_IN, body));
      expect([status, field]).toEqual([400, 'id']);
    },
  );

  it('returns the first response on a retry and has no further effect, even after the state has changed', async () => {
    const { owner: own, register } = await openFrozen();
    const body = { id: 'write-1', occurred_at: ago(HOUR_MS) };
    const first = await register.write(CLOCK_IN, body);
    expect(first.status).toBe(200);
    await changeClock(server, own.merchant.id, { advance: 'PT1H' });
    await register.write(CLOCK_OUT, { id: 'write-2' });
    const again = await register.write(CLOCK_IN, body);
    expect([again.status, again.text]).toEqual([200, first.text]);
    await changeClock(server, own.merchant.id, { advance: 'P4D' }); // too late for a new write
    const late = await register.write(CLOCK_IN, body);
    expect([late.status, late.text]).toEqual([200, first.text]);
    expect((await register.write(CLOCK_IN, { ...body, id: 'write-3' })).status).toBe(400);
    expect(await cardsOf(own)).toHaveLength(1);
  });

  it('refuses an id that was used for another body or operation, with 409', async () => {
    const { owner: own, register } = await openFrozen();
    await register.write(CLOCK_IN, { id: 'taken', occurred_at: ago(HOUR_MS) });
    for (const [path, body] of [
      [CLOCK_OUT, {}],
      [CLOCK_OUT, { occurred_at: ago(HOUR_MS) }],
    ] as const) {
      expect(refusal(await register.write(path, { id: 'taken', ...body }))).toEqual([409, 'CONFLICT', 'id']);
    }
    expect((await cardsOf(own))[0]).not.toHaveProperty('clockout_time');
  });

  it('accepts an id that another device has used', async () => {
    const { owner: own, register } = await openFrozen();
    const other = await signInAt(await pairDevice(server, own), (await hire(server, own)).id);
    expect((await register.write(CLOCK_IN, { id: 'same' })).status).toBe(200);
    expect((await other.write(CLOCK_IN, { id: 'same' })).status).toBe(200);
    expect(await cardsOf(own)).toHaveLength(2);
  });

  it('does not remember a refused request: a retry can succeed later', async () => {
    const { owner: own, register } = await openFrozen();
    const body = { id: 'try', occurred_at: ago(0) };
    expect((await register.write(CLOCK_OUT, body)).status).toBe(400);
    await register.write(CLOCK_IN, { occurred_at: ago(HOUR_MS) });
    expect((await register.write(CLOCK_OUT, body)).status).toBe(200);
    expect(await cardsOf(own)).toHaveLength(1);
  });
});
