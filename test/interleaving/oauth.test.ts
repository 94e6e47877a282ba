/** Functions of authorizations, stopped in the middle while something else is committed. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { moveAuthorizationsToRevoked } from '../../src/access/oauth/queries.js';
import { realNow } from '../../src/base/clock.js';
import { hashSecret } from '../../src/base/secrets.js';
import type { Tx } from '../../src/database/database.js';
import { interleave } from '../support/interleaving.js';
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
import { subscribe } from '../support/receiver.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
let application: TestApplication;
let owner: TestOwner;
let merchantId: string;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  application = await createApplication(server);
  owner = await createOwner(server);
  merchantId = owner.merchant.id;
});

/** How many access tokens the application has for the merchant. */
async function countTokens({ id }: TestApplication = application): Promise<number> {
  const rows = await server.database.sql`
    select from access_tokens where merchant_id = ${merchantId} and application_id = ${id}`;
  return rows.length;
}

const revoke = () =>
  server.call('POST', '/oauth2/revoke', {
    ...asClient(application),
    body: { client_id: application.id, merchant_id: merchantId },
  });

describe('an authorization code', () => {
  it('that another request uses meanwhile is refused, issues nothing, and ends the authorization', async () => {
    const code = await allow(server, application, owner);
    const answer = await interleave(server, {
      hold: (tx) => tx`update authorization_codes set used_at = now() where code_hash = ${hashSecret(code)}`,
      work: () => obtainToken(server, { ...credentialsOf(application), code }),
    });
    expect([answer.status, await countTokens()]).toEqual([401, 0]);
    const authorizations = await server.database.sql`
      select revoked_at is not null as revoked from authorizations where merchant_id = ${merchantId}`;
    expect(authorizations).toEqual([{ revoked: true }]);
  });

  it('whose authorization is revoked meanwhile gets no valid token', async () => {
    const code = await allow(server, application, owner);
    const answer = await interleave(server, {
      hold: (tx) =>
        tx`select from authorization_codes where merchant_id = ${merchantId} and code_hash = ${hashSecret(code)} for update`,
      work: () => obtainToken(server, { ...credentialsOf(application), code }),
      meanwhile: revoke,
    });
    expect(answer.status).toBe(200);
    expect(await statusOf(server, answer.body.access_token)).toBe('401 ACCESS_TOKEN_REVOKED');
    const again = { ...credentialsOf(application), grant_type: 'refresh_token' };
    expect((await obtainToken(server, { ...again, refresh_token: answer.body.refresh_token })).status).toBe(401);
  });
});

describe('a single-use refresh token', () => {
  it('that another request uses meanwhile is refused and issues nothing', async () => {
    const pocket = await createPublicApplication(server);
    const { refresh_token } = await allowPublic(server, pocket, owner);
    const answer = await interleave(server, {
      hold: (tx) => tx`update refresh_tokens set used_at = now() where token_hash = ${hashSecret(refresh_token)}`,
      work: () => obtainToken(server, { client_id: pocket.id, grant_type: 'refresh_token', refresh_token }),
    });
    expect([answer.status, await countTokens(pocket)]).toEqual([401, 1]);
    const tokens = await server.database.sql`select from refresh_tokens where merchant_id = ${merchantId}`;
    expect(tokens).toHaveLength(1);
  });
});

describe('a revocation', () => {
  const countEvents = async () =>
    (
      await server.database.sql`
        select from webhook_events where merchant_id = ${merchantId} and kind = 'oauth.authorization.revoked'`
    ).length;

  /** Revokes one authorization, as after the second use of its code. */
  async function revokeOne(tx: Tx, accessToken: string): Promise<void> {
    const [row] = await tx<{ authorizationId: string }[]>`
      select authorization_id from access_tokens where token_hash = ${hashSecret(accessToken)}`;
    const one = { merchantId, applicationId: application.id, authorizationId: row?.authorizationId ?? '' };
    await moveAuthorizationsToRevoked(tx, { ...one, by: 'SQUARE' }, realNow());
  }

  it('of the last authorization notifies the application, also if the other one is being revoked', async () => {
    const [first, second] = [
      await grant(server, application, merchantId),
      await grant(server, application, merchantId),
    ];
    for (const { access_token: token } of [first, second]) {
      await subscribe(server, { token }, 'http://127.0.0.1:9/nobody');
    }
    await interleave(server, {
      hold: (tx) => revokeOne(tx, first.access_token),
      work: () => server.database.statement((tx) => revokeOne(tx, second.access_token)),
    });
    expect(await countEvents()).toBe(1);
    const valid = await server.database.sql`
      select from authorizations where merchant_id = ${merchantId} and revoked_at is null`;
    expect(valid).toHaveLength(0);
  });

  it('that waits for another one notifies once', async () => {
    const { access_token: token } = await grant(server, application, merchantId);
    await subscribe(server, { token }, 'http://127.0.0.1:9/nobody');
    const answer = await interleave(server, {
      hold: (tx) =>
        moveAuthorizationsToRevoked(tx, { merchantId, applicationId: application.id, by: 'MERCHANT' }, realNow()),
      work: revoke,
    });
    expect([answer.status, await countEvents()]).toEqual([200, 1]);
  });
});
