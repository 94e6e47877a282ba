/** Every command that changes something leaves an event in the audit log, or has a reason why it does not need one (decision 0120). */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fullName } from '../../src/api/operation.js';
import { operations } from '../../src/operations.js';
import { runHere } from '../support/commands.js';
import { pay } from '../support/payments.js';
import { expectNothingLeft, newFolder } from '../support/process.js';
import { cloneDatabase, startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const READS = 'only reads';
const KEEPS_ITS_RUN = 'changes nothing but the time of its last run';

/** Commands of which nothing, or one action, is recorded here, and why. */
const WITHOUT_EVENT: Readonly<Record<string, string>> = {
  serve: 'records the mode, see test/api/server/production-mode.test.ts',
  migrate: 'schema_migrations has what was applied, and when',
  seed: 'creates sample businesses in a sandbox',
  audit: READS,
  'app list': READS,
  'token list': READS,
  'merchant list': READS,
  'merchant show': READS,
  'secrets status': READS,
  'buyer export': 'below, with its own event',
  listen: READS,
  get: 'sends a request, which leaves the events of its operation',
  post: 'as get',
  put: 'as get',
  delete: 'as get',
  open: READS,
  doctor: READS,
  'completion bash': READS,
  'completion zsh': READS,
  'completion fish': READS,
  exec: 'makes a sandbox of its own',
  stop: 'ends a process, and opens no database',
  logs: READS,
  status: READS,
  processor: 'charges test cards at an adapter, and opens no database',
  reconcile: KEEPS_ITS_RUN,
  'events list': READS,
  'events show': READS,
  'clock get': READS,
  'fault list': READS,
  'fault add': 'test/api/sandbox/operator-acts.test.ts: sandbox.addFault',
  'fault clear': 'test/api/sandbox/operator-acts.test.ts: sandbox.clearFaults',
  'stub list': READS,
  'stub add': 'test/api/sandbox/operator-acts.test.ts: sandbox.addStub',
  'stub remove': 'test/api/sandbox/operator-acts.test.ts: sandbox.removeStub',
  'stub reset': 'test/api/sandbox/operator-acts.test.ts: sandbox.resetStubs',
  'merchant export': READS,
  record: 'passes requests on, and opens no database',
  replay: 'sends the requests of a recording, as programs do',
  'merchant processor': 'test/process/merchant-processors.test.ts',
  archive: 'leaves SALES_ARCHIVED: test/api/archive/archive.test.ts',
};

/** Commands that call an operation of a running sandbox, which test/api/sandbox/operator-acts.test.ts walks. */
const CALLS: Readonly<Record<string, string>> = {
  'merchant snapshot': 'sandbox.takeSnapshot',
  'merchant reset': 'sandbox.resetMerchant',
  'merchant import': 'sandbox.importMerchant',
  'clock set': 'sandbox.changeClock',
  'clock advance': 'sandbox.changeClock',
  'clock freeze': 'sandbox.changeClock',
  'clock run': 'sandbox.changeClock',
  'events resend': 'sandbox.resendWebhookEvent',
};

let server: TestServer;
let shop: TestMerchant;
let folder: string;

beforeAll(async () => {
  server = await startTestServer();
  shop = await server.createMerchant({ owner: { email: 'owner@shop.example', password: 'a long enough password' } });
  folder = await newFolder();
});
afterAll(async () => {
  await server.stop();
  await expectNothingLeft();
});

async function listKinds(url = server.database): Promise<string[]> {
  const rows = await url.sql<{ kind: string }[]>`select kind from audit_events order by occurred_at, audit_event_id`;
  return rows.map(({ kind }) => kind);
}

const RECORDED: Readonly<
  Record<string, { readonly kind: string; args(): readonly string[] | Promise<readonly string[]> }>
> = {
  'merchant create': {
    kind: 'MERCHANT_CREATED',
    args: () => ['merchant', 'create', '--name', 'New', '--owner-email', 'new@shop.example'],
  },
  'merchant approve': { kind: 'MERCHANT_APPROVED', args: () => ['merchant', 'approve', shop.id] },
  'token create': { kind: 'TOKEN_CREATED', args: () => ['token', 'create', '--merchant', shop.id] },
  'token revoke': { kind: 'TOKEN_REVOKED', args: () => ['token', 'revoke', shop.token] },
  'app create': {
    kind: 'APPLICATION_REGISTERED',
    args: () => ['app', 'create', '--name', 'App', '--redirect-urls', 'https://app.example/'],
  },
  'owner reset-password': { kind: 'PASSWORD_RESET', args: () => ['owner', 'reset-password', 'owner@shop.example'] },
  'adjustment create': {
    kind: 'ADJUSTMENT_CREATED',
    args: () => ['adjustment', 'create', '--merchant', shop.id, '--amount', '5', '--reason', 'r', '--key', 'k'],
  },
  'buyer export': {
    kind: 'BUYER_EXPORTED',
    args: () => ['buyer', 'export', '--merchant', shop.id, '--email', 'b@example.com'],
  },
  'buyer erase': {
    kind: 'BUYER_ERASED',
    args: () => ['buyer', 'erase', '--merchant', shop.id, '--email', 'b@example.com'],
  },
  backup: { kind: 'BACKUP_MADE', args: () => ['backup', join(folder, 'till.backup')] },
};

it.each(Object.entries(RECORDED))('tillhouse %s', async (_, { kind, args }) => {
  const before = await listKinds();
  const { code, stderr } = await runHere([
    ...(await args()),
    ...['--database-url', server.databaseUrl, '--data-dir', folder],
  ]);
  expect(code, stderr).toBe(0);
  const after = await listKinds();
  expect(after.slice(before.length)).toContain(kind);
});

it('tillhouse merchant approve --approved no', async () => {
  await runHere(['merchant', 'approve', shop.id, '--approved', 'no', '--database-url', server.databaseUrl]);
  expect((await listKinds()).at(-1)).toBe('MERCHANT_APPROVAL_REMOVED');
});

it('tillhouse restore', async () => {
  const target = await cloneDatabase({ empty: true });
  const file = join(folder, 'restored.backup');
  await pay(server, await server.createMerchant());
  await runHere(['backup', file, '--database-url', server.databaseUrl, '--data-dir', folder]);
  const into = ['--database-url', target.url, '--data-dir', join(folder, 'restored')];
  expect(await runHere(['restore', file, ...into])).toMatchObject({ code: 0, stderr: '' });
  const { stdout } = await runHere(['audit', '--kind', 'BACKUP_RESTORED', ...into]);
  expect(stdout).toContain(`file=${file}`);
  await target.drop();
});

it('and no command is missing here', async () => {
  const { stdout } = await runHere(['help']);
  const commands = [...stdout.matchAll(/^ {2}(\w+) {2,}\S/gm)].map(([, name = '']) => name);
  expect(commands.length).toBeGreaterThan(20);
  const elsewhere = ['check', 'restore', 'trigger'];
  const known = { ...WITHOUT_EVENT, ...CALLS, ...RECORDED, 'secrets rotate': '' };
  const missing: string[] = [];
  for (const command of commands.filter((name) => !elsewhere.includes(name) && !(name in known))) {
    // The error of a missing action names all of them.
    const { stderr } = await runHere([command]);
    const [, list] = /The action must be one of ([\w, -]+)\./.exec(stderr) ?? [];
    const actions = list?.split(', ').map((action) => `${command} ${action}`) ?? [command];
    missing.push(...actions.filter((name) => !(name in known)));
  }
  expect(missing).toEqual([]);
  const names = operations.map(fullName);
  expect(Object.values(CALLS).filter((name) => !names.includes(name))).toEqual([]);
});
