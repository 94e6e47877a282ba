/** `npm start` in a copy of the repository: what it sets up, and that it stops all its processes. */
import { appendFile, chmod, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, copyRepository } from '../support/built.js';
import { isLong } from '../support/long.js';
import {
  beginRequest,
  copyAll,
  newFolder,
  Program,
  processesIn,
  type Result,
  refusesConnections,
  run,
  Server,
  until,
  usedDataDir,
} from '../support/process.js';

const PATH = process.env['PATH'] ?? '';
const START = [process.execPath, 'scripts/start.mjs'] as const;

async function exists(path: string): Promise<boolean> {
  return stat(path).then(Boolean, () => false);
}

/** An offline npm: it records its arguments, and "installs" by restoring the packages that were moved away. */
async function pretendNpm(root: string, exitCode = 0): Promise<{ PATH: string; asked: () => Promise<string> }> {
  const folder = await newFolder();
  const log = join(folder, 'asked');
  const script = `#!/bin/sh
echo "$@" >> '${log}'
[ -d '${root}/put-away' ] && mv '${root}/put-away' '${root}/node_modules'
touch '${root}/node_modules/.package-lock.json'
exit ${exitCode}
`;
  await writeFile(join(folder, 'npm'), script);
  await chmod(join(folder, 'npm'), 0o755);
  return { PATH: `${folder}:${PATH}`, asked: () => readFile(log, 'utf8').catch(() => '') };
}

/**
 * Replaces the program by a few files and the pages by one, so that each build is quick and can be observed. The whole program is built
 * by `npm test`, and all other tests run what that built.
 */
async function beLittle(root: string): Promise<void> {
  const watcher = await readFile(join(root, 'src/cli/parent.mjs'), 'utf8'); // which `npm start` itself uses
  await rm(join(root, 'src'), { recursive: true });
  await mkdir(join(root, 'src/cli'), { recursive: true });
  await writeFile(join(root, 'src/cli/parent.mjs'), watcher);
  for (const name of ['api', 'base', 'business/receipts', 'testing'])
    await mkdir(join(root, 'src', name), { recursive: true });
  await writeFile(join(root, 'src/testing/index.ts'), 'export {};\n');
  await writeFile(join(root, 'src/main.ts'), "import { READY } from './base/ids.js';\nconsole.log(READY);\n");
  await writeFile(join(root, 'src/base/ids.ts'), "export const READY = 'ready';\n");
  await writeFile(join(root, 'src/business/receipts/model.ts'), 'export {};\n'); // a source of the pages
  for (const name of ['example-ids', 'sample-ids']) await writeFile(join(root, `src/api/${name}.ts`), 'export {};\n'); // sources of the docs
  // These need the whole program.
  for (const name of ['docs-pages', 'bundle']) await writeFile(join(root, `scripts/${name}.mjs`), '');
  await rm(join(root, 'web'), { recursive: true });
  await mkdir(join(root, 'web/docs'), { recursive: true });
  await writeFile(join(root, 'web/index.html'), '<p>One</p>\n');
  const config = { root: join(root, 'web'), build: { outDir: join(root, 'dist/pages'), emptyOutDir: true } };
  await writeFile(
    join(root, 'web/vite.config.ts'),
    `export default ${JSON.stringify({ ...config, logLevel: 'silent' })};\n`,
  );
}

