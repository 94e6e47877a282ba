/** Sign-ins during a password change: no session of the old password remains (decision 0121). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, PASSWORD, signIn } from '../support/dashboard.js';
import { interleave } from '../support/interleaving.js';
import { withFullHashes } from '../support/quick-argon2.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('a sign-in with the old password', () => {
  it('that arrives while the new password is being set is refused', async () => {
    const owner = await createOwner(server);
    const answer = await interleave(server, {
      hold: (tx) => tx`update accounts set password_hash = 'another' where merchant_id = ${owner.merchant.id}`,
      work: () => signIn(server, owner.email, PASSWORD),
    });
    expect(answer.status).toBe(401);
  });

  it('that has just succeeded ends with the change', async () => {
    const owner = await createOwner(server);
    const answer = await interleave(server, {
      async hold(tx) {
        // The state of a sign-in that has not committed yet.
        await tx`select from accounts where merchant_id = ${owner.merchant.id} for share`;
        await tx`
          insert into sessions (token_hash, surface, account_id, merchant_id, created_at, expires_at, confirmed_at, last_used_at)
          select '\\x01', surface, account_id, merchant_id, created_at, expires_at, confirmed_at, last_used_at
          from sessions
          where merchant_id = ${owner.merchant.id}`;
      },
      work: () =>
        owner.call('PUT', '/api/dashboard/password', {
          body: { old_password: PASSWORD, new_password: 'a new and long password' },
        }),
    });
    expect(answer.status).toBe(200);
    const rows = await server.database.sql<{ ended: boolean }[]>`
      select revoked_at is not null as ended
      from sessions
      where merchant_id = ${owner.merchant.id} and token_hash = '\\x01'`;
    expect(rows).toEqual([{ ended: true }]);
  });
});

describe('two concurrent password changes', () => {
  it('with the old password: the second is refused', async () => {
    const owner = await createOwner(server);
    const change = (name: string) =>
      owner.call('PUT', '/api/dashboard/password', {
        body: { old_password: PASSWORD, new_password: `the password of ${name}` },
      });
    const answers = await withFullHashes(() => Promise.all([change('one'), change('another')]));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  });
});
