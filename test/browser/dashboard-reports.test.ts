/** The owner reads reports in a real browser: today at home, then any range and grouping, by address, with a CSV. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeClock } from '../support/clock.js';
import type { TestOwner } from '../support/dashboard.js';
import { startPageServer } from '../support/page-server.js';
import { openBusiness } from '../support/people.js';
import { card, cash, item, sell } from '../support/register-sales.js';
import type { TestServer } from '../support/server.js';
import { expectAccessible, shareVisit, untilShown, visit } from './dashboard-visit.js';

let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await startPageServer();
  const business = await openBusiness(server, {
    clock: { now: '2020-02-19T17:10:00Z' },
    locations: [
      { name: 'Corner', timezone: 'America/New_York' },
      { name: 'Market', timezone: 'America/New_York' },
    ],
  });
  owner = business.owner;
  await sell(business.register, { itemizations: [item(1000)], tenders: [cash()] });
  await changeClock(server, owner.merchant.id, { now: '2020-02-26T17:00:00Z' });
  await sell(business.register, {
    itemizations: [item(1500, { name: '=Rye' }), item(500, { name: '<script>alert(1)</script>' })],
    tenders: [card(undefined, { tip_money: { amount: 300 } })],
  });
});
afterAll(() => server.stop());

const visitOnce = shareVisit((browser) => visit(browser, server, owner.session));

it('home shows today against last week, the latest sale, and leads to reports, which keep everything in the address', async () => {
  const { page, complaints, goTo } = await visitOnce();
  await goTo('/dashboard');
  await untilShown(page, 'full');
  const figures = page.locator('main dl').first();
  expect(await figures.textContent()).toContain('Gross sales$20.00');
  expect(await figures.textContent()).toContain('+100%was $10.00');
  await page
    .getByRole('img', { name: /net sales by hour/ })
    .locator('svg')
    .first()
    .waitFor();
  await page.getByRole('link', { name: '=Rye + 1' }).waitFor();
  await page.getByText('1 sale', { exact: true }).waitFor();

  await page.getByRole('link', { name: 'All reports' }).click();
  await untilShown(page, 'full');
  await page.getByRole('cell', { name: 'Wed, Feb 26' }).waitFor();
  await page.getByRole('combobox', { name: 'Group by' }).click();
  await page.getByRole('option', { name: 'Item' }).click();
  await page.getByRole('cell', { name: '<script>alert(1)</script>' }).waitFor();
  await page.getByRole('combobox', { name: 'Range' }).click();
  await page.getByRole('option', { name: 'Last 7 days' }).click();
  await page.getByRole('switch', { name: 'Compare with the period before' }).press('Space');
  await page.waitForURL(/range=7d/);
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ group: 'ITEM', range: '7d', compare: 'no' });
  await page.reload();
  await untilShown(page, 'full');
  expect(await page.getByRole('row').count()).toBe(4); // with the names above and the sums below
  await expectAccessible(page);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const csv = await readFile((await (await download).path()) ?? '', 'utf8');
  expect(csv).toContain("'=Rye,1,15.00,0.00,0.00,15.00,0.00,15.00");
  expect(complaints).toEqual([]);
});

it('a range without sales says so, and a range that is refused says why', async () => {
  const { page, goTo } = await visitOnce();
  await goTo('/dashboard/reports?range=custom&begin=2019-01-01&end=2019-01-31');
  await untilShown(page, 'empty');
  await page.getByLabel('From').fill('2000-01-01');
  await untilShown(page, 'error');
  expect(await page.getByRole('alert').textContent()).toContain('at most 1098 days');
});
