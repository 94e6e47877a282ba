import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { operations } from '../../src/operations.js';
import type { CallOptions } from '../support/http.js';
import { isLong } from '../support/long.js';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.js';
import { type Business, cookie, cookieNameOf, EMPLOYEE_SESSION, openBusiness } from './business.js';
import { readRefusal } from './refusals.js';
import { callWell, credentialFor, type GoodRequest, goodRequest, nameOf, pathOf } from './requests.js';
import { coverPairs } from './shares.js';

let server: TestServer;
let business: Business;

beforeAll(async () => {
  server = await startTestServer({
    guards: { unknownCredentials: 1_000_000, oauth: 1_000_000, failedSignIns: 10_000 },
  });
  business = await openBusiness(server);
});
afterAll(() => server.stop());

interface Kind {
  readonly kind: string;
  /** The operations that it opens alone. A device token opens none of those for employees. */
  readonly opens: (operation: Operation) => boolean;
  /** The ways below in which it is accepted. */
  readonly ways: readonly string[];
  readonly secret: () => string;
}

/** Every kind of secret, and what it opens (decision 0052). */
const KINDS: readonly Kind[] = [
  {
    kind: "an application's access token",
    opens: ({ surface, permission }) => surface === 'v1' || surface === 'v2' || permission === 'TOKEN',
    ways: ['as a bearer token'],
    secret: () => business.merchant.token,
  },
  {
    kind: 'an access token that a merchant has allowed',
    opens: ({ surface, permission }) => surface === 'v1' || surface === 'v2' || permission === 'TOKEN',
    ways: ['as a bearer token'],
    secret: () => business.application.accessToken,
  },
  {
    kind: "an application's secret",
    opens: ({ permission }) => permission === 'CLIENT',
    ways: ['as a client secret', 'as a client secret behind Bearer'],
    secret: () => business.application.secret,
  },
  { kind: 'a refresh token', opens: () => false, ways: [], secret: () => business.application.refreshToken },
  {
    kind: "the owner's session",
    opens: ({ surface }) => surface === 'dashboard',
    ways: ['as the session cookie'],
    secret: () => business.session,
  },
  {
    kind: 'a device token',
    opens: ({ permission }) => permission === 'DEVICE',
    ways: ['as a bearer token'],
    secret: () => business.device.token,
  },
  {
    kind: 'a publishable key',
    opens: ({ surface }) => surface === 'checkout',
    ways: ['as a bearer token'],
    secret: () => business.publishableKey,
  },
  {
    kind: 'the operator key',
    opens: ({ surface }) => surface === 'sandbox',
    ways: ['as a bearer token'],
    secret: () => OPERATOR_KEY,
  },
  // Valid only together with the device of the session; register-credentials.test.ts tests the two together.
  { kind: "an employee's session", opens: () => false, ways: [], secret: () => business.attendant.session },
];

/** Every way in which a client might send a secret. */
const WAYS: readonly (readonly [string, (secret: string) => CallOptions])[] = [
  ['as a bearer token', (secret) => ({ token: secret })],
  ['as the session cookie', (secret) => cookie(secret)],
  ['as the employee session', (secret) => ({ headers: { [EMPLOYEE_SESSION]: secret } })],
  ['as all three', (secret) => ({ token: secret, headers: { ...cookie(secret).headers, [EMPLOYEE_SESSION]: secret } })],
  ['without a scheme', (secret) => ({ headers: { authorization: secret } })],
  ['as a client secret', (secret) => ({ headers: { authorization: `Client ${secret}` } })],
  ['as a client secret behind Bearer', (secret) => ({ headers: { authorization: `Bearer Client ${secret}` } })],
  ['as a basic user', (secret) => ({ headers: { authorization: `Basic ${btoa(`${secret}:`)}` } })],
  [
    'in headers of its own',
    (secret) => ({ headers: { 'x-api-key': secret, 'x-access-token': secret, token: secret, 'device-token': secret } }),
  ],
];

/** The last column of the square below: the secret in the query. */
const IN_QUERY = WAYS.length;

