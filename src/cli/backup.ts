/** `tillhouse backup`: writes the database and the keys of a data folder into one file, also while a server runs. */
import { resolve } from 'node:path';
import { NotAnAgeKey, parseRecipient } from '../backup/age-keys.js';
import { type BackupMade, backUp } from '../backup/backup.js';
import { KEPT_FILES } from '../backup/data-files.js';
import type { Recipients } from '../backup/file.js';
import { accountKeyFromEnvironment, type CommandFlag, DATA_FLAGS, toDataDir, UsageError } from '../base/config.js';
import { SECRET_FILES } from '../base/secret-files.js';
import type { Database } from '../database/database.js';
import { codeOf } from '../database/unavailable.js';
import { recordAudit } from '../identity/audit.js';
import { recordingFailure, recordRun } from '../identity/last-runs.js';
import { FILE, withDatabaseAsItIs } from './command.js';
import { command } from './declare.js';

const FLAGS = {
  ...DATA_FLAGS,
  overwrite: { value: '', fallback: '', isSwitch: true, about: 'replace a file of the same name' },
  recipient: {
    environment: 'TILLHOUSE_BACKUP_RECIPIENT',
    value: 'KEYS',
    fallback: '',
    about: 'encrypt the file to these public keys of age, separated by commas; default: it is not encrypted',
  },
} as const satisfies Record<string, CommandFlag>;

const ABOUT =
  'Writes the database and the key files of the data folder into FILE, also while a server runs. The file contains secrets.';

export const backup = command({
  name: 'backup',
  summary: 'write the database and the key files into one file, also while a server runs',
  usage: 'FILE [flags]',
  about: ABOUT,
  flags: FLAGS,
  word: FILE,
  async run({ values, word: file }) {
    const recipients = toRecipients(values.recipient);
    // With TILLHOUSE_ACCOUNT_KEY a server does not use the key file, which may contain an older key.
    const files = KEPT_FILES.filter(
      (name) => name !== SECRET_FILES.accountKey || accountKeyFromEnvironment() === undefined,
    );
    const options = { dataDir: toDataDir(values), files, overwrites: values.overwrite === 'on', recipients };
    const since = performance.now();
    const work = async (database: Database) => {
      const done = await recordingFailure(database, 'BACKUP', () => backUp(database, resolve(file), options));
      await recordBackup(database, resolve(file), done).catch(explainUnrecorded);
      return done;
    };
    const made = await withDatabaseAsItIs(values, work);
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    console.log(`Wrote ${file}: ${printBytes(made.bytes)}, ${made.records} records, in ${seconds} s.`);
    if (made.skipped.length > 0) {
      console.log(`It does not contain tables that do not belong to Tillhouse: ${made.skipped.join(', ')}.`);
    }
    if (!made.files.includes(SECRET_FILES.accountKey)) {
      console.log('It does not contain the account key: keep the value of TILLHOUSE_ACCOUNT_KEY too.');
    }
  },
});

function toRecipients(list: string): Recipients {
  return list
    .split(',')
    .map((text) => text.trim())
    .filter(Boolean)
    .map((text) => {
      try {
        return parseRecipient(text);
      } catch (error) {
        if (!(error instanceof NotAnAgeKey)) throw error;
        // Not quoted: somebody may have pasted the private key.
        throw new UsageError(`--recipient (TILLHOUSE_BACKUP_RECIPIENT) is not a public key of age: ${error.message}.`);
      }
    });
}

async function recordBackup(database: Database, file: string, { bytes, records }: BackupMade): Promise<void> {
  const found = `${file}: ${printBytes(bytes)}, ${records} records`;
  await database.transaction(async (tx) => {
    await recordRun(tx, 'BACKUP', { hasSucceeded: true, found });
    await recordAudit(tx, { kind: 'BACKUP_MADE', details: { file, records: String(records) } });
  });
}

const UNDEFINED_TABLE = '42P01';

/** The database may be read-only, or older than this program: a backup is made before it is migrated. */
function explainUnrecorded(error: unknown): void {
  const reason =
    codeOf(error) === UNDEFINED_TABLE
      ? 'the database is from an older version of Tillhouse'
      : `it could not be written: ${(error as Error).message}`;
  console.error(`The backup is complete. Its time was not stored, because ${reason}.`);
}

function printBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
