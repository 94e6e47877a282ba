/** Migrations while others use the database: requests, a backup, transactions that stay open (decision 0177). */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backUp } from '../src/backup/backup.js';
import { type Database, openDatabase, type Tx } from '../src/database/database.js';
import { migrate } from '../src/database/migrate.js';
import { keepMigrationsOut } from '../src/database/migration-locks.js';
import { planMigrations } from '../src/database/migration-plan.js';
import type { Session } from '../src/database/sessions.js';
import { pollUntil } from './support/clock.js';
import { MIGRATIONS } from './support/migrations.js';
import { tryToPay } from './support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from './support/server.js';

/** No request may wait longer. */
const LONGEST_MS = 3_000;
const COLUMN = '-- What a test writes down.\nalter table payments add column test_note text;';
const ROWS =
  "-- Batches: a note for each payment.\nupdate payments set test_note = 'x' where payment_id in (select payment_id from payments where test_note is null limit 20);";
const INDEX =
  '-- Concurrently: finds payments by their note.\ncreate index concurrently if not exists payments_test_note on payments (merchant_id, test_note);';

let server: TestServer;
let migrator: Database;
let other: Database;
let merchant: TestMerchant;
let folder: string;
let blocked: Session[];

beforeEach(async () => {
  server = await startTestServer();
  migrator = openDatabase(server.databaseUrl, { maxConnections: 2, hasLongTimeouts: true });
  other = openDatabase(server.databaseUrl, { maxConnections: 3, hasLongTimeouts: true });
  folder = await mkdtemp(join(tmpdir(), 'tillhouse-migrations-'));
  await cp(fileURLToPath(new URL('../migrations/', import.meta.url)), folder, { recursive: true });
  blocked = [];
  merchant = await server.createMerchant();
});
afterEach(async () => {
  await Promise.all([migrator.close(), other.close()]);
  await server.stop();
  await rm(folder, { recursive: true });
});

async function addMigrations(...texts: readonly string[]): Promise<readonly string[]> {
  const names = texts.map((_, index) => `${String(MIGRATIONS.length + index + 1).padStart(4, '0')}-test.sql`);
  await Promise.all(names.map((name, index) => writeFile(join(folder, name), texts[index] ?? '')));
  return names;
}

const migrateNow = () => migrate(migrator, { folder, onBlocked: (blockers) => blocked.push(...blockers) });

/** A transaction of another program that has done something and stays open. Returns how to end it. */
async function stayOpen(name: string, work: (tx: Tx) => Promise<unknown>): Promise<() => Promise<void>> {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let done: Promise<void> | undefined;
  await new Promise<void>((begun, fail) => {
    done = other.transaction(async (tx) => {
      await work(tx);
      await tx`select set_config('application_name', ${name}, false)`;
      begun();
      await ended;
    });
    done.catch(fail);
  });
  return async () => {
    end();
    await done;
  };
}

const openReport = () =>
  stayOpen('a report', async (tx) => {
    await tx`set transaction isolation level repeatable read`;
    await tx`select count(*) from payments`;
  });

const untilBlocked = (by: string) =>
  pollUntil(
    async () => blocked,
    (found) => found.some(({ application }) => application === by),
    20_000,
  );

/** Clients that pay until they are stopped. Returns how long the longest request took. */
function payMeanwhile(): () => Promise<{ readonly longestMs: number; readonly count: number }> {
  let isOver = false;
  let longestMs = 0;
  let count = 0;
  const client = async (): Promise<void> => {
    while (!isOver) {
      const since = performance.now();
      const { status } = await tryToPay(server, merchant);
      expect(status).toBe(200);
      longestMs = Math.max(longestMs, performance.now() - since);
      count += 1;
      await sleep(20);
    }
  };
  const clients = Promise.all([client(), client(), client()]);
  return async () => {
    isOver = true;
    await clients;
    return { longestMs, count };
  };
}

describe('a migration of a database that is in use', () => {
  it('lets nobody wait for long while a transaction stays open', { timeout: 60_000 }, async () => {
    const names = await addMigrations(COLUMN, INDEX, ROWS);
    const endReport = await openReport();
    const stopPaying = payMeanwhile();
    const migrated = migrateNow();
    await untilBlocked('a report');
    await sleep(4_000); // it tries again, and gives way again
    await endReport();
    expect(await migrated).toEqual(names);
    const { longestMs, count } = await stopPaying();
    expect(blocked).toContainEqual(expect.objectContaining({ application: 'a report', seconds: expect.any(Number) }));
    expect(count).toBeGreaterThan(10);
    expect(longestMs).toBeLessThan(LONGEST_MS);
    const [row] = await server.database.sql<{ noted: number }[]>`
      select count(*) as noted from payments where test_note = 'x'`;
    expect(row?.noted).toBeGreaterThan(10);
  });

  it('waits for a backup, and a backup waits for it', { timeout: 60_000 }, async () => {
    await addMigrations(COLUMN);
    const endBackup = await stayOpen('a backup', keepMigrationsOut);
    const migrated = migrateNow();
    await untilBlocked('a backup');
    expect(blocked).toMatchObject([{ application: 'a backup' }]); // told once
    expect((await tryToPay(server, merchant)).status).toBe(200);
    const endReport = await openReport(); // now the migration has to wait for this one
    await endBackup();
    await untilBlocked('a report');
    const target = join(folder, 'backup');
    let isOver = false;
    const backup = backUp(other, target, { dataDir: folder, files: [], overwrites: false, recipients: [] }).finally(
      () => {
        isOver = true;
      },
    );
    backup.catch(() => {});
    await sleep(500);
    expect(isOver).toBe(false);
    await endReport();
    const [name] = await migrated;
    await expect(backup).rejects.toThrow(name); // it saw the state after the migration, which only this test knows
  });

  it('continues after it was interrupted, and builds a broken index again', { timeout: 60_000 }, async () => {
    await addMigrations(COLUMN);
    await migrateNow();
    const [, name] = await addMigrations(COLUMN, INDEX);
    const endReport = await openReport();
    const interrupted = migrateNow().catch((error: unknown) => error);
    await pollUntil(
      async () => other.sql`select from pg_index where indexrelid = to_regclass('payments_test_note')`,
      (found) => found.length === 1,
      20_000,
    );
    migrator.abandon();
    expect(await interrupted).toBeInstanceOf(Error);
    await migrator.close();
    await endReport();
    const isValid = async () => {
      const [row] = await other.sql<{ valid: boolean }[]>`
        select indisvalid as valid from pg_index where indexrelid = to_regclass('payments_test_note')`;
      return row?.valid;
    };
    migrator = openDatabase(server.databaseUrl, { maxConnections: 2, hasLongTimeouts: true });
    expect(await migrateNow()).toEqual([name]);
    expect(await isValid()).toBe(true);
  });

  it('is planned before: what it locks, who waits, and for whom it has to wait', async () => {
    await addMigrations(COLUMN, INDEX, ROWS);
    const endReport = await openReport();
    await sleep(2_100);
    const plan = await planMigrations(migrator, folder);
    await endReport();
    expect(
      plan.migrations.map(({ reason, kind, tables }) => [reason, kind, tables[0]?.table, tables[0]?.waits]),
    ).toEqual([
      ['What a test writes down.', 'transaction', 'payments', 'everybody, for a moment'],
      ['finds payments by their note.', 'concurrently', 'payments', 'nobody'],
      ['a note for each payment.', 'batches', 'payments', 'writers of the same rows'],
    ]);
    expect(plan.openTransactions).toMatchObject([{ application: 'a report' }]);
    expect((await planMigrations(migrator)).migrations).toEqual([]);
  });
});
