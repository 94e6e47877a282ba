/** The archive beside running servers: nobody waits, nothing is divided by a kill, and two commands do not disturb each other. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { pollUntil } from '../support/clock.js';
import { runHere } from '../support/commands.js';
import { walkV2 } from '../support/lists.js';
import { expectBooksInOrder, paymentBody } from '../support/payments.js';
import { expectNothingLeft, Program, run } from '../support/process.js';
import { ACCOUNT_KEY, isCluster, startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
let merchant: { readonly id: string; readonly token: string };
let before: string;
/** Nothing falls due for payments from before. */
const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString();

/** More than a year: hundreds of its payments are older than that. */
beforeAll(async () => {
  server = await startTestServer();
  if (isCluster) return;
  const flags = ['--days', '430', '--payments-per-day', '12', '--seed', '7', '-o', 'json'];
  const { stdout } = await runHere(['seed', ...flags, '--database-url', server.databaseUrl], {
    env: { TILLHOUSE_ACCOUNT_KEY: ACCOUNT_KEY },
  });
  const [{ merchant_id, access_token }] = JSON.parse(stdout).merchants;
  merchant = { id: merchant_id, token: access_token };
  before = new Date(Date.now() - 370 * 86_400_000).toISOString().slice(0, 10);
  const rolledUp = () => server.database.sql`select 1 from report_progress where merchant_id = ${merchant.id}`;
  expect((await pollUntil(rolledUp, ({ length }) => length > 0, 60_000)).length).toBeGreaterThan(0);
});
afterEach(expectNothingLeft);
afterAll(() => server.stop());

const command = (...more: string[]) => ['archive', '--before', before, '--database-url', server.databaseUrl, ...more];

async function countPayments(table: string): Promise<number> {
  const { sql } = server.database;
  const [found] = await sql<{ exists: boolean }[]>`select to_regclass(${table}) is not null as exists`;
  if (!found?.exists) return 0;
  const [row] = await sql<
    { count: number }[]
  >`select count(*) from only ${sql(table)} where merchant_id = ${merchant.id}`;
  return row?.count ?? 0;
}

/** Records that are not where their payment or their sale is. */
async function countDivided(): Promise<number> {
  const [row] = await server.database.sql<{ count: number }[]>`
    select (
      (select count(*) from only payments p join sales_archive s using (merchant_id, sale_id))
      + (select count(*) from payments_archive p join only sales s using (merchant_id, sale_id))
      + (select count(*) from only movements m join payments_archive p using (merchant_id, payment_id))
      + (select count(*) from movements_archive m join only payments p using (merchant_id, payment_id))
      + (select count(*) from refunds_archive r join only payments p using (merchant_id, payment_id))
      + (select count(*) from only orders o join sales_archive s using (merchant_id, sale_id))
    ) as count`;
  return row?.count ?? 0;
}

const listAll = async () => {
  const get = (path: string) => server.call('GET', path, { token: merchant.token });
  const parameters = { begin_time: '2020-01-01T00:00:00Z', end_time: monthAgo };
  // Cursors contain the time of the request.
  return (await walkV2({ get, path: '/v2/payments', parameters }))
    .map(({ body }) => JSON.stringify(body.payments))
    .join('\n');
};

it.skipIf(isCluster)(
  'a kill leaves each sale whole in one place, and the next run continues while clients pay and list',
  async () => {
    const listed = await listAll();
    const all = await countPayments('payments');
    const killed = await Program.start(command());
    await pollUntil(
      () => countPayments('payments_archive'),
      (count) => count > 0 || killed.hasExited,
      60_000,
    );
    killed.signal('SIGKILL');
    await killed.exited;
    const moved = await countPayments('payments_archive');
    expect(moved).toBeGreaterThan(0);
    expect(await countDivided()).toBe(0);
    expect((await countPayments('payments')) + moved).toBe(all);

    const stopping = new AbortController();
    const clients = [payOn(stopping.signal), payOn(stopping.signal), listOn(stopping.signal)];
    const both = await Promise.all([run(command('-o', 'json')), run(command('-o', 'json'))]);
    stopping.abort();
    const answers = (await Promise.all(clients)).flat();
    expect(answers.length).toBeGreaterThan(20);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(3_000);

    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const results = both.map(({ stdout }) => JSON.parse(stdout));
    expect(results.map((result) => result.moved).sort((one, other) => one - other)[0]).toBe(0);
    expect(results[0].stayed).toEqual(results[1].stayed);
    expect(await countPayments('payments_archive')).toBeGreaterThan(moved);
    expect(await countDivided()).toBe(0);
    expect(await listAll()).toBe(listed);
    await expectBooksInOrder(server);
  },
);

interface Answer {
  readonly status: number;
  readonly ms: number;
}

async function timed(work: () => Promise<{ readonly status: number }>): Promise<Answer> {
  const since = performance.now();
  const { status } = await work();
  await sleep(20);
  return { status, ms: performance.now() - since };
}

/** Pays and refunds, one request after the other. */
async function payOn(signal: AbortSignal): Promise<Answer[]> {
  const answers: Answer[] = [];
  const { token } = merchant;
  while (!signal.aborted) {
    let id = '';
    answers.push(
      await timed(async () => {
        const answer = await server.call('POST', '/v2/payments', { token, body: paymentBody() });
        id = answer.body.payment?.id;
        return answer;
      }),
    );
    const body = { idempotency_key: randomUUID(), payment_id: id, amount_money: { amount: 100, currency: 'USD' } };
    answers.push(await timed(() => server.call('POST', '/v2/refunds', { token, body })));
  }
  return answers;
}

async function listOn(signal: AbortSignal): Promise<Answer[]> {
  const answers: Answer[] = [];
  const path = '/v2/payments?begin_time=2020-01-01T00:00:00Z&sort_order=ASC';
  while (!signal.aborted) answers.push(await timed(() => server.call('GET', path, { token: merchant.token })));
  return answers;
}
