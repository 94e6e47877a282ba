/** A lock under which one process at a time launches PostgreSQL on a folder. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Release, tryProcessLock } from './process-lock.js';

const RETRY_MS = 10;
/** The lock is held for some hundredths of a second. A name that stays taken belongs to another program and is ignored. */
const TIMEOUT_MS = 5_000;

/**
 * If two PostgreSQL processes find the stale lock file of a killed one at the same time, each can delete the other's new file.
 * The data stays safe, but the lock file of the process that survives is missing. Only Linux has the lock; other systems keep the risk.
 */
export async function acquireLaunchLock(folder: string): Promise<Release> {
  const since = performance.now();
  for (;;) {
    const release = await tryProcessLock('launch', folder);
    if (release) return release;
    if (performance.now() - since > TIMEOUT_MS) return async () => {};
    await sleep(RETRY_MS);
  }
}
