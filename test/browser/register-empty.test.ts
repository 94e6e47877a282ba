/** A register of a business that has nothing in its catalogue yet: it says so, and sells amounts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensurePages } from '../support/pages.js';
import { RealBrowser } from '../support/real-browser.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { expectAccessible, expectNoSidewaysScroll } from './dashboard-visit.js';
import { openEmptyShop, PHONE, startWork, TABLET } from './register-shop.js';

const TIME_LIMIT_MS = 120_000;

let server: TestServer;
let browser: RealBrowser;
beforeAll(async () => {
  ensurePages();
  [server, browser] = [await startTestServer(), await RealBrowser.open()];
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

it.each([
  ['a tablet', TABLET],
  ['a phone', { ...PHONE, colorScheme: 'dark' as const }],
])(
  'says on %s that nothing is for sale yet',
  async (_, options) => {
    const shop = await openEmptyShop(server);
    const { page, complaints } = await startWork(browser, server, shop, options);
    await page.getByText('Nothing to sell yet').waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    expect(complaints).toEqual([]);
  },
  TIME_LIMIT_MS,
);
