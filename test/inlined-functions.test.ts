/** Functions that reports and lists call for many rows: PostgreSQL inserts their bodies into the statement, and calls nothing. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../src/database/database.js';
import { fn } from '../src/database/functions.js';
import { cloneDatabase, type TestDatabase } from './support/server.js';

let clone: TestDatabase;
let database: Database;

beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase(clone.url, { maxConnections: 1, hasLongTimeouts: true });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

it.each([
  ['tender_type', 'source_type, card_brand', 'payments'],
  ['name_tax', 'source_type, total', 'payments'],
  ['v1_id', 'sale_id, tender_ids, paid, due, keeps_own_id', 'sales'],
])('%s is inserted into the statement', async (name, columns, table) => {
  const { sql } = database;
  const plan = await sql`explain (verbose) select ${fn(sql, name)}(${sql.unsafe(columns)}) from ${sql(table)}`;
  const text = JSON.stringify(plan);
  expect(text).toContain(table);
  expect(text).not.toContain(`${name}(`);
});
