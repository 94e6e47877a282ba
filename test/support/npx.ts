/** A project in which `npx tillhouse` runs the program. */
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildProgram } from './built.js';
import { newFolder } from './process.js';

export async function newProject(): Promise<string> {
  const folder = await newFolder();
  await writeFile(join(folder, 'package.json'), '{"name":"project","private":true}');
  await addProgram(folder);
  return folder;
}

/** Also after npm has installed packages there: it removes what it does not know. */
export async function addProgram(folder: string): Promise<void> {
  const main = join(await buildProgram(), 'dist/main.js');
  await chmod(main, 0o755); // as npm does when it installs a package
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await rm(join(folder, 'node_modules/.bin/tillhouse'), { force: true });
  await symlink(main, join(folder, 'node_modules/.bin/tillhouse'));
}
