/** Random histories of orders through checkout, API and clock: they match a small model, and the laws hold. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { changeClock } from '../support/clock.js';
import { repetitions } from '../support/long.js';
import {
  CARD,
  createStore,
  DECLINED,
  expect200,
  type PlacedOrder,
  place,
  retrieve,
  type TestStore,
  tryToPay,
  update,
} from '../support/orders.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const WINDOW_HOURS = 60 * DAY_HOURS;

/** What the test knows of an order, computed only from the actions. */
interface Known extends PlacedOrder {
  state: string;
  placedAt: number;
  paidAt: number;
  /** The refunded part of its payment. */
  refundedOrExchanged: number;
  readonly total: number;
}

type Step =
  | { readonly do: 'place'; readonly quantity: number }
  | { readonly do: 'pay'; readonly which: number; readonly source: string }
  | { readonly do: 'update'; readonly which: number; readonly action: 'COMPLETE' | 'CANCEL' | 'REFUND' }
  | { readonly do: 'refund'; readonly which: number; readonly part: number }
  | { readonly do: 'wait'; readonly hours: number };

const which = fc.nat({ max: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('place' as const), quantity: fc.integer({ min: 1, max: 9 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      which,
      source: fc.constantFrom(CARD, CARD, CARD, DECLINED),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('update' as const),
      which,
      action: fc.constantFrom('COMPLETE' as const, 'CANCEL' as const, 'REFUND' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('refund' as const), which, part: fc.integer({ min: 1, max: 999 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(1, 13, 24, 500) }) },
);

const ENDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  PENDING: { CANCEL: 'CANCELED' },
  OPEN: { COMPLETE: 'COMPLETED', CANCEL: 'CANCELED', REFUND: 'REFUNDED' },
  COMPLETED: { REFUND: 'REFUNDED' },
};

async function live(store: TestStore, steps: readonly Step[]): Promise<void> {
  const orders: Known[] = [];
  let hour = 0;
  const { id: merchantId, token } = store.merchant;
  for (const each of steps) {
    if (each.do === 'wait') {
      await changeClock(server, merchantId, { advance: `PT${each.hours}H` });
      hour += each.hours;
      for (const order of orders) {
        if (order.state === 'PENDING' && hour >= order.placedAt + DAY_HOURS) order.state = 'CANCELED';
      }
      continue;
    }
    if (each.do === 'place') {
      const placed = await place(store, { items: [{ item_id: store.itemIds[1], quantity: each.quantity }] });
      const total = each.quantity * 450 + 500;
      orders.push({ ...placed, state: 'PENDING', placedAt: hour, paidAt: 0, refundedOrExchanged: 0, total });
      continue;
    }
    const order = orders[each.which % Math.max(orders.length, 1)];
    if (!order) continue;
    if (each.do === 'pay') {
      const { status } = await tryToPay(store, order, each.source);
      if (order.state === 'PENDING') {
        order.state = each.source === CARD ? 'OPEN' : 'REJECTED';
        order.paidAt = hour;
      }
      expect(status).toBe(['REJECTED', 'CANCELED'].includes(order.state) ? 400 : 200);
    } else if (each.do === 'update') {
      const end = ENDS[order.state]?.[each.action];
      const isPaid = order.state !== 'PENDING';
      const left = isPaid && each.action !== 'COMPLETE' ? order.total - order.refundedOrExchanged : 0;
      const isTooLate = left > 0 && hour > order.paidAt + WINDOW_HOURS;
      const { status, text } = await update(server, store, order, each.action);
      expect([status, text.slice(0, 80)]).toEqual([end && !isTooLate ? 200 : 422, expect.any(String)]);
      if (status === 200 && end) [order.state, order.refundedOrExchanged] = [end, order.refundedOrExchanged + left];
    } else {
      const { tender } = await retrieve(server, store, order);
      if (!tender) continue;
      const amount_money = { amount: each.part, currency: 'USD' };
      const body = { idempotency_key: randomUUID(), payment_id: tender.id, amount_money };
      const { status } = await server.call('POST', '/v2/refunds', { token, body });
      const fits =
        each.part <= order.total - order.refundedOrExchanged &&
        hour * HOUR_MS <= order.paidAt * HOUR_MS + 365 * 24 * HOUR_MS;
      expect(status).toBe(fits ? 200 : 400);
      if (fits) order.refundedOrExchanged += each.part;
    }
  }
  for (const order of orders) {
    const shown = await retrieve(server, store, order);
    expect([shown.state, shown.tender?.refunded_money.amount ?? 0]).toEqual([
      order.state,
      0 - order.refundedOrExchanged,
    ]);
  }
  const listed = expect200(await server.call('GET', `/v1/${store.locationId}/orders?limit=200`, { token })).body;
  expect(listed.map(({ id }: { id: string }) => id)).toEqual(orders.map(({ id }) => id));
}

it('every history of orders follows the table of states, and the laws hold', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 40 }), async (steps) => {
      await live(await createStore(server), steps);
    }),
    { seed: 20_200_226, numRuns: repetitions({ usual: 8, long: 50 }) },
  );
  expect(await findBreaches(server.database)).toEqual([]);
});
