/** Folders of the tests, and what is made in them once for the whole run, however many files and workers use it. */
import { mkdir, mkdtemp, readFile, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';

/** In memory where there is room: writing to disk would take most of a start's time, and no test pulls the plug. */
export async function makeFolder(prefix: string): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined);
  const hasRoom = memory !== undefined && memory.bavail * memory.bsize > 2 ** 30;
  return mkdtemp(join(hasRoom ? '/dev/shm' : tmpdir(), prefix));
}

/**
 * Lets the first who asks make what belongs into a folder of this name; all others wait until it is there. The folder is
 * removed when the run ends.
 */
export async function madeOnce(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(inject('runFolder'), name);
  const outcome = `${folder}.outcome`;
  try {
    await mkdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const failure = await untilWritten(outcome);
    if (failure !== '\n') throw new Error(`${name} could not be made: ${failure}`);
    return folder;
  }
  try {
    await make(folder);
  } catch (error) {
    await writeFile(outcome, `${error}\n`);
    throw error;
  }
  await writeFile(outcome, '\n');
  return folder;
}

/** A file that ends with a line break is whole. */
async function untilWritten(path: string): Promise<string> {
  for (;;) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text.endsWith('\n')) return text;
    await sleep(20);
  }
}
