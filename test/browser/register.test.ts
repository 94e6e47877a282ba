/** A cashier works at the register in a real browser: pairing, signing in, ringing up, and charging in every way. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensurePages } from '../support/pages.js';
import { RealBrowser } from '../support/real-browser.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { expectAccessible, expectNoSidewaysScroll, PATIENCE_MS } from './dashboard-visit.js';
import {
  addTile,
  cart,
  dialog,
  openShop,
  PASSCODES,
  PHONE,
  pair,
  payment,
  type Shop,
  scan,
  signIn,
  startWork,
  takeTablet,
  tile,
  total,
} from './register-shop.js';

const TIME_LIMIT_MS = 240_000;

let server: TestServer;
let browser: RealBrowser;
let shop: Shop;

beforeAll(async () => {
  ensurePages();
  [server, browser] = [await startTestServer({ guards: { pairingCodes: 60 } }), await RealBrowser.open()];
  shop = await openShop(server);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});
afterEach(() => browser.clear());

/** The sales of the shop, newest first. */
async function sales(): Promise<{ total_money: { amount: number }; state: string }[]> {
  const { body } = await shop.owner.call('GET', '/api/dashboard/sales');
  return body.sales;
}

/** The payments that v2 shows, newest first. */
async function payments(): Promise<
  { amount_money: { amount: number }; tip_money?: { amount: number }; source_type: string }[]
> {
  const { body } = await server.call('GET', '/v2/payments', { token: shop.owner.merchant.token });
  return body.payments ?? [];
}

