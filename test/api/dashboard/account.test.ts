/** The account of the owner: password, sessions, personal tokens, confirmation, and sign-ins during a password change (decision 0121). */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '../../../src/base/secrets.js';
import { operations } from '../../../src/operations.js';
import { pollUntil, shifted } from '../../support/clock.js';
import { cookieOf, createOwner, PASSWORD, signIn, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { interleave } from '../../support/interleaving.js';
import { withFullHashes } from '../../support/quick-argon2.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('the account', () => {
  const NEW_PASSWORD = 'a new and long password';

  const sessionHash = (cookie: string): Buffer => hashSecret(cookie.split('=')[1] ?? '');
  const show = (cookie: string): Promise<ApiResponse> =>
    server.call('GET', '/api/dashboard/session', { headers: { cookie } });
  const codeOf = ({ body }: ApiResponse): string | undefined => body?.errors?.[0]?.code;

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
      expect([answer.status, String(answer.headers['set-cookie'])]).toEqual([
        200,
        expect.stringContaining('Max-Age=0'),
      ]);
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
        'deleteMadeSubscription',
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
        'rotateMadeSubscriptionKey',
        'setPasscode',
        'setV1Webhook',
        'testMadeSubscription',
        'unpairDevice',
        'updateMadeSubscription',
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
});

describe('a changed password', () => {
  describe('a sign-in with the old password', () => {
    it('that arrives while the new password is being set is refused', async () => {
      const owner = await createOwner(server);
      const answer = await interleave(server, {
        hold: (tx) => tx`update accounts set password_hash = 'another' where merchant_id = ${owner.merchant.id}`,
        work: () => signIn(server, owner.email, PASSWORD),
      });
      expect(answer.status).toBe(401);
    });

    it('that has just succeeded ends with the change', async () => {
      const owner = await createOwner(server);
      const answer = await interleave(server, {
        async hold(tx) {
          // The state of a sign-in that has not committed yet.
          await tx`select from accounts where merchant_id = ${owner.merchant.id} for share`;
          await tx`
          insert into sessions (token_hash, surface, account_id, merchant_id, created_at, expires_at, confirmed_at, last_used_at)
          select '\\x01', surface, account_id, merchant_id, created_at, expires_at, confirmed_at, last_used_at
          from sessions
          where merchant_id = ${owner.merchant.id}`;
        },
        work: () =>
          owner.call('PUT', '/api/dashboard/password', {
            body: { old_password: PASSWORD, new_password: 'a new and long password' },
          }),
      });
      expect(answer.status).toBe(200);
      const rows = await server.database.sql<{ ended: boolean }[]>`
      select revoked_at is not null as ended
      from sessions
      where merchant_id = ${owner.merchant.id} and token_hash = '\\x01'`;
      expect(rows).toEqual([{ ended: true }]);
    });
  });

  describe('two concurrent password changes', () => {
    it('with the old password: the second is refused', async () => {
      const owner = await createOwner(server);
      const change = (name: string) =>
        owner.call('PUT', '/api/dashboard/password', {
          body: { old_password: PASSWORD, new_password: `the password of ${name}` },
        });
      const answers = await withFullHashes(() => Promise.all([change('one'), change('another')]));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    });
  });
});

describe('the tokens of the owner', () => {
  let owner: TestOwner;

  beforeAll(async () => {
    owner = await createOwner(server);
  });

  const PATH = '/api/dashboard/tokens';
  const create = (body: Record<string, unknown>) => owner.call('POST', PATH, { body });
  const find = async (id: string) =>
    (await owner.call('GET', PATH)).body.tokens.find((token: { id: string }) => token.id === id);

  describe('a personal token', () => {
    it('works with its permissions in v1 and v2, shows its last use, and can be revoked', async () => {
      const answer = await create({ label: 'Books', permissions: ['EMPLOYEES_READ', 'EMPLOYEES_READ'] });
      expect(answer.status).toBe(200);
      const { token, access_token } = answer.body;
      expect(token).toMatchObject({ label: 'Books', permissions: ['EMPLOYEES_READ'] });
      expect(token.last_used_at).toBeUndefined();
      for (const path of ['/v1/me/employees', '/v2/employees']) {
        expect([path, (await server.call('GET', path, { token: access_token })).status]).toEqual([path, 200]);
      }
      expect((await server.call('GET', '/v2/payments', { token: access_token })).status).toBe(403);
      await expect.poll(async () => (await find(token.id)).last_used_at, { timeout: 10_000 }).toMatch(/^\d{4}-/);
      expect((await owner.call('GET', PATH)).text).not.toContain(access_token);
      expect((await owner.call('DELETE', `${PATH}/${token.id}`)).status).toBe(200);
      expect((await server.call('GET', '/v2/employees', { token: access_token })).status).toBe(401);
      const { audit_events } = (await owner.call('GET', '/api/dashboard/audit-events?kind=TOKEN_CREATED')).body;
      expect(audit_events[0]).toMatchObject({ details: { token_id: token.id, label: 'Books' } });
      expect(audit_events[0].account_id).toBeDefined();
    });

    it('expires when its owner said', async () => {
      const expires_at = new Date(Date.now() + 3000).toISOString();
      const { access_token } = (await create({ label: 'Short', permissions: ['EMPLOYEES_READ'], expires_at })).body;
      expect((await server.call('GET', '/v2/employees', { token: access_token })).status).toBe(200);
      await expect
        .poll(async () => (await server.call('GET', '/v2/employees', { token: access_token })).body.errors?.[0].code, {
          timeout: 10_000,
        })
        .toBe('ACCESS_TOKEN_EXPIRED');
    });

    it.each([
      ['no label', { label: '', permissions: ['EMPLOYEES_READ'] }],
      ['a long label', { label: 'x'.repeat(300), permissions: ['EMPLOYEES_READ'] }],
      ['no permissions', { label: 'A', permissions: [] }],
      ['an unknown permission', { label: 'A', permissions: ['EVERYTHING'] }],
      ['an expiry in the past', { label: 'A', permissions: ['EMPLOYEES_READ'], expires_at: '2020-01-01T00:00:00Z' }],
      ['an expiry that is no time', { label: 'A', permissions: ['EMPLOYEES_READ'], expires_at: 'tomorrow' }],
    ])('is refused with %s', async (_, body) => {
      expect((await create(body)).status).toBe(400);
    });

    it('is refused after a hundred valid ones', async () => {
      owner = await createOwner(server);
      let last = await create({ label: 'One of many', permissions: ['EMPLOYEES_READ'] });
      for (let count = 0; count < 110 && last.status === 200; count++) {
        last = await create({ label: 'One of many', permissions: ['EMPLOYEES_READ'] });
      }
      expect([last.status, last.body.errors[0].code]).toEqual([409, 'CONFLICT']);
    });
  });
});
