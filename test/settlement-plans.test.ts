/** Rows that the database examines for a page of settlements and for a close: little more than needed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Instant, instant } from '../src/base/time.js';
import {
  findCloseFacts,
  findSettlementWithEntries,
  insertSettlement,
  listSettlements,
} from '../src/business/settlements/queries.js';
import type { SortOrder } from '../src/database/keyset.js';
import { changeIn } from './support/interleaving.js';
import { type Examiner, openExaminer } from './support/plans.js';
import { startTestServer, type TestServer } from './support/server.js';
import { CLOSE, openShop, type TestBusiness } from './support/settlements.js';

const LIMIT = 200;
/** The page, one row more to know whether another page follows, and twice as much again. */
const MAX_ROWS = 3 * (LIMIT + 1);
const LOCATIONS = 5;
const DAYS = 2000;
const ENTRIES = 300;
const START = Date.parse('2014-01-01T22:00:00Z');
const dayAt = (day: number): Instant => instant(START + day * 86_400_000);
const NOW = dayAt(DAYS + 10);

let server: TestServer;
let shop: TestBusiness;
let examiner: Examiner;

beforeAll(async () => {
  server = await startTestServer();
  const locations = Array.from({ length: LOCATIONS }, (_, index) => ({ name: `Shop ${index}` }));
  const shops = [await openShop(server, { locations }), await openShop(server, { locations })];
  for (const { id, accountId, locationIds, locationId } of shops) await fill(id, accountId, locationIds, locationId);
  shop = shops[0] as TestBusiness;
  await server.database.sql.unsafe('vacuum analyze');
  examiner = await openExaminer(server);
});
afterAll(async () => {
  await examiner.close();
  await server.stop();
});

/** One settlement a day at each location, one in fifty failed, the last with many movements, and unsettled movements. */
async function fill(id: string, accountId: string, places: readonly string[], main: string): Promise<void> {
  const { sql } = server.database;
  await sql`
    insert into settlements (
      merchant_id, settlement_id, location_id, bank_account_id, status, currency, total, initiated_at, visible_at,
      failed_at, returned_movement_id
    )
    select ${id}, 'S' || place || lpad(n::text, 8, '0'), place, ${accountId},
      case when n % 50 = 7 then 'FAILED' else 'SENT' end, 'USD', 1, day, day + interval '8 hours',
      case when n % 50 = 7 then day end, case when n % 50 = 7 then 'R' || n end
    from
      unnest(${places as string[]}::text[]) as place,
      generate_series(0, ${DAYS - 1}::int) as n,
      lateral (select ${new Date(START).toISOString()}::text::timestamptz + n * interval '1 day' as day) as days`;
  await sql`
    insert into movements (
      merchant_id, movement_id, location_id, kind, currency, amount, fee, occurred_at, reason, settlement_id
    )
    select ${id}, 'M' || n, ${main}, 'ADJUSTMENT', 'USD', 1, 0,
      ${new Date(START).toISOString()}::text::timestamptz + n * interval '1 minute', 'by hand',
      case when n < 50000 - ${ENTRIES}::int then 'S' || ${main} || lpad((n / ${ENTRIES}::int)::text, 8, '0') end
    from generate_series(0, 49999) as n`;
}

describe('listing settlements', () => {
  const year = { begin: dayAt(500), end: dayAt(865) };

  it.each(
    (['ASC', 'DESC'] as const).flatMap((order) =>
      (['SENT', 'FAILED', undefined] as const).flatMap((status) =>
        (['one', undefined] as const).map((place) => ({ order, status, place })),
      ),
    ),
  )('$order with status $status at $place location examines little more than the page', async (given) => {
    const { order, status }: { order: SortOrder; status: 'SENT' | 'FAILED' | undefined } = given;
    const locationId = given.place && shop.locationId;
    const filter = { merchantId: shop.id, locationId, now: NOW, status, initiated: year, order };
    const middle = { at: dayAt(700), id: 'S' };
    for (const after of [undefined, middle]) {
      const page = { limit: LIMIT, after };
      const rows = await examiner.examine((tx) => listSettlements(tx, { ...filter, page }));
      expect(Object.keys(rows)).toEqual(['settlements']);
      expect(rows['settlements']).toBeLessThanOrEqual(MAX_ROWS);
      expect(rows['settlements']).toBeGreaterThan(0);
    }
  });
});

describe('retrieving a settlement', () => {
  it('examines only its own entries', async () => {
    const id = `S${shop.locationId}00000010`;
    const seen = { merchantId: shop.id, locationId: undefined, now: NOW };
    const rows = await examiner.examine(async (tx) => {
      expect((await findSettlementWithEntries(tx, seen, id))?.entries).toHaveLength(ENTRIES);
    });
    expect(rows).toEqual({ settlements: 1, movements: ENTRIES });
  });
});

describe('the close of a day', () => {
  it('examines only the unsettled movements', async () => {
    const closedAt = instant(Date.parse(CLOSE));
    const close = { locationId: shop.locationId, closedAt };
    const visible = { settlementId: 'X', visibleAt: closedAt };
    const rows = await examiner.examineFunction((tx) =>
      changeIn(tx, shop.id, (change) => insertSettlement(change, { ...close, ...visible })),
    );
    expect(rows['movements']).toBe(ENTRIES);
    const { movements = 0 } = await examiner.examine((tx) => findCloseFacts(tx, shop.id, close));
    expect(movements).toBeLessThanOrEqual(1);
  });
});
