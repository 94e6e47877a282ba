/** Rows that the database examines for a page of a list of a business with an archive: as few as without one, at any depth. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Instant, instant } from '../src/base/time.js';
import { moveSalesToArchive } from '../src/business/archive/queries.js';
import { listPaidSales } from '../src/business/paid-sales/queries.js';
import { NAMED_PRINTER, PAYMENT_PRINTER } from '../src/business/payments/copies.js';
import { listPayments, type PaymentFilter } from '../src/business/payments/json-queries.js';
import { listRefunds } from '../src/business/refunds/queries.js';
import { createArchive } from '../src/database/archive/tables.js';
import type { SortOrder } from '../src/database/keyset.js';
import { type Examiner, openExaminer } from './support/plans.js';
import { isCluster, startTestServer, type TestServer } from './support/server.js';

const LIMIT = 100;
/** Half of them are in the archive. Many times as many as a page. */
const PAYMENTS = 12_000;
const START = Date.parse('2020-01-01T00:00:00Z');
const paymentAt = (payment: number): Instant => instant(START + payment * 60_000);
const idOf = (payment: number) => `P${String(payment).padStart(6, '0')}`;

let server: TestServer;
let examiner: Examiner;

beforeAll(async () => {
  server = await startTestServer();
  if (isCluster) return;
  for (const merchant of ['M1', 'M2']) await fill(merchant);
  const { database } = server;
  await database.transaction(createArchive);
  const old = Array.from({ length: PAYMENTS / 2 }, (_, payment) => idOf(payment));
  for (const merchant of ['M1', 'M2']) {
    await database.transaction((tx) => moveSalesToArchive(tx, merchant, old));
  }
  await database.sql.unsafe('vacuum analyze');
  examiner = await openExaminer(server);
});
afterAll(async () => {
  await examiner?.close();
  await server.stop();
});

/** A payment of an application each minute, with a refund for every third. */
async function fill(id: string): Promise<void> {
  const { sql } = server.database;
  const first = new Date(START).toISOString();
  const numbers = sql`
    generate_series(0, ${PAYMENTS - 1}::int) as n,
    lateral (
      select 'P' || lpad(n::text, 6, '0') as id, ${first}::text::timestamptz + n * interval '1 minute' as at
    ) as made`;
  await sql`
    insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
    select ${id}, id, 'L' || n % 2, 'API', 'COMPLETED', at
    from ${numbers}`;
  await sql`
    insert into payments (
      merchant_id, payment_id, sale_id, location_id, channel, application_id, status, source_type, created_at, updated_at,
      captured_at, currency, amount, total, fee, card_brand, last_4, details, v2_json, v2_json_version,
      v2_json_printer
    )
    select
      ${id}, id, id, 'L' || n % 2, 'API', 'A', 'COMPLETED', 'CARD', at, at, at, 'USD', 100 + n % 50, 100 + n % 50, 0,
      case when n % 2 = 0 then 'VISA' else 'MASTERCARD' end, lpad((n % 40)::text, 4, '0'), '{}',
      rtrim(json_build_object('id', id, 'created_at', at, 'updated_at', at)::text, '}'), ${NAMED_PRINTER}::smallint, ${PAYMENT_PRINTER}
    from ${numbers}`;
  await sql`
    insert into refunds (
      merchant_id, refund_id, payment_id, location_id, status, source_type, created_at, updated_at, currency, amount, order_id,
      origin, type
    )
    select ${id}, id || '_R', id, 'L' || n % 2, 'COMPLETED', 'CARD', at, at, 'USD', 1, 'O', 'API', 'PARTIAL'
    from ${numbers}
    where n % 3 = 0`;
}

/** At the start, inside of each half, and where a page begins in one half and ends in the other. */
const DEPTHS = [undefined, PAYMENTS / 4, PAYMENTS / 2 - 30, PAYMENTS / 2 + 30, (PAYMENTS * 3) / 4];
const created = { begin: paymentAt(0), end: paymentAt(PAYMENTS) };

function rowsOf(rows: Readonly<Record<string, number>>, table: string): number {
  return (rows[table] ?? 0) + (rows[`${table}_archive`] ?? 0);
}

describe.skipIf(isCluster).each<SortOrder>(['ASC', 'DESC'])('with an archive, a page, %s,', (order) => {
  const pages = (end = '') =>
    DEPTHS.map((depth) => ({
      limit: LIMIT,
      after: depth === undefined ? undefined : { at: paymentAt(depth), id: idOf(depth) + end },
    }));

  it.each<[string, Partial<PaymentFilter>]>([
    ['all', {}],
    ['a location', { locationId: 'L1' }],
    ['an amount', { total: 117 as NonNullable<PaymentFilter['total']> }],
    ['a card', { last4: '0007' }],
    ['a brand', { cardBrand: 'VISA' }],
    ['all, by their last change', { sortBy: 'updated_at' }],
  ])('of payments of %s', async (_, filter) => {
    for (const page of pages()) {
      const rows = await examiner.examine((sql) =>
        listPayments(sql, { merchantId: 'M1', created, ...filter, order, page } as PaymentFilter),
      );
      // A page, one row more for the next one, and one that the merge reads ahead in each half.
      expect(rowsOf(rows, 'payments')).toBeLessThanOrEqual(LIMIT + 3);
      expect(rowsOf(rows, 'payments')).toBeGreaterThan(0);
    }
  });

  it.each([
    ['all', undefined],
    ['a location', 'L1'],
  ])('of sales of %s', async (_, locationId) => {
    for (const page of pages()) {
      const rows = await examiner.examine((sql) =>
        listPaidSales(sql, { merchantId: 'M1', locationId, includePartial: false, created, order, page }),
      );
      expect(rowsOf(rows, 'sales')).toBeLessThanOrEqual(LIMIT + 3);
      expect(rowsOf(rows, 'payments')).toBeLessThanOrEqual(2 * (LIMIT + 3));
      expect(rowsOf(rows, 'refunds')).toBeLessThanOrEqual(2 * (LIMIT + 3));
    }
  });

  it.each([
    ['all', {}],
    ['a location', { locationId: 'L1' }],
    ['a status', { status: 'COMPLETED' as const }],
  ])('of refunds of %s', async (_, filter) => {
    for (const page of pages('_R')) {
      const rows = await examiner.examine((sql) =>
        listRefunds(sql, { merchantId: 'M1', ...filter, created, order, page }),
      );
      expect(rowsOf(rows, 'refunds')).toBeLessThanOrEqual(LIMIT + 3);
    }
  });
});
