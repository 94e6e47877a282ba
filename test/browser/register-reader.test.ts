/** A register in production whose cards come from a reader: its tokens are charged by an adapter, over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADAPTER_SECRET, AdapterProcess } from '../support/adapter.js';
import { CutProxy } from '../support/cut-proxy.js';
import { ensurePages } from '../support/pages.js';
import { expectBooksInOrder } from '../support/payments.js';
import { RealBrowser } from '../support/real-browser.js';
import { type ProductionPair, startProduction } from '../support/server.js';
import { expectAccessible, expectNoSidewaysScroll, PATIENCE_MS } from './dashboard-visit.js';
import { readTablet } from './register-books.js';
import { addTile, goTo, payCash, payment, scan, total } from './register-counter.js';
import {
  lockUp,
  openShop,
  PASSCODES,
  pair,
  type Shop,
  signIn,
  TABLET,
  type Tablet,
  takeTablet,
} from './register-shop.js';

const CARD_NUMBER = '4242 4242 4242 4242';

let adapter: AdapterProcess;
let servers: ProductionPair;
let proxy: CutProxy;
let browser: RealBrowser;
let shop: Shop;
let tablet: Tablet;
let requested: string[];

beforeAll(async () => {
  ensurePages();
  adapter = await AdapterProcess.start();
  [servers, browser] = [
    await startProduction({ adapter: { url: adapter.url, secret: ADAPTER_SECRET } }),
    await RealBrowser.open(),
  ];
  shop = await openShop(servers.sandbox);
  proxy = await CutProxy.start(servers.production.baseUrl);
  tablet = await takeTablet(browser, { ...servers.production, baseUrl: proxy.url });
  requested = [];
  tablet.page.on('request', (request) => requested.push(request.postData() ?? ''));
  await pair(tablet.page, shop);
});
afterAll(async () => {
  await browser.close();
  await proxy.stop();
  await expectBooksInOrder(servers.production);
  await servers.stop();
  await adapter.stop();
});

async function sales() {
  return (await shop.owner.call('GET', '/api/dashboard/sales')).body.sales;
}

const way = (name: string) => payment(tablet.page).getByRole('button', { name, exact: true });

/** How many cards the processor has charged. */
async function charged(): Promise<number> {
  return [...(await adapter.readBooks()).accounts.values()].filter(({ captured }) => captured > 0).length;
}

/** One espresso to pay by card. */
async function startAgain(): Promise<void> {
  const { page, press } = tablet;
  await page.setViewportSize(TABLET.viewport);
  await lockUp(page);
  await signIn(page, 'Ada', PASSCODES.ada);
  if ((await total(page)) === '$0.00') await addTile(page, 'Espresso');
  await press(/^Charge/);
}

it('charges the token of the reader, explains a decline, refuses a card number, and waits for the network', async () => {
  const { page, tap, press, complaints } = tablet;
  await signIn(page, 'Ada', PASSCODES.ada);
  await goTo(page, 'Settings');
  await page.getByText('Production', { exact: true }).waitFor();
  await page.getByRole('switch', { name: /A card reader hands its tokens/ }).click();
  await tap('Save');
  await page.getByText('Saved.').first().waitFor();
  await goTo(page, 'Sell');

  await addTile(page, 'Banana bread');
  await press(/^Charge/);
  await way('Gift card').waitFor();
  await way('Card').click();
  const field = page.getByLabel('Token of the card');
  await expectAccessible(page);

  // A reader that decrypts nothing types the number: it stays on this page.
  await field.fill(CARD_NUMBER);
  await page.keyboard.press('Enter');
  await page.getByText('This is the number of a card.').waitFor();
  expect(await field.inputValue()).toBe('');
  await expectAccessible(page);
  await scan(page, '%B4242424242424242^BERG/ADA^2912101?');
  await page.getByText('This is the number of a card.').waitFor();

  // Like a keyboard, wherever the focus is.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await scan(page, 'tok_77_declined');
  await page.getByRole('alert').getByText('The bank declined the card.').waitFor();
  await page.getByText('The sale is still open').waitFor();
  expect(await sales()).toEqual([]);

  await way('Card').click();
  await field.fill('tok_nobody_knows');
  await tap('Charge the card');
  await page.getByRole('alert').getByText('There is no such payment source.').waitFor();

  await field.fill('cnon:tok_78_ok');
  await tap('Charge the card');
  await press('Next sale');
  expect(await sales()).toMatchObject([{ tenders: [{ type: 'CARD', card_brand: 'VISA', last_4: '4242' }] }]);
  const books = await adapter.readBooks();
  expect([...books.accounts.values()]).toMatchObject([{ captured: 1100 }]);

  expect(requested.join()).not.toContain('4242424242424242');
  expect(requested.join()).not.toContain(CARD_NUMBER);
  expect(JSON.stringify(await readTablet(page))).not.toContain('tok_');

  // An app around the page has the reader.
  await addTile(page, 'Espresso');
  await press(/^Charge/);
  await page.evaluate(() => {
    const answer = (event: Event): void => {
      const { detail } = event as CustomEvent;
      document.title = JSON.stringify(detail);
      const token = `app_${detail.amount_money.amount}_ok`;
      setTimeout(() => dispatchEvent(new CustomEvent('tillhouse:card', { detail: { source_id: token } })), 50);
    };
    addEventListener('tillhouse:card-wanted', answer, { once: true });
  });
  await way('Card').click();
  await press('Next sale');
  expect(JSON.parse(await page.title())).toEqual({ type: 'CARD', amount_money: { amount: 330, currency: 'USD' } });
  expect(await sales()).toHaveLength(2);

  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.context().setOffline(true);
  await addTile(page, 'Espresso');
  await press(/^Charge/);
  await payment(page)
    .getByRole('button', { name: /^Card needs the network/ })
    .waitFor();
  expect(
    await payment(page)
      .getByRole('button', { name: /^Card needs/ })
      .isDisabled(),
  ).toBe(true);
  await page.context().setOffline(false);

  await way('Card').click({ timeout: 30_000 });
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  expect(complaints).toEqual([]);
});

