import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/access/permissions.js';
import { revokeToken } from '../../src/access/queries.js';
import { isBuilt, type Operation } from '../../src/api/operation.js';
import { realNow } from '../../src/base/clock.js';
import { hashSecret } from '../../src/base/secrets.js';
import { operations } from '../../src/operations.js';
import type { Answer, CallOptions } from '../support/http.js';
import { startTestServer, type TestServer } from '../support/server.js';
import {
  type Business,
  callWell,
  cookie,
  credentialFor,
  type Expected,
  expectDecent,
  expectRefusal,
  isV1,
  madeUp,
  nameOf,
  openBusiness,
  parametersOf,
  pathOf,
  signIn,
} from './requests.js';

const NO_CREDENTIAL: Expected = { v1: [401, 'unauthorized'], v2: [401, 'UNAUTHORIZED'] };
const UNKNOWN: Expected = { v1: [401, 'service.not_authorized'], v2: [401, 'UNAUTHORIZED'] };
const REVOKED: Expected = { v1: [401, 'oauth.revoked'], v2: [401, 'ACCESS_TOKEN_REVOKED'] };
const EXPIRED: Expected = { v1: [401, 'oauth.expired'], v2: [401, 'ACCESS_TOKEN_EXPIRED'] };
const NO_PERMISSION: Expected = { v1: [403, 'forbidden'], v2: [403, 'INSUFFICIENT_SCOPES'] };
const NOT_APPROVED: Expected = { v1: [403, 'forbidden'], v2: [403, 'FORBIDDEN'] };
const GONE: Expected = { v1: [410, 'gone'], v2: [410, 'GONE'] };
const NOT_BUILT: Expected = { v1: [501, 'not_implemented'], v2: [501, 'NOT_IMPLEMENTED'] };
const BAD_VERSION: Expected = {
  v1: [400, 'bad_request.invalid_parameter'],
  v2: [400, 'INVALID_SQUARE_VERSION_FORMAT'],
};
const NOT_FOUND: Expected = { v1: [404, 'not_found'], v2: [404, 'NOT_FOUND'] };
const NO_SUCH_METHOD: Expected = { v1: [404, 'not_found'], v2: [405, 'METHOD_NOT_ALLOWED'] };

/** Wrong in every way that is looked at after the question who asks. */
const WRONG = { body: '{"broken', headers: { 'square-version': 'yesterday', 'content-type': 'text/plain' } };

let server: TestServer;
let gone: TestServer;
let business: Business;
let stranger: Business;
let unapproved: Business;
let revoked: string;
let expired: string;
const tokens = new Map<string, string>();

beforeAll(async () => {
  server = await startTestServer();
  gone = await startTestServer({ databaseUrl: server.databaseUrl, config: { retired: 'gone' } });
  [business, stranger, unapproved] = [
    await openBusiness(server),
    await openBusiness(server),
    await openBusiness(server),
  ];
  await server.operator('PUT', `/sandbox/merchants/${unapproved.merchant.id}/approval`, { approved: false });
  const { id } = business.merchant;
  revoked = await server.createToken(id, PERMISSIONS);
  await server.database.statement((tx) => revokeToken(tx, hashSecret(revoked), realNow()));
  expired = await server.createToken(id, PERMISSIONS);
  await server.operator('POST', '/sandbox/tokens/expire', { access_token: expired });
});
afterAll(async () => {
  await gone.stop();
  await server.stop();
});

function ask(operation: Operation, options: CallOptions = {}, ids = business.ids, at = server): Promise<Answer> {
  return at.call(operation.method, pathOf(operation, ids), options);
}

/** The permissions of which one is enough. */
function enough({ permission }: Operation): readonly string[] {
  if (typeof permission === 'string') return [permission];
  return 'anyOf' in permission ? permission.anyOf : [permission.always];
}

/** A token of the business with just these permissions, made once. */
async function tokenWith(permissions: readonly string[]): Promise<string> {
  const key = permissions.join();
  const token = tokens.get(key) ?? (await server.createToken(business.merchant.id, permissions));
  tokens.set(key, token);
  return token;
}

function expectDeprecation({ headers, rawHeaders }: Answer, deprecated: boolean): void {
  expect(headers['deprecation']).toBe(deprecated ? '@1582675200' : undefined); // 2020-02-26T00:00:00Z (RFC 9745)
  expect(headers['sunset']).toBe(deprecated ? 'Fri, 26 Feb 2021 00:00:00 GMT' : undefined);
  expect(rawHeaders.map((each) => each.toLowerCase())).not.toContain('link');
}

