/** A foreign session locks a table while requests come in: who waits is told, nobody waits for ever, nothing is lost. */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../support/http.js';
import { OwnPostgres } from '../support/own-postgres.js';
import { paymentBody } from '../support/payments.js';
import { newDataDir, run, Server, until } from '../support/process.js';

/** More than the deadline of a statement. */
const LOCKED_MS = 8_000;
const REQUESTS = 10;

let database: OwnPostgres;
let server: Server;
let token: string;
let foreign: postgres.Sql;

beforeAll(async () => {
  database = await OwnPostgres.make({ max_connections: 40 });
  await database.start();
  const args = ['--database-url', database.url, '--demo', 'on', '--metrics', '0'];
  server = await Server.start({ dataDir: await newDataDir(), args });
  token = (await server.demo()).access_token;
  foreign = postgres(database.url, { max: 2, fetch_types: false, connection: { application_name: 'a tool' } });
});
afterAll(async () => {
  await foreign.end();
  await server.stop();
  const check = await run(['check', '--database-url', database.url]);
  expect(check, check.stdout + check.stderr).toMatchObject({ code: 0 });
  await database.stop();
});

const pay = (key: string): Promise<ApiResponse> =>
  server.call('POST', '/v2/payments', { token, body: { ...paymentBody(), idempotency_key: key } });

/** The lines of the log with this message. */
function lines(message: string): Record<string, unknown>[] {
  return server.program.stderr
    .split('\n')
    .filter((line) => line.includes(`"${message}"`))
    .map((line) => JSON.parse(line));
}

async function readMetric(name: string): Promise<number> {
  const [, url = ''] = /(http:\/\/[\d.:]+\/metrics)/.exec(server.program.stdout + server.program.stderr) ?? [];
  const text = await (await fetch(url)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}

/** Locks a table for a while. */
function lockTable(
  table: string,
  milliseconds: number,
): { readonly done: Promise<unknown>; readonly held: Promise<void> } {
  let begun = (): void => {};
  const held = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const done = foreign.begin(async (tx) => {
    await tx.unsafe(`lock table ${table} in share mode`);
    begun();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
  });
  return { done, held };
}

describe('a table that a foreign session locks', () => {
  it('is told within two seconds, makes requests fail in time, and loses nothing', { timeout: 60_000 }, async () => {
    expect((await pay(randomUUID())).status).toBe(200);
    const { done, held } = lockTable('payments', LOCKED_MS);
    await held;
    const since = performance.now();
    const keys = Array.from({ length: REQUESTS }, () => randomUUID());
    const answers = keys.map(async (key) => {
      const { status, headers, body } = await pay(key);
      return { status, retryAfter: headers['retry-after'], body, ms: performance.now() - since };
    });

    await until(() => lines('database: statements wait for a lock').length > 0);
    expect(performance.now() - since).toBeLessThan(3_000);
    expect(lines('database: statements wait for a lock')[0]).toMatchObject({
      blocked: expect.any(Number),
      blockers: [{ application: 'a tool', statement: 'lock table payments in share mode', pid: expect.any(Number) }],
    });
    expect(await readMetric('tillhouse_http_requests_in_flight')).toBe(REQUESTS);
    expect(await readMetric('tillhouse_database_statements_blocked')).toBeGreaterThan(0);
    await until(async () => (await server.call('GET', '/readyz')).status === 503);
    const notReady = await server.call('GET', '/readyz');
    expect(notReady.text).toMatch(/statements wait for a lock of process \d+ \(a tool\)/);
    expect(await readMetric('tillhouse_http_request_oldest_seconds')).toBeGreaterThan(2.5);
    expect(await readMetric('tillhouse_database_statement_oldest_seconds')).toBeGreaterThan(2);
    expect(await readMetric('tillhouse_database_statements_slow{longer_than="0.1"}')).toBeGreaterThan(0);
    expect(await readMetric('tillhouse_database_statements_slow{longer_than="1"}')).toBeGreaterThan(0);
    expect(await readMetric('tillhouse_database_statements_slow{longer_than="5"}')).toBe(0);

    for (const answer of await Promise.all(answers)) {
      expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 503, retryAfter: '1' });
      expect(answer.ms).toBeLessThan(LOCKED_MS);
    }
    await done;
    await until(() => lines('database: no statement waits for a lock any more').length > 0);
    expect((await server.call('GET', '/readyz')).status).toBe(200);
    const paid = await Promise.all(keys.map(pay));
    expect(paid.map(({ status }) => status)).toEqual(keys.map(() => 200));
    const again = await Promise.all(keys.map(pay));
    expect(again.map(({ body }) => body.payment.id)).toEqual(paid.map(({ body }) => body.payment.id));
  });

  it('refuses an outcome that cannot be stored in time, and the same key finds the one payment later', {
    timeout: 60_000,
  }, async () => {
    const [row] = await foreign`select count(*)::int as count from payments`;
    const { done, held } = lockTable('payments, idempotency_keys, processor_calls, refunds', LOCKED_MS);
    await held;
    const key = randomUUID();
    const refused = await Promise.all([pay(key), pay(key)]);
    expect(refused.map(({ status }) => status)).toEqual([503, 503]);
    await done;
    const paid = await pay(key);
    expect(paid.status).toBe(200);
    const [after] = await foreign`select count(*)::int as count from payments`;
    expect(after?.['count']).toBe(row?.['count'] + 1);
  });
});
