import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveTokenToRevoked } from '../../src/access/token-queries.js';
import type { Operation } from '../../src/api/operation.js';
import { realNow } from '../../src/base/clock.js';
import { hashSecret } from '../../src/base/secrets.js';
import { PERMISSIONS } from '../../src/identity/permissions.js';
import { operations } from '../../src/operations.js';
import type { ApiResponse, CallOptions } from '../support/http.js';
import { isLong } from '../support/long.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, cookie, money, openBusiness, signIn, subscribe } from './business.js';
import {
  BAD_VERSION,
  EXPIRED,
  expectRefusal,
  GONE,
  NO_PERMISSION,
  NOT_APPROVED,
  REVOKED,
  UNAUTHORIZED,
} from './refusals.js';
import { asClient, callWell, credentialFor, goodRequest, nameOf, pathOf, send } from './requests.js';
import { createCaseSelector } from './shares.js';

const BAD_VERSIONS = ['yesterday', '2020-02-30', '20200226', '2020-2-6', '2020-02-26T00:00:00Z', 'null'];

/** One hook checks the versions of all operations. */
const partFor = createCaseSelector(operations);

/** Wrong in every way that is checked after authentication. */
const WRONG = { body: '{"broken', headers: { 'square-version': 'yesterday', 'content-type': 'text/plain' } };

let server: TestServer;
let gone: TestServer;
let business: Business;
let unapproved: Business;
let revoked: string;
let expired: string;
/** Sessions of the owner that ended, by sign-out and by expiry. */
let ended: readonly string[];
const tokens = new Map<string, string>();

beforeAll(async () => {
  server = await startTestServer();
  gone = await startTestServer({ databaseUrl: server.databaseUrl, config: { retired: 'gone' } });
  [business, unapproved] = [await openBusiness(server), await openBusiness(server)];
  await withdrawApproval();
  const { id } = business.merchant;
  revoked = await server.createToken(id, PERMISSIONS);
  await server.database.statement((tx) => moveTokenToRevoked(tx, id, hashSecret(revoked), realNow()));
  expired = await server.createToken(id, PERMISSIONS);
  await server.operator('POST', '/api/sandbox/tokens/expire', { access_token: expired });
  ended = await endSessions();
});
afterAll(async () => {
  await gone.stop();
  await server.stop();
});

async function endSessions(): Promise<readonly string[]> {
  const [over, late] = [await signIn(server, business.owner), await signIn(server, business.owner)];
  await server.call('DELETE', '/api/dashboard/session', cookie(over));
  await server.database.sql`
    update sessions set expires_at = now() - interval '1 second' where token_hash = ${hashSecret(late)}`;
  return [over, late];
}

function withdrawApproval(): Promise<ApiResponse> {
  return server.operator('PUT', `/api/sandbox/merchants/${unapproved.merchant.id}/approval`, { approved: false });
}

function ask(operation: Operation, options: CallOptions = {}, ids = business.ids, at = server): Promise<ApiResponse> {
  return at.call(operation.method, pathOf(operation, ids), options);
}

/** The options with everything wrong except the credential. */
function butWrong(credential: CallOptions): CallOptions {
  return { ...WRONG, ...credential, headers: { ...WRONG.headers, ...credential.headers } };
}

/** The permissions, one of which is enough. */
function enough({ permission }: Operation): readonly string[] {
  if (typeof permission === 'string') return [permission];
  return 'anyOf' in permission ? permission.anyOf : [permission.always];
}

/** A token of the business with exactly these permissions, created once. */
async function tokenWith(permissions: readonly string[], { merchant }: Business = business): Promise<string> {
  const key = [merchant.id, ...permissions].join();
  const token = tokens.get(key) ?? (await server.createToken(merchant.id, permissions));
  tokens.set(key, token);
  return token;
}

/** Only the maker of a subscription may change it (decision 0215). */
function managesSubscription({ surface, path }: Operation): boolean {
  return surface === 'v2' && path.includes('{subscription_id}');
}

