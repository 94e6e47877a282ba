/**
 * The archive: a second table beside each table of sales, for years that are over (decision 0253). It inherits from the table in use, so
 * every statement on that table reaches both. A database that never archives has none.
 */
import { UsageError } from '../../base/usage-error.js';
import { buildBeside } from '../beside.js';
import type { Database } from '../database.js';
import { type OnBlocked, waitShortly } from '../short-locks.js';
import type { Sql, Tx } from '../sql.js';

/** In the order of the foreign keys. `move_sales` moves their rows. */
export const ARCHIVED_TABLES = [
  'sales',
  'payments',
  'processor_references',
  'movements',
  'refunds',
  'holds',
  'orders',
] as const;

/** Foreign keys see one table only, so the archive has its own. They are checked at the end of a transaction that moves rows. */
const REFERENCES: Readonly<Record<string, readonly [column: string, table: string]>> = {
  refunds: ['payment_id', 'payments'],
  holds: ['payment_id', 'payments'],
  orders: ['sale_id', 'sales'],
};

const SUFFIX = '_archive';

export const ARCHIVE_TABLES: readonly string[] = ARCHIVED_TABLES.map(archiveOf);

function archiveOf(name: string): string {
  return `${name}${SUFFIX}`;
}

export async function hasArchive(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ exists: boolean }[]>`select to_regclass(${archiveOf('sales')}) is not null as exists`;
  return row?.exists ?? false;
}

/** Citus does not distribute tables that inherit. */
export async function requireNoArchive(sql: Sql): Promise<void> {
  if (!(await hasArchive(sql))) return;
  throw new UsageError(
    'The database has an archive, and an archive cannot be distributed: see "The archive" in docs/scaling.md.',
  );
}

/** Creates the tables, unless they are there. Nobody waits: reading and writing the tables in use goes on. */
export async function createArchive(tx: Tx): Promise<void> {
  await waitShortly(tx);
  if (await hasArchive(tx)) return;
  for (const table of ARCHIVED_TABLES) {
    const [key] = await tx<{ text: string }[]>`
      select pg_get_constraintdef(oid) as text
      from pg_constraint
      where conrelid = ${table}::regclass and contype = 'p'`;
    await tx.unsafe(`create table ${archiveOf(table)} (${key?.text}) inherits (${table})`);
    const [column, other] = REFERENCES[table] ?? [];
    if (column === undefined || other === undefined) continue;
    await tx.unsafe(`
      alter table ${archiveOf(table)} add foreign key (merchant_id, ${column}) references ${archiveOf(other)}
      deferrable initially deferred`);
  }
  for (const statement of await listIndexStatements(tx)) await tx.unsafe(statement);
}

/**
 * Gives the archive the indexes that migrations have added to the tables in use, and drops those that they have dropped. Nobody else migrates
 * while `guard` is open.
 */
export async function completeArchive(database: Database, guard: Tx, onBlocked: OnBlocked): Promise<void> {
  if (!(await hasArchive(guard))) return;
  const statements = await listIndexStatements(guard);
  if (statements.length === 0) return;
  if (database.counts().max < 2)
    throw new Error('The archive needs new indexes, and building them needs two connections.');
  await guard.unsafe('select 1'); // a build would wait for the snapshot of the statement before
  for (const statement of statements) {
    await buildBeside(database, statement.replace('index ', 'index concurrently '), {
      tables: ARCHIVE_TABLES,
      onBlocked,
    });
  }
}

/** Like `completeArchive`, in a transaction that nobody waits for. */
export async function completeArchiveHere(tx: Tx): Promise<void> {
  if (!(await hasArchive(tx))) return;
  for (const statement of await listIndexStatements(tx)) await tx.unsafe(statement);
}

/** What makes the indexes of the archive equal to those of the tables in use. An index that an interrupted build left does not count. */
async function listIndexStatements(sql: Sql): Promise<readonly string[]> {
  const indexes = await sql<{ name: string; isArchive: boolean; text: string }[]>`
    select i.relname::text as name, t.relname = any(${ARCHIVE_TABLES as string[]}::text[]) as is_archive, pg_get_indexdef(i.oid) as text
    from pg_index x
    join pg_class i on i.oid = x.indexrelid
    join pg_class t on t.oid = x.indrelid
    where t.relnamespace = current_schema()::regnamespace and x.indisvalid and not x.indisprimary
      and t.relname = any(${[...ARCHIVED_TABLES, ...ARCHIVE_TABLES]}::text[])
    order by i.oid`;
  const known = new Map(indexes.filter(({ isArchive }) => isArchive).map(({ name, text }) => [name, whatOf(text)]));
  const wanted = new Map(
    indexes
      .filter(({ isArchive, name }) => !isArchive && !/_cc(?:new|old)\d*$/.test(name))
      .map((index) => [archiveOf(index.name), index]),
  );
  const isRight = (name: string) => known.get(name) === whatOf(wanted.get(name)?.text ?? '');
  return [
    ...[...known.keys()].filter((name) => !isRight(name)).map((name) => `drop index if exists ${name}`),
    ...[...wanted].filter(([name]) => !isRight(name)).map(([, index]) => toArchiveIndex(index)),
  ];
}

/** What is in an index, without its name and its table. */
function whatOf(text: string): string {
  return text.replace(/^CREATE (UNIQUE )?INDEX \S+ ON \S+ /, '$1');
}

function toArchiveIndex({ name, text }: { readonly name: string; readonly text: string }): string {
  const [head, unique = '', table = ''] = /^CREATE (UNIQUE )?INDEX \S+ ON (?:\w+\.)?(\w+) /.exec(text) ?? [''];
  if (head === '') throw new Error(`The index ${name} is not understood: ${text}`);
  const rest = text.slice(head.length);
  return `create ${unique.toLowerCase()}index if not exists ${archiveOf(name)} on ${archiveOf(table)} ${rest}`;
}
