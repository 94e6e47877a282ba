/** Rows that the database examines for the open sales of a location, and for its cash in no drawer: only those. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findOutsideSums, listOutside } from '../src/business/cash-drawers/outside-queries.js';
import { listOpenSales } from '../src/business/sales/queries.js';
import { type Examiner, openExaminer } from './support/plans.js';
import { startTestServer, type TestMerchant, type TestServer } from './support/server.js';

/** One a minute, one in a thousand is open. */
const SALES = 20_000;
const START = '2024-01-01T00:00:00Z';
const EMPLOYEE = '0190a0a0-0000-7000-8000-000000000001';

let server: TestServer;
let merchant: TestMerchant;
let examiner: Examiner;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
  await fill();
  await server.database.sql.unsafe('vacuum analyze');
  examiner = await openExaminer(server);
});
afterAll(async () => {
  await examiner.close();
  await server.stop();
});

async function fill(): Promise<void> {
  const { id, locationIds } = merchant;
  const { sql } = server.database;
  await sql`
    insert into sales (
      merchant_id, sale_id, location_id, kind, state, created_at, device_id, device_name, employee_id, register_sale_id,
      request_hash, rung_up_at, due, paid, receipt, tender_ids
    )
    select ${id}, 'S' || n, ${locationIds[0] ?? ''}, 'REGISTER', case when n % 1000 = 0 then 'OPEN' else 'COMPLETED' end,
      case when n % 1000 > 0 then at end, 'D' || n % 5, 'Till', ${EMPLOYEE}, 'R' || n, '\\x00', at, 0, 0, '{"items":[]}', '{}'
    from generate_series(1, ${SALES}::int) as n, lateral (select ${START}::text::timestamptz + n * interval '1 minute') as t (at)`;
  // A register sells in a drawer, except for one sale in a hundred.
  await sql`
    insert into payments (
      merchant_id, payment_id, sale_id, location_id, channel, employee_id, register_tender_id, status, source_type, created_at, updated_at,
      captured_at, currency, amount, total, fee, details, drawer_shift_id
    )
    select
      ${id}, 'P' || n, 'S' || n, ${locationIds[0] ?? ''}, 'REGISTER', ${EMPLOYEE}, 'T', 'COMPLETED', 'CASH', at, at,
      at, 'USD', 5, 5, 0, '{}', case when n % 100 > 0 then ${EMPLOYEE}::uuid end
    from generate_series(1, ${SALES}::int) as n, lateral (select ${START}::text::timestamptz + n * interval '1 minute') as t (at)`;
}

describe('the open sales of a location', () => {
  it('are found without looking at the others', async () => {
    const filter = { locationId: merchant.locationIds[0] ?? '', limit: 200 };
    const found = await listOpenSales(server.database.sql, merchant.id, filter);
    expect(found).toHaveLength(SALES / 1000);
    expect(await examiner.examine((tx) => listOpenSales(tx, merchant.id, filter))).toEqual({ sales: SALES / 1000 });
  });
});

describe('the cash of a location that is in no drawer', () => {
  const filter = () => ({ merchantId: merchant.id, locationId: merchant.locationIds[0], created: {} });
  const OUTSIDE = SALES / 100;

  it('is added up without looking at the other sales', async () => {
    expect(await findOutsideSums(server.database.sql, filter())).toMatchObject({ takenCount: OUTSIDE });
    const examined = await examiner.examine((tx) => findOutsideSums(tx, filter()));
    expect(examined).toMatchObject({ payments: OUTSIDE, sales: OUTSIDE });
  });

  it('is listed without looking at the other pages', async () => {
    const page = { limit: 20, after: undefined };
    expect((await listOutside(server.database.sql, filter(), page)).items).toHaveLength(20);
    const { payments, sales } = await examiner.examine((tx) => listOutside(tx, filter(), page));
    expect([payments, sales]).toEqual([21, 21]);
  });
});