/** The business with a subscription that the token has made. */
async function asMaker(caller: Business, token: string): Promise<Business> {
  const by = { ...caller, merchant: { ...caller.merchant, token } };
  return { ...by, ids: { ...caller.ids, subscription_id: await subscribe(server, by) } };
}

function expectDeprecation({ headers }: ApiResponse, deprecated: boolean): void {
  expect(headers['deprecation']).toBe(deprecated ? '@1582675200' : undefined); // 2020-02-26T00:00:00Z (RFC 9745)
  expect(headers['sunset']).toBe(deprecated ? 'Fri, 26 Feb 2021 00:00:00 GMT' : undefined);
  // Clients follow every Link, so it names nothing but the next page.
  expect(headers['link'] ?? "rel='next'").toMatch(/rel='next'$/);
}

for (const operation of operations) {
  const { surface, path, permission, requires, deprecated } = operation;
  const isPublic = surface === 'v1' || surface === 'v2';
  // Decision 0002: clients of the published API compare these texts. Our own surfaces name the credential they require.
  const comparedWords = { v1: 'Not Authorized', v2: 'This request could not be authorized.' }[surface as string];

  describe(nameOf(operation), () => {
    if (permission !== 'ANYONE') {
      it('returns 401 without a credential, whatever else is wrong (decision 0004)', async () => {
        const answer = await ask(operation, WRONG);
        const { message } = expectRefusal(answer, path, UNAUTHORIZED);
        if (comparedWords) expect(message).toBe(comparedWords);
        expectDeprecation(answer, deprecated !== undefined);
      });

      it('returns 401 for an unknown credential', async () => {
        const word = 'nobody-has-this';
        const options =
          surface === 'dashboard' ? cookie(word) : permission === 'CLIENT' ? asClient(word) : { token: word };
        const { message } = expectRefusal(await ask(operation, options), path, UNAUTHORIZED);
        if (comparedWords) expect(message).toBe(comparedWords);
      });
    }

    if (isPublic) {
      it('returns 401 for a revoked token and for an expired one, whatever else is wrong', async () => {
        expectRefusal(await ask(operation, { token: revoked, ...WRONG }), path, REVOKED);
        expectRefusal(await ask(operation, { token: expired, ...WRONG }), path, EXPIRED);
      });

      it('returns 403 for a token that lacks the permission, and names it, whatever else is wrong', async () => {
        const needed = enough(operation);
        const token = await tokenWith(PERMISSIONS.filter((each) => !needed.includes(each)));
        const answer = await ask(operation, { token, ...WRONG });
        const { message } = expectRefusal(answer, path, NO_PERMISSION);
        for (const each of needed) expect(message).toContain(each);
        expectDeprecation(answer, deprecated !== undefined);
      });
    }

    if (typeof permission === 'object' && 'withField' in permission) {
      const more = 'PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS';

      /** A good request with an application fee, or with another value in its place. */
      const askFor = async (permissions: readonly string[], app_fee_money: unknown): Promise<ApiResponse> => {
        const request = await goodRequest(operation, business, server);
        const body = { ...request.body, app_fee_money };
        return send(server, operation, request, { token: await tokenWith(permissions), body });
      };

      it(`returns 403 for a token that lacks ${more} when the body has an application fee, and names it`, async () => {
        for (const amount of [0, 1]) {
          const answer = await askFor([permission.always], money(amount));
          expect(expectRefusal(answer, path, NO_PERMISSION).message).toContain(more);
        }
        const alone = await askFor([more], money(1));
        expect(expectRefusal(alone, path, NO_PERMISSION).message).toContain(permission.always);
      });

      it('opens with both permissions for an application fee, and with the first alone when the fee is null', async () => {
        for (const [permissions, share] of [
          [[permission.always, more], money(1)],
          [[permission.always], null],
        ] as const) {
          const { status, text } = await askFor(permissions, share);
          expect(status, text).toBe(200);
        }
      });
    }

    if (surface === 'dashboard' && permission === 'OWNER') {
      it('returns 401 for a session that ended, by sign-out or by expiry', async () => {
        for (const session of ended) expectRefusal(await ask(operation, cookie(session)), path, UNAUTHORIZED);
      });
    }

    if (requires) {
      it('returns 403 for an account that is not approved, whatever else is wrong (decision 0020)', async () => {
        const answer = await ask(operation, butWrong(credentialFor(operation, unapproved)), unapproved.ids);
        expectRefusal(answer, path, NOT_APPROVED);
        expectDeprecation(answer, deprecated !== undefined);
      });
    }

    // With the least that it requires: the account need not be approved unless it says so, and one permission opens it.
    const conditions = `${requires ? '' : ' of an account that is not approved'}${isPublic ? ', with its permission alone' : ''}`;
    it(`returns 200 for a good request${conditions}, with any real date as Square-Version (decision 0013)`, async () => {
      const caller = requires ? business : unapproved;
      const versions = partFor(operation, ['2026-09-16', '2199-12-31', '2010-01-01', '']);
      const permissions = isPublic ? enough(operation) : [];
      for (let turn = 0; turn < Math.max(versions.length, permissions.length); turn++) {
        const version = versions[turn % versions.length] ?? '';
        const permission = permissions[turn % permissions.length];
        const token = permission === undefined ? undefined : await tokenWith([permission], caller);
        const by = token !== undefined && managesSubscription(operation) ? await asMaker(caller, token) : caller;
        const headers = { 'square-version': version };
        const answer = await callWell(server, operation, by, { ...(token && { token }), headers });
        expect(answer.status, answer.text).toBe(200);
        expectDeprecation(answer, deprecated !== undefined);
      }
      if (surface === 'sandbox') await withdrawApproval(); // the operation may just have approved it
    });

    it('refuses a malformed Square-Version, before it looks for the record (decision 0013)', async () => {
      const { headers, ...credential } = credentialFor(operation, business);
      for (const version of partFor(operation, BAD_VERSIONS)) {
        const answer = await ask(operation, { ...credential, headers: { ...headers, 'square-version': version } });
        expectRefusal(answer, path, BAD_VERSION);
        expectDeprecation(answer, deprecated !== undefined);
      }
    });
  });
}

