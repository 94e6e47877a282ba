/** The key of the hashes of account numbers (decision 0062): where it is stored, and that it stays the same. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createOwner } from '../support/dashboard.js';
import { ensureDefined } from '../support/people.js';
import { migratedDataDir, newFolder, type RunningServer } from '../support/process.js';
import { cloneDatabase, startTestServer } from '../support/server.js';
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
    // With another key the account is not recognized: the hash depends on the key.
    const other = await ServerHere.start({ dataDir: server.dataDir, env: { TILLHOUSE_ACCOUNT_KEY: 'another-key' } });
    expect(await linkStatus(other)).toBe(200);
    await other.stop();
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
