/** `tillhouse backup`: writes the database and the keys of a data folder into one file, also while a server runs. */
import { resolve } from 'node:path';
import { type BackupMade, backUp } from '../backup/backup.js';
import { KEPT_FILES } from '../backup/data-files.js';
import {
  accountKeyFromEnvironment,
  type CommandFlag,
  DATA_FLAGS,
  parseArguments,
  rejectExtraArguments,
  toDataConfig,
  UsageError,
} from '../base/config.js';
import { SECRET_FILES } from '../base/secret-files.js';
import type { Database } from '../database/database.js';
import { recordingFailure, recordRun } from '../identity/last-runs.js';
import { type Command, printHelp, withDatabaseAsItIs } from './command.js';

const FLAGS = {
  ...DATA_FLAGS,
  overwrite: { value: '', fallback: '', isSwitch: true, about: 'replace a file of the same name' },
} as const satisfies Record<string, CommandFlag>;

const ABOUT =
  'Writes the database and the key files of the data folder into FILE, also while a server runs. The file contains secrets.';

export const backup: Command = {
  name: 'backup',
  summary: 'write the database and the key files into one file, also while a server runs',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) return printHelp('backup FILE [flags]', ABOUT, FLAGS);
    rejectExtraArguments(call, 1);
    const [file] = call.words;
    if (file === undefined) throw new UsageError('The file is missing: tillhouse backup FILE');
    const config = toDataConfig(call.values);
    // With TILLHOUSE_ACCOUNT_KEY a server does not use the key file, which may contain an older key.
    const files = KEPT_FILES.filter(
      (name) => name !== SECRET_FILES.accountKey || accountKeyFromEnvironment() === undefined,
    );
    const options = { dataDir: config.dataDir, files, overwrites: call.values.overwrite === 'on' };
    const since = performance.now();
    const work = async (database: Database) => {
      const done = await recordingFailure(database, 'BACKUP', () => backUp(database, resolve(file), options));
      await recordBackup(database, resolve(file), done).catch(explainUnrecorded);
      return done;
    };
    const made = await withDatabaseAsItIs(config, work, { creates: false });
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    console.log(`Wrote ${file}: ${printBytes(made.bytes)}, ${made.records} records, in ${seconds} s.`);
    if (made.skipped.length > 0) {
      console.log(`It does not contain tables that do not belong to Tillhouse: ${made.skipped.join(', ')}.`);
    }
    if (!made.files.includes(SECRET_FILES.accountKey)) {
      console.log('It does not contain the account key: keep the value of TILLHOUSE_ACCOUNT_KEY too.');
    }
  },
};

async function recordBackup(database: Database, file: string, { bytes, records }: BackupMade): Promise<void> {
  const found = `${file}: ${printBytes(bytes)}, ${records} records`;
  await database.statement((tx) => recordRun(tx, 'BACKUP', { hasSucceeded: true, found }));
}

/** The database may be read-only, or older than this program: a backup is made before it is migrated. */
function explainUnrecorded(error: unknown): void {
  console.error(
    `The backup is complete, but its time could not be stored, so it may be reported as too old: ${(error as Error).message}`,
  );
}

function printBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
