/** The page on which an owner authorizes an application (decision 0071), and the metadata that applications can read (RFC 8414). */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERMISSION_DESCRIPTIONS } from '../../../src/access/oauth/permission-descriptions.js';
import { PERMISSIONS } from '../../../src/identity/permissions.js';
import { Browser } from '../../support/browser.js';
import { shifted } from '../../support/clock.js';
import { callApi } from '../../support/http.js';
import {
  allow,
  authorizeUrl,
  createApplication,
  createOwner,
  createPkcePair,
  credentialsOf,
  obtainToken,
  type Parameters,
  REDIRECT_URL,
  redirectParameters,
  type TestApplication,
  type TestOwner,
} from '../../support/oauth.js';
import { freePort } from '../../support/ports.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('the page of the authorization', () => {
  const SECOND_URL = 'https://app.example/second?tenant=1';

  let application: TestApplication;
  let several: TestApplication;
  let owner: TestOwner;

  beforeAll(async () => {
    application = await createApplication(server);
    several = await createApplication(server, [REDIRECT_URL, SECOND_URL, 'com.example.app:/callback']);
    owner = await createOwner(server);
  });

  const visit = (parameters: Parameters = {}, asking = application): Promise<Browser> =>
    new Browser().visit(authorizeUrl(server, asking, parameters));

  /** A browser in which the owner is signed in and sees the consent form. */
  async function reading(parameters: Parameters = {}, asking = application): Promise<Browser> {
    return (await visit(parameters, asking)).signIn(owner.email);
  }

  const isSignIn = ({ page }: Browser): boolean => page.text.includes('name="password"');
  const isConsent = ({ page }: Browser): boolean => page.text.includes('value="allow"');

  async function permissionsOf(parameters: Parameters): Promise<string[]> {
    const code = await allow(server, application, owner, parameters);
    const { body } = await obtainToken(server, { ...credentialsOf(application), code });
    return (await server.call('POST', '/oauth2/token/status', { token: body.access_token })).body.scopes;
  }

  describe('the authorization page', () => {
    it('asks for a sign-in, lists the requested permissions in words, and sends the application a code', async () => {
      const browser = await visit({ scope: 'PAYMENTS_READ EMPLOYEES_WRITE', state: 'a b&c=d' });
      expect([browser.page.status, isSignIn(browser)]).toEqual([200, true]);
      expect(browser.page.text).toContain(application.name);

      await browser.signIn(owner.email);
      expect([browser.page.status, isConsent(browser)]).toEqual([200, true]);
      expect(browser.page.text).toContain(owner.email);
      const shown = [...browser.page.text.matchAll(/<li>([^<]*)<\/li>/g)].map(([, words]) => words);
      expect(shown).toEqual([PERMISSION_DESCRIPTIONS.PAYMENTS_READ, PERMISSION_DESCRIPTIONS.EMPLOYEES_WRITE]);

      await browser.submit({ decision: 'allow' });
      expect(browser.page.status).toBe(303);
      expect(browser.url.startsWith(`${REDIRECT_URL}?`)).toBe(true);
      expect(redirectParameters(browser)).toEqual({
        code: expect.stringMatching(/^sq0cgb-[\w-]{22}$/),
        response_type: 'code',
        state: 'a b&c=d',
        iss: server.baseUrl,
      });
    });

    it('redirects to the application with the denial, and without a code', async () => {
      const browser = await reading({ state: 'xyz' });
      await browser.submit({ decision: 'deny' });
      expect([browser.page.status, redirectParameters(browser)]).toEqual([
        303,
        { error: 'access_denied', error_description: 'user_denied', state: 'xyz', iss: server.baseUrl },
      ]);
      const invalidDecision = await (await reading()).submit({ decision: 'perhaps' });
      expect(redirectParameters(invalidDecision)).toEqual({
        error: 'access_denied',
        error_description: 'user_denied',
        iss: server.baseUrl,
      });
    });

    it('keeps the owner signed in, unless session=false', async () => {
      const browser = await reading();
      expect(isConsent(await browser.visit(authorizeUrl(server, application)))).toBe(true);
      expect(isConsent(await browser.visit(authorizeUrl(server, several, { redirect_uri: SECOND_URL })))).toBe(true);

      await browser.visit(authorizeUrl(server, application, { session: 'false' }));
      expect([isSignIn(browser), isConsent(browser)]).toEqual([true, false]);
      const other = await createOwner(server);
      await browser.signIn(other.email);
      expect(browser.page.text).toContain(other.email);
      await browser.submit({ decision: 'allow' });
      const { code } = redirectParameters(browser);
      const { body } = await obtainToken(server, { ...credentialsOf(application), code });
      expect(body.merchant_id).toBe(other.merchant.id);
    });

    it('with session=false ignores an earlier session', async () => {
      const browser = await reading();
      await browser.visit(authorizeUrl(server, application, { session: 'false' }));
      await browser.submit({ step: 'consent', decision: 'allow' });
      expect(browser.page.status).toBe(403);
    });

    it('has a link to sign in with another account', async () => {
      const browser = await reading({ scope: 'ITEMS_READ', state: 's"&' });
      const [, href = ''] = /<a href="([^"]*)"/.exec(browser.page.text) ?? [];
      await browser.visit(new URL(href.replaceAll('&amp;', '&').replaceAll('&quot;', '"'), browser.url).href);
      expect(isSignIn(browser)).toBe(true);
      await (await browser.signIn(owner.email)).submit({ decision: 'allow' });
      expect(redirectParameters(browser)['state']).toBe('s"&');
    });

    it('asks again after a wrong password, and after the session has ended', async () => {
      const browser = await visit();
      await browser.signIn(owner.email, 'a wrong guess');
      expect([browser.page.status, isSignIn(browser)]).toEqual([401, true]);
      expect(browser.page.text).toContain('role="alert"');
      await browser.signIn(owner.email);
      expect(isConsent(browser)).toBe(true);
      await server.database.sql`update sessions set expires_at = now() where surface = 'oauth2'`;
      await browser.submit({ decision: 'allow' });
      expect([browser.page.status, isSignIn(browser)]).toEqual([401, true]);
      await browser.signIn(owner.email);
      await browser.submit({ decision: 'allow' });
      expect(redirectParameters(browser)['code']).toBeDefined();
    });
  });

  describe('a sign-in on the page', () => {
    it.each([
      ['14 minutes', true],
      ['16 minutes', false],
    ])('of %s ago is recent: %s, as in the dashboard (decision 0121)', async (ago, isRecent) => {
      const browser = await reading();
      const { sql } = server.database;
      await sql`
      update sessions
      set created_at = ${shifted(sql, 'created_at', `-${ago}`)}, expires_at = ${shifted(sql, 'expires_at', `-${ago}`)}
      where surface = 'oauth2'`;
      await browser.submit({ decision: 'allow' });
      expect([browser.page.status, isSignIn(browser)]).toEqual(isRecent ? [303, false] : [401, true]);
      expect(isConsent(await browser.visit(authorizeUrl(server, application)))).toBe(isRecent);
    });
  });

  describe('the scope', () => {
    it('has a default', async () => {
      expect(await permissionsOf({})).toEqual([
        ...['MERCHANT_PROFILE_READ', 'PAYMENTS_READ', 'SETTLEMENTS_READ', 'BANK_ACCOUNTS_READ'],
      ]);
      expect(await permissionsOf({ scope: ' ' })).toHaveLength(4);
    });

    it('accepts every permission, separated by spaces, plus signs or commas, each once', async () => {
      expect(await permissionsOf({ scope: PERMISSIONS.join(' ') })).toEqual(PERMISSIONS);
      expect(await permissionsOf({ scope: 'ITEMS_READ+ORDERS_READ ITEMS_READ' })).toEqual([
        'ITEMS_READ',
        'ORDERS_READ',
      ]);
      for (const scope of [
        'ITEMS_READ,ORDERS_READ',
        'ITEMS_READ, ORDERS_READ',
        ' ITEMS_READ ,+ORDERS_READ,ITEMS_READ,',
      ]) {
        expect(await permissionsOf({ scope })).toEqual(['ITEMS_READ', 'ORDERS_READ']);
      }
      expect(await permissionsOf({ scope: PERMISSIONS.join(',') })).toEqual(PERMISSIONS);
      expect(Object.keys(PERMISSION_DESCRIPTIONS).sort()).toEqual([...PERMISSIONS].sort());
    });

    it('is refused with the names of unknown permissions', async () => {
      const { page } = await visit({ scope: 'ITEMS_READ FLY items_read <b>' });
      expect(page.status).toBe(400);
      expect(page.text).toContain('FLY, items_read, &lt;b&gt;');
      expect(page.text).not.toContain('ITEMS_READ');
    });
  });

  describe('the redirect URL', () => {
    it('may be omitted if one is registered, and is required if there are several', async () => {
      const omitted = await visit({}, several);
      expect([omitted.page.status, omitted.page.headers['location']]).toEqual([400, undefined]);
      expect(omitted.page.text).toContain('redirect_uri');
      const browser = await reading({ redirect_uri: SECOND_URL, state: 'x' }, several);
      await browser.submit({ decision: 'allow' });
      expect(redirectParameters(browser)).toMatchObject({ tenant: '1', state: 'x', code: expect.any(String) });
      expect(browser.url.startsWith(`${SECOND_URL}&code=`)).toBe(true);
    });

    it('may have a custom scheme', async () => {
      const browser = await reading({ redirect_uri: 'com.example.app:/callback' }, several);
      expect(browser.page.headers['content-security-policy']).toContain("form-action 'self' com.example.app:;");
      await browser.submit({ decision: 'allow' });
      expect(browser.url).toMatch(/^com\.example\.app:\/callback\?code=/);
    });

    it('is refused for an application that has registered none', async () => {
      const { page } = await visit({}, await createApplication(server, []));
      expect([page.status, page.headers['location']]).toEqual([400, undefined]);
    });
  });

  describe('an invalid authorization request shows an error on the page and does not redirect:', () => {
    const challenge = createPkcePair().parameters;
    it.each<readonly [string, string, Parameters]>([
      ['no application', 'client_id', { client_id: '' }],
      ['an unknown application', 'client_id', { client_id: 'sq0idp-nobody' }],
      ['the application of personal tokens', 'client_id', { client_id: 'sq0idp-TillhousePersonal0000' }],
      ['a NUL', 'client_id', { client_id: '\0' }],
      ['an id that is too long', 'client_id', { client_id: 'x'.repeat(192) }],
      ['an unsupported response type', 'response_type', { response_type: 'token' }],
      ['two response types', 'response_type', { response_type: 'code token' }],
      ['an invalid session parameter', 'session', { session: 'perhaps' }],
      ['a state that is too long', 'state', { state: 'x'.repeat(4097) }],
      ['a plain challenge', 'code_challenge_method', { ...challenge, code_challenge_method: 'plain' }],
      ['a method without a challenge', 'code_challenge', { code_challenge_method: 'S256' }],
      ['an invalid challenge', 'code_challenge', { code_challenge: 'short' }],
      ['a challenge with trailing text', 'code_challenge', { code_challenge: `${challenge['code_challenge']}=` }],
    ])('%s', async (_, named, parameters) => {
      const { page } = await visit({ state: 'never-sent-on', ...parameters });
      expect([page.status, page.headers['location'], page.headers['set-cookie']]).toEqual([400, undefined, undefined]);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.text).toContain(named);
      expect(page.text).not.toContain('<form');
    });

    it('invalid UTF-8, and an empty query', async () => {
      for (const search of ['?client_id=%ff', '?client_id=%ZZ', '?', '', '?&&=&', '?__proto__=x']) {
        const { status, headers } = await server.call('GET', `/oauth2/authorize${search}`);
        expect([search, status, headers['content-type']]).toEqual([search, 400, 'text/html; charset=utf-8']);
      }
    });

    it('an invalid form: no fields, fields that are too long, or not text', async () => {
      const browser = await visit();
      for (const fields of [{}, { email: '\0', password: 'x' }, { email: 'x'.repeat(256), password: 'x' }]) {
        const { page } = await new Browser().visit(browser.url).then((each) => each.submit({ ...fields }));
        expect(page.status).toBe(400);
      }
      const { action } = browser.form;
      const { pathname, search } = new URL(action);
      for (const [body, type, status] of [
        ['{"step":{},"token":{}}', 'application/json', 403],
        ['[1]', 'application/json', 403],
        ['a=b', 'text/plain', 415],
        ['%ff=%ff&%', 'application/x-www-form-urlencoded', 403],
      ] as const) {
        const answer = await server.call('POST', pathname + search, { body, headers: { 'content-type': type } });
        expect([type, answer.status]).toEqual([type, status]);
      }
    });

    it('an unsupported method', async () => {
      for (const method of ['PUT', 'DELETE', 'PATCH']) {
        expect((await server.call(method, '/oauth2/authorize')).status).toBe(404);
      }
    });
  });

  describe('the page is accessible:', () => {
    it('it has a language, a title, one heading, and a label for every visible field', async () => {
      const browser = await visit();
      const pages = [
        browser.page.text,
        (await browser.signIn(owner.email)).page.text,
        (await visit({ scope: 'X' })).page.text,
      ];
      for (const text of pages) {
        expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
        expect(text).toMatch(/<title>\S.* - Tillhouse<\/title>/);
        expect(text.match(/<h1>/g)).toHaveLength(1);
        expect(text).toContain('<main>');
        expect(text).toContain('name="viewport"');
        expect(text).not.toMatch(/<script|\bon\w+=|tabindex|javascript:/i);
        const fields = [...text.matchAll(/<input id="(\w+)"/g)].map(([, id]) => id);
        const labels = [...text.matchAll(/<label for="(\w+)"/g)].map(([, id]) => id);
        expect(labels).toEqual(fields);
      }
      expect(pages[0]).toContain('autocomplete="current-password"');
    });
  });
});

