/** Backups beside a running server, and what is restored from them (decision 0174). */
import { copyFile, mkdir, open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KEPT_FILES } from '../../src/backup/data-files.js';
import { IGNORE_FILE } from '../../src/base/data-folder.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { shareEmbedded } from '../../src/database/embedded/embedded.js';
import { runHere } from '../support/commands.js';
import { paymentBody } from '../support/payments.js';
import {
  expectNothingLeft,
  expectOneLine,
  newDataDir,
  newFolder,
  Program,
  type Result,
  type RunningServer,
  until,
} from '../support/process.js';
import { answer, Receiver } from '../support/receiver.js';
import { ServerHere } from '../support/server-here.js';

let server: ServerHere;
let receiver: Receiver;
let token: string;
/** Payments that were acknowledged before the backup began. */
const paid: string[] = [];
let file: string;
let made: Result;
/** Where the backup is restored. */
let restored: string;

async function pay(): Promise<string> {
  const { status, text, body } = await server.call('POST', '/v2/payments', { token, body: paymentBody() });
  if (status !== 200) throw new Error(text);
  return body.payment.id;
}

async function onDatabase<T>(dataDir: string, work: (database: Database) => Promise<T>): Promise<T> {
  const embedded = await shareEmbedded({ dataDir });
  const database = openDatabase(embedded.url, { maxConnections: 2, hasLongTimeouts: true, requireScram: true });
  try {
    return await work(database);
  } finally {
    await database.close();
    await embedded.stop();
  }
}

async function refuse(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(args);
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
  expectOneLine(stderr);
  return stderr;
}

beforeAll(async () => {
  [server, receiver] = [await ServerHere.start(), await Receiver.open()];
  receiver.answering = answer(503);
  ({ access_token: token } = await server.demo());
  const subscription = { name: 'Ours', event_types: ['payment.created'], notification_url: receiver.url };
  await server.call('POST', '/v2/webhooks/subscriptions', { token, body: { subscription } });
  paid.push(await pay());
  await receiver.until(1, 60_000);
  await until(async () => (await listDeliveries(server)).some(({ attempt_count }) => attempt_count === 1));

  file = join(await newFolder(), 'till.backup');
  let isOver = false;
  const keepPaying = async (): Promise<void> => {
    while (!isOver) await pay();
  };
  for (let count = 0; count < 20; count++) paid.push(await pay());
  const load = [keepPaying(), keepPaying(), keepPaying()];
  made = await runHere(['backup', file, '--data-dir', server.dataDir]);
  isOver = true;
  await Promise.all(load);
  restored = await newDataDir('restored');
});

afterAll(async () => {
  await receiver.close();
  await server.stop();
  await expectNothingLeft();
});

async function listDeliveries(from: RunningServer): Promise<{ state: string; attempt_count: number }[]> {
  const { merchant_id, operator_key } = await from.demo();
  const path = `/api/sandbox/merchants/${merchant_id}/webhook-deliveries?limit=200`;
  return (await from.call('GET', path, { token: operator_key })).body.deliveries;
}

it('is one file that only its owner can read', async () => {
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toMatch(/^Wrote \S+till\.backup: [\d.]+ [kM]B, \d+ records, in [\d.]+ s\.\n$/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(dirname(file))).toEqual(['till.backup']);
});

it('has every file of the data folder that a server needs', async () => {
  const ofThisMachine = [IGNORE_FILE, 'postgres', 'postgres-password', 'server.json'];
  const names = (await readdir(server.dataDir)).filter((name) => !ofThisMachine.includes(name));
  expect(names.filter((name) => !KEPT_FILES.includes(name))).toEqual([]);
  expect(names).toContain('account-key');
});

