/** Creates a folder atomically: fills it under a temporary name and then renames it. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** If another process creates the folder first, removes its own attempt and returns without an error. */
export async function createFolderAtomically(target: string, fill: (folder: string) => Promise<void>): Promise<void> {
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

/** The end of a temporary name: the process id and random digits. */
const OURS = /^(\d+)-[0-9a-f]{8}$/;

/** The temporary name of a file or folder. It contains the process id, so that leftovers of ended processes can be found. */
export function unfinishedName(target: string): string {
  return `${target}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
}

export async function isFilled(folder: string): Promise<boolean> {
  const entries = await readdir(folder).catch(() => []);
  return entries.length > 0;
}

/** Makes new names in the folder survive a power failure. Windows does not need this and has no such call. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Deletes the temporary files and folders of processes that were killed. Other files may have similar names. */
export async function removeAbandoned(target: string): Promise<void> {
  const prefix = `${basename(target)}.new-`;
  for (const name of await readdir(dirname(target))) {
    const [, pid] = (name.startsWith(prefix) && OURS.exec(name.slice(prefix.length))) || [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    await rm(join(dirname(target), name), { recursive: true, force: true });
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
