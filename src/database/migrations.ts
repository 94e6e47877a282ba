/** The files of `migrations/`: what they are, which of them a database has, and how each is applied. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sql } from './sql.js';

export const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url));

/** The checksum of the first migration of all development versions before the baseline. They cannot be migrated. */
const FIRST_BEFORE_BASELINE = 'b265c9cd0ef39caddef8b548dbc3b1e3ae4d184d27594f7762224b405c2a9298';

/** A migration that a database has. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

export interface Migration extends AppliedMigration {
  readonly text: string;
  readonly kind: MigrationKind;
}

/**
 * How a migration is applied to a database that is in use (decision 0177). The first line of its file says so:
 * - `-- Concurrently:` each statement builds or drops an index while others write. It cannot run in a transaction.
 * - `-- Batches:` its only statement changes a limited number of rows, and runs again until it finds none.
 * - anything else: all statements in one transaction, which locks the tables for a moment.
 */
export type MigrationKind = 'transaction' | 'concurrently' | 'batches';

/** The database cannot be used: the server is too old, or the schema is unknown to this version. */
export class UnusableDatabase extends Error {}

export async function readMigrations(folder = MIGRATIONS): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(name.slice(0, 4));
      if (version !== index + 1)
        throw new Error(`migrations must be numbered without gaps, but ${name} follows ${index}`);
      const text = await readFile(join(folder, name), 'utf8');
      return { version, name, text, kind: kindOf(text), checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

function kindOf(text: string): MigrationKind {
  const [, word] = /^-- (Concurrently|Batches):/.exec(text) ?? [];
  if (word === undefined) return 'transaction';
  return word === 'Batches' ? 'batches' : 'concurrently';
}

/** The statements of a migration, without comments. No migration has a semicolon inside of a statement that is split here. */
export function statementsOf(text: string): readonly string[] {
  return text
    .replace(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/** The migrations that the database has, in their order. */
export function listApplied(sql: Sql): Promise<AppliedMigration[]> {
  return sql<AppliedMigration[]>`select version, name, checksum from schema_migrations order by version`;
}

/**
 * Two versions of the program have the same fingerprint if and only if they have the same migrations. Then they can share a database:
 * each installs its own functions.
 */
export async function schemaFingerprint(): Promise<string> {
  const whole = createHash('sha256');
  for (const { checksum } of await readMigrations()) whole.update(checksum);
  return whole.digest('hex').slice(0, 12);
}

export function refuseUnknown(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  what: 'database' | 'backup',
): void {
  if (applied[0]?.checksum === FIRST_BEFORE_BASELINE) {
    throw new UnusableDatabase(
      'The database was created by a development version from before the baseline of the schema and cannot be migrated: ' +
        'use a new database. Move the data folder away, set another folder with --data-dir, ' +
        'or set another database with --database-url.',
    );
  }
  for (const { version, name, checksum } of applied) {
    const expected = known[version - 1];
    if (!expected) {
      throw new UnusableDatabase(
        `The ${what} is newer than this program: it has migration ${name}, and this version of Tillhouse has only ` +
          `${known.length} migrations. ` +
          (what === 'database'
            ? 'Start the version that migrated it, or a newer one.'
            : 'Restore it with the version that made it, or a newer one.'),
      );
    }
    if (expected.checksum !== checksum) {
      throw new UnusableDatabase(
        `Migration ${expected.name} of this version differs from the one that was applied to the ${what} (${name}).`,
      );
    }
  }
}
