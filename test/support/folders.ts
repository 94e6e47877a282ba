/** Creates something once for the whole run, for all files and workers. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';

/**
 * The first caller creates the content of a folder of this name; all others wait until it is complete. The folder is
 * removed when the run ends.
 */
export async function createOnce(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(inject('madeFolder'), name);
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

/** A file that ends with a line break is complete. */
async function untilWritten(path: string): Promise<string> {
  for (;;) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text.endsWith('\n')) return text;
    await sleep(20);
  }
}
