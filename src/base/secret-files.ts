/** Secrets in files of the data folder: created on first use, then changed by the operator only. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from './config.js';
import { makeDataFolder } from './data-folder.js';
import { newSecret } from './ids.js';

/** The names of the files with secrets. A backup contains them. */
export const SECRET_FILES = { accountKey: 'account-key', operatorKey: 'operator-key', demo: 'demo.json' } as const;

/** Servers and commands that start at the same time get the same secret. */
export async function readOrCreateSecret(path: string, prefix: string): Promise<string> {
  await makeDataFolder(dirname(path));
  for (let tries = 0; tries < 100; tries++) {
    const existing = (await readFile(path, 'utf8').catch(() => '')).trim();
    if (existing !== '') return existing;
    const secret = newSecret(prefix, 48);
    try {
      await writeFile(path, `${secret}\n`, { mode: 0o600, flag: 'wx' });
      return secret;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      await sleep(20); // another process has created the file and is about to write the secret
    }
  }
  throw new UsageError(`${path} is empty. Delete it, and the next start creates a new secret.`);
}

/** The account key in the file, or an empty text. One key, or several in lines or separated by commas (decision 0209). */
export async function readAccountKey(dataDir: string): Promise<string> {
  return (await readFile(join(dataDir, SECRET_FILES.accountKey), 'utf8').catch(ignoreMissing)).trim();
}

function ignoreMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

export function readOrCreateAccountKey(dataDir: string): Promise<string> {
  return readOrCreateSecret(join(dataDir, SECRET_FILES.accountKey), 'ack_');
}
