/** Pages for buyers: the page of an online store, and the receipt page with the addresses that lead to it (decision 0156). */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { callApi } from '../../support/http.js';
import {
  CARD,
  DECLINED,
  expect200,
  openStore,
  place,
  placePaid,
  type TestStore,
  tryToPay,
  tryToPlace,
  update,
} from '../../support/orders.js';
import { ensurePages } from '../../support/pages.js';
import { expectBooksInOrder, pay } from '../../support/payments.js';
import { openBusiness, type Register } from '../../support/people.js';
import { freePort } from '../../support/ports.js';
import { Receiver, subscribe } from '../../support/receiver.js';
import { card, cash, item, sell, type WireSale } from '../../support/register-sales.js';
import { cloneDatabase, startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  ensurePages();
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

describe('the page of a store and its checkout', () => {
  let owner: TestOwner;
  let store: TestStore;

  const ADDRESS = { address_line_1: 'Strandgaten 3', locality: 'Bergen', postal_code: '5013' };
  const usd = (amount: number) => ({ amount, currency: 'USD' });

  beforeAll(async () => {
    const locations = [
      { name: 'Quay', timezone: 'Europe/Oslo' },
      { name: 'Hill', timezone: 'Europe/Oslo' },
    ];
    const clock = { now: '2020-02-26T10:00:00Z', frozen: true };
    ({ owner } = await openBusiness(server, { business_name: 'Bean & <Leaf>', clock, locations }));
    const [id] = owner.merchant.locationIds;
    const { body } = await owner.call('GET', `/api/dashboard/locations/${id}`);
    const settings = {
      name: 'Quay',
      timezone: 'Europe/Oslo',
      status: 'ACTIVE',
      version: body.version,
      address: ADDRESS,
    };
    expect200(await owner.call('PUT', `/api/dashboard/locations/${id}`, { body: settings }));
    store = await openStore(server, owner.merchant);
  });

  const keyIn = (page: string) => /<meta name="publishable-key" content="(pub_\w+)">/.exec(page)?.[1] ?? '';
  const open = (locationId: string | undefined, rest = '') => server.call('GET', `/store/${locationId}${rest}`);

  describe('the page of a store', () => {
    it('has the key of its location, at every address below it', async () => {
      for (const rest of ['', '/checkout', '/orders/secret']) {
        const { status, text, headers } = await open(store.locationId, rest);
        expect(status).toBe(200);
        expect(text).toContain('<title>Bean &amp; &lt;Leaf&gt;</title>');
        expect(text).toContain(`<meta name="location-id" content="${store.locationId}">`);
        expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
        expect(headers['cache-control']).toBe('no-cache');
        const answer = await server.call('GET', '/api/checkout/catalogue', { token: keyIn(text) });
        expect(expect200(answer).body.items).toHaveLength(2);
      }
    });

    it('is a 404 for people if there is no store', async () => {
      const [, closed] = owner.merchant.locationIds;
      for (const id of [closed, 'nobody', 'x'.repeat(100), '%3Cb%3E']) {
        const { status, text, headers } = await open(id);
        expect(status).toBe(404);
        expect(headers['content-type']).toBe('text/html; charset=utf-8');
        expect(text).toContain('There is no store at this address');
      }
    });

    it('opens when the owner sets the store up, and closes when its key is revoked', async () => {
      const [, id] = owner.merchant.locationIds;
      const body = { shipping_money: { amount: 0 }, promo_codes: [] };
      const set = async () => expect200(await owner.call('PUT', `/api/dashboard/stores/${id}`, { body }));
      const keys = async () => expect200(await owner.call('GET', '/api/dashboard/publishable-keys')).body.keys;
      const here = async () => (await keys()).filter((key: { location_id: string }) => key.location_id === id);
      await set();
      expect(await here()).toMatchObject([{ of_store_page: true, revoked: false }]);
      const key = keyIn((await open(id)).text);
      expect200(await server.call('GET', '/api/checkout/store', { token: key }));
      expect200(await owner.call('DELETE', `/api/dashboard/publishable-keys/${(await here())[0].id}`));
      expect((await open(id)).status).toBe(404);
      expect((await server.call('GET', '/api/checkout/store', { token: key })).status).toBe(401);
      await set();
      expect(keyIn((await open(id)).text)).toBe(key);
      expect200(await server.call('GET', '/api/checkout/store', { token: key }));
      expect(await here()).toHaveLength(1);
    });
  });

  describe('the owner of a store', () => {
    it('opens and closes its page, sees where it is, and finds both in the audit log', async () => {
      const own = await createOwner(server);
      const [id = ''] = own.merchant.locationIds;
      const path = `/api/dashboard/stores/${id}`;
      const body = { shipping_money: { amount: 0 }, promo_codes: [] };
      expect(expect200(await own.call('GET', path)).body.store.page_path).toBeUndefined();
      const opened = expect200(await own.call('PUT', path, { body })).body.store;
      expect(opened.page_path).toBe(`/store/${id}`);
      expect(expect200(await own.call('GET', path)).body.store).toEqual(opened);
      expect((await open(id)).status).toBe(200);
      const closed = expect200(await own.call('PUT', path, { body: { ...body, is_open: false } })).body.store;
      expect(closed.page_path).toBeUndefined();
      expect((await open(id)).status).toBe(404);
      const { audit_events: events } = expect200(
        await own.call('GET', '/api/dashboard/audit-events?kind=STORE_CHANGED'),
      ).body;
      expect(events.map(({ details }: { details: unknown }) => details)).toEqual([
        { location_id: id, page: 'closed' },
        { location_id: id, page: 'open' },
      ]);
    });
  });

  describe('checkout.showStore', () => {
    it('shows whose store it is, how orders get to the buyer, and test cards', async () => {
      const { store: shown } = expect200(await store.call('GET', '/api/checkout/store')).body;
      expect(shown).toMatchObject({
        location_id: store.locationId,
        business_name: 'Bean & <Leaf>',
        location_name: 'Quay',
        address: ADDRESS,
        timezone: 'Europe/Oslo',
        shipping_money: usd(500),
        offers_pickup: true,
      });
      expect(shown.test_cards).toContainEqual({ source_id: CARD, label: 'Visa', last_4: '5858' });
    });
  });

  describe('checkout.priceOrder', () => {
    const price = (change: object) =>
      store.call('POST', '/api/checkout/prices', {
        body: { items: [{ item_id: store.itemIds[0], quantity: 2 }], ...change },
      });

    it('says what an order would cost, and stores nothing', async () => {
      const before = await owner.call('GET', '/api/dashboard/orders');
      const sums = { subtotal_money: usd(2000), tax_money: usd(170), discount_money: usd(0) };
      expect(expect200(await price({})).body.price).toMatchObject({
        ...sums,
        shipping_money: usd(500),
        total_money: usd(2670),
      });
      const picked = expect200(await price({ fulfillment: 'PICKUP', promo_code: 'ten' })).body.price;
      expect(picked).toMatchObject({
        ...{ subtotal_money: usd(2000), tax_money: usd(153), discount_money: usd(-200) },
        ...{ shipping_money: usd(0), total_money: usd(1953) },
        receipt_lines: [
          { figure: 'subtotal', name: 'Subtotal', amount_money: usd(2000), is_sum: false },
          { figure: 'discounts', name: 'TEN', amount_money: usd(-200), is_sum: false },
          { figure: 'taxes', name: 'Sales tax 8.5 %', amount_money: usd(153), is_sum: false },
          { figure: 'total', name: 'Total', amount_money: usd(1953), is_sum: true },
        ],
      });
      expect((await owner.call('GET', '/api/dashboard/orders')).body).toEqual(before.body);
    });

    it('refuses an unknown promo code, an unknown fulfillment, and an empty cart', async () => {
      const refused = await price({ promo_code: 'NONE' });
      expect(refused.status).toBe(400);
      expect(refused.body.errors[0]).toMatchObject({ code: 'INVALID_VALUE', field: 'promo_code' });
      expect((await price({ fulfillment: 'BY_DRONE' })).status).toBe(400);
      expect((await price({ items: [] })).status).toBe(400);
    });
  });

  describe('an order that is picked up', () => {
    it('costs no shipping, and goes to the address of the location on every surface', async () => {
      const change = { fulfillment: 'PICKUP', shipping_address: undefined };
      const { body } = expect200(await tryToPlace(store, change));
      expect(body.order).toMatchObject({
        ...{ fulfillment: 'PICKUP', shipping_address: ADDRESS, recipient_name: 'Ana Ruiz' },
        ...{ shipping_money: usd(0), total_money: usd(2170) },
      });
      const order = await placePaid(store, change);
      const own = expect200(await owner.call('GET', `/api/dashboard/orders/${order.id}`)).body.order;
      expect(own).toMatchObject({ fulfillment: 'PICKUP', shipping_address: ADDRESS });
      const { token } = store.merchant;
      const v1 = expect200(await server.call('GET', `/v1/${store.locationId}/orders/${order.id}`, { token })).body;
      expect(v1.shipping_address).toEqual(ADDRESS);
    });

    it.each([
      ['an address', { fulfillment: 'PICKUP' }, 'shipping_address'],
      ['no address to send it to', { shipping_address: undefined }, 'shipping_address'],
      ['an unknown way', { fulfillment: 'BY_DRONE' }, 'fulfillment'],
    ])('is refused with %s', async (_, change, field) => {
      const { status, body } = await tryToPlace(store, change);
      expect(status).toBe(400);
      expect(body.errors[0].field).toBe(field);
    });

    it('is refused by a store without an address', async () => {
      const other = await openStore(server, owner.merchant, { location_id: owner.merchant.locationIds[1] });
      expect(expect200(await other.call('GET', '/api/checkout/store')).body.store.offers_pickup).toBe(false);
      const items = [{ item_id: other.itemIds[0], quantity: 1 }];
      const refused = [
        await tryToPlace(other, { fulfillment: 'PICKUP', shipping_address: undefined }),
        await other.call('POST', '/api/checkout/prices', { body: { fulfillment: 'PICKUP', items } }),
      ];
      for (const { status, body } of refused) {
        expect(status).toBe(400);
        expect(body.errors[0].field).toBe('fulfillment');
        expect(body.errors[0].detail).toMatch(/^This store offers no pick-up/);
      }
    });
  });

  describe('the status of an order', () => {
    const show = async (token: string) =>
      expect200(await store.call('GET', `/api/checkout/orders/${token}`)).body.order;

    it('says what was ordered and what has happened to it', async () => {
      const order = await place(store, { promo_code: 'TEN' });
      expect(await show(order.token)).toMatchObject({
        state: 'PENDING',
        items: [{ name: 'Rye loaf', quantity: 2, modifiers: [], total_money: usd(2000) }],
        refunded_money: usd(0),
      });
      expect(await show(order.token)).not.toHaveProperty('receipt_url');
      expect200(await tryToPay(store, order));
      const paid = await show(order.token);
      expect(paid).toMatchObject({ state: 'OPEN', card_brand: 'VISA', last_4: '5858' });
      expect(paid.receipt_url).toMatch(/^\/receipts\/\w+\?merchant=/);
      const notes = { shipped_tracking_number: '1Z999', completed_note: 'On its way' };
      expect200(await update(server, store, order, 'COMPLETE', notes));
      expect(await show(order.token)).toMatchObject({
        state: 'COMPLETED',
        tracking_number: '1Z999',
        note: 'On its way',
      });
      expect200(await update(server, store, order, 'REFUND', { refunded_note: 'Sorry' }));
      expect(await show(order.token)).toMatchObject({
        state: 'REFUNDED',
        note: 'Sorry',
        refunded_money: paid.total_money,
      });
    });

    it('names the chosen variation', async () => {
      const variations = [
        { name: 'Small', price_money: { amount: 400 } },
        { name: 'Large', price_money: { amount: 500 } },
      ];
      const made = await owner.call('POST', '/api/dashboard/catalogue/items', {
        body: { name: 'Tea', online: true, variations },
      });
      const { id, variations: saved } = expect200(made).body.item;
      const { token } = await place(store, { items: [{ item_id: id, variation_id: saved[1].id, quantity: 1 }] });
      expect((await show(token)).items).toMatchObject([{ name: 'Tea', variation_name: 'Large' }]);
    });

    it('has no receipt after a decline', async () => {
      const order = await place(store);
      expect((await tryToPay(store, order, DECLINED)).status).toBe(400);
      const shown = await show(order.token);
      expect(shown.state).toBe('REJECTED');
      expect(shown).not.toHaveProperty('receipt_url');
      expect(shown).not.toHaveProperty('last_4');
    });
  });

  describe('the receipt of an order', () => {
    const receiptOf = async (token: string) => {
      const { order } = expect200(await store.call('GET', `/api/checkout/orders/${token}`)).body;
      return expect200(await server.call('GET', order.receipt_url)).text;
    };

    it('shows recipient, fulfillment, tracking number and history, and nothing else about the buyer', async () => {
      const order = await placePaid(store, { buyer_note: 'Ring twice' });
      expect(await receiptOf(order.token)).toContain('Shipping to');
      expect200(await update(server, store, order, 'COMPLETE', { shipped_tracking_number: '1Z<999>' }));
      const page = await receiptOf(order.token);
      expect(page).toContain(
        'Sent to<small>Ana Ruiz</small><small>1 Main St</small><small>San Francisco 94103</small>',
      );
      expect(page).toContain('Tracking number<small>1Z&lt;999&gt;</small>');
      for (const name of ['Ordered', 'Paid', 'Sent']) expect(page).toContain(`<th scope="row">${name}</th>`);
      for (const secret of ['ana@example.com', '+14155551234', 'Ring twice', order.token])
        expect(page).not.toContain(secret);
    });

    it('names the place of a pick-up', async () => {
      const order = await placePaid(store, { fulfillment: 'PICKUP', shipping_address: undefined });
      expect(await receiptOf(order.token)).toContain('Pick-up at<small>Ana Ruiz</small><small>Strandgaten 3</small>');
    });
  });
});

describe('the page of a receipt', () => {
  let owner: TestOwner;
  let till: Register;

  beforeAll(async () => {
    const clock = { now: '2020-02-26T10:00:00Z', frozen: true };
    const role = { permissions: ['REGISTER_ISSUE_REFUNDS'] };
    const locations = [{ name: 'Main Street', timezone: 'America/New_York' }];
    const merchant = { business_name: 'Bean & <Leaf>', clock, locations };
    ({ owner, register: till } = await openBusiness(server, merchant, { role }));
  });

  const path = (id: string, merchant = owner.merchant.id) => `/receipts/${id}?merchant=${merchant}`;
  const idOf = (sale: WireSale) => sale.payment_id ?? '';

  async function show(id: string): Promise<string> {
    const answer = await server.call('GET', path(id));
    expect(answer.status, answer.text).toBe(200);
    return answer.text;
  }

  /** The rows of all tables: name with details, and amount. */
  function rowsOf(page: string): string[][] {
    return [...page.matchAll(/<tr[^>]*><th scope="row">(.*?)<\/th><td>(.*?)<\/td><\/tr>/gs)].map(([, name, amount]) =>
      [name, amount].map((cell) => (cell ?? '').replaceAll(/<small>(.*?)<\/small>/g, ' | $1')),
    );
  }

  describe('the receipt page', () => {
    it('shows everything that a buyer paid for, to the cent, in the time of the location', async () => {
      const sale = await sell(till, {
        itemizations: [
          item(400, {
            name: 'Latte <large>',
            quantity: '2',
            modifiers: [{ name: 'Oat', price_money: { amount: 50 } }],
          }),
          item(333, {
            name: 'Loaf',
            item_variation_name: 'Rye',
            notes: 'Sliced',
            discounts: [{ name: 'Old', rate: '0.5' }],
          }),
        ],
        discounts: [{ name: 'Morning', amount_money: { amount: 100 } }],
        taxes: [{ name: 'Sales tax', rate: '0.0875' }],
        tenders: [card(500, { tip_money: { amount: 150 } }), cash(undefined, { tendered_money: { amount: 1000 } })],
      });
      const page = await show(idOf(sale));
      const total = sale['total_money'] as { amount: number };
      expect(rowsOf(page)).toEqual([
        ['2 × Latte &lt;large&gt; | $4.00 each | Oat $1.00', '$9.00'],
        ['Loaf | Rye | Sliced', '$3.33'],
        ['Subtotal', '$12.33'],
        ['Morning', '-$1.00'],
        ['Old', expect.stringMatching(/^-\$1\.6\d$/)],
        ['Sales tax 8.75 %', expect.stringMatching(/^\$0\.\d\d$/)],
        ['Total', `$${(total.amount / 100).toFixed(2)}`],
        ['Tip', '$1.50'],
        ['Total with tip', `$${((total.amount + 150) / 100).toFixed(2)}`],
        ['Visa 5858', '$6.50'],
        [expect.stringMatching(/^Cash \| Received \$10\.00, change \$\d\.\d\d$/), expect.any(String)],
      ]);
      const cents = (row: number) => Number(rowsOf(page)[row]?.[1]?.replaceAll(/[$.]/g, ''));
      expect(cents(2) + cents(3) + cents(4) + cents(5)).toBe(total.amount);
      expect(page).toContain('<h1>Bean &amp; &lt;Leaf&gt;</h1>');
      expect(page).toContain('Feb 26, 2020');
      expect(page).toMatch(/5:00.AM/);
      expect(page).toContain(`Receipt ${sale['receipt_number']}`);
      expect(/<script|employee|till 1/i.test(page)).toBe(false);
    });

    it('names inclusive taxes after the total, and discounts as buyers see them', async () => {
      const sale = await sell(till, {
        itemizations: [item(1200, { taxes: [{ name: 'VAT', rate: '0.2', inclusion_type: 'INCLUSIVE' }] })],
        discounts: [{ name: 'Ten', rate: '0.1' }],
        tenders: [cash()],
      });
      expect(rowsOf(await show(idOf(sale)))).toEqual([
        ['Loaf', '$12.00'],
        ['Subtotal', '$12.00'],
        ['Ten', '-$1.20'],
        ['Total', '$10.80'],
        ['Includes VAT 20 %', '$1.80'],
        ['Cash', '$10.80'],
      ]);
    });

    it('shows refunds, and what is missing or canceled', async () => {
      const sale = await sell(till, { tenders: [cash()] });
      const refund = { payment_id: idOf(sale), type: 'PARTIAL', reason: 'A secret', refunded_money: { amount: 250 } };
      expect((await till.write('/api/register/refunds', refund)).status).toBe(200);
      const page = await show(idOf(sale));
      expect(rowsOf(page).at(-1)).toEqual([expect.stringMatching(/^Refund to Cash \| Feb 26, 2020/), '-$2.50']);
      expect(page).not.toContain('A secret');
      const open = await sell(till, { tenders: [cash(400)] });
      expect(await show(idOf(open))).toContain('Not paid in full yet: $6.00 left.');
      await till.write(`/api/register/sales/${open.id}/cancel`);
      expect(await show(idOf(open))).toContain('This sale was canceled.');
    });

    it('shows payments of applications, and sales without a tender', async () => {
      const payment = await pay(server, owner.merchant, { amount_money: { amount: 1500, currency: 'USD' } });
      expect(rowsOf(await show(payment.id))).toEqual([
        ['Custom amount', '$15.00'],
        ['Total', '$15.00'],
        ['Visa 5858', '$15.00'],
      ]);
      const free = await sell(till, { itemizations: [item(0)], tenders: [] });
      expect(rowsOf(await show(idOf(free)))).toEqual([
        ['Loaf', '$0.00'],
        ['Total', '$0.00'],
      ]);
    });

    it('is for those who have the address: not listed, without scripts, with pictures of this server only', async () => {
      const { headers } = await server.call('GET', path(idOf(await sell(till))));
      expect(headers['x-robots-tag']).toBe('noindex, nofollow');
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src data: 'self';/,
      );
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['cache-control']).toContain('no-store');
    });

    it('says what to do if there is no such receipt', async () => {
      const sale = await sell(till);
      const { owner: other } = await openBusiness(server);
      const { refunds } = (
        await till.write('/api/register/refunds', { payment_id: idOf(sale), type: 'FULL', reason: 'Cold' })
      ).body;
      for (const address of [
        path(idOf(sale), other.merchant.id),
        path(idOf(sale), 'nobody'),
        `/receipts/${idOf(sale)}`,
        path(`${idOf(sale)}x`),
        path(refunds[0].id),
        path('x'.repeat(300)),
        path('%00'),
        path("'%20or%201=1"),
      ]) {
        const answer = await server.call('GET', address);
        expect([address, answer.status]).toEqual([address, 404]);
        expect(answer.text).toContain('There is no receipt at this address');
      }
    });
  });

  describe('receipt_url', () => {
    it('is the path at a register of a server without a public URL, and the whole address with one', async () => {
      const sale = await sell(till);
      expect(sale['receipt_url']).toBe(path(idOf(sale)));
      expect((await server.call('GET', String(sale['receipt_url']))).status).toBe(200);
      expect((await sell(till, {}))['receipt_url']).toBeUndefined();
      const config = { port: await freePort(), publicUrl: 'https://till.example' };
      const known = await startTestServer({ databaseUrl: server.databaseUrl, config });
      try {
        const headers = { 'tillhouse-employee-session': till.session };
        const options = { token: till.device.token, headers };
        const at = `http://127.0.0.1:${config.port}`;
        const found = await callApi(at, 'GET', `/api/register/sale-search?query=${sale.id}`, options);
        expect(found.body.sales[0].receipt_url).toBe(`https://till.example${path(idOf(sale))}`);
      } finally {
        await known.stop();
      }
    });

    it('leads to the page under the public URL in both generations and in webhooks', async () => {
      const config = { port: await freePort(), publicUrl: 'https://till.example' };
      const receiver = await Receiver.open();
      // The first server stops, so that the one with the public URL sends the message.
      const database = await cloneDatabase();
      const first = await startTestServer({ databaseUrl: database.url });
      const merchant = await first.createMerchant();
      await subscribe(first, merchant, receiver.url, { event_types: ['payment.created'] });
      await first.stop();
      const known = await startTestServer({ databaseUrl: database.url, config });
      try {
        const call = (method: string, at: string, body?: object) =>
          callApi(`http://127.0.0.1:${config.port}`, method, at, { token: merchant.token, ...(body && { body }) });
        const made = await call('POST', '/v2/payments', {
          idempotency_key: 'receipt',
          source_id: 'cnon:card-nonce-ok',
          amount_money: { amount: 700, currency: 'USD' },
          note: '"receipt_url":"https://squareup.com/receipt/preview/x"',
        });
        const { id } = made.body.payment;
        const url = `https://till.example${path(id, merchant.id)}`;
        const [listed] = (await call('GET', '/v2/payments')).body.payments;
        const [event] = await receiver.until(1);
        const tendered = (await call('GET', `/v1/me/payments/${id}`)).body;
        expect(made.body.payment.note).toContain('squareup.com');
        expect([
          made.body.payment.receipt_url,
          (await call('GET', `/v2/payments/${id}`)).body.payment.receipt_url,
          listed.receipt_url,
          event?.body.data.object.payment.receipt_url,
          tendered.receipt_url,
          tendered.tender[0].receipt_url,
        ]).toEqual(Array(6).fill(url));
        expect((await call('GET', path(id, merchant.id))).status).toBe(200);
        // What is stored of the event has no address, so the next server sends its own.
        const { sql } = known.database;
        const [stored] = await sql<{ payment: object }[]>`
          select body::json #> '{data,object,payment}' as payment
          from webhook_events
          where entity_id = ${id}`;
        expect(stored?.payment).toMatchObject({ id, status: 'COMPLETED' });
        expect(stored?.payment).not.toHaveProperty('receipt_url');
      } finally {
        await known.stop();
        await receiver.close();
        await database.drop();
      }
    });
  });
});
