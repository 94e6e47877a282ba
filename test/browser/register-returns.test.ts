/** Buyers come back to the register with a receipt: sales are found in every way, and goods or amounts are given back. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { changeClock } from '../support/clock.js';
import type { TestOwner } from '../support/dashboard.js';
import { expectAccessible, PATIENCE_MS } from './dashboard-visit.js';
import {
  addTile,
  cart,
  dialog,
  goTo,
  payByCard,
  payCash,
  payment,
  press,
  scan,
  sellForCash,
  tile,
} from './register-counter.js';
import { done, PASSCODES, signIn, usd, workAtOneTablet } from './register-shop.js';

const counter = workAtOneTablet({ prepare: ({ owner }) => allowCards(owner, 5000) });

/** Allows cards without a network, up to this many cents. */
async function allowCards(owner: TestOwner, limit: number): Promise<void> {
  const body = { restrict_discounts: false, offline_cards: { allowed: true, limit_money: usd(limit) } };
  done(await owner.call('PUT', '/api/dashboard/register-settings', { body }));
}

interface Sale {
  readonly id: string;
  readonly total_money: { readonly amount: number };
  readonly refunded_money: { readonly amount: number };
}

/** The sales of the shop, newest first. */
async function sales(): Promise<Sale[]> {
  return done(await counter.shop.owner.call('GET', '/api/dashboard/sales')).sales;
}

const rows = (page: Page) => page.getByRole('main').getByRole('listitem');
const search = (page: Page) => page.getByRole('searchbox');

async function sellByCard(page: Page, card?: RegExp): Promise<void> {
  await press(page.getByRole('button', { name: /^Charge/ }));
  await payByCard(page, card);
  await press(page.getByRole('button', { name: 'Next sale' }));
}

