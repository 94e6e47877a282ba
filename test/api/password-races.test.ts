/** Signing in while the password is changed: no session of the old password is left (decision 0121). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askUntil } from '../support/clock.js';
import { createOwner, PASSWORD, signIn } from '../support/dashboard.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Until a statement waits for a row that somebody else holds, or what it belongs to is over. */
async function untilItWaits(under: Promise<unknown>): Promise<void> {
  let isOver = false;
  const note = () => {
    isOver = true;
  };
  under.then(note, note);
  await askUntil(
    async () => {
      const [row] = await server.database.sql<{ waits: boolean }[]>`
        select exists (select from pg_stat_activity where wait_event_type = 'Lock') as waits`;
      return isOver || row?.waits === true;
    },
    (done) => done,
    20_000,
  );
}

describe('a sign-in with the old password', () => {
  it('that comes while the new one is being set is refused', async () => {
    const owner = await createOwner(server);
    const attempt = await server.database.transaction(async (tx) => {
      await tx`update accounts set password_hash = 'another' where merchant_id = ${owner.merchant.id}`;
      const signingIn = signIn(server, owner.email, PASSWORD);
      await untilItWaits(signingIn);
      return { signingIn };
    });
    expect((await attempt.signingIn).status).toBe(401);
  });

  it('that was just let in ends with the change', async () => {
    const owner = await createOwner(server);
    const { changing } = await server.database.transaction(async (tx) => {
      // As a sign-in does it that has not ended yet.
      await tx`select from accounts where merchant_id = ${owner.merchant.id} for share`;
      await tx`
        insert into sessions (token_hash, surface, account_id, merchant_id, created_at, expires_at, confirmed_at, last_used_at)
        select '\\x01', surface, account_id, merchant_id, created_at, expires_at, confirmed_at, last_used_at
        from sessions
        where merchant_id = ${owner.merchant.id}`;
      const change = owner.call('PUT', '/api/dashboard/password', {
        body: { old_password: PASSWORD, new_password: 'a new and long password' },
      });
      await untilItWaits(change);
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

describe('two changes of a password at once', () => {
  it('both with the old one: the second is refused', async () => {
    const owner = await createOwner(server);
    const change = (name: string) =>
      owner.call('PUT', '/api/dashboard/password', {
        body: { old_password: PASSWORD, new_password: `the password of ${name}` },
      });
    const answers = await Promise.all([change('one'), change('another')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  });
});
