/** Restores a backup into a new data folder, or into an empty database (decision 0174). */
import { rmSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../base/config.js';
import { IGNORE_FILE, makeDataFolder } from '../base/data-folder.js';
import { ARCHIVE_TABLES, createArchive } from '../database/archive/tables.js';
import { writeTable } from '../database/copy.js';
import type { Database } from '../database/database.js';
import { removeAbandoned, syncFolder, unfinishedName } from '../database/embedded/folder.js';
import { migrateFilled } from '../database/migrate.js';
import type { Identity } from './age-keys.js';
import { writeDataFiles } from './data-files.js';
import { type Description, readBackup, UnusableBackup, verifyBackup } from './file.js';

/** Opens a database for the time of `work`: the one that the user has named, or a new one in this folder. */
export type OpenDatabase = (folder: string, work: (database: Database) => Promise<void>) => Promise<void>;

export interface BackupFile {
  readonly path: string;
  /** The private keys of an encrypted file. */
  readonly identities: readonly Identity[];
}

export interface Restored extends Description {
  readonly records: number;
}

/** Everything is prepared in a folder inside `dataDir`, which may be a volume, and moved out of it at the end. */
export async function restore(
  { path, identities }: BackupFile,
  dataDir: string,
  openDatabase: OpenDatabase,
): Promise<Restored> {
  const description = await verifyBackup(path, identities);
  await makeDataFolder(dataDir);
  const target = join(dataDir, 'restore');
  await removeAbandoned(target);
  await requireEmpty(dataDir);
  const unfinished = unfinishedName(target);
  await mkdir(unfinished, { mode: 0o700 });
  const removeUnfinished = (): void => {
    try {
      rmSync(unfinished, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    } catch {
      // PostgreSQL still writes into it. The next restore removes the folder.
    }
  };
  try {
    let records = 0;
    await writeDataFiles(unfinished, description.files); // first, so that no database is filled without its keys
    await openDatabase(unfinished, async (database) => {
      // After a signal, a command ends by `process.exit`, which first signals the PostgreSQL that it has started.
      process.once('exit', removeUnfinished);
      records = await fillDatabase(database, { path, identities }, description);
    });
    await moveOut(unfinished, dataDir);
    return { ...description, records };
  } finally {
    await rm(unfinished, { recursive: true, force: true });
    process.off('exit', removeUnfinished);
  }
}

function fillDatabase(
  database: Database,
  { path, identities }: BackupFile,
  { migrations }: Description,
): Promise<number> {
  return readBackup(path, identities, async (reader) => {
    await migrateFilled(database, migrations, async (tx, known) => {
      await reader.describe();
      for await (const { rows, ...table } of reader.tables()) {
        if (ARCHIVE_TABLES.includes(table.table)) await createArchive(tx);
        else if (!known.includes(table.table)) throw unknownTable(path, table.table);
        await writeTable(tx, table, rows);
      }
    });
    return reader.count;
  });
}

function unknownTable(path: string, table: string): UnusableBackup {
  return new UnusableBackup(`${path} has the table ${table}, which Tillhouse does not know. Make another backup.`);
}

/** The database comes last: without it, the folder is not complete. */
async function moveOut(from: string, to: string): Promise<void> {
  const names = (await readdir(from)).sort((a, b) => Number(a === 'postgres') - Number(b === 'postgres'));
  for (const name of names) await rename(join(from, name), join(to, name));
  await syncFolder(to);
}

async function requireEmpty(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => name !== IGNORE_FILE);
  if (names.length === 0) return;
  throw new UsageError(
    `The data folder ${dataDir} is not empty. A backup is restored into a new folder only: ` +
      'name one with --data-dir, or move this one away.',
  );
}
