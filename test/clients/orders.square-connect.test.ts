/** The 2020 client with the three operations on orders, against a listening server. */
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextPath } from '../support/http.js';
import {
  createStore,
  historyOf,
  place,
  placePaid,
  retrieve,
  type TestStore,
  type WireOrder,
} from '../support/orders.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { plain, refusalOf } from './connect.js';

interface V1TransactionsApi {
  listOrders(locationId: string, options?: Readonly<Record<string, string | number>>): Promise<WireOrder[]>;
  retrieveOrder(locationId: string, orderId: string): Promise<WireOrder>;
  updateOrder(locationId: string, orderId: string, body: object): Promise<WireOrder>;
}

interface ApiClient {
  basePath: string;
  authentications: { oauth2: { accessToken?: string } };
}

const MODELS = ['V1Order', 'V1Tender', 'V1OrderHistoryEntry'] as const;

/** The client has no types; this is the part that is used here. */
type Package = {
  readonly ApiClient: new () => ApiClient;
  readonly V1TransactionsApi: new (client: ApiClient) => V1TransactionsApi;
} & Readonly<Record<(typeof MODELS)[number], { readonly prototype: object }>>;

const SquareConnect: Package = createRequire(import.meta.url)('square-connect');

let server: TestServer;
let store: TestStore;
let api: V1TransactionsApi;

beforeAll(async () => {
  server = await startTestServer();
  store = await createStore(server);
  const client = new SquareConnect.ApiClient();
  client.basePath = server.baseUrl;
  client.authentications.oauth2.accessToken = store.merchant.token;
  api = new SquareConnect.V1TransactionsApi(client);
});
afterAll(() => server.stop());

describe('the client of 2020', () => {
  it('retrieves an order with every field of its models', async () => {
    const placed = await placePaid(store, { buyer_note: 'Ring twice', promo_code: 'TEN' });
    await api.updateOrder(store.locationId, placed.id, { action: 'COMPLETE', completed_note: 'Gone' });
    await api.updateOrder(store.locationId, placed.id, { action: 'REFUND', refunded_note: 'Back' });
    const order = await api.retrieveOrder(store.locationId, placed.id);
    // Live tenders include their tip, a field that the client does not know (decision 0054).
    const { tender, ...shown } = await retrieve(server, store, placed);
    const { tip_money, ...known }: Record<string, unknown> = tender ?? {};
    expect(tip_money).toEqual({ amount: 0, currency_code: 'USD' });
    expect(plain(order)).toEqual({ ...shown, tender: known });
    // Fields for errors, bitcoin and other final states of an order (decisions 0033, 0063).
    const absent = ['errors', 'btc_receive_address', 'btc_price_satoshi', 'canceled_note'];
    const fields = Object.keys(SquareConnect.V1Order.prototype).filter((field) => !absent.includes(field));
    expect(Object.keys(plain(order) as object).sort()).toEqual(fields.sort());
    expect(historyOf(order)).toEqual(['ORDER_PLACED', 'PAYMENT_RECEIVED', 'COMPLETED', 'REFUNDED']);
    for (const model of MODELS) expect(Object.keys(SquareConnect[model].prototype).length).toBeGreaterThan(1);
  });

  it('lists orders in both directions and pages by the token alone', async () => {
    const own = await createStore(server);
    const ids = [(await place(own)).id, (await placePaid(own)).id, (await place(own)).id];
    const { token } = own.merchant;
    const client = new SquareConnect.ApiClient();
    client.basePath = server.baseUrl;
    client.authentications.oauth2.accessToken = token;
    const theirs = new SquareConnect.V1TransactionsApi(client);
    expect((await theirs.listOrders(own.locationId)).map(({ id }) => id)).toEqual(ids);
    const descending = await theirs.listOrders(own.locationId, { order: 'DESC', limit: 2 });
    expect(descending.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    const first = await server.call('GET', `/v1/${own.locationId}/orders?order=DESC&limit=2`, { token });
    const batchToken = new URLSearchParams(nextPath(first)?.split('?')[1]).get('batch_token') ?? '';
    expect((await theirs.listOrders(own.locationId, { batchToken })).map(({ id }) => id)).toEqual([ids[0]]);
  });

  it('reads why an order cannot be changed', async () => {
    const order = await place(store);
    const wrong = await refusalOf(api.updateOrder(store.locationId, order.id, { action: 'REFUND' }));
    expect(wrong).toMatchObject({ status: 422, body: { type: 'unprocessable_entity' } });
    const pairing = { action: 'CANCEL', refunded_note: 'x' };
    const bad = await refusalOf(api.updateOrder(store.locationId, order.id, pairing));
    expect(bad).toMatchObject({ status: 400, body: { field: 'refunded_note' } });
    expect(await refusalOf(api.retrieveOrder(store.locationId, 'nothing'))).toMatchObject({ status: 404 });
    expect(await api.updateOrder(store.locationId, order.id, { action: 'CANCEL' })).toMatchObject({
      state: 'CANCELED',
    });
  });
});
