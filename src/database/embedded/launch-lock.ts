/** A lock under which one process at a time launches PostgreSQL on a folder. */
import { stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 10;
/** The lock is held for some hundredths of a second. A name that stays taken belongs to another program and is ignored. */
const TIMEOUT_MS = 5_000;

/**
 * If two PostgreSQL processes find the stale lock file of a killed one at the same time, each can delete the other's new file.
 * The data stays safe, but the lock file of the process that survives is missing. The lock is an abstract socket name, which the
 * kernel gives to one process and frees when that process ends. Only Linux has these names; other systems keep the risk.
 */
export async function acquireLaunchLock(folder: string): Promise<() => Promise<void>> {
  if (process.platform !== 'linux') return async () => {};
  const { dev, ino } = await stat(folder);
  const name = `\0tillhouse-launch-${dev}-${ino}`;
  const since = performance.now();
  for (let server = await tryListen(name); ; server = await tryListen(name)) {
    if (server) return () => new Promise((resolve) => server.close(() => resolve()));
    if (performance.now() - since > TIMEOUT_MS) return async () => {};
    await sleep(RETRY_MS);
  }
}

/** Returns undefined if another process listens on the name. */
function tryListen(name: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen({ path: name }, () => resolve(server));
  });
}
