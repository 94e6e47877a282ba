/** Every table and every CSV file that people see adds up, over a business with every kind of sale (decision 0231). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DRAWER_COUNT, DRAWER_SALES } from '../../src/business/figures/drawer.js';
import { type AllSales, openAllSales } from '../support/all-sales.js';
import { startPageServer } from '../support/page-server.js';
import type { TestServer } from '../support/server.js';
import { expectAccessible, shareVisit, untilShown, visit } from './dashboard-visit.js';
import { downloadCsv, expectShown, linesOf, type ShownLine } from './shown-figures.js';

let server: TestServer;
let business: AllSales;

beforeAll(async () => {
  server = await startPageServer();
  business = await openAllSales(server);
});
afterAll(() => server.stop());

const visitOnce = shareVisit((browser) => visit(browser, server, business.owner.session));

/** The label and the amount of each row. */
const toLines = (rows: readonly string[][]): ShownLine[] => rows.map(([label = '', value = '']) => [label, value]);

it('the Z report on the page of a drawer, and its CSV', async () => {
  const { page, goTo } = await visitOnce();
  await goTo(`/dashboard/cash-drawers/${business.shifts[0]}`);
  await page.getByRole('heading', { name: 'Z report' }).waitFor();
  const shown = await linesOf(page.locator('[data-line]'));
  expectShown(DRAWER_SALES, shown);
  expectShown(DRAWER_COUNT, shown);
  const labels = shown.map(([label]) => label.replace(/ \(\d+\)$/, ''));
  expect(labels).toEqual(
    expect.arrayContaining(['Exchange', 'Gift card', 'Card terminal', 'Cash refunds', 'Surcharges']),
  );
  await expectAccessible(page);
  const csv = toLines(await downloadCsv(page, page.getByRole('button', { name: 'CSV' })));
  expectShown(DRAWER_SALES, csv);
  expectShown(DRAWER_COUNT, csv);
});

it('the list of drawers, and its CSV', async () => {
  const { page, goTo } = await visitOnce();
  await goTo('/dashboard/cash-drawers');
  await untilShown(page, 'full');
  const [header = [], ...rows] = await downloadCsv(page, page.getByRole('button', { name: 'CSV' }));
  expect(rows).toHaveLength(2);
  const closed = rows.find((row) => row[header.indexOf('Counted')] !== '') ?? [];
  expectShown(
    DRAWER_COUNT,
    header.map((label, index) => [label, closed[index] ?? '']),
  );
});
