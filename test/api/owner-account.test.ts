/** The owner's account: password, sessions, personal tokens, and password confirmation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '../../src/base/secrets.js';
import { operations } from '../../src/operations.js';
import { pollUntil, shifted } from '../support/clock.js';
import { cookieOf, createOwner, PASSWORD, signIn, type TestOwner } from '../support/dashboard.js';
import type { Answer } from '../support/http.js';
import { startTestServer, type TestServer } from '../support/server.js';

const NEW_PASSWORD = 'a new and long password';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const sessionHash = (cookie: string): Buffer => hashSecret(cookie.split('=')[1] ?? '');
const show = (cookie: string): Promise<Answer> => server.call('GET', '/api/dashboard/session', { headers: { cookie } });
const codeOf = ({ body }: Answer): string | undefined => body?.errors?.[0]?.code;

/** Another session of the same owner, whose password check is long ago. */
async function oldSession({ email }: TestOwner, minutes = 16): Promise<string> {
  const cookie = cookieOf(await signIn(server, email));
  const { sql } = server.database;
  await sql`
    update sessions
    set confirmed_at = ${shifted(sql, 'confirmed_at', `-${minutes} minutes`)}
    where token_hash = ${sessionHash(cookie)}`;
  return cookie;
}

describe('dashboard.changePassword', () => {
  const change = (owner: TestOwner, body: Record<string, unknown>) =>
    owner.call('PUT', '/api/dashboard/password', { body });

  it('requires the old password, ends every other session and keeps this one', async () => {
    const owner = await createOwner(server);
    const other = cookieOf(await signIn(server, owner.email));
    const answer = await change(owner, { old_password: PASSWORD, new_password: NEW_PASSWORD });
    expect([answer.status, answer.body]).toEqual([200, {}]);
    expect([(await show(owner.cookie)).status, (await show(other)).status]).toEqual([200, 401]);
    expect((await signIn(server, owner.email, PASSWORD)).status).toBe(401);
    expect((await signIn(server, owner.email, NEW_PASSWORD)).status).toBe(200);
  });

  it.each([
    ['a wrong old password', { old_password: 'wrong', new_password: NEW_PASSWORD }, 403],
    ['a short new password', { old_password: PASSWORD, new_password: 'short' }, 400],
    ['no old password', { new_password: NEW_PASSWORD }, 400],
  ])('refuses %s and changes nothing', async (_what, body, status) => {
    const owner = await createOwner(server);
    expect((await change(owner, body)).status).toBe(status);
    expect((await signIn(server, owner.email, PASSWORD)).status).toBe(200);
  });

  it('accepts five wrong old passwords per session, then refuses', async () => {
    const owner = await createOwner(server);
    const wrong = { old_password: 'wrong', new_password: NEW_PASSWORD };
    for (let guess = 0; guess < 5; guess++) expect((await change(owner, wrong)).status).toBe(403);
    const right = await change(owner, { ...wrong, old_password: PASSWORD });
    expect([right.status, Number(right.headers['retry-after']) > 0]).toEqual([429, true]);
    expect((await signIn(server, owner.email)).status).toBe(200); // the owner can still sign in elsewhere
  });
});

