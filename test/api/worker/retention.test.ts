/** Any running server deletes expired rows, and keeps rows that a client can still request (decision 0078). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveTokenToRevoked } from '../../../src/access/token-queries.js';
import { realNow } from '../../../src/base/clock.js';
import { DEFAULT_KEPT_FOR } from '../../../src/base/config.js';
import { hashSecret } from '../../../src/base/secrets.js';
import { DAY_MS } from '../../../src/base/time.js';
import { pollUntil } from '../../support/clock.js';
import { signIn } from '../../support/dashboard.js';
import {
  allow,
  allowPublic,
  createApplication,
  createOwner,
  createPublicApplication,
  credentialsOf,
  grant,
  obtainToken,
  type TestApplication,
  type TestOwner,
  type WireTokens,
} from '../../support/oauth.js';
import { expectBooksInOrder, pay } from '../../support/payments.js';
import { ensureDefined, openRegister } from '../../support/people.js';
import { Receiver, subscribe, untilDeliveriesFinal } from '../../support/receiver.js';
import { startTestServer, type TestServer } from '../../support/server.js';

/** The credential tables, with their key, their end column, and the retention in days after the end. */
const CREDENTIALS = [
  ['authorization_codes', 'code_hash', 'expires_at', 1],
  ['access_tokens', 'token_hash', 'expires_at', 45],
  ['refresh_tokens', 'token_hash', 'expires_at', 30],
  ['sessions', 'token_hash', 'expires_at', 1],
  ['register_sessions', 'token_hash', 'expires_at', 11],
  ['sign_in_attempts', 'subject_hash', 'window_ends_at', 1],
] as const;

let server: TestServer;
let owner: TestOwner;
let application: TestApplication;
let tokens: WireTokens;
let receiver: Receiver;
/** Delivery ids, by what retention must do with the delivery. */
let deliveryIds: { old: string; recent: string; awaited: string; unwanted: string };
let endedSubscriptionId: string;
/** For each table, the key of a row that is past its retention and of a row that is not. */
const rows = new Map<string, { expired: Buffer; kept: Buffer }>();

beforeAll(async () => {
  [server, receiver] = [await startTestServer(), await Receiver.open()];
  [owner, application] = [await createOwner(server), await createApplication(server)];
  tokens = await grant(server, application, owner.merchant.id);
  await makeCredentials();
  for (const [table, key, end, days] of CREDENTIALS) rows.set(table, await age(table, key, end, days));
  deliveryIds = await createDeliveries();
  endedSubscriptionId = await endSubscription();

  const another = await startTestServer({ databaseUrl: server.databaseUrl });
  await pollUntil(countExpired, (count) => count === 0, 10_000);
  await another.stop();
}, 60_000);
afterAll(async () => {
  await expectBooksInOrder(server);
  await receiver.close();
  await server.stop();
});

/** Creates at least two credentials of each kind. */
async function makeCredentials(): Promise<void> {
  for (let count = 0; count < 2; count++) {
    await allow(server, application, owner);
    await allowPublic(server, await createPublicApplication(server), owner);
    await openRegister(server, owner);
    expect((await signIn(server, `nobody${count}@example.com`)).status).toBe(401);
  }
  // A code is deleted long before the tokens that it was exchanged for.
  await server.database.sql`delete from authorization_codes where used_at is not null`;
}

/** Moves the end of one row to an hour longer ago than its retention, and that of another row to an hour less. */
async function age(table: string, key: string, end: string, days: number): Promise<{ expired: Buffer; kept: Buffer }> {
  const { sql } = server.database;
  const found = await sql<{ key: Buffer }[]>`
    select ${sql(key)} as key
    from ${sql(table)}
    where ${sql(end)} is not null ${table === 'sessions' ? sql`and surface = 'oauth2'` : sql``}
    limit 2`;
  const [expired, kept] = found.map((row) => row.key);
  for (const [row, hours] of [
    [expired, 1],
    [kept, -1],
  ] as const) {
    await sql`
      update ${sql(table)}
      set ${sql(end)} = now() - make_interval(days => ${days}, hours => ${hours})
      where ${sql(key)} = ${ensureDefined(row)}`;
  }
  return { expired: ensureDefined(expired), kept: ensureDefined(kept) };
}

/** Creates four deliveries: an old one, a recent one, an old one that an enabled subscription still waits for, and an old one of a disabled subscription. */
async function createDeliveries(): Promise<typeof deliveryIds> {
  const { sql } = server.database;
  const { id: enabledId } = await subscribe(server, owner.merchant, receiver.url);
  const { id: disabledId } = await subscribe(server, owner.merchant, receiver.url, { enabled: false });
  for (let count = 0; count < 4; count++) await pay(server, owner.merchant);
  const deliveries = await untilDeliveriesFinal(server, owner.merchant.id);
  const [old, recent, awaited, unwanted] = deliveries.map(({ id }: { id: string }) => id);
  const wait = (id: string, subscription: string) => sql`
    update webhook_deliveries
    set state = 'WAITING', run_at = now() + interval '1 hour', subscription_id = ${subscription}
    where delivery_id = ${id}`;
  await wait(awaited, enabledId);
  await wait(unwanted, disabledId);
  const setAge = (ids: readonly string[], hours: number) => sql`
    update webhook_events
    set created_at = now() - make_interval(days => 30, hours => ${hours})
    where event_id in (select event_id from webhook_deliveries where delivery_id = any (${ids}::uuid[]))`;
  await setAge([old, awaited, unwanted], 1);
  await setAge([recent], -1);
  return { old, recent, awaited, unwanted };
}

