/** Sales and orders in a real browser: finds a sale and refunds it, two people at once, and a day with orders. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { QUANTITY_OF_ONE, type Quantity, type Rate } from '../../src/base/decimal.js';
import { amount } from '../../src/base/money.js';
import type { ReceiptInput } from '../../src/business/receipts/model.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { openStore, placePaid, type TestStore } from '../support/orders.js';
import { startPageServer } from '../support/page-server.js';
import { approve, expectBooksInOrder, pay, tryToPay, usd } from '../support/payments.js';
import { RealBrowser } from '../support/real-browser.js';
import type { TestServer } from '../support/server.js';
import { hold, made } from '../support/settlements.js';
import { type MadeSale, makeSale, type TenderPlan } from '../support/split-sales.js';
import {
  asPhone,
  expectAccessible,
  expectNoSidewaysScroll,
  PATIENCE_MS,
  shareVisit,
  untilShown,
  visit,
} from './dashboard-visit.js';

let server: TestServer;
let browser: RealBrowser;
let owner: TestOwner;
let session: string;
let store: TestStore;

beforeAll(async () => {
  [server, browser] = [await startPageServer(), await RealBrowser.open()];
  owner = await createOwner(server, { clock: { now: '2020-02-26T20:00:00Z', frozen: true } });
  session = owner.session;
  store = await openStore(server, owner.merchant);
  await pay(server, owner.merchant, { amount_money: usd(4200), reference_id: 'A-17' });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});
afterEach(() => browser.close());

/** Two coffees at 3.50 with 10 % tax and a loaf at 6.00: 13.70. */
const RECEIPT: ReceiptInput = {
  items: [
    {
      ...{ kind: 'ITEM', name: 'Coffee', quantity: (2 * QUANTITY_OF_ONE) as Quantity, price: amount(350) },
      ...{ modifiers: [], discounts: [] },
      taxes: [{ name: 'Sales tax', rate: 100_000 as Rate, inclusion: 'ADDITIVE' }],
    },
    {
      ...{ kind: 'ITEM', name: 'Rye loaf', quantity: QUANTITY_OF_ONE, price: amount(600) },
      ...{ modifiers: [], discounts: [], taxes: [] },
    },
  ],
  ...{ discounts: [], taxes: [], surcharges: [] },
};

const sell = (...tenders: readonly TenderPlan[]): Promise<MadeSale> =>
  makeSale(server, owner.merchant, { at: '2020-02-26T18:00:00Z', receipt: RECEIPT, tenders });

const visitOnce = shareVisit((own) => visit(own, server, session));

const dialogOf = (page: Page) => page.getByRole('dialog');

