/** The requirements of RFC 9700 for an authorization server that issues codes, item by item. */
import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/browser.js';
import {
  allow,
  allowPublic,
  authorizeUrl,
  createApplication,
  createOwner,
  createPkcePair,
  createPublicApplication,
  credentialsOf,
  obtainToken,
  REDIRECT_URL,
  redirectParameters,
  statusOf,
  type TestApplication,
  type TestOwner,
} from '../../support/oauth.js';
import { startProduction, startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let application: TestApplication;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  application = await createApplication(server);
  owner = await createOwner(server);
});
afterAll(() => server.stop());

const visit = (parameters: Record<string, string> = {}, asking = application): Promise<Browser> =>
  new Browser().visit(authorizeUrl(server, asking, parameters));

async function reading(parameters: Record<string, string> = {}): Promise<Browser> {
  return (await visit(parameters)).signIn(owner.email);
}

describe('2.1 redirect URLs are compared exactly:', () => {
  it.each([
    'https://app.example/callback/',
    'https://app.example/callback?x=1',
    'https://app.example/callback#',
    'https://app.example/Callback',
    'https://APP.example/callback',
    'https://app.example:443/callback',
    'https://app.example/callback/../callback',
    'https://app.example/callbac%6B',
    'http://app.example/callback',
    'https://app.example.evil.example/callback',
    'https://app.example@evil.example/callback',
    'https://evil.example/https://app.example/callback',
    ' https://app.example/callback',
    '//app.example/callback',
    '/callback',
    'javascript:alert(1)',
  ])('refuses %s', async (redirect_uri) => {
    const { page } = await visit({ redirect_uri });
    expect([page.status, page.headers['location']]).toEqual([400, undefined]);
    // A form issued for another request does not work either.
    const browser = await reading();
    const { fields } = browser.form;
    const action = authorizeUrl(server, application, { redirect_uri });
    await browser.submit({ decision: 'allow' }, { action, fields });
    expect([browser.page.status, browser.page.headers['location']]).toEqual([400, undefined]);
  });

  it('refuses to register URLs that a browser would execute, or that others could read', async () => {
    for (const url of [
      ...[
        'javascript:alert(1)',
        'data:text/html,x',
        'vbscript:x',
        'file:///etc/passwd',
        'blob:https://x/1',
        'about:blank',
      ],
      ...[
        'http://app.example/',
        'http://127.0.0.1.evil.example/',
        'http://localhost.evil.example/',
        'ftp://x.example/',
      ],
      ...[
        'https://app.example/#x',
        'https://user:pass@app.example/',
        'https://user@app.example/',
        '/relative',
        'https://',
      ],
      ...['https://app.example/ x', 'https://app.example/\n', 'https://äpp.example/', '*', ''],
    ]) {
      const body = { name: 'Bad', redirect_urls: [url] };
      const answer = await server.operator('POST', '/api/sandbox/applications', body);
      const own = await owner.call('POST', '/api/dashboard/applications', { body });
      for (const { status, body: refusal } of [answer, own]) {
        expect([url, status, refusal.errors[0].field]).toEqual([url, 400, 'redirect_urls']);
      }
    }
  });
});

describe('2.1, 4.11.2 there is no open redirect:', () => {
  it('no request redirects before the owner has decided', async () => {
    for (const parameters of [
      {},
      { scope: 'NONE' },
      { response_type: 'token' },
      { session: 'false' },
      { prompt: 'none' },
    ]) {
      expect((await visit(parameters)).page.headers['location']).toBeUndefined();
      const known = await reading();
      await known.visit(authorizeUrl(server, application, parameters));
      expect(known.page.headers['location']).toBeUndefined();
    }
  });
});