describe('sessions', () => {
  const list = async (owner: TestOwner) => (await owner.call('GET', '/api/dashboard/sessions')).body.sessions;

  it('are listed with their start time and address, without a token', async () => {
    const owner = await createOwner(server);
    await signIn(server, owner.email, PASSWORD, { 'user-agent': 'Till Browser/1.0' });
    const answer = await owner.call('GET', '/api/dashboard/sessions');
    expect(answer.body.sessions).toHaveLength(2);
    expect(answer.body.sessions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ surface: 'dashboard', current: true, address: '127.0.0.1' }),
        expect.objectContaining({ surface: 'dashboard', current: false, user_agent: 'Till Browser/1.0' }),
      ]),
    );
    for (const { created_at, last_used_at, expires_at } of answer.body.sessions) {
      expect(Date.parse(last_used_at)).toBeGreaterThanOrEqual(Date.parse(created_at));
      expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(12 * 60 * 60 * 1000);
    }
    expect(answer.text).not.toContain(owner.cookie.split('=')[1]);
    expect(answer.text).not.toContain(sessionHash(owner.cookie).toString('hex'));
  });

  it('show when they were last used, with a precision of a few minutes', async () => {
    const owner = await createOwner(server);
    const cookie = cookieOf(await signIn(server, owner.email));
    const { sql } = server.database;
    await sql`
      update sessions
      set created_at = ${shifted(sql, 'created_at', '-1 hour')}, last_used_at = ${shifted(sql, 'last_used_at', '-1 hour')}
      where token_hash = ${sessionHash(cookie)}`;
    expect((await show(cookie)).status).toBe(200);
    const used = async () => {
      const other = (await list(owner)).find(({ current }: { current: boolean }) => !current);
      return Date.parse(other.last_used_at) - Date.parse(other.created_at);
    };
    expect(await pollUntil(used, (ms) => ms > 59 * 60 * 1000, 10_000)).toBeGreaterThan(59 * 60 * 1000);
  });

  it('end one by one, immediately; those of other owners return 404', async () => {
    const [owner, stranger] = [await createOwner(server), await createOwner(server)];
    const other = cookieOf(await signIn(server, owner.email));
    expect((await show(other)).status).toBe(200);
    const { id } = (await list(owner)).find(({ current }: { current: boolean }) => !current);
    expect((await stranger.call('DELETE', `/api/dashboard/sessions/${id}`)).status).toBe(404);
    expect((await owner.call('DELETE', `/api/dashboard/sessions/${id}`)).status).toBe(200);
    expect([(await show(other)).status, (await show(owner.cookie)).status]).toEqual([401, 200]);
    expect((await owner.call('DELETE', `/api/dashboard/sessions/${id}`)).status).toBe(404);
    expect((await owner.call('DELETE', '/api/dashboard/sessions/nonsense')).status).toBe(404);
  });

  it('end everywhere, including this one', async () => {
    const [owner, stranger] = [await createOwner(server), await createOwner(server)];
    const other = cookieOf(await signIn(server, owner.email));
    const answer = await owner.call('DELETE', '/api/dashboard/sessions');
    expect([answer.status, String(answer.headers['set-cookie'])]).toEqual([200, expect.stringContaining('Max-Age=0')]);
    expect([(await show(other)).status, (await show(owner.cookie)).status]).toEqual([401, 401]);
    expect((await show(stranger.cookie)).status).toBe(200);
  });
});

describe('personal tokens', () => {
  it('are listed without the token, and revoked immediately', async () => {
    const owner = await createOwner(server);
    const second = await server.createToken(owner.merchant.id, ['EMPLOYEES_READ']);
    const answer = await owner.call('GET', '/api/dashboard/tokens');
    expect(answer.body.tokens).toHaveLength(2);
    for (const token of [owner.merchant.token, second]) expect(answer.text).not.toContain(token);
    const listed = answer.body.tokens.find(({ permissions }: { permissions: string[] }) => permissions.length === 1);
    expect(listed).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      label: expect.any(String),
      permissions: ['EMPLOYEES_READ'],
      created_at: expect.any(String),
    });
    expect((await server.call('GET', '/v2/employees', { token: second })).status).toBe(200);
    expect((await owner.call('DELETE', `/api/dashboard/tokens/${listed.id}`)).status).toBe(200);
    expect((await server.call('GET', '/v2/employees', { token: second })).status).toBe(401);
    expect((await server.call('GET', '/v2/employees', { token: owner.merchant.token })).status).toBe(200);
    const after = (await owner.call('GET', '/api/dashboard/tokens')).body.tokens;
    expect(after.find(({ id }: { id: string }) => id === listed.id)).toHaveProperty('revoked_at');
  });

  it('of other merchants return 404', async () => {
    const [owner, stranger] = [await createOwner(server), await createOwner(server)];
    const [token] = (await owner.call('GET', '/api/dashboard/tokens')).body.tokens;
    expect((await stranger.call('DELETE', `/api/dashboard/tokens/${token.id}`)).status).toBe(404);
    expect((await server.call('GET', '/v1/me', { token: owner.merchant.token })).status).toBe(200);
  });
});