describe('the register', () => {
  it(
    'is paired by its code, and a person signs in with a face and a passcode, is refused with a wrong one, locks, and another takes over',
    async () => {
      const tablet = await takeTablet(browser, server);
      const { page, tap } = tablet;
      await page.getByRole('img', { name: /^Code/ }).waitFor();
      await expectAccessible(page);
      await pair(page, shop);
      await expectAccessible(page);
      await page.getByRole('button', { name: /^Mia/ }).click();
      await page.keyboard.type('9999');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('That is not the passcode').waitFor();
      await expectAccessible(page);
      await page.keyboard.type(PASSCODES.mia);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Lock', exact: true }).waitFor();
      // What a person may not do is not there.
      for (const name of ['Sales', 'Settings'])
        expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
      await tap('Lock');
      await signIn(page, 'Ada', PASSCODES.ada);
      for (const name of ['Sales', 'Settings']) await page.getByRole('button', { name, exact: true }).waitFor();
      expect(tablet.complaints).toEqual([]);
    },
    TIME_LIMIT_MS,
  );

  it(
    'sells for cash: variations, modifiers, a scan, a discount, and the change in huge digits; the server is asked once',
    async () => {
      const tablet = await startWork(browser, server, shop);
      const { page, tap } = tablet;
      await tile(page, 'Flat white').click();
      await dialog(page).getByRole('button', { name: 'Choose milk' }).waitFor();
      await dialog(page)
        .getByRole('button', { name: /^Large/ })
        .click();
      await dialog(page)
        .getByRole('button', { name: /^Oat milk/ })
        .click();
      await dialog(page).getByRole('button', { name: 'One more' }).click();
      await expectAccessible(page);
      await dialog(page).getByRole('button', { name: 'Add $11.00' }).click();
      await scan(page, 'BREAD-1');
      await expect.poll(() => total(page), { timeout: PATIENCE_MS }).toBe('$23.10');
      await tap('Discount');
      await dialog(page)
        .getByRole('button', { name: /^Happy hour/ })
        .click();
      await expect.poll(() => total(page), { timeout: PATIENCE_MS }).toBe('$18.48');
      await expectAccessible(page);
      const writes: string[] = [];
      page.on('request', (request) => request.method() === 'POST' && writes.push(new URL(request.url()).pathname));
      await tap(/^Charge/);
      await expectAccessible(page);
      await payment(page).getByRole('button', { name: 'Cash' }).click();
      await expectAccessible(page);
      await payment(page).getByRole('button', { name: '$20.00' }).click();
      await page.getByRole('status').getByText('$1.52').waitFor();
      expect(await page.getByText('$1.52').evaluate((element) => getComputedStyle(element).fontSize)).toBe('96px');
      expect(writes).toEqual(['/api/register/sales']);
      await expectAccessible(page);
      await tap('Receipt');
      await dialog(page).getByText('Oat milk').waitFor();
      await expectAccessible(page);
      await tap('Close');
      await tap('Next sale');
      await expect.poll(() => total(page), { timeout: PATIENCE_MS }).toBe('$0.00');
      expect((await sales())[0]?.total_money.amount).toBe(1848);
      expect(tablet.complaints).toEqual([]);
    },
    TIME_LIMIT_MS,
  );

  it(
    'explains a declined card, keeps the sale open, and takes the next card; then a gift card and another tender',
    async () => {
      const tablet = await startWork(browser, server, shop);
      const { page, tap } = tablet;
      await addTile(page, 'Banana bread');
      await tap(/^Charge/);
      await payment(page).getByRole('button', { name: 'Card', exact: true }).click();
      await expectAccessible(page);
      await page.getByRole('button', { name: /without enough money/ }).click();
      await page.getByRole('alert').getByText('There is not enough money on the card.').waitFor();
      await expectAccessible(page);
      await payment(page).getByRole('button', { name: 'Card', exact: true }).click();
      await page.getByRole('button', { name: /Visa, contactless/ }).click();
      await tap('Next sale');
      expect((await payments())[0]).toMatchObject({ amount_money: { amount: 1100 }, source_type: 'CARD' });

      await addTile(page, 'Espresso');
      await tap(/^Charge/);
      await payment(page).getByRole('button', { name: 'Gift card' }).click();
      await page.getByRole('button', { name: /half of the amount/ }).click();
      // The card covers a half, and the rest is left.
      await payment(page).getByRole('heading', { name: '$1.65' }).waitFor();
      await payment(page).getByRole('button', { name: 'Other' }).click();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Voucher' }).click();
      await tap('Next sale');
      expect((await sales())[0]?.total_money.amount).toBe(330);
      expect(tablet.complaints).toEqual([]);
    },
    TIME_LIMIT_MS,
  );

  it(
    'splits evenly and by amount, and goes on after a reload in the middle',
    async () => {
      const { page, tap } = await startWork(browser, server, shop);
      await addTile(page, 'Banana bread');
      await tap(/^Charge/);
      await payment(page).getByRole('button', { name: 'Split' }).click();
      await expectAccessible(page);
      await page.getByRole('button', { name: /^2 people/ }).click();
      await payment(page).getByRole('heading', { name: '$5.50' }).waitFor();
      await payment(page).getByRole('button', { name: 'Cash' }).click();
      await payment(page)
        .getByRole('button', { name: /^\$5\.50/ })
        .click();
      await page.getByText('Left to pay').waitFor();
      await page.reload();
      await payment(page).getByRole('heading', { name: '$5.50' }).waitFor();
      await payment(page).getByRole('button', { name: 'Card', exact: true }).click();
      await page.getByRole('button', { name: /Visa, contactless/ }).click();
      await tap('Next sale');
      expect((await sales())[0]?.total_money.amount).toBe(1100);

      await addTile(page, 'Banana bread');
      await tap(/^Charge/);
      await payment(page).getByRole('button', { name: 'Split' }).click();
      await page.keyboard.type('300');
      await page.getByRole('button', { name: 'Charge $3.00 first' }).click();
      await payment(page).getByRole('button', { name: 'Cash' }).click();
      await payment(page)
        .getByRole('button', { name: /^\$3\.00/ })
        .click();
      await payment(page).getByRole('heading', { name: '$8.00' }).waitFor();
      await payment(page).getByRole('button', { name: 'Cash' }).click();
      await payment(page)
        .getByRole('button', { name: /^\$8\.00/ })
        .click();
      await tap('Next sale');
      expect((await sales()).slice(0, 2).map(({ total_money }) => total_money.amount)).toEqual([1100, 1100]);
    },
    TIME_LIMIT_MS,
  );

  it(
    'asks for somebody who may give a restricted discount',
    async () => {
      const { page, tap } = await startWork(browser, server, shop, { who: 'mia' });
      await addTile(page, 'Banana bread');
      await tap('Discount');
      await dialog(page)
        .getByRole('button', { name: /^Staff/ })
        .click();
      await dialog(page).getByRole('button', { name: /^Ada/ }).waitFor();
      expect(await dialog(page).getByRole('button', { name: /^Mia/ }).count()).toBe(0);
      await expectAccessible(page);
      await dialog(page).getByRole('button', { name: /^Ada/ }).click();
      await page.keyboard.type(PASSCODES.ada);
      await page.keyboard.press('Enter');
      await expect.poll(() => total(page), { timeout: PATIENCE_MS }).toBe('$5.50');
      await page.getByRole('button', { name: /^Mia L/ }).waitFor(); // she is still the one who is signed in
      await tap(/^Charge/);
      await payment(page).getByRole('button', { name: 'Cash' }).click();
      await payment(page)
        .getByRole('button', { name: /^\$5\.50/ })
        .click();
      await tap('Next sale');
      expect((await sales())[0]?.total_money.amount).toBe(550);
    },
    TIME_LIMIT_MS,
  );

  it(
    'parks a sale at one tablet, and takes it up, changes and charges it at another',
    async () => {
      const [first, second] = [
        await startWork(browser, server, shop),
        await startWork(browser, server, shop, { who: 'mia' }),
      ];
      await addTile(first.page, 'Espresso');
      await first.tap('Park');
      await first.tap('Table 4');
      await expectAccessible(first.page);
      await first.tap('Park it');
      await expect.poll(() => total(first.page), { timeout: PATIENCE_MS }).toBe('$0.00');
      await second.page.getByRole('button', { name: 'Open', exact: false }).first().click();
      await second.page.getByRole('button', { name: /^Table 4/ }).waitFor({ timeout: 30_000 });
      await expectAccessible(second.page);
      await second.page.getByRole('button', { name: /^Table 4/ }).click();
      await cart(second.page).getByRole('heading', { name: 'Table 4' }).waitFor();
      await addTile(second.page, 'Banana bread');
      await expect.poll(() => total(second.page), { timeout: PATIENCE_MS }).toBe('$14.30');
      await second.tap(/^Charge/);
      await payment(second.page).getByRole('button', { name: 'Cash' }).click();
      await payment(second.page)
        .getByRole('button', { name: /^\$14\.30/ })
        .click();
      await second.tap('Next sale');
      expect((await sales())[0]?.total_money.amount).toBe(1430);
    },
    TIME_LIMIT_MS,
  );

  it(
    'works on a phone, where the cart is a sheet, in dark colours',
    async () => {
      const tablet = await startWork(browser, server, shop, { ...PHONE, colorScheme: 'dark' });
      const { page, tap } = tablet;
      await tile(page, 'Espresso').click();
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      await page.getByRole('button', { name: /Cart.*\$3\.30/ }).click();
      await cart(page).waitFor();
      await expectAccessible(page);
      await tap(/^Charge/);
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      await payment(page).getByRole('button', { name: 'Cash' }).click();
      await payment(page).getByRole('button', { name: '$5.00' }).click();
      await page.getByText('$1.70').waitFor();
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      await tap('Next sale');
      expect(tablet.complaints).toEqual([]);
    },
    TIME_LIMIT_MS,
  );

  it(
    'is used with the keyboard alone',
    async () => {
      const { page } = await startWork(browser, server, shop);
      const press = async (name: string | RegExp): Promise<void> => {
        await page
          .getByRole('button', { name, exact: typeof name === 'string' })
          .first()
          .focus();
        await page.keyboard.press('Enter');
      };
      await page.getByRole('searchbox').focus();
      await page.keyboard.type('banana', { delay: 80 });
      await page.keyboard.press('Enter');
      await expect.poll(() => total(page), { timeout: PATIENCE_MS }).toBe('$11.00');
      await press(/^Charge/);
      await press('Cash');
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await page.keyboard.type('2000', { delay: 80 });
      await page.keyboard.press('Enter');
      await page.getByText('$9.00').waitFor();
      await press('Next sale');
      await expect.poll(() => total(page), { timeout: PATIENCE_MS }).toBe('$0.00');
    },
    TIME_LIMIT_MS,
  );
});
