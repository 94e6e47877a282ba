/** A day at two tablets of one location: every way to pay, a network that is cut in the middle of a charge, and books that agree. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { CutProxy } from '../support/cut-proxy.js';
import { startPageServer } from '../support/page-server.js';
import { OwnBrowser, RealBrowser } from '../support/real-browser.js';
import type { TestServer } from '../support/server.js';
import { expectAccessible, expectNoSidewaysScroll, PATIENCE_MS } from './dashboard-visit.js';
import { readServer, readTablet } from './register-books.js';
import {
  dialog,
  goTo,
  openDrawer,
  payByCard,
  payCash,
  payment,
  payOtherwise,
  press,
  ringUp,
  tap,
} from './register-counter.js';
import { openShop, PASSCODES, PHONE, pair, type Shop, signIn, TABLET } from './register-shop.js';

const SALES = 'POST /api/register/sales';

/** A tablet with a network of its own. */
class CounterTablet {
  readonly proxy: CutProxy;
  readonly #turnOn: () => Promise<BrowserContext>;
  #page: Page | undefined;

  private constructor(proxy: CutProxy, turnOn: () => Promise<BrowserContext>) {
    this.proxy = proxy;
    this.#turnOn = turnOn;
  }

  static async buy(turnOn: () => Promise<BrowserContext>): Promise<CounterTablet> {
    return new CounterTablet(await CutProxy.start(server.baseUrl), turnOn);
  }

