/**
 * Rows that the database examines for a page of a list: a small multiple of the page. The count includes the rows that scans
 * return and those they fetch and discard. Index entries that are skipped inside the index are not rows.
 * The multiple is small with the cost settings for an SSD. With PostgreSQL's default settings it is larger, but bounded.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Instant, instant } from '../src/base/time.js';
import { listShiftEvents, listShiftPage, listShifts } from '../src/business/cash-drawers/queries.js';
import { listPaidSales } from '../src/business/paid-sales/queries.js';
import { listTimecards, type TimecardFilter } from '../src/business/timecards/queries.js';
import { type Database, openDatabase } from '../src/database/database.js';
import type { PageRequest, SortOrder, TimeRange } from '../src/database/keyset.js';
import { isLong } from './support/long.js';
import { ensureDefined, mainLocation } from './support/people.js';
import { nodesOf, type PlanNode, type Statement, toDriverParameters } from './support/plans.js';
import { storedReceipt } from './support/receipts.js';
import { startTestServer, type TestMerchant, type TestServer } from './support/server.js';

const LIMIT = 200;
/** The limit for a page: the page, one row more to know whether another page follows, and twice as much again. */
const MAX_ROWS = 3 * (LIMIT + 1);
/** The limit with PostgreSQL's default costs, which assume disk seeks: some plans read a tenth of these tables and sort it. */
const MAX_ROWS_AS_SHIPPED = 20 * (LIMIT + 1);
/** The size of the tables: several times as many rows as any limit. */
const CARDS = isLong ? 20_000 : 10_000;
const SHIFTS = 5000;
const EVENTS = isLong ? 10_000 : 5000;
const SALES = isLong ? 20_000 : 10_000;
const START = Date.parse('2019-01-01T00:00:00Z');
const FIRST = new Date(START).toISOString();
/** A timecard every 20 minutes: months of them. */
const cardAt = (card: number): Instant => instant(START + card * 1_200_000);
/** A sale every ten minutes, alternating between two locations. */
const saleAt = (sale: number): Instant => instant(START + sale * 600_000);
/** A shift every two hours, alternating between two locations. */
const shiftAt = (shift: number): Instant => instant(START + shift * 7_200_000);

interface Row {
  readonly id: string;
  readonly employeeId: string;
  readonly clockinAt: Instant;
  readonly clockoutAt: Instant;
  readonly deleted: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

let server: TestServer;
let merchant: TestMerchant;
/** The connection that runs the lists; its statements are recorded. */
let database: Database;
/** The connections that explain them: with costs for an SSD, and with PostgreSQL's defaults. */
let fast: Database;
let shipped: Database;
let cards: Row[];
const sent: Statement[] = [];

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }] });
  await fillTimecards([merchant, await server.createMerchant()], CARDS);
  await fillDrawers(merchant);
  await fillSales(merchant);
  await server.database.sql.unsafe('vacuum analyze');
  cards = await server.database.sql<Row[]>`
    select timecard_id as id, employee_id, clockin_at, clockout_at, deleted, created_at, updated_at
    from timecards
    where merchant_id = ${merchant.id}
    order by created_at, timecard_id`;
  database = openDatabase(server.databaseUrl, {
    maxConnections: 1,
    hasLongTimeouts: true,
    onStatement: (text, parameters) => sent.push({ text, parameters }),
  });
  await database.sql`select 1`; // connecting sends other statements
  fast = await openPlanner(['random_page_cost = 1.1', 'plan_cache_mode = force_generic_plan']);
  shipped = await openPlanner(['random_page_cost = 4']);
});
afterAll(async () => {
  for (const each of [database, fast, shipped]) await each.close();
  await server.stop();
});

/** Settings of a connection. A forced generic plan works for EXECUTE only, never for the statement of an EXPLAIN. */
async function openPlanner(settings: readonly string[]): Promise<Database> {
  const planner = openDatabase(server.databaseUrl, { maxConnections: 1, hasLongTimeouts: true });
  for (const setting of settings) await planner.sql.unsafe(`set ${setting}`);
  return planner;
}

