/** The owner's online orders: all locations by state, completing with a tracking number, canceling, refunding. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { openStore, type PlacedOrder, place, placePaid, retrieve, type TestStore } from '../../support/orders.js';
import { advance, expectBooksInOrder, usd } from '../../support/payments.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let owner: TestOwner;
let [here, there]: TestStore[] = [];

beforeAll(async () => {
  server = await startTestServer();
  const clock = { now: '2020-02-26T10:00:00Z', frozen: true };
  owner = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }], clock });
  const [one, two] = owner.merchant.locationIds;
  here = await openStore(server, owner.merchant, { location_id: one });
  there = await openStore(server, owner.merchant, { location_id: two });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const store = (): TestStore => here as TestStore;

const act = (id: string, body: Record<string, unknown>): Promise<ApiResponse> =>
  owner.call('PUT', `/api/dashboard/orders/${id}`, { body });

async function list(query = ''): Promise<string[]> {
  const { body } = await owner.call('GET', `/api/dashboard/orders?${query}`);
  return body.orders.map(({ id }: PlacedOrder) => id);
}

describe('the list', () => {
  it('has the orders of all locations, by state and by location, in pages', async () => {
    const first = await place(store());
    await advance(server, owner.merchant, 'PT1S');
    const second = await placePaid(there as TestStore);
    expect(await list()).toEqual([second.id, first.id]);
    expect(await list('order=ASC')).toEqual([first.id, second.id]);
    expect(await list('state=OPEN')).toEqual([second.id]);
    expect(await list(`location_id=${store().locationId}`)).toEqual([first.id]);
    expect(await list(`location_id=${store().locationId}&state=OPEN`)).toEqual([]);
    const { body } = await owner.call('GET', '/api/dashboard/orders?limit=1');
    expect(await list(`limit=1&cursor=${body.cursor}`)).toEqual([first.id]);
  });
});

describe('an order', () => {
  it('is completed with a tracking number and a note', async () => {
    const order = await placePaid(store());
    const before = (await owner.call('GET', `/api/dashboard/orders/${order.id}`)).body.order;
    expect(before).toMatchObject({ state: 'OPEN', actions: ['COMPLETE', 'CANCEL', 'REFUND'], first_item: 'Rye loaf' });
    expect(before.receipt.items[0]).toMatchObject({ name: 'Rye loaf', quantity: 2 });
    const { body } = await act(order.id, { action: 'COMPLETE', tracking_number: '1Z-17', note: 'With the baker' });
    expect(body.order).toMatchObject({
      ...{ state: 'COMPLETED', tracking_number: '1Z-17', completed_note: 'With the baker', actions: ['REFUND'] },
      history: [{ action: 'ORDER_PLACED' }, { action: 'PAYMENT_RECEIVED' }, { action: 'COMPLETED' }],
    });
    expect(await retrieve(server, store(), order)).toMatchObject({ state: 'COMPLETED' });
    const { body: sale } = await owner.call('GET', `/api/dashboard/sales/${body.order.sale_id}`);
    expect(sale.sale.order_id).toBe(order.id);
  });

  it('is canceled and refunded by the owner in one step, after a part was refunded by item', async () => {
    const order = await placePaid(store());
    const { sale_id, total_money } = (await owner.call('GET', `/api/dashboard/orders/${order.id}`)).body.order;
    const items = { type: 'ITEMS', items: [{ line: 0, quantity: '1' }] };
    const path = `/api/dashboard/sales/${sale_id}`;
    const { body: quoted } = await owner.call('POST', `${path}/refund-quotes`, { body: items });
    expect(quoted.amount_money).toEqual(usd(1085));
    const body = { ...items, amount_money: quoted.amount_money, idempotency_key: order.id };
    expect((await owner.call('POST', `${path}/refunds`, { body })).status).toBe(200);
    const canceled = await act(order.id, { action: 'CANCEL', note: 'Sold out' });
    expect(canceled.body.order).toMatchObject({
      ...{ state: 'CANCELED', canceled_note: 'Sold out', refunded_money: total_money, actions: [] },
    });
    const { refunds } = (await owner.call('GET', path)).body.sale;
    expect(refunds).toMatchObject([{ made_by: 'OWNER' }, { made_by: 'OWNER', reason: 'Sold out' }]);
    const { audit_events } = (await owner.call('GET', '/api/dashboard/audit-events?kind=REFUND_CREATED')).body;
    expect(audit_events[0].details['refund_id']).toBe(refunds[1].id);
  });

  it('that is not paid is canceled without a refund', async () => {
    const order = await place(store());
    const { body } = await act(order.id, { action: 'CANCEL' });
    expect(body.order).toMatchObject({ state: 'CANCELED', refunded_money: usd(0) });
    expect(body.order.sale_id).toBeUndefined();
  });

  it('refuses what its state does not allow, also to the second of two people', async () => {
    const order = await placePaid(store());
    const [one, other] = await Promise.all([
      act(order.id, { action: 'CANCEL' }),
      act(order.id, { action: 'COMPLETE' }),
    ]);
    expect([one.status, other.status].toSorted()).toEqual([200, 400]);
    const wrong = await act(order.id, { action: 'CANCEL', tracking_number: '1Z' });
    expect(wrong.body.errors[0].field).toBe('tracking_number');
  });

  it('of another merchant is unknown', async () => {
    const stranger = await createOwner(server);
    const order = await place(store());
    const path = `/api/dashboard/orders/${order.id}`;
    expect((await stranger.call('GET', path)).status).toBe(404);
    expect((await stranger.call('PUT', path, { body: { action: 'CANCEL' } })).status).toBe(404);
  });
});
