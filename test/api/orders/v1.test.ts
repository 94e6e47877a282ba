import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreaches } from '../../../src/check/check.js';
import { changeClock } from '../../support/clock.js';
import { nextPath } from '../../support/http.js';
import {
  createStore,
  DECLINED,
  expect200,
  historyOf,
  openStore,
  orderPath,
  type PlacedOrder,
  place,
  placePaid,
  retrieve,
  type TestStore,
  tryToPay,
  update,
  type WireOrder,
} from '../../support/orders.js';
import { receiptUrlOf } from '../../support/payments.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let store: TestStore;

beforeAll(async () => {
  server = await startTestServer();
  store = await createStore(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
});
afterAll(async () => {
  expect(await findBreaches(server.database)).toEqual([]);
  await server.stop();
});

const usd = (amount: number) => ({ amount, currency_code: 'USD' });
const advance = (by: string, of = store) => changeClock(server, of.merchant.id, { advance: by });
const token = (of = store) => ({ token: of.merchant.token });

/** The refunds of an order's payment, as v2 shows them. */
async function refundsOf(
  order: WireOrder,
  of = store,
): Promise<{ amount_money: { amount: number }; status: string }[]> {
  const { body } = expect200(await server.call('GET', `/v2/payments/${order.tender?.id}`, token(of)));
  const ids: string[] = body.payment.refund_ids ?? [];
  const answers = await Promise.all(ids.map((id) => server.call('GET', `/v2/refunds/${id}`, token(of))));
  return answers.map((answer) => expect200(answer).body.refund);
}

describe('v1.retrieveOrder', () => {
  it('returns an order that waits for its payment, without a payment', async () => {
    const placed = await place(store, { buyer_note: 'Ring twice', promo_code: 'ten' });
    const order = await retrieve(server, store, placed);
    expect(order).toEqual({
      id: placed.id,
      buyer_email: 'ana@example.com',
      recipient_name: 'Ana Ruiz',
      recipient_phone_number: '+14155551234',
      state: 'PENDING',
      shipping_address: {
        address_line_1: '1 Main St',
        locality: 'San Francisco',
        postal_code: '94103',
        country: 'US',
      },
      // 2000 - 200 = 1800, and 8.5 % of that.
      subtotal_money: usd(2000),
      total_discount_money: usd(-200),
      total_tax_money: usd(153),
      total_shipping_money: usd(500),
      total_price_money: usd(2453),
      created_at: '2020-02-26T10:00:00Z',
      updated_at: '2020-02-26T10:00:00Z',
      expires_at: '2020-02-27T10:00:00Z',
      buyer_note: 'Ring twice',
      promo_code: 'ten',
      order_history: [{ action: 'ORDER_PLACED', created_at: '2020-02-26T10:00:00Z' }],
    });
  });

  it('returns a paid order with its payment, its tender and both entries of its history', async () => {
    const order = await retrieve(server, store, await placePaid(store));
    expect(order.state).toBe('OPEN');
    expect(historyOf(order)).toEqual(['ORDER_PLACED', 'PAYMENT_RECEIVED']);
    expect(order.payment_id).toEqual(expect.any(String));
    expect(order.tender).toEqual({
      id: expect.any(String),
      type: 'CREDIT_CARD',
      name: 'Credit Card',
      receipt_url: receiptUrlOf(server, store.merchant, String(order.tender?.id)),
      card_brand: 'VISA',
      pan_suffix: '5858',
      entry_method: 'WEB_FORM',
      total_money: usd(2670),
      tip_money: usd(0),
      tendered_money: usd(2670),
      tendered_at: '2020-02-26T10:00:00Z',
      settled_at: '2020-02-26T10:00:00Z',
      refunded_money: usd(0),
      is_exchange: false,
    });
  });

  it('returns 404 under another location, and for an unknown id', async () => {
    const { id } = await place(store);
    const other = store.merchant.locationIds[1];
    for (const path of [
      `/v1/${other}/orders/${id}`,
      `/v1/me/orders/nothing`,
      `/v1/${store.locationId}/orders/nothing`,
    ]) {
      for (const method of ['GET', 'PUT']) {
        const body = method === 'PUT' ? { body: { action: 'CANCEL' } } : {};
        expect((await server.call(method, path, { ...token(), ...body })).status).toBe(404);
      }
    }
    expect((await retrieve(server, store, { id })).state).toBe('PENDING');
  });

  it('finds and changes an order of any location under `me` (decision 0018)', async () => {
    const own = await createStore(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
    const there = await openStore(server, own.merchant, { location_id: own.merchant.locationIds[1] });
    const [here, far] = [await place(own), await place(there)];
    const call = (method: string, path: string, body?: unknown) =>
      server.call(method, path, { token: own.merchant.token, body });
    for (const { id } of [here, far]) {
      expect(await call('GET', `/v1/me/orders/${id}`)).toMatchObject({ status: 200, body: { id, state: 'PENDING' } });
      const canceled = await call('PUT', `/v1/me/orders/${id}`, { action: 'CANCEL' });
      expect([canceled.status, canceled.body.state]).toEqual([200, 'CANCELED']);
    }
    expect((await server.call('GET', `/v1/me/orders/${far.id}`, token())).status).toBe(404);
  });
});

describe('v1.listOrders', () => {
  it('lists the orders of all locations under `me`, and the one that a payment has paid', async () => {
    const own = await createStore(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
    const there = await openStore(server, own.merchant, { location_id: own.merchant.locationIds[1] });
    const placed = [await placePaid(own), await place(there), await placePaid(there), await place(own)];
    const list = async (path: string) => (await server.call('GET', path, { token: own.merchant.token })).body;
    const ids = placed.map(({ id }) => id);
    const idsOf = (orders: readonly { id: string }[]) => orders.map(({ id }) => id);
    expect(idsOf(await list('/v1/me/orders'))).toEqual(ids);
    expect(idsOf(await list('/v1/me/orders?order=DESC'))).toEqual(ids.toReversed());
    const page = await server.call('GET', '/v1/me/orders?limit=3', { token: own.merchant.token });
    expect(idsOf([...page.body, ...(await list(nextPath(page) ?? ''))])).toEqual(ids);
    for (const { id } of [placed[0], placed[2]] as { id: string }[]) {
      const { payment_id } = await list(`/v1/me/orders/${id}`);
      expect(idsOf(await list(`/v1/me/orders?payment_id=${payment_id}`))).toEqual([id]);
    }
    expect(await list('/v1/me/orders?payment_id=nobody')).toEqual([]);
  });

  it('lists the orders of a location by the time of placement, page by page, in both directions', async () => {
    const own = await createStore(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
    const there = await openStore(server, own.merchant, { location_id: own.merchant.locationIds[1] });
    await place(there);
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      ids.push((await (n % 2 ? place(own) : placePaid(own))).id);
      if (n !== 2) await advance('PT1M', own); // two orders at the same time
    }
    const walk = async (search: string): Promise<WireOrder[]> => {
      const seen: WireOrder[] = [];
      let path: string | undefined = `/v1/${own.locationId}/orders?limit=2${search}`;
      while (path !== undefined) {
        const answer = expect200(await server.call('GET', path, token(own)));
        expect(answer.body.length).toBeLessThan(3);
        seen.push(...answer.body);
        path = nextPath(answer);
      }
      return seen;
    };
    const listed = await walk('');
    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect((await walk('&order=DESC')).map(({ id }) => id)).toEqual([...ids].reverse());
    for (const order of listed) expect(order).toEqual(await retrieve(server, own, order));
  });
});

describe('v1.updateOrder', () => {
  const NOTES = ['completed_note', 'canceled_note', 'refunded_note'];

  it('completes a paid order, with a note; the tracking number is never returned', async () => {
    const order = await placePaid(store);
    const notes = { completed_note: 'On its way', shipped_tracking_number: '1Z999' };
    const { body, text } = expect200(await update(server, store, order, 'COMPLETE', notes));
    expect(body).toMatchObject({ state: 'COMPLETED', completed_note: 'On its way' });
    expect(historyOf(body)).toEqual(['ORDER_PLACED', 'PAYMENT_RECEIVED', 'COMPLETED']);
    expect(text).not.toContain('1Z999');
    expect(await retrieve(server, store, order)).toEqual(body);
    expect(await refundsOf(body)).toEqual([]);
    const [row] = await server.database.sql`select tracking_number from orders where order_id = ${order.id}`;
    expect(row).toEqual({ trackingNumber: '1Z999' });
  });

  it.each([
    ['CANCEL', 'CANCELED', 'canceled_note'],
    ['REFUND', 'REFUNDED', 'refunded_note'],
  ])('refunds all the money on %s of a paid order', async (action, state, field) => {
    const order = await placePaid(store);
    const before = await retrieve(server, store, order);
    const { body } = expect200(await update(server, store, order, action, { [field]: 'Sorry' }));
    expect(body).toMatchObject({ state, [field]: 'Sorry', tender: { refunded_money: usd(-2670) } });
    expect(historyOf(body)).toEqual(['ORDER_PLACED', 'PAYMENT_RECEIVED', state]);
    expect(await refundsOf(before)).toMatchObject([
      { status: 'PENDING', amount_money: { amount: 2670 }, reason: 'Sorry' },
    ]);
    await advance('PT10S');
    expect(await refundsOf(before)).toMatchObject([{ status: 'COMPLETED' }]);
  });

  it('refunds on REFUND of a completed order, and records the outcome in the history', async () => {
    const order = await placePaid(store);
    expect200(await update(server, store, order, 'COMPLETE', { completed_note: 'Gone' }));
    const { body } = expect200(await update(server, store, order, 'REFUND'));
    expect(body).toMatchObject({ state: 'REFUNDED', completed_note: 'Gone' });
    expect(historyOf(body)).toEqual(['ORDER_PLACED', 'PAYMENT_RECEIVED', 'COMPLETED', 'REFUNDED']);
  });

  it('refunds only what was not refunded before; a remainder of zero is not an error', async () => {
    for (const part of [700, 2670]) {
      const order = await placePaid(store);
      const { tender } = await retrieve(server, store, order);
      const body = {
        idempotency_key: `${order.id}-${part}`,
        payment_id: tender?.id,
        amount_money: { amount: part, currency: 'USD' },
      };
      expect200(await server.call('POST', '/v2/refunds', { ...token(), body }));
      const updated = expect200(await update(server, store, order, 'REFUND')).body;
      expect(updated.tender.refunded_money).toEqual(usd(-2670));
      const amounts = (await refundsOf(updated)).map(({ amount_money }) => amount_money.amount);
      expect(amounts).toEqual(part === 2670 ? [2670] : [700, 1970]);
    }
  });

  it('cancels an unpaid order, and refunds nothing', async () => {
    const order = await place(store);
    const { body } = expect200(await update(server, store, order, 'CANCEL', { canceled_note: 'Sold out' }));
    expect(body).toMatchObject({ state: 'CANCELED', canceled_note: 'Sold out' });
    expect(historyOf(body)).toEqual(['ORDER_PLACED', 'CANCELED']);
    expect((await tryToPay(store, order)).status).toBe(400);
    expect(await retrieve(server, store, order)).toEqual(body);
  });

  it.each(NOTES.concat('shipped_tracking_number'))('accepts %s with its own action only', async (field) => {
    const own = { completed_note: 'COMPLETE', canceled_note: 'CANCEL', refunded_note: 'REFUND' }[field] ?? 'COMPLETE';
    const order = await placePaid(store);
    for (const action of ['COMPLETE', 'CANCEL', 'REFUND'].filter((each) => each !== own)) {
      const { status, body } = await update(server, store, order, action, { [field]: 'x' });
      expect([status, body]).toEqual([
        400,
        { type: 'bad_request.invalid_parameter', message: expect.stringContaining(own), field },
      ]);
    }
    expect((await retrieve(server, store, order)).state).toBe('OPEN');
    expect200(await update(server, store, order, own, { [field]: 'x' }));
  });

  it('treats an empty note as absent', async () => {
    const order = await placePaid(store);
    const { body } = expect200(
      await update(server, store, order, 'COMPLETE', { canceled_note: '', refunded_note: null }),
    );
    expect(body.state).toBe('COMPLETED');
  });

  it('refuses a missing or unknown action, naming it', async () => {
    const order = await place(store);
    for (const body of [{}, { action: 'SHIP' }, { action: 5 }, { action: 'complete' }]) {
      const answer = await server.call('PUT', orderPath(store, order), { ...token(), body });
      expect([answer.status, answer.body.field]).toEqual([400, 'action']);
    }
  });

  it('refunds up to 60 days after the payment, and refuses later without changing the order (decision 0033)', async () => {
    const own = await createStore(server);
    const [early, late, refundedEarlier] = [await placePaid(own), await placePaid(own), await placePaid(own)];
    const { tender } = await retrieve(server, own, refundedEarlier);
    const refund = { idempotency_key: 'all', payment_id: tender?.id, amount_money: { amount: 2670, currency: 'USD' } };
    expect200(await server.call('POST', '/v2/refunds', { ...token(own), body: refund }));
    await advance('P60D', own);
    expect200(await update(server, own, early, 'REFUND'));
    await advance('PT1S', own);
    for (const action of ['CANCEL', 'REFUND']) {
      const { status, body } = await update(server, own, late, action);
      expect([status, body.type]).toEqual([422, 'unprocessable_entity']);
    }
    expect((await retrieve(server, own, late)).state).toBe('OPEN');
    expect(await refundsOf(await retrieve(server, own, late), own)).toEqual([]);
    // Completing moves no money, and neither does refunding an order that is already refunded.
    expect200(await update(server, own, late, 'COMPLETE'));
    expect200(await update(server, own, refundedEarlier, 'REFUND'));
  });

  it('refuses with 422 if an earlier refund of the payment failed', async () => {
    const own = await createStore(server);
    const order = await placePaid(own);
    const { tender } = await retrieve(server, own, order);
    expect200(
      await server.operator('POST', `/api/sandbox/merchants/${own.merchant.id}/processor-rules`, {
        effect: 'FAIL_REFUND',
      }),
    );
    const refund = { idempotency_key: 'part', payment_id: tender?.id, amount_money: { amount: 100, currency: 'USD' } };
    expect200(await server.call('POST', '/v2/refunds', { ...token(own), body: refund }));
    await advance('PT10S', own);
    const { status, body } = await update(server, own, order, 'REFUND');
    expect([status, body.type]).toEqual([422, 'unprocessable_entity']);
    expect((await retrieve(server, own, order)).state).toBe('OPEN');
  });
});

describe('the states of an order (decision 0033)', () => {
  const MAKE: Readonly<Record<string, (of: TestStore) => Promise<PlacedOrder>>> = {
    PENDING: (of) => place(of),
    OPEN: (of) => placePaid(of),
    COMPLETED: (of) => updated(of, 'COMPLETE'),
    CANCELED: (of) => updated(of, 'CANCEL'),
    REFUNDED: (of) => updated(of, 'REFUND'),
    async REJECTED(of) {
      const order = await place(of);
      expect((await tryToPay(of, order, DECLINED)).status).toBe(400);
      return order;
    },
  };
  const TABLE: readonly (readonly [string, string, string | 422])[] = [
    ['PENDING', 'COMPLETE', 422],
    ['PENDING', 'CANCEL', 'CANCELED'],
    ['PENDING', 'REFUND', 422],
    ['OPEN', 'COMPLETE', 'COMPLETED'],
    ['OPEN', 'CANCEL', 'CANCELED'],
    ['OPEN', 'REFUND', 'REFUNDED'],
    ['COMPLETED', 'COMPLETE', 422],
    ['COMPLETED', 'CANCEL', 422],
    ['COMPLETED', 'REFUND', 'REFUNDED'],
    ...['CANCELED', 'REFUNDED', 'REJECTED'].flatMap((from) =>
      ['COMPLETE', 'CANCEL', 'REFUND'].map((action) => [from, action, 422] as const),
    ),
  ];

  async function updated(of: TestStore, action: string): Promise<PlacedOrder> {
    const order = await placePaid(of);
    expect200(await update(server, of, order, action));
    return order;
  }

  it.each(TABLE)('%s with the action %s gives %s', async (from, action, outcome) => {
    const order = await (MAKE[from] as (of: TestStore) => Promise<PlacedOrder>)(store);
    const before = await retrieve(server, store, order);
    expect(before.state).toBe(from);
    const { status, body } = await update(server, store, order, action);
    if (outcome === 422) {
      expect([status, body.type]).toEqual([422, 'unprocessable_entity']);
      expect(body.message).toContain(from);
      expect(await retrieve(server, store, order)).toEqual(before);
    } else {
      expect([status, body.state]).toEqual([200, outcome]);
    }
  });
});

describe('the times of an order', () => {
  it("expires by the merchant's clock if unpaid, with the due time as its time", async () => {
    const own = await createStore(server);
    const [unpaid, paid, canceled] = [await place(own), await placePaid(own), await place(own)];
    expect200(await update(server, own, canceled, 'CANCEL'));
    await advance('PT23H59M59S', own);
    expect((await retrieve(server, own, unpaid)).state).toBe('PENDING');
    await advance('P3D', own);
    const order = await retrieve(server, own, unpaid);
    expect(order).toMatchObject({ state: 'CANCELED', updated_at: '2020-02-27T10:00:00Z' });
    expect(order.order_history).toEqual([
      { action: 'ORDER_PLACED', created_at: '2020-02-26T10:00:00Z' },
      { action: 'EXPIRED', created_at: '2020-02-27T10:00:00Z' },
    ]);
    expect((await retrieve(server, own, paid)).state).toBe('OPEN');
    expect(historyOf(await retrieve(server, own, canceled))).toEqual(['ORDER_PLACED', 'CANCELED']);
    const { status, body } = await tryToPay(own, unpaid);
    expect([status, body.errors[0].code]).toEqual([400, 'BAD_REQUEST']);
    const [left] = await server.database.sql`
      select count(*)::integer as works from due_work
      where merchant_id = ${own.merchant.id} and kind = 'EXPIRE_ORDER'`;
    expect(left).toEqual({ works: 0 });
  });

  it('moves updated_at with each change, in whole seconds', async () => {
    const own = await createStore(server, { clock: { now: '2020-02-26T10:00:00.700Z', frozen: true } });
    const order = await place(own);
    await advance('PT90S', own);
    expect200(await tryToPay(own, order));
    await advance('PT90S', own);
    expect200(await update(server, own, order, 'COMPLETE'));
    const shown = await retrieve(server, own, order);
    expect(shown.order_history.map(({ created_at }) => created_at)).toEqual([
      '2020-02-26T10:00:00Z',
      '2020-02-26T10:01:30Z',
      '2020-02-26T10:03:00Z',
    ]);
    expect(shown).toMatchObject({ created_at: '2020-02-26T10:00:00Z', updated_at: '2020-02-26T10:03:00Z' });
  });
});
