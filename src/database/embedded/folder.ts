/** Makes a folder whole: it is filled under a temporary name and then moved into place, so nobody sees a half-made one. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Returns without an error, and without a trace of its own try, when another process put its folder there first. */
export async function makeWholeFolder(target: string, fill: (folder: string) => Promise<void>): Promise<void> {
  await removeAbandoned(target);
  const unfinished = unfinishedName(target);
  await mkdir(unfinished, { mode: 0o700 });
  try {
    await fill(unfinished);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await isFilled(target))) throw error;
  }
  await syncFolder(dirname(target));
}

/** Under which something is made before it gets its own name; whose process has ended is found by it. */
export function unfinishedName(target: string): string {
  return `${target}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
}

export async function isFilled(folder: string): Promise<boolean> {
  const entries = await readdir(folder).catch(() => []);
  return entries.length > 0;
}

/** Makes new names in the folder survive a power failure. Windows has no such call, and needs none. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A try that was killed leaves its folder behind; the process id in the name tells that nobody is at it any more. */
async function removeAbandoned(target: string): Promise<void> {
  const prefix = `${basename(target)}.new-`;
  for (const name of await readdir(dirname(target))) {
    if (!name.startsWith(prefix) || isRunning(Number.parseInt(name.slice(prefix.length), 10))) continue;
    await rm(join(dirname(target), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
