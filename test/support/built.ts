/** Compiles the program into a folder of its own, so that processes of a test run the same source as the test does. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

export interface BuiltProgram {
  /** What `dist/` is after a build. */
  readonly dist: string;
  remove(): Promise<void>;
}

export async function buildProgram(): Promise<BuiltProgram> {
  const root = await mkdtemp(join(tmpdir(), 'tillhouse-build-'));
  const compiler = join(checkout, 'node_modules/typescript/bin/tsc');
  const flags = ['-p', 'tsconfig.build.json', '--sourceMap', 'false', '--outDir', join(root, 'dist')];
  await promisify(execFile)(process.execPath, [compiler, ...flags], { cwd: checkout });
  for (const name of ['node_modules', 'migrations', 'package.json']) {
    await symlink(join(checkout, name), join(root, name));
  }
  return { dist: join(root, 'dist'), remove: () => rm(root, { recursive: true }) };
}