/**
 * Timecards of two merchants, interleaved in time. Each merchant has 50 employees. A card is created when its work begins, a
 * fifth of them up to a month later; some are updated later still.
 */
async function fillTimecards(merchants: readonly TestMerchant[], count: number): Promise<void> {
  const { sql } = server.database;
  const [ids, places] = [merchants.map(({ id }) => id), merchants.map(mainLocation)];
  await sql`
    insert into employees (
      merchant_id, employee_id, first_name, last_name, location_ids, status, is_owner, created_at, updated_at
    )
    select id, md5(id || n)::uuid, 'Ana', n::text, '{}', 'ACTIVE', false, '2019-01-01Z', '2019-01-01Z'
    from unnest(${ids}::text[]) as id, generate_series(0, 49) as n`;
  await sql`
    insert into timecards (
      merchant_id, timecard_id, employee_id, clockin_at, clockout_at, clockin_location_id, deleted, created_at, updated_at
    )
    select
      id, gen_random_uuid(), md5(id || n % 50)::uuid, clockin, clockin + interval '8 hours', place, n % 40 = 7, made,
      made + case when n % 10 = 3 then n % 30 * interval '1 day' else interval '8 hours' end
    from
      generate_series(0, ${count - 1}::int) as n,
      unnest(${ids}::text[], ${places}::text[]) as merchant (id, place),
      lateral (select ${FIRST}::text::timestamptz + n * interval '20 minutes' as clockin) as worked,
      lateral (
        select clockin + case when n % 5 = 0 then (n * 7919 % 30 + 1) * interval '1 day' else interval '0' end as made
      ) as imported
    order by n`;
}

/** Inserts three events into each shift, and a great many into the first. */
async function fillDrawers({ id, locationIds }: TestMerchant): Promise<void> {
  const { sql } = server.database;
  await sql`
    insert into cash_drawer_shifts (
      merchant_id, shift_id, location_id, device_id, device_name, state, opened_at, ended_at, opening_employee_id,
      employee_ids, currency, opened_cash
    )
    select
      ${id}, md5('shift' || n)::uuid, (${locationIds as string[]}::text[])[1 + n % 2], 'D' || n % 4, 'Till', 'ENDED',
      opened, opened + interval '8 hours', md5(${id} || n % 50)::uuid, '{}', 'USD', 10000
    from
      generate_series(0, ${SHIFTS - 1}::int) as n,
      lateral (select ${FIRST}::text::timestamptz + n * interval '2 hours' as opened) as times`;
  await sql`
    insert into cash_drawer_events (merchant_id, shift_id, event_id, employee_id, kind, amount, created_at)
    select
      ${id}, md5('shift' || greatest(n - ${EVENTS}::int, 0) / 3)::uuid, gen_random_uuid(), md5(${id} || n % 50)::uuid,
      'PAID_IN', 1, ${FIRST}::text::timestamptz + n * interval '1 second'
    from generate_series(0, ${EVENTS + SHIFTS * 3 - 1}::int) as n`;
}

