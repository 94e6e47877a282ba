/** Makes a backup of a database while servers use it (decision 0174). */
import { rmSync } from 'node:fs';
import { lstat, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { realNow } from '../base/clock.js';
import { UsageError } from '../base/config.js';
import { readVersion } from '../base/version.js';
import { readTable } from '../database/copy.js';
import { type Database, type Tx, toTimestamp } from '../database/database.js';
import { removeAbandoned, syncFolder, unfinishedName } from '../database/embedded/folder.js';
import { useRepeatableRead } from '../database/locks.js';
import { requireKnown } from '../database/migrate.js';
import { keepMigrationsOut } from '../database/migration-locks.js';
import { listForeignTables, listTables } from '../database/tables.js';
import { readDataFiles } from './data-files.js';
import { type Recipients, type TableRows, writeBackup } from './file.js';

export interface BackupOptions {
  readonly dataDir: string;
  /** Names of files in the data folder to include. Missing ones are left out. */
  readonly files: readonly string[];
  /** Whether to replace a file of the same name. */
  readonly overwrites: boolean;
  /** The public keys to which it is encrypted. None: it is not encrypted. */
  readonly recipients: Recipients;
}

export interface BackupMade {
  readonly records: number;
  readonly bytes: number;
  /** Files of the data folder that it contains. */
  readonly files: readonly string[];
  /** Tables that it does not contain, because they do not belong to Tillhouse. */
  readonly skipped: readonly string[];
}

export async function backUp(
  database: Database,
  path: string,
  { dataDir, overwrites, recipients, ...options }: BackupOptions,
): Promise<BackupMade> {
  if (await database.isDistributed()) {
    throw new UsageError('The database is distributed. Back up its nodes: see "Several nodes" in docs/scaling.md.');
  }
  await prepareTarget(path, overwrites);
  const unfinished = unfinishedName(path);
  // After a signal, a command ends by `process.exit`.
  const removeUnfinished = (): void => rmSync(unfinished, { force: true });
  process.once('exit', removeUnfinished);
  try {
    const files = await readDataFiles(dataDir, options.files);
    const state = await writeState(database, unfinished, { files, recipients });
    const { size: bytes } = await stat(unfinished);
    await rename(unfinished, path);
    await syncFolder(dirname(path));
    return { ...state, bytes, files: Object.keys(files) };
  } finally {
    await rm(unfinished, { force: true });
    process.off('exit', removeUnfinished);
  }
}

/** One state of all tables: everything that was committed before, and nothing that is committed later. */
async function writeState(
  database: Database,
  path: string,
  { files, recipients }: { readonly files: Readonly<Record<string, string>>; readonly recipients: Recipients },
): Promise<Pick<BackupMade, 'records' | 'skipped'>> {
  let failure: unknown;
  const readState = async (tx: Tx) => {
    await useRepeatableRead(tx);
    const description = {
      version: await readVersion(),
      takenAt: toTimestamp(realNow()),
      migrations: await requireKnown(tx),
      files,
    };
    try {
      const skipped = await listForeignTables(tx);
      return { records: await writeBackup(path, description, readTables(tx), recipients), skipped };
    } catch (error) {
      failure = error;
      database.abandon(); // PostgreSQL may be in the middle of a table that nobody reads any more
      throw error;
    }
  };
  const state = database.transaction(async (guard) => {
    await keepMigrationsOut(guard);
    return database.transaction(readState);
  });
  return state.catch((error: unknown) => {
    throw failure ?? error; // the cause, not the error of `abandon`
  });
}

async function* readTables(tx: Tx): AsyncGenerator<TableRows> {
  for (const table of await listTables(tx)) yield { ...table, rows: readTable(tx, table) };
}

async function prepareTarget(path: string, overwrites: boolean): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isFile()) throw new UsageError(`${path} exists and is not a file. Name another file.`);
  if (found && !overwrites) {
    throw new UsageError(`${path} exists. Name another file, or replace it with --overwrite.`);
  }
  try {
    await mkdir(dirname(path), { recursive: true });
    await removeAbandoned(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${(error as Error).message}.`);
  }
}
