/**
 * An operation on one resource needs one SQL statement and none for its credential, as counted by PostgreSQL.
 *
 * PostgreSQL counts the transactions of a database (`pg_stat_database.xact_commit`), and a statement sent by itself is a
 * transaction of its own. The test runs a server several times on a separate database: idle for a moment, idle for some
 * seconds, and serving many requests. What an idle server does in the same time is subtracted: the credential cache reloads
 * tokens in use every 400 ms, and the worker asks when work is due. The rest is the cost of the requests, within an allowance far
 * below a second statement per request.
 * `pg_stat_activity` shows that a transaction was not several statements: after an explicit transaction, the last
 * statement of its connection is `commit`. Backends report their counts when they exit, so each run stops the server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createPersonalToken } from '../../../src/access/tokens.js';
import { type Database, openDatabase } from '../../../src/database/database.js';
import { pollUntil } from '../../support/clock.js';
import { createEmployee, type V1Employee } from '../../support/employees.js';
import { approve, pay, refund } from '../../support/payments.js';
import { keepWaiting, subscribe } from '../../support/receiver.js';
import {
  cloneDatabase,
  isCluster,
  startTestServer,
  type TestDatabase,
  type TestMerchant,
  type TestServer,
} from '../../support/server.js';

const REQUESTS = 200;
/** Allowance for background work: far below a second statement per request, which is 200 more. */
const BACKGROUND_ALLOWANCE = REQUESTS / 2 - 1;
const IDLE_SECONDS = 2;

let database: TestDatabase;
let admin: Database;
let merchant: TestMerchant;
let employee: V1Employee;
/** The transactions of a server that starts and stops, and what it adds in each second. */
let idle: { readonly once: number; readonly perSecond: number };

const databaseName = () => new URL(database.url).pathname.slice(1);

/** Reads the count after every connection to the database has ended and reported. */
async function countTransactions(): Promise<number> {
  const connections = await pollUntil(
    async () => admin.sql`
      select pid from pg_stat_activity where datname = ${databaseName()} and backend_type = 'client backend'`,
    (rows) => rows.length === 0,
    5000,
  );
  expect(connections).toEqual([]);
  const [row] = await admin.sql<{ count: number }[]>`
    select xact_commit + xact_rollback as count from pg_stat_database where datname = ${databaseName()}`;
  return row?.count ?? Number.NaN;
}

interface Run {
  readonly transactions: number;
  readonly seconds: number;
  /** The last statement of each connection that did the work. */
  readonly lastStatements: readonly string[];
}

/** Counts the transactions of a server that starts, does some work with a known token, and stops. */
async function run(work: (server: TestServer) => Promise<void>): Promise<Run> {
  const before = await countTransactions();
  const server = await startTestServer({ databaseUrl: database.url });
  const warm = await server.call('GET', `/v2/employees/${employee.id}`, { token: merchant.token });
  expect(warm.status).toBe(200);
  const [start] = await admin.sql<{ at: string }[]>`select clock_timestamp()::text as at`;
  const startedAt = performance.now();
  await work(server);
  const seconds = (performance.now() - startedAt) / 1000;
  const rows = await admin.sql<{ query: string }[]>`
    select query
    from pg_stat_activity
    where datname = ${databaseName()} and backend_type = 'client backend'
      and query_start > ${start?.at ?? ''}::text::timestamptz`;
  await server.stop();
  const transactions = (await countTransactions()) - before;
  return { transactions, seconds, lastStatements: rows.map(({ query }) => query.trim()) };
}

/** The transactions that the work of a run has caused. */
function costOf({ transactions, seconds }: Run): number {
  return transactions - idle.once - idle.perSecond * seconds;
}

