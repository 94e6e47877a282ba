/** Makes the folder of the data, which has keys and thousands of files that belong into no repository. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Tells git to leave out everything in the folder, and itself. */
export const IGNORE_FILE = '.gitignore';

/** Only a new or an empty folder gets the file for git: in a folder with other files it would hide them. */
export async function makeDataFolder(dataDir: string): Promise<void> {
  const made = await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if (made === undefined && !(await isEmpty(dataDir))) return;
  await writeFile(join(dataDir, IGNORE_FILE), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error; // another process was faster
  });
}

/** A folder of somebody else may not be readable. Who needs its files says so. */
async function isEmpty(folder: string): Promise<boolean> {
  return readdir(folder).then(
    (names) => names.length === 0,
    () => false,
  );
}

/** What failed when files of the data folder were written, in a sentence. Undefined: something else. */
export function explainFolderError(error: unknown, dataDir: string): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `The disk of ${dataDir} is full. Free some space, or use --data-dir.`;
  // Node.js says ENOENT where it cannot make a folder with its parents.
  if (code === 'EROFS' || code === 'ENOENT')
    return `${dataDir} cannot be made: its disk is read-only. Use --data-dir to name a folder that can be written.`;
  if (code === 'EACCES' || code === 'EPERM') {
    return `This user may not write to ${dataDir}. Change its owner, or use --data-dir to name another folder.`;
  }
  return undefined;
}
