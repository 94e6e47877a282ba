/** Writes of orders that something else overtakes. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { realIds } from '../../src/base/ids.js';
import { instant } from '../../src/base/time.js';
import { expireOrder, moveOrder } from '../../src/business/orders/actions.js';
import { chargeOnline } from '../../src/business/orders/payment.js';
import { readOrder } from '../../src/business/orders/queries.js';
import { cancelOpenSale } from '../../src/business/sales/actions.js';
import { findBreaches } from '../../src/check/check.js';
import type { Change } from '../../src/database/change.js';
import type { Tx } from '../../src/database/database.js';
import { simulator } from '../../src/processor/simulator.js';
import { runDueWork } from '../../src/worker/due-work.js';
import { showTime } from '../support/clock.js';
import { changeIn, interleave } from '../support/interleaving.js';
import {
  CARD,
  createStore,
  expect200,
  historyOf,
  orderBody,
  type PlacedOrder,
  place,
  retrieve,
  type TestStore,
  tryToPay,
  update,
} from '../support/orders.js';
import { ensureDefined } from '../support/people.js';
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

/** Locks the merchant as a move of the clock does. The function that places an order then waits after it has inserted the order. */
const lockMerchant = (tx: Tx) => tx`select from merchants where merchant_id = ${store.merchant.id} for update`;

/** Locks work as the worker does. The function that moves an order then waits after it has changed the order. */
const lockWork = (tx: Tx) => tx`select from due_work where merchant_id = ${store.merchant.id} for update`;

async function countRows() {
  const [row] = await server.database.sql<{ orders: number; sales: number; works: number }[]>`
    select
      (select count(*)::integer from orders where merchant_id = ${store.merchant.id}) as orders,
      (select count(*)::integer from sales where merchant_id = ${store.merchant.id}) as sales,
      (select count(*)::integer from due_work where merchant_id = ${store.merchant.id} and kind = 'EXPIRE_ORDER') as works`;
  return row;
}

it('an order that is sent again while it is being placed is placed once, with one sale', async () => {
  store = await createStore(server);
  const body = orderBody(store);
  const send = () => store.call('POST', '/api/checkout/orders', { body });
  const answers = await interleave(server, {
    hold: lockMerchant,
    work: () => Promise.all([send(), send()]),
    meanwhile: (held) => held.untilWaiting(2),
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

const CANCEL = { action: 'CANCEL', at: AT } as const;

async function cancelOrder(change: Change, { id }: PlacedOrder): Promise<void> {
  const order = ensureDefined(await readOrder(change, id));
  moveOrder(change, order, CANCEL);
  await cancelOpenSale(change, order.saleId);
}

/** Records a payment whose processor has not responded yet. */
async function startPayment(change: Change, { id }: PlacedOrder): Promise<void> {
  const order = ensureDefined(await readOrder(change, id));
  const merchant = { id: change.merchantId, hasRules: true, processorId: null };
  const context = {
    merchant,
    processor: { ...simulator, isCertain: () => false },
    ids: realIds,
    now: AT,
    trail: { requestId: 'pay' },
  };
  await chargeOnline(change, context, { ...order, orderId: id, due: order.total }, CARD);
}

it.each<[string, (change: Change, order: PlacedOrder) => Promise<void>, string]>([
  ['is canceled', cancelOrder, 'CANCELED'],
  ['expires', (change, { id }) => expireOrder(change, id, AT), 'EXPIRED'],
])('an order that %s while its payment waits is not paid', async (_, end, last) => {
  store = await createStore(server);
  const order = await place(store);
  const paid = await interleave(server, {
    hold: (tx) => changeIn(tx, store.merchant.id, (change) => end(change, order)),
    work: () => tryToPay(store, order),
  });
  expect(paid.status).toBe(400);
  const found = await retrieve(server, store, order);
  expect([found.state, found.tender, historyOf(found)]).toEqual(['CANCELED', undefined, ['ORDER_PLACED', last]]);
});

it('an order whose payment starts while its cancellation waits is not canceled', async () => {
  store = await createStore(server);
  const order = await place(store);
  const canceled = await interleave(server, {
    hold: (tx) => changeIn(tx, store.merchant.id, (change) => startPayment(change, order)),
    work: () => update(server, store, order, 'CANCEL'),
  });
  expect(canceled.status).toBe(503);
  expect((await retrieve(server, store, order)).state).toBe('PENDING');
});

it('an order whose payment starts while its expiry waits does not expire', async () => {
  store = await createStore(server);
  const order = await place(store);
  const { database } = server;
  const worker = { signal: new AbortController().signal };
  const later = instant(AT + 48 * HOUR_MS);
  await showTime(server, store.merchant.id, later);
  await interleave(server, {
    hold: (tx) => changeIn(tx, store.merchant.id, (change) => startPayment(change, order)),
    work: () => runDueWork({ database, processor: simulator, ids: realIds }, store.merchant.id, later, worker),
  });
  expect((await retrieve(server, store, order)).state).toBe('PENDING');
  expect(await countRows()).toEqual({ orders: 1, sales: 1, works: 1 });
});

it('an order that is paid twice at once is charged once', async () => {
  store = await createStore(server);
  const order = await place(store);
  const answers = await interleave(server, {
    hold: (tx) => tx`select from orders where merchant_id = ${store.merchant.id} for update`,
    work: () => Promise.all([tryToPay(store, order), tryToPay(store, order)]),
    meanwhile: (held) => held.untilWaiting(2),
  });
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const payments = await server.database.sql`select from payments where merchant_id = ${store.merchant.id}`;
  expect(payments).toHaveLength(1);
});

it('an order that is in another state by then is not moved', async () => {
  store = await createStore(server);
  const order = await place(store);
  const moving = interleave(server, {
    hold: (tx) => changeIn(tx, store.merchant.id, (change) => cancelOrder(change, order)),
    work: () => changeIn(server.database.sql, store.merchant.id, (change) => cancelOrder(change, order)),
  });
  await expect(moving).rejects.toThrow(/^changed: /);
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
