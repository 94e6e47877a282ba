import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreaches } from '../../../src/check/check.js';
import { changeClock, shifted } from '../../support/clock.js';
import { createOwner } from '../../support/dashboard.js';
import {
  CARD,
  createStore,
  DECLINED,
  expect200,
  historyOf,
  openStore,
  orderBody,
  place,
  placePaid,
  retrieve,
  type TestStore,
  tryToPay,
  tryToPlace,
} from '../../support/orders.js';
import { ensureDefined, mainLocation, openBusiness } from '../../support/people.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let server: TestServer;
let store: TestStore;

beforeAll(async () => {
  server = await startTestServer();
  store = await createStore(server);
});
afterAll(async () => {
  expect(await findBreaches(server.database)).toEqual([]);
  await server.stop();
});

const usd = (amount: number) => ({ amount, currency: 'USD' });
const bearer = (of = store) => ({ token: of.merchant.token });

describe('checkout.listItems', () => {
  it('returns the items for sale at this location and the shipping cost', async () => {
    const { body } = expect200(await store.call('GET', '/api/checkout/catalogue'));
    // Both items were created at the same instant.
    expect(body).toEqual({
      items: expect.toSatisfy((items: unknown[]) => items.length === 2),
      shipping_money: usd(500),
    });
    expect(body.items).toEqual(
      expect.arrayContaining([
        {
          id: store.itemIds[0],
          name: 'Rye loaf',
          price_money: usd(1000),
          variations: [{ id: expect.stringMatching(UUID), name: 'Regular', sku: 'RYE', price_money: usd(1000) }],
          modifier_lists: [],
          taxes: [{ name: 'Sales tax', rate: '0.08500000', inclusion_type: 'ADDITIVE' }],
        },
        {
          id: store.itemIds[1],
          name: 'Jam',
          price_money: usd(450),
          variations: [{ id: expect.stringMatching(UUID), name: 'Regular', price_money: usd(450) }],
          modifier_lists: [],
          taxes: [],
        },
      ]),
    );
    const bare = await createStore(server, {}, { items: [], shipping_money: { amount: 0 } });
    const nothing = expect200(await bare.call('GET', '/api/checkout/catalogue'));
    expect(nothing.body).toEqual({ items: [], shipping_money: usd(0) });
  });
});