describe('2.1.1 PKCE', () => {
  it('binds a code to the client that started, refuses plain, and cannot be removed from a request', async () => {
    expect((await visit({ code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' })).page.status).toBe(400);
    const { parameters } = createPkcePair();
    const browser = await reading(parameters);
    const { fields } = browser.form;
    // The owner accepted a request with a challenge: the same form without it is another request.
    await browser.submit({ decision: 'allow' }, { action: authorizeUrl(server, application), fields });
    expect(browser.page.status).toBe(403);
  });
});

describe('2.2.2, 4.14 refresh tokens without a secret', () => {
  it('are used once, and the second use revokes the whole family', async () => {
    const publicApplication = await createPublicApplication(server);
    const { refresh_token, access_token } = await allowPublic(server, publicApplication, owner);
    const refresh = () =>
      obtainToken(server, { client_id: publicApplication.id, grant_type: 'refresh_token', refresh_token });
    expect([(await refresh()).status, (await refresh()).status]).toEqual([200, 401]);
    expect(await statusOf(server, access_token)).toBe('401 ACCESS_TOKEN_REVOKED');
  });
});

describe('2.4 there is no password grant, and 2.1.2 no implicit grant:', () => {
  it('refuses both', async () => {
    const asked = { ...credentialsOf(application), grant_type: 'password', username: owner.email, password: 'x' };
    expect((await obtainToken(server, asked)).status).toBe(400);
    expect((await visit({ response_type: 'token' })).page.status).toBe(400);
  });
});

describe('4.2 codes and tokens do not leak by referrers or caches:', () => {
  it('every page and redirect sends no-referrer and no-store', async () => {
    const browser = await visit({ state: 'x' });
    const pages = [browser.page, (await browser.signIn(owner.email)).page];
    pages.push((await browser.submit({ decision: 'allow' })).page, (await visit({ scope: 'NONE' })).page);
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 303, 400]);
    for (const { headers } of pages) {
      expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    }
    const { code } = redirectParameters(browser);
    const { headers, body } = await obtainToken(server, { ...credentialsOf(application), code });
    expect([headers['cache-control'], typeof body.access_token]).toEqual(['no-store', 'string']);
  });

  it('no page loads external resources, so no other server learns of it', async () => {
    const { page } = await reading();
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]{44}';/);
    expect(page.text).not.toMatch(/\bsrc=|<script|@import|url\(/);
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(page.text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page.headers['content-security-policy']).toContain(`'sha256-${hash}'`);
  });
});

describe('4.5 codes', () => {
  it('are used once, and the second use revokes the tokens of the first', async () => {
    const code = await allow(server, application, owner);
    const first = await obtainToken(server, { ...credentialsOf(application), code });
    const second = await obtainToken(server, { ...credentialsOf(application), code });
    expect([first.status, second.status]).toEqual([200, 401]);
    expect(await statusOf(server, first.body.access_token)).toBe('401 ACCESS_TOKEN_REVOKED');
  });
});

describe('4.7 forms of other sites', () => {
  it('have no effect without the token, or with a token of another browser, step or request', async () => {
    const [mine, theirs] = [await reading({ state: 'mine' }), await reading({ state: 'mine' })];
    const { action, fields } = mine.form;
    const signInToken = (await visit({ state: 'mine' })).form.fields['token'] ?? '';
    const before = await server.database.sql`select count(*) from authorizations`;
    for (const token of ['', 'x', theirs.form.fields['token'] ?? '', signInToken, `${fields['token']}x`]) {
      await mine.submit({ decision: 'allow' }, { action, fields: { ...fields, token } });
      expect([mine.page.status, mine.page.headers['location']]).toEqual([403, undefined]);
    }
    await mine.submit({ decision: 'allow' }, { action: action.replace('mine', 'other'), fields });
    expect(mine.page.status).toBe(403);
    const scoped = `${action}&scope=PAYMENTS_WRITE`;
    await mine.submit({ decision: 'allow' }, { action: scoped, fields });
    expect(mine.page.status).toBe(403);
    expect(await server.database.sql`select count(*) from authorizations`).toEqual(before);
    await mine.submit({ decision: 'allow' }, { action, fields });
    expect(mine.page.status).toBe(303);
  });

  it('have no effect without the cookie, or with a foreign origin', async () => {
    const browser = await reading();
    const { action, fields } = browser.form;
    const { pathname, search, origin } = new URL(action);
    const body = new URLSearchParams({ ...fields, decision: 'allow' }).toString();
    const post = async (headers: Record<string, string>) =>
      (
        await server.call('POST', pathname + search, {
          body,
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        })
      ).status;
    const cookie = browser.cookieFor(pathname);
    expect(await post({})).toBe(403);
    expect(await post({ cookie, origin: 'https://evil.example' })).toBe(403);
    expect(await post({ cookie, origin })).toBe(303);
  });

  it('cannot sign anyone in: the sign-in form has a token too', async () => {
    const browser = await visit();
    const { action } = browser.form;
    await browser.submit({ email: owner.email, password: 'correct horse battery' }, { action, fields: {} });
    expect(browser.page.status).toBe(403);
    expect(browser.page.headers['set-cookie']).toBeUndefined();
  });

  it('cannot use a planted secret: signing in gives the browser a new one', async () => {
    const browser = await visit();
    const planted = browser.cookieFor('/oauth2/authorize');
    await browser.signIn(owner.email);
    expect(browser.cookieFor('/oauth2/authorize')).not.toBe(planted);
    const { pathname, search } = new URL(browser.url);
    const { text } = await server.call('GET', pathname + search, { headers: { cookie: planted } });
    expect(text).toContain('name="password"');
  });

  it('cannot forge the state, which is returned unchanged for the application to compare', async () => {
    const state = 'ä+%20 "<>\'&=#?/\\';
    const browser = await (await reading({ state })).submit({ decision: 'allow' });
    expect(redirectParameters(browser)['state']).toBe(state);
    expect(browser.url.startsWith(`${REDIRECT_URL}?`)).toBe(true);
  });
});

describe('4.16 the page cannot be framed:', () => {
  it('every page refuses framing by any site', async () => {
    const browser = await visit();
    for (const { headers } of [
      browser.page,
      (await browser.signIn(owner.email)).page,
      (await visit({ scope: 'X' })).page,
    ]) {
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['content-security-policy']).toMatch(/frame-ancestors 'none'; base-uri 'none'$/);
    }
  });

  it('forms are limited to this server: the password goes nowhere else, and the redirect only to the application', async () => {
    const browser = await visit();
    expect(browser.page.headers['content-security-policy']).toContain("form-action 'self';");
    await browser.signIn(owner.email);
    expect(browser.page.headers['content-security-policy']).toContain("form-action 'self' https:;");
    const local = await createApplication(server, ['http://127.0.0.1:9/callback']);
    const other = await (await visit({}, local)).signIn(owner.email);
    expect(other.page.headers['content-security-policy']).toContain("form-action 'self' http://127.0.0.1:9;");
  });
});

describe('4.13, 4.15 text from an application', () => {
  it('is escaped on every page, in its name', async () => {
    const name = `<img src=x onerror=alert(1)>"'&amp;`;
    const evil = await createApplication(server, undefined, name);
    const browser = await visit({ state: '"><script>x</script>' }, evil);
    const texts = [browser.page.text, (await browser.signIn(owner.email)).page.text];
    for (const text of texts) {
      expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;amp;');
      expect(text).not.toMatch(/<img|<script/);
    }
  });
});

describe('guessing', () => {
  it('is limited: five wrong passwords block the page and the dashboard for a while', async () => {
    const { email } = await createOwner(server);
    const browser = await visit();
    for (let guess = 0; guess < 5; guess++) expect((await browser.signIn(email, 'wrong')).page.status).toBe(401);
    await browser.signIn(email, 'correct horse battery');
    expect(browser.page.status).toBe(429);
    expect(Number(browser.page.headers['retry-after'])).toBeGreaterThan(800);
    expect(browser.page.text).toContain('Too many failed attempts');
    const dashboard = await server.call('POST', '/api/dashboard/session', { body: { email, password: 'x' } });
    expect(dashboard.status).toBe(429);
  });

  it('gains nothing from timing: secrets are compared by hashes of one length, in constant time', async () => {
    const compared: (readonly [number, number])[] = [];
    const original = crypto.timingSafeEqual;
    crypto.timingSafeEqual = (one, two) => {
      compared.push([one.byteLength, two.byteLength]);
      return original(one, two);
    };
    syncBuiltinESMExports(); // makes modules that imported it use the spy
    try {
      const { id, secret } = application;
      const wrong = ['x', secret.slice(1), `${secret}x`, secret.toLowerCase(), 'x'.repeat(1024)];
      for (const client_secret of wrong) {
        const asked = { client_id: id, client_secret, grant_type: 'refresh_token', refresh_token: 'x' };
        expect((await obtainToken(server, asked)).status).toBe(401);
      }
      expect(compared).toEqual(wrong.map(() => [32, 32]));
    } finally {
      crypto.timingSafeEqual = original;
      syncBuiltinESMExports();
    }
  });
});

describe('secrets in the database', () => {
  it('are hashed: no secret, code, token or cookie is in any table', async () => {
    const proof = createPkcePair();
    const browser = await reading(proof.parameters);
    const cookie = browser.cookieFor('/oauth2/authorize').split('=')[1] ?? '';
    await browser.submit({ decision: 'allow' });
    const { code = '' } = redirectParameters(browser);
    const asked = { ...credentialsOf(application), code, code_verifier: proof.verifier };
    const { body } = await obtainToken(server, asked);
    expect(body.access_token).toBeDefined();
    const { sql } = server.database;
    const tables = await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'public'`;
    expect(tables.length).toBeGreaterThan(20);
    const secrets = [application.secret, code, cookie, proof.verifier, body.access_token, body.refresh_token];
    for (const { name } of tables) {
      const rows = await sql.unsafe<{ text: string }[]>(`select t::text as text from ${name} t`);
      const text = rows.map((row) => row.text).join('\n');
      for (const secret of secrets) expect([name, text.includes(secret)]).toEqual([name, false]);
    }
  });
});

describe('the cookie of the page', () => {
  it('cannot be read by scripts, and in production is limited to this host over TLS', async () => {
    const { page } = await visit();
    expect(page.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^tillhouse_authorize_\d+=[\w-]{43}; Path=\/oauth2\/authorize; HttpOnly; SameSite=Lax; Max-Age=3600$/,
      ),
    ]);
    const { production, sandbox, stop } = await startProduction();
    try {
      const inProduction = await createApplication(sandbox);
      const { headers } = (await new Browser().visit(authorizeUrl(production, inProduction))).page;
      expect(String(headers['set-cookie'])).toMatch(/^__Host-tillhouse_authorize=[\w-]{43}; Path=\/; .*; Secure$/);
    } finally {
      await stop();
    }
  });

  it("is valid on the page only, and the dashboard's cookie is not valid there", async () => {
    const browser = await reading();
    const secret = browser.cookieFor('/oauth2/authorize').split('=')[1] ?? '';
    const { port } = new URL(server.baseUrl);
    const headers = { cookie: `tillhouse_session_${port}=${secret}` };
    expect((await server.call('GET', '/api/dashboard/session', { headers })).status).toBe(401);
    const { pathname, search } = new URL(authorizeUrl(server, application));
    const dashboard = { cookie: `tillhouse_authorize_${port}=${owner.cookie.split('=')[1]}` };
    expect((await server.call('GET', pathname + search, { headers: dashboard })).text).toContain('name="password"');
  });
});