/** Creates a subscription and revokes its personal token, so that no caller can see it any more. */
async function endSubscription(): Promise<string> {
  const token = await server.createToken(owner.merchant.id, ['PAYMENTS_READ']);
  const { id } = await subscribe(server, { token }, receiver.url);
  await server.database.statement((tx) => moveTokenToRevoked(tx, owner.merchant.id, hashSecret(token), realNow()));
  return id;
}

async function countExpired(): Promise<number> {
  const { sql } = server.database;
  let left = (
    await sql`select 1 from webhook_deliveries where delivery_id = any (${[deliveryIds.old, deliveryIds.unwanted]}::uuid[])`
  ).length;
  left += (await sql`select 1 from webhook_subscriptions where subscription_id = ${endedSubscriptionId}`).length;
  for (const [table, key] of CREDENTIALS) {
    left += (await sql`select 1 from ${sql(table)} where ${sql(key)} = ${ensureDefined(rows.get(table)).expired}`)
      .length;
  }
  return left;
}

it('retention deletes a subscription whose token has ended, and keeps active ones', async () => {
  const rows = await server.database.sql<{ id: string }[]>`
    select subscription_id as id from webhook_subscriptions where merchant_id = ${owner.merchant.id}`;
  expect(rows.map(({ id }) => id)).not.toContain(endedSubscriptionId);
  expect(rows).toHaveLength(2);
});

describe('retention of credentials', () => {
  it.each(CREDENTIALS)('deletes a row of %s when its retention has passed, and not before', async (table, key) => {
    const { sql } = server.database;
    const { expired, kept } = ensureDefined(rows.get(table));
    const left = await sql<{ key: Buffer }[]>`
      select ${sql(key)} as key from ${sql(table)} where ${sql(key)} in (${expired}, ${kept})`;
    expect(left.map((row) => row.key.toString('hex'))).toEqual([kept.toString('hex')]);
  });

  it('deletes the entries of deleted credentials in the directory, and keeps the others', async () => {
    const hashes = CREDENTIALS.filter(([table]) => table !== 'sign_in_attempts').map(([table]) =>
      ensureDefined(rows.get(table)),
    );
    const { sql } = server.database;
    for (const { expired, kept } of hashes) {
      expect(await sql`select from credential_directory where hash = ${expired}`).toHaveLength(0);
      expect(await sql`select from credential_directory where hash = ${kept}`).toHaveLength(1);
    }
  });

  it('deletes expired tokens of an authorization, and the authorization stays active and listed', async () => {
    await server.database.sql`
      delete from access_tokens where merchant_id = ${owner.merchant.id} and authorization_id is not null`;
    const { body } = await owner.call('GET', '/api/dashboard/authorizations');
    const ids = body.authorizations.map((each: { application_id: string }) => each.application_id);
    expect(ids).toContain(application.id);
    const refreshed = await obtainToken(server, {
      ...credentialsOf(application),
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    });
    expect(refreshed.status).toBe(200);
  });

  it('keeps personal tokens, so that they stay in their list', async () => {
    const [row] = await server.database.sql<{ count: number }[]>`
      select count(*) from access_tokens where merchant_id = ${owner.merchant.id} and authorization_id is null`;
    expect(row?.count).toBe(2); // includes a revoked token
  });
});

describe('retention of events', () => {
  const statusOf = async (id: string) => (await owner.call('GET', `/api/dashboard/webhook-deliveries/${id}`)).status;

  it('deletes an event 30 days after it happened, with its deliveries and attempts, and not before', async () => {
    expect([await statusOf(deliveryIds.old), await statusOf(deliveryIds.recent)]).toEqual([404, 200]);
    const attempts = await server.database.sql`select 1 from webhook_attempts where delivery_id = ${deliveryIds.old}`;
    expect(attempts).toHaveLength(0);
  });

  it('keeps an old event that waits for delivery to an enabled subscription, and deletes one that waits for a disabled subscription', async () => {
    expect([await statusOf(deliveryIds.awaited), await statusOf(deliveryIds.unwanted)]).toEqual([200, 404]);
  });

  it('keeps events and the audit log for as long as the server was told', async () => {
    const { sql } = server.database;
    await sql`update audit_events set occurred_at = now() - interval '41 days' where kind = 'AUTHORIZATION_GRANTED'`;
    const keptFor = { ...DEFAULT_KEPT_FOR, events: 29 * DAY_MS, audit: 40 * DAY_MS };
    const another = await startTestServer({ databaseUrl: server.databaseUrl, config: { keptFor } });
    try {
      const countOld = async () =>
        (await sql`select from audit_events where occurred_at < now() - interval '40 days'`).length +
        (await sql`select from webhook_deliveries where delivery_id = ${deliveryIds.recent}`).length;
      expect(await pollUntil(countOld, (count) => count === 0, 60_000)).toBe(0);
    } finally {
      await another.stop();
    }
  });
});
