/** An interrupted test run leaves nothing behind: no process, no folder, no shared memory, no database. */
import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { repository } from '../support/built.js';
import { OwnPostgres } from '../support/own-postgres.js';
import { newFolder, Program, postmasterPid, processesIn, run, Server, until, usedDataDir } from '../support/process.js';
import { sharedMemoryOf, signalWithNote } from '../support/shared-memory.mjs';

const AFTER_RUN = join(repository, 'test/support/after-run.mjs');
const RUN_FOLDER = join(repository, 'test/support/run-folder.mjs');
const RUN_DATABASES = join(repository, 'test/support/run-databases.mjs');

/**
 * Stands for the test runner. It starts a worker, and what tests start: a program with its own session, and one with an empty
 * environment in a folder of its own, as PostgreSQL runs. It ends when its worker is killed.
 */
const RUNNER = `
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
const cwd = mkdtempSync(join(tmpdir(), 'data-'));
const worker = spawn('sleep', ['600'], { stdio: 'ignore' }).on('exit', () => process.exit(1));
spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
spawn('sleep', ['600'], { stdio: 'ignore', detached: true, cwd, env: {} });
console.log('runner ' + process.pid + ' of ' + process.ppid + ' with worker ' + worker.pid);`;

interface Run {
  readonly started: Program;
  readonly script: number;
  readonly runner: number;
  readonly worker: number;
}

const BY_NPM = ['npm', 'test'] as const;
const BY_NODE = [process.execPath, 'scripts/test.mjs'] as const;

/** A terminal sends its signals to all processes that it started. */
const WAYS: readonly [string, readonly [string, ...string[]], (run: Run) => void][] = [
  ['a Ctrl-C in the terminal', BY_NPM, ({ started }) => process.kill(-started.pid, 'SIGINT')],
  ['a closed terminal', BY_NPM, ({ started }) => process.kill(-started.pid, 'SIGHUP')],
  ['a SIGTERM to npm', BY_NPM, ({ started }) => started.signal('SIGTERM')],
  ['a SIGKILL to npm', BY_NPM, ({ started }) => started.signal('SIGKILL')],
  ['a SIGTERM to the script', BY_NODE, ({ script }) => process.kill(script, 'SIGTERM')],
  ['a SIGKILL to the script', BY_NODE, ({ script }) => process.kill(script, 'SIGKILL')],
  ['a SIGKILL to the test runner', BY_NODE, ({ runner }) => process.kill(runner, 'SIGKILL')],
  ['a SIGKILL to a worker of the test runner', BY_NODE, ({ worker }) => process.kill(worker, 'SIGKILL')],
  ['a SIGKILL to all that the terminal started', BY_NODE, ({ started }) => process.kill(-started.pid, 'SIGKILL')],
];

