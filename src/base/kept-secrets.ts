/** Secrets that lie in files of the data folder: made when they are first needed, the same ever after. */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newSecret } from './ids.js';

export async function keptSecret(path: string, prefix: string): Promise<string> {
  const known = await readFile(path, 'utf8').catch(() => '');
  if (known.trim() !== '') return known.trim();
  const secret = newSecret(prefix, 48);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, `${secret}\n`, { mode: 0o600 });
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
  return secret;
}

/** With which account numbers are hashed (decision 0062). */
export function keptAccountKey(dataDir: string): Promise<string> {
  return keptSecret(join(dataDir, 'account-key'), 'ack_');
}
