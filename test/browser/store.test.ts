/** The online store in a real browser: a shopper fills a cart, pays, and follows the order. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { expect200, openStore, type TestStore, update } from '../support/orders.js';
import { startPageServer } from '../support/page-server.js';
import { PNG_IN_BASE64 } from '../support/pictures.js';
import { RealBrowser } from '../support/real-browser.js';
import type { TestServer } from '../support/server.js';
import { DESKTOP, expectAccessible, expectNoSidewaysScroll, PHONE, visit } from './dashboard-visit.js';

let server: TestServer;
let browser: RealBrowser;
let owner: TestOwner;
let store: TestStore;

beforeAll(async () => {
  [server, browser] = [await startPageServer(), await RealBrowser.open()];
  owner = await createOwner(server, { business_name: 'Bean & Leaf', locations: [{ name: 'Quay' }] });
  const [id] = owner.merchant.locationIds;
  const { body } = await owner.call('GET', `/api/dashboard/locations/${id}`);
  const address = { address_line_1: 'Strandgaten 3', locality: 'Bergen', postal_code: '5013' };
  const settings = { name: 'Quay', timezone: 'Europe/Oslo', status: 'ACTIVE', version: body.version, address };
  expect200(await owner.call('PUT', `/api/dashboard/locations/${id}`, { body: settings }));
  store = await openStore(server, owner.merchant);
  const create = async (path: string, of: object) =>
    expect200(await owner.call('POST', `/api/dashboard/${path}`, { body: { ...of } })).body;
  const { picture } = await create('pictures', { content: PNG_IN_BASE64 });
  const price = (name: string, amount: number) => ({ name, price_money: { amount } });
  const { modifier_list: milk } = await create('catalogue/modifier-lists', {
    ...{ name: 'Milk', min_selected: 1, max_selected: 1, options: [price('Cow', 0), price('Oat', 60)] },
  });
  const { category } = await create('catalogue/categories', { name: 'Drinks' });
  await create('catalogue/items', {
    ...{ name: 'Latte', online: true, category_id: category.id, picture_id: picture.id },
    ...{ variations: [price('Small', 400), price('Large', 500)], modifier_list_ids: [milk.id] },
  });
});
afterAll(() => server.stop());
afterEach(() => browser.close());

/** Set to look at the pages. */
const PICTURES = process.env['TILLHOUSE_TEST_PICTURES'];
const takePicture = async (page: Page, name: string) => {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `store-${name}.png`), fullPage: true });
};

const path = () => `/store/${store.locationId}`;
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const type = (page: Page, name: string, text: string) => page.getByRole('textbox', { name }).fill(text);
/** A refused card and an unknown promo code are 400, and a lost response is a failed request. */
const unexpected = (complaints: readonly string[]) =>
  complaints.filter((text) => !/status of 400|net::ERR_FAILED/.test(text));

async function chooseLatte(page: Page): Promise<void> {
  await press(page, 'Choose Latte');
  await page.getByRole('radio', { name: 'Large, $5.00' }).check();
  await page.getByRole('checkbox', { name: 'Cow' }).check();
  await page.getByRole('checkbox', { name: 'Oat, + $0.60' }).check();
  await expectAccessible(page);
  await press(page, 'Add to the cart · $5.60');
}

async function typeDetails(page: Page): Promise<void> {
  await type(page, 'Name', 'Ana Ruiz');
  await type(page, 'Email', 'ana@example.com');
  await type(page, 'Street and number', '1 Main St');
  await type(page, 'Postal code', '94103');
  await type(page, 'City', 'San Francisco');
}