/** What may be compared of an answer: all of it but when it was, and the id that was asked for. */
function comparable({ status, headers, text }: Answer, id: string): unknown {
  const { date, 'x-request-id': requestId, ...rest } = headers;
  return { status, rest, text: text.replaceAll(id, 'ID') };
}

for (const operation of operations) {
  const { surface, path, permission, requires, deprecated } = operation;
  const isPublic = surface === 'v1' || surface === 'v2';

  describe(nameOf(operation), () => {
    if (permission !== 'ANYONE') {
      it('answers 401 without a credential, whatever else is wrong (decision 4)', async () => {
        const expected = surface === 'dashboard' ? UNKNOWN : NO_CREDENTIAL;
        expectRefusal(await ask(operation), path, expected);
        expectRefusal(await ask(operation, WRONG), path, expected);
        expectDeprecation(await ask(operation, WRONG), deprecated !== undefined);
      });

      it('answers 401 to a credential that nobody has', async () => {
        const options = surface === 'dashboard' ? cookie('nobody-has-this') : { token: 'EAAA-nobody-has-this' };
        expectRefusal(await ask(operation, options), path, UNKNOWN);
      });
    }

    if (isPublic) {
      it('answers 401 to a revoked token and to an expired one', async () => {
        for (const [token, expected] of [
          [revoked, REVOKED],
          [expired, EXPIRED],
        ] as const) {
          expectRefusal(await ask(operation, { token }), path, expected);
          expectRefusal(await ask(operation, { token, ...WRONG }), path, expected);
        }
      });

      it('answers 403 to a token that lacks the permission, and names it', async () => {
        const needed = enough(operation);
        const token = await tokenWith(PERMISSIONS.filter((each) => !needed.includes(each)));
        for (const options of [{ token }, { token, ...WRONG }]) {
          const answer = await ask(operation, options);
          const { message } = expectRefusal(answer, path, NO_PERMISSION);
          for (const each of needed) expect(message).toContain(each);
          expectDeprecation(answer, deprecated !== undefined);
        }
      });

      it('opens to the permission alone', async () => {
        for (const each of enough(operation)) {
          const { status, text } = await callWell(server, operation, business, { token: await tokenWith([each]) });
          expect(status, text).toBe(isBuilt(operation) ? 200 : 501);
        }
      });
    }

    if (surface === 'dashboard' && permission === 'OWNER') {
      it('answers 401 to a session that ended, by sign-out or by time', async () => {
        const [over, late] = [await signIn(server, business.owner), await signIn(server, business.owner)];
        await server.call('DELETE', '/dashboard/session', cookie(over));
        await server.database.sql`
          update sessions set expires_at = now() - interval '1 second' where token_hash = ${hashSecret(late)}`;
        for (const session of [over, late]) expectRefusal(await ask(operation, cookie(session)), path, UNKNOWN);
      });
    }

    if (requires) {
      it('answers 403 to an account that is not approved (decision 20)', async () => {
        const credential = credentialFor(operation, unapproved);
        const options = { ...WRONG, ...credential, headers: { ...WRONG.headers, ...credential.headers } };
        for (const each of [credential, options]) {
          const answer = await ask(operation, each, unapproved.ids);
          expectRefusal(answer, path, NOT_APPROVED);
          expectDeprecation(answer, deprecated !== undefined);
        }
      });
    } else {
      it('does not ask whether the account is approved', async () => {
        const { status } = await callWell(server, operation, unapproved);
        expect(status).toBe(isBuilt(operation) ? 200 : 501);
        // The sandbox's own operation may just have approved it.
        await server.operator('PUT', `/sandbox/merchants/${unapproved.merchant.id}/approval`, { approved: false });
      });
    }

    it(isBuilt(operation) ? 'answers 200 to a good request' : 'answers 501 to a good request', async () => {
      const answer = await callWell(server, operation, business);
      if (isBuilt(operation)) expect(answer.status, answer.text).toBe(200);
      else expectRefusal(answer, path, NOT_BUILT);
      expectDeprecation(answer, deprecated !== undefined);
    });

    it('refuses a malformed Square-Version and accepts any real date (decision 13)', async () => {
      for (const version of ['yesterday', '2020-02-30', '20200226', '2020-2-6', '2020-02-26T00:00:00Z', 'null']) {
        const answer = await callWell(server, operation, business, { headers: { 'square-version': version } });
        expectRefusal(answer, path, BAD_VERSION);
        expectDeprecation(answer, deprecated !== undefined);
      }
      for (const version of ['2026-09-16', '2199-12-31', '2010-01-01', '']) {
        const { status } = await callWell(server, operation, business, { headers: { 'square-version': version } });
        expect(status).toBe(isBuilt(operation) ? 200 : 501);
      }
    });

    const parameters = parametersOf(operation);
    if (parameters.length > 0 && surface !== 'sandbox') {
      it("answers another merchant's id exactly as one that does not exist (decision 15)", async () => {
        for (const name of parameters) {
          const theirs = stranger.ids[name];
          if (theirs === undefined) {
            // Nothing of this kind can exist before an operation on it is built.
            expect(isBuilt(operation), `openBusiness makes no ${name}`).toBe(false);
            continue;
          }
          const nobodys = madeUp(theirs);
          const credential = credentialFor(operation, business);
          const body = operation.body && { body: {} };
          const answers = [];
          for (const id of [theirs, nobodys]) {
            const answer = await ask(operation, { ...credential, ...body }, { ...business.ids, [name]: id });
            expect(answer.status).toBe(isBuilt(operation) ? 404 : 501);
            answers.push(comparable(answer, id));
          }
          expect(answers[0]).toEqual(answers[1]);
        }
      });
    }
  });
}

