/** A cashier works at the register in a real browser: pairing, signing in, ringing up, and charging in every way. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { asPhone, expectAccessible, expectNoSidewaysScroll, PATIENCE_MS } from './dashboard-visit.js';
import { addTile, cart, dialog, payByCard, payCash, payment, scan, tile, untilTotal } from './register-counter.js';
import {
  askToPair,
  done,
  lockUp,
  openEmptyShop,
  PASSCODES,
  PHONE,
  pair,
  signIn,
  startWork,
  TABLET,
  type Tablet,
  takeTablet,
  usd,
  workAtOneTablet,
} from './register-shop.js';

const PICTURES = process.env['TILLHOUSE_TEST_PICTURES'];

const counter = workAtOneTablet({ guards: { pairingCodes: 60 } });

/** Another tablet of the shop. The first test pairs it. */
let second: Tablet | undefined;

/** The sales of the shop, newest first. */
async function sales(): Promise<{ total_money: { amount: number }; state: string }[]> {
  return done(await counter.shop.owner.call('GET', '/api/dashboard/sales')).sales;
}

/** The payments that v2 shows, newest first. */
async function payments(): Promise<
  { amount_money: { amount: number }; tip_money?: { amount: number }; source_type: string }[]
> {
  const { token } = counter.shop.owner.merchant;
  return done(await counter.server.call('GET', '/v2/payments', { token })).payments ?? [];
}

async function namesOf(owner: TestOwner): Promise<[{ business_name: string }, { name: string }]> {
  const { merchant, locations } = done(await owner.call('GET', '/api/dashboard/business'));
  return [merchant, locations[0]];
}

const codeOn = async (page: Page) => (await page.getByRole('img', { name: /^Code/ }).textContent()) ?? '';

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `register-${name}.png`) });
}

