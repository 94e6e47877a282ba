/** Starts of the test kit: in parallel, on an empty cache, after kills and crashes. No process may stay. */
import { execFile } from 'node:child_process';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { repository } from '../support/built.js';
import { KitProject } from '../support/kit-project.js';
import { isLong } from '../support/long.js';
import { type Program, postmasterPid, processesIn } from '../support/process.js';
import { signalWithNote } from '../support/shared-memory.mjs';

const execute = promisify(execFile);

/** For a busy machine. */
const TIME_LIMIT_MS = 240_000;
const TIMES = isLong ? 10 : 1;

/** As docs/testing.md says. The limit of a hook is for a busy machine. */
const TEST_FILE = `
  import { startTillhouse } from 'tillhouse/testing';
  import { afterAll, beforeAll, expect, test } from 'vitest';
  let tillhouse;
  beforeAll(async () => {
    tillhouse = await startTillhouse();
  }, ${TIME_LIMIT_MS});
  afterAll(() => tillhouse?.stop());
  test('the database is new', { timeout: ${TIME_LIMIT_MS} }, async () => {
    const list = async () => (await tillhouse.sandbox('GET', 'merchants')).merchants?.length ?? 0;
    expect(await list()).toBe(0);
    await tillhouse.createMerchant();
    expect(await list()).toBe(1);
  });`;

/** Starts a server, says so, and waits. */
const WAITING = `
  import { startTillhouse } from 'tillhouse/testing';
  const tillhouse = await startTillhouse();
  process.on('SIGTERM', async () => { await tillhouse.stop(); process.exit(0); });
  setInterval(() => {}, 1000);
  console.log('ready at ' + tillhouse.url);`;

async function startWaiting(project: KitProject): Promise<Program> {
  const program = await project.script(WAITING);
  await program.said(/ready at/);
  return program;
}

async function end(program: Program): Promise<void> {
  program.signal('SIGTERM');
  expect(await program.exited, program.stderr).toEqual({ code: 0, signal: null });
}

/** The keeper, or a process of PostgreSQL. */
async function pidOf(project: KitProject, word: string): Promise<number> {
  const found = (await processesIn(await project.shared())).find(({ command }) => command.includes(word));
  if (!found) throw new Error(`no ${word} runs`);
  return found.pid;
}

