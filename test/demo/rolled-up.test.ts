/** A generated history is rolled up after its commit: that of the demo by the worker, that of a seed by the command. */
import { createHash } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { realNow } from '../../src/base/clock.js';
import { deleteRollUps } from '../../src/business/reports/queries.js';
import { findBreaches } from '../../src/check/check.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { createDemoBusiness } from '../../src/demo/demo.js';
import { type SeededMerchant, seedBusinesses } from '../../src/demo/seed.js';
import { cloneDatabase, startTestServer } from '../support/server.js';

const keyedHash = (text: string): Buffer => createHash('sha256').update(text).digest();

async function withDatabase(work: (database: Database, url: string) => Promise<void>): Promise<void> {
  const clone = await cloneDatabase();
  const database = openDatabase(clone.url, { maxConnections: 4, hasLongTimeouts: true });
  await work(database, clone.url).finally(async () => {
    await database.close();
    await clone.drop();
  });
}

/** The number of stored days of each merchant. */
async function countDays({ sql }: Database): Promise<Readonly<Record<string, number>>> {
  const rows = await sql<{ merchantId: string; days: number }[]>`
    select merchant_id, count(*) as days from report_days where dimension = 'TOTAL' group by merchant_id`;
  return Object.fromEntries(rows.map(({ merchantId, days }) => [merchantId, days]));
}

it('the demo business, by the worker of the server that starts next', { timeout: 180_000 }, () =>
  withDatabase(async (database, databaseUrl) => {
    const merchantId = await database.transaction((tx) =>
      createDemoBusiness(tx, { seed: 3, now: realNow(), history: true, historyDays: 20, keyedHash }),
    );
    expect(await countDays(database)).toEqual({});
    const start = () => startTestServer({ databaseUrl, config: { demo: true, demoHistory: true } });
    const server = await start();
    await vi.waitFor(async () => expect((await countDays(database))[merchantId]).toBeGreaterThan(20), {
      timeout: 60_000,
    });
    expect(await findBreaches(database)).toEqual([]);
    await server.stop();

    // Once is enough.
    const progress = () => database.sql`select location_id, rolled_up_to from report_progress order by location_id`;
    const before = await progress();
    await (await start()).stop();
    expect([...(await progress())]).toEqual([...before]);
  }),
);

it('seeded businesses, by the same command', { timeout: 180_000 }, () =>
  withDatabase(async (database) => {
    const seed = async (): Promise<SeededMerchant[]> => {
      const seeded: SeededMerchant[] = [];
      const size = { merchants: 6, days: 5, paymentsPerDay: 10, seed: 4, concurrency: 3 };
      await seedBusinesses(
        database,
        { ...size, now: realNow(), keyedHash },
        { onPayments() {}, onMerchant: (merchant) => seeded.push(merchant) },
      );
      return seeded;
    };
    const ids = (await seed()).map(({ merchantId }) => merchantId);
    const days = await countDays(database);
    expect(Object.keys(days).sort()).toEqual([...ids].sort());
    expect(await findBreaches(database)).toEqual([]);

    // As if it had been killed after the commit of one of them.
    const [killed = ''] = ids;
    await database.statement((tx) => deleteRollUps(tx, killed));
    expect(Object.keys(await countDays(database)).length).toBe(5);
    await seed();
    expect(await countDays(database)).toEqual(days);
    expect(await findBreaches(database)).toEqual([]);
  }),
);
