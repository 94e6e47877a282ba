/** The same seed and time create the same business with the same ids; another time or seed creates a different one. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Instant, parseTime } from '../../src/base/time.js';
import { findBreaches } from '../../src/check/check.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { createDemoBusiness } from '../../src/demo/demo.js';
import { rollUpHistory } from '../../src/demo/history/roll-up.js';
import { isLong } from '../support/long.js';
import { cloneDatabase } from '../support/server.js';

const TABLES = [
  ...['merchants', 'locations', 'roles', 'employees', 'devices', 'timecards', 'timecard_events', 'cash_drawer_shifts'],
  ...['cash_drawer_events', 'sales', 'payments', 'idempotency_keys', 'refunds', 'movements', 'bank_accounts'],
  ...['settlements', 'due_work', 'stores', 'items', 'categories', 'taxes', 'modifier_lists', 'discounts', 'orders'],
];

/** Records that are open at the time of the demo. The numbers of orders are those of the location with the fewest. */
type OpenNow = Readonly<Record<'timecards' | 'shifts' | 'orders' | 'unpaidOrders', number>>;

/** Every rule of the generators occurs within these days: refunds within thirty days, and the failed settlement. */
const DAYS = 50;
/** For what depends on the time of creation only. */
const LAST_DAYS = isLong ? DAYS : 15;

/** Creates it in a new database, and returns what is found there. */
async function make<Found>(
  { seed, at, days: historyDays }: { readonly seed: number; readonly at: string; readonly days: number },
  look: (database: Database, now: Instant) => Promise<Found>,
): Promise<Found> {
  const clone = await cloneDatabase();
  const database = openDatabase(clone.url, { maxConnections: 2, hasLongTimeouts: true });
  const keyedHash = (text: string): Buffer => createHash('sha256').update(text).digest();
  const now = parseTime(at) as Instant;
  const merchantId = await database.transaction((tx) =>
    createDemoBusiness(tx, { seed, now, history: true, historyDays, keyedHash }),
  );
  await rollUpHistory(database, merchantId);
  const found = await look(database, now);
  await database.close();
  await clone.drop();
  return found;
}

/** A digest of each table. */
async function digestTables({ sql }: Database): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const table of TABLES) {
    const [row] = await sql.unsafe<{ hash: string; rows: number }[]>(
      `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as hash, count(*) as rows from ${table} t`,
    );
    contents[table] = `${row?.rows} ${row?.hash}`;
  }
  return contents;
}

async function countOpen({ sql }: Database, now: Instant): Promise<OpenNow> {
  const [openNow] = await sql<OpenNow[]>`
    with waiting_orders as (
      select
        count(*) filter (where state = 'OPEN') as waiting,
        count(*) filter (where state = 'PENDING' and expires_at > ${now}) as unpaid
      from orders
      group by merchant_id, location_id
    )
    select
      (select count(*) from timecards where clockout_at is null and not deleted) as timecards,
      (select count(*) from cash_drawer_shifts where state <> 'CLOSED') as shifts,
      (select min(waiting) from waiting_orders) as orders,
      (select min(unpaid) from waiting_orders) as unpaid_orders`;
  if (!openNow) throw new Error('nothing was counted');
  return openNow;
}

describe('the demo business', () => {
  it('is the same for the same seed and time', { timeout: 180_000 }, async () => {
    const options = { seed: 7, at: '2026-03-20T19:30:00Z', days: DAYS };
    const [one, other] = [await make(options, digestTables), await make(options, digestTables)];
    expect(one).toEqual(other);
    for (const table of TABLES) expect([table, one[table]?.startsWith('0 ')]).toEqual([table, false]);
  });

  it.each([
    ['in the middle of the night', '2026-01-01T09:00:00Z'],
    ['on the rest day of one location, after a daylight saving change', '2026-03-09T12:00:30Z'],
    ['at the minute of opening', '2026-03-10T12:00:30Z'],
    ['on 29 February', '2028-02-29T23:59:59Z'],
  ])(
    'satisfies every law and has an employee at work when it is created %s',
    { timeout: 180_000 },
    async (_when, at) => {
      const { breaches, openNow } = await make({ seed: 11, at, days: LAST_DAYS }, async (database, now) => ({
        breaches: await findBreaches(database),
        openNow: await countOpen(database, now),
      }));
      expect(breaches).toEqual([]);
      expect(openNow.timecards).toBeGreaterThanOrEqual(1);
      expect(openNow.shifts).toBe(2);
      expect(openNow.orders).toBeGreaterThanOrEqual(2);
      expect(openNow.unpaidOrders).toBeGreaterThanOrEqual(2);
    },
  );
});
