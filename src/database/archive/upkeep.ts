/** What is done for the tables in use after rows have moved to the archive. */
import { buildBeside } from '../beside.js';
import type { Database } from '../database.js';
import type { OnBlocked } from '../short-locks.js';
import type { Sql } from '../sql.js';
import { ARCHIVE_TABLES, ARCHIVED_TABLES } from './tables.js';

/** How large the indexes of the tables in use are. */
export async function findIndexBytes(sql: Sql): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select sum(pg_indexes_size(name::regclass))::bigint as bytes
    from unnest(${[...ARCHIVED_TABLES]}::text[]) as name`;
  return row?.bytes ?? 0;
}

/** Makes the space of rows that have moved free, and tells the planner where the rows are now. */
export async function tidyUp(database: Database): Promise<void> {
  const tables = [...ARCHIVED_TABLES, 'sale_copies', ...ARCHIVE_TABLES];
  await database.statement((tx) => tx.unsafe(`vacuum (analyze) ${tables.join(', ')}`));
}

/** Builds the indexes of the tables in use anew, while others use them. */
export async function rebuildIndexes(database: Database, onBlocked: OnBlocked): Promise<void> {
  const options = { tables: ARCHIVED_TABLES, onBlocked };
  for (const index of await listUnfinished(database.sql)) {
    await buildBeside(database, `drop index concurrently if exists ${index}`, options);
  }
  for (const table of ARCHIVED_TABLES) await buildBeside(database, `reindex table concurrently ${table}`, options);
}

/** What a rebuild leaves if it is interrupted. Nothing uses such an index, but every write goes into it. */
async function listUnfinished(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select i.relname::text as name
    from pg_index x
    join pg_class i on i.oid = x.indexrelid
    where x.indrelid = any(${[...ARCHIVED_TABLES]}::text[]::regclass[]) and not x.indisvalid
      and i.relname ~ '_cc(new|old)[0-9]*$'`;
  return rows.map(({ name }) => name);
}
