/** What a register learns about itself and the people who work at it: its device, its settings, the team, the session. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REGISTER_PERMISSIONS } from '../../../src/identity/permissions.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { ensureDefined, hire, mainLocation, openBusiness, pairDevice, signInAt } from '../../support/people.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const DEVICE = '/api/register/device';
const SETTINGS = '/api/register/device/settings';
const TEAM = '/api/register/team';
const SESSION = '/api/register/session';
const CHANGE_SETTINGS = { role: { permissions: ['REGISTER_CHANGE_SETTINGS'] } };

let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
});
afterAll(() => server.stop());

const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];

describe('register.showDevice', () => {
  it('shows the device with its settings, its business, its location, the time, and test cards', async () => {
    const device = await pairDevice(server, owner, { name: 'Front' });
    const path = `/api/dashboard/locations/${device.locationId}`;
    const { version, location } = (await owner.call('GET', path)).body;
    const sales_tax = { name: 'Sales tax', percentage: '8.875', inclusion_type: 'ADDITIVE' };
    const edit = { version, name: location.name, timezone: location.timezone, status: 'ACTIVE' };
    const more = { receipt_text: 'Thank you', tip_percentages: [20, 15], phone_number: '+12065550100', sales_tax };
    expect((await owner.call('PUT', path, { body: { ...edit, ...more } })).status).toBe(200);

    const { status, body } = await device.call('GET', DEVICE);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: device.id,
      name: 'Front',
      location_id: device.locationId,
      mode: 'sandbox',
      settings: {
        version: expect.any(String),
        name: 'Front',
        lock_after_seconds: 120,
        show_pictures: true,
        ask_for_tip: true,
        card_reader: false,
      },
      business: { name: expect.any(String), currency: 'USD', country: 'US' },
      location: {
        id: device.locationId,
        name: 'One',
        timezone: location.timezone,
        phone: '+12065550100',
        receipt_text: 'Thank you',
        tip_presets: [15, 20],
        tips_enabled: true,
        sales_tax,
      },
    });
    expect(Math.abs(Date.parse(body.now) - Date.now())).toBeLessThan(60_000);
    expect(body.test_sources.map(({ kind, outcome }: { kind: string; outcome: string }) => [kind, outcome])).toEqual([
      ['CARD', 'APPROVED'],
      ['CARD', 'APPROVED'],
      ['CARD', 'APPROVED'],
      ['CARD', 'INSUFFICIENT_FUNDS'],
      ['CARD', 'GENERIC_DECLINE'],
      ['CARD', 'CARD_EXPIRED'],
      ['GIFT_CARD', 'APPROVED'],
      ['GIFT_CARD', 'HALF_BALANCE'],
    ]);
  });

  it('offers test cards that have the stated outcome at a register', async () => {
    const { register } = await openBusiness(server);
    const { test_sources: sources } = (await register.call('GET', DEVICE)).body;
    for (const { source_id, kind, outcome } of sources) {
      const answer = await register.write('/api/register/sales', {
        itemizations: [{ name: 'Loaf', single_quantity_money: { amount: 1000 } }],
        tenders: [{ id: 'one', type: kind, source_id }],
      });
      const [tender] = answer.body.sale.tenders;
      const taken = outcome === 'APPROVED' ? ['COMPLETED', 1000] : ['DECLINED', 1000];
      expect([outcome, tender.status, tender.amount_money.amount]).toEqual(
        outcome === 'HALF_BALANCE' ? [outcome, 'COMPLETED', 500] : [outcome, ...taken],
      );
      if (tender.status === 'DECLINED') expect(tender.errors[0].code).toBe(outcome);
    }
  });
});

describe('register.updateDeviceSettings', () => {
  const edit = { name: 'By the door', lock_after_seconds: 30, show_pictures: false, ask_for_tip: false };

  it('needs the permission, changes this device only, and is in the audit log', async () => {
    const own = await createOwner(server);
    const [device, other] = [await pairDevice(server, own), await pairDevice(server, own)];
    const [may, mayNot] = [await hire(server, own, CHANGE_SETTINGS), await hire(server, own)];
    const without = await signInAt(device, mayNot.id);
    expect(refusal(await without.call('PUT', SETTINGS, { body: edit }))).toEqual([
      403,
      'INSUFFICIENT_SCOPES',
      undefined,
    ]);
    const register = await signInAt(device, may.id);
    const answer = await register.call('PUT', SETTINGS, { body: edit });
    expect(answer.body.settings).toEqual({ ...edit, card_reader: false, version: expect.any(String) });
    const shown = (await device.call('GET', DEVICE)).body;
    expect([shown.name, shown.settings]).toEqual([edit.name, answer.body.settings]);
    expect((await other.call('GET', DEVICE)).body.settings).toMatchObject({ name: 'Till 1', lock_after_seconds: 120 });
    const { audit_events: events } = (await own.call('GET', '/api/dashboard/audit-events?kind=DEVICE_SETTINGS_CHANGED'))
      .body;
    expect(events).toMatchObject([{ device_id: device.id, employee_id: may.id }]);
  });

  it('stores that there is a card reader, and keeps this if a register of an earlier version does not send it', async () => {
    const { register } = await openBusiness(server, {}, CHANGE_SETTINGS);
    const change = async (body: Record<string, unknown>) =>
      (await register.call('PUT', SETTINGS, { body })).body.settings.card_reader;
    expect(await change({ ...edit, card_reader: true })).toBe(true);
    expect(await change({ ...edit, name: 'Renamed' })).toBe(true);
    expect(await change({ ...edit, card_reader: false })).toBe(false);
  });

  it('refuses an edit of settings that changed meanwhile, and one of two at the same time', async () => {
    const { owner: own, register } = await openBusiness(server, {}, CHANGE_SETTINGS);
    const { version } = (await register.call('GET', DEVICE)).body.settings;
    const path = `/api/dashboard/devices/${register.device.id}`;
    expect((await own.call('PUT', path, { body: { name: 'Renamed' } })).status).toBe(200);
    const stale = await register.call('PUT', SETTINGS, { body: { ...edit, version } });
    expect(refusal(stale)).toEqual([409, 'CONFLICT', 'version']);
    const fresh = (await register.call('GET', DEVICE)).body.settings;
    const answers = await Promise.all(
      [45, 50, 55].map((lock_after_seconds) =>
        register.call('PUT', SETTINGS, { body: { ...edit, lock_after_seconds, version: fresh.version } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it.each([
    [{ lock_after_seconds: 29 }, 'VALUE_TOO_LOW', 'lock_after_seconds'],
    [{ lock_after_seconds: 3601 }, 'VALUE_TOO_HIGH', 'lock_after_seconds'],
    [{ name: '  ' }, 'INVALID_VALUE', 'name'],
    [{ show_pictures: undefined }, 'MISSING_REQUIRED_PARAMETER', 'show_pictures'],
  ])('refuses %o', async (change, code, field) => {
    const { register } = await openBusiness(server, {}, CHANGE_SETTINGS);
    expect(refusal(await register.call('PUT', SETTINGS, { body: { ...edit, ...change } }))).toEqual([400, code, field]);
  });
});

describe('register.listTeam', () => {
  it('lists who may work here, by name, with what each may do and who is clocked in', async () => {
    const own = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
    const there = ensureDefined(own.merchant.locationIds[1]);
    const device = await pairDevice(server, own);
    const manager = await hire(server, own, { role: { permissions: ['REGISTER_ISSUE_REFUNDS'] } });
    const boss = await hire(server, own, { role: { is_owner: true }, passcode: null });
    const here = await hire(server, own, { authorized_location_ids: [mainLocation(own.merchant)] });
    await hire(server, own, { authorized_location_ids: [there] });
    await hire(server, own, { active: false });
    const at = await signInAt(device, manager.id);
    expect((await at.write('/api/register/timecards/clock-in')).status).toBe(200);

    const { status, body } = await device.call('GET', TEAM);
    expect(status).toBe(200);
    const names = body.employees.map((each: { first_name: string }) => each.first_name);
    expect(names).toEqual([...names].sort());
    const byId = new Map(body.employees.map((each: { id: string }) => [each.id, each]));
    expect([...byId.keys()].sort()).toEqual([manager.id, boss.id, here.id].sort());
    expect(byId.get(manager.id)).toMatchObject({
      has_passcode: true,
      permissions: ['REGISTER_ISSUE_REFUNDS'],
      role_name: expect.any(String),
      clocked_in_since: expect.any(String),
    });
    expect(byId.get(boss.id)).toMatchObject({ has_passcode: false, permissions: [...REGISTER_PERMISSIONS] });
    expect(byId.get(here.id)).toEqual({
      id: here.id,
      first_name: here.first_name,
      last_name: here.last_name,
      has_passcode: true,
      permissions: [],
    });
    expect((await device.call('GET', TEAM)).text).not.toContain('argon2');
  });
});

describe('register.showSession', () => {
  it('shows what signIn returned, without the secret, and follows the role and the clock', async () => {
    const own = await createOwner(server);
    const device = await pairDevice(server, own);
    const employee = await hire(server, own, { role: { permissions: ['REGISTER_EDIT_ITEM'] } });
    const signedIn = (await device.signIn(employee.id)).body;
    expect(signedIn).toMatchObject({ employee_id: employee.id, permissions: ['REGISTER_EDIT_ITEM'] });
    const register = await signInAt(device, employee.id);
    const { session: _, now: before, ...rest } = signedIn;
    const shown = await register.call('GET', SESSION);
    expect(shown.body).toEqual({ ...rest, now: expect.any(String) });
    expect(Date.parse(shown.body.now)).toBeGreaterThanOrEqual(Date.parse(before));
    expect(shown.text).not.toContain(register.session);

    const clocked = (await register.write('/api/register/timecards/clock-in')).body.timecard;
    expect((await register.call('GET', SESSION)).body.clocked_in_since).toBe(clocked.clockin_time);
    expect((await register.write('/api/register/timecards/clock-out')).status).toBe(200);
    expect((await register.call('GET', SESSION)).body.clocked_in_since).toBeUndefined();
    expect((await device.call('GET', SESSION)).status).toBe(401);
  });

  it('shows nobody as clocked in by a deleted timecard, and lets them clock in again everywhere (decision 0021)', async () => {
    const own = await createOwner(server);
    const { token } = own.merchant;
    const employee = await hire(server, own);
    const device = await pairDevice(server, own);
    const register = await signInAt(device, employee.id);
    const clockIn = () => register.write('/api/register/timecards/clock-in');
    const createAt = async (surface: string): Promise<string> => {
      const card = { employee_id: employee.id, clockin_time: '2020-02-26T08:00:00Z' };
      if (surface === 'register') return (await clockIn()).body.timecard.id;
      if (surface === 'v1') return (await server.call('POST', '/v1/me/timecards', { token, body: card })).body.id;
      return (await own.call('POST', '/api/dashboard/timecards', { body: card })).body.timecard.id;
    };
    for (const surface of ['register', 'v1', 'dashboard', 'register']) {
      const id = await createAt(surface);
      expect((await clockIn()).status).toBe(400);
      expect((await server.call('DELETE', `/v1/me/timecards/${id}`, { token })).status).toBe(200);
      expect((await register.call('GET', SESSION)).body.clocked_in_since).toBeUndefined();
      const team = (await device.call('GET', TEAM)).body.employees;
      expect(team.find((each: { id: string }) => each.id === employee.id)).not.toHaveProperty('clocked_in_since');
      expect((await register.write('/api/register/timecards/clock-out')).status).toBe(400);
    }
  });

  it('lets an employee whose clock-in is still to come clock out, at the register and by the owner (decision 0021)', async () => {
    const own = await createOwner(server);
    const { token } = own.merchant;
    const employee = await hire(server, own);
    const register = await signInAt(await pairDevice(server, own), employee.id);
    const planned = { employee_id: employee.id, clockin_time: '2099-01-01T08:00:00Z' };
    const plan = async () => (await server.call('POST', '/v1/me/timecards', { token, body: planned })).body.id;
    const ended = { clockout_time: planned.clockin_time, regular_seconds_worked: 0 };
    await plan();
    const out = await register.write('/api/register/timecards/clock-out');
    expect(out.body.timecard, out.text).toMatchObject(ended);
    const closed = await own.call('POST', `/api/dashboard/timecards/${await plan()}/close`, { body: {} });
    expect(closed.body.timecard, closed.text).toMatchObject(ended);
    expect((await register.call('GET', SESSION)).body.clocked_in_since).toBeUndefined();
    expect((await register.write('/api/register/timecards/clock-in')).status).toBe(200);
  });
});
