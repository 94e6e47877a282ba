/** Backups that are encrypted to public keys (decision 0247), also with the program `age` of Debian. */
import { execFile } from 'node:child_process';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.js';
import { runHere } from '../support/commands.js';
import { ensurePrograms, findProgram } from '../support/debian-programs.js';
import { pay } from '../support/payments.js';
import { expectNothingLeft, newFolder } from '../support/process.js';
import { cloneDatabase, startTestServer, type TestServer } from '../support/server.js';

/** Pairs that age-keygen made. */
const OURS = {
  recipient: 'age1vsrtdjc7gxsq029thrlsvetfqlpf58xxr6zq3kzvtj4h5kk0u5as2p5uvh',
  identity: 'AGE-SECRET-KEY-1Y7LQ6UYE9U9YM070MY36EEPTFRZDUHES883EP57MAX42JQTPX9YSLCNP4G',
};
const THEIRS = {
  recipient: 'age15y59z0hcfhrcf9axdg85h5curkfsetwljg38muc0erjv02dfrqdqzrejnf',
  identity: 'AGE-SECRET-KEY-1XQ7KDG4ZK9ZL6R0R235YY9FCVTMN3AE8KP6LHN4JTR5HKYHWX7AQM9Q3C8',
};
const exec = promisify(execFile);

let server: TestServer;
let paymentId: string;

beforeAll(async () => {
  server = await startTestServer();
  ({ id: paymentId } = await pay(server, await server.createMerchant()));
});
afterEach(expectNothingLeft);
afterAll(() => server.stop());

async function backUp(env: NodeJS.ProcessEnv = {}, ...flags: string[]) {
  const folder = await newFolder();
  const file = join(folder, 'till.backup');
  const args = ['backup', file, '--database-url', server.databaseUrl, '--data-dir', folder, ...flags];
  return { folder, file, ...(await runHere(args, { env })) };
}

async function identityFile(folder: string, { identity }: typeof OURS): Promise<string> {
  const path = join(folder, 'key.txt');
  await writeFile(path, `# created: 2026-11-19T13:55:55Z\n${identity}\n`);
  return path;
}

async function restore(file: string, ...flags: string[]) {
  const target = await cloneDatabase({ empty: true });
  const { sql, close } = openDatabase(target.url, { maxConnections: 1 });
  try {
    const folder = join(await newFolder(), 'restored');
    const result = await runHere(['restore', file, '--database-url', target.url, '--data-dir', folder, ...flags]);
    const tables = await sql`select from pg_tables where tablename = 'payments'`;
    const payments = tables.length === 0 ? [] : await sql`select payment_id from payments`;
    return { ...result, isCreated: (await readdir(folder).catch(() => [])).length > 0, payments };
  } finally {
    await close();
    await target.drop();
  }
}

it('are readable only with the private key of one of the recipients', async () => {
  const { folder, file, ...made } = await backUp({}, '--recipient', `${THEIRS.recipient}, ${OURS.recipient}`);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const bytes = await readFile(file);
  expect(bytes.toString('latin1')).toMatch(/^age-encryption\.org\/v1\n(?:-> X25519 \S+\n\S+\n){2}--- /);
  expect(bytes.includes(paymentId)).toBe(false);
  expect(await restore(file, '--identity', await identityFile(folder, OURS))).toMatchObject({
    code: 0,
    payments: [{ paymentId }],
  });
});

it('are made by a timer whose environment has the public key', async () => {
  const { file } = await backUp({ TILLHOUSE_BACKUP_RECIPIENT: OURS.recipient });
  expect((await readFile(file)).subarray(0, 18).toString()).toBe('age-encryption.org');
});

it('restore nothing without the key, with another one, and after any damage', async () => {
  const { folder, file } = await backUp({}, '--recipient', OURS.recipient);
  const ours = await identityFile(folder, OURS);
  const theirs = await identityFile(await newFolder(), THEIRS);
  const refused = async (named: string, message: string, ...flags: string[]) => {
    const { stderr, ...rest } = await restore(named, ...flags);
    expect(rest).toMatchObject({ code: 2, stdout: '', isCreated: false, payments: [] });
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  };
  await refused(file, 'is encrypted. Name the file with the private key: --identity FILE');
  await refused(file, 'is encrypted for other keys than those of --identity', '--identity', theirs);
  await refused(file, 'cannot be read (ENOENT)', '--identity', join(folder, 'none'));
  await refused(file, 'is not a file of age-keygen', '--identity', file);
  const bytes = await readFile(file);
  const copy = join(folder, 'copy');
  for (const at of [40, 400, Math.floor(bytes.length / 2), bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await writeFile(copy, changed);
    await refused(copy, at === 40 ? 'encrypted for other keys' : 'is damaged or incomplete', '--identity', ours);
  }
  await writeFile(copy, bytes);
  await truncate(copy, bytes.length - 100);
  await refused(copy, 'is damaged or incomplete, so nothing was restored', '--identity', ours);
});

it('refuse what is not a public key, and do not repeat it', async () => {
  for (const text of ['age1wrong', OURS.identity]) {
    const { code, stderr } = await backUp({}, '--recipient', text);
    expect(code).toBe(2);
    expect(stderr).toContain('--recipient (TILLHOUSE_BACKUP_RECIPIENT) is not a public key of age');
    expect(stderr).not.toContain(text);
  }
});

describe.skipIf(!ensurePrograms(['age']))('with the program age', () => {
  const age = findProgram('age') ?? '';

  it('are decrypted by it', async () => {
    const { folder, file } = await backUp({}, '--recipient', OURS.recipient);
    const plain = join(folder, 'plain');
    await exec(age, ['--decrypt', '--identity', await identityFile(folder, OURS), '--output', plain, file]);
    const text = gunzipSync(await readFile(plain)).toString();
    expect(text).toMatch(/^Tillhouse backup 1\n/);
    expect(text).toContain(paymentId);
  });

  it('are restored from what it has encrypted', async () => {
    const { folder, file } = await backUp();
    const encrypted = join(folder, 'encrypted');
    await exec(age, ['-r', THEIRS.recipient, '-r', OURS.recipient, '--output', encrypted, file]);
    expect(await restore(encrypted, '--identity', await identityFile(folder, OURS))).toMatchObject({
      code: 0,
      payments: [{ paymentId }],
    });
  });
});
