/** The functions of several versions in one database: installed once, kept while they are used, removed later (decision 0131). */
import { execFile } from 'node:child_process';
import { appendFile, cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realNow } from '../src/base/clock.js';
import { HOUR_MS } from '../src/base/time.js';
import { type Database, openDatabase } from '../src/database/database.js';
import { migrate } from '../src/database/migrate.js';
import { startRetention } from '../src/worker/retention.js';
import { buildProgram } from './support/built.js';
import { pollUntil } from './support/clock.js';
import { pay } from './support/payments.js';
import { environment, newFolder } from './support/process.js';
import { cloneDatabase, startTestServer, type TestDatabase } from './support/server.js';

const AT_ONCE = 5;
/** The schema of a version that this program does not know. */
const OTHER = 'tillhouse_0123456789ab';

let clone: TestDatabase;
let database: Database;
let own: string;

beforeEach(async () => {
  clone = await cloneDatabase();
  database = openDatabase(clone.url, { maxConnections: AT_ONCE, hasLongTimeouts: true });
  own = (await listSchemas())[0] ?? '';
});
afterEach(async () => {
  await database.close();
  await clone.drop();
});

async function listSchemas(): Promise<string[]> {
  const rows = await database.sql<{ name: string }[]>`
    select nspname as name from pg_namespace where nspname like 'tillhouse%' order by oid`;
  return rows.map(({ name }) => name);
}

async function listUses(): Promise<{ name: string; usedAt: number }[]> {
  return [...(await database.sql<{ name: string; usedAt: number }[]>`select name, used_at from function_schemas`)];
}

/** Every function with its body and its path. */
async function listFunctions(): Promise<object[]> {
  const rows = await database.sql`
    select nspname, proname, prosrc, proconfig::text from pg_proc
    join pg_namespace n on n.oid = pronamespace
    where nspname like 'tillhouse%' order by 1, 2`;
  return [...rows];
}

async function installOther(usedDaysAgo: number): Promise<void> {
  await database.sql.unsafe(`
    create schema ${OTHER};
    create function ${OTHER}.complete_payment(p payments) returns integer language sql as 'select 7';
    insert into function_schemas (name, used_at) values ('${OTHER}', now() - interval '${usedDaysAgo} days')`);
}

describe('the functions of a version', () => {
  it('are installed once when five servers start at the same moment', async () => {
    const before = await listFunctions();
    await database.sql.unsafe(`drop schema ${own} cascade; truncate function_schemas`);
    const each = Array.from({ length: AT_ONCE }, () =>
      openDatabase(clone.url, { maxConnections: 1, hasLongTimeouts: true }),
    );
    await Promise.all(each.map(({ sql }) => sql`select 1`)); // already connected, so that they start at the same time
    await Promise.all(each.map((one) => migrate(one)));
    await Promise.all(each.map((one) => one.close()));
    expect(await listSchemas()).toEqual([own]);
    expect(await listFunctions()).toEqual(before);
  });

  it('are left alone by every later start', async () => {
    const version = async () => [
      await database.sql`select oid, xmin::text from pg_proc where pronamespace = ${own}::text::regnamespace order by 1`,
      await listUses(),
    ];
    const before = await version();
    expect(before[0]?.length).toBeGreaterThan(10);
    await migrate(database);
    expect(await version()).toEqual(before);
  });

  it('are missing as a whole if one of them cannot be installed', async () => {
    await database.sql.unsafe(`drop schema ${own} cascade; truncate function_schemas`);
    await database.sql.unsafe('alter table payments rename to moved'); // some functions are installed before those that return its rows
    await expect(migrate(database)).rejects.toThrow(/payments/);
    expect(await listSchemas()).toEqual([]);
    expect(await listUses()).toEqual([]);
    await database.sql.unsafe('alter table moved rename to payments');
    await migrate(database);
    expect(await listSchemas()).toEqual([own]);
  });

  it('find the tables where the path of the database puts them', async () => {
    const empty = await cloneDatabase({ empty: true });
    const behind = openDatabase(empty.url, { maxConnections: 1, hasLongTimeouts: true });
    await behind.sql.unsafe('create schema shop');
    await behind.sql.unsafe(`alter database ${new URL(empty.url).pathname.slice(1)} set search_path = shop`);
    const server = await startTestServer({ databaseUrl: empty.url });
    await pay(server, await server.createMerchant());
    expect(await behind.sql`select payment_id from shop.payments`).toHaveLength(1);
    await server.stop();
    await behind.close();
    await empty.drop();
  });
});

describe('the functions of another version', () => {
  it('stay while a server may still use them', async () => {
    await installOther(29);
    await migrate(database);
    expect(await listSchemas()).toEqual([own, OTHER]);
  });

  it('are removed after 30 days without use', async () => {
    await installOther(31);
    await migrate(database);
    expect(await listSchemas()).toEqual([own]);
    expect((await listUses()).map(({ name }) => name)).toEqual([own]);
  });

  it('work side by side with those of this one', async () => {
    const server = await startTestServer({ databaseUrl: clone.url });
    const merchant = await server.createMerchant();
    const program = await copyWithOtherFunctions();
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(program, 'dist/main.js'), 'migrate', '--database-url', clone.url],
      { env: environment() },
    );
    expect(stdout).toBe('The schema is up to date.\n');
    expect(await listSchemas()).toHaveLength(2);
    await pay(server, merchant);
    await server.stop();
  });
});

/** The built program as a later version that has changed a function. */
async function copyWithOtherFunctions(): Promise<string> {
  const [built, folder] = [await buildProgram(), await newFolder()];
  for (const name of ['dist', 'migrations', 'package.json']) {
    await cp(join(built, name), join(folder, name), { recursive: true });
  }
  await symlink(join(built, 'node_modules'), join(folder, 'node_modules'));
  await appendFile(join(folder, 'dist/business/payments/functions.sql'), '\n-- A later version.\n');
  return folder;
}

describe('a running server', () => {
  it('records that it uses its functions, so that they stay', async () => {
    await database.sql`update function_schemas set used_at = now() - interval '29 days'`;
    const retention = startRetention(database, (error) => expect.fail(String(error)));
    const isRecent = ({ usedAt }: { usedAt: number }) => usedAt > realNow() - HOUR_MS;
    const uses = await pollUntil(listUses, (found) => found.every(isRecent), 10_000);
    await retention.stop();
    expect(uses.map(isRecent)).toEqual([true]);
  });
});