describe('the metadata of the server', () => {
  const PATH = '/.well-known/oauth-authorization-server';

  describe('the metadata of the authorization server', () => {
    it('lists the endpoints and methods, for every caller and origin, and is cacheable', async () => {
      const { status, headers, body } = await server.call('GET', PATH);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'public, max-age=3600',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      });
      expect(headers['set-cookie']).toBeUndefined();
      expect(body).toEqual({
        issuer: server.baseUrl,
        authorization_endpoint: `${server.baseUrl}/oauth2/authorize`,
        token_endpoint: `${server.baseUrl}/oauth2/token`,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
        code_challenge_methods_supported: ['S256'],
        scopes_supported: PERMISSIONS,
        authorization_response_iss_parameter_supported: true,
        service_documentation: `${server.baseUrl}/docs`,
      });
    });

    it('contains the issuer that the authorization response carries (RFC 9207)', async () => {
      const [application, owner] = [await createApplication(server), await createOwner(server)];
      const browser = await new Browser().visit(authorizeUrl(server, application));
      await browser.signIn(owner.email);
      await browser.submit({ decision: 'allow' });
      expect((await server.call('GET', PATH)).body.issuer).toBe(redirectParameters(browser)['iss']);
    });

    it('contains the public address if one is set', async () => {
      const port = await freePort();
      const behind = await startTestServer({ config: { port, publicUrl: 'https://till.example' } });
      try {
        const { body } = await callApi(`http://127.0.0.1:${port}`, 'GET', PATH);
        expect([body.issuer, body.token_endpoint]).toEqual([
          'https://till.example',
          'https://till.example/oauth2/token',
        ]);
      } finally {
        await behind.stop();
      }
    });

    it('is correct: an application that uses only the metadata obtains its tokens', async () => {
      const { body: known } = await server.call('GET', PATH);
      const [application, owner] = [await createApplication(server), await createOwner(server)];
      const { verifier, parameters } = createPkcePair();
      expect(known.code_challenge_methods_supported).toContain(parameters['code_challenge_method']);
      expect(authorizeUrl(server, application)).toContain(known.authorization_endpoint);
      const code = await allow(server, application, owner, parameters);
      const answer = await fetch(known.token_endpoint, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: known.grant_types_supported[0],
          client_id: application.id,
          client_secret: application.secret,
          code,
          code_verifier: verifier,
        }),
      });
      expect(answer.status).toBe(200);
    });

    it('is read-only', async () => {
      expect((await server.call('POST', PATH, { body: {} })).status).toBe(404);
    });
  });
});
