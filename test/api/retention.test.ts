/** What is over is removed by whichever server runs, and what somebody can still ask for stays (decision 0078). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveTokenToRevoked } from '../../src/access/token-queries.js';
import { realNow } from '../../src/base/clock.js';
import { hashSecret } from '../../src/base/secrets.js';
import { askUntil } from '../support/clock.js';
import { signIn } from '../support/dashboard.js';
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
} from '../support/oauth.js';
import { expectBooksInOrder, pay } from '../support/payments.js';
import { openRegister, sure } from '../support/people.js';
import { Receiver, subscribe, untilSettled } from '../support/receiver.js';
import { startTestServer, type TestServer } from '../support/server.js';

/** Each kind, and for how many days after its end it is kept. */
const CREDENTIALS = [
  ['authorization_codes', 'code_hash', 'expires_at', 1],
  ['access_tokens', 'token_hash', 'expires_at', 45],
  ['refresh_tokens', 'token_hash', 'expires_at', 30],
  ['sessions', 'token_hash', 'expires_at', 1],
  ['register_sessions', 'token_hash', 'expires_at', 4],
  ['sign_in_attempts', 'subject_hash', 'window_ends_at', 1],
] as const;

let server: TestServer;
let owner: TestOwner;
let application: TestApplication;
let tokens: WireTokens;
let receiver: Receiver;
/** Deliveries by what is expected of them. */
let told: { old: string; recent: string; awaited: string; unwanted: string };
let ended: string;
/** The key of a row that is over, and of one that is not quite, in each table. */
const rows = new Map<string, { over: Buffer; kept: Buffer }>();

beforeAll(async () => {
  [server, receiver] = [await startTestServer(), await Receiver.open()];
  [owner, application] = [await createOwner(server), await createApplication(server)];
  tokens = await grant(server, application, owner.merchant.id);
  await makeCredentials();
  for (const [table, key, end, days] of CREDENTIALS) rows.set(table, await age(table, key, end, days));
  told = await tellFour();
  ended = await endSubscription();

  const another = await startTestServer({ databaseUrl: server.databaseUrl });
  await askUntil(countOver, (count) => count === 0, 10_000);
  await another.stop();
}, 60_000);
afterAll(async () => {
  await expectBooksInOrder(server);
  await receiver.close();
  await server.stop();
});

/** Two of each kind at least. */
async function makeCredentials(): Promise<void> {
  for (let count = 0; count < 2; count++) {
    await allow(server, application, owner);
    await allowPublic(server, await createPublicApplication(server), owner);
    await openRegister(server, owner);
    expect((await signIn(server, `nobody${count}@example.com`)).status).toBe(401);
  }
  // A code is gone long before the tokens that it gave.
  await server.database.sql`delete from authorization_codes where used_at is not null`;
}

/** Lets one row have ended an hour longer ago than it is kept, and another an hour less. */
async function age(table: string, key: string, end: string, days: number): Promise<{ over: Buffer; kept: Buffer }> {
  const { sql } = server.database;
  const found = await sql<{ key: Buffer }[]>`
    select ${sql(key)} as key
    from ${sql(table)}
    where ${sql(end)} is not null ${table === 'sessions' ? sql`and surface = 'oauth2'` : sql``}
    limit 2`;
  const [over, kept] = found.map((row) => row.key);
  for (const [row, hours] of [
    [over, 1],
    [kept, -1],
  ] as const) {
    await sql`
      update ${sql(table)}
      set ${sql(end)} = now() - make_interval(days => ${days}, hours => ${hours})
      where ${sql(key)} = ${sure(row)}`;
  }
  return { over: sure(over), kept: sure(kept) };
}

