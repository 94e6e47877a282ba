/** Lets one process at a time launch PostgreSQL on a folder. */
import { stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 10;
/** A turn takes some hundredths of a second; a name that stays taken belongs to a stranger, and is not waited for. */
const TIMEOUT_MS = 5_000;

/**
 * Two PostgreSQLs that find the lock file of a killed one at the same moment may each remove the other's new one: the
 * data stays safe, but the one that stays is no longer found by its lock file. So launches take turns, by a name that
 * the kernel gives to one process and takes back when that ends. Only Linux has such names; elsewhere the risk stays.
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

/** Whoever listens under a name has it; undefined where somebody else does. */
function tryListen(name: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen({ path: name }, () => resolve(server));
  });
}