describe('checkout.placeOrder', () => {
  it('computes the price from the catalogue and ignores amounts in the request', async () => {
    const items = [
      { item_id: store.itemIds[0], quantity: 3, price_money: { amount: 1 } },
      { item_id: store.itemIds[1], quantity: 1 },
    ];
    const forgedAmounts = {
      items,
      total_money: { amount: 1 },
      shipping_money: { amount: 0 },
      discounts: [{ rate: '1' }],
    };
    const { body } = expect200(await tryToPlace(store, forgedAmounts));
    expect(body.order).toMatchObject({
      state: 'PENDING',
      subtotal_money: usd(3450),
      tax_money: usd(255),
      shipping_money: usd(500),
      discount_money: usd(0),
      total_money: usd(4205),
    });
    expect(body.order_token).toMatch(/^[\w-]{43}$/);
  });

  it('subtracts a promo code from the goods, in any case, and refuses an invalid code', async () => {
    const { body } = expect200(await tryToPlace(store, { promo_code: ' tEn ' }));
    expect(body.order).toMatchObject({ discount_money: usd(-200), tax_money: usd(153), total_money: usd(2453) });
    const { status, body: refused } = await tryToPlace(store, { promo_code: 'ELEVEN' });
    expect([status, refused.errors[0].field]).toEqual([400, 'promo_code']);
  });

  it('keeps the price at which the order was placed', async () => {
    const owner = await createOwner(server);
    const own = await openStore(server, owner.merchant);
    const order = await place(own);
    const path = `/api/dashboard/catalogue/items/${own.itemIds[0]}`;
    const variations = [{ name: 'Regular', price_money: { amount: 9900 } }];
    expect200(await owner.call('PUT', path, { body: { name: 'Rye loaf', online: true, variations, version: 1 } }));
    const { body } = expect200(await tryToPay(own, order));
    expect(body.order.total_money).toEqual(usd(2670));
    expect(expect200(await tryToPlace(own)).body.order.total_money).toEqual(usd(2 * 9900 + 500));
  });

  describe('an item with modifier lists', () => {
    /** A drink with one kind of milk (oat costs 0.60), and at most two extras (syrup 0.50, cream 0.75, cocoa free). */
    async function openCafe() {
      const owner = await createOwner(server, { clock: { now: '2020-02-26T10:00:00Z', frozen: true } });
      const cafe = await openStore(server, owner.merchant);
      const create = async (path: string, body: Record<string, unknown>) =>
        expect200(await owner.call('POST', `/api/dashboard/catalogue/${path}`, { body })).body;
      const option = (name: string, amount: number) => ({ name, price_money: { amount } });
      const milk = await create('modifier-lists', {
        ...{ name: 'Milk', min_selected: 1, max_selected: 1 },
        options: [option('Cow', 0), option('Oat', 60)],
      });
      const extras = await create('modifier-lists', {
        ...{ name: 'Extras', min_selected: 0, max_selected: 2 },
        options: [option('Syrup', 50), option('Cream', 75), option('Cocoa', 0)],
      });
      const { item } = await create('items', {
        ...{ name: 'Latte', online: true, variations: [option('Regular', 400)] },
        modifier_list_ids: [milk.modifier_list.id, extras.modifier_list.id],
      });
      const ids = [milk, extras].flatMap(({ modifier_list }) => modifier_list.options) as {
        name: string;
        id: string;
      }[];
      const idOf = (name: string) => ids.find((each) => each.name === name)?.id ?? name;
      const order = (names: readonly string[], quantity = 1) =>
        tryToPlace(cafe, { items: [{ item_id: item.id, quantity, modifier_option_ids: names.map(idOf) }] });
      return { owner, cafe, item, order };
    }

    it('is sold with the chosen options, at their prices', async () => {
      const { owner, cafe, item, order } = await openCafe();
      const { items } = expect200(await cafe.call('GET', '/api/checkout/catalogue')).body;
      const shown = items.find(({ id }: { id: string }) => id === item.id);
      expect(shown.modifier_lists).toMatchObject([
        { name: 'Extras', min_selected: 0, max_selected: 2, options: [{}, {}, {}] },
        {
          name: 'Milk',
          min_selected: 1,
          max_selected: 1,
          options: [{ price_money: usd(0) }, { price_money: usd(60) }],
        },
      ]);
      const placed = expect200(await order(['Cream', 'Oat', 'Syrup'], 2)).body;
      expect(placed.order.subtotal_money).toEqual(usd(2 * (400 + 60 + 50 + 75)));
      expect200(await tryToPay(cafe, { id: placed.order.id, token: placed.order_token }));
      const { sales } = expect200(await owner.call('GET', '/api/dashboard/sales')).body;
      const { sale } = expect200(await owner.call('GET', `/api/dashboard/sales/${sales[0].id}`)).body;
      expect(sale.receipt.items[0].modifiers.map(({ name }: { name: string }) => name)).toEqual([
        'Syrup',
        'Cream',
        'Oat',
      ]);
    });

    it.each([
      ['without a required option', []],
      ['with too many options of a list', ['Cow', 'Oat']],
      ['with more extras than allowed', ['Cow', 'Syrup', 'Cream', 'Cocoa']],
      ['with an option twice', ['Cow', 'Syrup', 'Syrup']],
      ['with an option that it does not have', ['Cow', 'nothing']],
    ])('is refused %s', async (_, names) => {
      const { order } = await openCafe();
      const { status, body } = await order(names);
      expect([status, body.errors[0].field]).toEqual([400, 'items.modifier_option_ids']);
    });
  });

  it('refuses an item that is not sold here, naming it', async () => {
    const other = await createStore(server);
    for (const item_id of ['nothing', other.itemIds[0]]) {
      const { status, body } = await tryToPlace(store, { items: [{ item_id, quantity: 1 }] });
      expect([status, body.errors[0].field]).toEqual([400, 'items.item_id']);
    }
  });

  it('refuses an order with a total of zero or above the maximum', async () => {
    const own = await createStore(
      server,
      {},
      {
        shipping_money: { amount: 0 },
        promo_codes: [{ code: 'FREE', rate: '1' }],
        items: [{ name: 'Gold', price_money: { amount: 99_999_999_999 } }],
      },
    );
    for (const change of [{ promo_code: 'FREE' }, { items: [{ item_id: own.itemIds[0], quantity: 2 }] }]) {
      const { status, body } = await tryToPlace(own, change);
      expect([status, body.errors[0].code]).toEqual([400, 'INVALID_VALUE']);
    }
  });

  it.each([
    ['items', []],
    ['items.quantity', [{ item_id: 'x', quantity: 0 }]],
    ['items.quantity', [{ item_id: 'x', quantity: -1 }]],
    ['items.quantity', [{ item_id: 'x', quantity: 1.5 }]],
    ['items.quantity', [{ item_id: 'x', quantity: 1000 }]],
  ])('refuses %s as %j', async (field, items) => {
    const { status, body } = await tryToPlace(store, { items });
    expect([status, body.errors[0].field]).toEqual([400, field]);
  });

  it('returns the same order and token for the same id, and 409 for another order with that id', async () => {
    const body = orderBody(store);
    const first = expect200(await store.call('POST', '/api/checkout/orders', { body }));
    const order = { id: first.body.order.id, token: first.body.order_token };
    expect200(await tryToPay(store, order));
    const again = expect200(await store.call('POST', '/api/checkout/orders', { body }));
    expect(again.body.order_token).toBe(order.token);
    expect(again.body.order).toMatchObject({ id: order.id, state: 'OPEN' });
    const written = { ...body, buyer_note: '', promo_code: '' };
    const same = expect200(await store.call('POST', '/api/checkout/orders', { body: written }));
    expect(same.body.order_token).toBe(order.token);
    const other = await store.call('POST', '/api/checkout/orders', { body: { ...body, buyer_note: 'Another' } });
    expect([other.status, other.body.errors[0].field]).toEqual([409, 'id']);
  });
});