/** Each sale has a tender, every fourth has two; every tenth is partial; every fifth has a refund. */
async function fillSales({ id, locationIds }: TestMerchant): Promise<void> {
  const { sql } = server.database;
  await sql`
    insert into sales (
      merchant_id, sale_id, location_id, kind, state, created_at, device_id, device_name, employee_id, register_sale_id,
      request_hash, rung_up_at, due, paid, receipt, tender_ids
    )
    select
      ${id}, 'S' || n, (${locationIds as string[]}::text[])[1 + n % 2], 'REGISTER',
      case when n % 10 = 7 then 'OPEN' else 'COMPLETED' end, at, 'D', 'Till', gen_random_uuid(), n, '', at, 100,
      case when n % 10 = 7 then 50 else 100 end, ${storedReceipt(100)}::text::json,
      case when n % 4 = 0 then array['T' || n, 'U' || n] else array['T' || n] end
    from
      generate_series(0, ${SALES - 1}::int) as n,
      lateral (select ${FIRST}::text::timestamptz + n * interval '10 minutes' as at) as times`;
  await sql`
    insert into payments (
      merchant_id, payment_id, sale_id, location_id, channel, employee_id, register_tender_id, status, source_type,
      created_at, updated_at, captured_at, currency, amount, total, fee, refunded, details
    )
    select
      merchant_id, tender, sale_id, location_id, kind, employee_id, tender, 'COMPLETED', 'CASH', created_at, created_at,
      created_at, 'USD', 50, 50, 0, case when substr(sale_id, 2)::int % 5 = 0 then 10 else 0 end, '{}'
    from sales, unnest(tender_ids) as tender
    where merchant_id = ${id}`;
  await sql`
    insert into refunds (
      merchant_id, refund_id, payment_id, location_id, status, source_type, created_at, updated_at, currency, amount,
      order_id, origin, type
    )
    select
      merchant_id, payment_id || '_R', payment_id, location_id, 'COMPLETED', 'CASH', created_at, created_at, 'USD', 10, '',
      'REGISTER', 'PARTIAL'
    from payments
    where merchant_id = ${id} and refunded > 0`;
}

interface Examined {
  readonly rows: number;
  readonly relations: ReadonlySet<string>;
  /** The plan in one line, for the failure message. */
  readonly plan: string;
}

function summarize(answer: object | undefined): Examined {
  const [[{ Plan }]] = Object.values(ensureDefined(answer)) as [[{ Plan: PlanNode }]];
  const nodes = nodesOf(Plan);
  const scans = nodes.filter((node) => node['Node Type'].endsWith('Scan'));
  const removed = (node: PlanNode) =>
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return {
    rows: scans.reduce((sum, node) => sum + (node['Actual Rows'] + removed(node)) * node['Actual Loops'], 0),
    relations: new Set(scans.flatMap((node) => node['Relation Name'] ?? [])),
    plan: nodes.map((node) => `${node['Node Type']} ${node['Index Name'] ?? ''} ${node['Actual Rows']}`).join(' < '),
  };
}

/** The single statement that `work` sends. */
async function capture(work: () => Promise<unknown>): Promise<Statement> {
  sent.length = 0;
  await work();
  const [statement, ...others] = sent.splice(0);
  expect(others).toEqual([]);
  return ensureDefined(statement);
}

/** The rows that a statement examines with a plan for its actual parameters. */
async function examine(statement: Statement, planner = fast): Promise<Examined> {
  const explain = `explain (analyze, format json) ${statement.text}`;
  const [answer] = await planner.sql.unsafe(explain, toDriverParameters(statement) as never[]);
  return summarize(answer);
}

/** The same with the generic plan, which PostgreSQL may choose after a few executions of a prepared statement. */
async function examineGeneric({ text, parameters }: Statement): Promise<Examined> {
  const [known] = await database.sql<{ types: string[] }[]>`
    select array(select format_type(type, null) from unnest(parameter_types) as type) as types
    from pg_prepared_statements
    where statement = ${text}`;
  const { types } = ensureDefined(known);
  const literals = parameters.map((value, index) =>
    types[index]?.startsWith('timestamp') ? `'${new Date(value as string | number).toISOString()}'` : `'${value}'`,
  );
  await fast.sql.unsafe(`prepare generic (${types.join(', ')}) as ${text}`);
  const [answer] = await fast.sql.unsafe(`explain (analyze, format json) execute generic (${literals.join(', ')})`);
  await fast.sql.unsafe('deallocate generic');
  return summarize(answer);
}

type Filter = Omit<TimecardFilter, 'merchantId' | 'order' | 'page'>;

