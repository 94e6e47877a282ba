/** Rows that the database examines for clients that sync: little more than a page, for every filter and at any depth. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Instant, instant } from '../src/base/time.js';
import { NAMED_PRINTER, PAYMENT_PRINTER } from '../src/business/payments/copies.js';
import { listPayments, type PaymentFilter } from '../src/business/payments/json-queries.js';
import { listRefunds, type RefundFilter } from '../src/business/refunds/queries.js';
import { type LaborShiftFilter, listLaborShifts } from '../src/business/timecards/labor-shift-queries.js';
import { SHIFT_SORT_FIELDS } from '../src/business/timecards/model.js';
import { isLong } from './support/long.js';
import { type Examiner, openExaminer } from './support/plans.js';
import { startTestServer, type TestServer } from './support/server.js';

const LIMIT = 100;
const ROWS = isLong ? 20_000 : 12_000;
const START = Date.parse('2020-01-01T00:00:00Z');
const FIRST = new Date(START).toISOString();
const MINUTE_MS = 60_000;
/** One record is created every minute, and was last updated up to a week later, in another order. */
const madeAt = (row: number): Instant => instant(START + row * MINUTE_MS);
const WEEK_ROWS = 7 * 24 * 60;

let server: TestServer;
let examiner: Examiner;

beforeAll(async () => {
  server = await startTestServer();
  for (const merchant of ['M1', 'M2']) await fill(merchant);
  await server.database.sql.unsafe('vacuum analyze');
  examiner = await openExaminer(server);
});
afterAll(async () => {
  await examiner.close();
  await server.stop();
});

async function fill(id: string): Promise<void> {
  const { sql } = server.database;
  const times = sql`
    ${FIRST}::text::timestamptz + n * interval '1 minute' as made,
    ${FIRST}::text::timestamptz + (n + n * 7919 % ${WEEK_ROWS}::int) * interval '1 minute' as changed`;
  await sql`
    insert into payments (
      merchant_id, payment_id, sale_id, location_id, channel, application_id, status, source_type, created_at,
      updated_at, captured_at, currency, amount, total, fee, card_brand, last_4, details, v2_json, v2_json_version,
      v2_json_printer
    )
    select
      ${id}, 'P' || n, 'P' || n, 'L' || n % 4, 'API', 'A', 'COMPLETED', 'CARD', made, changed, made, 'USD',
      100 + n % 4, 100 + n % 4, 0, case when n % 4 = 0 then 'VISA' else 'JCB' end, (1000 + n % 4)::text, '{}',
      rtrim(json_build_object('id', 'P' || n, 'created_at', made, 'updated_at', changed)::text, '}'), ${NAMED_PRINTER}::smallint, ${PAYMENT_PRINTER}
    from generate_series(0, ${ROWS - 1}::int) n, lateral (select ${times}) times`;
  await sql`
    insert into refunds (
      merchant_id, refund_id, payment_id, location_id, status, source_type, created_at, updated_at, currency, amount,
      order_id, origin, type
    )
    select
      ${id}, 'R' || n, 'P' || n, 'L' || n % 4, case when n % 4 = 0 then 'COMPLETED' else 'FAILED' end, 'CARD', made,
      changed, 'USD', 1, 'O', 'API', 'PARTIAL'
    from generate_series(0, ${ROWS - 1}::int) n, lateral (select ${times}) times`;
  await sql`
    insert into merchants (
      merchant_id, business_name, owner_name, country, language_code, currency, business_type, approved, is_demo,
      clock_offset_ms, status, created_at
    )
    values (${id}, 'B', 'O', 'US', 'en-US', 'USD', 'OTHER', true, false, 0, 'ACTIVE', now())`;
  await sql`
    insert into employees (
      merchant_id, employee_id, first_name, last_name, location_ids, status, is_owner, created_at, updated_at
    )
    select ${id}, md5(${id} || n)::uuid, 'Ana', n::text, '{}', 'ACTIVE', false, '2019-01-01Z', '2019-01-01Z'
    from generate_series(0, 9) n`;
  await sql`
    insert into timecards (
      merchant_id, timecard_id, employee_id, clockin_at, clockout_at, clockin_location_id, deleted, created_at, updated_at
    )
    select
      ${id}, gen_random_uuid(), md5(${id} || n % 10)::uuid, made,
      case when n >= ${ROWS - 10}::int then null else made + n * 7919 % 600 * interval '1 minute' end, 'L' || n % 4,
      false, made, changed
    from generate_series(0, ${ROWS - 1}::int) n, lateral (select ${times}) times`;
}

