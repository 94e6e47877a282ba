/** A lock on a folder that one process at a time has, and that ends with that process. */
import { stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';

/** What the process may do: launch PostgreSQL on the folder, or keep a PostgreSQL that many programs share. */
export type Purpose = 'launch' | 'keeper';

export type Release = () => Promise<void>;

/**
 * Returns undefined if another process has the lock. It is an abstract socket name, which the kernel gives to one process and frees when
 * that process ends. Only Linux has these names; on other systems everybody gets the lock, and callers have to bear that.
 */
export async function tryProcessLock(purpose: Purpose, folder: string): Promise<Release | undefined> {
  const name = await nameOf(purpose, folder);
  if (name === undefined) return async () => {};
  const server = await tryListen(name);
  return server && (() => new Promise((resolve) => server.close(() => resolve())));
}

/** Whether a process has the lock. On systems without such locks nobody has it. */
export async function isLocked(purpose: Purpose, folder: string): Promise<boolean> {
  const name = await nameOf(purpose, folder);
  if (name === undefined) return false;
  return new Promise((resolve) => {
    const socket = connect({ path: name });
    const answer = (isTaken: boolean): void => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });
}

async function nameOf(purpose: Purpose, folder: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const { dev, ino } = await stat(folder);
  return `\0tillhouse-${purpose}-${dev}-${ino}`;
}

/** Returns undefined if another process listens on the name. */
function tryListen(name: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen({ path: name }, () => resolve(server));
  });
}
