/** The database with the schema and the functions of this version, which is copied for each user. */
import type postgres from 'postgres';
import { databaseUrl, type PostgresAddress, SERVER_ROLE } from '../embedded/connection.js';
import { PREPARED, UNFINISHED } from './names.js';

/** Makes it, unless an earlier keeper of this version has. Users of other versions of the functions install their own in their copies. */
export async function prepareTemplate(sql: postgres.Sql, address: PostgresAddress): Promise<void> {
  const { functionsSchema } = await import('../functions.js'); // loads all tables, meanwhile PostgreSQL starts
  const name = PREPARED + functionsSchema();
  const found = await sql<{ name: string; ready: boolean }[]>`
    select datname as name, datistemplate as ready
    from pg_database
    where starts_with(datname, ${PREPARED}) or datname = ${UNFINISHED}`;
  if (found.some((each) => each.name === name && each.ready)) return;
  for (const each of found) {
    await sql`alter database ${sql(each.name)} with is_template false`;
    await sql`drop database ${sql(each.name)} with (force)`;
  }
  await sql`create database ${sql(UNFINISHED)} owner ${sql(SERVER_ROLE)} strategy file_copy`;
  await createSchema(databaseUrl(address, UNFINISHED));
  await sql`alter database ${sql(UNFINISHED)} rename to ${sql(name)}`;
  await sql`alter database ${sql(name)} with is_template true`;
}

async function createSchema(url: string): Promise<void> {
  const [{ openDatabase }, { migrate }] = await Promise.all([import('../database.js'), import('../migrate.js')]);
  const database = openDatabase(url, { maxConnections: 2, hasLongTimeouts: true });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
}
