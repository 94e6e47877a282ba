import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isBuilt, type Operation, type Surface } from '../../src/api/operation.js';
import { operations } from '../../src/operations.js';
import type { CallOptions } from '../support/http.js';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.js';
import {
  type Business,
  callWell,
  cookie,
  credentialFor,
  goodBody,
  nameOf,
  openBusiness,
  pathOf,
  readRefusal,
} from './requests.js';

let server: TestServer;
let business: Business;

beforeAll(async () => {
  server = await startTestServer();
  business = await openBusiness(server);
});
afterAll(() => server.stop());

/** Every kind of secret there is, and the surfaces that it opens (decision 52). */
const KINDS: readonly { kind: string; opens: readonly Surface[]; secret: () => string }[] = [
  { kind: "an application's access token", opens: ['v1', 'v2'], secret: () => business.merchant.token },
  { kind: "the owner's session", opens: ['dashboard'], secret: () => business.session },
  { kind: 'the operator key', opens: ['sandbox'], secret: () => OPERATOR_KEY },
];

/** Every way in which somebody might hand a secret over. */
const WAYS: readonly (readonly [string, (secret: string) => CallOptions])[] = [
  ['as a bearer token', (secret) => ({ token: secret })],
  ['as the session cookie', (secret) => cookie(secret)],
  ['as both', (secret) => ({ token: secret, ...cookie(secret) })],
  ['without a scheme', (secret) => ({ headers: { authorization: secret } })],
  ['as a client secret', (secret) => ({ headers: { authorization: `Client ${secret}` } })],
  ['as a basic user', (secret) => ({ headers: { authorization: `Basic ${btoa(`${secret}:`)}` } })],
  [
    'in headers of its own',
    (secret) => ({ headers: { 'x-api-key': secret, 'x-access-token': secret, token: secret } }),
  ],
];

const guarded = operations.filter(({ permission }) => permission !== 'ANYONE');

async function statusOf(operation: Operation, options: CallOptions, search = ''): Promise<number> {
  const body = operation.body && { body: await goodBody(operation, business, server) };
  const path = pathOf(operation, business.ids) + search;
  return readRefusal(await server.call(operation.method, path, { ...body, ...options }), operation.path).status;
}

for (const { kind, opens, secret } of KINDS) {
  describe(kind, () => {
    it.each(WAYS)('opens nothing beyond its own surface %s', async (_, hand) => {
      const others = guarded.filter(({ surface }) => !opens.includes(surface));
      expect(others.length).toBeGreaterThan(10);
      for (const each of others) {
        expect([nameOf(each), await statusOf(each, hand(secret()))]).toEqual([nameOf(each), 401]);
      }
    });

    it('opens its own surface', async () => {
      const own = guarded.filter(({ surface }) => opens.includes(surface));
      expect(own.length).toBeGreaterThan(4);
      for (const each of own) {
        const { status } = await callWell(server, each, business);
        expect([nameOf(each), status]).toEqual([nameOf(each), isBuilt(each) ? 200 : 501]);
      }
    });

    it('opens its own surface only in the way that is meant for it', async () => {
      const meant = opens.includes('dashboard') ? 'as the session cookie' : 'as a bearer token';
      const own = guarded.filter(({ surface }) => opens.includes(surface));
      for (const [way, hand] of WAYS.filter(([each]) => each !== meant && each !== 'as both')) {
        for (const each of own) {
          expect([nameOf(each), way, await statusOf(each, hand(secret()))]).toEqual([nameOf(each), way, 401]);
        }
      }
    });

    it('opens nothing from the query string (decision 1)', async () => {
      const word = encodeURIComponent(secret());
      const search = `?access_token=${word}&token=${word}&authorization=Bearer%20${word}&tillhouse_session=${word}&key=${word}`;
      for (const each of guarded) expect([nameOf(each), await statusOf(each, {}, search)]).toEqual([nameOf(each), 401]);
    });
  });
}

describe('the Authorization header', () => {
  /** One operation of each surface that takes a bearer token. */
  const samples = ['v1.retrieveBusiness', 'v2.listLocations', 'sandbox.retrieveClock'].map((name) => {
    const found = operations.find((each) => nameOf(each) === name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  });
  const statusWith = async (operation: Operation, make: (token: string) => string): Promise<number> => {
    const authorization = make(credentialFor(operation, business).token ?? '');
    return (await server.call('GET', pathOf(operation, business.ids), { headers: { authorization } })).status;
  };

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes the scheme %s', async (scheme) => {
    for (const each of samples) expect(await statusWith(each, (token) => `${scheme} ${token}`)).toBe(200);
  });

  it.each<readonly [string, (token: string) => string]>([
    ['nothing', () => ''],
    ['the scheme alone', () => 'Bearer'],
    ['the scheme and a blank', () => 'Bearer '],
    ['the token alone', (token) => token],
    ['another scheme', (token) => `Basic ${token}`],
    ['another scheme, encoded', (token) => `Basic ${btoa(`:${token}`)}`],
    ['a scheme that begins alike', (token) => `BearerX ${token}`],
    ['no blank between', (token) => `Bearer${token}`],
    ['two tokens', (token) => `Bearer ${token} ${token}`],
    ['a list', (token) => `Bearer ${token}, Bearer ${token}`],
    ['quotes', (token) => `Bearer "${token}"`],
    ['a longer token', (token) => `Bearer ${token}x`],
    ['a shorter token', (token) => `Bearer ${token.slice(0, -1)}`],
    ['another case', (token) => `Bearer ${token === token.toUpperCase() ? token.toLowerCase() : token.toUpperCase()}`],
    ['a token beyond all bounds', (token) => `Bearer ${token.repeat(20)}${'x'.repeat(1024)}`],
  ])('is refused with %s', async (_, make) => {
    for (const each of samples) expect([nameOf(each), await statusWith(each, make)]).toEqual([nameOf(each), 401]);
  });
});

describe('the session cookie', () => {
  const showing = (header: string) => server.call('GET', '/dashboard/session', { headers: { cookie: header } });

  it('is found among others', async () => {
    const { session } = business;
    for (const header of [
      `a=b; tillhouse_session=${session}`,
      `tillhouse_session=${session}; z=1`,
      `a;tillhouse_session=${session}`,
    ]) {
      expect((await showing(header)).status).toBe(200);
    }
  });

  it('is refused under another name, changed, or beyond all bounds', async () => {
    const { session } = business;
    for (const header of [
      `session=${session}`,
      `Tillhouse_Session=${session}`,
      `x-tillhouse_session=${session}`,
      `tillhouse_session=${session}x`,
      `tillhouse_session=${session.slice(0, -1)}`,
      'tillhouse_session=',
      `tillhouse_session=${'x'.repeat(4000)}`,
    ]) {
      expect([header, (await showing(header)).status]).toEqual([header, 401]);
    }
  });
});

describe('dashboard.signIn', () => {
  it('asks for the password whatever credential comes along', async () => {
    for (const { secret } of KINDS) {
      for (const [, hand] of WAYS) {
        const wrong = { email: `${crypto.randomUUID()}@example.com`, password: secret() };
        const answer = await server.call('POST', '/dashboard/session', { ...hand(secret()), body: wrong });
        expect(readRefusal(answer, '/dashboard/session').status).toBe(401);
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
    }
  });
});
