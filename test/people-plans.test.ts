/** Rows that the database examines for hours, for shifts of all locations, and for the balance: little more than needed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instant } from '../src/base/time.js';
import { listShiftPage } from '../src/business/cash-drawers/queries.js';
import { listBalances } from '../src/business/settlements/balance-queries.js';
import { daysAt } from '../src/business/timecards/hours.js';
import { listWorkedDays } from '../src/business/timecards/hours-queries.js';
import { createEmployee } from './support/employees.js';
import { type Examiner, openExaminer } from './support/plans.js';
import { startTestServer, type TestMerchant, type TestServer } from './support/server.js';

/** One an hour. */
const CARDS = 20_000;
const SHIFTS = 5_000;
const SETTLED = 20_000;
const UNSETTLED = 50;
const LIMIT = 200;
const START = '2024-01-01T00:00:00Z';
const END = instant(Date.parse(START) + CARDS * 3_600_000);

let server: TestServer;
let merchant: TestMerchant;
let examiner: Examiner;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }, { name: 'Three' }] });
  await fill((await createEmployee(server, merchant)).id);
  await server.database.sql.unsafe('vacuum analyze');
  examiner = await openExaminer(server);
});
afterAll(async () => {
  await examiner.close();
  await server.stop();
});

async function fill(employeeId: string): Promise<void> {
  const { sql } = server.database;
  const { id, locationIds } = merchant;
  await sql`
    insert into timecards (
      merchant_id, timecard_id, employee_id, clockin_at, clockout_at, clockin_location_id, deleted, created_at, updated_at
    )
    select ${id}, gen_random_uuid(), ${employeeId}, at, at + interval '6 hours', ${locationIds[0] ?? ''}, false, at, at
    from generate_series(1, ${CARDS}::int) as n, lateral (select ${START}::text::timestamptz + n * interval '1 hour') as t (at)`;
  await sql`
    insert into cash_drawer_shifts (
      merchant_id, shift_id, location_id, device_id, device_name, state, opened_at, ended_at, closed_at,
      opening_employee_id, employee_ids, currency, opened_cash, closed_cash
    )
    select ${id}, gen_random_uuid(), (${locationIds as string[]}::text[])[1 + n % 3], 'D' || n, 'Till', 'CLOSED', at, at, at,
      ${employeeId}, array[${employeeId}::uuid], 'USD', 1, 1
    from generate_series(1, ${SHIFTS}::int) as n, lateral (select ${START}::text::timestamptz + n * interval '1 hour') as t (at)`;
  await sql`
    insert into movements (merchant_id, movement_id, location_id, kind, currency, amount, fee, occurred_at, reason, settlement_id)
    select ${id}, 'M' || n, (${locationIds as string[]}::text[])[1 + n % 3], 'ADJUSTMENT', 'USD', 1, 0,
      ${START}::text::timestamptz + n * interval '1 minute', 'x', case when n > ${UNSETTLED} then 'S' || n / 100 end
    from generate_series(1, ${SETTLED + UNSETTLED}::int) as n`;
}

const sum = (rows: Record<string, number>) => Object.values(rows).reduce((all, each) => all + each, 0);

describe('the hours of a week', () => {
  it('examine the timecards of that week', async () => {
    const [mainLocationId = ''] = merchant.locationIds;
    const last = new Date(END).toISOString().slice(0, 10);
    const first = new Date(END - 6 * 86_400_000).toISOString().slice(0, 10);
    const days = daysAt([{ id: mainLocationId, timezone: 'America/New_York' }], { first, last });
    const filter = { merchantId: merchant.id, mainLocationId, days, now: END };
    expect((await listWorkedDays(server.database.sql, filter)).length).toBeGreaterThan(5);
    const { timecards = 0 } = await examiner.examine((tx) => listWorkedDays(tx, filter));
    expect(timecards).toBeLessThan(3 * 7 * 24);
  });
});

describe('the shifts of all locations', () => {
  it.each([
    undefined,
    { at: instant(Date.parse(START) + SHIFTS * 1_800_000), id: 'ffffffff-ffff-4fff-8fff-ffffffffffff' },
  ])('examine little more than the page after %j', async (after) => {
    const filter = {
      merchantId: merchant.id,
      locationId: undefined,
      opened: {},
      bounds: 'ASC',
      order: 'DESC',
    } as const;
    const rows = await examiner.examine((tx) => listShiftPage(tx, { ...filter, page: { limit: LIMIT, after } }));
    expect(sum(rows)).toBeLessThan(3 * LIMIT);
  });
});

describe('the balance', () => {
  it('examines unsettled movements only', async () => {
    const { movements = 0 } = await examiner.examine((tx) => listBalances(tx, merchant.id));
    expect([movements >= UNSETTLED, movements < 4 * UNSETTLED]).toEqual([true, true]);
  });
});