it('replaces no file, unless it is told to', async () => {
  expect(await refuse('backup', file, '--data-dir', server.dataDir)).toContain('--overwrite');
  expect(await refuse('backup', dirname(file), '--data-dir', server.dataDir)).toContain('not a file');
  expect(await refuse('backup', '--data-dir', server.dataDir)).toContain('The file is missing');
  const copy = join(await newFolder(), 'copy');
  await writeFile(copy, 'old');
  const env = { TILLHOUSE_ACCOUNT_KEY: 'the key that the server uses' };
  const { code, stdout } = await runHere(['backup', copy, '--overwrite', '--data-dir', server.dataDir], { env });
  expect(code).toBe(0);
  expect(stdout).toContain('does not contain the account key');
  expect((await readFile(copy)).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  expect((await stat(copy)).mode & 0o777).toBe(0o600);
});

it('leaves no file when it is interrupted', async () => {
  const folder = await newFolder();
  await onDatabase(server.dataDir, ({ transaction }) =>
    transaction(async (tx) => {
      await tx`lock table bank_accounts in access exclusive mode`; // the backup waits here
      const program = await Program.start(['backup', join(folder, 'till.backup'), '--data-dir', server.dataDir]);
      await until(async () => (await readdir(folder)).length > 0);
      program.signal('SIGTERM');
      expect((await program.exited).code).toBe(143);
    }),
  );
  expect(await readdir(folder)).toEqual([]);
});

it('is restored into a new folder with everything that was acknowledged before it began', async () => {
  const { code, stdout, stderr } = await runHere(['restore', file, '--data-dir', restored]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [, records] = /, (\d+) records/.exec(made.stdout) ?? [];
  expect(stdout).toMatch(
    new RegExp(`^Restored ${records} records from the backup of \\S+Z into ${restored}\\.\nVerify them: .+ check `),
  );
  expect((await readdir(restored)).sort()).toEqual([
    ...[IGNORE_FILE, 'account-key', 'demo.json', 'postgres', 'postgres-password'],
  ]);
  for (const name of ['account-key', 'demo.json']) {
    expect(await readFile(join(restored, name), 'utf8')).toBe(await readFile(join(server.dataDir, name), 'utf8'));
    expect((await stat(join(restored, name))).mode & 0o777).toBe(0o600);
  }
  await onDatabase(restored, async ({ sql }) => {
    const kept = await sql<{ paymentId: string }[]>`select payment_id from payments`;
    const ids = new Set(kept.map(({ paymentId }) => paymentId));
    expect(paid.filter((id) => !ids.has(id))).toEqual([]);
    await sql`update webhook_deliveries set run_at = now(), leased_until = null where run_at is not null`;
  });
  expect(await runHere(['check', '--data-dir', restored])).toMatchObject({ code: 0, stderr: '' });
});

it('serves again: tokens and passwords are valid, and webhooks that were due are delivered', async () => {
  receiver.received.length = 0;
  receiver.answering = answer(200);
  const second = await ServerHere.start({ dataDir: restored });
  try {
    expect((await second.demo()).access_token).toBe(token);
    const { status } = await second.call('GET', `/v2/payments/${paid[0]}`, { token });
    expect(status).toBe(200);
    const { dashboard } = await second.demo();
    const signedIn = await second.call('POST', '/api/dashboard/session', { body: dashboard });
    expect(signedIn.status).toBe(200);
    await until(() => receiver.received.some(({ body }) => body.data.id === paid[0]));
    await until(async () => (await listDeliveries(second)).every(({ state }) => state === 'DELIVERED'));
    expect(await refuse('restore', file, '--data-dir', restored)).toContain(`process ${process.pid}`);
  } finally {
    await second.stop();
  }
  expect(await refuse('restore', file, '--data-dir', restored)).toMatch(/is not empty.*--data-dir/);
});

it('is refused if it is damaged, incomplete, or another file, and nothing is created', async () => {
  const folder = await newFolder();
  const target = join(folder, 'data');
  const [damaged, cut, newer, older, foreign, text] = ['damaged', 'cut', 'newer', 'older', 'foreign.gz', 'text'].map(
    (name) => join(folder, name),
  ) as [string, string, string, string, string, string];
  const content = gunzipSync(await readFile(file));
  const changed = Buffer.from(content);
  const middle = content.length >> 1;
  changed[middle] = (changed[middle] ?? 0) ^ 1;
  await writeFile(damaged, gzipSync(changed));
  await copyFile(file, cut);
  await truncate(cut, (await stat(cut)).size - 20);
  await writeFile(newer, gzipSync(Buffer.from('Tillhouse backup 2\nfrom the future')));
  await writeFile(older, gzipSync(content.subarray(0, -5)));
  await writeFile(foreign, gzipSync('something else that is long enough'));
  await writeFile(text, 'plain text');
  const expected = [
    [damaged, 'is damaged or incomplete'],
    [cut, 'is damaged or incomplete'],
    [older, 'is damaged or incomplete'],
    [newer, 'newer version'],
    [foreign, 'is not a backup'],
    [text, 'is not a backup'],
    [join(folder, 'nothing'), 'nothing'],
    [folder, folder],
  ] as const;
  for (const [path, reason] of expected) {
    expect(await refuse('restore', path, '--data-dir', target)).toContain(reason);
  }
  await mkdir(target);
  const other = await open(join(target, 'notes'), 'w');
  await other.close();
  expect(await refuse('restore', file, '--data-dir', target)).toContain('is not empty');
  expect(await readdir(target)).toEqual(['notes']);
});