  get page(): Page {
    if (!this.#page) throw new Error('the browser is closed');
    return this.#page;
  }

  async open(): Promise<Page> {
    this.#page = await (await this.#turnOn()).newPage();
    await this.#page.goto(`${this.proxy.url}/register`);
    return this.#page;
  }
}

let server: TestServer;
let shop: Shop;
let browser: RealBrowser;
let counter: CounterTablet;
/** It is turned off and on again, so it has a browser of its own. */
let phone: CounterTablet;
let phoneBrowser: OwnBrowser;

beforeAll(async () => {
  [server, browser, phoneBrowser] = [await startPageServer(), await RealBrowser.open(), await OwnBrowser.install()];
  shop = await openShop(server);
  counter = await CounterTablet.buy(() => browser.context({ ...TABLET, locale: 'en-US' }));
  phone = await CounterTablet.buy(() => phoneBrowser.open({ ...PHONE, locale: 'en-US', reducedMotion: 'reduce' }));
});
afterAll(async () => {
  await browser.close();
  await phoneBrowser.remove();
  for (const { proxy } of [counter, phone]) await proxy.stop();
  await server.stop();
});

const next = (page: Page) => tap(page, 'Next sale');

/** The keyboard alone: Tab until the button, or the field, with this name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let times = 0; times < 80; times++) {
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      const isControl = element instanceof HTMLButtonElement || element instanceof HTMLInputElement;
      return isControl ? (element.ariaLabel ?? element.textContent ?? '') : '';
    });
    if (name.test(focused)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${name}`);
}

async function untilServiceWorkerIsActive(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null, undefined, { polling: 50 });
}

async function untilAllIsSent(page: Page): Promise<void> {
  await expect.poll(async () => (await readTablet(page)).writes.length, { timeout: PATIENCE_MS }).toBe(0);
}

it('after a day at two tablets, the books have each sale exactly once', async () => {
  // What is sold at each of them, in order, and the cash in their drawers.
  const sold = { counter: [] as number[], phone: [] as number[] };
  const cash = { counter: 10_000, phone: 5_000 };

  const [a, b] = await Promise.all([counter.open(), phone.open()]);
  await Promise.all([pair(a, shop, 'Counter'), pair(b, shop, 'Phone')]);
  await Promise.all([signIn(a, 'Ada', PASSCODES.ada), signIn(b, 'Mia', PASSCODES.mia)]);
  await Promise.all([openDrawer(a, '$100.00', '$100.00'), openDrawer(b, '$50.00', '$50.00')]);

  // Cash with change; a decline that is explained, and the sale is still open; a gift card.
  await ringUp(a, ['Espresso']);
  await payCash(a, '$5.00');
  await a.getByRole('status').getByText('$1.70').waitFor();
  await tap(a, 'Link');
  const receipt = await dialog(a).getByRole('link').getAttribute('href');
  expect((await fetch(receipt ?? '')).status).toBe(200);
  await tap(a, 'Close');
  await next(a);
  sold.counter.push(330);
  cash.counter += 330;
  await ringUp(a, ['Banana bread']);
  await payByCard(a, /without enough money/);
  await a.getByRole('alert').getByText('There is not enough money on the card.').waitFor();
  await payByCard(a);
  await next(a);
  sold.counter.push(1100);
  await ringUp(a, ['Espresso']);
  await payment(a).getByRole('button', { name: 'Gift card' }).click();
  await a.getByRole('button', { name: /Gift card$/ }).click();
  await next(a);
  sold.counter.push(330);

  // Split by amount, and evenly among three with a reload in the middle of a charge; another tender.
  await ringUp(a, ['Banana bread']);
  await payment(a).getByRole('button', { name: 'Split' }).click();
  await a.keyboard.type('300');
  await tap(a, 'Charge $3.00 first');
  await payCash(a);
  await payment(a).getByRole('heading', { name: '$8.00' }).waitFor();
  await payByCard(a);
  await next(a);
  sold.counter.push(1100);
  cash.counter += 300;
  await ringUp(b, ['Banana bread']);
  await payment(b).getByRole('button', { name: 'Split' }).click();
  await tap(b, /^3 people/);
  await payment(b).getByRole('heading', { name: '$3.67' }).waitFor();
  phone.proxy.cut(/^\/api\/register\/sales$/, 'silence');
  await payCash(b);
  await vi.waitUntil(() => phone.proxy.has(SALES), { timeout: PATIENCE_MS });
  await b.reload();
  phone.proxy.heal();
  await payment(b).getByText('Part of $7.33').waitFor();
  await payment(b).getByRole('heading', { name: '$3.67' }).waitFor();
  await expectAccessible(b);
  await payOtherwise(b);
  await payment(b).getByRole('heading', { name: '$3.66' }).waitFor();
  await payByCard(b);
  await next(b);
  sold.phone.push(1100);
  cash.phone += 367;

  // A whole sale with the keyboard alone.
  await tabTo(a, /^Search/);
  await a.keyboard.type('banana');
  await a.keyboard.press('Enter');
  await tabTo(a, /^Charge \$11\.00/);
  await a.keyboard.press('Enter');
  await tabTo(a, /^Cash$/);
  await a.keyboard.press('Enter');
  await tabTo(a, /Exact amount/);
  await a.keyboard.press('Enter');
  await tabTo(a, /^Next sale/);
  await a.keyboard.press('Enter');
  sold.counter.push(1100);
  cash.counter += 1100;

  // It comes back for something cheaper: one write, and the difference leaves the drawer.
  await goTo(a, 'Sales');
  await a
    .getByRole('button', { name: /Banana bread/ })
    .first()
    .click();
  await tap(a, 'Give back');
  await dialog(a).getByRole('button', { name: 'One more' }).click();
  await dialog(a).getByRole('button', { name: 'Exchange', exact: true }).click();
  counter.proxy.requests.length = 0;
  await ringUp(a, ['Espresso']);
  await a.getByRole('heading', { name: '$7.70' }).waitFor();
  await expectAccessible(a);
  await tap(a, 'Exchange and give back $7.70');
  await a.getByRole('heading', { name: 'Exchanged' }).waitFor();
  expect(counter.proxy.requests.filter((each) => each.startsWith('POST'))).toEqual([SALES]);
  await next(a);
  sold.counter.push(330);
  cash.counter -= 770;

  // The network goes in the middle of a charge: at the counter before the server has it, at the phone after it has.
  await Promise.all([untilServiceWorkerIsActive(a), untilServiceWorkerIsActive(b)]);
  await ringUp(a, ['Espresso', 'Espresso']);
  counter.proxy.isUp = false;
  await payCash(a, '$10.00');
  await a.getByText('Kept here. It is sent').waitFor();
  await expectAccessible(a);
  await next(a);
  sold.counter.push(660);
  cash.counter += 660;
  await ringUp(b, ['Banana bread']);
  phone.proxy.requests.length = 0;
  phone.proxy.cut(/^\/api\/register\/sales$/, 'response');
  await payCash(b);
  await vi.waitUntil(() => phone.proxy.has(SALES), { timeout: PATIENCE_MS });
  phone.proxy.isUp = false;
  await b.getByText('Kept here. It is sent').waitFor();
  await next(b);
  sold.phone.push(1100);
  cash.phone += 1100;
  const before = await readServer(server, shop, (await readTablet(b)).deviceId);
  expect(before.sales.map(({ due }) => due)).toEqual(sold.phone);

  // Ten sales without a network. One tablet is reloaded, the other one is turned off and on again.
  const sellOffline = async (page: Page, name: 'Espresso' | 'Banana bread', way: 'cash' | 'other') => {
    await ringUp(page, [name], press);
    await (way === 'cash' ? payCash(page, undefined, press) : payOtherwise(page));
    await page.getByText('Kept here. It is sent').waitFor();
    await press(page.getByRole('button', { name: 'Next sale' }));
    const at = page === counter.page ? 'counter' : 'phone';
    const price = name === 'Espresso' ? 330 : 1100;
    sold[at].push(price);
    if (way === 'cash') cash[at] += price;
  };
  await sellOffline(a, 'Espresso', 'cash');
  await sellOffline(a, 'Banana bread', 'cash');
  await a.reload();
  await sellOffline(a, 'Espresso', 'other');
  await sellOffline(a, 'Banana bread', 'cash');
  await sellOffline(a, 'Espresso', 'cash');
  await sellOffline(b, 'Espresso', 'cash');
  await sellOffline(b, 'Banana bread', 'other');
  await phoneBrowser.close();
  const again = await phone.open();
  await signIn(again, 'Mia', PASSCODES.mia);
  await expectNoSidewaysScroll(again);
  await sellOffline(again, 'Espresso', 'cash');
  await sellOffline(again, 'Banana bread', 'cash');
  await sellOffline(again, 'Espresso', 'cash');
  const offline = await Promise.all([readTablet(a), readTablet(again)]);
  expect(offline.map(({ writes }) => writes.length)).toEqual([6, 6]);
  expect(offline.map(({ expectedCash }) => expectedCash)).toEqual([cash.counter, cash.phone]);

  // It is back.
  for (const { proxy } of [counter, phone]) {
    proxy.heal();
    proxy.isUp = true;
  }
  await Promise.all([untilAllIsSent(a), untilAllIsSent(again)]);
  for (const [name, page] of [
    ['counter', a],
    ['phone', again],
  ] as const) {
    const here = await readTablet(page);
    const there = await readServer(server, shop, here.deviceId);
    expect(there.sales.map(({ due }) => due)).toEqual(sold[name]);
    expect(there.sales.every(({ state, due, paid }) => state === 'COMPLETED' && due === paid)).toBe(true);
    expect(there.sales.map(({ id }) => id).sort()).toEqual([...here.saleIds].sort());
    expect([there.expectedCash, here.expectedCash]).toEqual([cash[name], cash[name]]);
  }
  // The same on the screen, to somebody who may see it.
  await tap(again, 'Lock');
  await signIn(again, 'Ada', PASSCODES.ada);
  await goTo(again, 'Drawer');
  await again.getByText(`$${(cash.phone / 100).toFixed(2)}`).waitFor();
  await expectAccessible(again);
  expect(await findBreaches(server.database)).toEqual([]);
}, 400_000);
