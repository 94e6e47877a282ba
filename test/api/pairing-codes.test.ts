/** Pairing a register by the code that it shows, on one server or two (decision 0151). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import type { ApiResponse } from '../support/http.js';
import { mainLocation } from '../support/people.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
let other: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer({ guards: { pairingCodes: 60 } });
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
const ask = async (at = server): Promise<Waiting> => (await at.call('POST', CODES)).body;
const stateOf = async ({ device_token }: Waiting, at = server): Promise<string> =>
  (await at.call('POST', `${CODES}/state`, { body: { device_token } })).body.state;
const pair = (code: string, by = owner, name = 'Front counter'): Promise<ApiResponse> =>
  by.call('POST', '/api/dashboard/pairings', { body: { code, name, location_id: mainLocation(by.merchant) } });

describe('a pairing code', () => {
  it('pairs the register that shows it, which then calls with the secret it had all along', async () => {
    const waiting = await ask(other);
    expect(waiting.code).toMatch(/^\d{6}$/);
    expect(await stateOf(waiting)).toBe('WAITING');
    expect((await server.call('GET', '/api/register/device', { token: waiting.device_token })).status).toBe(401);
    const answer = await pair(`${waiting.code.slice(0, 3)} ${waiting.code.slice(3)}`);
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('dev_');
    expect([await stateOf(waiting), await stateOf(waiting, other)]).toEqual(['PAIRED', 'PAIRED']);
    const shown = await other.call('GET', '/api/register/device', { token: waiting.device_token });
    expect(shown.body).toMatchObject({
      id: answer.body.device.id,
      name: 'Front counter',
      location_id: mainLocation(owner.merchant),
    });
  });

  it('works once, and only for ten minutes', async () => {
    const [used, late] = [await ask(), await ask()];
    expect((await pair(used.code)).status).toBe(200);
    expect((await pair(used.code)).status).toBe(400);
    await server.database.sql`update pairing_codes set expires_at = created_at`;
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
    const wrong = [...Array(11).keys()].map((step) => String((Number(code) + step + 1) % 1_000_000).padStart(6, '0'));
    for (const guess of wrong.slice(0, 10)) expect((await pair(guess, thief)).status).toBe(400);
    const blocked = await pair(code, thief);
    expect([blocked.status, blocked.body.errors[0].detail]).toEqual([429, 'Too many wrong codes. Try again later.']);
    expect((await pair(code)).status).toBe(200); // others are not blocked
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
    for (let count = 0; count < 70 && last.status === 200; count++) last = await server.call('POST', CODES);
    expect(last.status).toBe(429);
  });
});

describe('a device', () => {
  it('is renamed and unpaired, and shows when it was last seen', async () => {
    const waiting = await ask(other);
    const { id } = (await pair(waiting.code)).body.device;
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
