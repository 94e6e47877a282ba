/** Rows that the database examines for a page of refunds, by plan: little more than the page holds, however deep it lies. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Instant, instant } from '../src/base/time.js';
import { listRefunds } from '../src/business/refunds/queries.js';
import { listSaleRefunds } from '../src/business/refunds/sale-queries.js';
import { type Database, openDatabase, type Sql } from '../src/database/database.js';
import type { Order } from '../src/database/keyset.js';
import { startTestServer, type TestServer } from './support/server.js';

const LIMIT = 100;
const REFUNDS = 30_000;
const START = Date.parse('2020-01-01T00:00:00Z');
const refundAt = (refund: number): Instant => instant(START + refund * 60_000);

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

let server: TestServer;
let database: Database;
const sent: { readonly text: string; readonly parameters: readonly unknown[] }[] = [];

beforeAll(async () => {
  server = await startTestServer();
  for (const merchant of ['M1', 'M2']) await fill(merchant);
  await server.database.sql.unsafe('vacuum analyze');
  database = openDatabase(server.databaseUrl, {
    maxConnections: 1,
    onStatement: (text, parameters) => sent.push({ text, parameters }),
  });
  await database.sql`select 1`; // connecting sends statements of its own
});
afterAll(async () => {
  await database.close();
  await server.stop();
});

/** A refund a minute; nine of ten of cash, which v2 does not show; every third follows the one before. */
async function fill(id: string): Promise<void> {
  const { sql } = server.database;
  const first = new Date(START).toISOString();
  await sql`
    insert into sales (merchant_id, sale_id, location_id, created_at)
    select ${id}, 'P' || n, 'L', ${first}::text::timestamptz from generate_series(0, ${REFUNDS - 1}::int) n`;
  await sql`
    insert into payments (
      merchant_id, payment_id, sale_id, location_id, application_id, status, source_type, created_at, updated_at,
      captured_at, currency, amount, total, fee, details
    )
    select
      ${id}, 'P' || n, 'P' || n, 'L', 'A', 'COMPLETED', case when n % 10 = 0 then 'CARD' else 'CASH' end,
      ${first}::text::timestamptz, ${first}::text::timestamptz, ${first}::text::timestamptz, 'USD', 5, 5, 0, '{}'
    from generate_series(0, ${REFUNDS - 1}::int) n`;
  await sql`
    insert into refunds (
      merchant_id, refund_id, payment_id, location_id, status, source_type, created_at, updated_at, currency, amount,
      order_id, leader_id
    )
    select
      ${id}, 'R' || n, 'P' || n, 'L', 'COMPLETED', case when n % 10 = 0 then 'CARD' else 'CASH' end,
      ${first}::text::timestamptz + n * interval '1 minute', ${first}::text::timestamptz, 'USD', 1, 'O',
      case when n % 3 = 2 then 'R' || n - 1 end
    from generate_series(0, ${REFUNDS - 1}::int) n`;
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** What the one statement of `work` makes the database look at, by table. */
async function examine(work: (sql: Sql) => Promise<unknown>): Promise<Record<string, number>> {
  sent.length = 0;
  await work(database.sql);
  const [statement, ...others] = sent.splice(0);
  if (!statement) throw new Error('nothing was sent');
  expect(others).toEqual([]);
  const values = statement.parameters.map((value) =>
    /^\d{4}-\d\d-\d\dT/.test(String(value)) ? Date.parse(String(value)) : value,
  );
  const answer = await server.database.transaction(async (tx) => {
    await tx.unsafe('set local random_page_cost = 1.1');
    return tx.unsafe(`explain (analyze, format json) ${statement.text}`, values as never[]);
  });
  const [[{ Plan }]] = Object.values(answer[0] ?? {}) as [[{ Plan: PlanNode }]];
  const rows: Record<string, number> = {};
  for (const node of nodesOf(Plan)) {
    const table = node['Relation Name'];
    if (table === undefined || !node['Node Type'].endsWith('Scan')) continue;
    const seen = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    rows[table] = (rows[table] ?? 0) + seen;
  }
  return rows;
}

describe.each<Order>(['ASC', 'DESC'])('a page of refunds, %s', (order) => {
  const range = { begin: refundAt(0), end: refundAt(REFUNDS) };
  const deep = { at: refundAt(REFUNDS / 2), id: `R${REFUNDS / 2}` };

  it.each([
    ['of a location', 'L'],
    ['of all', undefined],
  ])('of v1 %s costs what it holds, first and deep', async (_, locationId) => {
    for (const after of [undefined, deep]) {
      const page = { limit: LIMIT, after };
      const rows = await examine((sql) =>
        listSaleRefunds(sql, { merchantId: 'M1', locationId, created: range, order, page }),
      );
      // Each leader is found by the list and by its key, each follower twice by its key.
      expect(rows['refunds']).toBeLessThanOrEqual(5 * (LIMIT + 1));
      expect(rows['payments']).toBeLessThanOrEqual(2 * (LIMIT + 1));
      expect(rows['sales']).toBeLessThanOrEqual(2 * (LIMIT + 1));
    }
  });

  it.each([
    ['of a location', { locationId: 'L' }],
    ['of a status', { status: 'COMPLETED' }],
    ['of all', {}],
  ] as const)('of v2 %s passes over no cash', async (_, filter) => {
    for (const after of [undefined, deep]) {
      const page = { limit: LIMIT, after };
      const rows = await examine((sql) =>
        listRefunds(sql, { merchantId: 'M1', ...filter, created: range, order, page }),
      );
      expect(rows['refunds']).toBeLessThanOrEqual(LIMIT + 1);
    }
  });
});
