import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { changeClock } from '../support/clock.js';
import type { ApiResponse } from '../support/http.js';
import {
  CARD,
  createStore,
  DECLINED,
  expect200,
  orderBody,
  type PlacedOrder,
  place,
  placePaid,
  retrieve,
  type TestStore,
  update,
  type WireOrder,
} from '../support/orders.js';
import { PLACES, startTestServer, type TestServer } from '../support/server.js';

/** Enough rounds for every order of events to occur. */
const ROUNDS = 5;

let server: TestServer;
/** The server for the other side of a race: another server of the same database, or the same one. */
let other: TestServer;
let second: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  second = await startTestServer({ databaseUrl: server.databaseUrl });
});
afterAll(async () => {
  expect(await findBreaches(server.database)).toEqual([]);
  await second.stop();
  await server.stop();
});

const statuses = (answers: readonly ApiResponse[]): number[] => answers.map(({ status }) => status).sort();

/** The rows that the money of an order created. */
async function moneyOf({ id }: PlacedOrder): Promise<{ payments: number; refunds: number; refunded: number }> {
  const [row] = await server.database.sql<{ payments: number; refunds: number; refunded: number }[]>`
    select count(distinct p.payment_id)::integer as payments, count(r.refund_id)::integer as refunds,
      coalesce(sum(r.amount), 0)::integer as refunded
    from orders o
    left join payments p using (merchant_id, sale_id)
    left join refunds r using (merchant_id, payment_id)
    where o.order_id = ${id}`;
  if (!row) throw new Error('no such order');
  return row;
}

describe.each(PLACES)('$where', ({ servers }) => {
  beforeAll(() => {
    other = servers === 1 ? server : second;
  });

  describe('two updates of one order', () => {
    it.each([
      ['REFUND', 'REFUND', ['REFUNDED']],
      ['CANCEL', 'CANCEL', ['CANCELED']],
      ['CANCEL', 'REFUND', ['CANCELED', 'REFUNDED']],
      ['CANCEL', 'COMPLETE', ['CANCELED', 'COMPLETED']],
    ])(
      '%s and %s: one succeeds, the other is refused, and the money is refunded at most once',
      async (one, two, ends) => {
        const store = await createStore(server);
        for (let round = 0; round < ROUNDS; round++) {
          const order = await placePaid(store);
          const answers = await Promise.all([
            update(server, store, order, one),
            update(other, store, order, two),
            update(server, store, order, one),
            update(other, store, order, two),
          ]);
          expect(statuses(answers)).toEqual([200, 422, 422, 422]);
          const { state } = await retrieve(server, store, order);
          expect(ends).toContain(state);
          const isRefunded = state !== 'COMPLETED';
          expect(await moneyOf(order)).toEqual({
            payments: 1,
            refunds: isRefunded ? 1 : 0,
            refunded: isRefunded ? 2670 : 0,
          });
        }
      },
    );

    it('COMPLETE and REFUND refund the money once, whichever is first', async () => {
      const store = await createStore(server);
      for (let round = 0; round < ROUNDS; round++) {
        const order = await placePaid(store);
        const [completed, refunded] = await Promise.all([
          update(server, store, order, 'COMPLETE'),
          update(other, store, order, 'REFUND'),
        ]);
        expect(refunded.status).toBe(200);
        expect([200, 422]).toContain(completed.status);
        expect((await retrieve(server, store, order)).state).toBe('REFUNDED');
        expect(await moneyOf(order)).toMatchObject({ refunds: 1, refunded: 2670 });
      }
    });
  });

  describe('an update and a v2 refund of the same order', () => {
    it('never refund more than was paid', async () => {
      const store = await createStore(server);
      for (let round = 0; round < ROUNDS; round++) {
        const order = await placePaid(store);
        const { tender } = (await retrieve(server, store, order)) as WireOrder;
        const body = {
          idempotency_key: randomUUID(),
          payment_id: tender?.id,
          amount_money: { amount: 1000, currency: 'USD' },
        };
        const [updated, refunded] = await Promise.all([
          update(server, store, order, 'CANCEL'),
          other.call('POST', '/v2/refunds', { token: store.merchant.token, body }),
        ]);
        expect(updated.status).toBe(200);
        expect([200, 400]).toContain(refunded.status);
        expect(await moneyOf(order)).toEqual({ payments: 1, refunds: refunded.status === 200 ? 2 : 1, refunded: 2670 });
      }
    });
  });

  describe('placing', () => {
    it('the same order many times at once creates it once and returns it to all', async () => {
      const store = await createStore(server);
      const body = orderBody(store);
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          (n % 2 ? server : other).call('POST', '/api/checkout/orders', {
            token: store.key,
            body,
            headers: {},
          }),
        ),
      );
      expect(new Set(statuses(answers))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ body: { order } }) => order.id)).size).toBe(1);
      const [count] = await server.database.sql`
      select count(*)::integer as orders from orders where merchant_id = ${store.merchant.id}`;
      expect(count).toEqual({ orders: 1 });
    });
  });

  describe('paying', () => {
    const pay = (at: TestServer, { key }: TestStore, { token }: PlacedOrder, source_id: string) =>
      at.call('POST', `/api/checkout/orders/${token}/pay`, { token: key, body: { source_id } });

    it.each([
      ['responds at once', undefined],
      ['may lose its response', { effect: 'DELAY', delay_ms: 5, times: 1000 }],
    ])('one order many times at once charges once when the processor %s', async (_, rule) => {
      const store = await createStore(server);
      if (rule)
        expect200(await server.operator('POST', `/api/sandbox/merchants/${store.merchant.id}/processor-rules`, rule));
      for (let round = 0; round < ROUNDS; round++) {
        const order = await place(store);
        const answers = await Promise.all(
          [CARD, DECLINED, CARD, DECLINED].map((source, n) => pay(n % 2 ? server : other, store, order, source)),
        );
        const { state } = await retrieve(server, store, order);
        // One request was tried, and all receive its outcome.
        expect(statuses(answers)).toEqual(state === 'OPEN' ? [200, 200, 200, 200] : [400, 400, 400, 400]);
        expect(['OPEN', 'REJECTED']).toContain(state);
        expect(await moneyOf(order)).toMatchObject({ payments: 1 });
      }
    });

    it('during CANCEL results in a paid and refunded order, or in one that was never paid', async () => {
      const store = await createStore(server);
      for (let round = 0; round < ROUNDS; round++) {
        const order = await place(store);
        const [paid, canceled] = await Promise.all([
          pay(server, store, order, CARD),
          update(other, store, order, 'CANCEL'),
        ]);
        expect(canceled.status).toBe(200);
        expect((await retrieve(server, store, order)).state).toBe('CANCELED');
        expect(await moneyOf(order)).toEqual(
          paid.status === 200 || (await moneyOf(order)).payments === 1
            ? { payments: 1, refunds: 1, refunded: 2670 }
            : { payments: 0, refunds: 0, refunded: 0 },
        );
      }
    });

    it('during expiry results in an OPEN order, or in an expired one that was never paid', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const store = await createStore(server);
        const order = await place(store);
        await changeClock(server, store.merchant.id, { advance: 'PT23H59M59S' });
        const [paid] = await Promise.all([
          pay(server, store, order, CARD),
          changeClock(other, store.merchant.id, { advance: 'PT1S' }),
        ]);
        const { state } = await retrieve(server, store, order);
        expect([paid.status, state]).toEqual(paid.status === 200 ? [200, 'OPEN'] : [400, 'CANCELED']);
        expect(await moneyOf(order)).toMatchObject({ payments: paid.status === 200 ? 1 : 0 });
      }
    });
  });
});