describe('dashboard.signIn', () => {
  it('requires no credential', async () => {
    const { status, headers } = await server.call('POST', '/api/dashboard/session', { body: business.owner });
    expect(status).toBe(200);
    expect(String(headers['set-cookie'])).toMatch(
      /^tillhouse_session_\d+=[\w-]{43}; Path=\/api\/dashboard; HttpOnly; SameSite=/,
    );
  });
});

describe('a server on which retired operations are gone (decision 0017)', () => {
  const retired = operations.filter(({ deprecated }) => deprecated);

  it.each(retired.map((each) => [nameOf(each), each] as const))(
    'returns 410 for %s, after authentication',
    async (_, each) => {
      const answer = await ask(each, butWrong(credentialFor(each, business)), business.ids, gone);
      expectRefusal(answer, each.path, GONE);
      expectDeprecation(answer, true);

      expectRefusal(await ask(each, WRONG, business.ids, gone), each.path, UNAUTHORIZED);
      const lacking = await tokenWith(PERMISSIONS.filter((word) => !enough(each).includes(word)));
      expectRefusal(await ask(each, { token: lacking }, business.ids, gone), each.path, NO_PERMISSION);
      if (each.requires) {
        const { token } = unapproved.merchant;
        expectRefusal(await ask(each, { token }, business.ids, gone), each.path, NOT_APPROVED);
      }
    },
  );

  it('responds to all other operations as before', async () => {
    // Each server has a log of its own requests.
    const ofOneServer = ['sandbox.retrieveRequest', 'sandbox.resendRequest'];
    const others = operations.filter((one) => !one.deprecated && !ofOneServer.includes(nameOf(one)));
    // One hook decides for all of them, so a few of each surface are enough.
    for (const each of others.filter((_, index) => index % (isLong ? 4 : 12) === 0)) {
      // The records of the request are created on a server where nothing is gone.
      const answer = await send(gone, each, await goodRequest(each, business, server));
      expect([nameOf(each), answer.status], answer.text).toEqual([nameOf(each), 200]);
      expectDeprecation(answer, false);
    }
    expect(retired).toHaveLength(10);
  });
});
