/** Each kind of record is kept for as long as the flags of the server say (decision 0078). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KeptFor, parseArguments, SERVE_FLAGS, toServeConfig } from '../../../src/base/config.js';
import { pollUntil } from '../../support/clock.js';
import { signIn } from '../../support/dashboard.js';
import {
  allow,
  allowPublic,
  createApplication,
  createOwner,
  createPublicApplication,
  grant,
  type TestOwner,
} from '../../support/oauth.js';
import { approve, expectBooksInOrder, paymentBody } from '../../support/payments.js';
import { ensureDefined, openRegister, type Register } from '../../support/people.js';
import { makePng } from '../../support/pictures.js';
import { Receiver, subscribe, untilDeliveriesFinal } from '../../support/receiver.js';
import { startTestServer, type TestServer, withServer } from '../../support/server.js';

/** Each flag with a value that is not its default, a table with its key and time, and after how many days its rows are deleted then. */
const SETTINGS = [
  ['--keep-codes', 3, 'authorization_codes', 'code_hash', 'expires_at', 3],
  ['--keep-tokens', 40, 'access_tokens', 'token_hash', 'expires_at', 55],
  ['--keep-tokens', 40, 'refresh_tokens', 'token_hash', 'expires_at', 40],
  ['--keep-sessions', 5, 'sessions', 'token_hash', 'expires_at', 5],
  ['--keep-register-sessions', 20, 'register_sessions', 'token_hash', 'expires_at', 20],
  ['--keep-attempts', 6, 'sign_in_attempts', 'subject_hash', 'window_ends_at', 6],
  ['--keep-pictures', 7, 'pictures', 'picture_id', 'uploaded_at', 7],
  ['--keep-audit', 500, 'audit_events', 'audit_event_id', 'occurred_at', 500],
  ['--keep-keys', 45, 'idempotency_keys', 'key', 'created_at', 45],
  ['--keep-register-writes', 35, 'register_writes', 'client_id', 'created_at', 35],
  ['--keep-events', 60, 'webhook_events', 'event_id', 'created_at', 60],
] as const;

let server: TestServer;
let owner: TestOwner;
let register: Register;
let receiver: Receiver;
/** By table: the key of a row that is past its time, and of one that is not. */
const rows = new Map<string, { readonly expired: unknown; readonly kept: unknown }>();

beforeAll(async () => {
  [server, receiver] = [await startTestServer(), await Receiver.open()];
  owner = await createOwner(server);
  await makeRows();
}, 60_000);
afterAll(async () => {
  await expectBooksInOrder(server);
  await receiver.close();
  await server.stop();
});

/** At least two of each kind. */
async function makeRows(): Promise<void> {
  const application = await createApplication(server);
  await subscribe(server, owner.merchant, receiver.url);
  register = await openRegister(server, owner);
  for (let count = 0; count < 2; count++) {
    await allow(server, application, owner);
    await grant(server, application, owner.merchant.id);
    await allowPublic(server, await createPublicApplication(server), owner);
    await openRegister(server, owner);
    expect((await signIn(server, `nobody${count}@example.com`)).status).toBe(401);
    expect((await payWith(randomUUID())).status).toBe(200);
    const content = makePng(2 + count, 2).toString('base64');
    const picture = await owner.call('POST', '/api/dashboard/pictures', { body: { content } });
    expect(picture.status).toBe(200);
    for (const action of ['clock-in', 'clock-out']) await clock(action, randomUUID());
  }
  // A code is deleted long before the tokens that it was exchanged for.
  await server.database.sql`delete from authorization_codes where used_at is not null`;
}

function payWith(key: string) {
  return server.call('POST', '/v2/payments', {
    token: owner.merchant.token,
    body: paymentBody({ idempotency_key: key }),
  });
}