/** The server pays, but the browser does not get the response. */
async function loseNextPayment(page: Page): Promise<void> {
  await page.route(
    '**/api/checkout/orders/*/pay',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
}

describe('the store', () => {
  it('sells: cart, promo code, decline, a lost response, payment, and an order that updates by itself', async () => {
    const shopper = await visit(browser, server, undefined, DESKTOP);
    const { page } = shopper;
    await shopper.open(path());
    await press(page, 'Add Rye loaf');
    await chooseLatte(page);
    await expectAccessible(page);
    await takePicture(page, 'catalogue');
    await page.reload();
    await press(page, 'Cart, 2 pieces');
    await page.getByText('Large, Oat').waitFor();
    await page.getByText('$15.60').waitFor();
    await expectAccessible(page);
    await press(page, 'Check out');

    await type(page, 'Promo code', 'WRONG');
    await press(page, 'Apply');
    await page.getByText('The promo code is not valid in this store.').waitFor();
    await type(page, 'Promo code', 'ten');
    await page.getByRole('textbox', { name: 'Promo code' }).press('Enter');
    await page.getByText('−$1.56').waitFor();
    await typeDetails(page);
    await page.getByRole('radio', { name: /^Visa without enough money/ }).check();
    await press(page, /^Pay \$/);
    await page.getByRole('alert').getByText('There is not enough money on the card.').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'declined');

    await page.getByRole('radio', { name: /^Mastercard •/ }).check();
    await loseNextPayment(page);
    await press(page, /^Pay \$/);
    await page.getByText('Your payment is not confirmed yet').waitFor();
    await page.reload();
    await page.getByText('Your payment is not confirmed yet').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Ana Ruiz');
    await press(page, 'Try again');
    await page.getByRole('heading', { name: 'Thank you, your order is paid' }).waitFor();
    const { payments } = expect200(await server.call('GET', '/v2/payments', { token: owner.merchant.token })).body;
    expect(payments.map(({ status }: { status: string }) => status).sort()).toEqual(['COMPLETED', 'FAILED']);
    await page.getByRole('button', { name: 'Cart, empty' }).waitFor();

    const token = page.url().split('/').at(-1);
    const { order } = expect200(await store.call('GET', `/api/checkout/orders/${token}`)).body;
    expect200(await update(server, store, order, 'COMPLETE', { shipped_tracking_number: '1Z999' }));
    await page.getByRole('heading', { name: 'Your order is on its way' }).waitFor();
    await page.getByText('1Z999').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'order');
    expect(await page.getByRole('link', { name: 'Show the receipt' }).getAttribute('href')).toBe(order.receipt_url);
    expect(unexpected(shopper.complaints)).toEqual([]);
  });

  it('works on a phone in the dark: pick-up, without a connection, and with an error', async () => {
    const shopper = await visit(browser, server, undefined, { ...PHONE, colorScheme: 'dark' });
    const { page } = shopper;
    await page.route('**/api/checkout/catalogue', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });
    await shopper.open(path());
    await page.locator('[data-state="error"]').waitFor();
    await press(page, 'Try again');
    await press(page, 'Add Jam');
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await takePicture(page, 'phone');
    await press(page, 'Cart, 1 piece');
    await press(page, 'Check out');
    await page.getByRole('radio', { name: /^Pick it up, free/ }).check();
    await press(page, /^Pay \$4\.50/);
    expect(await page.getByRole('textbox', { name: 'Name' }).evaluate((field) => field.matches(':invalid'))).toBe(true);
    await type(page, 'Name', 'Noor');
    await type(page, 'Email', 'noor@example.com');
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await takePicture(page, 'phone-checkout');

    await page.context().setOffline(true);
    await press(page, /^Pay \$4\.50/);
    await page.getByText('The server does not respond.').waitFor();
    await page.getByText('Your payment is not confirmed yet').waitFor();
    await page.context().setOffline(false);
    await press(page, 'Try again');
    await page.getByText('We are getting it ready for you.').waitFor();
    await page.getByText('Strandgaten 3').first().waitFor();
    await expectNoSidewaysScroll(page);
    expect(unexpected(shopper.complaints)).toEqual([]);
  });

  it('says that it sells nothing yet, and that there is no such order', async () => {
    const bare = await createOwner(server);
    const empty = await openStore(server, bare.merchant, { items: [] });
    const shopper = await visit(browser, server, undefined, DESKTOP);
    await shopper.open(`/store/${empty.locationId}`);
    await shopper.page.getByText('Nothing for sale yet').waitFor();
    await expectAccessible(shopper.page);
    await shopper.page.evaluate((to) => history.pushState({}, '', to), `/store/${empty.locationId}/orders/nothing`);
    await shopper.page.getByText('There is no order at this address').waitFor();
    await shopper.page.evaluate((to) => history.pushState({}, '', to), `/store/${empty.locationId}/checkout`);
    await shopper.page.getByText('Your cart is empty').waitFor();
    expect(unexpected(shopper.complaints).filter((text) => !text.includes('404'))).toEqual([]);
  });
});
