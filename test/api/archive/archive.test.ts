/** The archive: years that are over are in tables of their own, and nobody notices (decision 0253). */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/database.js';
import { migrate } from '../../../src/database/migrate.js';
import {
  archive,
  BEFORE,
  countArchived,
  openPastBusiness,
  type PastBusiness,
  readEverything,
  runArchive,
} from '../../support/archive.js';
import { runHere } from '../../support/commands.js';
import {
  cancelByKey,
  expectBooksInOrder,
  getPayment,
  pay,
  tryToPay,
  tryToRefund,
  usd,
} from '../../support/payments.js';
import { newFolder } from '../../support/process.js';
import { cash, sell } from '../../support/register-sales.js';
import { cloneDatabase, isCluster, startTestServer, type TestServer } from '../../support/server.js';
import { hold, release } from '../../support/settlements.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

describe.skipIf(isCluster)('tillhouse archive', () => {
  let business: PastBusiness;
  let before: Record<string, string>;

  it('says with --dry-run what would move, and creates nothing', async () => {
    business = await openPastBusiness(server);
    const recent = await pay(server, business.owner.merchant);
    before = await readEverything(server, business);
    expect(await archive(server, business, '--dry-run')).toEqual({ moved: 27, stayed: {} });
    expect((await server.database.sql`select to_regclass('sales_archive') as found`)[0]?.['found']).toBeNull();
    expect(recent.id).toBeDefined();
  });

  it('moves whole sales, and every list, record, report and receipt stays as it was', async () => {
    const { merchant } = business.owner;
    const half = await server.call('GET', '/v2/payments?begin_time=2024-02-01T00:00:00Z&limit=5', merchant);
    const rest = async () =>
      (await server.call('GET', `/v2/payments?cursor=${half.body.cursor}`, { token: merchant.token })).text;
    const restBefore = await rest();
    expect(await archive(server, business)).toEqual({ moved: 27, stayed: {} });
    expect(await countArchived(server, merchant.id)).toMatchObject({ sales: 21, payments: 30, orders: 3, holds: 3 });
    expect(await readEverything(server, business)).toEqual(before);
    expect(await rest()).toBe(restBefore);
    await expectBooksInOrder(server);
    expect(await archive(server, business)).toEqual({ moved: 0, stayed: {} });
  });

  it('finds payments by their idempotency keys', async () => {
    const { merchant } = business.owner;
    for (const { body, id } of business.sent) {
      const again = await tryToPay(server, merchant, body);
      expect([again.status, again.body.payment?.id]).toEqual([200, id]);
      const other = await tryToPay(server, merchant, { ...body, amount_money: usd(1) });
      expect([other.status, other.body.errors[0].code]).toEqual([400, 'IDEMPOTENCY_KEY_REUSED']);
    }
  });

  it('refuses refunds as before, and brings a sale back for what has no time limit', async () => {
    const { owner, sent } = business;
    const { merchant } = owner;
    const [{ id } = { id: '' }, { id: disputed } = { id: '' }] = sent;
    const refused = await tryToRefund(server, merchant, { id }, { amount_money: usd(100) });
    expect([refused.status, refused.body.errors[0].detail]).toEqual([400, `Payment ${id} is more than a year old.`]);
    expect(await countArchived(server, merchant.id)).toMatchObject({ sales: 21, payments: 30 });

    expect((await hold(server, merchant, disputed)).status).toBe(200);
    expect(await countArchived(server, merchant.id)).toMatchObject({ sales: 20, payments: 29 });
    expect(await archive(server, business)).toEqual({ moved: 0, stayed: { DISPUTED: 1 } });
    expect((await release(server, merchant, disputed)).status).toBe(200);

    expect((await cancelByKey(server, merchant, sent[0]?.body['idempotency_key'])).status).toBe(200);
    expect(await getPayment(server, merchant, id)).toMatchObject({ status: 'CANCELED' });
    expect(await countArchived(server, merchant.id)).toMatchObject({ sales: 19, payments: 28 });

    const [sold] = business.sales;
    const goods = { payment_id: sold?.id, amount_money: { amount: 100 }, reason: 'Too small' };
    const { state, tenders } = await sell(business.till, { returns: [goods], tenders: [cash()] });
    expect([state, tenders[0]]).toMatchObject(['COMPLETED', { is_exchange: true, total_money: { amount: 100 } }]);
    const shown = await server.call('GET', `/v1/me/payments/${sold?.id}`, { token: merchant.token });
    expect(shown.body.refunds).toMatchObject([{ is_exchange: true, reason: 'Too small' }]);
    await expectBooksInOrder(server);
    expect(await countArchived(server, merchant.id)).toMatchObject({ sales: 18, payments: 26 });
  });

  it("erases a buyer's data where it is", async () => {
    const { merchant } = business.owner;
    const [, , { id } = { id: '' }] = business.sent;
    expect((await getPayment(server, merchant, id)) as unknown).toMatchObject({
      buyer_email_address: 'ana@example.com',
    });
    const args = ['--merchant', merchant.id, '--email', 'ana@example.com', '--database-url', server.databaseUrl];
    const { code, stderr } = await runHere(['buyer', 'erase', ...args]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await getPayment(server, merchant, id)).not.toHaveProperty('buyer_email_address');
    expect(await countArchived(server, merchant.id)).toMatchObject({ sales: 18, payments: 26 });
  });

  it('is in a backup, and a restore puts it where it was', async () => {
    const { merchant } = business.owner;
    const folder = await newFolder();
    const target = await cloneDatabase({ empty: true });
    const onDatabase = (url: string, ...args: string[]) =>
      runHere([...args, '--database-url', url, '--data-dir', join(folder, 'data')]);
    const file = join(folder, 'till.backup');
    expect(await onDatabase(server.databaseUrl, 'backup', file)).toMatchObject({ code: 0 });
    expect(await onDatabase(target.url, 'restore', file)).toMatchObject({ code: 0, stderr: '' });
    const restored = openDatabase(target.url, { maxConnections: 1, hasLongTimeouts: true });
    try {
      const counts = await countArchived({ database: restored }, merchant.id);
      expect(counts).toEqual(await countArchived(server, merchant.id));
      expect(counts['sales']).toBe(18);
      expect(await listIndexes(restored)).toEqual(await listIndexes(server.database));
    } finally {
      await restored.close();
      await target.drop();
    }
  });

  it('keeps its indexes equal to those of the tables in use when a migration changes them', async () => {
    const { database } = server;
    await database.sql.unsafe('create index payments_of_a_migration on payments (merchant_id, currency)');
    await migrate(database);
    expect(await listIndexes(database)).toContain('payments_of_a_migration_archive');
    await database.sql.unsafe('drop index payments_of_a_migration');
    await database.sql.unsafe('create index payments_of_a_migration on payments (merchant_id, status)');
    await migrate(database);
    const [index] = await database.sql<{ text: string }[]>`
      select pg_get_indexdef('payments_of_a_migration_archive'::regclass) as text`;
    expect(index?.text).toContain('(merchant_id, status)');
    await database.sql.unsafe('drop index payments_of_a_migration');
    await migrate(database);
    expect(await listIndexes(database)).not.toContain('payments_of_a_migration_archive');
    await database.sql.unsafe('alter table payments add column note_of_a_migration text');
    const changed =
      await database.sql`update payments set note_of_a_migration = 'N' where merchant_id = ${business.owner.merchant.id}`;
    expect(changed.count).toBeGreaterThan(28);
    await database.sql.unsafe('alter table payments drop column note_of_a_migration');
  });

  it('explains wrong flags, and what it cannot do', async () => {
    const errors = [
      [[], '--before is required.'],
      [['--before', 'yesterday'], "--before must be a day such as 2025-01-01, not 'yesterday'."],
      [['--before', BEFORE, '--merchant', 'M0'], 'There is no merchant M0.'],
      [['--before', BEFORE, '--dry-run', '--rebuild-indexes'], '--dry-run cannot be used with --rebuild-indexes.'],
    ] as const;
    for (const [flags, message] of errors) {
      expect(await runArchive(server, ...flags)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `tillhouse: ${message}\n`,
      });
    }
  });

  it('says in text what moved and what stayed, and rebuilds the indexes in use', async () => {
    const { code, stdout, stderr } = await runArchive(server, '--before', BEFORE, '--rebuild-indexes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^\d sales .+ moved: from before 2025-01-01\.\n(STAYED .+\n(.+\n)+)?Indexes of the tables in use: [\d.]+ MB before, [\d.]+ MB now\./,
    );
    const [event] = await server.database.sql<{ details: unknown }[]>`
      select details from audit_events where kind = 'SALES_ARCHIVED' and merchant_id = ${business.owner.merchant.id}`;
    expect(event?.details).toEqual({ before: '2024-11-07T18:00:00.000Z' });
  });
});

async function listIndexes({ sql }: Pick<Database, 'sql'>): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select indexname::text as name from pg_indexes where tablename like '%\\_archive' order by indexname`;
  return rows.map(({ name }) => name);
}