describe('giving back at the register', () => {
  it('finds a sale by digits, number, amount, time and a scan of its receipt, and gives items and amounts back', async () => {
    const { page, tap, complaints } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    for (const name of ['Banana bread', 'Banana bread', 'Espresso']) await addTile(page, name);
    await sellByCard(page);
    await addTile(page, 'Espresso');
    await sellForCash(page);

    await goTo(page, 'Sales');
    await expect.poll(() => rows(page).count(), { timeout: PATIENCE_MS }).toBe(2);
    await expectAccessible(page);
    await search(page).fill('1111');
    await expect.poll(() => rows(page).count(), { timeout: PATIENCE_MS }).toBe(1);
    const shown = await rows(page).first().innerText();
    expect(shown).toContain('Banana bread');
    const number = /· (\w{4})$/m.exec(shown)?.[1] ?? '';

    // The number is typed and Enter is pressed before anything is found: that sale opens, and no other.
    await search(page).fill(number);
    await search(page).press('Enter');
    await dialog(page).getByText(number, { exact: true }).waitFor();
    expect(await dialog(page).getByText('$25.30').count()).toBeGreaterThan(0);
    await expectAccessible(page);
    await tap('Give back');
    await dialog(page)
      .getByRole('group', { name: /^How many Banana bread/ })
      .getByRole('button', { name: 'One more' })
      .click();
    await tap('Damaged');
    await expectAccessible(page);
    await tap('Give back $11.00 to Visa 1111');
    await page.getByText('$11.00 given back to Visa 1111.').waitFor();
    await rows(page).getByText('partly given back').waitFor();
    expect((await sales())[1]).toMatchObject({ total_money: { amount: 2530 }, refunded_money: { amount: 1100 } });

    // By time, and by amount.
    await tap('Clear the search');
    await tap('Yesterday');
    await page.getByRole('heading', { name: 'No such sale' }).waitFor();
    await expectAccessible(page);
    await tap('Last hour');
    await expect.poll(() => rows(page).count(), { timeout: PATIENCE_MS }).toBe(2);
    await tap('Any time');
    await search(page).fill('3.30');
    await search(page).press('Enter');
    await tap('Give back');
    await tap('Amount');
    await page.keyboard.type('130');
    await expectAccessible(page);
    await tap('Give back $1.30 to Cash');
    await page.getByText('$1.30 given back to Cash.').waitFor();

    // A scanner types the address of the receipt, wherever the register is.
    const [{ id = '' } = {}] = await sales();
    const { receipt_path: path } = done(await counter.shop.owner.call('GET', `/api/dashboard/sales/${id}`)).sale;
    await goTo(page, 'Sell');
    await tile(page, 'Espresso').waitFor();
    await scan(page, `https://shop.example${path}`);
    await tap('Give back');
    // An amount was given back before, so items cannot be returned singly.
    expect(await dialog(page).getByRole('button', { name: 'Items', exact: true }).count()).toBe(0);
    await tap('All that is left: $2.00');
    await tap('Give back $2.00 to Cash');
    await rows(page).getByText('given back', { exact: true }).waitFor();
    expect((await sales())[0]).toMatchObject({ total_money: { amount: 330 }, refunded_money: { amount: 330 } });
    await rows(page).first().getByRole('button').click();
    expect(await dialog(page).getByRole('button', { name: 'All given back' }).isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
    expect(await findBreaches(counter.server.database)).toEqual([]);
  });

  it('gives an amount back to the tender that is chosen', async () => {
    const { page, tap, press: step, open } = counter.tablet;
    await open('/register'); // the list of sales is asked for again
    await signIn(page, 'Ada', PASSCODES.ada);
    await addTile(page, 'Banana bread');
    await step(/^Charge/);
    await press(payment(page).getByRole('button', { name: 'Split' }));
    await step(/^2 people/);
    await press(payment(page).getByRole('button', { name: 'Other' }));
    await step('Voucher');
    await payment(page).getByText('To pay').waitFor();
    await payCash(page, undefined, press);
    await step('Next sale');

    await goTo(page, 'Sales');
    await rows(page).first().getByRole('button').click();
    await tap('Give back');
    await tap('Amount');
    await tap('All that is left: $5.50');
    await tap('Cash, $5.50 left');
    await expectAccessible(page);
    await tap('Give back $5.50 to Cash');
    await page.getByText('$5.50 given back to Cash.').waitFor();
    await rows(page).first().getByText('partly given back').waitFor();
    const [{ id = '' } = {}] = await sales();
    const { tenders } = done(await counter.shop.owner.call('GET', `/api/dashboard/sales/${id}`)).sale;
    const refunded = tenders.map((tender: { type: string; refunded_money: { amount: number } }) => [
      tender.type,
      tender.refunded_money.amount,
    ]);
    expect(refunded).toEqual([
      ['OTHER', 0],
      ['CASH', 550],
    ]);
  });

  it('is not shown to somebody without the permission, neither by its address nor by a scan', async () => {
    const { page } = counter.tablet;
    await signIn(page, 'Mia', PASSCODES.mia);
    await tile(page, 'Espresso').waitFor();
    await scan(page, 'https://shop.example/receipts/abcdefgh?merchant=M1');
    await page.getByText('This is a receipt').waitFor();
    await page.evaluate(() => location.assign('#/sales'));
    await tile(page, 'Espresso').waitFor();
    expect(await page.getByRole('heading', { name: 'Sales' }).count()).toBe(0);
  });
});

describe('what the server refused later', () => {
  it('is shown one by one, and each can be dealt with', async () => {
    const { page, tap } = counter.tablet;
    const before = (await sales()).length;
    await counter.tablet.open('/register'); // the list of sales is asked for again
    await signIn(page, 'Ada', PASSCODES.ada);
    await goTo(page, 'Settings');
    await page.getByText('Allowed', { exact: true }).waitFor();
    await goTo(page, 'Sell');
    await addTile(page, 'Banana bread');
    await sellForCash(page);
    await goTo(page, 'Sales');
    await rows(page).first().getByRole('button').click();
    await tap('Give back');
    await tap('Amount');
    await tap('All that is left: $11.00');

    await page.context().setOffline(true);
    await page.getByText('Offline: selling goes on').waitFor();
    await tap('Give back $11.00 to Cash');
    await goTo(page, 'Sell');
    await addTile(page, 'Espresso');
    await sellByCard(page, /Visa without enough money/);
    await addTile(page, 'Banana bread');
    await sellByCard(page);
    await page.getByText('Offline: 2 sales and 1 entry kept here').waitFor();
    await expectAccessible(page);

    // Meanwhile the owner gives the money back, and lowers the limit. A card is a retry for two minutes.
    const [{ id = '' } = {}] = await sales();
    const { tenders } = done(await counter.shop.owner.call('GET', `/api/dashboard/sales/${id}`)).sale;
    const refund = { tender_id: tenders[0].id, amount_money: usd(1100) };
    const body = { idempotency_key: 'offline', type: 'AMOUNT', reason: 'Asked', ...refund };
    done(await counter.shop.owner.call('POST', `/api/dashboard/sales/${id}/refunds`, { body }));
    await allowCards(counter.shop.owner, 500);
    await changeClock(counter.server, counter.shop.owner.merchant.id, { advance: 'PT3M' });
    await page.context().setOffline(false);
    await page.getByText('3 entries were refused by the server and need a decision').waitFor();

    // While nobody is there, nothing can be removed.
    await tap('Lock');
    await page.getByText('3 entries were refused').click();
    await dialog(page).getByText('Sign in to deal with them.').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Remove' }).count()).toBe(0);
    await tap('Close');
    await signIn(page, 'Ada', PASSCODES.ada);
    await page.getByText('3 entries were refused').click();
    await expectAccessible(page);
    const entry = (name: string) => dialog(page).getByRole('listitem').filter({ hasText: name });

    const refusedAgain = page.waitForResponse('**/api/register/queue'); // until then its entry is not there
    await entry('Refund').getByRole('button', { name: 'Try again' }).click();
    await refusedAgain;
    await entry('Refund').getByRole('button', { name: 'Remove' }).click();
    await entry('Refund').getByRole('button', { name: 'Yes, remove it for good' }).click();
    await entry('Refund').waitFor({ state: 'detached' });

    await entry('Sale: Espresso').getByText('There is not enough money on the card.').waitFor();
    expect(await entry('Sale: Espresso').getByRole('button', { name: 'Back to the cart' }).count()).toBe(0);
    await entry('Sale: Espresso').getByRole('button', { name: 'Find it under Open' }).click();
    await page.getByRole('button', { name: /^Espresso/ }).click();
    await cart(page).getByRole('heading', { name: 'Open sale' }).waitFor();
    await sellForCash(page);

    await page.getByText('1 entry was refused').click();
    await entry('Sale: Banana bread').getByRole('button', { name: 'Back to the cart' }).click();
    await sellForCash(page);
    expect(await page.getByText(/refused by the server/).count()).toBe(0);
    const made = (await sales()).slice(0, -before || undefined).map(({ total_money }) => total_money.amount);
    expect(made.toSorted((one, other) => one - other)).toEqual([330, 1100, 1100]);
    expect(await findBreaches(counter.server.database)).toEqual([]);
  });
});
