import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { findPublished } from '../../src/api/published-operations.js';
import { operations } from '../../src/operations.js';
import type { ApiResponse } from '../support/http.js';
import { isLong } from '../support/long.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, openBusiness } from './business.js';
import {
  expectDecent,
  expectRefusal,
  isV1,
  NO_SUCH_METHOD,
  NOT_FOUND,
  NOT_IMPLEMENTED,
  UNAUTHORIZED,
} from './refusals.js';
import { credentialFor, goodRequest, nameOf, pathOf } from './requests.js';
import { createCaseSelector } from './shares.js';

/** Wrong in every way that is checked after the path. */
const WRONG = { body: '{"broken', headers: { 'square-version': 'yesterday', 'content-type': 'text/plain' } };

let server: TestServer;
let business: Business;

beforeAll(async () => {
  server = await startTestServer();
  business = await openBusiness(server);
});
afterAll(() => server.stop());

function isV2(path: string): boolean {
  return /^\/v2(?:\/|$)/.test(path);
}

describe('a method that a path does not support (decision 0002)', () => {
  /** Each path gets the methods that other paths support, and a part of the others: one hook decides about all of them. */
  const usual = ['GET', 'POST', 'PUT', 'DELETE'];
  const unusual = ['PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY'];
  const byPath = new Map<string, Operation[]>();
  for (const each of operations) byPath.set(each.path, [...(byPath.get(each.path) ?? []), each]);
  const partFor = createCaseSelector([...byPath.values()].flatMap(([first]) => first ?? []));

  it.each([...byPath])('%s', async (path, supporting) => {
    const [first] = supporting;
    if (!first) throw new Error('no operation');
    const supported = supporting.map(({ method }) => String(method));
    const concrete = pathOf(first, business.ids);
    // /v2/payments/cancel is also a /v2/payments/{payment_id}, which has methods of its own.
    const alsoAt = operations.filter((each) =>
      new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(concrete),
    );
    const elsewhere = alsoAt.map(({ method }) => String(method));
    // Browsers send preflight requests to the checkout (decision 0053).
    const answered = path.startsWith('/api/checkout/') ? [...elsewhere, 'OPTIONS'] : elsewhere;
    const methods = [...usual, ...(isLong ? unusual : partFor(first, unusual))];
    // The methods of a path are no secret, but v2 authenticates first.
    const anonymous = [{}, WRONG];
    const known = credentialFor(first, business);
    for (const [index, method] of methods.filter((each) => !answered.includes(each)).entries()) {
      for (const options of isLong ? anonymous : anonymous.slice(index % 2, (index % 2) + 1)) {
        const answer = await server.call(method, concrete, options);
        expectRefusal(answer, path, isV2(path) ? UNAUTHORIZED : refusalOf(method, concrete));
        if (!isV2(path) && !findPublished(method, concrete)) expectAllowed(answer, path, supported);
      }
      if (!isV2(path) && !isLong && index > 0) continue; // the credential changes nothing
      const answer = await server.call(method, concrete, known);
      expectRefusal(answer, path, refusalOf(method, concrete));
      if (!findPublished(method, concrete)) expectAllowed(answer, path, supported);
    }
  });

  /** A published operation is told apart from a method that nobody has. */
  function refusalOf(method: string, path: string) {
    return findPublished(method, path) ? NOT_IMPLEMENTED : NO_SUCH_METHOD;
  }

  function expectAllowed({ headers }: ApiResponse, path: string, supported: readonly string[]): void {
    const allow = String(headers['allow'] ?? '').split(', ');
    expect(allow.sort()).toEqual(isV1(path) ? [''] : supported.toSorted());
  }
});