const ORDERS = ['ASC', 'DESC'] as const;
const [half, end] = [madeAt(ROWS / 2), madeAt(ROWS * 2)];
/** Everything, the later half, and what was updated on one day. */
const RANGES = {
  all: { begin: madeAt(0), end },
  'the later half': { begin: half, end },
  'one day': { begin: half, end: instant(half + 1440 * MINUTE_MS) },
} as const;
const PLACES = [undefined, { at: half, id: 'P' }];

type Asked = Pick<PaymentFilter, 'locationId' | 'total' | 'last4' | 'cardBrand'>;
const PAYMENT_FILTERS: readonly (readonly [string, Asked])[] = [
  ['no other filter', {}],
  ['location_id', { locationId: 'L1' }],
  ['total', { total: 101 }],
  ['last_4', { last4: '1001' }],
  ['card_brand', { cardBrand: 'VISA' }],
];
const REFUND_FILTERS: readonly (readonly [string, Pick<RefundFilter, 'locationId' | 'status'>])[] = [
  ['no other filter', {}],
  ['location_id', { locationId: 'L1' }],
  ['status', { status: 'COMPLETED' }],
];

const SITE = { merchantId: 'M1', publicUrl: undefined } as const;

const asking = <Filter>(filters: readonly (readonly [string, Filter])[]) =>
  filters.flatMap(([name, filter]) =>
    ORDERS.flatMap((order) =>
      (Object.keys(RANGES) as (keyof typeof RANGES)[]).map((range) => ({ name, filter, order, range })),
    ),
  );

describe('listing what changed', () => {
  it.each(asking(PAYMENT_FILTERS))(
    'payments by UPDATED_AT, $order, in $range with $name examines no more than the page',
    async ({ filter, order, range }) => {
      for (const after of PLACES) {
        const asked = { ...SITE, ...filter, created: {}, updated: RANGES[range], order } as const;
        const page = { limit: LIMIT, after };
        const rows = await examiner.examine((sql) => listPayments(sql, { ...asked, sortBy: 'updated_at', page }));
        expect(rows['payments']).toBeLessThanOrEqual(LIMIT + 1);
      }
    },
  );

  it.each(asking(REFUND_FILTERS))(
    'refunds by UPDATED_AT, $order, in $range with $name examines no more than the page',
    async ({ filter, order, range }) => {
      for (const after of PLACES) {
        const asked = { merchantId: 'M1', ...filter, created: {}, updated: RANGES[range], order } as const;
        const page = { limit: LIMIT, after };
        const rows = await examiner.examine((sql) => listRefunds(sql, { ...asked, sortBy: 'updated_at', page }));
        expect(rows['refunds']).toBeLessThanOrEqual(LIMIT + 1);
      }
    },
  );

  it.each(asking(PAYMENT_FILTERS))(
    'payments by CREATED_AT, $order, in $range with $name skip inside the index what was not updated in the range',
    async ({ filter, order, range }) => {
      for (const after of PLACES) {
        const page = { limit: LIMIT, after };
        const asked = { ...SITE, ...filter, created: {}, updated: RANGES[range], order, page } as const;
        const rows = await examiner.examine((sql) => listPayments(sql, asked));
        // The updates of one day may also be found by UPDATED_AT and sorted.
        expect(rows['payments']).toBeLessThanOrEqual(range === 'one day' ? 1440 : LIMIT + 1);
      }
    },
  );
});

describe('searching shifts', () => {
  const NOTHING = { merchantId: 'M1', mainLocationId: 'L0', employeeIds: [], start: {}, end: {} } as const;
  const FILTERS: readonly (readonly [string, Partial<LaborShiftFilter>])[] = [
    ['nothing', {}],
    ['a range of starts', { start: { begin: half, end: madeAt(ROWS) } }],
    ['closed ones', { isOpen: false }],
  ];

  it.each(
    SHIFT_SORT_FIELDS.flatMap((sortBy) =>
      ORDERS.flatMap((order) => FILTERS.map(([name, filter]) => ({ sortBy, order, name, filter }))),
    ),
  )('by $sortBy, $order, with $name examines little more than the page', async ({ sortBy, order, filter }) => {
    for (const after of [undefined, { at: madeAt(ROWS * 0.75), id: '00000000-0000-0000-0000-000000000000' }]) {
      const page = { limit: LIMIT, after };
      const rows = await examiner.examine((sql) =>
        listLaborShifts(sql, { ...NOTHING, ...filter, sortBy, order, page }),
      );
      // Shifts with the same time are sorted by id, and open ones come first.
      expect(rows['timecards']).toBeLessThanOrEqual(2 * (LIMIT + 1));
    }
  });
});
