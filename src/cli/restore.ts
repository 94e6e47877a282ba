/** `tillhouse restore`: creates a data folder from a backup. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Identity, NotAnAgeKey, parseIdentities } from '../backup/age-keys.js';
import { UnusableBackup } from '../backup/file.js';
import { restore as restoreBackup } from '../backup/restore.js';
import { type CommandFlag, DATA_FLAGS, toDataConfig, UsageError } from '../base/config.js';
import { isRunning } from '../database/embedded/folder.js';
import { recordAudit } from '../identity/audit.js';
import { readServerRecord } from '../server/server-file.js';
import { FILE, withDatabaseAt } from './command.js';
import { command } from './declare.js';

const FLAGS = {
  ...DATA_FLAGS,
  identity: {
    value: 'FILE',
    fallback: '',
    about: 'the file with the private key of an encrypted backup, as age-keygen writes it',
  },
} as const satisfies Record<string, CommandFlag>;

const ABOUT =
  'Restores a backup into a data folder that is new or empty, or with --database-url into an empty database.';

export const restore = command({
  name: 'restore',
  summary: 'create a data folder from a backup',
  usage: 'FILE [flags]',
  about: ABOUT,
  flags: FLAGS,
  word: FILE,
  async run({ values, word: file }) {
    const { dataDir, databaseUrl } = toDataConfig(values);
    await refuseUsed(dataDir);
    const backup = { path: resolve(file), identities: await readIdentities(values.identity) };
    const { records, takenAt } = await restoreBackup(backup, dataDir, (folder, work) =>
      withDatabaseAt(
        { dataDir: folder, databaseUrl },
        async (database) => {
          await work(database);
          const details = { file: backup.path };
          await database.transaction((tx) => recordAudit(tx, { kind: 'BACKUP_RESTORED', details }));
        },
        { creates: true },
      ),
    ).catch((error: unknown) => {
      if (isAbout(error, file)) throw new UsageError(explainUnreadable(error, file));
      throw error instanceof UnusableBackup ? new UsageError(error.message) : error;
    });
    const restored = `Restored ${records} records from the backup of ${takenAt}`;
    if (databaseUrl === undefined) {
      console.log(`${restored} into ${dataDir}.`);
      console.log(`Verify them: tillhouse check --data-dir ${dataDir}`);
    } else {
      const target = withoutPassword(databaseUrl);
      console.log(`${restored} into ${target}, and the key files into ${dataDir}.`);
      console.log(`Verify them, with the password: tillhouse check --database-url ${target}`);
    }
  },
});

async function readIdentities(path: string): Promise<readonly Identity[]> {
  if (path === '') return [];
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--identity: ${path} cannot be read (${error.code}).`);
  });
  try {
    return parseIdentities(text);
  } catch (error) {
    if (!(error instanceof NotAnAgeKey)) throw error;
    throw new UsageError(`--identity: ${path} is not a file of age-keygen: ${error.message}.`);
  }
}

async function refuseUsed(dataDir: string): Promise<void> {
  const record = await readServerRecord(dataDir);
  if (record === undefined || !isRunning(record.pid)) return;
  throw new UsageError(
    `A server (process ${record.pid}) uses the data folder ${dataDir}. Restore into a new folder with --data-dir, ` +
      'then stop that server and start one on the new folder.',
  );
}

/** Parameters go too: one of them can be a password. */
function withoutPassword(databaseUrl: string): string {
  return databaseUrl.replace(/\?.*$/, '').replace(/^(\w+:\/\/[^:@/]*):[^@/]*@/, '$1@');
}

function explainUnreadable(error: unknown, file: string): string {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return (error as Error).message;
  return `There is no file ${resolve(file)}. Name a backup that \`tillhouse backup FILE\` has written.`;
}

/** The file does not exist, or may not be read. */
function isAbout(error: unknown, file: string): boolean {
  return (error as NodeJS.ErrnoException).path === resolve(file);
}