describe('a sale', () => {
  it('is found by the last four digits, refunded by item, and its timeline shows it', async () => {
    const sale = await sell({ source: 'CARD', amount: 1370, tip: 200 });
    const { page, complaints, goTo } = await visitOnce();
    await goTo('/dashboard/sales');
    await untilShown(page, 'full');
    await page.getByLabel('Search sales').fill('1111');
    await page.waitForURL(/q=1111/);
    await page.getByRole('row', { name: /Visa 1111/ }).waitFor();
    await page.getByText('Visa 5858').waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /Visa 1111/ })
      .getByRole('link')
      .click();
    await page.getByRole('heading', { name: 'Coffee + 1 more' }).waitFor();
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    const dialog = dialogOf(page);
    await dialog.getByRole('button', { name: 'Refund $15.70 to Visa 1111' }).waitFor();
    await dialog.getByText('Items', { exact: true }).click();
    await dialog.getByLabel('Coffee').fill('1');
    await dialog.getByLabel('Reason').fill('Cold');
    await dialog.getByRole('button', { name: 'Refund $3.85 to Visa 1111' }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Refund $3.85 to Visa 1111' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Refund of $3.85 to Visa 1111').waitFor();
    await page.getByText('1 refunded').waitFor();
    await page.getByText(/by the owner · Cold/).waitFor();
    await page.getByText('Partly refunded').waitFor(); // accessible: dashboard.test.ts
    expect(complaints).toEqual([]);
    await goTo(`/dashboard/sales/transactions/${sale.tenderIds[0]}`);
    await page.getByRole('heading', { name: 'Coffee + 1 more' }).waitFor();
  });

  it('is refunded by amount to one of its tenders, on a phone in the dark', async () => {
    const sale = await sell({ source: 'CARD', amount: 1000 }, { source: 'CASH', amount: 370 });
    const { page, complaints, goTo } = await visitOnce();
    await asPhone(page, async () => {
      await goTo(`/dashboard/sales/${sale.saleId}`);
      await page.getByRole('button', { name: 'Refund', exact: true }).click();
      const dialog = dialogOf(page);
      await dialog.getByText('An amount', { exact: true }).click();
      await dialog.getByLabel('Amount in USD').fill('2.50');
      await dialog.getByRole('combobox', { name: 'Refund to' }).click();
      await page.getByRole('option', { name: /^Cash/ }).click();
      const button = dialog.getByRole('button', { name: 'Refund $2.50 to Cash' });
      await button.waitFor();
      await expectNoSidewaysScroll(page);
      await expectAccessible(page, ['color-contrast', 'target-size']);
      await button.click();
      await page.getByText('Refund of $2.50 to Cash').waitFor();
      await expectNoSidewaysScroll(page);
    });
    expect(complaints).toEqual([]);
  });

  it('that two people refund at once is refunded once, and the second sees what changed', async () => {
    const sale = await sell({ source: 'CARD', amount: 1370 });
    const [{ page: first, goTo }, { page: second, open }] = [await visitOnce(), await visit(browser, server, session)];
    await second.route('**/api/dashboard/changes', (route) => route.abort()); // without notices, it finds the conflict when it refunds
    await goTo(`/dashboard/sales/${sale.saleId}`);
    await open(`/dashboard/sales/${sale.saleId}`);
    for (const page of [first, second]) {
      await page.getByRole('button', { name: 'Refund', exact: true }).click();
      await dialogOf(page).getByRole('button', { name: 'Refund $13.70 to Visa 1111' }).waitFor();
    }
    await dialogOf(first)
      .getByRole('button', { name: /^Refund \$/ })
      .click();
    await first.getByText('Refund of $13.70 to Visa 1111').waitFor();
    await dialogOf(second)
      .getByRole('button', { name: /^Refund \$/ })
      .click();
    await dialogOf(second).getByRole('alert').getByText('There is nothing left to refund.').waitFor();
    await second.getByText('Refund of $13.70 to Visa 1111').waitFor();
    const { body } = await owner.call('GET', `/api/dashboard/sales/${sale.saleId}`);
    expect(body.sale.refunds).toHaveLength(1);
  });

  it('is found from everywhere with Ctrl K, and the whole filtered list is a CSV file', async () => {
    const { page, complaints, goTo } = await visitOnce();
    await goTo('/dashboard');
    await untilShown(page, 'empty');
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search or jump to').fill('42.00');
    await page.getByRole('button', { name: /\$42\.00 · Visa 5858/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('A-17').waitFor();
    await goTo('/dashboard/sales?kind=API');
    await untilShown(page, 'full');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const stream = await (await download).createReadStream();
    let text = '';
    for await (const chunk of stream) text += chunk;
    expect(text).toContain('Visa 5858');
    expect(text).toContain('42.00');
    expect(text.trim().split('\r\n')).toHaveLength(2);
    expect(complaints).toEqual([]);
  });

  it('that is disputed is refunded only after a deliberate yes, which names the amount', async () => {
    const sale = await sell({ source: 'CARD', amount: 1370, tip: 200 });
    made(await hold(server, owner.merchant, sale.id));
    const { page, complaints, goTo } = await visitOnce();
    await goTo(`/dashboard/sales/${sale.saleId}`);
    await page.getByRole('button', { name: 'Refund' }).click();
    const dialog = dialogOf(page);
    await dialog.getByText(/bank has held \$15\.70 of Visa 1111/).waitFor();
    const button = dialog.getByRole('button', { name: 'Refund $15.70 to Visa 1111' });
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByLabel('Refund it all the same').check();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await button.click();
    await page.getByText('$15.70 refunded').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('a payment that took no money', () => {
  it('is listed with its reason in words or with its expiry, and its amount is in view on desktops and phones', async () => {
    await approve(server, owner.merchant, { amount_money: usd(123_456) });
    const declined = { source_id: 'cnon:card-nonce-rejected-cvv', amount_money: usd(7_654_321) };
    expect((await tryToPay(server, owner.merchant, declined)).status).toBe(400);
    const { page, complaints, goTo } = await visitOnce();
    await goTo('/dashboard/sales?tab=uncaptured');
    await page.getByRole('row', { name: /Declined.*The security code is wrong\./ }).waitFor();
    await page.getByRole('row', { name: /Authorized.*Expires Mar 4, 2020/ }).waitFor();
    const amount = page.getByRole('cell', { name: '$76,543.21' });
    const isInView = () =>
      amount.evaluate((cell) => {
        const frame = cell.closest('[role="region"]')?.getBoundingClientRect().right ?? 0;
        return cell.getBoundingClientRect().right <= Math.ceil(frame);
      });
    expect(await isInView()).toBe(true);
    await expectAccessible(page);
    await asPhone(page, async () => {
      await expect.poll(isInView, { timeout: PATIENCE_MS }).toBe(true);
      await expectNoSidewaysScroll(page);
      await expectAccessible(page, ['color-contrast', 'target-size']);
    });
    expect(complaints).toEqual([]);
  });
});

describe('orders', () => {
  it('are completed with a tracking number, canceled and refunded', async () => {
    for (const name of ['Ana Ruiz', 'Bo Chen', 'Cy Dole']) await placePaid(store, { recipient: { name } });
    const { page, complaints, goTo } = await visitOnce();
    const openOrder = async (name: string): Promise<void> => {
      await goTo('/dashboard/orders');
      await page.getByRole('region', { name: 'To ship' }).getByText(name).click();
      await page.getByRole('heading', { name: `Rye loaf for ${name}` }).waitFor();
    };
    await openOrder('Ana Ruiz');
    await page.getByRole('button', { name: 'Complete' }).click();
    await dialogOf(page).getByLabel('Tracking number').fill('1Z-17');
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: 'Complete' }).click();
    await page.getByText('1Z-17').waitFor();

    await openOrder('Bo Chen');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await dialogOf(page)
      .getByText(/\$26\.70 goes back to Visa 5858/)
      .waitFor();
    await dialogOf(page).getByRole('button', { name: 'Cancel and refund $26.70' }).click();
    await page.getByText('Canceled').first().waitFor();

    await openOrder('Cy Dole');
    await page.getByRole('button', { name: 'Refund' }).click();
    await dialogOf(page).getByLabel('Note').fill('Broken');
    await dialogOf(page).getByRole('button', { name: 'Refund $26.70' }).click();
    await page.getByRole('main').getByText('Broken').waitFor();
    await page.getByRole('link', { name: 'Show the sale' }).click();
    await page.getByText('Refund of $26.70 to Visa 5858').waitFor();
    await page.getByRole('link', { name: 'Show the order' }).waitFor();

    await goTo('/dashboard/orders');
    await page.getByRole('region', { name: 'Completed' }).getByText('Ana Ruiz').waitFor();
    await page.getByRole('region', { name: 'Canceled' }).getByText('Bo Chen').waitFor();
    await page.getByRole('region', { name: 'Refunded' }).getByText('Cy Dole').waitFor();
    expect(complaints).toEqual([]);
  });
});
