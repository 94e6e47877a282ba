/** Pairing a register by the code that it shows, on one server or two (decisions 0151 and 0208). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAuditEvents } from '../../support/audit.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { mainLocation } from '../../support/people.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let other: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer({ guards: { pairingCodes: 80 } });
  other = await startTestServer({ databaseUrl: server.databaseUrl });
  owner = await createOwner(server);
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

interface Waiting {
  readonly code: string;
  readonly device_token: string;
}

const CODES = '/api/register/pairing-codes';
const shownCodes = new Set<string>();
async function ask(at = server): Promise<Waiting> {
  const { body } = await at.call('POST', CODES);
  shownCodes.add(body.code);
  return body;
}
const stateOf = async ({ device_token }: Waiting, at = server): Promise<string> =>
  (await at.call('POST', `${CODES}/state`, { body: { device_token } })).body.state;
const answer = async ({ device_token }: Waiting, accept: boolean, at = server): Promise<string> =>
  (await at.call('POST', `${CODES}/answer`, { body: { device_token, accept } })).body.state;
const pair = (code: string, by = owner, name = 'Front counter'): Promise<ApiResponse> =>
  by.call('POST', '/api/dashboard/pairings', { body: { code, name, location_id: mainLocation(by.merchant) } });

const showDevice = ({ device_token: token }: Waiting, at = server) => at.call('GET', '/api/register/device', { token });
const listDevices = async (): Promise<string[]> =>
  (await owner.call('GET', '/api/dashboard/devices')).body.devices.map(({ id }: { id: string }) => id);

/** Codes that no register shows. The network has fifty in 15 minutes, which the tests share. */
async function wrongCodes(count: number): Promise<string[]> {
  await server.database.sql`delete from sign_in_attempts where failures > 30`;
  const all = Array.from({ length: count + shownCodes.size }, (_, at) => String(at).padStart(6, '0'));
  return all.filter((code) => !shownCodes.has(code)).slice(0, count);
}