it('asks the app for another card after a refusal, and charges one of two', async () => {
  const { page, press } = tablet;
  await startAgain();
  const before = await charged();
  await page.evaluate(
    (given) => {
      addEventListener('tillhouse:card-wanted', () => {
        const tokens = given.shift() ?? [];
        setTimeout(() => {
          for (const token of tokens)
            dispatchEvent(new CustomEvent('tillhouse:card', { detail: { source_id: token } }));
        }, 50);
      });
    },
    [[CARD_NUMBER], ['tok_nobody_knows'], ['tok_80_ok', 'tok_81_ok']],
  );
  await way('Card').click();
  await press('Next sale');
  expect(await charged()).toBe(before + 1);
});

it('takes a token from a slow reader as a whole', async () => {
  const { page, press } = tablet;
  await startAgain();
  await way('Card').click();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.type('tok_82_ok', { delay: 60 });
  expect(await page.getByLabel('Token of the card').inputValue()).toBe('tok_82_ok');
  await page.keyboard.press('Enter');
  await press('Next sale');
  expect(requested.join()).toContain('cnon:tok_82_ok');
});

it('continues a sale only when it is known whether the card was charged', async () => {
  const { page, press } = tablet;
  const before = { sales: (await sales()).length, charged: await charged() };
  const unknown = page.getByRole('alert').getByText('It is not known yet whether the card was charged');
  const present = async (token: string, cut: 'request' | 'response') => {
    proxy.cut(/\/register\/sales/, cut);
    proxy.cut(/\/register\/queue/, 'request');
    await way('Card').click();
    await scan(page, token);
    await unknown.waitFor();
    expect(await page.getByRole('button', { name: 'Next sale' }).count()).toBe(0);
  };

  // The card is charged, and the response is lost.
  await startAgain();
  await present('tok_83_ok', 'response');
  await expectAccessible(page);
  await page.reload();
  await unknown.waitFor();
  proxy.heal();
  await press('Next sale');
  expect(await charged()).toBe(before.charged + 1);

  // The card is never charged: first because it is declined, then because nobody knows the token.
  await startAgain();
  await present('tok_84_declined', 'request');
  proxy.heal();
  await page.getByRole('alert').getByText('The bank declined the card.').waitFor();
  await payCash(page);
  await press('Next sale');
  await startAgain();
  await present('tok_nobody_knows', 'request');
  proxy.heal();
  await page.getByRole('alert').getByText('There is no such payment source.').waitFor();
  await payCash(page);
  await press('Next sale');

  await expect.poll(async () => (await readTablet(page)).writes, { timeout: PATIENCE_MS }).toEqual([]);
  expect((await sales()).length).toBe(before.sales + 3);
  expect(await charged()).toBe(before.charged + 1);
  const books = await readTablet(page);
  expect(JSON.stringify(books)).not.toContain('tok_');
});
