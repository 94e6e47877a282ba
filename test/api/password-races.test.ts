/** Sign-ins during a password change: no session of the old password remains (decision 0121). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../support/clock.js';
import { createOwner, PASSWORD, signIn } from '../support/dashboard.js';
import { withFullHashes } from '../support/quick-argon2.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Resolves when a statement waits for a locked row, or when the given work has finished. */
async function untilLockWait(under: Promise<unknown>): Promise<void> {
  let isFinished = false;
  const note = () => {
    isFinished = true;
  };
  under.then(note, note);
  await pollUntil(
    async () => {
      const [row] = await server.database.sql<{ waits: boolean }[]>`
        select exists (select from pg_stat_activity where wait_event_type = 'Lock') as waits`;
      return isFinished || row?.waits === true;
    },
    (done) => done,
    20_000,
  );
}

describe('a sign-in with the old password', () => {
  it('that arrives while the new password is being set is refused', async () => {
    const owner = await createOwner(server);
    const attempt = await server.database.transaction(async (tx) => {
      await tx`update accounts set password_hash = 'another' where merchant_id = ${owner.merchant.id}`;
      const signingIn = signIn(server, owner.email, PASSWORD);
      await untilLockWait(signingIn);
      return { signingIn };
    });
    expect((await attempt.signingIn).status).toBe(401);
  });

  it('that has just succeeded ends with the change', async () => {
    const owner = await createOwner(server);
    const { changing } = await server.database.transaction(async (tx) => {
      // The state of a sign-in that has not committed yet.
      await tx`select from accounts where merchant_id = ${owner.merchant.id} for share`;
      await tx`
        insert into sessions (token_hash, surface, account_id, merchant_id, created_at, expires_at, confirmed_at, last_used_at)
        select '\\x01', surface, account_id, merchant_id, created_at, expires_at, confirmed_at, last_used_at
        from sessions
        where merchant_id = ${owner.merchant.id}`;
      const change = owner.call('PUT', '/api/dashboard/password', {
        body: { old_password: PASSWORD, new_password: 'a new and long password' },
      });
      await untilLockWait(change);
      return { changing: change };
    });
    expect((await changing).status).toBe(200);
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