describe('what npm start sets up', () => {
  let root: string;
  beforeAll(async () => {
    root = join(await newFolder(), 'checkout');
    await copyRepository(root);
    await beLittle(root);
  });

  /** Runs a start without serving: the set-up, then the help text. */
  async function setUp(env: NodeJS.ProcessEnv): Promise<Result> {
    return run(['--help'], { command: START, cwd: root, env });
  }

  it('is an install and a build if there are neither; then it starts the program', async () => {
    await rename(join(root, 'node_modules'), join(root, 'put-away'));
    const npm = await pretendNpm(root);
    const stderr = 'Installing dependencies ...\nBuilding ...\n';
    expect(await setUp({ PATH: npm.PATH })).toMatchObject({ code: 0, stderr, stdout: 'ready\n' });
    expect(await npm.asked()).toMatch(/^ci --include=dev .*\n$/);
  });

  it('is nothing if nothing has changed', async () => {
    const npm = await pretendNpm(root);
    expect(await setUp({ PATH: npm.PATH })).toMatchObject({ code: 0, stderr: '', stdout: 'ready\n' });
    expect(await npm.asked()).toBe('');
  });

  it('is a build if a source was changed or removed after the last one', async () => {
    const npm = await pretendNpm(root);
    for (const change of [
      () => appendFile(join(root, 'src/main.ts'), '\n'),
      () => writeFile(join(root, 'src/api/extra.ts'), 'export const extra = 1;\n'),
      () => rm(join(root, 'src/api/extra.ts')),
    ]) {
      await change();
      expect(await setUp({ PATH: npm.PATH }), String(change)).toMatchObject({ code: 0, stderr: 'Building ...\n' });
      expect(await exists(join(root, 'dist/api/extra.js'))).toBe(await exists(join(root, 'src/api/extra.ts')));
    }
    expect(await setUp({ PATH: npm.PATH })).toMatchObject({ code: 0, stderr: '' });
    expect(await npm.asked()).toBe('');
  });

  it('is a build of the pages alone if only they were changed, and of the server alone if the pages use nothing of it', async () => {
    const npm = await pretendNpm(root);
    const times = async (): Promise<number[]> =>
      Promise.all(['dist/.built', 'dist/pages/.built'].map(async (path) => (await stat(join(root, path))).mtimeMs));
    const before = await times();
    await writeFile(join(root, 'web/index.html'), '<p>Two</p>\n');
    expect(await setUp({ PATH: npm.PATH })).toMatchObject({ code: 0, stderr: 'Building ...\n', stdout: 'ready\n' });
    const between = await times();
    expect([between[0] === before[0], between[1] === before[1]]).toEqual([true, false]);
    expect(await readFile(join(root, 'dist/pages/index.html'), 'utf8')).toContain('Two');

    await appendFile(join(root, 'src/main.ts'), '\n');
    expect(await setUp({ PATH: npm.PATH })).toMatchObject({ code: 0, stderr: 'Building ...\n', stdout: 'ready\n' });
    const after = await times();
    expect([after[0] === between[0], after[1] === between[1]]).toEqual([false, true]);

    await writeFile(join(root, 'src/more.operations.ts'), 'export const more = [];\n');
    expect((await setUp({ PATH: npm.PATH })).stderr).toBe('Building ...\n');
    expect((await times())[1]).not.toBe(after[1]);
  });

  it('is another build if a source was changed during the last one', async () => {
    const npm = await pretendNpm(root);
    const compiler = join(root, 'node_modules/typescript');
    const changed = join(root, 'src/main.ts');
    await rename(compiler, join(root, 'typescript'));
    await mkdir(join(compiler, 'bin'), { recursive: true });
    await writeFile(
      join(compiler, 'bin/tsc'),
      `require('node:fs').appendFileSync(${JSON.stringify(changed)}, '\\n');\n`,
    );
    await writeFile(join(compiler, 'package.json'), '{"type":"commonjs"}');
    await appendFile(changed, '\n');
    // This compiler wrote nothing, so there is nothing to start either.
    expect(await setUp({ PATH: npm.PATH })).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Building/) });
    await rm(compiler, { recursive: true });
    await rename(join(root, 'typescript'), compiler);
    expect(await setUp({ PATH: npm.PATH })).toMatchObject({ code: 0, stderr: 'Building ...\n' });
  });

  it('is an install if the lock file is newer than the packages', async () => {
    const npm = await pretendNpm(root);
    const installed = join(root, 'node_modules/.package-lock.json');
    const { mtimeMs } = await stat(join(root, 'package-lock.json'));
    await utimes(installed, new Date(), new Date(mtimeMs - 1000));
    expect(await setUp({ PATH: npm.PATH })).toMatchObject({ code: 0, stderr: 'Installing dependencies ...\n' });
    expect(await npm.asked()).toMatch(/^ci .*\n$/);
  });

  it('fails the start if the install or the build fails, and is retried', async () => {
    const failing = await pretendNpm(root, 7);
    const installed = join(root, 'node_modules/.package-lock.json');
    await rm(installed);
    await appendFile(join(root, 'src/main.ts'), '\n');
    expect(await setUp({ PATH: failing.PATH })).toMatchObject({ code: 7, stderr: 'Installing dependencies ...\n' });

    const npm = await pretendNpm(root);
    const broken = join(root, 'src/broken.ts');
    await writeFile(broken, 'export const = ;\n');
    const failed = await setUp({ PATH: npm.PATH });
    expect(failed.code).not.toBe(0);
    expect(failed.stdout).toContain('src/broken.ts');
    expect(await exists(join(root, 'dist/.built'))).toBe(false);
    expect((await setUp({ PATH: npm.PATH })).code).not.toBe(0);
    await rm(broken);
    expect(await setUp({ PATH: npm.PATH })).toMatchObject({ code: 0, stderr: 'Building ...\n' });
  });
});

describe('npm start', () => {
  let root: string;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await usedDataDir();
    root = join(await newFolder(), 'checkout');
    await copyAll(await buildProgram(), root);
  });

  /** npm runs its scripts in a shell. Some shells replace themselves with the program; others stay its parent and forward no signal. */
  describe.each([
    ['stays the parent', 'eval "$2"; exit $?', 'SIGTERM'],
    ['replaces itself', 'eval "exec $2"', 'Ctrl-C'],
  ])('in a shell that %s', (_kind, line, mostDifficult) => {
    let shell: string;
    beforeAll(async () => {
      shell = join(await newFolder(), 'shell');
      await writeFile(shell, `#!/bin/sh\n${line}\n`);
      await chmod(shell, 0o755);
    });

    /** A shell that stays forwards no SIGTERM. A program that replaces it gets Ctrl-C twice: from the terminal and from npm. */
    const ends = [
      ['a SIGTERM to npm', (npm: Program) => npm.signal('SIGTERM')],
      ['a Ctrl-C in the terminal', (npm: Program) => npm.interruptGroup()],
    ] as const;

    it.each(ends.filter(([what]) => isLong || what.includes(mostDifficult)))(
      'on %s finishes the request in flight and leaves nothing behind',
      async (_what, end) => {
        const npm = await Program.start(['start', '--', '--port', '0', '--data-dir', dataDir], {
          command: ['npm'],
          cwd: root,
          env: { npm_config_script_shell: shell, npm_config_cache: join(root, 'npm-cache') },
          detached: true,
        });
        const server = await Server.ready(npm, dataDir);
        const { access_token: token } = await server.demo();
        const body = { first_name: 'Late', last_name: 'Comer' };
        const hiring = await beginRequest(server, { method: 'POST', path: '/v1/me/employees', token, body });
        end(npm);
        await until(() => refusesConnections(server.port));
        expect((await hiring.finish()).status).toBe(200);
        await npm.exited;
        await until(async () => [...(await processesIn(dataDir)), ...(await processesIn(root))].length === 0);
        expect(await exists(join(dataDir, 'server.json'))).toBe(false);
        expect(await exists(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
      },
    );
  });
});
