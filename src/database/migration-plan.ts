/** What the pending migrations would do to a database that is in use, before they do it. */
import type { Database, Sql } from './database.js';
import { EFFECTS, effectsOf } from './migration-effects.js';
import { listBackups } from './migration-locks.js';
import { listApplied, type MigrationKind, readMigrations, refuseUnknown, statementsOf } from './migrations.js';
import type { Session } from './sessions.js';
import { listUsers } from './short-locks.js';

export interface PlannedMigration {
  readonly name: string;
  /** The first line of its file. */
  readonly reason: string;
  readonly kind: MigrationKind;
  readonly tables: readonly PlannedTable[];
}

export interface PlannedTable {
  readonly table: string;
  /** As PostgreSQL estimates it. */
  readonly rows: number;
  readonly waits: string;
  /** An estimate for a usual machine: how long the work takes once it has its locks. */
  readonly seconds: number;
}

export interface MigrationPlan {
  readonly migrations: readonly PlannedMigration[];
  /** A migration waits for these now. */
  readonly backups: readonly Session[];
  /** Transactions that use one of the tables and have been open for some time. */
  readonly openTransactions: readonly Session[];
}

const OLD_SECONDS = 2;

export async function planMigrations({ sql }: Database, folder?: string): Promise<MigrationPlan> {
  const migrations = await readMigrations(folder);
  const applied = await listAppliedIfAny(sql);
  refuseUnknown(migrations, applied, 'database');
  const planned: PlannedMigration[] = [];
  for (const { name, text, kind } of migrations.slice(applied.length)) {
    const reason = (text.split('\n')[0] ?? '').replace(/^-- (?:Concurrently: |Batches: )?/, '');
    planned.push({ name, reason, kind, tables: await planTables(sql, text) });
  }
  const tables = [...new Set(planned.flatMap((each) => each.tables.map(({ table }) => table)))];
  const users = await listUsers(sql, tables);
  return {
    migrations: planned,
    backups: await listBackups(sql),
    openTransactions: users.filter(({ seconds }) => seconds >= OLD_SECONDS),
  };
}

/** Each table that is there, with the worst that is done to it and the time of everything that is done to it. */
async function planTables(sql: Sql, text: string): Promise<readonly PlannedTable[]> {
  const order = Object.keys(EFFECTS);
  const effects = effectsOf(statementsOf(text));
  const sizes = await countRows(
    sql,
    effects.flatMap(({ table }) => table ?? []),
  );
  return [...sizes].map(([table, rows]) => {
    const own = effects.filter((each) => each.table === table).map(({ effect }) => effect);
    const [worst = 'nothing'] = own.sort((a, b) => order.indexOf(b) - order.indexOf(a));
    const perRow = own.reduce((sum, effect) => sum + EFFECTS[effect].perRow, 0);
    return { table, rows, waits: EFFECTS[worst].waits, seconds: Math.ceil(rows * perRow) };
  });
}

async function countRows(sql: Sql, tables: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ name: string; rows: number }[]>`
    select distinct name, greatest(reltuples, 0)::bigint as rows
    from unnest(${tables as string[]}::text[]) as name
    join pg_class on oid = to_regclass(name)
    order by name`;
  return new Map(rows.map((each) => [each.name, each.rows]));
}

async function listAppliedIfAny(sql: Sql) {
  const [row] = await sql<{ exists: boolean }[]>`select to_regclass('schema_migrations') is not null as exists`;
  return row?.exists ? listApplied(sql) : [];
}