describe('a pairing code', () => {
  it('pairs the register that shows it once somebody there agrees; it calls with the secret it had all along', async () => {
    const waiting = await ask(other);
    expect(waiting.code).toMatch(/^\d{6}$/);
    expect([await stateOf(waiting), await answer(waiting, true)]).toEqual(['WAITING', 'WAITING']); // nobody has asked
    expect((await showDevice(waiting)).status).toBe(401);
    const typed = await pair(`${waiting.code.slice(0, 3)} ${waiting.code.slice(3)}`);
    expect([typed.status, typed.body.device.paired]).toEqual([200, false]);
    expect(Date.parse(typed.body.expires_at) - Date.now()).toBeLessThanOrEqual(600_000);
    expect(typed.text).not.toContain('dev_');
    const asked = await other.call('POST', `${CODES}/state`, { body: { device_token: waiting.device_token } });
    const { merchant, locations } = (await owner.call('GET', '/api/dashboard/business')).body;
    expect(asked.body).toEqual({
      ...{ state: 'ASKED', name: 'Front counter' },
      ...{ business_name: merchant.business_name, location_name: locations[0].name },
    });
    expect((await showDevice(waiting)).status).toBe(401);
    expect(await listDevices()).not.toContain(typed.body.device.id);
    expect(await answer(waiting, true, other)).toBe('PAIRED');
    expect([await stateOf(waiting), await stateOf(waiting, other)]).toEqual(['PAIRED', 'PAIRED']);
    expect(await answer(waiting, false)).toBe('PAIRED'); // too late
    const shown = await showDevice(waiting, other);
    expect(shown.body).toMatchObject({
      id: typed.body.device.id,
      name: 'Front counter',
      location_id: mainLocation(owner.merchant),
    });
    expect(await listDevices()).toContain(typed.body.device.id);
  });

  it('pairs nothing if somebody there does not agree, and cannot be typed again', async () => {
    const waiting = await ask();
    const { device } = (await pair(waiting.code)).body;
    expect(await answer(waiting, false)).toBe('EXPIRED');
    expect([await answer(waiting, true), await stateOf(waiting)]).toEqual(['EXPIRED', 'EXPIRED']);
    expect((await pair(waiting.code)).status).toBe(400);
    expect((await showDevice(waiting)).status).toBe(401);
    expect(await listDevices()).not.toContain(device.id);
  });

  it('pairs one device, however often somebody agrees', async () => {
    const waiting = await ask();
    const { device } = (await pair(waiting.code)).body;
    const states = await Promise.all(
      Array.from({ length: 5 }, (_, at) => answer(waiting, true, at % 2 ? other : server)),
    );
    expect(states).toEqual(Array(5).fill('PAIRED'));
    expect((await listDevices()).filter((id) => id === device.id)).toHaveLength(1);
    expect((await showDevice(waiting)).status).toBe(200);
    const events = await listAuditEvents(owner, '?kind=DEVICE_PAIRED');
    expect(events.filter(({ device_id }) => device_id === device.id)).toHaveLength(1);
  });

  it('works once, and only for ten minutes', async () => {
    const [used, late] = [await ask(), await ask()];
    expect((await pair(used.code)).status).toBe(200);
    expect((await pair(used.code, await createOwner(server))).status).toBe(400);
    expect((await pair(used.code)).status).toBe(400);
    await server.database.sql`update pairing_codes set expires_at = created_at`;
    expect(await answer(used, true)).toBe('EXPIRED');
    const refused = await pair(late.code);
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'code']);
    expect(await stateOf(late)).toBe('EXPIRED');
    expect((await server.call('GET', '/api/register/device', { token: late.device_token })).status).toBe(401);
  });

  it('is stored as a keyed hash, and the secret as a hash', async () => {
    const { code, device_token } = await ask();
    const rows = await server.database
      .sql`select encode(code_hash, 'escape') || encode(token_hash, 'escape') as all from pairing_codes`;
    expect(JSON.stringify(rows)).not.toContain(code);
    expect(JSON.stringify(rows)).not.toContain(device_token);
  });

  it('cannot be guessed: an account has ten attempts', async () => {
    const thief = await createOwner(server);
    const { code } = await ask();
    for (const guess of await wrongCodes(10)) expect((await pair(guess, thief)).status).toBe(400);
    const blocked = await pair(code, thief);
    expect([blocked.status, blocked.body.errors[0].detail]).toEqual([429, 'Too many wrong codes. Try again later.']);
    expect((await pair(code)).status).toBe(200); // others are not blocked
  });

  it('cannot be guessed between right ones: a success clears no count', async () => {
    const thief = await createOwner(server);
    for (let round = 0; round < 3; round++) {
      for (const guess of await wrongCodes(3)) expect((await pair(guess, thief)).status).toBe(400);
      const own = await ask();
      expect((await pair(own.code, thief)).status).toBe(200);
      expect(await answer(own, round % 2 === 0)).toMatch(/PAIRED|EXPIRED/);
    }
    const [tenth = '', eleventh = ''] = await wrongCodes(2);
    expect((await pair(tenth, thief)).status).toBe(400);
    for (const guess of [eleventh, (await ask()).code]) expect((await pair(guess, thief)).status).toBe(429);
  });

  it('cannot be guessed for days: an account has twenty attempts a day, however it spreads them', async () => {
    const thief = await createOwner(server);
    const wait = () => server.database.sql`
      update sign_in_attempts set window_ends_at = window_ends_at - interval '16 minutes'`;
    for (let round = 0; round < 4; round++) {
      for (const guess of await wrongCodes(5)) expect((await pair(guess, thief)).status).toBe(400);
      await wait();
    }
    const refused = await pair((await ask()).code, thief);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(20 * 3600);
    expect((await pair((await ask()).code)).status).toBe(200); // other accounts of the same network are not blocked
  });

  it('is refused with a bad location, a bad name or bad digits before it is used up', async () => {
    const { code } = await ask();
    const tries = [
      { code, name: 'A', location_id: 'L000' },
      { code, name: '', location_id: mainLocation(owner.merchant) },
      { code: '12345', name: 'A', location_id: mainLocation(owner.merchant) },
      { code: `${code}0`, name: 'A', location_id: mainLocation(owner.merchant) },
      { code: Number(code), name: 'A', location_id: [] },
    ];
    for (const body of tries) expect((await owner.call('POST', '/api/dashboard/pairings', { body })).status).toBe(400);
    expect((await pair(code)).status).toBe(200);
  });

  it('needs a recent sign-in', async () => {
    const { code } = await ask();
    const old = await createOwner(server);
    await server.database.sql`
      update sessions set confirmed_at = '2020-01-01' where merchant_id = ${old.merchant.id}`;
    await expect
      .poll(async () => (await pair('000', old)).body.errors[0].code, { timeout: 5000 })
      .toBe('RECENT_SIGN_IN_REQUIRED');
    expect((await pair(code)).status).toBe(200);
  });

  it('is given to one network only a limited number of times', async () => {
    let last = await server.call('POST', CODES);
    for (let count = 0; count < 90 && last.status === 200; count++) last = await server.call('POST', CODES);
    expect(last.status).toBe(429);
  });
});

describe('a device', () => {
  it('is renamed and unpaired, and shows when it was last seen', async () => {
    const waiting = await ask(other);
    const { id } = (await pair(waiting.code)).body.device;
    await answer(waiting, true);
    const find = async () =>
      (await owner.call('GET', '/api/dashboard/devices')).body.devices.find((each: { id: string }) => each.id === id);
    expect((await find()).last_seen_at).toBeUndefined();
    await server.call('GET', '/api/register/device', { token: waiting.device_token });
    await expect.poll(async () => (await find()).last_seen_at, { timeout: 10_000 }).toMatch(/^\d{4}-/);
    const renamed = await owner.call('PUT', `/api/dashboard/devices/${id}`, { body: { name: 'Bar <b>' } });
    expect([renamed.status, renamed.body.device.name]).toEqual([200, 'Bar <b>']);
    expect((await server.call('GET', '/api/register/device', { token: waiting.device_token })).body.name).toBe(
      'Bar <b>',
    );
    const stranger = await createOwner(server);
    expect((await stranger.call('PUT', `/api/dashboard/devices/${id}`, { body: { name: 'Mine' } })).status).toBe(404);
    expect((await owner.call('DELETE', `/api/dashboard/devices/${id}`)).status).toBe(200);
    expect((await server.call('GET', '/api/register/device', { token: waiting.device_token })).status).toBe(401);
    const { audit_events } = (await owner.call('GET', '/api/dashboard/audit-events')).body;
    const kinds = audit_events
      .filter((each: { device_id?: string }) => each.device_id === id)
      .map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(['DEVICE_UNPAIRED', 'DEVICE_RENAMED', 'DEVICE_PAIRED']);
  });
});