// Nodes of a cluster keep connections to each other open. test/distributed/commands.test.ts counts what they send.
describe.skipIf(isCluster)('the statements of a server with a token in use', () => {
  beforeAll(async () => {
    database = await cloneDatabase();
    admin = openDatabase(inject('postgresUrl'), { maxConnections: 1, hasLongTimeouts: true });
    const server = await startTestServer({ databaseUrl: database.url });
    merchant = await server.createMerchant();
    employee = await createEmployee(server, merchant);
    await server.stop();
    const once = (await run(async () => {})).transactions;
    const longer = await run(() => sleep(IDLE_SECONDS * 1000));
    idle = { once, perSecond: Math.max(0, longer.transactions - once) / longer.seconds };
  });
  afterAll(async () => {
    await admin.close();
    await database.drop();
  });

  it.each([
    ['v2.retrieveEmployee', 'GET', () => `/v2/employees/${employee.id}`, undefined],
    ['v2.listEmployees', 'GET', () => '/v2/employees?status=INACTIVE', undefined],
    ['v1.retrieveEmployee', 'GET', () => `/v1/me/employees/${employee.id}`, undefined],
    ['v1.updateEmployee', 'PUT', () => `/v1/me/employees/${employee.id}`, { first_name: 'Ana' }],
    ['v2.listLocations', 'GET', () => '/v2/locations', undefined],
  ])('are one for each request of %s', async (_name, method, path, body) => {
    const done = await run(async (server) => {
      for (let count = 0; count < REQUESTS; count++) {
        const answer = await server.call(method, path(), { token: merchant.token, body });
        expect(answer.status).toBe(200);
      }
    });
    expect(costOf(done)).toBeGreaterThanOrEqual(REQUESTS - BACKGROUND_ALLOWANCE);
    expect(costOf(done)).toBeLessThanOrEqual(REQUESTS + BACKGROUND_ALLOWANCE);
    expect(done.lastStatements.length).toBeGreaterThan(0);
    for (const statement of done.lastStatements) expect(statement).toMatch(/^(?:select|update)\b[^;]*$/);
  });

  it('are counted: an unknown token costs two more', async () => {
    const behind = openDatabase(database.url, { maxConnections: 5, hasLongTimeouts: true });
    const request = { merchantId: merchant.id, permissions: ['EMPLOYEES_READ'], label: 'cold' } as const;
    const tokens = await Promise.all(Array.from({ length: REQUESTS }, () => createPersonalToken(behind, request)));
    await behind.close();
    const done = await run(async (server) => {
      for (const token of tokens) {
        expect((await server.call('GET', `/v2/employees/${employee.id}`, { token })).status).toBe(200);
      }
    });
    expect(costOf(done)).toBeGreaterThanOrEqual(3 * REQUESTS - BACKGROUND_ALLOWANCE);
  });
});

describe.skipIf(isCluster)('a server without requests', () => {
  it('asks about once a second whether work is due, and nothing else', async () => {
    const sent: string[] = [];
    const server = await startTestServer({ onStatement: (text) => sent.push(text), dueWork: {} });
    await sleep(1000); // what is done once after a start
    sent.length = 0;
    await sleep(IDLE_SECONDS * 1000);
    const count = sent.length;
    await server.stop();
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(3 * IDLE_SECONDS);
  });
});

describe('recording an event', () => {
  const sent: string[] = [];
  let server: TestServer;
  /** Its clock is frozen, so that no work becomes due during the requests. */
  let merchant: TestMerchant;

  beforeAll(async () => {
    server = await startTestServer({ onStatement: (text) => sent.push(text.trim()) });
    merchant = await server.createMerchant({ frozen: true });
    await keepWaiting(server.database); // so that the worker does not send anything
  });
  afterAll(() => server.stop());

  /** The statements about payments and refunds during some work, and the begin and commit of their transactions. */
  async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
    sent.length = 0;
    await work();
    return sent.filter((text) => /(?:payment|refund)s?(?:\b|_of_merchants\b)|^(?:begin|commit)/.test(text));
  }

  const countEvents = async () =>
    (await server.database.sql`select 1 from webhook_events where merchant_id = ${merchant.id}`).length;

  it('adds no statement to the request that causes it', async () => {
    const prepared = async () => [
      await approve(server, merchant),
      await approve(server, merchant),
      await pay(server, merchant),
    ];
    /** Runs each operation on a payment created before. */
    const measure = async ([toComplete, toCancel, toRefund]: readonly { readonly id: string }[]) => ({
      createPayment: await statementsOf(() => pay(server, merchant)),
      completePayment: await statementsOf(() =>
        server.call('POST', `/v2/payments/${toComplete?.id}/complete`, { token: merchant.token }),
      ),
      cancelPayment: await statementsOf(() =>
        server.call('POST', `/v2/payments/${toCancel?.id}/cancel`, { token: merchant.token }),
      ),
      refundPayment: await statementsOf(() => refund(server, merchant, { id: toRefund?.id ?? '' })),
    });
    const withoutSubscription = await measure(await prepared());
    expect(await countEvents()).toBe(0);
    const payments = await prepared();
    await subscribe(server, merchant, 'http://127.0.0.1:9/nobody');
    const withSubscription = await measure(payments);
    expect(await countEvents()).toBeGreaterThanOrEqual(4);
    expect(withSubscription).toEqual(withoutSubscription);
    expect(withSubscription.createPayment).toHaveLength(1);
    for (const statements of Object.values(withSubscription)) expect(statements.length).toBeGreaterThan(0);
  });
});