describe('an unknown path', () => {
  it.each([
    '/',
    '/v1',
    '/v1/',
    '/v1/you',
    '/v1/me/employees/a/b',
    '/v1/me/nothing?query=x',
    '/v1/me/timecards/a/events/b',
    '/v1/me/cash-drawer-shifts/a/b',
    '/v1?x',
    '/v1.5/me',
    '/v10/me',
    '/v2',
    '/v2/',
    '/v2/nothing',
    '/v2/employees/a/b',
    '/v2/payments/a/void',
    '/v2/cash-drawers',
    '/v3/employees',
    '/V1/me',
    '//v1/me',
    '/api/sandbox',
    '/api/dashboard',
    '/api/dashboard/nothing',
    '/api/register',
    '/api/register/',
    '/api/register/nothing',
    '/api/register/cash-drawer-shifts/a/b',
    '/oauth2',
    '/oauth2/',
    '/oauth2/nothing',
    '/oauth2/token/status/x',
    '/index.html',
    '/.env',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
    '/__proto__',
    '/constructor',
    `/${'a'.repeat(5000)}`,
  ])('%s returns 404 in the format of its generation', async (path) => {
    const shape = path === '/v1?x' ? '/v1' : path;
    for (const method of ['GET', 'POST']) {
      const known = { token: business.merchant.token };
      for (const options of [known, ...(isV2(path) ? [] : [{}, WRONG])]) {
        expectRefusal(await server.call(method, path, options), shape, NOT_FOUND);
      }
    }
  });

  it.each(['/v2', '/v2/', '/v2/nothing', '/v2/nothing?x', '/v2/payments/a/void', '/v2/%zz'])(
    '%s returns 401 without a valid token, before it returns 404 (decision 0002)',
    async (path) => {
      const shape = path.split('?', 1)[0] ?? '';
      for (const method of ['GET', 'POST', 'PATCH']) {
        for (const options of [{}, WRONG, { token: 'nobody-has-this' }]) {
          const { message } = expectRefusal(await server.call(method, path, options), shape, UNAUTHORIZED);
          expect(message).toBe('This request could not be authorized.');
        }
        expectRefusal(await server.call(method, path, { token: business.merchant.token }), shape, NOT_FOUND);
      }
    },
  );
});

describe('a path with percent-encoded characters', () => {
  it.each(['/%761/me', '/v%31/%6de', '/%76%32/locations', '/v2/l%6fcations'])(
    '%s responds like the decoded path',
    async (path) => {
      const plain = decodeURIComponent(path);
      expectRefusal(await server.call('GET', path), plain, UNAUTHORIZED);
      const [coded, asEver] = [
        await server.call('GET', path, { token: business.merchant.token }),
        await server.call('GET', plain, { token: business.merchant.token }),
      ];
      expectDecent(coded, plain);
      expect([coded.status, coded.text]).toEqual([200, asEver.text]);
    },
  );
});

describe('HEAD', () => {
  const gets = operations.filter(({ method }) => method === 'GET');

  it.each(gets.map((each) => [nameOf(each), each] as const))(
    'of %s responds as GET does, without the body',
    async (_, each) => {
      const { path, search, credential } = await goodRequest(each, business, server);
      const head = await server.call('HEAD', path + search, credential);
      expect([head.status, head.text]).toEqual([200, '']);
      expectDecent(head, each.path);
      // Those of the other operations have none of these headers.
      const get = each.deprecated || each.page ? await server.call('GET', path + search, credential) : undefined;
      for (const name of ['deprecation', 'sunset', 'link']) expect(head.headers[name]).toBe(get?.headers[name]);
      expect((await server.call('HEAD', path + search)).status).toBe(each.permission === 'ANYONE' ? 200 : 401);
    },
  );

  it('returns 4xx on every path without a GET', async () => {
    const withGet = new Set(gets.map(({ path }) => path));
    // /v2/payments/cancel is also a /v2/payments/{payment_id}, which has a GET.
    const without = operations.filter(({ path }) => !withGet.has(path) && path !== '/v2/payments/cancel');
    expect(without.length).toBeGreaterThan(15);
    for (const each of without) {
      const head = await server.call('HEAD', pathOf(each, business.ids), credentialFor(each, business));
      expect([nameOf(each), head.status]).toEqual([nameOf(each), isV1(each.path) ? 404 : 405]);
      expectDecent(head, each.path);
    }
  });
});

describe("the server's own paths", () => {
  it.each(['/healthz', '/readyz', '/openapi.json'])(
    '%s responds without a credential, with the security headers',
    async (path) => {
      const answer = await server.call('GET', path);
      expect(answer.status).toBe(200);
      const { headers } = answer;
      expect(headers['content-type']).toBe('application/json');
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
      expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it('/docs is a page that may load nothing from other origins', async () => {
    const { status, headers, text } = await server.call('GET', '/docs');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; connect-src 'self'; script-src 'self';/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
    expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
});
