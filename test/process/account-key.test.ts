/** The account key (decisions 0062 and 0209): where it is, that a wrong one is refused, and how it is replaced. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IGNORE_FILE } from '../../src/base/data-folder.js';
import { runHere } from '../support/commands.js';
import { createOwner } from '../support/dashboard.js';
import { ensureDefined, hire, PASSCODE, pairDevice } from '../support/people.js';
import { migratedDataDir, newFolder, type RunningServer, run } from '../support/process.js';
import { RollingServers } from '../support/rolling-servers.js';
import { ACCOUNT_KEY, cloneDatabase, startTestServer, type TestDatabase, type TestServer } from '../support/server.js';
import { ServerHere } from '../support/server-here.js';

const ACCOUNT = {
  bank_name: 'First Bank',
  name: 'Ana Ruiz',
  routing_number: '021000021',
  account_number: '000123456789',
  type: 'CHECKING',
};

async function linkStatus(server: RunningServer): Promise<number> {
  const { dashboard } = await server.demo();
  const { headers } = await server.call('POST', '/api/dashboard/session', { body: dashboard });
  const cookie = String(headers['set-cookie']).split(';', 1)[0] ?? '';
  return (await server.call('POST', '/api/dashboard/bank-accounts', { headers: { cookie }, body: ACCOUNT })).status;
}

describe('the key of account numbers', () => {
  it('is in a file that only its owner may read, and an account is recognized after a restart', async () => {
    const server = await ServerHere.start(); // on the folder that a first start has left
    const { dataDir } = server;
    const path = join(dataDir, 'account-key');
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
    const key = await readFile(path, 'utf8');
    expect(key).toMatch(/^ack_[\w-]{44}\n$/);
    expect(await linkStatus(server)).toBe(200);
    await server.stop();

    const next = await ServerHere.start({ dataDir });
    expect(await readFile(path, 'utf8')).toBe(key);
    expect(await linkStatus(next)).toBe(409);
    await next.stop();
  });

  it('comes from TILLHOUSE_ACCOUNT_KEY if that is set, and then is in no file', async () => {
    const env = { TILLHOUSE_ACCOUNT_KEY: 'the-key-of-this-test' };
    const server = await ServerHere.start({ dataDir: await migratedDataDir(), env });
    expect(await readdir(server.dataDir)).not.toContain('account-key');
    expect(await linkStatus(server)).toBe(200);
    await server.stop();
    const next = await ServerHere.start({ dataDir: server.dataDir, env });
    expect(await linkStatus(next)).toBe(409);
    await next.stop();
  });

  it('is the same for servers that start together on one folder', async () => {
    const [database, folder] = [await cloneDatabase(), await newFolder()];
    const config = { dataDir: folder, accountKey: undefined };
    const servers = await Promise.all([1, 2, 3].map(() => startTestServer({ databaseUrl: database.url, config })));
    const owner = await createOwner(ensureDefined(servers[0]));
    const statuses: number[] = [];
    for (const server of servers) {
      const headers = { cookie: owner.cookie };
      statuses.push((await server.call('POST', '/api/dashboard/bank-accounts', { headers, body: ACCOUNT })).status);
    }
    expect(statuses).toEqual([200, 409, 409]);
    for (const server of servers) await server.stop();
    await database.drop();
  });
});

describe('another account key, or none', () => {
  const [ID, WRONG_ID] = [
    expect.stringMatching(/belongs to the account key [0-9a-f]{12}/),
    /has the account key ([0-9a-f]{12})/,
  ];
  let clone: TestDatabase;
  beforeEach(async () => {
    clone = await cloneDatabase();
    await (await startTestServer({ databaseUrl: clone.url })).stop();
  });
  afterEach(() => clone.drop());

  const start = (accountKey: string | undefined) => startTestServer({ databaseUrl: clone.url, config: { accountKey } });

  it('is refused by a start, with the fingerprints of both, and neither key', async () => {
    const program = async (env: Record<string, string>) => {
      const dataDir = await newFolder();
      const done = await run(['serve', '--port', '0', '--data-dir', dataDir, '--database-url', clone.url], { env });
      expect([done.code, done.stdout, await readdir(dataDir)]).toEqual([2, '', [IGNORE_FILE]]); // no new key file, which would be wrong too
      expect(done.stderr).toEqual(ID);
      expect(done.stderr.trim().split('\n')).toHaveLength(1);
      return { ...done, dataDir };
    };
    const wrong = await program({ TILLHOUSE_ACCOUNT_KEY: 'another-key-of-this-test' });
    expect(wrong.stderr).toMatch(WRONG_ID);
    expect(wrong.stderr).toContain('tillhouse: TILLHOUSE_ACCOUNT_KEY has the account key');
    expect(wrong.stderr).not.toContain('another-key-of-this-test');
    expect(wrong.stderr).toContain('Give the key that its servers have had.');
    const none = await program({});
    expect(none.stderr).toContain(
      `TILLHOUSE_ACCOUNT_KEY is not set, and there is no ${join(none.dataDir, 'account-key')}`,
    );
    expect(none.stderr).toContain('Set the variable to that key, or bring the file back from a backup.');
  });

  it('is refused by commands that hash, and shown by secrets status', async () => {
    const env = { TILLHOUSE_ACCOUNT_KEY: 'another-key-of-this-test' };
    const command = (...args: string[]) => runHere([...args, '--database-url', clone.url], { env });
    const seeding = await command('seed', '--days', '1', '--payments-per-day', '1');
    expect([seeding.code, seeding.stderr]).toEqual([2, ID]);
    const rotating = await command('secrets', 'rotate');
    expect([rotating.code, rotating.stderr]).toEqual([2, ID]);
    const { code, stdout } = await command('secrets', 'status', '-o', 'json');
    expect([code, JSON.parse(stdout).keys]).toMatchObject([
      1,
      [
        { secrets: 1, given: 'no' },
        { secrets: 0, given: 'first' },
      ],
    ]);
  });

  it('is replaced in the file of a data folder', async () => {
    const used = await ServerHere.start();
    expect(await linkStatus(used)).toBe(200);
    await used.stop();
    const path = join(used.dataDir, 'account-key');
    const old = await readFile(path, 'utf8');
    await writeFile(path, `the-new-key\n${old}`);
    const { code, stdout } = await runHere(['secrets', 'rotate', '--data-dir', used.dataDir]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^This database now belongs to the account key [0-9a-f]{12}\.\n$/),
    ]);
    await writeFile(path, 'the-new-key\n');
    const next = await ServerHere.start({ dataDir: used.dataDir });
    expect(await linkStatus(next)).toBe(409);
    await next.stop();
    await writeFile(path, old);
    await expect(ServerHere.start({ dataDir: used.dataDir })).rejects.toThrow(`The file ${path} has the account key`);
  });

  it('hashes stay as they were in a database from before there was a fingerprint', async () => {
    const before = await start(ACCOUNT_KEY);
    const owner = await createOwner(before);
    await before.database.sql`delete from hash_key`;
    await expect(start(`new-key,${ACCOUNT_KEY}`)).rejects.toThrow(
      'Start once with the key alone that its servers have had.',
    );
    const after = await start(ACCOUNT_KEY);
    const [row] = await after.database.sql<{ keyId: string }[]>`select key_id from hash_key`;
    expect(row?.keyId).toMatch(/^[0-9a-f]{12}$/);
    await owner.call('GET', '/api/dashboard/bank-accounts');
    await after.stop();
    await before.stop();
  });

  it('are replaced beside two servers that hash all the time, and no request is refused', async () => {
    const [old, next] = [ACCOUNT_KEY, 'the-next-account-key'];
    const on = (accountKey: string) => ({ databaseUrl: clone.url, config: { accountKey } });
    const servers = await RollingServers.start(on(old));
    const owner = await createOwner(servers.first);
    const [employee, device] = [await hire(servers.first, owner), await pairDevice(servers.first, owner)];
    const link = { headers: { cookie: owner.cookie }, body: ACCOUNT };
    const sign = { token: device.token, body: { employee_id: employee.id, passcode: PASSCODE } };
    expect((await servers.first.call('POST', '/api/dashboard/bank-accounts', link)).status).toBe(200);
    const ask = async (at: TestServer): Promise<void> => {
      expect((await at.call('POST', '/api/dashboard/bank-accounts', link)).status).toBe(409);
      expect((await at.call('POST', '/api/register/session', sign)).status).toBe(200);
    };
    await servers.under(ask, async () => {
      await servers.replaceAll(on(`${next},${old}`));
      const env = { TILLHOUSE_ACCOUNT_KEY: `${next},${old}` };
      const command = (...args: string[]) => runHere([...args, '--database-url', clone.url], { env });
      for (const said of ['now belongs', 'already belonged']) {
        const { code, stdout } = await command('secrets', 'rotate');
        expect([code, stdout]).toEqual([0, expect.stringContaining(`${said} to the account key`)]);
      }
      const { stdout } = await command('audit', '--kind', 'ACCOUNT_KEY_REPLACED');
      expect(stdout.trim().split('\n')).toEqual([
        expect.stringMatching(/key_id=[0-9a-f]{12}.*former_key_id=[0-9a-f]{12}/),
      ]);
      await servers.replaceAll(on(next));
    });
    await expect(start(old)).rejects.toThrow('TILLHOUSE_ACCOUNT_KEY has the account key');
    await servers.stop();
  });
});
