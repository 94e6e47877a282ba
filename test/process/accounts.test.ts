/** The complete server under root and under an ordinary user, with only its production dependencies installed. */
import { execFile } from 'node:child_process';
import { chmod, chown, lstat, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, repository } from '../support/built.js';
import { copyAll, newDataDir, newFolder, Program, postmasterPid, Server } from '../support/process.js';

const isRoot = process.getuid?.() === 0;
/** The account `nobody` of Debian and most other systems. */
const NOBODY = 65_534;

let root: string;

beforeAll(async () => {
  if (!isRoot) return;
  root = join(await newFolder(), 'checkout');
  await mkdir(root);
  const built = await buildProgram();
  for (const name of ['dist', 'docs', 'migrations', 'package.json']) await copyAll(join(built, name), join(root, name));
  // Copies all packages of a folder at once: a process for each would take longer than the copies. Nested packages are copied with them.
  const packages = (await runtimePackages()).filter((path) => path.lastIndexOf('node_modules/') === 0);
  for (const folder of new Set(packages.map(dirname))) {
    await mkdir(join(root, folder), { recursive: true });
    const names = packages.filter((path) => dirname(path) === folder);
    await promisify(execFile)('cp', ['-a', ...names, join(root, folder)], { cwd: repository });
  }
});

/** What `npm ci --omit=dev` would install, according to the lock file. */
async function runtimePackages(): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  const wanted = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev);
  const found = await Promise.all(
    wanted.map(async ([path]) => ((await lstat(join(repository, path)).catch(() => undefined)) ? path : undefined)),
  );
  return found.filter((path) => path !== undefined);
}

async function expectToServe(server: Server): Promise<void> {
  const { access_token: token } = await server.demo();
  const made = await server.call('POST', '/v1/me/employees', { token, body: { first_name: 'A', last_name: 'B' } });
  expect(made.status).toBe(200);
  expect((await server.call('GET', '/docs/style.css')).status).toBe(200);
}

describe('a server (needs root)', () => {
  it.skipIf(!isRoot)('runs as root from a checkout in a folder that only root may enter', async () => {
    await chmod(dirname(root), 0o700);
    const main = join(root, 'dist/main.js');
    const dataDir = join(root, '.tillhouse');
    const server = await Server.start({ command: [process.execPath, main, 'serve'], cwd: root, dataDir });
    await expectToServe(server);
    expect((await stat(`/proc/${server.program.pid}`)).uid).toBe(0);
    expect((await stat(`/proc/${await postmasterPid(dataDir)}`)).uid).not.toBe(0);
    expect((await stat(join(dataDir, 'demo.json'))).uid).toBe(0);
    await server.stop();
  });

  it.skipIf(!isRoot)(
    'says that a data folder of somebody else is not usable, as the volume of a container may be',
    async () => {
      await chmod(dirname(root), 0o755);
      const dataDir = await newDataDir();
      await chmod(dirname(dataDir), 0o755);
      await mkdir(dataDir, { recursive: true, mode: 0o755 });
      const command = [process.execPath, join(root, 'dist/main.js'), 'serve', '--data-dir', dataDir] as const;
      const program = await Program.start([], { command, cwd: '/', uid: NOBODY });
      expect((await program.exited).code).toBe(2);
      expect(program.stderr).toMatch(/--data-dir \(TILLHOUSE_DATA_DIR\) is not usable: EACCES/);
    },
  );

  it.skipIf(!isRoot)('runs as an ordinary user from a checkout that it may only read', async () => {
    await chmod(dirname(root), 0o755);
    const dataDir = await newDataDir();
    await chown(dirname(dataDir), NOBODY, NOBODY);
    const main = join(root, 'dist/main.js');
    const command = [process.execPath, main, 'serve'] as const;
    const server = await Server.start({ command, cwd: dirname(dataDir), dataDir, uid: NOBODY });
    await expectToServe(server);
    for (const pid of [server.program.pid, await postmasterPid(dataDir)]) {
      expect((await stat(`/proc/${pid}`)).uid).toBe(NOBODY);
    }
    const { uid, mode } = await stat(join(dataDir, 'demo.json'));
    expect({ uid, mode: mode & 0o777 }).toEqual({ uid: NOBODY, mode: 0o600 });
    await server.stop();
  });
});