describe('test files that run in parallel', () => {
  it.each(Array.from({ length: TIMES }, (_, index) => index + 1))(
    'each get a database of their own on an empty cache: five files in four workers, and nothing stays (%i)',
    async () => {
      const names = [1, 2, 3, 4, 5].map((number) => `test/${number}.test.js`);
      const project = await KitProject.create(Object.fromEntries(names.map((name) => [name, TEST_FILE])));
      const result = await project.run([process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=4']);
      expect(result.code, result.stdout + result.stderr).toBe(0);
      expect(result.stdout).toMatch(/Tests.*5 passed/);
      await project.untilNothingRuns();
    },
    TIME_LIMIT_MS,
  );

  it(
    'share one PostgreSQL',
    async () => {
      const project = await KitProject.create();
      const [one, two] = await Promise.all([startWaiting(project), startWaiting(project)]);
      const shared = await project.shared();
      const pid = await postmasterPid(shared);
      await end(one);
      const third = await startWaiting(project);
      expect(await postmasterPid(shared)).toBe(pid);
      await Promise.all([end(two), end(third)]);
      await project.untilNothingRuns();
    },
    TIME_LIMIT_MS,
  );
});

describe('the shared PostgreSQL', () => {
  it(
    'ends after its last user, also if all of them are killed',
    async () => {
      const project = await KitProject.create();
      const programs = await Promise.all([startWaiting(project), startWaiting(project)]);
      for (const program of programs) program.signal('SIGKILL');
      await project.untilNothingRuns();
      await end(await startWaiting(project));
      await project.untilNothingRuns();
    },
    TIME_LIMIT_MS,
  );

  it(
    'is cleaned up by a later start if its keeper was killed',
    async () => {
      const project = await KitProject.create();
      const first = await startWaiting(project);
      const left = await postmasterPid(await project.shared());
      process.kill(await pidOf(project, 'keeper.js'), 'SIGKILL');
      first.signal('SIGKILL');
      await first.exited;
      const second = await startWaiting(project);
      expect(await postmasterPid(await project.shared())).not.toBe(left);
      await end(second);
      await project.untilNothingRuns();
    },
    TIME_LIMIT_MS,
  );

  it(
    'is created anew if the machine has crashed, or if its files are damaged',
    async () => {
      const project = await KitProject.create();
      await end(await startWaiting(project));
      await project.untilNothingRuns();
      const shared = await project.shared();
      const password = () => readFile(join(shared, 'postgres-password'), 'utf8');
      const [first, file] = [await password(), join(shared, 'in-use')];
      await expect(readFile(file)).rejects.toThrow('ENOENT'); // it has ended as it should

      await writeFile(file, 'of another boot');
      await end(await startWaiting(project));
      await project.untilNothingRuns();
      const second = await password();
      expect(second).not.toBe(first);

      await truncate(join(shared, 'postgres/global/pg_control'), 0);
      await end(await startWaiting(project));
      expect(await password()).not.toBe(second);
      await project.untilNothingRuns();
    },
    TIME_LIMIT_MS,
  );

  it(
    'continues with its users after one of its processes was killed',
    async () => {
      const project = await KitProject.create();
      const program = await project.script(`
        import { startTillhouse } from 'tillhouse/testing';
        const tillhouse = await startTillhouse();
        console.log('ready');
        const waiting = setInterval(() => {}, 1000);
        await new Promise((resolve) => process.once('SIGUSR2', resolve));
        clearInterval(waiting);
        for (;;) {
          const merchant = await tillhouse.createMerchant().catch((error) => console.log(error.message));
          if (merchant) break;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        await new Promise((resolve) => setTimeout(resolve, 3000)); // longer than a keeper waits for users
        await tillhouse.createMerchant();
        await tillhouse.stop();
        console.log('done');`);
      await program.said(/ready/);
      await signalWithNote(await pidOf(project, 'checkpointer'), 'SIGKILL');
      program.signal('SIGUSR2');
      await program.said(/done/);
      await program.exited;
      await project.untilNothingRuns();
    },
    TIME_LIMIT_MS,
  );

  it.skipIf(process.getuid?.() !== 0)(
    'is that of an ordinary user if one runs the tests',
    async () => {
      const project = await KitProject.create();
      await execute('chown', ['-hR', '65534', project.folder, project.cache]);
      const program = await project.script(WAITING, { uid: 65_534 });
      await program.said(/ready at/);
      const pid = await postmasterPid(await project.shared());
      expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\s65534\b/m);
      await end(program);
      await project.untilNothingRuns();
    },
    TIME_LIMIT_MS,
  );
});

describe('startTillhouse', () => {
  it(
    'can be stopped before it has started',
    async () => {
      const project = await KitProject.create();
      const program = await project.script(`
        import { startTillhouse } from 'tillhouse/testing';
        const starting = startTillhouse();
        await new Promise((resolve) => setTimeout(resolve, 500));
        await starting.stop();
        console.log(await starting.catch((error) => error.message));`);
      expect(await program.exited).toEqual({ code: 0, signal: null });
      expect(program.stdout).toBe('The server was stopped before it had started.\n');
      await project.untilNothingRuns();
    },
    TIME_LIMIT_MS,
  );

  it(
    'does not keep a process running that has forgotten to stop it',
    async () => {
      const project = await KitProject.create();
      const program = await project.script(`
        import { startTillhouse } from 'tillhouse/testing';
        const tillhouse = await startTillhouse();
        await tillhouse.createMerchant();`);
      expect(await program.exited, program.stderr).toEqual({ code: 0, signal: null });
      await project.untilNothingRuns();
    },
    TIME_LIMIT_MS,
  );

  it(
    'throws what is wrong, in words',
    async () => {
      const project = await KitProject.create();
      const program = await project.script(`
        import { startTillhouse } from 'tillhouse/testing';
        for (const options of [{ databaseUrl: 'postgres://x:y@127.0.0.1:1/z' }, { dataDir: '/dev/null/none' }, { prt: 1 }]) {
          console.log(await startTillhouse(options).catch((error) => error.message));
        }`);
      expect(await program.exited, program.stderr).toEqual({ code: 0, signal: null });
      const [unreachable, folder, option] = program.stdout.split('\n');
      expect(unreachable).toContain('127.0.0.1:1');
      expect(folder).toContain('/dev/null/none');
      expect(option).toContain("no option 'prt'. Did you mean 'port'");
    },
    TIME_LIMIT_MS,
  );
});

/** A file that the reader saves, or a command. */
const BLOCK = /(?:Save this as `([\w.-]+)`:\s*)?```(sh|js)\n([\s\S]*?)```/g;

describe('one server for all test files, as docs/testing.md says', () => {
  it.each([
    ['Vitest', /1 passed/],
    ['Jest', /1 passed/],
    ['node:test', /pass 1\b/],
  ])(
    'works with %s',
    async (runner, passed) => {
      const guide = await readFile(join(repository, 'docs/testing.md'), 'utf8');
      const [, section = ''] = guide.split(`### ${runner}\n`);
      const [text = ''] = section.split(/^##/m);
      const project = await KitProject.create();
      let command = '';
      for (const [, name, kind, code = ''] of text.matchAll(BLOCK)) {
        if (kind === 'sh') command = code;
        else if (name === undefined) throw new Error(`the guide does not say how to save ${code.slice(0, 60)}`);
        else await project.write({ [name]: code });
      }
      const result = await project.run(['sh', '-ec', command]);
      expect(result.code, result.stdout + result.stderr).toBe(0);
      expect(result.stdout + result.stderr).toMatch(passed);
      await project.untilNothingRuns();
    },
    TIME_LIMIT_MS,
  );
});
