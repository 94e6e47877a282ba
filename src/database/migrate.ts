/** Migrates the schema: applies numbered SQL files once each, even if several processes start at the same time. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Database, Sql, Tx } from './database.js';
import {
  isDistributed,
  placeTables,
  refuseWorkerNode,
  requireDistributable,
  useOneConnectionPerNode,
} from './distribution.js';
import { assumeFewMerchants } from './first-statistics.js';
import { installFunctions, removeAllFunctions } from './functions.js';
import { listTables } from './tables.js';

const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url));
const MIN_SERVER_VERSION = 15;

/** The checksum of the first migration of all development versions before the baseline. They cannot be migrated. */
const FIRST_BEFORE_BASELINE = 'b265c9cd0ef39caddef8b548dbc3b1e3ae4d184d27594f7762224b405c2a9298';

// Any fixed number that nothing else in the database locks.
const MIGRATION_LOCK = 7_455_101_001;

/** A migration that a database has. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

interface Migration extends AppliedMigration {
  readonly text: string;
}

/** The database cannot be used: the server is too old, or the schema is unknown to this version. */
export class UnusableDatabase extends Error {}

export interface MigrationOptions {
  /** Distributes the tables of a plain database over a cluster, into this number of shards. */
  readonly shards?: number;
}

/** In a database that is already distributed, new tables and functions are distributed too. */
export async function migrate(database: Database, { shards }: MigrationOptions = {}): Promise<readonly string[]> {
  const migrations = await readMigrations();
  await requireServerVersion(database.sql);
  await refuseWorkerNode(database.sql);
  return database.transaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    if (shards !== undefined) await requireDistributable(tx);
    const distributes = shards !== undefined || (await isDistributed(tx));
    if (distributes) await useOneConnectionPerNode(tx);
    await createMigrationTable(tx);
    const applied = await listApplied(tx);
    refuseUnknown(migrations, applied, 'database');
    const pending = migrations.slice(applied.length);
    await apply(tx, pending);
    if (pending.length > 0) await assumeFewMerchants(tx);
    if (shards !== undefined) await removeAllFunctions(tx);
    if (distributes) await placeTables(tx, shards);
    await installFunctions(tx, { distributes });
    return pending.map(({ name }) => name);
  });
}

/**
 * Creates the tables as they were after the migrations `applied`, fills them, and applies the migrations that have been added since. All
 * in one transaction, so nothing stays if it fails. The database must be empty.
 */
export async function migrateFilled(
  database: Database,
  applied: readonly AppliedMigration[],
  fill: (tx: Tx, tables: readonly string[]) => Promise<void>,
): Promise<void> {
  const migrations = await readMigrations();
  refuseUnknown(migrations, applied, 'backup');
  await requireServerVersion(database.sql);
  await refuseWorkerNode(database.sql);
  await database.transaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    await refuseFilled(tx);
    await createMigrationTable(tx);
    await apply(tx, migrations.slice(0, applied.length));
    const tables = (await listTables(tx)).map(({ table }) => table);
    if (tables.length > 0) await tx`truncate ${tx(tables)}`; // migrations insert rows too
    await fill(tx, tables);
    await apply(tx, migrations.slice(applied.length));
    await installFunctions(tx, { distributes: false });
    await tx`analyze`; // the first queries are planned well
  });
}

async function createMigrationTable(tx: Tx): Promise<void> {
  await tx`
    create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`;
}

async function apply(tx: Tx, migrations: readonly Migration[]): Promise<void> {
  for (const { text, version, name, checksum } of migrations) {
    await tx.unsafe(text);
    await tx`insert into schema_migrations (version, name, checksum) values (${version}, ${name}, ${checksum})`;
  }
}

/** The migrations of a database that this program can read. Its tables may be of an older version. */
export async function requireKnown(sql: Sql): Promise<readonly AppliedMigration[]> {
  const [row] = await sql<{ exists: boolean }[]>`select to_regclass('schema_migrations') is not null as exists`;
  if (!row?.exists) throw new UnusableDatabase('The database has no tables of Tillhouse. Is --database-url right?');
  const applied = await listApplied(sql);
  refuseUnknown(await readMigrations(), applied, 'database');
  return applied;
}

/** The migrations that the database has, in their order. */
function listApplied(sql: Sql): Promise<AppliedMigration[]> {
  return sql<AppliedMigration[]>`select version, name, checksum from schema_migrations order by version`;
}

async function refuseFilled(tx: Tx): Promise<void> {
  const [found] = await tx<{ name: string }[]>`
    select relname as name
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
    order by relname
    limit 1`;
  if (found === undefined) return;
  throw new UnusableDatabase(
    `The database is not empty: it has the table ${found.name}. Restore into a new database: createdb creates one.`,
  );
}

/**
 * Two versions of the program have the same fingerprint if and only if they have the same migrations. Then they can share a database:
 * each installs its own functions.
 */
export async function schemaFingerprint(): Promise<string> {
  const whole = createHash('sha256');
  for (const { checksum } of await readMigrations()) whole.update(checksum);
  return whole.digest('hex').slice(0, 12);
}

export async function requireServerVersion(sql: Sql): Promise<void> {
  const [row] = await sql<{ version: number }[]>`select current_setting('server_version_num')::int as version`;
  const major = Math.floor((row?.version ?? 0) / 10_000);
  if (major < MIN_SERVER_VERSION) {
    throw new UnusableDatabase(
      `The database server is PostgreSQL ${major}. Tillhouse requires PostgreSQL ${MIN_SERVER_VERSION} or newer.`,
    );
  }
}

function refuseUnknown(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  what: 'database' | 'backup',
): void {
  if (applied[0]?.checksum === FIRST_BEFORE_BASELINE) {
    throw new UnusableDatabase(
      'The database was created by a development version from before the baseline of the schema and cannot be migrated: ' +
        'use a new database. Move the data folder away, set another folder with --data-dir, ' +
        'or set another database with --database-url.',
    );
  }
  for (const { version, name, checksum } of applied) {
    const expected = known[version - 1];
    if (!expected) {
      throw new UnusableDatabase(
        `The ${what} is newer than this program: it has migration ${name}, and this version of Tillhouse has only ` +
          `${known.length} migrations. ` +
          (what === 'database'
            ? 'Start the version that migrated it, or a newer one.'
            : 'Restore it with the version that made it, or a newer one.'),
      );
    }
    if (expected.checksum !== checksum) {
      throw new UnusableDatabase(
        `Migration ${expected.name} of this version differs from the one that was applied to the ${what} (${name}).`,
      );
    }
  }
}

async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(name.slice(0, 4));
      if (version !== index + 1)
        throw new Error(`migrations must be numbered without gaps, but ${name} follows ${index}`);
      const text = await readFile(`${MIGRATIONS}${name}`, 'utf8');
      return { version, name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}
