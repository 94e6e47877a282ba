/** Rows that the database examines for a page of refunds: little more than the page, at any depth. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Instant, instant } from '../src/base/time.js';
import { listRefunds } from '../src/business/refunds/queries.js';
import { listSaleRefunds } from '../src/business/refunds/sale-refund-queries.js';
import type { SortOrder } from '../src/database/keyset.js';
import { isLong } from './support/long.js';
import { type Examiner, openExaminer } from './support/plans.js';
import { storedReceipt } from './support/receipts.js';
import { startTestServer, type TestServer } from './support/server.js';

const LIMIT = 100;
const REFUNDS = isLong ? 30_000 : 15_000;
const START = Date.parse('2020-01-01T00:00:00Z');
const refundAt = (refund: number): Instant => instant(START + refund * 60_000);

let server: TestServer;
let examiner: Examiner;

beforeAll(async () => {
  server = await startTestServer();
  for (const merchant of ['M1', 'M2']) await fill(server, merchant, REFUNDS);
  await server.database.sql.unsafe('vacuum analyze');
  examiner = await openExaminer(server);
});
afterAll(async () => {
  await examiner.close();
  await server.stop();
});

/** One refund a minute. Nine of ten are cash, which v2 does not show; every third follows the previous one. */
async function fill({ database: { sql } }: TestServer, id: string, count: number): Promise<void> {
  const first = new Date(START).toISOString();
  await sql`
    insert into sales (
      merchant_id, sale_id, location_id, kind, state, created_at, device_id, device_name, employee_id, register_sale_id,
      request_hash, rung_up_at, due, paid, receipt, tender_ids
    )
    select
      ${id}, 'S' || n, 'L', 'REGISTER', 'COMPLETED', ${first}::text::timestamptz, 'D', 'Till', gen_random_uuid(), n, '',
      ${first}::text::timestamptz, 5, 5, ${storedReceipt(5)}::text::json, array['P' || n]
    from generate_series(0, ${count - 1}::int) n`;
  await sql`
    insert into payments (
      merchant_id, payment_id, sale_id, location_id, channel, employee_id, register_tender_id, status, source_type,
      created_at, updated_at, captured_at, currency, amount, total, fee, details
    )
    select
      ${id}, 'P' || n, 'S' || n, 'L', 'REGISTER', gen_random_uuid(), n, 'COMPLETED',
      case when n % 10 = 0 then 'CARD' else 'CASH' end, ${first}::text::timestamptz, ${first}::text::timestamptz,
      ${first}::text::timestamptz, 'USD', 5, 5, 0, '{}'
    from generate_series(0, ${count - 1}::int) n`;
  await sql`
    insert into refunds (
      merchant_id, refund_id, payment_id, location_id, status, source_type, created_at, updated_at, currency, amount,
      order_id, origin, type, leader_id
    )
    select
      ${id}, 'R' || n, 'P' || n, 'L', 'COMPLETED', case when n % 10 = 0 then 'CARD' else 'CASH' end,
      ${first}::text::timestamptz + n * interval '1 minute', ${first}::text::timestamptz, 'USD', 1, 'O',
      'API', 'PARTIAL', case when n % 3 = 2 then 'R' || n - 1 end
    from generate_series(0, ${count - 1}::int) n`;
}

/** Each leader is found by the list and by its key, each follower twice by its key. A leader's sale is read for its state, too. */
function expectLittleMoreThanPage(rows: Readonly<Record<string, number>>): void {
  expect(rows['refunds']).toBeLessThanOrEqual(5 * (LIMIT + 1));
  expect(rows['payments']).toBeLessThanOrEqual(3 * (LIMIT + 1));
  expect(rows['sales']).toBeLessThanOrEqual(3 * (LIMIT + 1));
}

describe.each<SortOrder>(['ASC', 'DESC'])('a page of refunds, %s', (order) => {
  const range = { begin: refundAt(0), end: refundAt(REFUNDS) };
  const deep = { at: refundAt(REFUNDS / 2), id: `R${REFUNDS / 2}` };

  it.each([
    ['of a location', 'L'],
    ['of all', undefined],
  ])('of v1 %s examines little more than the page, at the start and in the middle', async (_, locationId) => {
    for (const after of [undefined, deep]) {
      const page = { limit: LIMIT, after };
      const rows = await examiner.examine((sql) =>
        listSaleRefunds(sql, { merchantId: 'M1', locationId, includePartial: false, created: range, order, page }),
      );
      expectLittleMoreThanPage(rows);
    }
  });

  it.each([
    ['of a location', { locationId: 'L' }],
    ['of a status', { status: 'COMPLETED' }],
    ['of all', {}],
  ] as const)('of v2 %s does not scan cash refunds', async (_, filter) => {
    for (const after of [undefined, deep]) {
      const page = { limit: LIMIT, after };
      const rows = await examiner.examine((sql) =>
        listRefunds(sql, { merchantId: 'M1', ...filter, created: range, order, page }),
      );
      expect(rows['refunds']).toBeLessThanOrEqual(LIMIT + 1);
    }
  });
});

describe('a page of refunds in a new database, which was never analyzed', () => {
  it('examines little more than the page, too', async ({ skip }) => {
    const fresh = await startTestServer();
    onTestFinished(() => fresh.stop());
    const [version] = await fresh.database.sql<{ major: number }[]>`
      select current_setting('server_version_num')::int / 10000 as major`;
    if ((version?.major ?? 0) < 18) skip('its statistics cannot be set');
    await fill(fresh, 'M1', 5 * LIMIT);
    const looking = await openExaminer(fresh);
    onTestFinished(() => looking.close());
    const created = { begin: refundAt(0), end: refundAt(REFUNDS) };
    const page = { limit: LIMIT, after: undefined };
    expectLittleMoreThanPage(
      await looking.examine((sql) =>
        listSaleRefunds(sql, {
          merchantId: 'M1',
          locationId: undefined,
          includePartial: false,
          created,
          order: 'ASC',
          page,
        }),
      ),
    );
  });
});