const guarded = operations.filter(({ permission }) => permission !== 'ANYONE');

/** Operations of a group run the same checks: `authenticate` sees their surface, what kind of caller they need, and whether they read. */
function groupOf({ surface, permission, method }: Operation): string {
  const caller = surface === 'register' && permission !== 'DEVICE' ? 'EMPLOYEE' : surface.startsWith('v') || permission;
  return [surface, caller, method === 'GET'].join();
}

/**
 * Each secret is sent in each way to every ninth operation of each group, or to every eighteenth of a large group. So every group gets
 * every secret in every way.
 */
const operationsFor = coverPairs(guarded, groupOf, KINDS.length);

it('every group gets every secret in every way, and every operation at least every second secret', () => {
  const least = isLong ? KINDS.length : Math.floor(KINDS.length / 2);
  const met = new Map(guarded.map((each) => [each, { rows: new Set<number>(), columns: new Set<number>() }]));
  for (const row of KINDS.keys()) {
    for (const column of WAYS.keys()) {
      const found = operationsFor(row, column);
      expect(new Set(found.map(groupOf))).toEqual(new Set(guarded.map(groupOf)));
      for (const each of found) {
        met.get(each)?.rows.add(row);
        met.get(each)?.columns.add(column);
      }
    }
  }
  for (const { rows, columns } of met.values()) {
    expect(rows.size).toBeGreaterThanOrEqual(least);
    expect(columns.size).toBeGreaterThanOrEqual(least);
  }
});

const requests = new Map<Operation, GoodRequest>();

/** Sends a good request without its credential. A refused request leaves the records unchanged for the next one. */
async function statusOf(operation: Operation, options: CallOptions, search = ''): Promise<number> {
  const request = requests.get(operation) ?? (await goodRequest(operation, business, server));
  requests.set(operation, request);
  const query = search === '' ? request.search : `${request.search || '?'}&${search}`;
  const body = request.body && { body: request.body };
  const answer = await server.call(operation.method, request.path + query, { ...body, ...options });
  return readRefusal(answer, operation.path).status;
}

/** The operations that return anything but 401, with their response. */
async function notRefused(asked: readonly Operation[], options: CallOptions, search?: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const operation of asked) {
    const status = await statusOf(operation, options, search);
    if (status !== 401) found.push([nameOf(operation), status]);
  }
  return found;
}

for (const [row, { kind, opens, ways, secret }] of KINDS.entries()) {
  const isOther = (operation: Operation): boolean => !opens(operation);

  describe(kind, () => {
    it.each(WAYS.map(([way, hand], column) => [way, hand, column] as const))(
      'opens nothing outside its own surface %s',
      async (_, hand, column) => {
        const others = operationsFor(row, column).filter(isOther);
        expect(others.length).toBeGreaterThan(5);
        expect(await notRefused(others, hand(secret()))).toEqual([]);
      },
    );

    if (guarded.some(opens)) {
      // every-operation.test.ts opens all of them.
      it('opens its own surface', async () => {
        const own = operationsFor(row, 0).filter(opens);
        expect(own.length).toBeGreaterThan(0);
        for (const operation of own) {
          const { status } = await callWell(server, operation, business);
          expect([nameOf(operation), status]).toEqual([nameOf(operation), 200]);
        }
      });

      it('opens its own surface only in the documented way', async () => {
        const wrong = [...WAYS.entries()].filter(([, [way]]) => !ways.includes(way) && way !== 'as all three');
        expect(wrong).toHaveLength(WAYS.length - 1 - ways.length);
        for (const [column, [way, hand]] of wrong) {
          const own = operationsFor(row, column).filter(opens);
          expect(own.length).toBeGreaterThan(0);
          expect(await notRefused(own, hand(secret())), way).toEqual([]);
        }
      });
    }

    it('opens nothing from the query string (decision 0001)', async () => {
      const names = ['access_token', 'token', 'tillhouse_session', 'device_token', EMPLOYEE_SESSION, 'session', 'key'];
      const word = encodeURIComponent(secret());
      const search = [...names.map((name) => `${name}=${word}`), `authorization=Bearer%20${word}`].join('&');
      expect(await notRefused(operationsFor(row, IN_QUERY), {}, search)).toEqual([]);
    });
  });
}

