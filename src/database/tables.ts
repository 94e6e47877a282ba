/** Lists the tables of a database, so that each comes after those to which it refers. */
import { ARCHIVE_TABLES } from './archive/tables.js';
import type { TableColumns } from './copy.js';
import { DROPPED_TABLES, PLACEMENTS } from './placement.js';
import type { Sql } from './sql.js';

/** Left out, because migrations or the start of a server fill them. */
const WRITTEN_BY_MIGRATIONS = ['schema_migrations', 'function_schemas'];

const OURS = [...Object.keys(PLACEMENTS), ...DROPPED_TABLES, ...ARCHIVE_TABLES];

/** The tables of Tillhouse that this database has. It may be from an older version of the program. */
export async function listTables(sql: Sql): Promise<readonly TableColumns[]> {
  const tables = await sql<(TableColumns & { refersTo: string[] })[]>`
    select
      c.relname::text as table,
      (
        select array_agg(a.attname::text order by a.attnum)
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      ) as columns,
      array(
        select other.relname::text
        from pg_constraint k
        join pg_class other on other.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid
      ) as refers_to
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and c.relname = any(${OURS.filter((table) => !WRITTEN_BY_MIGRATIONS.includes(table))}::text[])
    order by c.relname`;
  const sorted = new Map<string, TableColumns>();
  while (sorted.size < tables.length) {
    const next = tables.filter(
      ({ table, refersTo }) => !sorted.has(table) && refersTo.every((other) => sorted.has(other)),
    );
    if (next.length === 0) throw new Error('The tables refer to each other in a circle.');
    for (const { table, columns } of next) sorted.set(table, { table, columns });
  }
  return [...sorted.values()];
}

/** Tables that the operator or an extension has created beside those of Tillhouse. */
export async function listForeignTables(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname::text as name
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname <> all(${OURS}::text[])
    order by relname`;
  return rows.map(({ name }) => name);
}
