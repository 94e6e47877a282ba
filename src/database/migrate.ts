/** Migrates the schema: applies numbered SQL files once each, even if several processes start at the same time. */

import { UsageError } from '../base/config.js';
import { completeArchive, completeArchiveHere, requireNoArchive } from './archive/tables.js';
import { buildBeside, changeInBatches } from './beside.js';
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
import { effectsOf } from './migration-effects.js';
import { lockMigrations, waitForBackups } from './migration-locks.js';
import {
  type AppliedMigration,
  listApplied,
  type Migration,
  readMigrations,
  refuseUnknown,
  statementsOf,
  UnusableDatabase,
} from './migrations.js';
import { findRights, keepServing, requireMigrated, requireServingRole } from './serving-role.js';
import { type OnBlocked, onlyNews, withShortLocks } from './short-locks.js';
import { listTables } from './tables.js';

const MIN_SERVER_VERSION = 15;

export interface MigrationOptions {
  /** Distributes the tables of a plain database over a cluster, into this number of shards. */
  readonly shards?: number;
  /** Gets the right to serve, but not to change the schema. Roles that have it already keep it without being named. */
  readonly serveRole?: string;
  /** Called when other sessions keep the migration waiting, once with each of them. */
  readonly onBlocked?: OnBlocked;
  /** For tests: other migrations than those of the program. */
  readonly folder?: string;
}

/**
 * A new database gets all migrations in one transaction. To one that is in use, each migration is applied by itself, so that nobody waits
 * for long (decision 0177). In a database that is already distributed, new tables and functions are distributed too. A role that may only
 * serve changes nothing, and throws if something would have to be migrated.
 */
export async function migrate(
  database: Database,
  { shards, folder, serveRole, ...options }: MigrationOptions = {},
): Promise<readonly string[]> {
  const onBlocked = onlyNews(options.onBlocked ?? (() => {}));
  const migrations = await readMigrations(folder);
  await requireServerVersion(database.sql);
  await refuseWorkerNode(database.sql);
  const rights = await findRights(database.sql);
  if (!rights.mayMigrate) {
    if (serveRole !== undefined) {
      throw new UsageError(`--serve-role: only ${rights.owner} can grant rights, not ${rights.role}.`);
    }
    await requireMigrated(database.sql, rights, migrations);
    return [];
  }
  return database.transaction(async (guard) => {
    await lockMigrations(guard);
    if (serveRole !== undefined) await requireServingRole(guard, serveRole);
    if (shards !== undefined) {
      await requireDistributable(guard);
      await requireNoArchive(guard);
    }
    const distributes = shards !== undefined || (await isDistributed(guard));
    if (distributes) await useOneConnectionPerNode(guard);
    await createMigrationTable(guard);
    const applied = await listApplied(guard);
    refuseUnknown(migrations, applied, 'database');
    const pending = migrations.slice(applied.length);
    if (applied.length === 0 || shards !== undefined) await applyAll(guard, pending);
    else if (pending.length > 0) {
      if (database.counts().max < 2) throw new Error('A migration of a database in use needs two connections.');
      await waitForBackups(guard, database.sql, onBlocked); // its last statement leaves no snapshot behind
      for (const migration of pending) await applyBeside(database, migration, { distributes, onBlocked });
    }
    await completeArchive(database, guard, onBlocked);
    if (pending.length > 0) await assumeFewMerchants(guard);
    if (shards !== undefined) await removeAllFunctions(guard);
    if (distributes) await placeTables(guard, shards);
    await installFunctions(guard, { distributes });
    await keepServing(guard, serveRole);
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
    await lockMigrations(tx);
    await refuseFilled(tx);
    await createMigrationTable(tx);
    await applyAll(tx, migrations.slice(0, applied.length));
    const tables = (await listTables(tx)).map(({ table }) => table);
    if (tables.length > 0) await tx`truncate ${tx(tables)}`; // migrations insert rows too
    await fill(tx, tables);
    await applyAll(tx, migrations.slice(applied.length));
    await completeArchiveHere(tx);
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

/** In the transaction of the caller: nobody else uses the tables. */
async function applyAll(tx: Tx, migrations: readonly Migration[]): Promise<void> {
  for (const migration of migrations) {
    if (migration.kind === 'batches') while ((await tx.unsafe(migration.text)).count > 0);
    else await tx.unsafe(migration.text.replace(/\bindex concurrently\b/g, 'index'));
    await record(tx, migration);
  }
}

interface Beside {
  readonly distributes: boolean;
  readonly onBlocked: OnBlocked;
}

/** While others use the tables. What a stopped migration has done stays, and the next start continues with the rest. */
async function applyBeside(
  database: Database,
  migration: Migration,
  { distributes, onBlocked }: Beside,
): Promise<void> {
  const statements = statementsOf(migration.text);
  const effects = effectsOf(statements);
  const tables = [...new Set(effects.flatMap(({ table }) => table ?? []))];
  const prepare = async (tx: Tx): Promise<void> => {
    if (distributes) await useOneConnectionPerNode(tx);
  };
  if (migration.kind === 'transaction') {
    const locked = effects.flatMap(({ table, effect }) =>
      table !== undefined && (effect === 'moment' || effect === 'whole') ? [table] : [],
    );
    return withShortLocks(database, { locked, tables, onBlocked }, async (tx) => {
      await prepare(tx);
      await tx.unsafe(migration.text);
      await record(tx, migration);
    });
  }
  if (migration.kind === 'concurrently') {
    for (const statement of statements) await buildBeside(database, statement, { tables, onBlocked });
  } else {
    await changeInBatches(database, migration.text, { tables, onBlocked });
  }
  await database.transaction((tx) => record(tx, migration));
}

async function record(tx: Tx, { version, name, checksum }: Migration): Promise<void> {
  await tx`insert into schema_migrations (version, name, checksum) values (${version}, ${name}, ${checksum})`;
}

/** The migrations of a database that this program can read. Its tables may be of an older version. */
export async function requireKnown(sql: Sql): Promise<readonly AppliedMigration[]> {
  const [row] = await sql<{ exists: boolean }[]>`select to_regclass('schema_migrations') is not null as exists`;
  if (!row?.exists) throw new UnusableDatabase('The database has no tables of Tillhouse. Is --database-url right?');
  const applied = await listApplied(sql);
  refuseUnknown(await readMigrations(), applied, 'database');
  return applied;
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

export async function requireServerVersion(sql: Sql): Promise<void> {
  const [row] = await sql<{ version: number }[]>`select current_setting('server_version_num')::int as version`;
  const major = Math.floor((row?.version ?? 0) / 10_000);
  if (major < MIN_SERVER_VERSION) {
    throw new UnusableDatabase(
      `The database server is PostgreSQL ${major}. Tillhouse requires PostgreSQL ${MIN_SERVER_VERSION} or newer.`,
    );
  }
}
