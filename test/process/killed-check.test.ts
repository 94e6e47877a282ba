/** A check that is killed has checked nothing: the next one starts where the last complete one ended (decision 0249). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runHere } from '../support/commands.js';
import { pay } from '../support/payments.js';
import { openBusiness } from '../support/people.js';
import { expectNothingLeft, Program } from '../support/process.js';
import { cash, item, sell } from '../support/register-sales.js';
import { isCluster, startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server.stop();
  await expectNothingLeft();
});

it.skipIf(isCluster)('leaves what it has read to the next one', async () => {
  const { sql } = server.database;
  const { register } = await openBusiness(server);
  await sell(register, { itemizations: [item(1000)], tenders: [cash()] });
  await pay(server, await server.createMerchant());
  const args = ['check', '--database-url', server.databaseUrl];
  expect((await runHere(args)).code).toBe(0);
  const progress = () => sql`select horizon, open_findings, fully_checked_at from check_progress`;
  const before = await progress();

  await sql`
    update sales
    set receipt = jsonb_set(receipt::jsonb, '{items,0,price}', '999')::json
    where kind = 'REGISTER'`;
  let killed: Program | undefined;
  await server.database.transaction(async (tx) => {
    // One of the last laws waits. The law of the receipts is the first one.
    await tx`lock table webhook_attempts in access exclusive mode`;
    killed = await Program.start([...args, '--jobs', '1']);
    while ((await waiting()) === 0) if (killed.hasExited) throw new Error(killed.stderr);
    killed.signal('SIGKILL');
    await killed.exited;
  });
  expect(await killed?.exited).toMatchObject({ signal: 'SIGKILL' });
  expect(await progress()).toEqual(before);

  const { code, stderr, stdout } = await runHere(args);
  expect([code, stderr, stdout]).toEqual([
    1,
    expect.stringMatching(/^the sums of a receipt match its items\n/),
    expect.stringContaining('were not read again'),
  ]);

  async function waiting(): Promise<number> {
    const [found] = await sql<{ count: number }[]>`
      select count(*) as count
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%webhook_attempts%'`;
    return found?.count ?? 0;
  }
});