describe('checkout.retrieveOrder', () => {
  it('requires the token of the order: refuses its id and the key of another store', async () => {
    const order = await place(store);
    const shown = expect200(await store.call('GET', `/api/checkout/orders/${order.token}`));
    expect(shown.body.order).toMatchObject({ id: order.id, state: 'PENDING' });
    const other = await createStore(server);
    const elsewhere = await openStore(server, store.merchant);
    expect200(await elsewhere.call('GET', `/api/checkout/orders/${order.token}`)); // another key of the same location
    for (const [of, token] of [
      [store, order.id],
      [other, order.token],
      [store, `${order.token}x`],
    ] as const) {
      expect((await of.call('GET', `/api/checkout/orders/${token}`)).status).toBe(404);
      expect((await tryToPay(of, { id: order.id, token })).status).toBe(404);
    }
    expect((await store.call('GET', '/api/checkout/orders')).status).toBe(405);
  });

  it('stores the token only as a hash', async () => {
    const { token } = await place(store);
    const rows = await server.database.sql`select orders::text as row from orders`;
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) expect(row).not.toContain(token);
  });
});

describe('checkout.payOrder', () => {
  it('moves the order to OPEN; v2 returns its payment, and it is settled like any other', async () => {
    const order = await placePaid(store);
    const shown = await retrieve(server, store, order);
    const { payment } = expect200(await server.call('GET', `/v2/payments/${shown.tender?.id}`, bearer())).body;
    expect(payment).toMatchObject({
      status: 'COMPLETED',
      total_money: usd(2670),
      order_id: order.id,
      buyer_email_address: 'ana@example.com',
      location_id: store.locationId,
      card_details: { card: { last_4: '5858' }, entry_method: 'KEYED' },
      processing_fee: [{ amount_money: usd(107) }],
    });
    const path = `/v1/${store.locationId}/payments`;
    const sale = expect200(await server.call('GET', `${path}/${shown.payment_id}`, bearer())).body;
    const listed = expect200(await server.call('GET', `${path}?order=DESC&limit=200`, bearer())).body;
    expect(listed).toContainEqual(sale);
    const cents = (amount: number) => ({ amount, currency_code: 'USD' });
    expect(sale).toMatchObject({
      ...{ gross_sales_money: cents(2000), additive_tax_money: cents(170), surcharge_money: cents(500) },
      ...{ total_collected_money: cents(2670), processing_fee_money: cents(-107), is_partial: false },
      itemizations: [
        {
          ...{ name: 'Rye loaf', quantity: '2.00000000', item_variation_name: 'Regular' },
          item_detail: { sku: 'RYE', item_id: store.itemIds[0], item_variation_id: expect.stringMatching(UUID) },
          taxes: [{ fee_id: expect.stringMatching(UUID) }],
        },
      ],
      surcharges: [{ name: 'Shipping', applied_money: cents(500) }],
    });
    expect(sale.device).toEqual({});
    expect(order.id).toMatch(/^[0-9A-Za-z]{28}$/);
    // The order shows the tender of the sale.
    expect(sale.tender).toEqual([shown.tender]);
    const waiting = await place(store);
    const [row] = await server.database.sql`select sale_id from orders where order_id = ${waiting.id}`;
    expect((await server.call('GET', `${path}/${row?.['saleId']}`, bearer())).status).toBe(404);
  });

  it('returns the paid order on a second payment, and charges once', async () => {
    const order = await placePaid(store);
    for (const source of [CARD, DECLINED]) {
      const { body } = expect200(await tryToPay(store, order, source));
      expect(body.order.state).toBe('OPEN');
    }
    const [count] = await server.database.sql`
      select count(*)::integer as payments from payments p
      join orders o using (merchant_id, sale_id) where o.order_id = ${order.id}`;
    expect(count).toEqual({ payments: 1 });
  });

  it('returns a decline with its errors and the REJECTED order, also on a retry and with another card', async () => {
    const order = await place(store);
    for (const source of [DECLINED, DECLINED, CARD]) {
      const { status, body } = await tryToPay(store, order, source);
      expect([status, body.errors[0].code, body.order.state]).toEqual([400, 'GENERIC_DECLINE', 'REJECTED']);
    }
    const shown = await retrieve(server, store, order);
    expect(historyOf(shown)).toEqual(['ORDER_PLACED', 'DECLINED']);
    expect(shown.payment_id).toBeUndefined();
    expect(shown.tender).toBeUndefined();
  });

  it.each([
    ['cnon:card-nonce-already-used', 400],
    ['cnon:nobody-knows-this', 404],
    ['4111111111111111', 400],
    ['something', 400],
  ])('refuses the source %s with %i and the order stays unpaid', async (source, status) => {
    const order = await place(store);
    const answer = await tryToPay(store, order, source);
    expect([answer.status, answer.body.errors[0].field]).toEqual([status, 'source_id']);
    expect(expect200(await tryToPay(store, order)).body.order.state).toBe('OPEN');
  });

  it('refuses a gift card with too low a balance: an order is paid in full', async () => {
    const order = await place(store);
    const { status, body } = await tryToPay(store, order, 'cnon:gift-card-nonce-insufficient-funds');
    expect([status, body.errors[0].code]).toEqual([400, 'INSUFFICIENT_FUNDS']);
    const full = await place(store);
    expect200(await tryToPay(store, full, 'cnon:gift-card-nonce-ok'));
    expect((await retrieve(server, store, full)).tender).toMatchObject({ type: 'SQUARE_GIFT_CARD', name: 'Gift Card' });
  });

  it('refuses an order that has expired by the clock, even before the worker has expired it', async () => {
    const own = await createStore(server);
    const order = await place(own);
    const { sql } = server.database;
    await sql`
      update merchants set clock_frozen_at = ${shifted(sql, 'clock_frozen_at', '1 day')} where merchant_id = ${own.merchant.id}`;
    await new Promise((resolve) => setTimeout(resolve, 1100)); // the cached state of a merchant lives one second
    const { status, body } = await tryToPay(own, order);
    expect([status, body.errors[0].code]).toEqual([400, 'BAD_REQUEST']);
    await changeClock(server, own.merchant.id, { advance: 'PT1S' });
    expect((await retrieve(server, own, order)).state).toBe('CANCELED');
  });
});

