/** Rows that the database examines for a page of orders and for one order by its token: no more than are returned. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { instant } from '../src/base/time.js';
import { findOrderByToken, listOrders } from '../src/business/orders/queries.js';
import type { Sql } from '../src/database/database.js';
import { createStore, placePaid, type TestStore } from './support/orders.js';
import { type Examiner, openExaminer } from './support/plans.js';
import { startTestServer, type TestServer } from './support/server.js';

const LIMIT = 200;
const ORDERS = 5000;

let server: TestServer;
let store: TestStore;
let examiner: Examiner;

beforeAll(async () => {
  server = await startTestServer();
  store = await createStore(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
  const order = await placePaid(store);
  await multiply(server.database.sql, order.id);
  await server.database.sql.unsafe('vacuum analyze');
  examiner = await openExaminer(server);
});
afterAll(async () => {
  await examiner.close();
  await server.stop();
});

/** Inserts copies of an order with its sale and payment, one second apart, alternating between two locations. */
async function multiply(sql: Sql, orderId: string): Promise<void> {
  const [there = ''] = store.merchant.locationIds.slice(1);
  const own: Readonly<Record<string, string>> = {
    order_id: "'O' || n",
    sale_id: "'S' || n",
    payment_id: "'P' || n",
    client_id: 'n::text',
    token_hash: 'sha256(n::text::bytea)',
    created_at: "created_at + n * interval '1 second'",
    location_id: `case n % 2 when 0 then location_id else '${there}' end`,
  };
  for (const table of ['sales', 'orders', 'payments']) {
    const columns = await sql<{ name: string }[]>`
      select column_name as name from information_schema.columns
      where table_name = ${table} and table_schema = 'public' and is_generated = 'NEVER'`;
    const names = columns.map(({ name }) => name);
    await sql.unsafe(
      `insert into ${table} (${names.join()}) select ${names.map((name) => own[name] ?? name).join()}
       from (select * from ${table} where sale_id = (select sale_id from orders where order_id = $1)) own,
         generate_series(1, ${ORDERS}) n`,
      [orderId],
    );
  }
}

it.each(['ASC', 'DESC'] as const)(
  'a page of orders, %s, examines only its orders and their payments',
  async (direction) => {
    const key = { merchantId: store.merchant.id, locationId: store.locationId };
    const middle = { at: instant(Date.parse('2020-02-26T10:40:00Z')), id: 'O' };
    for (const after of [undefined, middle]) {
      const rows = await examiner.examine((sql) =>
        listOrders(sql, { ...key, direction, page: { limit: LIMIT, after } }),
      );
      expect(rows).toEqual({ orders: LIMIT + 1, payments: LIMIT + 1 });
    }
  },
);

it('an order by its token examines one row', async () => {
  const key = { merchantId: store.merchant.id, locationId: store.locationId };
  const [row] = await server.database.sql<{ tokenHash: Buffer }[]>`
    select token_hash from orders where order_id = 'O1000'`;
  const rows = await examiner.examine(async (sql) => {
    expect((await findOrderByToken(sql, key, row?.tokenHash ?? Buffer.alloc(0)))?.id).toBe('O1000');
  });
  expect(rows).toEqual({ orders: 1, payments: 1, sales: 1 });
});
