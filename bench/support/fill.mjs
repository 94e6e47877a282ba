/** Fills a table with very many rows. */
import { openDatabase } from '../../dist/database/database.js';

/**
 * Runs `statement` for each list of parameters, without the indexes of `tables`, which are created again afterwards: sorting all entries at
 * once takes a fraction of the time of inserting them one by one. Nothing else may write to these tables meanwhile. Primary keys stay.
 */
export async function fillTables({ databaseUrl }, tables, statement, parameters) {
  const database = openDatabase(databaseUrl, { maxConnections: 1, hasLongTimeouts: true });
  const run = (text, values) => database.sql.unsafe(text, values);
  try {
    await run("set maintenance_work_mem = '512MB'");
    const indexes = await run(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
      from pg_index
      where indrelid = any ($1::text[]::regclass[])
        and not exists (select from pg_constraint where conindid = indexrelid)`,
      [tables],
    );
    for (const table of tables) await run(`alter table ${table} set (autovacuum_enabled = off)`);
    for (const { name } of indexes) await run(`drop index ${name}`);
    for (const each of parameters) await run(statement, each);
    for (const { definition } of indexes) await run(definition);
    for (const table of tables) await run(`alter table ${table} reset (autovacuum_enabled)`);
    await run(`vacuum analyze ${tables.join(', ')}`);
  } finally {
    await database.close();
  }
}