describe('the register', () => {
  it('asks before it is paired: after a no it shows another code, after a yes the business that has it', async () => {
    const tablet = await takeTablet(counter.browser, counter.server);
    onTestFinished(() => counter.browser.leave(tablet));
    const { page, tap, complaints } = tablet;
    const stranger = await createOwner(counter.server);
    const code = await codeOn(page);
    await askToPair(page, { owner: stranger }, 'Mine now');
    const [{ business_name }, { name: place }] = await namesOf(stranger);
    await page.getByRole('heading', { name: `Pair this register with ${business_name}, ${place}?` }).waitFor();
    await page.getByText('It will be called Mine now.').waitFor();
    await tap('No, get another code');
    await page.getByRole('heading', { name: 'Pair this register', exact: true }).waitFor();
    await expect.poll(() => codeOn(page)).not.toBe(code);
    expect((await stranger.call('GET', '/api/dashboard/devices')).body.devices).toEqual([]);

    const [own, at] = await namesOf(counter.shop.owner);
    await askToPair(page, counter.shop, 'Third counter');
    await page.getByRole('heading', { name: `Pair this register with ${own.business_name}, ${at.name}?` }).waitFor();
    await expectAccessible(page);
    await picture(page, 'pair-question');
    await asPhone(page, async () => {
      await expectNoSidewaysScroll(page);
      await picture(page, 'pair-question-phone');
    });
    await page.emulateMedia({ colorScheme: 'dark' });
    await picture(page, 'pair-question-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await tap('Yes, pair it');
    await page.getByRole('heading', { name: 'Who is there?' }).waitFor();
    await page.getByText(`${own.business_name}, ${at.name} · Third counter`).waitFor();
    await picture(page, 'paired');
    expect(complaints).toEqual([]);
  });

  it('is paired by its code, and a person signs in with a face and a passcode, is refused with a wrong one, locks, and another takes over', async () => {
    second = await takeTablet(counter.browser, counter.server);
    const { page, tap, complaints } = second;
    await page.getByRole('img', { name: /^Code/ }).waitFor();
    await expectAccessible(page);
    await pair(page, counter.shop, 'Second counter');
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Mia/ }).click();
    await page.keyboard.type('9999');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('That is not the passcode').waitFor();
    await expectAccessible(page);
    await page.keyboard.type(PASSCODES.mia);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Lock', exact: true }).waitFor();
    // What a person may not do is not shown.
    for (const name of ['Sales', 'Settings'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    await tap('Lock');
    await page.getByRole('button', { name: /^Ada/ }).click();
    for (const digit of PASSCODES.ada) await tap(digit);
    await tap('Sign in');
    await page.getByRole('button', { name: 'Lock', exact: true }).waitFor();
    for (const name of ['Sales', 'Settings']) await page.getByRole('button', { name, exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('sells for cash: variations, modifiers, a scan, a discount, and the change in huge digits; the server is asked once', async () => {
    const { page, tap, complaints } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
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
    await untilTotal(page, '$23.10');
    await tap('Discount');
    await dialog(page)
      .getByRole('button', { name: /^Happy hour/ })
      .click();
    await untilTotal(page, '$18.48');
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
    await untilTotal(page, '$0.00');
    expect((await sales())[0]?.total_money.amount).toBe(1848);
    expect(complaints).toEqual([]);
  });

  it('explains a declined card, keeps the sale open, and takes the next card; then a gift card and another tender', async () => {
    const { page, tap, complaints } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    await addTile(page, 'Banana bread');
    await tap(/^Charge/);
    await payment(page).getByRole('button', { name: 'Card', exact: true }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: /without enough money/ }).click();
    await page.getByRole('alert').getByText('There is not enough money on the card.').waitFor();
    await expectAccessible(page);
    await payByCard(page);
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
    expect(complaints).toEqual([]);
  });

  it('splits evenly and by amount, and goes on after a reload in the middle', async () => {
    const { page, tap } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    await addTile(page, 'Banana bread');
    await tap(/^Charge/);
    await payment(page).getByRole('button', { name: 'Split' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^2 people/ }).click();
    await payment(page).getByRole('heading', { name: '$5.50' }).waitFor();
    await payCash(page, /^\$5\.50/);
    await page.getByText('Left to pay').waitFor();
    await page.reload();
    await payment(page).getByRole('heading', { name: '$5.50' }).waitFor();
    await payByCard(page);
    await tap('Next sale');
    expect((await sales())[0]?.total_money.amount).toBe(1100);

    await addTile(page, 'Banana bread');
    await tap(/^Charge/);
    await payment(page).getByRole('button', { name: 'Split' }).click();
    await page.keyboard.type('300');
    await page.getByRole('button', { name: 'Charge $3.00 first' }).click();
    await payCash(page, /^\$3\.00/);
    await payment(page).getByRole('heading', { name: '$8.00' }).waitFor();
    await payCash(page, /^\$8\.00/);
    await tap('Next sale');
    expect((await sales()).slice(0, 2).map(({ total_money }) => total_money.amount)).toEqual([1100, 1100]);
  });

  it('asks for somebody who may give a restricted discount', async () => {
    const { page, tap } = counter.tablet;
    await signIn(page, 'Mia', PASSCODES.mia);
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
    await untilTotal(page, '$5.50');
    await page.getByRole('button', { name: /^Mia L/ }).waitFor(); // she is still the one who is signed in
    await tap(/^Charge/);
    await payCash(page, /^\$5\.50/);
    await tap('Next sale');
    expect((await sales())[0]?.total_money.amount).toBe(550);
  });

  it('parks a sale at one tablet, and takes it up, changes and charges it at another', async () => {
    const first = counter.tablet;
    second ??= await startWork(counter.browser, counter.server, counter.shop);
    await lockUp(second.page);
    await signIn(first.page, 'Ada', PASSCODES.ada);
    await signIn(second.page, 'Mia', PASSCODES.mia);
    await addTile(first.page, 'Espresso');
    await first.tap('Park');
    await first.tap('Table 4');
    await expectAccessible(first.page);
    await first.tap('Park it');
    await untilTotal(first.page, '$0.00');
    await second.page.getByRole('button', { name: 'Open', exact: false }).first().click();
    await second.page.getByRole('button', { name: /^Table 4/ }).waitFor();
    await expectAccessible(second.page);
    await second.page.getByRole('button', { name: /^Table 4/ }).click();
    await cart(second.page).getByRole('heading', { name: 'Table 4' }).waitFor();
    await addTile(second.page, 'Banana bread');
    await untilTotal(second.page, '$14.30');
    await second.tap(/^Charge/);
    await payCash(second.page, /^\$14\.30/);
    await second.tap('Next sale');
    expect((await sales())[0]?.total_money.amount).toBe(1430);
  });

  it('works on a phone, where the cart is a sheet, in dark colours', async () => {
    const { page, tap, complaints } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    await asPhone(page, async () => {
      await tile(page, 'Espresso').click();
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      await page.getByRole('button', { name: /Cart.*\$3\.30/ }).click();
      await cart(page).waitFor();
      await expectAccessible(page);
      await tap(/^Charge/);
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      await payCash(page, '$5.00');
      await page.getByText('$1.70').waitFor();
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      await tap('Next sale');
    });
    await page.setViewportSize(TABLET.viewport);
    expect(complaints).toEqual([]);
  });

  it('is used with the keyboard alone', async () => {
    const { page } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
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
    await untilTotal(page, '$11.00');
    await press(/^Charge/);
    await press('Cash');
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.type('2000', { delay: 80 });
    await page.keyboard.press('Enter');
    await page.getByText('$9.00').waitFor();
    await press('Next sale');
    await untilTotal(page, '$0.00');
  });

  it('says on a tablet and on a phone that nothing is for sale yet, and draws only the part of a long shelf that is near', async () => {
    const shop = await openEmptyShop(counter.server);
    const { page, complaints } = await startWork(counter.browser, counter.server, shop);
    await page.getByText('Nothing to sell yet').waitFor();
    await expectAccessible(page);
    await page.setViewportSize(PHONE.viewport);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByText('Nothing to sell yet').waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);

    const names = Array.from({ length: 120 }, (_, index) => `Thing ${String(index + 1).padStart(3, '0')}`);
    for (const name of names) {
      const body = { name, online: false, variations: [{ name: 'Regular', price_money: usd(100) }] };
      done(await shop.owner.call('POST', '/api/dashboard/catalogue/items', { body }));
    }
    await page.reload();
    const things = page.getByRole('region', { name: 'Items' }).getByRole('button', { name: /^Thing/ });
    await expect.poll(() => things.count(), { timeout: PATIENCE_MS }).toBe(names.length);
    const drawn = await things.evaluateAll(
      (tiles) => tiles.filter((each) => each.checkVisibility({ contentVisibilityAuto: true })).length,
    );
    expect(drawn).toBeGreaterThan(12);
    expect(drawn).toBeLessThan(names.length / 2);

    // A tile far down the list can be sold.
    const wanted = ['Thing 118', 'Thing 014', 'Thing 077', 'Thing 101', 'Thing 043'];
    for (const name of wanted) await tile(page, name).tap();
    await page.getByRole('button', { name: /Cart.*\$5\.00/ }).click();
    for (const name of wanted) await cart(page).getByText(name).waitFor();
    expect(complaints).toEqual([]);
  });
});
