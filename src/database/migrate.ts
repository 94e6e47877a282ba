/** Brings the schema forward: numbered SQL files, each applied once, however many processes start at the same moment. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Database, Sql } from './database.js';

const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url));
const OLDEST_SERVER = 15;

/** Of the first migration of every development version before the baseline. Nothing leads from there to the baseline. */
const FIRST_BEFORE_BASELINE = 'b265c9cd0ef39caddef8b548dbc3b1e3ae4d184d27594f7762224b405c2a9298';

// Any fixed number will do, so long as nothing else in the database locks it.
const MIGRATION_LOCK = 7_455_101_001;

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

/** A database this program must not touch: too old a server, or a schema it does not know. */
export class UnusableDatabase extends Error {}

export async function migrate(database: Database): Promise<readonly string[]> {
  const [migrations] = await Promise.all([readMigrations(), requireServerVersion(database.sql)]);
  return database.transaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    await tx`
      create table if not exists schema_migrations (
        version integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`;
    const applied = await tx<{ version: number; name: string; checksum: string }[]>`
      select version, name, checksum
      from schema_migrations
      order by version`;
    refuseUnknown(migrations, applied);
    const pending = migrations.slice(applied.length);
    for (const migration of pending) {
      await tx.unsafe(migration.text);
      await tx`
        insert into schema_migrations (version, name, checksum)
        values (${migration.version}, ${migration.name}, ${migration.checksum})`;
    }
    return pending.map(({ name }) => name);
  });
}

/** The same for two versions of the program exactly where they make the same schema. */
export async function schemaFingerprint(): Promise<string> {
  const whole = createHash('sha256');
  for (const { checksum } of await readMigrations()) whole.update(checksum);
  return whole.digest('hex').slice(0, 12);
}

async function requireServerVersion(sql: Sql): Promise<void> {
  const [row] = await sql<{ version: number }[]>`select current_setting('server_version_num')::int as version`;
  const major = Math.floor((row?.version ?? 0) / 10_000);
  if (major < OLDEST_SERVER) {
    throw new UnusableDatabase(
      `The database server is PostgreSQL ${major}; Tillhouse needs ${OLDEST_SERVER} or newer.`,
    );
  }
}

function refuseUnknown(
  known: readonly Migration[],
  applied: readonly { version: number; name: string; checksum: string }[],
) {
  if (applied[0]?.checksum === FIRST_BEFORE_BASELINE) {
    throw new UnusableDatabase(
      'The database was made by a development version, before the baseline of the schema, and cannot be brought forward: ' +
        'start on a new one, by moving the data folder away or by naming another folder with --data-dir, ' +
        'or another database with --database-url.',
    );
  }
  for (const { version, name, checksum } of applied) {
    const ours = known[version - 1];
    if (!ours) {
      throw new UnusableDatabase(
        `The database is newer than this program: it has migration ${name}, and this version of Tillhouse knows ` +
          `${known.length}. Start the version that made it, or a newer one.`,
      );
    }
    if (ours.checksum !== checksum) {
      throw new UnusableDatabase(`Migration ${ours.name} is not the one that this database was made with (${name}).`);
    }
  }
}

async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(name.slice(0, 4));
      if (version !== index + 1) throw new Error(`migrations are numbered without gaps, but ${name} follows ${index}`);
      const text = await readFile(`${MIGRATIONS}${name}`, 'utf8');
      return { version, name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}
