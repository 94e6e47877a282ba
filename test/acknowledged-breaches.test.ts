/** `tillhouse check --acknowledge`: findings that somebody has explained (decision 0248). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runHere } from './support/commands.js';
import { pay } from './support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from './support/server.js';

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
  const { id: paymentId } = await pay(server, merchant);
  // A completed sale that nobody paid, as somebody might insert it by hand.
  for (const id of ['BY-HAND-1', 'BY-HAND-2']) {
    await server.database.sql`
      insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
      select merchant_id, ${id}, location_id, kind, state, created_at
      from sales
      where sale_id in (select sale_id from payments where payment_id = ${paymentId})`;
  }
});
afterAll(() => server.stop());

const check = (...args: string[]) => runHere(['check', '--database-url', server.databaseUrl, ...args]);

it('does not count what was acknowledged, until its values change', async () => {
  expect((await check()).stderr).toMatch(/BY-HAND-1: .+[\s\S]*BY-HAND-2: /);
  expect(await check('--acknowledge', 'BY-HAND-1', '--reason', 'a test of the cable')).toMatchObject({ code: 0 });
  const { code, stderr } = await check();
  expect([code, stderr]).toEqual([1, expect.not.stringContaining('BY-HAND-1')]);
  expect(stderr).toContain('BY-HAND-2');
  await check('--acknowledge', 'BY-HAND-2', '--reason', 'another one');
  expect(await check()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^All \d+ laws hold\.$/m) });
  await server.database.sql`update acknowledged_breaches set found = 'as it was before' where subject = 'BY-HAND-1'`;
  expect((await check()).stderr).toContain('BY-HAND-1');
});

it('leaves an event with the reason in the audit log', async () => {
  const { stdout } = await runHere(['audit', '--database-url', server.databaseUrl, '--kind', 'FINDING_ACKNOWLEDGED']);
  expect(stdout).toMatch(/reason=a test of the cable +subject=BY-HAND-1$/m);
});

it('refuses an acknowledgement without a reason, and one of what no law has found', async () => {
  expect(await check('--acknowledge', 'BY-HAND-1')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--reason is required'),
  });
  expect(await check('--reason', 'x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--reason requires --acknowledge'),
  });
  const { code, stderr } = await check('--acknowledge', 'NOTHING', '--reason', 'x');
  expect([code, stderr]).toEqual([2, expect.stringContaining('No law is violated by NOTHING.')]);
});
