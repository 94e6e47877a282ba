/** The files in a data folder that a server needs beside its database. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SECRET_FILES } from '../base/secret-files.js';

/** The other files belong to the PostgreSQL of the folder, or describe a running server. */
export const KEPT_FILES: readonly string[] = Object.values(SECRET_FILES);

/** Returns those that exist. */
export async function readDataFiles(
  dataDir: string,
  names: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  for (const name of names) {
    try {
      files[name] = await readFile(join(dataDir, name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return files;
}

export async function writeDataFiles(dataDir: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const name of KEPT_FILES) {
    const text = files[name];
    if (text !== undefined) await writeFile(join(dataDir, name), text, { mode: 0o600, flag: 'wx', flush: true });
  }
}