describe('the Authorization header', () => {
  /** One operation of each surface that accepts a bearer token. */
  const names = [
    'v1.retrieveBusiness',
    'v2.listLocations',
    'register.showDevice',
    'checkout.listItems',
    'sandbox.retrieveClock',
  ];
  const samples = names.map((name) => {
    const found = operations.find((each) => nameOf(each) === name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  });
  const statusWith = async (operation: Operation, make: (token: string) => string): Promise<number> => {
    const authorization = make(credentialFor(operation, business).token ?? '');
    return (await server.call('GET', pathOf(operation, business.ids), { headers: { authorization } })).status;
  };

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('accepts the scheme %s', async (scheme) => {
    for (const each of samples) expect(await statusWith(each, (token) => `${scheme} ${token}`)).toBe(200);
  });

  it.each<readonly [string, (token: string) => string]>([
    ['nothing', () => ''],
    ['the scheme alone', () => 'Bearer'],
    ['the scheme and a blank', () => 'Bearer '],
    ['the token alone', (token) => token],
    ['another scheme', (token) => `Basic ${token}`],
    ['another scheme, encoded', (token) => `Basic ${btoa(`:${token}`)}`],
    ['a scheme with the same prefix', (token) => `BearerX ${token}`],
    ['no blank between', (token) => `Bearer${token}`],
    ['two tokens', (token) => `Bearer ${token} ${token}`],
    ['a list', (token) => `Bearer ${token}, Bearer ${token}`],
    ['quotes', (token) => `Bearer "${token}"`],
    ['a longer token', (token) => `Bearer ${token}x`],
    ['a shorter token', (token) => `Bearer ${token.slice(0, -1)}`],
    ['another case', (token) => `Bearer ${token === token.toUpperCase() ? token.toLowerCase() : token.toUpperCase()}`],
    ['a token that is too long', (token) => `Bearer ${token.repeat(20)}${'x'.repeat(1024)}`],
  ])('is refused with %s', async (_, make) => {
    for (const each of samples) expect([nameOf(each), await statusWith(each, make)]).toEqual([nameOf(each), 401]);
  });
});

describe('the session cookie', () => {
  const showing = (header: string) => server.call('GET', '/api/dashboard/session', { headers: { cookie: header } });

  it('is found among other cookies', async () => {
    const { session } = business;
    const name = cookieNameOf(session);
    for (const header of [`a=b; ${name}=${session}`, `${name}=${session}; z=1`, `a;${name}=${session}`]) {
      expect((await showing(header)).status).toBe(200);
    }
  });

  it('is refused under another name, changed, or too long', async () => {
    const { session } = business;
    const name = cookieNameOf(session);
    for (const header of [
      `session=${session}`,
      `${name.toUpperCase()}=${session}`,
      `x-${name}=${session}`,
      `tillhouse_session=${session}`,
      `${name}=${session}x`,
      `${name}=${session.slice(0, -1)}`,
      `${name}=`,
      `${name}=${'x'.repeat(4000)}`,
    ]) {
      expect([header, (await showing(header)).status]).toEqual([header, 401]);
    }
  });
});

describe('dashboard.signIn', () => {
  it('requires the password whatever credential is sent', async () => {
    for (const [row, { secret }] of KINDS.entries()) {
      // Otherwise every secret in one way, and in every way one secret.
      for (const [, hand] of isLong ? WAYS : WAYS.slice(row, row + 1)) {
        const wrong = { email: `${crypto.randomUUID()}@example.com`, password: secret() };
        const answer = await server.call('POST', '/api/dashboard/session', { ...hand(secret()), body: wrong });
        expect(readRefusal(answer, '/api/dashboard/session').status).toBe(401);
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
    }
  });
});
