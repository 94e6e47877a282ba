/** A register without a card reader: cards are taken by a terminal beside it, with and without a network. */
import { expect, it } from 'vitest';
import { ADAPTER_SECRET } from '../support/adapter.js';
import { expectAccessible, expectNoSidewaysScroll, PATIENCE_MS } from './dashboard-visit.js';
import { addTile, dialog, goTo, payment } from './register-counter.js';
import { PASSCODES, signIn, usd, workAtOneTablet } from './register-shop.js';

// With an adapter there are no cards to tap. No card is charged here, so nothing has to be at this address.
const counter = workAtOneTablet({ config: { adapter: { url: 'http://127.0.0.1:1', secret: ADAPTER_SECRET } } });

async function tenders() {
  const { sales } = (await counter.shop.owner.call('GET', '/api/dashboard/sales')).body;
  return sales.flatMap((sale: { tenders: unknown[] }) => sale.tenders);
}

it('the register records what the slip of the terminal says, gives it back, and continues without a network', async () => {
  const { page, tap, press, complaints } = counter.tablet;
  await signIn(page, 'Ada', PASSCODES.ada);
  await addTile(page, 'Banana bread');
  await press(/^Charge/);
  await payment(page).getByRole('button', { name: 'Card terminal' }).waitFor();
  expect(
    await payment(page)
      .getByRole('button', { name: /^(?:Card|Gift card)$/ })
      .count(),
  ).toBe(0);
  await expectAccessible(page);
  await payment(page).getByRole('button', { name: 'Card terminal' }).click();
  await tap('Visa');
  await page.getByLabel('Last four digits').fill('42');
  await page.getByText('Four digits, or none.').waitFor();
  await page.getByLabel('Last four digits').fill('4242');
  await page.getByLabel('Reference of the slip').fill('A-0815');
  await tap('Add the tip from the slip');
  await page.keyboard.type('150');
  await expectAccessible(page);
  await tap('Tip of $1.50');
  await expectAccessible(page);
  await tap('Record $12.50');
  await page.getByText('$12.50').first().waitFor();
  await press('Next sale');
  expect(await tenders()).toMatchObject([
    { type: 'EXTERNAL_CARD', card_brand: 'VISA', last_4: '4242', amount_money: usd(1100), tip_money: usd(150) },
  ]);

  await goTo(page, 'Sales');
  await page.getByRole('button', { name: /Visa 4242, terminal/ }).click();
  await tap('Give back');
  await dialog(page).getByText('Give the money back on the card terminal, too.').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await goTo(page, 'Sell');

  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.context().setOffline(true);
  await addTile(page, 'Espresso');
  await press(/^Charge/);
  await payment(page).getByRole('button', { name: 'Card terminal' }).click();
  await tap('Record $3.30');
  await page.getByText('Kept here. It is sent').waitFor();
  await page.context().setOffline(false);
  await expect.poll(async () => (await tenders()).length, { timeout: PATIENCE_MS }).toBe(2);

  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  expect(complaints).toEqual([]);
});
