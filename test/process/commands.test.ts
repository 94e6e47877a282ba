/** The other commands of the command line, next to a live server and without one. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../support/built.js';
import { runHere } from '../support/commands.js';
import { ensureDefined } from '../support/people.js';
import {
  environment,
  expectOneLine,
  migratedDataDir,
  newFolder,
  postmasterPid,
  processesIn,
  type Result,
  type RunningServer,
  readDemo,
  run,
  Server,
  until,
  usedDataDir,
} from '../support/process.js';
import { ServerHere } from '../support/server-here.js';

/** Runs a command that must succeed without errors; returns its output. */
async function succeed(dataDir: string, ...args: string[]): Promise<string> {
  return outputOf(await runHere([...args, '--data-dir', dataDir]), args);
}

/** The same in a separate process. One command for each way to reach the data is enough, because all commands end in the same way. */
async function succeedAlone(dataDir: string, ...args: string[]): Promise<string> {
  return outputOf(await run([...args, '--data-dir', dataDir]), args);
}

function outputOf({ code, stdout, stderr }: Result, args: readonly string[]): string {
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd();
}

async function refuse(dataDir: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere([...args, '--data-dir', dataDir]);
  expect({ code, stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' });
  expectOneLine(stderr);
  return stderr;
}

function tokenStatus(server: RunningServer, token: string, path = '/v2/employees'): Promise<number> {
  return server.call('GET', path, { token }).then(({ status }) => status);
}

describe('next to a live server', () => {
  let server: ServerHere;
  let postmaster: number;

  beforeAll(async () => {
    server = await ServerHere.start();
    postmaster = await postmasterPid(server.dataDir);
  });
  afterAll(async () => {
    // Every command used the server's PostgreSQL, and none of them stopped it.
    expect(await postmasterPid(server.dataDir)).toBe(postmaster);
    await server.stop();
  });

  it('token create creates a token with all permissions for the demo merchant', async () => {
    const token = await succeedAlone(server.dataDir, 'token', 'create');
    expect(token).toMatch(/^EAAA\S+$/);
    expect(await tokenStatus(server, token)).toBe(200);
    expect(await tokenStatus(server, token, '/v1/me/locations')).toBe(200);
  });

  it('token create uses the given permissions, merchant and lifetime', async () => {
    const few = await succeed(server.dataDir, 'token', 'create', '--permissions', 'EMPLOYEES_READ,EMPLOYEES_WRITE');
    expect(await tokenStatus(server, few)).toBe(200);
    expect(await tokenStatus(server, few, '/v2/locations')).toBe(403);

    const { operator_key } = await server.demo();
    const made = await server.call('POST', '/api/sandbox/merchants', { token: operator_key });
    const other = await succeed(server.dataDir, 'token', 'create', '--merchant', made.body.merchant.id);
    const { body } = await server.call('GET', '/v2/merchants/me', { token: other });
    expect(body.merchant.id).toBe(made.body.merchant.id);

    const brief = await succeed(server.dataDir, 'token', 'create', '--expires-in', 'PT0S');
    expect(await tokenStatus(server, brief)).toBe(401);
  });

  it('token list shows each token by its id, state and label, and never the token itself', async () => {
    const valid = await succeed(server.dataDir, 'token', 'create', '--label', 'for the list');
    await succeed(server.dataDir, 'token', 'create', '--label', 'for a moment', '--expires-in', 'PT0S');
    const list = await succeed(server.dataDir, 'token', 'list');
    expect(list).toMatch(/^[0-9a-f]{16} +valid +\d{4}-\d\d-\d\dT\S+Z +never expires +all permissions +for the list$/m);
    expect(list).toMatch(/^[0-9a-f]{16} +expired .* for a moment$/m);
    expect(list).toMatch(/^[0-9a-f]{16} +valid .* demo$/m);
    expect(list).not.toContain(valid);
    expect(list).not.toContain((await server.demo()).access_token);
  });

  it('token revoke accepts the token or its id, and the server soon refuses the token', async () => {
    const byItself = await succeed(server.dataDir, 'token', 'create', '--label', 'by itself');
    const byId = await succeed(server.dataDir, 'token', 'create', '--label', 'by id');
    expect([await tokenStatus(server, byItself), await tokenStatus(server, byId)]).toEqual([200, 200]);

    expect(await succeed(server.dataDir, 'token', 'revoke', byItself)).toBe('Revoked.');
    const [, id = ''] = /^([0-9a-f]{16}) .* by id$/m.exec(await succeed(server.dataDir, 'token', 'list')) ?? [];
    expect(await succeed(server.dataDir, 'token', 'revoke', id)).toBe('Revoked.');

    for (const token of [byItself, byId]) await until(async () => (await tokenStatus(server, token)) === 401);
    const { body } = await server.call('GET', '/v2/employees', { token: byId });
    expect(body.errors[0].code).toBe('ACCESS_TOKEN_REVOKED');
    expect(await succeed(server.dataDir, 'token', 'list')).toMatch(/ revoked .* by id$/m);
  });

  it('token refuses unknown tokens and merchants', async () => {
    const { dataDir } = server;
    expect(await refuse(dataDir, 'token', 'revoke', 'EAAAnever')).toContain('no such token');
    expect(await refuse(dataDir, 'token', 'revoke')).toContain('The token is missing');
    expect(await refuse(dataDir, 'token', 'create', '--merchant', 'MNOBODY')).toContain('no merchant MNOBODY');
    expect(await refuse(dataDir, 'token', 'create', '--permissions', 'FLY')).toContain('FLY');
    expect(await refuse(dataDir, 'token', 'create', '--expires-in', 'soon')).toContain('--expires-in');
  });

  it('merchant create creates a merchant that works immediately, and merchant approve lets it manage employees', async () => {
    const { dataDir } = server;
    const flags = ['--name', "O'Hara & Sons", '--owner-email', 'ohara@example.com', '--country', 'IE'];
    const place = ['--currency', 'EUR', '--timezone', 'Europe/Dublin'];
    const printed = await succeed(dataDir, 'merchant', 'create', ...flags, ...place);
    const made = JSON.parse(printed);
    expect(made).toEqual({
      merchant_id: expect.stringMatching(/^M/),
      location_ids: [expect.stringMatching(/^L/)],
      access_token: expect.stringMatching(/^EAAA/),
      dashboard: { email: 'ohara@example.com', password: expect.any(String) },
    });
    const { body } = await server.call('GET', '/v2/locations', { token: made.access_token });
    expect(body.locations).toMatchObject([
      { id: made.location_ids[0], business_name: "O'Hara & Sons", currency: 'EUR', timezone: 'Europe/Dublin' },
    ]);
    expect((await server.call('POST', '/api/dashboard/session', { body: made.dashboard })).status).toBe(200);

    const staff = () => tokenStatus(server, made.access_token, '/v1/me/employees');
    expect(await staff()).toBe(403);
    expect(await succeed(dataDir, 'merchant', 'approve', made.merchant_id)).toContain('Approved');
    await until(async () => (await staff()) === 200);
    expect(await succeed(dataDir, 'merchant', 'approve', made.merchant_id, '--approved', 'no')).toContain('removed');
    await until(async () => (await staff()) === 403);
  });

  it('merchant refuses wrong options, and an owner who already exists', async () => {
    const { dataDir } = server;
    const create = ['merchant', 'create', '--name', 'X', '--owner-email', 'x@example.com'];
    expect(await refuse(dataDir, 'merchant', 'create', '--owner-email', 'x@example.com')).toContain('--name');
    expect(await refuse(dataDir, 'merchant', 'create', '--name', 'X')).toContain('--owner-email');
    expect(await refuse(dataDir, ...create, '--timezone', 'Mars/North')).toContain('Mars/North');
    expect(await refuse(dataDir, ...create, '--country', 'us')).toContain('--country');
    expect(await refuse(dataDir, ...create, '--currency', 'dollar')).toContain('--currency');
    expect(await refuse(dataDir, 'merchant', 'approve', 'MNOBODY')).toContain('MNOBODY');
    const { email } = (await server.demo()).dashboard;
    const { code, stderr } = await runHere([...create, '--owner-email', email, '--data-dir', dataDir]);
    expect(code).toBe(1);
    expectOneLine(stderr);
    expect(stderr).toContain('already exists');
  });

  it('app create creates an application that works immediately, and shows its secret once', async () => {
    const { dataDir } = server;
    const { merchant_id, operator_key } = await server.demo();
    const urls = ['https://app.example/callback', 'http://localhost:3000/'];
    const flags = ['--name', 'Till Bot', '--redirect-urls', urls.join(' ')];
    const made = JSON.parse(await succeed(dataDir, 'app', 'create', ...flags));
    expect(made).toEqual({
      application_id: expect.stringMatching(/^sandbox-sq0idb-[\w-]{22}$/),
      client_type: 'CONFIDENTIAL',
      application_secret: expect.stringMatching(/^sandbox-sq0csb-[\w-]{43}$/),
      redirect_urls: urls,
    });
    const { application_id, application_secret } = made;
    const granted = await server.call('POST', `/api/sandbox/merchants/${merchant_id}/authorizations`, {
      token: operator_key,
      body: { application_id },
    });
    const { status } = await server.call('POST', '/oauth2/token', {
      body: {
        client_id: application_id,
        client_secret: application_secret,
        grant_type: 'refresh_token',
        refresh_token: granted.body.refresh_token,
      },
    });
    expect(status).toBe(200);
    expect(await succeed(dataDir, 'token', 'list')).toMatch(/ valid .* oauth$/m);
    await server.call('POST', '/oauth2/revoke', {
      headers: { authorization: `Client ${application_secret}` },
      body: { client_id: application_id, merchant_id },
    });
    const list = await succeed(dataDir, 'token', 'list');
    expect([/ revoked .* oauth$/m.test(list), / valid .* oauth$/m.test(list)]).toEqual([true, false]);

    const owned = ['app', 'create', ...flags, '--merchant', merchant_id];
    expect(JSON.parse(await succeed(dataDir, ...owned)).application_id).toMatch(/^sandbox-sq0idb-[\w-]{22}$/);
    expect(await refuse(dataDir, ...owned, '--mode', 'production')).toContain('belongs to a sandbox server');
  });

  it('app create creates a public application without a secret', async () => {
    const flags = ['--name', 'Pocket Till', '--redirect-urls', 'com.example.app:/callback', '--type', 'public'];
    expect(JSON.parse(await succeed(server.dataDir, 'app', 'create', ...flags))).toEqual({
      application_id: expect.stringMatching(/^sandbox-sq0idb-[\w-]{22}$/),
      client_type: 'PUBLIC',
      redirect_urls: ['com.example.app:/callback'],
    });
  });

  it('adjustment create adjusts what a merchant is owed, once for each key', async () => {
    const { dataDir } = server;
    const { merchant_id, location_ids } = await server.demo();
    const flags = ['adjustment', 'create', '--merchant', merchant_id, '--reason', 'Goodwill', '--key', 'ticket 7'];
    const made = JSON.parse(await succeed(dataDir, ...flags, '--amount', '500'));
    expect(made.adjustment).toMatchObject({ location_id: location_ids[0], amount_money: { amount: 500 } });
    expect(JSON.parse(await succeed(dataDir, ...flags, '--amount', '500'))).toEqual(made);
    const other = await runHere([...flags, '--amount=-500', '--data-dir', dataDir]);
    expect([other.code, other.stdout]).toEqual([1, '']);
    expectOneLine(other.stderr);
    const taken = [...flags.slice(0, -1), 'ticket 8', '--amount=-500', '--location', ensureDefined(location_ids[1])];
    expect(JSON.parse(await succeed(dataDir, ...taken)).adjustment.amount_money.amount).toBe(-500);
    for (const amount of ['0', '10000001', '5.5', 'much']) {
      const { code, stderr } = await runHere([...flags, `--amount=${amount}`, '--data-dir', dataDir]);
      expect(code, amount).toBeGreaterThan(0);
      expectOneLine(stderr);
    }
    expect(await refuse(dataDir, ...flags.slice(0, -2), '--amount', '5')).toContain('--key');
    expect(await refuse(dataDir, 'adjustment', 'create', '--merchant', 'MNOBODY')).toContain('MNOBODY');
  });

  it('app refuses wrong options', async () => {
    const { dataDir } = server;
    const urls = ['--redirect-urls', 'https://app.example/'];
    expect(await refuse(dataDir, 'app', 'create', ...urls)).toContain('--name');
    expect(await refuse(dataDir, 'app', 'create', '--name', 'X')).toContain('--redirect-urls');
    const plain = ['app', 'create', '--name', 'X', '--redirect-urls', 'http://app.example/'];
    expect(await refuse(dataDir, ...plain)).toContain('--redirect-urls');
    expect(await refuse(dataDir, 'app', 'create', '--name', 'X', ...urls, '--merchant', 'MNOBODY')).toContain(
      'MNOBODY',
    );
    expect(await refuse(dataDir, 'app', 'destroy')).toContain('create');
  });

  it('migrate finds nothing to do', async () => {
    expect(await succeed(server.dataDir, 'migrate')).toBe('The schema is up to date.');
  });

  it('status shows people, scripts and programs how to reach the server, with exit code 0', async () => {
    const { dataDir, baseUrl } = server;
    const demo = await server.demo();
    const [first, ...lastRuns] = (await succeedAlone(dataDir, 'status')).split('\n');
    expect(first).toBe(`Tillhouse runs at ${baseUrl} (process ${process.pid}, data in ${dataDir}).`);
    expect(lastRuns).toHaveLength(3);
    expect(JSON.parse(await succeed(dataDir, 'status', '-o', 'json'))).toEqual({
      running: true,
      base_url: baseUrl,
      pid: process.pid,
      mode: 'sandbox',
      data_dir: dataDir,
      merchant_id: demo.merchant_id,
      location_ids: demo.location_ids,
      access_token: demo.access_token,
      operator_key: demo.operator_key,
      publishable_key: demo.publishable_key,
      last_runs: expect.any(Array),
    });
  });
});

describe('without a server', () => {
  it('token create works on the data folder alone, leaves no process behind, and the next server accepts the token', async () => {
    const dataDir = await usedDataDir();
    const token = await succeedAlone(dataDir, 'token', 'create');
    expect(await processesIn(dataDir)).toEqual([]);
    const server = await ServerHere.start({ dataDir });
    expect(await tokenStatus(server, token)).toBe(200);
    await server.stop();
  });

  it.each([['check'], ['token', 'list'], ['app', 'create', '--name', 'App']])(
    '%s %s refuses a folder without a database, and creates none',
    async (...args) => {
      const folder = await newFolder();
      expect(await refuse(join(folder, 'data'), ...args)).toContain(`no database in ${join(folder, 'data')}`);
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it('migrate creates the database, and the first server on it still creates the demo', async () => {
    const dataDir = await migratedDataDir();
    expect(await refuse(dataDir, 'token', 'list')).toContain('no demo merchant');
    const server = await ServerHere.start({ dataDir });
    expect(await tokenStatus(server, (await server.demo()).access_token)).toBe(200);
    await server.stop();
  });

  it('merchant create and approve add merchants to a production server (decision 0050)', async () => {
    const dataDir = await migratedDataDir(); // the demo never exists in production (decision 0104)
    const made = JSON.parse(
      await succeed(dataDir, 'merchant', 'create', '--name', 'Real', '--owner-email', 'r@example.com'),
    );
    await succeed(dataDir, 'merchant', 'approve', made.merchant_id);
    const server = await ServerHere.start({ dataDir, args: ['--mode', 'production', '--processor', 'simulator'] });
    expect(await tokenStatus(server, made.access_token, '/v1/me/employees')).toBe(200);
    const signedIn = await server.call('POST', '/api/dashboard/session', { body: made.dashboard });
    expect(signedIn.status).toBe(200);
    expect(String(signedIn.headers['set-cookie'])).toContain('; Secure');
    await server.stop();
  });
});

describe('tillhouse status', () => {
  it.each(['text', 'env', 'json'])(
    'as %s reports that no server runs, with exit code 3, and creates nothing',
    async (form) => {
      const folder = await newFolder();
      const dataDir = join(folder, 'data');
      const { code, stdout, stderr } = await runHere(['status', '-o', form, '--data-dir', dataDir]);
      expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
      expect(stdout.trimEnd()).toBe(
        {
          text: `No Tillhouse server runs on ${dataDir}. Start one with npm start, or use --data-dir to name the folder of another.`,
          env: `TILLHOUSE_RUNNING='false'\nTILLHOUSE_DATA_DIR='${dataDir}'`,
          json: JSON.stringify({ running: false, data_dir: dataDir }, null, 2),
        }[form],
      );
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it('as env can be evaluated by a shell, whatever characters the folder name has', async () => {
    const dataDir = await usedDataDir("it's $HOME; `date`");
    const server = await ServerHere.start({ dataDir });
    const main = join(await buildProgram(), 'dist/main.js');
    const script =
      'eval "$("$0" "$1" status -o env --data-dir "$2")" && printf "%s\\n" "$TILLHOUSE_RUNNING" "$TILLHOUSE_BASE_URL" ' +
      '"$TILLHOUSE_DATA_DIR" "$TILLHOUSE_ACCESS_TOKEN" "$TILLHOUSE_LOCATION_IDS"';
    const { stdout } = await promisify(execFile)('sh', ['-c', script, process.execPath, main, dataDir], {
      env: environment(),
    });
    const { access_token, location_ids } = await server.demo();
    expect(stdout.split('\n')).toEqual(['true', server.baseUrl, dataDir, access_token, location_ids.join(','), '']);
    await server.stop();
  });

  it('ignores the files of a killed server', async () => {
    const dataDir = await usedDataDir();
    const killed = await Server.start({ dataDir });
    await killed.crash();
    expect(await readdir(dataDir)).toContain('server.json');
    const { code, stdout } = await run(['status', '-o', 'json', '--data-dir', dataDir]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toEqual({ running: false, data_dir: dataDir });
    const next = await ServerHere.start({ dataDir });
    expect(JSON.parse(await succeed(dataDir, 'status', '-o', 'json'))).toMatchObject({ pid: process.pid });
    await next.stop();
  });

  it('finds a server behind a public URL, and shows no demo secrets of one that has the demo off', async () => {
    const dataDir = await usedDataDir();
    const args = ['--demo', 'off', '--public-url', 'http://pos.example'];
    const server = await ServerHere.start({ dataDir, args });
    expect(JSON.parse(await succeed(dataDir, 'status', '-o', 'json'))).toEqual({
      running: true,
      base_url: 'http://pos.example',
      pid: process.pid,
      mode: 'sandbox',
      data_dir: dataDir,
      last_runs: [],
    });
    expect(await readDemo(dataDir)).toHaveProperty('operator_key');
    await server.stop();
  });
});
