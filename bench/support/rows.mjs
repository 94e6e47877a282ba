/** Counts the rows of a database, to be saved with the figures that were measured on it. */
import { openDatabase } from '../../dist/database/database.js';

/** The row count of each non-empty table, and the size of the database in megabytes. */
export async function countRows(databaseUrl) {
  const database = openDatabase(databaseUrl, { maxConnections: 1 });
  try {
    const tables = await database.sql`
      select relname as name from pg_stat_user_tables where relname <> 'schema_migrations' order by relname`;
    const rows = {};
    for (const { name } of tables) {
      const [{ count }] = await database.sql.unsafe(`select count(*) as count from ${name}`);
      if (count > 0) rows[name] = count;
    }
    const [{ megabytes }] = await database.sql`select pg_database_size(current_database()) / 1000000 as megabytes`;
    return { rows, total: Object.values(rows).reduce((sum, count) => sum + count, 0), megabytes };
  } finally {
    await database.close();
  }
}
