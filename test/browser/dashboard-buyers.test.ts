/** The page with the personal data of buyers, in a real browser. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { expect200, openStore, type PlacedOrder, placePaid, type TestStore, update } from '../support/orders.js';
import { startPageServer } from '../support/page-server.js';
import { pay } from '../support/payments.js';
import { RealBrowser } from '../support/real-browser.js';
import type { TestServer } from '../support/server.js';
import { asPhone, expectAccessible, expectNoSidewaysScroll, untilShown, visit } from './dashboard-visit.js';

const EMAIL = 'kim.buyer@example.com';

let server: TestServer;
let browser: RealBrowser;
let owner: TestOwner;
let store: TestStore;
let order: PlacedOrder;

beforeAll(async () => {
  [server, browser] = [await startPageServer(), await RealBrowser.open()];
  owner = await createOwner(server);
  store = await openStore(server, owner.merchant);
  await pay(server, owner.merchant, { buyer_email_address: EMAIL });
  order = await placePaid(store, { buyer_email: EMAIL, recipient: { name: 'Kim Recipient' } });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

it('the page shows, exports and erases the data of a buyer, after the address was typed again, and fits a phone in dark', async () => {
  const { page, complaints, goTo } = await visit(browser, server, owner.session);
  await goTo('/dashboard/buyers');
  await untilShown(page, 'empty');
  await expectAccessible(page);
  const field = page.getByLabel('Email address of the buyer');
  await field.fill('nobody@example.com');
  await field.press('Enter');
  await page.getByText('Nothing is stored').waitFor();
  await expectAccessible(page);
  await field.fill(EMAIL);
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('table', { name: 'Orders' }).getByText('Kim Recipient').waitFor();
  await expectAccessible(page);
  await asPhone(page, async () => {
    await expectAccessible(page, ['color-contrast', 'target-size']);
    await expectNoSidewaysScroll(page);
  });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as JSON' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('personal-data.json');
  const file = JSON.parse(await readFile(await download.path(), 'utf8'));
  expect(file).toMatchObject({ email: EMAIL, orders: [{ id: order.id, recipient_name: 'Kim Recipient' }] });
  expect(file.payments).toHaveLength(2);

  const erase = async () => {
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Erase for ever' });
    expect(await submit.isDisabled()).toBe(true);
    await page.getByLabel(`Type ${EMAIL} to confirm`).fill(EMAIL);
    await submit.click();
  };
  await erase();
  await page.getByRole('alert').getByText('Complete or cancel them first').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  expect200(await update(server, store, order, 'COMPLETE', {}));
  await erase();
  await page.getByText('The personal data is erased').waitFor();
  await page.getByText('Nothing is stored').waitFor();
  await goTo('/dashboard/security');
  await page.getByText('Personal data of a buyer erased').first().waitFor();
  expect(complaints).toEqual([]);
});
