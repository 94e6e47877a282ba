/** What people see and tap on the screens of a register. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { PATIENCE_MS } from '../support/real-browser.js';

export const payment = (page: Page) => page.getByRole('region', { name: 'Payment' });
export const cart = (page: Page) => page.getByRole('region', { name: 'Cart' });
export const dialog = (page: Page) => page.getByRole('dialog').last();

export function tile(page: Page, name: string): Locator {
  return page.getByRole('region', { name: 'Items' }).getByRole('button', { name: new RegExp(`^${name}`) });
}

/** How a test clicks a button: with a finger, or with the event only. */
export type Touch = (target: Locator) => Promise<void>;

export const finger: Touch = (target) => target.click();

/** Buttons that can be used: while a dialog is open, only its own. */
const REACHABLE = ':enabled:is([aria-modal="true"] *, :root:not(:has([aria-modal="true"])) *)';

/**
 * Dispatches a click on a button that can be used, with a third of the CPU time of a real tap. It is for steps that lead to what a test is
 * about. register.test.ts and register-days.test.ts use a finger for such steps, which fails where something covers a button.
 */
export const press: Touch = (target) => target.and(target.page().locator(REACHABLE)).dispatchEvent('click');

export async function tap(page: Page, name: string | RegExp): Promise<void> {
  await page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click();
}

/** Goes to a screen by the navigation, which phones have at the bottom. A count may stand before the name. */
export async function goTo(
  page: Page,
  name: 'Sell' | 'Open' | 'Orders' | 'Sales' | 'Drawer' | 'Settings',
  touch: Touch = press,
): Promise<void> {
  const buttons = page
    .getByRole('navigation', { name: 'Register' })
    .getByRole('button', { name: new RegExp(`${name}$`) });
  await touch(buttons.filter({ visible: true }));
}

/** The total of the cart, as it is shown. */
export async function total(page: Page): Promise<string | null> {
  return page.locator('[data-total]').first().textContent();
}

export async function untilTotal(page: Page, amount: string): Promise<void> {
  await expect.poll(() => total(page), { timeout: PATIENCE_MS }).toBe(amount);
}

/** Adds an item about which nothing has to be asked. */
export async function addTile(page: Page, name: string): Promise<void> {
  const before = await total(page);
  await press(tile(page, name));
  await page.waitForFunction((text) => document.querySelector('[data-total]')?.textContent !== text, before, {
    polling: 20,
  });
}

/** A scanner is a keyboard that types faster than anybody could, and then Enter. */
export async function scan(page: Page, code: string): Promise<void> {
  await page.evaluate((text) => {
    for (const key of [...text, 'Enter'])
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  }, code);
}

/** On phones the cart is a sheet. */
export async function openCart(page: Page, touch = finger): Promise<void> {
  if ((page.viewportSize()?.width ?? 0) < 700) await touch(page.getByRole('button', { name: /Cart/ }));
}

/** Chooses items about which nothing is asked, and goes to the payment. */
export async function ringUp(page: Page, names: readonly string[], touch = finger): Promise<void> {
  for (const name of names) await touch(tile(page, name));
  await openCart(page, touch);
  await touch(page.getByRole('button', { name: /^(?:Charge|Give back)/ }).first());
}

/** The exact amount, or the button of a note. */
export async function payCash(page: Page, given: string | RegExp = /Exact amount/, touch = finger): Promise<void> {
  await touch(payment(page).getByRole('button', { name: 'Cash' }));
  await touch(payment(page).getByRole('button', { name: given }));
}

export const TEST_CARD = /Visa, contactless/;

export async function payByCard(page: Page, card: RegExp = TEST_CARD): Promise<void> {
  await payment(page).getByRole('button', { name: 'Card', exact: true }).click();
  await page.getByRole('button', { name: card }).click();
}

export async function payOtherwise(page: Page): Promise<void> {
  await payment(page).getByRole('button', { name: 'Other' }).click();
  await page.getByRole('button', { name: 'Voucher' }).click();
}

/** Charges the cart for the exact cash, and starts the next sale. */
export async function sellForCash(page: Page): Promise<void> {
  await press(page.getByRole('button', { name: /^Charge/ }));
  await payCash(page, undefined, press);
  await press(page.getByRole('button', { name: 'Next sale' }));
  await untilTotal(page, '$0.00');
}

export async function openDrawer(page: Page, note: string, dollars: string): Promise<void> {
  await goTo(page, 'Drawer');
  await page.getByLabel(`How many ${note}`, { exact: true }).fill('1');
  await tap(page, `Open with ${dollars}`);
  await page.getByText('Opened with').waitFor();
  await goTo(page, 'Sell');
}
