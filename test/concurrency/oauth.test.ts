/** Concurrent use of the same authorization code or token. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  allow,
  allowPublic,
  asClient,
  createApplication,
  createOwner,
  createPublicApplication,
  credentialsOf,
  grant,
  obtainToken,
  statusOf,
  type TestApplication,
  type TestOwner,
} from '../support/oauth.js';
import { PLACES, startTestServer, type TestServer } from '../support/server.js';

const AT_ONCE = 8;

let server: TestServer;
/** A second server on the same database, which a lock inside the process does not cover. */
let second: TestServer;
let application: TestApplication;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  second = await startTestServer({ databaseUrl: server.databaseUrl });
  application = await createApplication(server);
  owner = await createOwner(server);
});
afterAll(async () => {
  await second.stop();
  await server.stop();
});

let howMany = 1;

/** Sends all requests at once, to one server or to both in turn. */
function crowd<Result>(ask: (at: TestServer) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, index) => ask(index % howMany === 0 ? server : second)));
}

describe.each(PLACES)('$where', ({ servers }) => {
  beforeAll(() => {
    howMany = servers;
  });

  describe('an authorization code that many requests exchange at once', () => {
    it('returns tokens once, and they are revoked in the end', async () => {
      for (let round = 0; round < 5; round++) {
        const code = await allow(server, application, owner);
        const answers = await crowd((at) => obtainToken(at, { ...credentialsOf(application), code }));
        const statuses = answers.map(({ status }) => status).sort();
        expect(statuses).toEqual([200, ...Array.from({ length: AT_ONCE - 1 }, () => 401)]);
        const { access_token } = answers.find(({ status }) => status === 200)?.body ?? {};
        // Read from the database: the other server may cache it for a second.
        const [row] = await server.database.sql`
        select count(*)::int as tokens, bool_and(g.revoked_at is not null) as revoked
        from access_tokens t join authorizations g using (merchant_id, authorization_id)
        where t.token_hash = sha256(${access_token}::text::bytea)`;
        expect(row).toEqual({ tokens: 1, revoked: true });
      }
    });
  });

  describe('a single-use refresh token that many requests use at once', () => {
    it('is replaced once, and then all tokens of its family are revoked', async () => {
      const inPocket = await createPublicApplication(server);
      for (let round = 0; round < 5; round++) {
        const { refresh_token, access_token } = await allowPublic(server, inPocket, owner);
        const body = { client_id: inPocket.id, grant_type: 'refresh_token', refresh_token };
        const answers = await crowd((at) => obtainToken(at, body));
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(answers.filter(({ status }) => status === 401)).toHaveLength(AT_ONCE - 1);
        const next = answers.find(({ status }) => status === 200)?.body.refresh_token;
        expect((await obtainToken(server, { ...body, refresh_token: next })).status).toBe(401);
        const [row] = await server.database.sql`
        select bool_and(g.revoked_at is not null) as revoked
        from access_tokens t join authorizations g using (merchant_id, authorization_id)
        where t.token_hash = sha256(${access_token}::text::bytea)`;
        expect(row).toEqual({ revoked: true });
      }
    });
  });

  describe('a multi-use refresh token that many requests use at once', () => {
    it('returns a separate access token to each', async () => {
      const { refresh_token } = await grant(server, application, owner.merchant.id);
      const body = { ...credentialsOf(application), grant_type: 'refresh_token', refresh_token };
      const answers = await crowd((at) => obtainToken(at, body));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ body: { access_token } }) => access_token)).size).toBe(AT_ONCE);
    });
  });

  describe('a revocation during refreshes', () => {
    it('leaves no valid token, whichever comes first', async () => {
      for (let round = 0; round < 5; round++) {
        const merchant = await server.createMerchant();
        const { refresh_token } = await grant(server, application, merchant.id);
        const body = { ...credentialsOf(application), grant_type: 'refresh_token', refresh_token };
        const refreshing = crowd((at) => obtainToken(at, body));
        const revoked = await server.call('POST', '/oauth2/revoke', {
          ...asClient(application),
          body: { client_id: application.id, merchant_id: merchant.id },
        });
        expect(revoked.status).toBe(200);
        const given = (await refreshing).filter(({ status }) => status === 200).map((each) => each.body.access_token);
        for (const token of given) expect(await statusOf(server, token)).toBe('401 ACCESS_TOKEN_REVOKED');
        expect((await obtainToken(server, body)).status).toBe(401);
      }
    });
  });
});