describe('tenancy beyond the path', () => {
  it.each(['role_ids', 'authorized_location_ids'])(
    "answers another merchant's id in %s of an employee as one that does not exist",
    async (field) => {
      const theirs = stranger.ids[field === 'role_ids' ? 'role_id' : 'location_id'] ?? '';
      for (const [method, path] of [
        ['POST', '/v1/me/employees'],
        ['PUT', `/v1/me/employees/${business.ids['employee_id']}`],
      ] as const) {
        const answers = [];
        for (const id of [theirs, madeUp(theirs)]) {
          const body = { first_name: 'A', last_name: 'B', [field]: [id] };
          const answer = await server.call(method, path, { token: business.merchant.token, body });
          expect(answer.status).toBe(400);
          expect(answer.body.field).toBe(field);
          answers.push(comparable(answer, id));
        }
        expect(answers[0]).toEqual(answers[1]);
      }
    },
  );

  it("answers a list of another merchant's location as one of a location that does not exist", async () => {
    const theirs = stranger.ids['location_id'] ?? '';
    for (const id of [theirs, madeUp(theirs)]) {
      const { token } = business.merchant;
      const answer = await server.call('GET', `/v2/employees?location_id=${id}`, { token });
      expect([answer.status, answer.body]).toEqual([200, { employees: [] }]);
    }
  });

  it("never shows another merchant's records to who comes with its page token (decision 6)", async () => {
    for (const path of ['/v1/me/employees', '/v1/me/roles', '/v2/employees']) {
      const [own, other] = [await openBusiness(server), await openBusiness(server)];
      for (const each of [own, other]) {
        const { token } = each.merchant;
        await server.call('POST', '/v1/me/roles', { token, body: { name: 'Second', permissions: [] } });
        await server.call('POST', '/v1/me/employees', { token, body: { first_name: 'C', last_name: 'D' } });
      }
      const first = await server.call('GET', `${path}?limit=1`, { token: own.merchant.token });
      const link = first.rawHeaders[first.rawHeaders.indexOf('Link') + 1] ?? '';
      const pageToken: string = first.body.cursor ?? /batch_token=([^>]+)>/.exec(link)?.[1];
      const next = `${path}?${isV1(path) ? 'batch_token' : 'cursor'}=${pageToken}`;
      const [mine, theirs] = [
        await server.call('GET', next, { token: own.merchant.token }),
        await server.call('GET', next, { token: other.merchant.token }),
      ];
      const idsIn = ({ body }: Answer): string[] => (body.employees ?? body).map(({ id }: { id: string }) => id);
      expect(idsIn(mine)).toHaveLength(1);
      expect(theirs.status).toBe(200);
      for (const id of idsIn(mine)) expect(idsIn(theirs)).not.toContain(id);
    }
  });
});

describe('dashboard.signIn', () => {
  it('is open to whoever has no credential yet', async () => {
    const { status, headers } = await server.call('POST', '/dashboard/session', { body: business.owner });
    expect(status).toBe(200);
    expect(String(headers['set-cookie'])).toMatch(
      /^tillhouse_session=[\w-]{43}; Path=\/dashboard; HttpOnly; SameSite=/,
    );
  });
});

