/** Writes of orders that something else overtakes. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { instant } from '../../src/base/time.js';
import type { OrderAction, OrderState } from '../../src/business/orders/model.js';
import { moveOrder } from '../../src/business/orders/queries.js';
import { findBreaches } from '../../src/check/laws.js';
import type { Tx } from '../../src/database/database.js';
import { pollUntil } from '../support/clock.js';
import { interleave } from '../support/interleaving.js';
import {
  createStore,
  expect200,
  historyOf,
  orderBody,
  type PlacedOrder,
  place,
  retrieve,
  type TestStore,
  tryToPay,
} from '../support/orders.js';
import { startTestServer, type TestServer } from '../support/server.js';

const HOUR_MS = 3_600_000;
const AT = instant(Date.parse('2020-02-26T10:00:00Z'));

let server: TestServer;
let store: TestStore;

beforeAll(async () => {
  server = await startTestServer();
});
afterEach(async () => expect(await findBreaches(server.database)).toEqual([]));
afterAll(() => server.stop());

/** Whoever moves the clock locks the merchant like this. The function that places an order stops after it has inserted the order. */
const lockMerchant = (tx: Tx) => tx`select from merchants where merchant_id = ${store.merchant.id} for update`;

/** The worker locks work like this. The function that moves an order stops after it has changed the order. */
const lockWork = (tx: Tx) => tx`select from due_work where merchant_id = ${store.merchant.id} for update`;

async function countRows() {
  const [row] = await server.database.sql<{ orders: number; sales: number; works: number }[]>`
    select
      (select count(*)::integer from orders where merchant_id = ${store.merchant.id}) as orders,
      (select count(*)::integer from sales where merchant_id = ${store.merchant.id}) as sales,
      (select count(*)::integer from due_work where merchant_id = ${store.merchant.id} and kind = 'EXPIRE_ORDER') as works`;
  return row;
}

async function untilWaiting(requests: number): Promise<void> {
  const waiting = () => server.database.sql`select distinct pid from pg_locks where not granted`;
  await pollUntil(waiting, (rows) => rows.length === requests, 20_000);
}

it('an order that is sent again while it is being placed is placed once, with one sale', async () => {
  store = await createStore(server);
  const body = orderBody(store);
  const send = () => store.call('POST', '/api/checkout/orders', { body });
  const answers = await interleave(server, {
    hold: lockMerchant,
    work: () => Promise.all([send(), send()]),
    meanwhile: () => untilWaiting(2),
  });
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(new Set(answers.map(({ body: { order } }) => order.id)).size).toBe(1);
  expect(await countRows()).toEqual({ orders: 1, sales: 1, works: 1 });
});

it('an order expires by a clock that moved while it was being placed', async () => {
  store = await createStore(server, { clock: { now: '2020-02-26T10:00:00Z', frozen: false } });
  const { id } = await interleave(server, {
    hold: async (tx) => {
      await lockMerchant(tx);
      await tx`
        update merchants set clock_offset_ms = clock_offset_ms + ${HOUR_MS} where merchant_id = ${store.merchant.id}`;
    },
    work: () => place(store),
  });
  const [row] = await server.database.sql<{ isByClock: boolean }[]>`
    select run_at = due_at - clock_offset_ms * interval '1 millisecond' as is_by_clock
    from due_work
    join merchants using (merchant_id)
    where subject_id = ${id}`;
  expect(row).toEqual({ isByClock: true });
});

const move = (tx: Tx, { id: orderId }: PlacedOrder, action: OrderAction, to: OrderState): Promise<boolean> =>
  moveOrder(tx, store.merchant.id, { orderId, from: 'PENDING', to, action, at: AT });

it('an order that is canceled while its next state waits stays canceled', async () => {
  store = await createStore(server);
  const order = await place(store);
  const hasMoved = await interleave(server, {
    hold: async (tx) => {
      await move(tx, order, 'CANCEL', 'CANCELED');
      await tx`update sales set state = 'CANCELED' where merchant_id = ${store.merchant.id}`;
    },
    work: () => server.database.statement((tx) => move(tx, order, 'DECLINE', 'REJECTED')),
  });
  const found = await retrieve(server, store, order);
  expect([hasMoved, found.state, historyOf(found)]).toEqual([false, 'CANCELED', ['ORDER_PLACED', 'CANCELED']]);
});

it('an order that is paid while a worker postpones its expiry is shown as pending until then, and never expires', async () => {
  store = await createStore(server);
  const order = await place(store);
  const paid = await interleave(server, {
    hold: async (tx) => {
      await lockWork(tx);
      await tx`update due_work set run_at = now() where merchant_id = ${store.merchant.id}`;
    },
    work: () => tryToPay(store, order),
    meanwhile: async () => {
      const found = await retrieve(server, store, order);
      expect([found.state, found.tender]).toEqual(['PENDING', undefined]);
    },
  });
  expect200(paid);
  const found = await retrieve(server, store, order);
  expect([found.state, historyOf(found)]).toEqual(['OPEN', ['ORDER_PLACED', 'PAYMENT_RECEIVED']]);
  expect(await countRows()).toEqual({ orders: 1, sales: 1, works: 0 });
});