/** Four payments are told of: long ago, lately, and long ago but not yet to the end, by who listens and who does not. */
async function tellFour(): Promise<typeof told> {
  const { sql } = server.database;
  const { id: listening } = await subscribe(server, owner.merchant, receiver.url);
  const { id: silent } = await subscribe(server, owner.merchant, receiver.url, { enabled: false });
  for (let count = 0; count < 4; count++) await pay(server, owner.merchant);
  const deliveries = await untilSettled(server, owner.merchant.id);
  const [old, recent, awaited, unwanted] = deliveries.map(({ id }: { id: string }) => id);
  const wait = (id: string, subscription: string) => sql`
    update webhook_deliveries
    set state = 'WAITING', run_at = now() + interval '1 hour', subscription_id = ${subscription}
    where delivery_id = ${id}`;
  await wait(awaited, listening);
  await wait(unwanted, silent);
  const happened = (ids: readonly string[], hours: number) => sql`
    update webhook_events
    set created_at = now() - make_interval(days => 30, hours => ${hours})
    where event_id in (select event_id from webhook_deliveries where delivery_id = any (${ids}::uuid[]))`;
  await happened([old, awaited, unwanted], 1);
  await happened([recent], -1);
  return { old, recent, awaited, unwanted };
}

/** A subscription whose personal token was revoked: nobody can see it any more. */
async function endSubscription(): Promise<string> {
  const token = await server.createToken(owner.merchant.id, ['PAYMENTS_READ']);
  const { id } = await subscribe(server, { token }, receiver.url);
  await server.database.statement((tx) => moveTokenToRevoked(tx, hashSecret(token), realNow()));
  return id;
}

async function countOver(): Promise<number> {
  const { sql } = server.database;
  let left = (
    await sql`select 1 from webhook_deliveries where delivery_id = any (${[told.old, told.unwanted]}::uuid[])`
  ).length;
  left += (await sql`select 1 from webhook_subscriptions where subscription_id = ${ended}`).length;
  for (const [table, key] of CREDENTIALS) {
    left += (await sql`select 1 from ${sql(table)} where ${sql(key)} = ${sure(rows.get(table)).over}`).length;
  }
  return left;
}

it('a subscription is removed once its token has ended, and those in force stay', async () => {
  const rows = await server.database.sql<{ id: string }[]>`
    select subscription_id as id from webhook_subscriptions where merchant_id = ${owner.merchant.id}`;
  expect(rows.map(({ id }) => id)).not.toContain(ended);
  expect(rows).toHaveLength(2);
});

describe('a credential', () => {
  it.each(CREDENTIALS)('of %s is removed so many days after its end, and not before', async (table, key) => {
    const { sql } = server.database;
    const { over, kept } = sure(rows.get(table));
    const left = await sql<{ key: Buffer }[]>`
      select ${sql(key)} as key from ${sql(table)} where ${sql(key)} in (${over}, ${kept})`;
    expect(left.map((row) => row.key.toString('hex'))).toEqual([kept.toString('hex')]);
  });

  it('of a merchant who allowed an application goes, and leaves what was allowed in force and in sight', async () => {
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

  it('of a person does not go by itself: personal tokens stay in their list', async () => {
    const [row] = await server.database.sql<{ count: number }[]>`
      select count(*) from access_tokens where merchant_id = ${owner.merchant.id} and authorization_id is null`;
    expect(row?.count).toBe(2); // a revoked one too
  });
});

describe('an event', () => {
  const statusOf = async (id: string) => (await owner.call('GET', `/api/dashboard/webhook-deliveries/${id}`)).status;

  it('is removed 30 days after it happened, with its deliveries and attempts, and not before', async () => {
    expect([await statusOf(told.old), await statusOf(told.recent)]).toEqual([404, 200]);
    const attempts = await server.database.sql`select 1 from webhook_attempts where delivery_id = ${told.old}`;
    expect(attempts).toHaveLength(0);
  });

  it('stays while somebody who listens is still to be told, and goes where nobody listens any more', async () => {
    expect([await statusOf(told.awaited), await statusOf(told.unwanted)]).toEqual([200, 404]);
  });
});
