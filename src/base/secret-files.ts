/** Secrets that lie in files of the data folder: made when they are first needed, the same ever after. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from './config.js';
import { newSecret } from './ids.js';

/** Also for servers and commands that start together. */
export async function readOrCreateSecret(path: string, prefix: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  for (let tries = 0; tries < 100; tries++) {
    const known = (await readFile(path, 'utf8').catch(() => '')).trim();
    if (known !== '') return known;
    const secret = newSecret(prefix, 48);
    try {
      await writeFile(path, `${secret}\n`, { mode: 0o600, flag: 'wx' });
      return secret;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      await sleep(20); // another has made the file and is about to fill it
    }
  }
  throw new UsageError(`${path} is empty; remove it, and a new secret is made.`);
}

/** With which account numbers are hashed (decision 0062). */
export function readOrCreateAccountKey(dataDir: string): Promise<string> {
  return readOrCreateSecret(join(dataDir, 'account-key'), 'ack_');
}
