/** A sale that is paid in parts with cash: the change of each part is shown before the next part is asked for. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from './dashboard-visit.js';
import { payByCard, payCash, payment, press, ringUp } from './register-counter.js';
import { PASSCODES, PHONE, signIn, startWork, workAtOneTablet } from './register-shop.js';

const counter = workAtOneTablet();

const change = (page: Page) => payment(page).getByRole('status').filter({ hasText: 'Give back' });
const askedToPay = (page: Page) => payment(page).getByRole('button', { name: 'Cash' });

async function splitAmongTwo(page: Page): Promise<void> {
  await payment(page).getByRole('button', { name: 'Split' }).click();
  await payment(page)
    .getByRole('button', { name: /^2 people/ })
    .click();
  await payment(page).getByText('Part of').waitFor();
}

describe('a part that is paid in cash', () => {
  it('shows its change at once and large, also after a reload, before the next part is asked for', async () => {
    const { page, tap, complaints } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    await ringUp(page, ['Banana bread']);
    await splitAmongTwo(page);
    await payCash(page, '$20.00');
    await change(page).getByText('$14.50').waitFor();
    await change(page).getByText('Out of $20.00').waitFor();
    expect(await page.getByText('$14.50', { exact: true }).evaluate((each) => getComputedStyle(each).fontSize)).toBe(
      '96px',
    );
    expect(await askedToPay(page).count()).toBe(0);
    await expectAccessible(page);
    await page.reload();
    await change(page).getByText('$14.50').waitFor();
    expect(await askedToPay(page).count()).toBe(0);
    await tap('Next: the rest of $5.50');
    await askedToPay(page).waitFor();
    await page.getByRole('complementary', { name: 'Sale' }).getByText('$14.50 back').waitFor();
    // The change was given. The end of the sale does not ask for it again.
    await payByCard(page);
    await page.getByRole('heading', { name: 'Paid' }).waitFor();
    await page.getByText('$11.00', { exact: true }).waitFor();
    expect(await page.getByText('Give back').count()).toBe(0);
    await tap('Next sale');
    expect(complaints).toEqual([]);
  });

  it('shows the change of each part, and none if the amount was exact', async () => {
    const { page, tap } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    await ringUp(page, ['Banana bread']);
    await payment(page).getByRole('button', { name: 'Split' }).click();
    await payment(page)
      .getByRole('button', { name: /^3 people/ })
      .click();
    await payCash(page, '$5.00');
    await change(page).getByText('$1.33').waitFor();
    await tap(/^Next part: \$3\.67/);
    await payCash(page);
    await payment(page).getByRole('heading', { name: '$3.66' }).waitFor();
    await payCash(page, '$10.00');
    await page.getByText('Give back').waitFor();
    await page.getByText('$6.34', { exact: true }).waitFor();
    await tap('Next sale');
  });

  it('shows it on a phone without a network too', async () => {
    const { page, tap } = await startWork(counter.browser, counter.server, counter.shop, PHONE);
    await ringUp(page, ['Banana bread'], press);
    await page.context().setOffline(true);
    await splitAmongTwo(page);
    await payCash(page, '$10.00');
    await change(page).getByText('$4.50').waitFor();
    expect(await askedToPay(page).count()).toBe(0);
    await expectAccessible(page);
    await tap('Next: the rest of $5.50');
    await payCash(page, '$6.00');
    await page.getByText('Give back').waitFor();
    await page.getByText('$0.50', { exact: true }).waitFor();
    await tap('Next sale');
    await page.context().setOffline(false);
  });
});
