/** Where the owner restricts discounts: what the register asks before it sells for less. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE_MS } from '../support/real-browser.js';
import { asPhone, expectAccessible, expectNoSidewaysScroll } from './dashboard-visit.js';
import { addTile, cart, dialog, payCash, tile, untilTotal } from './register-counter.js';
import { done, PASSCODES, signIn, usd, workAtOneTablet } from './register-shop.js';

const PICTURES = process.env['TILLHOUSE_TEST_PICTURES'];

const counter = workAtOneTablet({
  async prepare({ owner }) {
    done(await owner.call('PUT', '/api/dashboard/register-settings', { body: { restrict_discounts: true } }));
    const variations = [{ name: 'Any', price_money: usd(2000), variable_price: true }];
    done(
      await owner.call('POST', '/api/dashboard/catalogue/items', { body: { name: 'Gift', online: false, variations } }),
    );
  },
});

async function allowedByAda(page: Page): Promise<void> {
  await dialog(page).getByRole('button', { name: /^Ada/ }).click();
  await page.keyboard.type(PASSCODES.ada);
  await page.keyboard.press('Enter');
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `register-${name}.png`) });
}

const newest = async () => done(await counter.shop.owner.call('GET', '/api/dashboard/sales')).sales[0];
const timelineOf = async (id: string) =>
  done(await counter.shop.owner.call('GET', `/api/dashboard/sales/${id}`)).sale.timeline;

describe('a register whose owner restricts discounts', () => {
  it('asks before any discount, and again before it takes off more', async () => {
    const { page, tap, complaints } = counter.tablet;
    await signIn(page, 'Mia', PASSCODES.mia);
    await addTile(page, 'Espresso');
    await tap('Discount');
    await dialog(page)
      .getByRole('button', { name: /^Happy hour.*needs approval/ })
      .click();
    await allowedByAda(page);
    await untilTotal(page, '$2.64');
    await addTile(page, 'Banana bread');
    await untilTotal(page, '$11.44');
    await tap(/^Charge/);
    await dialog(page).getByText('Happy hour takes $2.60 off.').waitFor();
    await expectAccessible(page);
    await picture(page, 'allow');
    await allowedByAda(page);
    await payCash(page, /^\$11\.44/);
    await tap('Next sale');
    const { id, total_money } = await newest();
    expect(total_money.amount).toBe(1144);
    expect(await timelineOf(id)).toContainEqual(
      expect.objectContaining({ kind: 'DISCOUNT_ALLOWED', name: 'Happy hour', employee_id: counter.shop.ada.id }),
    );
    expect(complaints).toEqual([]);
  });

  it('asks before it sells an item below its price, and says why', async () => {
    const { page, tap, complaints } = counter.tablet;
    await signIn(page, 'Mia', PASSCODES.mia);
    await addTile(page, 'Banana bread');
    await cart(page)
      .getByRole('button', { name: /^Banana bread/ })
      .click();
    await tap('Change the price');
    await page.keyboard.type('400');
    await expectAccessible(page);
    await picture(page, 'price');
    await tap('Sell for $4.00');
    await dialog(page).getByText('Banana bread is sold $6.00 below its price.').waitFor();
    await allowedByAda(page);
    await untilTotal(page, '$4.40');
    await cart(page).getByText('usually $10.00').waitFor();
    await picture(page, 'lowered');
    await tap(/^Charge/);
    await payCash(page, /^\$4\.40/);
    await tap('Next sale');
    const { id, total_money } = await newest();
    expect(total_money.amount).toBe(440);
    expect(await timelineOf(id)).toContainEqual(
      expect.objectContaining({ kind: 'PRICE_LOWERED', name: 'Banana bread', amount_money: usd(-600) }),
    );
    // More than the price needs nobody.
    await addTile(page, 'Banana bread');
    await cart(page)
      .getByRole('button', { name: /^Banana bread/ })
      .click();
    await tap('Change the price');
    await page.keyboard.type('1200');
    await tap('Sell for $12.00');
    await untilTotal(page, '$13.20');
    await tap('More for this sale');
    await page.getByRole('menuitem', { name: 'Clear the cart' }).click();
    await tap('Clear it');
    expect(complaints).toEqual([]);
  });

  it('asks for the passcode without a network too: the sale brings the approval along, also after a reload', async () => {
    const { page, tap } = counter.tablet;
    await signIn(page, 'Mia', PASSCODES.mia);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.context().setOffline(true);
    onTestFinished(() => page.context().setOffline(false));
    await addTile(page, 'Banana bread');
    await tap('Discount');
    await dialog(page)
      .getByRole('button', { name: /^Staff.*needs approval/ })
      .click();
    await dialog(page).getByText('for this sale only, once, and up to $5.00').waitFor();
    await picture(page, 'allow-offline');
    await allowedByAda(page);
    await untilTotal(page, '$5.50');
    await page.reload();
    await untilTotal(page, '$5.50');
    await tap(/^Charge/);
    await payCash(page, /^\$5\.50/);
    await tap('Next sale');
    await page.context().setOffline(false);
    await page.evaluate(() => dispatchEvent(new Event('online')));
    const sold = await vi.waitUntil(async () => {
      const sale = await newest();
      return sale.total_money.amount === 550 && sale;
    }, PATIENCE_MS);
    const { sale } = done(await counter.shop.owner.call('GET', `/api/dashboard/sales/${sold.id}`));
    expect(sale.flagged_writes).toEqual([]);
    expect(sale.timeline).toContainEqual(
      expect.objectContaining({ kind: 'DISCOUNT_ALLOWED', name: 'Staff', employee_id: counter.shop.ada.id }),
    );
  });

  it('asks for the price of an item whose price is variable, and for nobody', async () => {
    const { page, tap, complaints } = counter.tablet;
    await signIn(page, 'Mia', PASSCODES.mia);
    await tile(page, 'Gift').click();
    await dialog(page).getByRole('button', { name: 'Type the price' }).waitFor();
    await dialog(page).getByText('usually $20.00').waitFor();
    await page.keyboard.type('150');
    await expectAccessible(page);
    await picture(page, 'variable');
    await tap('Add $1.50');
    await untilTotal(page, '$1.65');
    await asPhone(page, async () => {
      await expectNoSidewaysScroll(page);
    });
    await tap(/^Charge/);
    await payCash(page, /^\$1\.65/);
    await tap('Next sale');
    expect(complaints).toEqual([]);
  });
});