async function clock(action: string, id: string) {
  const answer = await register.write(`/api/register/timecards/${action}`, { id });
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

/** Moves the time of one row to an hour longer ago than its retention, and that of another one to an hour less. */
async function age(table: string, key: string, time: string, days: number): Promise<void> {
  const { sql } = server.database;
  const found = await sql<{ key: unknown }[]>`
    select ${sql(key)} as key
    from ${sql(table)}
    where ${sql(time)} is not null ${table === 'sessions' ? sql`and surface = 'oauth2'` : sql``}
    limit 2`;
  const [expired, kept] = found.map((row) => ensureDefined(row.key));
  rows.set(table, { expired, kept });
  await setAge(table, key, time, { value: expired, days, hours: 1 });
  await setAge(table, key, time, { value: kept, days, hours: -1 });
}

async function setAge(
  table: string,
  key: string,
  time: string,
  { value, days, hours = 0 }: { readonly value: unknown; readonly days: number; readonly hours?: number },
): Promise<void> {
  const { sql } = server.database;
  const changed = await sql`
    update ${sql(table)}
    set ${sql(time)} = now() - make_interval(days => ${days}, hours => ${hours})
    where ${sql(key)} = ${value as string}
    returning 1`;
  expect(changed, table).toHaveLength(1);
}

async function has(table: string, key: string, value: unknown): Promise<boolean> {
  const { sql } = server.database;
  return (await sql`select 1 from ${sql(table)} where ${sql(key)} = ${value as string}`).length > 0;
}

function settingsOf(args: readonly string[]): { readonly keptFor?: KeptFor } {
  const { keptFor } = toServeConfig(parseArguments(args, SERVE_FLAGS).values);
  return { ...(keptFor && { keptFor }) };
}

/** Lets another server delete what is old. Events are the last kind that it looks at. */
async function deleteOld(args: readonly string[], eventDays: number): Promise<void> {
  const { sql } = server.database;
  expect((await payWith(randomUUID())).status).toBe(200);
  await untilDeliveriesFinal(server, owner.merchant.id);
  const [event] = await sql<{ id: string }[]>`
    select event_id as id from webhook_events where created_at > now() - interval '1 day' limit 1`;
  await setAge('webhook_events', 'event_id', 'created_at', { value: event?.id, days: eventDays, hours: 1 });
  await withServer({ databaseUrl: server.databaseUrl, config: settingsOf(args) }, () =>
    pollUntil(
      () => has('webhook_events', 'event_id', event?.id),
      (found) => !found,
      60_000,
    ),
  );
}

describe('by default', () => {
  it('idempotency keys and writes of registers are kept forever: retries after ten years get the first response', async () => {
    const [key, id] = [randomUUID(), randomUUID()];
    const [payment, clocked] = [await payWith(key), await clock('clock-in', id)];
    await setAge('idempotency_keys', 'key', 'created_at', { value: key, days: 3650 });
    await setAge('register_writes', 'client_id', 'created_at', { value: id, days: 3650 });
    await deleteOld([], 30);
    expect((await payWith(key)).body.payment.id).toBe(payment.body.payment.id);
    expect((await clock('clock-in', id)).body).toEqual(clocked.body);
    await clock('clock-out', randomUUID());
  });
});

describe('as the flags say', () => {
  beforeAll(async () => {
    for (const [, , table, key, time, days] of SETTINGS) await age(table, key, time, days);
    await deleteOld([...new Map(SETTINGS.map(([flag, value]) => [flag, `${value}`]))].flat(), 60);
  }, 60_000);

  it.each(SETTINGS)('%s %d: deletes a row of %s when its time has passed, and not before', async (...setting) => {
    const [, , table, key] = setting;
    const { expired, kept } = ensureDefined(rows.get(table));
    expect([await has(table, key, expired), await has(table, key, kept)]).toEqual([false, true]);
  });

  it('has a setting for every flag', () => {
    const tested = new Set<string>(SETTINGS.map(([flag]) => flag));
    const flags = Object.keys(SERVE_FLAGS).filter((name) => name.startsWith('keep-') && name !== 'keep-requests');
    expect(flags.filter((name) => !tested.has(`--${name}`))).toEqual([]);
  });
});

describe('--keep-keys', () => {
  it('makes a retry after that time a new payment, and keeps the key of a payment that is not captured yet', async () => {
    const [key, openKey] = [randomUUID(), randomUUID()];
    const first = await payWith(key);
    const open = await approve(server, owner.merchant, { idempotency_key: openKey });
    for (const value of [key, openKey]) {
      await setAge('idempotency_keys', 'key', 'created_at', { value, days: 30, hours: 1 });
    }
    await deleteOld(['--keep-keys', '30'], 30);
    const again = await payWith(key);
    expect(again.status).toBe(200);
    expect(again.body.payment.id).not.toBe(first.body.payment.id);
    const repeated = await approve(server, owner.merchant, { idempotency_key: openKey });
    expect(repeated.id).toBe(open.id);
  });
});

it('--keep-requests: the log of a sandbox keeps that many requests', async () => {
  const { keptRequests } = toServeConfig(parseArguments(['--keep-requests', '3'], SERVE_FLAGS).values);
  await withServer({ config: { ...(keptRequests && { keptRequests }) } }, async (small) => {
    for (const name of ['a', 'b', 'c', 'd']) await small.call('GET', `/v2/payments/${name}`);
    const { body } = await small.operator('GET', '/api/sandbox/requests');
    const paths = body.requests.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(['/v2/payments/d', '/v2/payments/c', '/v2/payments/b']);
  });
});
