/** Databases as an older version of the house left them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/database/database.js';
import { cloneDatabase, type TestDatabase } from './server.js';

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url));

/** The file of a migration by its subject: its number may still change until it is released. */
export function migrationOf(subject: string): string {
  const name = readdirSync(FOLDER).find((each) => each.endsWith(`-${subject}.sql`));
  if (name === undefined) throw new Error(`there is no migration of ${subject}`);
  return name;
}

/** One with a merchant of two locations whose clock stands still, on the migrations before a number, and what `content` adds. */
export async function openOlderDatabase(before: string, content: string): Promise<TestDatabase> {
  const database = await cloneDatabase({ empty: true });
  const template = await cloneDatabase();
  const [older, whole] = [openDatabase(database.url), openDatabase(template.url)];
  await older.sql.unsafe(
    'create table schema_migrations (version integer primary key, name text not null, checksum text not null, ' +
      'applied_at timestamptz not null default now())',
  );
  const names = readdirSync(FOLDER).filter((name) => name < before);
  for (const name of names.sort()) {
    const [row] = await whole.sql<{ version: number; checksum: string }[]>`
      select version, checksum from schema_migrations where name = ${name}`;
    await older.sql.unsafe(readFileSync(join(FOLDER, name), 'utf8'));
    await older.sql`
      insert into schema_migrations (version, name, checksum)
      values (${row?.version ?? 0}, ${name}, ${row?.checksum ?? ''})`;
  }
  await older.sql.unsafe(`
    insert into merchants (merchant_id, business_name, owner_name, country, language_code, currency, business_type,
      status, approved, clock_frozen_at, created_at)
    values ('M1', 'Old', 'Old', 'US', 'en-US', 'USD', 'OTHER', 'ACTIVE', true, '2020-02-26T15:00Z', '2019-01-01T00:00Z');
    insert into locations (merchant_id, location_id, name, timezone, status, type, profile, created_at, ordinal)
    values ('M1', 'L1', 'One', 'America/New_York', 'ACTIVE', 'PHYSICAL', '{}', '2019-01-01T00:00Z', 0),
      ('M1', 'L2', 'Two', 'Asia/Tokyo', 'ACTIVE', 'PHYSICAL', '{}', '2019-01-01T00:00Z', 1);
    ${content}`);
  for (const each of [older, whole]) await each.close();
  await template.drop();
  return database;
}