/** Only Linux shows the environment of other processes. */
describe.runIf(process.platform === 'linux')('an interrupted run', () => {
  /** A checkout with the real scripts, but packages that do nothing. */
  let checkout: string;
  let shell: string;
  beforeAll(async () => {
    checkout = await newFolder();
    const files = {
      'node_modules/.package-lock.json': '{}',
      'node_modules/@biomejs/biome/bin/biome': '',
      'node_modules/typescript/bin/tsc': '',
      'node_modules/vitest/vitest.mjs': RUNNER,
      'src/business/receipts/model.ts': '', // a source of the pages
      'src/api/example-ids.ts': '', // sources of the docs
      'src/api/sample-ids.ts': '',
      // The shell that npm uses. It stays the parent of the script and forwards no signal.
      shell: '#!/bin/sh\neval "$2"; exit $?\n',
    };
    for (const name of [
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'tsconfig.build.json',
      'tsconfig.types.json',
    ]) {
      await cp(join(repository, name), join(checkout, name));
    }
    for (const name of ['src/base', 'src/cli', 'web/docs', 'docs'])
      await mkdir(join(checkout, name), { recursive: true });
    for (const name of ['scripts', 'test/support', 'src/cli/parent.mjs']) {
      await cp(join(repository, name), join(checkout, name), { recursive: true });
    }
    for (const [name, content] of Object.entries({
      ...files,
      'dist/.built': '',
      'dist/docs/.built': '',
      'dist/pages/.built': '',
      'dist/sbom/.built': '',
    })) {
      await mkdir(dirname(join(checkout, name)), { recursive: true });
      await writeFile(join(checkout, name), content);
    }
    shell = join(checkout, 'shell');
    await chmod(shell, 0o755);
  });

  /** A run inside this one. Everything that it starts has its temporary folder in the environment. */
  async function startRun(command: readonly [string, ...string[]], temporary: string): Promise<Run> {
    const env = {
      TMPDIR: temporary,
      TILLHOUSE_TEST_FOLDER: temporary,
      TILLHOUSE_BROWSER: process.execPath,
      npm_config_script_shell: shell,
      npm_config_cache: join(checkout, 'npm-cache'),
    };
    const started = await Program.start([], { command, cwd: checkout, env, detached: true });
    const [, runner, script, worker] = (await started.said(/runner (\d+) of (\d+) with worker (\d+)\n/)).map(Number);
    return { started, script: script ?? 0, runner: runner ?? 0, worker: worker ?? 0 };
  }

  const alive = (folder: string) => processesIn(folder, { orItsEnvironment: true });

  it.each(WAYS)('by %s leaves no process and no folder behind', async (_way, command, interrupt) => {
    const temporary = await newFolder();
    const run = await startRun(command, temporary);
    // The script, the cleanup, the runner, its worker and two programs; npm and its shell.
    expect(await alive(temporary)).toHaveLength(command === BY_NPM ? 8 : 6);
    expect(await readdir(temporary)).toHaveLength(1);

    interrupt(run);
    const { code } = await run.started.exited;
    expect(code).not.toBe(0);
    await until(async () => (await alive(temporary)).length === 0);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('whose cleanup was killed too is cleaned up by the next run, which leaves a living run alone', async () => {
    const temporary = await newFolder();
    const open = `const { openRunFolder } = await import(${JSON.stringify(RUN_FOLDER)});
      console.log('opened', (await openRunFolder()).folder);`;
    const openRun = async (more = ''): Promise<{ program: Program; folder: string }> => {
      const command = [process.execPath, '--input-type=module', '--eval', open + more] as const;
      const env = { TMPDIR: temporary, TILLHOUSE_TEST_FOLDER: temporary };
      const program = await Program.start([], { command, env });
      const [, folder = ''] = await program.said(/opened (.*)\n/);
      return { program, folder };
    };
    const keepOn = 'setInterval(() => {}, 1000);';
    const living = await openRun(keepOn);
    const dead = await openRun(`(await import('node:child_process')).spawn('sleep', ['600']);${keepOn}`);
    await until(async () => (await alive(dead.folder)).length === 2);
    const [cleanup] = (await alive(dead.folder)).filter(({ command }) => command.includes('after-run.mjs'));
    process.kill(cleanup?.pid ?? 0, 'SIGKILL');
    dead.program.signal('SIGKILL');
    await dead.program.exited;
    await until(async () => (await alive(dead.folder)).length === 1); // the program that it started

    const next = await openRun('process.exit();');
    await until(async () => (await readdir(temporary)).length === 1);
    expect(await readdir(temporary)).toEqual([basename(living.folder)]);
    await until(async () => (await alive(dead.folder)).length === 0); // the cleanup ends after it has removed its folder
    living.program.signal('SIGKILL');
    await Promise.all([living.program.exited, next.program.exited]);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('of the test runner alone leaves no folder of the test runner behind', async () => {
    const [temporary, elsewhere] = [await newFolder(), join(await newFolder(), 'compiled')];
    await mkdir(join(elsewhere, 'ssr'), { recursive: true });
    const open = `const { openRunFolder } = await import(${JSON.stringify(RUN_FOLDER)});
      console.log('opened', (await openRunFolder(${JSON.stringify(elsewhere)})).folder);
      setInterval(() => {}, 1000);`;
    const command = [process.execPath, '--input-type=module', '--eval', open] as const;
    const env = { TMPDIR: temporary, TILLHOUSE_TEST_FOLDER: temporary };
    const program = await Program.start([], { command, env });
    await program.said(/opened (.*)\n/);
    program.signal('SIGKILL');
    await program.exited;
    await until(async () => (await alive(temporary)).length === 0);
    expect([await readdir(temporary), await readdir(dirname(elsewhere))]).toEqual([[], []]);
  });

  it('leaves no database behind on a given server: what its cleanup could not drop, the next run drops, and nothing of a living run', async () => {
    const postgres = await OwnPostgres.make();
    await postgres.start();
    onTestFinished(() => postgres.stop());
    const begin = `const { openRunFolder } = await import(${JSON.stringify(RUN_FOLDER)});
      const { beginRun, inDatabase, withConnection } = await import(${JSON.stringify(RUN_DATABASES)});
      const { folder } = await openRunFolder();
      const url = process.env.DATABASE_URL;
      const { databasePrefix } = await beginRun([url], folder);
      for (const end of ['template', 'test'])
        await withConnection(url, (sql) => sql.unsafe('create database ' + databasePrefix + end));
      await withConnection(inDatabase(url, databasePrefix + 'test'), async (sql) => {
        await sql\`select 1\`; // a connection that is open when the run is killed
        console.log('began', folder, databasePrefix);
        await new Promise((resolve) => setTimeout(resolve, 600_000));
      });`;
    /** Each has temporary files of its own, as on different machines, so none finds the folder of another. */
    const beginRun = async () => {
      const temporary = await newFolder();
      const env = { TMPDIR: temporary, TILLHOUSE_TEST_FOLDER: temporary, DATABASE_URL: postgres.url };
      const command = [process.execPath, '--input-type=module', '--eval', begin] as const;
      const program = await Program.start([], { command, env });
      const [, folder = '', prefix = ''] = await program.said(/began (.*) (.*)\n/);
      return { program, folder, databases: [`${prefix}template`, `${prefix}test`] };
    };
    const databases = () =>
      postgres.ask(async (sql) => {
        const rows = await sql`select datname from pg_database where datname like 'tillhouse%' order by 1`.values();
        return rows.flat();
      });
    const kill = async ({ program }: { readonly program: Program }): Promise<void> => {
      program.signal('SIGKILL');
      await program.exited;
    };

    const [living, dead] = [await beginRun(), await beginRun()];
    const [cleanup] = (await alive(dead.folder)).filter(({ command }) => command.includes('after-run.mjs'));
    process.kill(cleanup?.pid ?? 0, 'SIGKILL');
    await kill(dead);
    expect(await databases()).toEqual([...living.databases, ...dead.databases].sort());

    const next = await beginRun();
    expect(await databases()).toEqual([...living.databases, ...next.databases].sort());
    await Promise.all([kill(living), kill(next)]);
    await until(async () => (await databases()).length === 0);
    await until(async () => (await alive(living.folder)).length + (await alive(next.folder)).length === 0);
  });

  it('leaves no disk behind that a test has mounted', async ({ skip }) => {
    const runFolder = join(await newFolder(), 'run');
    const disk = join(runFolder, 'disk');
    await mkdir(disk, { recursive: true });
    const mounted = await run([], { command: ['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk] });
    skip(mounted.code !== 0, `this account cannot mount a disk: ${mounted.stderr}`);

    await run([], { command: [process.execPath, AFTER_RUN, runFolder] });
    expect(await readdir(dirname(runFolder))).toEqual([]);
  });

  it('leaves no shared memory behind of a PostgreSQL that a test has killed', async () => {
    const runFolder = join(await newFolder(), 'run');
    await mkdir(runFolder);
    const server = await Server.start({ dataDir: await usedDataDir() });
    const pid = await postmasterPid(server.dataDir);
    // A System V segment, a file of the postmaster, and one that only its child processes use.
    let used: string[] = [];
    await until(async () => {
      used = await sharedMemoryOf(pid);
      return used.length === 3;
    });
    await server.crash();
    await signalWithNote(pid, 'SIGKILL', runFolder);
    await until(async () => (await processesIn(server.dataDir)).length === 0);
    expect(await present(used)).toEqual(used);

    await run([], { command: [process.execPath, AFTER_RUN, runFolder] });
    expect(await present(used)).toEqual([]);
    expect(await readdir(dirname(runFolder))).toEqual([]);
  });
});

/** Which of these files and System V segments exist. */
async function present(memory: readonly string[]): Promise<string[]> {
  const segments = (await readFile('/proc/sysvipc/shm', 'utf8')).split('\n').map((line) => line.trim().split(/ +/)[1]);
  const files = (await readdir('/dev/shm')).map((name) => join('/dev/shm', name));
  return memory.filter((one) => [...segments, ...files].includes(one));
}