describe('checkout.payOrder with a lost processor response (decision 0031)', () => {
  const rule = (of: TestStore, effect: string, more: object = {}) =>
    server.operator('POST', `/api/sandbox/merchants/${of.merchant.id}/processor-rules`, { effect, ...more });

  it('leaves the order PENDING: it neither expires nor can be cancelled, and a retry returns the outcome', async () => {
    const own = await createStore(server);
    const order = await place(own);
    expect200(await rule(own, 'TIME_OUT'));
    expect((await tryToPay(own, order)).status).toBe(503);
    const waiting = await retrieve(server, own, order);
    expect([waiting.state, waiting.payment_id]).toEqual(['PENDING', undefined]);
    const cancel = { action: 'CANCEL' };
    const path = `/v1/${own.locationId}/orders/${order.id}`;
    expect((await server.call('PUT', path, { ...bearer(own), body: cancel })).status).toBe(503);
    await changeClock(server, own.merchant.id, { advance: 'P2D' });
    expect((await retrieve(server, own, order)).state).toBe('PENDING');
    const { body } = expect200(await tryToPay(own, order, DECLINED));
    expect(body.order.state).toBe('OPEN');
    expect200(await server.call('PUT', path, { ...bearer(own), body: cancel }));
  });

  it('lets the worker record the outcome without a retry, in the same commit', async () => {
    const own = await createStore(server);
    const [good, bad] = [await place(own), await place(own)];
    for (const [order, source] of [
      [good, CARD],
      [bad, DECLINED],
    ] as const) {
      expect200(await rule(own, 'TIME_OUT'));
      expect((await tryToPay(own, order, source)).status).toBe(503);
    }
    await server.database.sql`update processor_calls set retry_at = now() where merchant_id = ${own.merchant.id}`;
    await expect
      .poll(async () => [(await retrieve(server, own, good)).state, (await retrieve(server, own, bad)).state], {
        timeout: 10_000,
      })
      .toEqual(['OPEN', 'REJECTED']);
  });

  it('leaves the order unpaid if the source turns out to be invalid', async () => {
    const own = await createStore(server);
    const order = await place(own);
    expect200(await rule(own, 'DELAY', { delay_ms: 1 }));
    expect((await tryToPay(own, order, 'cnon:card-nonce-already-used')).status).toBe(400);
    expect(expect200(await tryToPay(own, order)).body.order.state).toBe('OPEN');
  });
});

