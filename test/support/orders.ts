/** Online stores and orders for tests, created over HTTP as merchants and shoppers do. */
import { randomUUID } from 'node:crypto';
import type { ApiResponse, CallOptions } from './http.js';
import { mainLocation } from './people.js';
import type { TestMerchant, TestServer } from './server.js';

type Body = Record<string, unknown>;

export const CARD = 'cnon:card-nonce-ok';
export const DECLINED = 'cnon:card-nonce-declined';

export interface V1Money {
  readonly amount: number;
  readonly currency_code: string;
}

export interface WireOrder {
  readonly id: string;
  readonly state: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly expires_at: string;
  readonly payment_id?: string;
  readonly tender?: { readonly id: string; readonly refunded_money: V1Money; readonly [other: string]: unknown };
  readonly order_history: readonly { readonly action: string; readonly created_at: string }[];
  readonly total_price_money: V1Money;
  readonly [other: string]: unknown;
}

/** A loaf with tax at 10.00 and a jar without tax at 4.50. Shipping is 5.00, and TEN takes 10 % off. */
export const ITEMS = [
  { name: 'Rye loaf', price_money: { amount: 1000 }, sku: 'RYE', tax: { name: 'Sales tax', rate: '0.085' } },
  { name: 'Jam', price_money: { amount: 450 } },
];

export interface TestStore {
  readonly merchant: TestMerchant;
  readonly locationId: string;
  readonly key: string;
  readonly itemIds: readonly string[];
  call(method: string, path: string, options?: CallOptions): Promise<ApiResponse>;
}

export async function openStore(server: TestServer, merchant: TestMerchant, change: Body = {}): Promise<TestStore> {
  const locationId = String(change['location_id'] ?? mainLocation(merchant));
  const { body } = expect200(
    await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/stores`, {
      location_id: locationId,
      shipping_money: { amount: 500 },
      promo_codes: [{ code: 'TEN', rate: '0.1' }],
      items: ITEMS,
      ...change,
    }),
  );
  const key: string = body.publishable_key;
  return {
    merchant,
    locationId,
    key,
    itemIds: body.items.map(({ id }: { id: string }) => id),
    call: (method, path, options) => server.call(method, path, { token: key, ...options }),
  };
}

/** Creates a merchant with a store. Its clock is frozen by default. */
export async function createStore(server: TestServer, merchant: Body = {}, store: Body = {}): Promise<TestStore> {
  const clock = { now: '2020-02-26T10:00:00Z', frozen: true };
  return openStore(server, await server.createMerchant({ clock, ...merchant }), store);
}

export function orderBody({ itemIds }: Pick<TestStore, 'itemIds'>, change: Body = {}): Body {
  return {
    id: randomUUID(),
    items: [{ item_id: itemIds[0], quantity: 2 }],
    recipient: { name: 'Ana Ruiz', phone_number: '+14155551234' },
    shipping_address: { address_line_1: '1 Main St', locality: 'San Francisco', postal_code: '94103', country: 'US' },
    buyer_email: 'ana@example.com',
    ...change,
  };
}

export interface PlacedOrder {
  readonly id: string;
  readonly token: string;
}

export function tryToPlace(store: TestStore, change: Body = {}, headers = {}): Promise<ApiResponse> {
  return store.call('POST', '/api/checkout/orders', { body: orderBody(store, change), headers });
}

/** Places an order, which is PENDING. */
export async function place(store: TestStore, change: Body = {}): Promise<PlacedOrder> {
  const { body } = expect200(await tryToPlace(store, change));
  return { id: body.order.id, token: body.order_token };
}

export function tryToPay(store: TestStore, { token }: PlacedOrder, source_id: string = CARD): Promise<ApiResponse> {
  return store.call('POST', `/api/checkout/orders/${token}/pay`, { body: { source_id } });
}

/** Places and pays an order, which is OPEN. */
export async function placePaid(store: TestStore, change: Body = {}): Promise<PlacedOrder> {
  const order = await place(store, change);
  expect200(await tryToPay(store, order));
  return order;
}

export function orderPath({ locationId }: TestStore, { id }: { readonly id: string }): string {
  return `/v1/${locationId}/orders/${id}`;
}

export async function retrieve(
  server: TestServer,
  store: TestStore,
  order: { readonly id: string },
): Promise<WireOrder> {
  const { token } = store.merchant;
  return expect200(await server.call('GET', orderPath(store, order), { token })).body;
}

export function update(
  server: TestServer,
  store: TestStore,
  order: { readonly id: string },
  action: string,
  notes: Body = {},
): Promise<ApiResponse> {
  const { token } = store.merchant;
  return server.call('PUT', orderPath(store, order), { token, body: { action, ...notes } });
}

export function historyOf({ order_history }: Pick<WireOrder, 'order_history'>): string[] {
  return order_history.map(({ action }) => action);
}

export function expect200(answer: ApiResponse): ApiResponse {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer;
}