const guarded = operations.filter(({ recentSignIn }) => recentSignIn);

describe('a recent sign-in', () => {
  it('is required to change keys, tokens and bank accounts, and to erase', () => {
    expect(guarded.map(({ name }) => name).sort()).toEqual([
      'createPublishableKey',
      'createToken',
      'createWebhookSubscription',
      'deleteWebhookSubscription',
      'eraseBuyer',
      'linkBankAccount',
      'pairDevice',
      'pairDeviceByCode',
      'putBankAccountInForce',
      'registerApplication',
      'revokeAuthorization',
      'revokePublishableKey',
      'revokeToken',
      'rotateApplicationSecret',
      'setPasscode',
      'setV1Webhook',
      'unpairDevice',
      'updateWebhookSubscription',
    ]);
    for (const { surface, permission, method } of guarded) {
      expect([surface, permission, method === 'GET']).toEqual(['dashboard', 'OWNER', false]);
    }
  });

  it.each(guarded.map((operation) => [operation.name, operation] as const))(
    '%s requires it, explains how to get it, and succeeds after the password is confirmed',
    async (_name, { method, path }) => {
      const owner = await createOwner(server);
      const headers = { cookie: await oldSession(owner) };
      const ask = () => server.call(method, path.replaceAll(/\{\w+\}/g, 'x'), { headers, body: 'not judged yet' });
      const refused = await ask();
      expect([refused.status, codeOf(refused)]).toEqual([403, 'RECENT_SIGN_IN_REQUIRED']);
      expect(refused.body.errors[0].detail).toContain('POST /api/dashboard/session/confirm');
      const body = { password: PASSWORD };
      expect((await server.call('POST', '/api/dashboard/session/confirm', { headers, body })).status).toBe(200);
      expect([403, 401]).not.toContain((await ask()).status);
    },
  );

  it('lasts fifteen minutes; reads do not require it', async () => {
    const owner = await createOwner(server);
    const [young, old] = [await oldSession(owner, 14), await oldSession(owner, 16)];
    const body = { name: 'Till', location_id: owner.merchant.locationIds[0] };
    const pair = (cookie: string) => server.call('POST', '/api/dashboard/devices', { headers: { cookie }, body });
    expect([(await pair(young)).status, (await pair(old)).status]).toEqual([200, 403]);
    expect((await server.call('GET', '/api/dashboard/devices', { headers: { cookie: old } })).status).toBe(200);
    expect((await server.call('DELETE', '/api/dashboard/sessions', { headers: { cookie: old } })).status).toBe(200);
  });

  it('is not obtained with a wrong password, nor for other sessions', async () => {
    const owner = await createOwner(server);
    const [one, two] = [await oldSession(owner), await oldSession(owner)];
    const confirm = (cookie: string, password: string) =>
      server.call('POST', '/api/dashboard/session/confirm', { headers: { cookie }, body: { password } });
    const wrong = await confirm(one, 'wrong');
    expect([wrong.status, codeOf(wrong)]).toEqual([403, 'FORBIDDEN']);
    expect((await confirm(one, PASSWORD)).status).toBe(200);
    const body = { location_id: owner.merchant.locationIds[0] };
    const make = (cookie: string) =>
      server.call('POST', '/api/dashboard/publishable-keys', { headers: { cookie }, body });
    expect([(await make(one)).status, (await make(two)).status]).toEqual([200, 403]);
  });
});
