/** Lookups by key use the index of that key, also for a merchant that owns most of the rows. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { instant } from '../src/base/time.js';
import type { Tx } from '../src/database/database.js';
import { fn } from '../src/database/functions.js';
import { type SeededMerchant, type Seeding, seedBusinesses } from '../src/demo/seed.js';
import { pay, refund } from './support/payments.js';
import { nodesOf, type PlanNode, type Statement } from './support/plans.js';
import { startTestServer, type TestServer, withServer } from './support/server.js';

const SMALL_MERCHANTS = 60;

const sent: Statement[] = [];
let server: TestServer;
let big: SeededMerchant;

beforeAll(async () => {
  server = await startTestServer({ onStatement: (text, parameters) => sent.push({ text, parameters }) });
  await seed({ merchants: SMALL_MERCHANTS, days: 2, paymentsPerDay: 5, seed: 1 });
  big = (await seed({ merchants: 1, days: 40, paymentsPerDay: 75, seed: 2 }))[0] as SeededMerchant;
});
afterAll(() => server.stop());

async function seed(size: Pick<Seeding, 'merchants' | 'days' | 'paymentsPerDay' | 'seed'>): Promise<SeededMerchant[]> {
  const made: SeededMerchant[] = [];
  const now = instant(Date.parse('2026-03-20T19:30:00Z'));
  await seedBusinesses(
    server.database,
    { ...size, now, keyedHash: Buffer.from, concurrency: 2 },
    { onPayments() {}, onMerchant: (merchant) => made.push(merchant) },
  );
  return made;
}

/** The indexes that a generic plan uses for a table. */
async function indexesOf(table: string, statement: Statement, of = server): Promise<(string | undefined)[]> {
  return of.database.transaction(async (tx) => {
    await tx.unsafe('set local plan_cache_mode = force_generic_plan');
    await tx.unsafe('set local random_page_cost = 1.1');
    await tx.unsafe(`prepare asked as ${statement.text}`);
    const values = statement.parameters.map((value) => `'${value}'`).join();
    const answer = await tx.unsafe(`explain (format json) execute asked (${values})`);
    await tx.unsafe('deallocate asked');
    const [[{ Plan }]] = Object.values(answer[0] ?? {}) as [[{ Plan: PlanNode }]];
    return nodesOf(Plan)
      .filter((node) => node['Relation Name'] === table)
      .map((node) => node['Index Name']);
  });
}

it.each([
  ['orders', (place: string) => `/v1/${place}/orders`],
  ['settlements', (place: string) => `/v1/${place}/settlements`],
  ['sales', (place: string) => `/v1/${place}/payments`],
  ['cash_drawer_shifts', (place: string) => `/v1/${place}/cash-drawer-shifts`],
  ['timecards', () => '/v1/me/timecards'],
  ['employees', () => '/v1/me/employees'],
  ['payments', () => '/v2/payments'],
  ['refunds', () => '/v2/refunds'],
])('a record of %s is found by its key', async (table, listOf) => {
  const list = listOf(big.locationIds[0] ?? '');
  const get = (path: string) => server.call('GET', path, { token: big.accessToken });
  const { body } = await get(list);
  const items = (Array.isArray(body) ? body : Object.values(body)[0]) as { id: string }[];
  const id = items[0]?.id ?? '';
  sent.length = 0;
  expect((await get(`${list}/${id}`)).status).toBe(200);
  const asked = sent.filter(({ text, parameters }) => text.includes(`from ${table}`) && parameters.includes(id));
  expect(asked.length).toBeGreaterThan(0);
  for (const statement of asked) expect(await indexesOf(table, statement)).toEqual([`${table}_pkey`]);
});

it('payments that are read together are found by their keys', async () => {
  const get = (path: string) => server.call('GET', path, { token: big.accessToken });
  const { payments } = (await get('/v2/payments')).body as { payments: { id: string }[] };
  // On a busy machine requests may come one after the other, and then none waits for another.
  const shared = await vi.waitUntil(
    async () => {
      sent.length = 0;
      await Promise.all(payments.slice(0, 40).map(({ id }) => get(`/v2/payments/${id}`)));
      const found = sent.filter(({ text }) => text.includes('from unnest(') && text.includes('from payments'));
      return found.length > 0 && found;
    },
    { timeout: 60_000 },
  );
  for (const { text, parameters } of shared.slice(0, 3)) {
    const lists = parameters.map((value) => (Array.isArray(value) ? `{${value}}` : value));
    expect(await indexesOf('payments', { text, parameters: lists })).toEqual(['payments_pkey']);
  }
});

it('payments and refunds of a new database, which has no statistics, are found by their keys', async () => {
  const asked: Statement[] = [];
  const onStatement = (text: string, parameters: readonly unknown[]) => asked.push({ text, parameters });
  await withServer({ onStatement }, async (fresh) => {
    const merchant = await fresh.createMerchant();
    const payment = await pay(fresh, merchant);
    const { id } = await refund(fresh, merchant, payment);
    for (const [table, key] of [
      ['payments', payment.id],
      ['refunds', id],
    ] as const) {
      asked.length = 0;
      expect((await fresh.call('GET', `/v2/${table}/${key}`, { token: merchant.token })).status).toBe(200);
      const reads = asked.filter(({ text, parameters }) => text.includes(`from ${table}`) && parameters.includes(key));
      expect(reads.length).toBeGreaterThan(0);
      for (const read of reads) expect(await indexesOf(table, read, fresh)).toEqual([`${table}_pkey`]);
    }
  });
});

/** How many entries of the table this transaction has read, by an index or without. */
async function countReads(tx: Tx, table: string): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select (coalesce(sum(pg_stat_get_xact_tuples_returned(indexrelid)), 0)
      + pg_stat_get_xact_tuples_returned(${table}::regclass))::float8 as count
    from pg_index
    where indrelid = ${table}::regclass`;
  return row?.count ?? 0;
}

it('the keys of payments that are created together are looked up without the other keys of the merchant', async () => {
  await server.database.transaction(async (tx) => {
    await tx`
      insert into idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id)
      select ${big.merchantId}, 'app', 'createPayment', 'old-' || number, '', 'payment-' || number
      from generate_series(1, 20000) as number`;
    await tx.unsafe('analyze idempotency_keys');
    await tx.unsafe('set local plan_cache_mode = force_generic_plan'); // as create_payments has it
    const keys = Array.from({ length: 20 }, (_, index) => ({
      ...{ application_id: 'app', operation: 'createPayment', request_hash: '\\x00' },
      ...{ key: index === 0 ? 'old-1' : `new-${index}`, made_id: `new-${index}` },
    }));
    const before = await countReads(tx, 'idempotency_keys');
    const [row] =
      await tx`select ${fn(tx, 'take_keys')}(${big.merchantId}, ${JSON.stringify(keys)}::text::json) as taken`;
    expect(row?.['taken']).toEqual(['new-0']);
    expect((await countReads(tx, 'idempotency_keys')) - before).toBeLessThan(200);
  });
});
