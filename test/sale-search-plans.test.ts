/** Rows that the database examines for the owner's list of sales and its search, and pages that look at a limited number of sales. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instant } from '../src/base/time.js';
import { listOwnerSales, type OwnerSaleFilter } from '../src/business/paid-sales/owner-queries.js';
import { parseSaleSearch } from '../src/business/paid-sales/search.js';
import { type Examiner, openExaminer } from './support/plans.js';
import { startTestServer, type TestServer } from './support/server.js';

const SALES = 25_000;
const LIMIT = 50;
const START = Date.parse('2020-01-01T00:00:00Z');
const MERCHANT = 'M1';

let server: TestServer;
let examiner: Examiner;

/** Sales of an application, one a minute, by cards with one of a hundred endings. The first is the only one by Mastercard. */
async function fill(merchantId: string): Promise<void> {
  const { sql } = server.database;
  const first = instant(START);
  await sql`
    insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
    select ${merchantId}, 'P' || lpad(n::text, 8, '0'), 'L' || n % 2, 'API', 'COMPLETED', ${first}::timestamptz + n * interval '1 minute'
    from generate_series(0, ${SALES - 1}::int) n`;
  await sql`
    insert into payments (
      merchant_id, payment_id, sale_id, location_id, channel, application_id, status, source_type, created_at, updated_at,
      captured_at, currency, amount, total, fee, card_brand, last_4, details
    )
    select
      merchant_id, sale_id, sale_id, location_id, 'API', 'A', 'COMPLETED', 'CARD', created_at, created_at, created_at, 'USD',
      n, n, 0, case when n = 1 then 'MASTERCARD' else 'VISA' end, lpad((n % 100)::text, 4, '0'),
      json_build_object('order_id', 'O' || n, 'reference_id', case when n % 10 = 0 then 'R' || n end)
    from (select sales.*, row_number() over (order by created_at)::int as n from sales where merchant_id = ${merchantId}) made`;
}

beforeAll(async () => {
  server = await startTestServer();
  for (const merchant of [MERCHANT, 'M2']) await fill(merchant);
  await server.database.sql.unsafe('vacuum analyze');
  examiner = await openExaminer(server);
});
afterAll(async () => {
  await examiner.close();
  await server.stop();
});

const filter = (change: Partial<OwnerSaleFilter>): OwnerSaleFilter => ({
  ...{ merchantId: MERCHANT, locationId: undefined, created: {}, days: [], kind: undefined, state: undefined },
  ...{ tenderType: undefined, cardBrand: undefined, employeeId: undefined, refunded: undefined, search: undefined },
  ...{ receiptsSince: instant(START), order: 'DESC', page: { limit: LIMIT, after: undefined } },
  ...change,
});

const search = (text: string) => filter({ search: parseSaleSearch(text, 'USD') });

describe('a page of the list', () => {
  it.each<[string, Partial<OwnerSaleFilter>]>([
    ['without filters', {}],
    ['of a location', { locationId: 'L1' }],
    ['of some days', { created: { begin: instant(START + 86_400_000), end: instant(START + 10 * 86_400_000) } }],
    ['deep in the list', { page: { limit: LIMIT, after: { at: instant(START + 3_000_000), id: 'P' } } }],
  ])('%s examines little more than itself', async (_, change) => {
    const rows = await examiner.examine((tx) => listOwnerSales(tx, filter(change)));
    expect(rows['sales']).toBeLessThan(3 * LIMIT);
    expect(rows['payments']).toBeLessThan(3 * LIMIT);
  });

  it('with a filter that most sales pass does not examine all of them', async () => {
    const rows = await examiner.examine((tx) => listOwnerSales(tx, filter({ kind: 'API', cardBrand: 'VISA' })));
    expect(rows['payments']).toBeLessThan(5 * LIMIT);
  });
});

describe('a rare sale', () => {
  it('is found over several short pages, each of which examines a limited number of sales', async () => {
    for (const order of ['DESC', 'ASC'] as const) {
      const found: string[] = [];
      let [pages, after]: [number, OwnerSaleFilter['page']['after']] = [0, undefined];
      do {
        const page = filter({ cardBrand: 'MASTERCARD', order, page: { limit: LIMIT, after } });
        const { items, next } = await listOwnerSales(server.database.sql, page);
        found.push(...items.map(({ id }) => id));
        [pages, after] = [pages + 1, next];
      } while (after);
      expect([order, found, pages]).toEqual([order, ['P00000000'], 3]);
    }
    const rows = await examiner.examine((tx) => listOwnerSales(tx, filter({ cardBrand: 'MASTERCARD' })));
    expect(rows['payments']).toBeLessThanOrEqual(10_001);
  });
});

describe('a search', () => {
  it.each([
    ['an id', 'P00000017', 1],
    ['a reference', 'R4000', 1],
    ['an order id', 'O4001', 1],
    ['last digits', 'Visa 0042', SALES / 100],
    ['an amount', '123.45', 1],
  ])('by %s examines only what it finds', async (_, text, count) => {
    const { items } = await listOwnerSales(server.database.sql, {
      ...search(text),
      page: { limit: 500, after: undefined },
    });
    expect(items).toHaveLength(count);
    const rows = await examiner.examine((tx) => listOwnerSales(tx, search(text)));
    expect((rows['sales'] ?? 0) + (rows['payments'] ?? 0)).toBeLessThan(10 * count + 4 * LIMIT);
  });
});
