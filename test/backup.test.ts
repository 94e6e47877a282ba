/** Backups of your own PostgreSQL: what is in them, and what is restored into an empty database (decision 0174). */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeBackup } from '../src/backup/file.js';
import { type Database, openDatabase } from '../src/database/database.js';
import { DROPPED_TABLES } from '../src/database/placement.js';
import { runHere } from './support/commands.js';
import { MIGRATIONS, migrateUntil, readMigration } from './support/migrations.js';
import { expectOneLine, newFolder } from './support/process.js';
import { cloneDatabase, type TestDatabase } from './support/server.js';

/** Each has something that COPY must escape, or that looks like the end of the rows. */
const TEXTS = ['back\\slash', 'two\nlines', 'a\ttab', '\\.', '\\N', 'a\n\\.\n', 'x\n\\.\n'.repeat(60_000)];

type OpenDatabase = TestDatabase & Pick<Database, 'sql' | 'close'>;

let source: OpenDatabase;
let target: OpenDatabase;
let folder: string;

async function openEmpty(): Promise<OpenDatabase> {
  const clone = await cloneDatabase({ empty: true });
  return { ...openDatabase(clone.url, { maxConnections: 1, hasLongTimeouts: true }), ...clone };
}

beforeAll(async () => {
  [folder, source, target] = [await newFolder(), await openEmpty(), await openEmpty()];
});
afterAll(async () => {
  for (const { close, drop } of [source, target]) {
    await close();
    await drop();
  }
});

function onDatabase({ url }: TestDatabase, ...args: string[]) {
  return runHere([...args, '--database-url', url, '--data-dir', join(folder, 'data')]);
}

async function expectRefused(refused: ReturnType<typeof runHere>, code: number, reason: RegExp): Promise<void> {
  const { stdout, stderr, ...result } = await refused;
  expect({ code: result.code, stdout }, stderr).toEqual({ code, stdout: '' });
  expectOneLine(stderr);
  expect(stderr).toMatch(reason);
}

async function listApplications({ sql }: OpenDatabase): Promise<unknown[]> {
  return [
    ...(await sql`
      select application_id, name, merchant_id, redirect_urls, secret_hash, created_at from applications order by name`),
  ];
}

it('says why a database cannot be backed up', async () => {
  const file = join(folder, 'refused');
  await expectRefused(onDatabase(target, 'backup', file), 1, /no tables of Tillhouse.*--database-url/);
  const nowhere = ['--database-url', 'postgres://till@127.0.0.1:1/till'];
  await expectRefused(runHere(['backup', file, ...nowhere]), 1, /--database-url \(DATABASE_URL\) cannot be used/);
  expect(await readdir(folder)).toEqual([]);
});

it('names every table that a migration has dropped, because older databases have it', () => {
  const dropped = MIGRATIONS.flatMap((name) => [...readMigration(name).matchAll(/^drop table (\w+)/gm)]);
  expect(dropped.map(([, table]) => table)).toEqual(DROPPED_TABLES);
});

it('backs up the tables of an older version, and names those that do not belong to Tillhouse', async () => {
  const { sql } = source;
  await migrateUntil(source, '-catalogue.sql');
  for (const [index, name] of TEXTS.entries()) {
    const [hash, urls] =
      index % 2 === 0 ? [null, []] : [Buffer.from([index, 92, 46, 10]), ['https://a.example/\\.', '']];
    await sql`
      insert into applications (application_id, name, redirect_urls, secret_hash, created_at)
      values (${`A${index}`}, ${name}, ${urls}, ${hash}, now())`;
  }
  await sql.unsafe(`
    insert into merchants (
      merchant_id, business_name, owner_name, country, language_code, currency, business_type, status, approved, created_at
    )
    values ('M1', 'Bakery', 'Ana', 'US', 'en-US', 'USD', 'bakery', 'ACTIVE', true, now());
    insert into locations (merchant_id, location_id, name, timezone, status, type, profile, created_at, ordinal)
    values ('M1', 'L1', 'Main', 'UTC', 'ACTIVE', 'PHYSICAL', '{}', now(), 1);
    insert into catalogue_items (merchant_id, location_id, item_id, name, price, created_at, updated_at)
    values ('M1', 'L1', 'I1', 'Loaf', 1000, now(), now());
    create table notes_of_the_operator (note text)`);
  const others = ['new-1-notes', 'new-20261117', 'new-4194305-0123abcd'].map((end) =>
    join(folder, `till.backup.${end}`),
  );
  for (const other of others) await writeFile(other, '');

  const { code, stdout, stderr } = await onDatabase(source, 'backup', join(folder, 'till.backup'));
  const untimed =
    'The backup is complete. Its time was not stored, because the database is from an older version of Tillhouse.\n';
  expect({ code, stderr }).toEqual({ code: 0, stderr: untimed });
  expect(stdout).toMatch(
    /^Wrote .+\n.+not belong to Tillhouse: notes_of_the_operator\.\n.+TILLHOUSE_ACCOUNT_KEY too\.\n$/,
  );
  // The last one is a leftover: no process has such an id.
  expect((await readdir(folder)).sort()).toEqual([
    'till.backup',
    'till.backup.new-1-notes',
    'till.backup.new-20261117',
  ]);
});

// Nobody can create files in this folder, not even root.
it.runIf(process.platform === 'linux')('reports the error of the file if it cannot be written', async () => {
  await expectRefused(onDatabase(source, 'backup', '/proc/till.backup'), 1, /E[A-Z]+: .+, open '\/proc\/till\.backup/);
});

it('refuses a table that Tillhouse does not know, and restores nothing', async () => {
  const file = join(folder, 'foreign');
  const description = { version: '1.0.0', takenAt: '2026-01-01T00:00:00Z', migrations: [], files: {} };
  async function* tables() {
    yield { table: 'notes_of_the_operator', columns: ['note'], rows: noRows() };
  }
  async function* noRows(): AsyncGenerator<Buffer> {}
  await writeBackup(file, description, tables());
  await expectRefused(
    onDatabase(target, 'restore', file),
    2,
    /the table notes_of_the_operator, which Tillhouse does not know/,
  );
  expect(await target.sql`select from pg_tables where schemaname = 'public'`).toHaveLength(0);
});

it('restores every value into an empty database, and applies the migrations that are newer than the backup', async () => {
  const file = join(folder, 'till.backup');
  const { code, stdout, stderr } = await onDatabase(target, 'restore', file);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Restored \d+ records from the backup of \S+Z into postgres\S+, and the key files into /);
  expect(stdout).toMatch(/\nVerify them.* check --database-url postgres\S+\n$/);
  const { password } = new URL(target.url);
  if (password !== '') expect(stdout).not.toContain(password);

  expect(await listApplications(target)).toEqual(await listApplications(source));
  const applied = await target.sql<{ name: string }[]>`select name from schema_migrations order by version`;
  expect(applied.map(({ name }) => name)).toEqual(MIGRATIONS);
  expect([...(await target.sql`select item_id, name from items`)]).toEqual([{ itemId: 'I1', name: 'Loaf' }]);
  await expectRefused(onDatabase(target, 'restore', file), 1, /The database is not empty: it has the table /);
});