/** Each filter alone, matching most rows, a tenth, or one night. */
const FILTERS: readonly (readonly [string, () => Filter])[] = [
  ['no filter', () => ({})],
  ['employee_id', () => ({ employeeId: ensureDefined(cards[0]).employeeId })],
  ['deleted=true', () => ({ deleted: true })],
  ['deleted=false', () => ({ deleted: false })],
  ...(['clockin', 'clockout', 'updated'] as const).flatMap((name) => [
    [`begin of ${name}, matching nine tenths`, () => ({ [name]: { begin: cardAt(CARDS * 0.1) } })] as const,
    [`begin of ${name}, matching a tenth`, () => ({ [name]: { begin: cardAt(CARDS * 0.9) } })] as const,
    [`begin of ${name}, matching last night`, () => ({ [name]: { begin: lastNight(name) } })] as const,
    [`end of ${name}, matching a tenth`, () => ({ [name]: { end: cardAt(CARDS * 0.1) } })] as const,
    [`end of ${name}, matching nine tenths`, () => ({ [name]: { end: cardAt(CARDS * 0.9) } })] as const,
  ]),
];

/** Ranges with both ends: a day and a month. */
const RANGES: readonly (readonly [string, () => Filter])[] = (['clockin', 'clockout', 'updated'] as const).flatMap(
  (name) => [
    [`a day of ${name}`, () => ({ [name]: { begin: cardAt(CARDS / 2), end: cardAt(CARDS / 2 + 72) } })] as const,
    [`a month of ${name}`, () => ({ [name]: { begin: cardAt(CARDS / 2), end: cardAt(CARDS / 2 + 2160) } })] as const,
  ],
);

/** The times of the last 70 records of that kind. */
function lastNight(name: 'clockin' | 'clockout' | 'updated'): Instant {
  const times = cards.map((card) => card[`${name}At`]).sort((one, other) => other - one);
  return ensureDefined(times[69]);
}

function isWithin(time: Instant, { begin, end }: TimeRange = {}, order: SortOrder): boolean {
  const [from, to] = [begin ?? Number.NEGATIVE_INFINITY, end ?? Number.POSITIVE_INFINITY];
  return order === 'ASC' ? from <= time && time < to : from < time && time <= to;
}

/** The expected list, in order. */
function matching({ employeeId, deleted, clockin, clockout, updated }: Filter, order: SortOrder): Row[] {
  const found = cards.filter(
    (card) =>
      (employeeId === undefined || card.employeeId === employeeId) &&
      (deleted === undefined || card.deleted === deleted) &&
      isWithin(card.clockinAt, clockin, order) &&
      isWithin(card.clockoutAt, clockout, order) &&
      isWithin(card.updatedAt, updated, order),
  );
  return order === 'ASC' ? found : found.reverse();
}

/** Pages at the start, in the middle and at the end of a walk over `items`, with their expected content. */
function pagesOf<Item>(items: readonly Item[], position: (item: Item) => { at: Instant; id: string }) {
  const places = [-1, Math.floor(items.length / 2), items.length - 6];
  return places.map((place) => {
    const last = place < 0 ? undefined : items[place];
    const page: PageRequest = { limit: LIMIT, after: last && position(last) };
    return { page, expected: items.slice(last === undefined ? 0 : place + 1).slice(0, LIMIT) };
  });
}

const byCreation = ({ createdAt, id }: Row) => ({ at: createdAt, id });
const orders = ['ASC', 'DESC'] as const;
const withOrders = (filters: typeof FILTERS) =>
  filters.flatMap(([name, filter]) => orders.map((order) => ({ name, filter, order })));