describe('a server that was told that the retired are gone (decision 17)', () => {
  const retired = operations.filter(({ deprecated }) => deprecated);

  it.each(retired.map((each) => [nameOf(each), each] as const))(
    'answers 410 for %s, after who asks',
    async (_, each) => {
      const answer = await ask(each, { ...credentialFor(each, business), ...WRONG }, business.ids, gone);
      expectRefusal(answer, each.path, GONE);
      expectDeprecation(answer, true);

      expectRefusal(await ask(each, WRONG, business.ids, gone), each.path, NO_CREDENTIAL);
      const lacking = await tokenWith(PERMISSIONS.filter((word) => !enough(each).includes(word)));
      expectRefusal(await ask(each, { token: lacking }, business.ids, gone), each.path, NO_PERMISSION);
      if (each.requires) {
        const { token } = unapproved.merchant;
        expectRefusal(await ask(each, { token }, business.ids, gone), each.path, NOT_APPROVED);
      }
    },
  );

  it('answers all others as ever', async () => {
    for (const each of operations.filter(({ deprecated }) => !deprecated)) {
      const answer = await callWell(gone, each, business);
      expect([nameOf(each), answer.status]).toEqual([nameOf(each), isBuilt(each) ? 200 : 501]);
      expectDeprecation(answer, false);
    }
    expect(retired).toHaveLength(10);
  });
});

describe('a method that a path does not support (decision 2)', () => {
  const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY'];
  const byPath = new Map<string, Operation[]>();
  for (const each of operations) byPath.set(each.path, [...(byPath.get(each.path) ?? []), each]);

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
    for (const method of methods.filter((each) => !elsewhere.includes(each))) {
      // Whoever asks, and whatever the body is: which methods a path has is no secret.
      for (const options of [{}, credentialFor(first, business), WRONG]) {
        const answer = await server.call(method, concrete, options);
        expectRefusal(answer, path, NO_SUCH_METHOD);
        const allow = String(answer.headers['allow'] ?? '').split(', ');
        expect(allow.sort()).toEqual(isV1(path) ? [''] : [...supported].sort());
      }
    }
  });
});

describe('a path that nobody knows', () => {
  it.each([
    '/',
    '/v1',
    '/v1/',
    '/v1/you',
    '/v1/me/employees/a/b',
    '/v1/me/nothing?query=x',
    '/v1?x',
    '/v1.5/me',
    '/v10/me',
    '/v2',
    '/v2/',
    '/v2/nothing',
    '/v2/employees/a/b',
    '/v3/employees',
    '/V1/me',
    '//v1/me',
    '/sandbox',
    '/dashboard',
    '/dashboard/nothing',
    '/index.html',
    '/.env',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
    '/__proto__',
    '/constructor',
    `/${'a'.repeat(5000)}`,
  ])('%s answers 404 in the shape of its generation', async (path) => {
    const shape = path === '/v1?x' ? '/v1' : path;
    for (const method of ['GET', 'POST']) {
      for (const options of [{}, { token: business.merchant.token }, WRONG]) {
        expectRefusal(await server.call(method, path, options), shape, NOT_FOUND);
      }
    }
  });
});

describe('a path spelled with percent codes', () => {
  it.each(['/%761/me', '/v%31/%6de', '/%76%32/locations', '/v2/l%6fcations'])(
    '%s answers as the path it is',
    async (path) => {
      const plain = decodeURIComponent(path);
      expectRefusal(await server.call('GET', path), plain, NO_CREDENTIAL);
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
  it('answers as GET does, without the body, on every path that has a GET', async () => {
    for (const each of operations.filter(({ method }) => method === 'GET')) {
      const [head, get] = [
        await server.call('HEAD', pathOf(each, business.ids), credentialFor(each, business)),
        await server.call('GET', pathOf(each, business.ids), credentialFor(each, business)),
      ];
      expect([nameOf(each), head.status, head.text]).toEqual([nameOf(each), get.status, '']);
      expectDecent(head, each.path);
      expectDeprecation(head, each.deprecated !== undefined);
      expect((await server.call('HEAD', pathOf(each, business.ids))).status).toBe(401);
    }
  });

  it('answers 4xx on every path that has none', async () => {
    const withGet = new Set(operations.filter(({ method }) => method === 'GET').map(({ path }) => path));
    // /v2/payments/cancel is also a /v2/payments/{payment_id}, which has a GET.
    const without = operations.filter(({ path }) => !withGet.has(path) && path !== '/v2/payments/cancel');
    expect(without.length).toBeGreaterThan(5);
    for (const each of without) {
      const head = await server.call('HEAD', pathOf(each, business.ids), credentialFor(each, business));
      expect([nameOf(each), head.status]).toEqual([nameOf(each), isV1(each.path) ? 404 : 405]);
      expectDecent(head, each.path);
    }
  });
});

describe("the server's own paths", () => {
  it.each(['/healthz', '/readyz', '/openapi.json'])('%s answers without a credential, safely', async (path) => {
    const answer = await server.call('GET', path);
    expect(answer.status).toBe(200);
    const { headers } = answer;
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
    expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('/docs is a page that may load nothing from elsewhere', async () => {
    const { status, headers, text } = await server.call('GET', '/docs');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; connect-src 'self'; script-src 'self';/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
    expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
});
