/** The server is killed while a card is charged in a sandbox: the register says that the outcome is unknown, and finds it out by itself. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callApi } from '../support/http.js';
import { ServerProcess } from '../support/killed-server.js';
import { ensurePages } from '../support/pages.js';
import { expectBooksInOrder } from '../support/payments.js';
import { RealBrowser } from '../support/real-browser.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { SimulatorService } from '../support/simulator-service.js';
import { expectAccessible, PATIENCE_MS } from './dashboard-visit.js';
import { readServer, readTablet } from './register-books.js';
import { payByCard, payCash, payment, ringUp, TEST_CARD } from './register-counter.js';
import { lockUp, openShop, PASSCODES, pair, type Shop, signIn, type Tablet, takeTablet } from './register-shop.js';

const DECLINED = /Mastercard that is declined/;

let first: TestServer;
let processor: SimulatorService;
let killed: ServerProcess;
let browser: RealBrowser;
let shop: Shop;
let tablet: Tablet;

beforeAll(async () => {
  ensurePages();
  [first, processor, browser] = [await startTestServer(), await SimulatorService.start(), await RealBrowser.open()];
  killed = await ServerProcess.start(first.databaseUrl, { processorUrl: processor.url });
  const { baseUrl } = killed;
  const server = { ...first, baseUrl, call: callApi.bind(undefined, baseUrl) };
  shop = await openShop(server);
  tablet = await takeTablet(browser, server);
  await pair(tablet.page, shop);
  await first.stopServer(); // otherwise its worker would ask for the outcomes
});
afterAll(async () => {
  await browser.close();
  await killed.kill();
  await expectBooksInOrder(first);
  await first.stop();
  await processor.stop();
});

const paid = (page: Page) => page.getByRole('heading', { name: 'Paid' });
const unknown = (page: Page) =>
  page.getByRole('alert').getByText('It is not known yet whether the card was charged. Asking');

/** The server dies when the processor is asked, or when it has responded and nothing of that is stored. */
async function chargeAndKill(page: Page, card: RegExp, place: 'before the call' | 'after the call'): Promise<void> {
  await killed.haltAt(place);
  const before = killed.arrivals.length;
  await payByCard(page, card);
  await expect.poll(() => killed.arrivals.length, { timeout: PATIENCE_MS }).toBeGreaterThan(before);
  await killed.crash();
  await unknown(page).waitFor();
  expect(await paid(page).count()).toBe(0);
  expect(await page.getByRole('button', { name: /^(?:Receipt|Next sale)$/ }).count()).toBe(0);
}

async function startAgain(): Promise<void> {
  killed = await killed.startAgain();
}

async function lastSale() {
  const { deviceId } = await readTablet(tablet.page);
  return (await readServer(first, shop, deviceId)).sales.at(-1);
}

describe('a card whose server is killed in the middle of its charge', () => {
  it.each(['before the call', 'after the call'] as const)(
    '%s: it is declined, and never shown as paid',
    async (place) => {
      const { page, tap } = tablet;
      await lockUp(page);
      await signIn(page, 'Ada', PASSCODES.ada);
      await ringUp(page, ['Banana bread']);
      await chargeAndKill(page, DECLINED, place);
      await expectAccessible(page);
      await page.reload();
      await unknown(page).waitFor();
      await startAgain();
      await page.getByRole('alert').getByText('The bank declined the card.').waitFor();
      expect(await lastSale()).toMatchObject({ state: 'OPEN', paid: 0 });
      await payCash(page);
      await tap('Next sale');
      expect(await lastSale()).toMatchObject({ state: 'COMPLETED', paid: 1100 });
      expect((await readTablet(page)).writes).toEqual([]);
    },
  );

  it('is paid if the processor has charged it, once', async () => {
    const { page, tap } = tablet;
    await lockUp(page);
    await signIn(page, 'Ada', PASSCODES.ada);
    await ringUp(page, ['Espresso']);
    await chargeAndKill(page, TEST_CARD, 'after the call');
    await startAgain();
    await paid(page).waitFor();
    await tap('Next sale');
    expect(await lastSale()).toMatchObject({ state: 'COMPLETED', paid: 330 });
  });

  it('is unknown while the server is there and its processor is not', async () => {
    const { page, tap } = tablet;
    await lockUp(page);
    await signIn(page, 'Ada', PASSCODES.ada);
    await ringUp(page, ['Espresso']);
    await chargeAndKill(page, DECLINED, 'before the call');
    processor.isSilent = true;
    await startAgain();
    await expect.poll(() => processor.unheard, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
    await unknown(page).waitFor();
    expect(await payment(page).getByRole('button', { name: 'Cash' }).count()).toBe(0);
    expect(await paid(page).count()).toBe(0);
    processor.isSilent = false;
    await page.getByRole('alert').getByText('The bank declined the card.').waitFor();
    await payCash(page);
    await tap('Next sale');
    expect(await lastSale()).toMatchObject({ state: 'COMPLETED', paid: 330 });
  });
});
