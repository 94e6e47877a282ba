/** Dashboard sign-in and sign-out: sessions, limited attempts, and protection in browsers (decision 0053). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '../../../src/base/secrets.js';
import { pollUntil } from '../../support/clock.js';
import { cookieOf, createOwner, newOwnerEmail, PASSWORD, signIn } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { withFullHashes } from '../../support/quick-argon2.js';
import {
  OPERATOR_KEY,
  startProduction,
  startTestServer,
  type TestMerchant,
  type TestServer,
} from '../../support/server.js';

const SESSION = '/api/dashboard/session';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function newAccount(): Promise<{ email: string; merchant: TestMerchant }> {
  const email = newOwnerEmail();
  return { email, merchant: await server.createMerchant({ owner: { email, password: PASSWORD } }) };
}

const showSession = (cookie: string): Promise<ApiResponse> => server.call('GET', SESSION, { headers: { cookie } });
const wrong = (email: string): Promise<ApiResponse> => signIn(server, email, 'a wrong guess');

describe('dashboard.signIn', () => {
  it('returns the owner, and a cookie that scripts and other sites cannot read', async () => {
    const { email, merchant } = await newAccount();
    const answer = await signIn(server, email);
    expect([answer.status, answer.body]).toEqual([200, { merchant_id: merchant.id, email }]);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^tillhouse_session_\d+=[\w-]{43}; Path=\/api\/dashboard; HttpOnly; SameSite=Strict; Max-Age=43200$/,
      ),
      expect.stringMatching(
        /^tillhouse_device_\d+=[\w.-]{66}; Path=\/api\/dashboard; HttpOnly; SameSite=Strict; Max-Age=34560000$/,
      ),
    ]);
  });

  it('sets host-only TLS cookies in production, and plain ones in a sandbox', async () => {
    const { email } = await newAccount();
    const { production, sandbox, stop } = await startProduction();
    try {
      const owner = await createOwner(sandbox);
      const [secure] = (await signIn(production, owner.email)).headers['set-cookie'] ?? [];
      expect(secure).toMatch(
        /^__Host-tillhouse_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
      );
    } finally {
      await stop();
    }
    expect(String((await signIn(server, email)).headers['set-cookie'])).not.toContain('Secure');
  });

  it('creates a new session each time', async () => {
    const { email } = await newAccount();
    const [one, two] = [cookieOf(await signIn(server, email)), cookieOf(await signIn(server, email))];
    expect(one).not.toBe(two);
    expect([(await showSession(one)).status, (await showSession(two)).status]).toEqual([200, 200]);
  });

  it('ignores the case of the email, and compares the password exactly', async () => {
    const { email } = await newAccount();
    expect((await signIn(server, email.toUpperCase())).body.email).toBe(email);
    expect((await signIn(server, email, PASSWORD.toUpperCase())).status).toBe(401);
    expect((await signIn(server, email, `${PASSWORD} `)).status).toBe(401);
  });

  it('stores neither the session token nor the password in plain text', async () => {
    const { email } = await withFullHashes(newAccount);
    const session = cookieOf(await signIn(server, email)).split('=')[1] ?? '';
    const [row] = await server.database.sql<{ hash: string; passwordHash: string }[]>`
      select encode(token_hash, 'hex') as hash, password_hash
      from sessions join accounts using (account_id)
      where email = ${email}`;
    expect(row?.hash).toBe(hashSecret(session).toString('hex'));
    expect(row?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('returns the same 401 without a cookie for a wrong password and for an unknown email', async () => {
    const { email } = await newAccount();
    const [known, unknown] = [await wrong(email), await wrong('nobody@example.com')];
    expect(known.status).toBe(401);
    expect(known.body.errors[0]).toMatchObject({ category: 'AUTHENTICATION_ERROR', code: 'UNAUTHORIZED' });
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    expect(Object.keys(unknown.headers).sort()).toEqual(Object.keys(known.headers).sort());
    expect(known.headers['set-cookie']).toBeUndefined();
  });

  it.each([
    ['no email', { password: PASSWORD }, 'MISSING_REQUIRED_PARAMETER', 'email'],
    ['no password', { email: 'a@example.com' }, 'MISSING_REQUIRED_PARAMETER', 'password'],
    ['an empty password', { email: 'a@example.com', password: '' }, 'VALUE_EMPTY', 'password'],
    ['a number', { email: 5, password: PASSWORD }, 'EXPECTED_STRING', 'email'],
    ['a list', { email: 'a@example.com', password: ['x'] }, 'EXPECTED_STRING', 'password'],
    ['a NUL', { email: 'a\0@example.com', password: PASSWORD }, 'INVALID_VALUE', 'email'],
    [
      'a password that is too long',
      { email: 'a@example.com', password: 'x'.repeat(256) },
      'VALUE_TOO_LONG',
      'password',
    ],
  ])('refuses %s with 400 naming the field', async (_what, body, code, field) => {
    const answer = await server.call('POST', SESSION, { body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0]).toMatchObject({ code, field });
  });
});

describe('dashboard.signIn after wrong passwords', () => {
  it('refuses after five wrong passwords, the right one too, with Retry-After', async () => {
    const { email } = await newAccount();
    for (let guess = 0; guess < 5; guess++) expect((await wrong(email)).status).toBe(401);
    for (const answer of [await wrong(email), await signIn(server, email), await signIn(server, email.toUpperCase())]) {
      expect(answer.status).toBe(429);
      expect(answer.body.errors[0]).toMatchObject({ category: 'RATE_LIMIT_ERROR', code: 'RATE_LIMITED' });
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(800);
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(900);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  it('counts per account, for every spelling of the email that the database accepts', async () => {
    const email = `kiosk-in-paris-${newOwnerEmail()}`;
    await server.createMerchant({ owner: { email, password: PASSWORD } });
    const [other] = await server.database.sql<{ letter: string }[]>`
      select chr(code) as letter
      from generate_series(128, 65535) as code
      where code not between 55296 and 57343 and lower(chr(code)) = 'i' and chr(code) <> 'I'`;
    for (let guess = 0; guess < 5; guess++) expect((await wrong(email)).status).toBe(401);
    const spelled = email.replaceAll('i', other?.letter ?? 'I');
    expect((await signIn(server, spelled)).status).toBe(429);
  });

  it('does not reveal whether an account exists: an unknown email is limited in the same way', async () => {
    const email = newOwnerEmail();
    for (let guess = 0; guess < 5; guess++) expect((await wrong(email)).status).toBe(401);
    expect((await wrong(email)).status).toBe(429);
  });

  it('does not limit other accounts', async () => {
    const [one, two] = [await newAccount(), await newAccount()];
    for (let guess = 0; guess < 6; guess++) await wrong(one.email);
    expect((await signIn(server, two.email)).status).toBe(200);
  });

  it('resets the count after the right password', async () => {
    const { email } = await newAccount();
    for (let round = 0; round < 2; round++) {
      for (let guess = 0; guess < 4; guess++) expect((await wrong(email)).status).toBe(401);
      expect((await signIn(server, email)).status).toBe(200);
    }
  });

  it('accepts the owner again after the pause, in real time (decision 0040)', async () => {
    const { email, merchant } = await newAccount();
    for (let guess = 0; guess < 6; guess++) await wrong(email);
    await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/clock`, { advance: 'P1D' });
    expect((await signIn(server, email)).status).toBe(429);
    await server.database.sql`
      update sign_in_attempts
      set window_ends_at = now() - interval '1 second'
      where subject_hash = ${hashSecret(`dashboard:${email}`)}`;
    expect((await signIn(server, email)).status).toBe(200);
  });

  it('does not count requests from another site', async () => {
    const { email } = await newAccount();
    for (let guess = 0; guess < 8; guess++) {
      const answer = await signIn(server, email, 'a wrong guess', { origin: 'https://evil.example' });
      expect(answer.status).toBe(403);
    }
    expect((await signIn(server, email)).status).toBe(200);
  });
});

describe('dashboard.showSession', () => {
  it('returns who is signed in, with the cookie alone or among others', async () => {
    const owner = await createOwner(server);
    const expected = { merchant_id: owner.merchant.id, email: owner.email };
    for (const cookie of [owner.cookie, `theme=dark; ${owner.cookie}; other=1`]) {
      const answer = await showSession(cookie);
      expect([answer.status, answer.body]).toEqual([200, expected]);
    }
  });

  it('returns 401 for any other credential (decision 0052)', async () => {
    const owner = await createOwner(server);
    const [name = '', session = ''] = owner.cookie.split('=');
    const cookies = [
      `${name}=`,
      `${name}=guess`,
      `${name}=${'x'.repeat(5000)}`,
      `${name}=${owner.merchant.token}`,
      `${name}=${OPERATOR_KEY}`,
      `x${name}=${session}`,
      `tillhouse_session=${session}`,
      `tillhouse_session_1=${session}`,
    ];
    for (const cookie of cookies) expect((await showSession(cookie)).status, cookie).toBe(401);
    for (const token of [owner.merchant.token, OPERATOR_KEY, owner.cookie.split('=')[1] ?? '']) {
      expect((await server.call('GET', SESSION, { token })).status).toBe(401);
    }
    expect((await server.call('GET', SESSION)).status).toBe(401);
  });

  it('accepts the cookie on the dashboard only', async () => {
    const { cookie } = await createOwner(server);
    const token = cookie.split('=')[1] ?? '';
    for (const path of ['/v1/me', '/v2/employees', '/api/sandbox/merchants/M000000000000']) {
      expect((await server.call('GET', path, { token, headers: { cookie } })).status).toBe(401);
    }
  });

  it('returns 401 within a second after the session expired', async () => {
    const owner = await createOwner(server);
    expect((await showSession(owner.cookie)).status).toBe(200);
    const hash = hashSecret(owner.cookie.split('=')[1] ?? '');
    await server.database.sql`
      update sessions
      set expires_at = now() - interval '1 second'
      where token_hash = ${hash}`;
    const { status } = await pollUntil(
      () => showSession(owner.cookie),
      (answer) => answer.status === 401,
      1000,
    );
    expect(status).toBe(401);
  });

  it('is not affected by the clock of the merchant (decision 0040)', async () => {
    const owner = await createOwner(server);
    await server.operator('POST', `/api/sandbox/merchants/${owner.merchant.id}/clock`, { advance: 'P2D' });
    expect((await showSession(owner.cookie)).status).toBe(200);
  });

  it('accepts a session for twelve hours', async () => {
    const owner = await createOwner(server);
    const [row] = await server.database.sql<{ seconds: number }[]>`
      select extract(epoch from expires_at - sessions.created_at)::int as seconds
      from sessions join accounts using (account_id)
      where email = ${owner.email}`;
    expect(row?.seconds).toBe(12 * 60 * 60);
  });
});

describe('dashboard.signOut', () => {
  it('ends the session immediately and clears the cookie', async () => {
    const owner = await createOwner(server);
    expect((await showSession(owner.cookie)).status).toBe(200);
    const answer = await owner.call('DELETE', SESSION);
    expect([answer.status, answer.body]).toEqual([200, {}]);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^tillhouse_session_\d+=; Path=\/api\/dashboard; HttpOnly; SameSite=Strict; Max-Age=0$/),
    ]);
    expect((await showSession(owner.cookie)).status).toBe(401);
    expect((await owner.call('GET', '/api/dashboard/employees')).status).toBe(401);
    expect((await owner.call('DELETE', SESSION)).status).toBe(401);
  });

  it('keeps the other sessions of the same owner', async () => {
    const owner = await createOwner(server);
    const second = cookieOf(await signIn(server, owner.email));
    await owner.call('DELETE', SESSION);
    expect((await showSession(second)).status).toBe(200);
  });
});

describe('dashboard writes from a browser (decision 0053)', () => {
  const sameHost = (scheme: string) => `${scheme}://${new URL(server.baseUrl).host}`;

  it.each(['https://evil.example', 'null', 'http://127.0.0.1:1', 'http://localhost', 'http://127.0.0.1.evil.example'])(
    'are refused from the origin %s, and change nothing',
    async (origin) => {
      const owner = await createOwner(server);
      const signOut = await owner.call('DELETE', SESSION, { headers: { origin } });
      expect([signOut.status, signOut.body.errors[0].code]).toEqual([403, 'FORBIDDEN']);
      expect((await showSession(owner.cookie)).status).toBe(200);
      const again = await signIn(server, owner.email, PASSWORD, { origin });
      expect([again.status, again.headers['set-cookie']]).toEqual([403, undefined]);
    },
  );

  it('are accepted from the same origin and from programs that send no origin', async () => {
    const { email } = await newAccount();
    for (const headers of [{ origin: sameHost('http') }, { origin: sameHost('https') }, {}]) {
      const answer = await signIn(server, email, PASSWORD, headers);
      expect(answer.status).toBe(200);
      const signOut = await server.call('DELETE', SESSION, { headers: { ...headers, cookie: cookieOf(answer) } });
      expect(signOut.status).toBe(200);
    }
  });

  it('differ from reads, which are accepted from any origin without a CORS header', async () => {
    const owner = await createOwner(server);
    const answer = await owner.call('GET', SESSION, { headers: { origin: 'https://evil.example' } });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});
