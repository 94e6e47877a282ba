/** When backup, check and reconcile last ran: in metrics, and in `tillhouse status` (decision 0243). */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADAPTER_SECRET, AdapterProcess } from '../support/adapter.js';
import { runHere } from '../support/commands.js';
import { scrape } from '../support/metrics.js';
import { pay } from '../support/payments.js';
import { expectNothingLeft, newFolder, usedDataDir } from '../support/process.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { ServerHere } from '../support/server-here.js';

const RUN = 'tillhouse_last_run_timestamp_seconds';
const SUCCESS = 'tillhouse_last_success_timestamp_seconds';

let server: TestServer;
let folder: string;

beforeAll(async () => {
  server = await startTestServer({ config: { metrics: { host: '127.0.0.1', port: 0 } } });
  folder = await newFolder();
});
afterAll(async () => {
  await server.stop();
  await expectNothingLeft();
});

const command = (args: readonly string[], env = {}) =>
  runHere([...args, '--database-url', server.databaseUrl, '--data-dir', folder], { env });

/** How many seconds ago a run ended and succeeded; `never` without one. */
async function ages(kind: string) {
  const found = await scrape(server.metricsUrl);
  const age = (name: string) => {
    const at = found.value(`${name}{kind="${kind}"}`);
    return at === 0 ? 'never' : Math.round(Date.now() / 1000 - (at ?? Number.NaN));
  };
  return { run: age(RUN), success: age(SUCCESS) };
}

const JUST_NOW = expect.toSatisfy((age) => age >= 0 && age < 30, 'less than 30 seconds');
const setBack = (kind: string) => server.database.sql`
  update last_runs
  set ended_at = ended_at - interval '2 hours', succeeded_at = succeeded_at - interval '2 hours'
  where kind = ${kind}`;
const LONG_AGO = expect.toSatisfy((age) => age >= 7200 && age < 7300, 'two hours');

it('is never at the beginning', async () => {
  for (const kind of ['backup', 'check', 'reconcile']) {
    expect(await ages(kind)).toEqual({ run: 'never', success: 'never' });
  }
});

it('of a backup is stored only after the file is complete', async () => {
  expect(await command(['backup', join(folder, 'one.backup')])).toMatchObject({ code: 0, stderr: '' });
  expect(await ages('backup')).toEqual({ run: JUST_NOW, success: JUST_NOW });

  await setBack('BACKUP');
  expect((await command(['backup', join(folder, 'one.backup')])).code).toBe(2); // the file exists: no run
  expect(await ages('backup')).toEqual({ run: LONG_AGO, success: LONG_AGO });

  await server.database.sql.unsafe(
    "create function broken() returns trigger language plpgsql as $$ begin raise exception 'planted'; end $$; " +
      'create trigger planted before insert or update on last_runs for each row execute function broken()',
  );
  const unrecorded = await command(['backup', join(folder, 'two.backup')]);
  expect(unrecorded).toMatchObject({ code: 0, stdout: expect.stringContaining('Wrote') });
  expect(unrecorded.stderr).toContain('The backup is complete. Its time was not stored, because');
  expect(await ages('backup')).toEqual({ run: LONG_AGO, success: LONG_AGO });
  await server.database.sql.unsafe('drop trigger planted on last_runs; drop function broken');
});

it('of a check that finds something is failed, and keeps the time of the last success', async () => {
  expect(await command(['check'])).toMatchObject({ code: 0 });
  expect(await ages('check')).toEqual({ run: JUST_NOW, success: JUST_NOW });
  await setBack('CHECK');

  const shop = await server.createMerchant();
  const { id } = await pay(server, shop);
  await server.database.sql`update payments set updated_at = created_at - interval '1 day' where payment_id = ${id}`;
  expect(await command(['check'])).toMatchObject({ code: 1 });
  expect(await ages('check')).toEqual({ run: JUST_NOW, success: LONG_AGO });

  await server.database.sql`update payments set updated_at = created_at where payment_id = ${id}`;
  expect(await command(['check'])).toMatchObject({ code: 0 });
  expect(await ages('check')).toEqual({ run: JUST_NOW, success: JUST_NOW });
});

it('of a reconciliation counts if it compares all merchants and the day that is over', async () => {
  const adapter = await AdapterProcess.start();
  const env = { TILLHOUSE_PROCESSOR_SECRET: ADAPTER_SECRET };
  const flags = ['reconcile', '--processor', adapter.url];
  const { id } = await server.createMerchant();
  expect((await command([...flags, '--merchant', id], env)).code).toBe(0);
  expect((await command([...flags, '--date', '2026-01-01'], env)).code).toBe(0);
  expect(await ages('reconcile')).toEqual({ run: 'never', success: 'never' });

  expect(await command(flags, env)).toMatchObject({ code: 0, stderr: '' });
  expect(await ages('reconcile')).toEqual({ run: JUST_NOW, success: JUST_NOW });
  await setBack('RECONCILE');
  await adapter.stop();
  expect((await command(flags, env)).code).toBe(2);
  expect(await ages('reconcile')).toEqual({ run: JUST_NOW, success: LONG_AGO });
});

it('is shown by tillhouse status', async () => {
  const dataDir = await usedDataDir();
  const here = await ServerHere.start({ dataDir });
  const status = (...args: string[]) => runHere(['status', '--data-dir', dataDir, ...args]);
  expect((await status()).stdout.split('\n').slice(1)).toEqual([
    'Last backup: never.',
    'Last check: never.',
    'Last reconcile: never.',
    '',
  ]);
  await runHere(['check', '--data-dir', dataDir]);
  expect((await status()).stdout).toMatch(/^Last check: \S+Z, all \d+ laws hold\.$/m);
  expect(JSON.parse((await status('-o', 'json')).stdout).last_runs).toEqual([
    {
      kind: 'check',
      ended_at: expect.stringMatching(/Z$/),
      succeeded: true,
      succeeded_at: expect.stringMatching(/Z$/),
      found: expect.stringMatching(/^all \d+ laws hold$/),
    },
  ]);
  await here.stop();
});
