/** The current client with the three operations on orders, the only v1 operations that it still supports. */
import { SquareClient, SquareError } from 'square';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStore, place, placePaid, type TestStore } from '../support/orders.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
let store: TestStore;
let client: SquareClient;

beforeAll(async () => {
  server = await startTestServer();
  store = await createStore(server);
  client = new SquareClient({ baseUrl: server.baseUrl, token: store.merchant.token, maxRetries: 0 });
});
afterAll(() => server.stop());

describe('client.v1Transactions', () => {
  it('lists, retrieves and completes an order', async () => {
    const { locationId } = store;
    const { id } = await placePaid(store);
    const [listed] = await client.v1Transactions.v1ListOrders({ locationId, order: 'DESC', limit: 1 });
    const order = await client.v1Transactions.v1RetrieveOrder({ locationId, orderId: id });
    expect(listed).toEqual(order);
    expect(order).toMatchObject({
      id,
      state: 'OPEN',
      totalPriceMoney: { amount: 2670, currencyCode: 'USD' },
      tender: { type: 'CREDIT_CARD', panSuffix: '5858' },
      orderHistory: [{ action: 'ORDER_PLACED' }, { action: 'PAYMENT_RECEIVED' }],
    });
    const completed = await client.v1Transactions.v1UpdateOrder({
      ...{ locationId, orderId: id, action: 'COMPLETE' },
      ...{ completedNote: 'Gone', shippedTrackingNumber: '1Z999' },
    });
    expect(completed).toMatchObject({ state: 'COMPLETED', completedNote: 'Gone' });
  });

  it('is refused a refund of an unpaid order', async () => {
    const { id: orderId } = await place(store);
    const asking = client.v1Transactions.v1UpdateOrder({ locationId: store.locationId, orderId, action: 'REFUND' });
    const error = await asking.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(SquareError);
    expect(error).toMatchObject({ statusCode: 422, body: { type: 'unprocessable_entity' } });
  });
});
