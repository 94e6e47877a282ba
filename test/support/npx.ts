/** A project in which `npx tillhouse` runs the program. */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildProgram } from './built.js';
import { newFolder } from './process.js';

export async function newProject(): Promise<string> {
  const folder = await newFolder();
  const main = join(await buildProgram(), 'dist/main.js');
  await chmod(main, 0o755); // as npm does when it installs a package
  await writeFile(join(folder, 'package.json'), '{"name":"project","private":true}');
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await symlink(main, join(folder, 'node_modules/.bin/tillhouse'));
  return folder;
}