describe('listing timecards', () => {
  it.each(withOrders([...FILTERS, ...RANGES]))(
    'by $name, $order, sends one statement and examines little more than the page, at any depth',
    async ({ filter: make, order }) => {
      const filter = make();
      const items = matching(filter, order);
      expect(items.length).toBeGreaterThan(60);
      for (const { page, expected } of pagesOf(items, byCreation)) {
        const request = { merchantId: merchant.id, ...filter, order, page };
        const statement = await capture(async () => {
          const { items: listed } = await listTimecards(database.sql, request);
          expect(listed.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        });
        const { rows, plan, relations } = await examine(statement);
        expect(rows, plan).toBeLessThanOrEqual(MAX_ROWS);
        expect(rows).toBeGreaterThanOrEqual(expected.length);
        expect([...relations]).toEqual(['timecards']);
        const shippedPlan = await examine(statement, shipped);
        expect(shippedPlan.rows, shippedPlan.plan).toBeLessThanOrEqual(MAX_ROWS_AS_SHIPPED);
      }
    },
  );

  it.each(withOrders(FILTERS))(
    'by $name, $order, examines as little with the generic plan of a prepared statement',
    async ({ filter: make, order }) => {
      const filter = make();
      for (const { page } of pagesOf(matching(filter, order), byCreation)) {
        const request = { merchantId: merchant.id, ...filter, order, page };
        const statement = await capture(() => listTimecards(database.sql, request));
        const { rows, plan } = await examineGeneric(statement);
        expect(rows, plan).toBeLessThanOrEqual(MAX_ROWS);
      }
    },
  );
});

describe('listing cash drawer shifts', () => {
  const half = SHIFTS / 2;
  const RANGES_OF_SHIFTS: readonly (readonly [string, TimeRange])[] = [
    ['no range', {}],
    ['begin_time, early', { begin: shiftAt(SHIFTS * 0.1) }],
    ['begin_time, late', { begin: shiftAt(SHIFTS * 0.8) }],
    ['end_time, early', { end: shiftAt(SHIFTS * 0.2) }],
    ['end_time, late', { end: shiftAt(SHIFTS * 0.9) }],
    ['both', { begin: shiftAt(SHIFTS * 0.2), end: shiftAt(SHIFTS * 0.8) }],
  ];

  it.each(RANGES_OF_SHIFTS.flatMap(([name, opened]) => orders.map((order) => ({ name, opened, order }))))(
    'in v2 by $name, $order, sends one statement, examines little more than the page, and reads no event',
    async ({ opened, order }) => {
      const all = Array.from({ length: half }, (_, index) => shiftAt(index * 2)).filter((time) =>
        isWithin(time, opened, 'ASC'),
      );
      const items = order === 'ASC' ? all : all.reverse();
      for (const place of [-1, Math.floor(items.length / 2), items.length - 6]) {
        const last = items[place];
        const after = last === undefined ? undefined : { at: last, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
        const edge = after && order === 'DESC' ? { ...after, id: '00000000-0000-0000-0000-000000000000' } : after;
        const statement = await capture(async () => {
          const page = { limit: LIMIT, after: edge };
          const request = {
            merchantId: merchant.id,
            locationId: mainLocation(merchant),
            opened,
            bounds: 'ASC',
            order,
            page,
          } as const;
          const { items: listed } = await listShiftPage(database.sql, request);
          expect(listed.map(({ openedAt }) => openedAt)).toEqual(items.slice(place + 1).slice(0, LIMIT));
        });
        for (const { rows, plan, relations } of [await examine(statement), await examineGeneric(statement)]) {
          expect(rows, plan).toBeLessThanOrEqual(MAX_ROWS);
          expect([...relations]).toEqual(['cash_drawer_shifts']);
        }
        const shippedPlan = await examine(statement, shipped);
        expect(shippedPlan.rows, shippedPlan.plan).toBeLessThanOrEqual(MAX_ROWS_AS_SHIPPED);
      }
    },
  );

  it.each(orders)('in v1, %s, examines only the shifts of its 90 days, and reads no event', async (order) => {
    const opened = { begin: shiftAt(half), end: shiftAt(half + 90 * 12) };
    let listed = 0;
    const statement = await capture(async () => {
      const filter = { merchantId: merchant.id, locationId: mainLocation(merchant), opened, bounds: order, order };
      listed = (await listShifts(database.sql, filter)).length;
    });
    expect(listed).toBe(540);
    for (const planner of [fast, shipped]) {
      const { rows, plan, relations } = await examine(statement, planner);
      expect(rows, plan).toBeLessThanOrEqual(2 * listed); // a bitmap scan counts each row twice: in the index and in the table
      expect([...relations]).toEqual(['cash_drawer_shifts']);
    }
  });
});

describe('listing the events of a shift', () => {
  it.each([0, EVENTS / 2, EVENTS - 5])(
    'after %i of them sends one statement and examines little more than the page',
    async (seen) => {
      const { sql } = server.database;
      const [shift] = await sql<{ id: string }[]>`select md5('shift0')::uuid as id`;
      const [last] = await sql<{ at: Instant; id: string }[]>`
      select created_at as at, event_id as id
      from cash_drawer_events
      where merchant_id = ${merchant.id} and shift_id = ${ensureDefined(shift).id}
      order by created_at, event_id
      offset ${Math.max(seen - 1, 0)} limit 1`;
      const after = seen === 0 ? undefined : ensureDefined(last);
      const request = { merchantId: merchant.id, shiftId: ensureDefined(shift).id, page: { limit: LIMIT, after } };
      const statement = await capture(async () => {
        const page = ensureDefined(await listShiftEvents(database.sql, request));
        expect(page.items).toHaveLength(Math.min(LIMIT, EVENTS + 3 - seen));
      });
      for (const { rows, plan } of [
        await examine(statement),
        await examineGeneric(statement),
        await examine(statement, shipped),
      ]) {
        expect(rows, plan).toBeLessThanOrEqual(MAX_ROWS);
      }
    },
  );
});

describe('listing sales', () => {
  const WHERE = [
    ['one location', 0],
    ['all locations', undefined],
  ] as const;

  it.each(
    WHERE.flatMap(([name, place]) =>
      orders.flatMap((order) => [true, false].map((includePartial) => ({ name, place, order, includePartial }))),
    ),
  )(
    'of $name, $order, with partial ones $includePartial, sends one statement and examines little more than the page',
    async ({ place, order, includePartial }) => {
      const all = Array.from({ length: SALES }, (_, sale) => sale).filter(
        (sale) => (place === undefined || sale % 2 === place) && (includePartial || sale % 10 !== 7),
      );
      const items = order === 'ASC' ? all : all.reverse();
      for (const { page, expected } of pagesOf(items, (sale) => ({ at: saleAt(sale), id: `T${sale}` }))) {
        const statement = await capture(async () => {
          const { items: listed } = await listPaidSales(database.sql, {
            merchantId: merchant.id,
            locationId: place === undefined ? undefined : merchant.locationIds[place],
            includePartial,
            created: { begin: instant(START - 1), end: saleAt(SALES) },
            order,
            page,
          });
          expect(listed.map(({ id }) => id)).toEqual(
            expected.map((sale) => `${sale % 4 === 0 || sale % 10 === 7 ? 'S' : 'T'}${sale}`),
          );
          for (const [index, { tenders, refunds }] of listed.entries()) {
            const sale = ensureDefined(expected[index]);
            expect(tenders.map(({ id }) => id)).toEqual(sale % 4 === 0 ? [`T${sale}`, `U${sale}`] : [`T${sale}`]);
            expect(refunds).toHaveLength(sale % 5 === 0 ? tenders.length : 0);
          }
        });
        for (const { rows, plan, relations } of [await examine(statement), await examineGeneric(statement)]) {
          expect(rows, plan).toBeLessThanOrEqual(MAX_ROWS);
          expect([...relations].sort()).toEqual(['payments', 'refunds', 'sales']);
        }
        const shippedPlan = await examine(statement, shipped);
        expect(shippedPlan.rows, shippedPlan.plan).toBeLessThanOrEqual(MAX_ROWS_AS_SHIPPED);
      }
    },
  );
});
