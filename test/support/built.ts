/** The program as people run it, built once for the whole run from the source as it is now. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isBuilt } from '../../scripts/prepare.mjs';
import { madeOnce } from './folders.js';

export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** A copy of the repository as it is now, not built. Its packages are links, so that nothing here can harm the real ones. */
export async function copyRepository(root: string): Promise<void> {
  const left = new Set(['node_modules', 'dist', '.git', '.tillhouse'].map((name) => join(repository, name)));
  await cp(repository, root, { recursive: true, preserveTimestamps: true, filter: (path) => !left.has(path) });
  await linkPackages(root);
}

export async function linkPackages(root: string): Promise<void> {
  const [from, to] = [join(repository, 'node_modules'), join(root, 'node_modules')];
  await mkdir(to);
  for (const name of await readdir(from)) {
    if (name !== '.package-lock.json') await symlink(join(from, name), join(to, name));
  }
  await writeFile(join(to, '.package-lock.json'), '{}'); // new, so that nobody wants to install anything
}

let program: Promise<string> | undefined;

/** A copy of the repository that is built, whatever happens to the repository's own dist meanwhile. */
export function buildProgram(): Promise<string> {
  program ??= madeOnce('program', async (root) => {
    await copyRepository(root);
    if (!isBuilt()) return promisify(execFile)(process.execPath, ['scripts/build.mjs'], { cwd: root });
    await cp(join(repository, 'dist'), join(root, 'dist'), { recursive: true });
    const now = new Date();
    return utimes(join(root, 'dist/.built'), now, now); // the copied folders are new, what is in them is not
  });
  return program;
}
