/** The built program, built once for the whole run from the current source. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isBuilt } from '../../scripts/prepare.mjs';
import { createOnce } from './folders.js';

export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Copies the repository without its build. The packages are links, so tests cannot change the real ones. */
export async function copyRepository(root: string): Promise<void> {
  const left = new Set(['node_modules', 'dist', '.git', '.tillhouse'].map((name) => join(repository, name)));
  await cp(repository, root, { recursive: true, preserveTimestamps: true, filter: (path) => !left.has(path) });
  await linkPackages(root);
}

export async function linkPackages(root: string): Promise<void> {
  const [from, to] = [join(repository, 'node_modules'), join(root, 'node_modules')];
  await mkdir(to);
  // What the test runner has compiled there would find the modules of the repository.
  const left = ['.package-lock.json', '.vite-temp'];
  for (const name of await readdir(from)) {
    if (!left.includes(name)) await symlink(join(from, name), join(to, name));
  }
  await writeFile(join(to, '.package-lock.json'), '{}'); // newer than the lock file, so that `npm start` does not install
}

/** The module of the built program that exports `startServer`, with all that it needs joined. Its name ends with a hash. */
export async function findJoinedServer(): Promise<string> {
  const dist = join(await buildProgram(), 'dist');
  const names = (await readdir(dist)).filter((each) => /^chunk-server-.{8}\.js$/.test(each));
  for (const name of names) {
    // A module that several programs share exports short names, and has another one beside it for who imports it by name.
    if (/^export \{[^}]*\bstartServer\b(?! as)/m.test(await readFile(join(dist, name), 'utf8')))
      return join(dist, name);
  }
  throw new Error(`no joined server in ${dist}`);
}

let program: Promise<string> | undefined;

/** A built copy of the repository, independent of the repository's own dist. */
export function buildProgram(): Promise<string> {
  program ??= createOnce('program', async (root) => {
    await copyRepository(root);
    if (!isBuilt()) return promisify(execFile)(process.execPath, ['scripts/build.mjs'], { cwd: root });
    await cp(join(repository, 'dist'), join(root, 'dist'), { recursive: true });
    const now = new Date();
    return utimes(join(root, 'dist/.built'), now, now); // the copied folders have new times, the files in them do not
  });
  return program;
}
