/** `tillhouse exec`: a program beside a sandbox of its own, as a process. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../support/built.js';
import { isInstalled } from '../support/installed.js';
import { newProject } from '../support/npx.js';
import {
  expectOneLine,
  migratedDataDir,
  newFolder,
  Program,
  processesIn,
  type Result,
  until,
} from '../support/process.js';

const NODE = [process.execPath, '-e'] as const;

/** Runs a program beside a sandbox on a prepared folder, and expects that nothing stays. */
async function exec(program: readonly string[], flags: readonly string[] = []): Promise<Result> {
  const { started, dataDir } = await start(program, flags);
  return finish(started, dataDir);
}

async function start(program: readonly string[], flags: readonly string[] = []) {
  const dataDir = await migratedDataDir();
  const started = await Program.start(['exec', '--data-dir', dataDir, ...flags, '--', ...program]);
  return { started, dataDir };
}

async function finish(program: Program, dataDir: string): Promise<Result> {
  const exit = await program.exited;
  expect(await processesIn(dataDir)).toEqual([]);
  return { ...exit, stdout: program.stdout, stderr: program.stderr };
}

describe('tillhouse exec', () => {
  it('runs the program with the address, the token and the ids, and returns its exit status and its output, and nothing else', async () => {
    const code = `
      const { TILLHOUSE_URL, TILLHOUSE_ACCESS_TOKEN, TILLHOUSE_OPERATOR_KEY, ...env } = process.env;
      const get = (path, token) => fetch(TILLHOUSE_URL + path, { headers: { authorization: 'Bearer ' + token } });
      const { locations } = await (await get('/v2/locations', TILLHOUSE_ACCESS_TOKEN)).json();
      const merchant = await get('/api/sandbox/merchants/' + env.TILLHOUSE_MERCHANT_ID, TILLHOUSE_OPERATOR_KEY);
      console.log(locations[0].id === env.TILLHOUSE_LOCATION_ID, merchant.status, process.argv.slice(1));
      console.error('oops');
      process.exitCode = 3;`;
    const result = await exec([process.execPath, '--input-type=module', '-e', code, '--', '--port', '-h']);
    expect(result).toEqual({ code: 3, signal: null, stdout: "true 200 [ '--port', '-h' ]\n", stderr: 'oops\n' });
  });

  it('refuses unknown fields with --strict, and names the nearest known one', async () => {
    const code = `
      const authorization = 'Bearer ' + process.env.TILLHOUSE_ACCESS_TOKEN;
      const url = process.env.TILLHOUSE_URL + '/v2/payments?sort_ordr=ASC';
      fetch(url, { headers: { authorization } }).then(async (answer) => console.log(answer.status, (await answer.json()).errors[0].detail));`;
    const said = 'has no parameter sort_ordr. Did you mean sort_order';
    expect((await exec([...NODE, code], ['--strict'])).stdout).toContain(`400 v2.listPayments ${said}`);
  });

  it('passes a signal on to the program, and returns what the program makes of it', async () => {
    const waiting = "process.on('SIGTERM', () => process.exit(5)); setInterval(() => {}, 1000); console.log('ready');";
    const { started, dataDir } = await start([...NODE, waiting]);
    await started.said(/ready/);
    started.signal('SIGTERM');
    expect(await finish(started, dataDir)).toMatchObject({ code: 5, stderr: '' });
  });

  it('returns 128 and the number of the signal that ended the program', async () => {
    expect(await exec([...NODE, "process.kill(process.pid, 'SIGKILL')"])).toMatchObject({ code: 137, stderr: '' });
  });

  it('does not start the program after a signal during the start', async () => {
    const dataDir = await migratedDataDir();
    const program = await Program.start(['exec', '--data-dir', dataDir, '--', ...NODE, "console.log('ran')"]);
    await until(async () => (await readdir(join(dataDir, 'postgres'))).includes('postmaster.pid'));
    program.signal('SIGTERM');
    expect(await finish(program, dataDir)).toEqual({ code: 143, signal: null, stdout: '', stderr: '' });
  });

  it('says why there is no program, with the exit status of a shell', async () => {
    const missing = await exec(['no-such-program']);
    expect(missing).toMatchObject({
      code: 127,
      stdout: '',
      stderr: 'tillhouse: no-such-program cannot be run: it was not found.\n',
    });
    const folder = await exec([await newFolder()]);
    expect(folder).toMatchObject({ code: 126, stdout: '' });
    expectOneLine(folder.stderr);
  });

  it('says why there is no server, and does not run the program', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const refused = await exec([...NODE, "console.log('ran')"], ['--port', String(port)]);
    other.close();
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expectOneLine(refused.stderr);
    expect(refused.stderr).toContain(`Port ${port}`);
    expect(await exec([], [])).toMatchObject({ code: 2, stderr: expect.stringContaining('The program is missing') });
  });

  it('ends with the npx that started it', async () => {
    const [project, dataDir] = [await newProject(), await migratedDataDir()];
    const npx = await Program.start(
      ['tillhouse', 'exec', '--data-dir', dataDir, '--', ...NODE, "setInterval(() => {}, 1000); console.log('ready')"],
      {
        command: ['npx', '--offline'],
        cwd: project,
        env: { npm_config_cache: join(project, 'npm-cache') },
      },
    );
    await npx.said(/ready/);
    npx.signal('SIGKILL');
    await until(async () => (await processesIn([dataDir, project])).length === 0);
    await npx.exited;
  });

  it.skipIf(!isInstalled('python3'))('runs the tests in Python that docs/ci.md shows', async () => {
    const folder = await newFolder();
    const guide = await readFile(join(repository, 'docs/ci.md'), 'utf8');
    const [, name = '', code = ''] = /Save this as `([\w.]+)`[^`]*```python\n([\s\S]*?)```/.exec(guide) ?? [];
    const [, command = ''] = /^npx tillhouse exec -- (python3 .*)$/m.exec(guide) ?? [];
    await writeFile(join(folder, name), code);
    const dataDir = await migratedDataDir();
    const program = await Program.start(['exec', '--data-dir', dataDir, '--', ...command.split(' ')], { cwd: folder });
    const { code: status, stderr } = await finish(program, dataDir);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(/Ran [1-9]\d* tests? in [\s\S]*\nOK\n$/),
    });
  });
});

describe('the PostgreSQL of tillhouse exec', () => {
  it('is in the cache folder if no folder is named', async () => {
    const cache = await newFolder();
    const program = await Program.start(['exec', '--', ...NODE, 'console.log(process.env.TILLHOUSE_DATA_DIR)'], {
      env: { XDG_CACHE_HOME: cache },
    });
    const { code } = await program.exited;
    expect(code, program.stderr).toBe(0);
    await until(async () => (await processesIn(cache)).length === 0); // others could use it for a second
    expect(program.stdout.startsWith(join(cache, 'tillhouse/testing'))).toBe(true);
  });
});