describe('pages of other sites (decision 0053)', () => {
  const origin = { origin: 'https://shop.example' };

  it('may use the checkout: every response has the CORS headers, refusals too', async () => {
    for (const answer of [
      await store.call('GET', '/api/checkout/catalogue', { headers: origin }),
      await server.call('GET', '/api/checkout/catalogue', { headers: origin }),
      await store.call('POST', '/api/checkout/orders', { body: {}, headers: origin }),
      await store.call('GET', '/api/checkout/nothing', { headers: origin }),
    ]) {
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
    const preflight = await server.call('OPTIONS', '/api/checkout/orders', {
      headers: {
        ...origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization, content-type',
    });
  });

  it('may not use any other operation', async () => {
    for (const path of [
      '/v1/me',
      '/v2/locations',
      '/api/dashboard/session',
      '/api/register/device',
      '/api/sandbox/merchants',
      '/',
    ]) {
      for (const method of ['GET', 'OPTIONS']) {
        const { headers, status } = await server.call(method, path, { ...bearer(), headers: origin });
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
        if (method === 'OPTIONS') expect(status).toBeGreaterThan(399);
      }
    }
  });
});

describe('the rate limit of a visitor', () => {
  it('is 120 writes per minute for each key, then 429 with Retry-After, while reads are still accepted', async () => {
    const own = await createStore(server);
    const refused = { items: [{ item_id: 'nothing', quantity: 1 }] };
    const answers = await Promise.all(Array.from({ length: 260 }, () => tryToPlace(own, refused)));
    const statuses = answers.map(({ status }) => status);
    // The limit refills by two per second while the requests are in flight.
    expect(statuses.filter((status) => status === 400).length).toBeGreaterThanOrEqual(120);
    const limited = ensureDefined(answers.find(({ status }) => status === 429));
    expect(limited.body.errors[0].code).toBe('RATE_LIMITED');
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    const pays = await Promise.all(Array.from({ length: 40 }, () => tryToPay(own, { id: 'x', token: 'x' })));
    expect(pays.some(({ status }) => status === 429)).toBe(true);
    expect200(await own.call('GET', '/api/checkout/catalogue'));
    expect200(await tryToPlace(store));
  });
});

describe('the dashboard of an online store', () => {
  it('sets the shipping cost and the promo codes, each code once', async () => {
    const owner = await createOwner(server);
    const path = `/api/dashboard/stores/${mainLocation(owner.merchant)}`;
    const empty = expect200(await owner.call('GET', path)).body.store;
    expect(empty).toMatchObject({ shipping_money: usd(0), promo_codes: [] });
    const body = { shipping_money: { amount: 250 }, promo_codes: [{ code: 'A', rate: '0.5' }] };
    const { store: set } = expect200(await owner.call('PUT', path, { body })).body;
    expect(set).toMatchObject({ shipping_money: usd(250), promo_codes: [{ code: 'A', rate: '0.50000000' }] });
    expect(expect200(await owner.call('GET', path)).body.store).toEqual(set);
    const twice = {
      shipping_money: { amount: 0 },
      promo_codes: [
        { code: 'A', rate: '0.5' },
        { code: 'a', rate: '1' },
      ],
    };
    const { status, body: refused } = await owner.call('PUT', path, { body: twice });
    expect([status, refused.errors[0].field]).toEqual([400, 'promo_codes']);
    expect((await owner.call('GET', '/api/dashboard/stores/elsewhere')).status).toBe(404);
  });

  it('creates keys, shows each key once, and revokes them immediately', async () => {
    const owner = await createOwner(server);
    const body = { location_id: mainLocation(owner.merchant) };
    const { key, publishable_key: token } = expect200(
      await owner.call('POST', '/api/dashboard/publishable-keys', { body }),
    ).body;
    expect(token).toMatch(/^pub_[\w-]{44}$/);
    expect200(await server.call('GET', '/api/checkout/catalogue', { token }));
    const listed = expect200(await owner.call('GET', '/api/dashboard/publishable-keys'));
    expect(listed.body.keys).toEqual([{ ...key, revoked: false }]);
    expect(listed.text).not.toContain(token);
    expect200(await owner.call('DELETE', `/api/dashboard/publishable-keys/${key.id}`));
    expect((await server.call('GET', '/api/checkout/catalogue', { token })).status).toBe(401);
    expect(expect200(await owner.call('GET', '/api/dashboard/publishable-keys')).body.keys[0].revoked).toBe(true);
  });
});

describe('a register', () => {
  it('does not show the sale of an online order', async () => {
    const { owner, register } = await openBusiness(server, {}, { role: { is_owner: true } });
    const own = await openStore(server, owner.merchant);
    const [waiting, paid] = [await place(own), await placePaid(own)];
    for (const { id } of [waiting, paid]) {
      const [row] = await server.database.sql<{ saleId: string }[]>`select sale_id from orders where order_id = ${id}`;
      const path = `/api/register/sales/${row?.saleId}`;
      expect((await register.call('GET', path)).status).toBe(404);
      expect((await register.write(`${path}/tenders`, { id: randomUUID(), type: 'CASH' })).status).toBe(404);
      expect((await register.write(`${path}/cancel`)).status).toBe(404);
    }
  });
});
