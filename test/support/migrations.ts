/** Databases as older versions of the program left them. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Database } from '../../src/database/database.js';

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url));

export const MIGRATIONS: readonly string[] = readdirSync(FOLDER).sort();

export function readMigration(name: string): string {
  return readFileSync(FOLDER + name, 'utf8');
}

/** Applies the migrations before the one whose name ends like this to an empty database. */
export async function migrateUntil({ sql }: Pick<Database, 'sql'>, end: string): Promise<void> {
  await sql.unsafe(
    'create table schema_migrations (version integer primary key, name text not null, checksum text not null, ' +
      'applied_at timestamptz not null default now())',
  );
  const older = MIGRATIONS.slice(
    0,
    MIGRATIONS.findIndex((name) => name.endsWith(end)),
  );
  for (const [index, name] of older.entries()) {
    const text = readMigration(name);
    const checksum = createHash('sha256').update(text).digest('hex');
    await sql.unsafe(text);
    await sql`insert into schema_migrations (version, name, checksum) values (${index + 1}, ${name}, ${checksum})`;
  }
}
