/** A PostgreSQL whose files are not synced: after a crash of the machine they may be damaged, so they are made anew. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { placesIn } from '../embedded/start.js';

/** Call it before PostgreSQL starts, and what it returns when it has ended. */
export async function beginUse(dataDir: string): Promise<() => Promise<void>> {
  const file = join(dataDir, 'in-use');
  const [boot, before] = await Promise.all([readBoot(), readFile(file, 'utf8').catch(() => undefined)]);
  if (before !== undefined && before !== boot) await removeCluster(dataDir);
  await writeFile(file, boot);
  return () => rm(file, { force: true });
}

export async function removeCluster(dataDir: string): Promise<void> {
  const { folder, passwordFile } = placesIn(dataDir);
  await rm(folder, { recursive: true, force: true });
  await rm(passwordFile, { force: true });
}

/** Differs each time the machine starts, and on each machine. Only Linux says it: elsewhere damage shows when PostgreSQL does not start. */
function readBoot(): Promise<string> {
  return readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => 'unknown');
}
