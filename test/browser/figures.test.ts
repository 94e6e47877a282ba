/** Every table and every CSV file that people see adds up, over a business with every kind of sale (decision 0231). */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CASH_OUTSIDE, DRAWER_CASH, DRAWER_COUNT, DRAWER_SALES } from '../../src/business/figures/drawer.js';
import { type Figures, figuresOf } from '../../src/business/figures/model.js';
import {
  REPORT_DISCOUNTS,
  REPORT_GOODS,
  REPORT_SALES,
  REPORT_TAXES,
  REPORT_TENDERS,
} from '../../src/business/figures/report.js';
import { SALE_MONEY } from '../../src/business/figures/sale.js';
import { type AllSales, openAllSales } from '../support/all-sales.js';
import { startPageServer } from '../support/page-server.js';
import type { TestServer } from '../support/server.js';
import { expectAccessible, shareVisit, untilShown, visit } from './dashboard-visit.js';
import { amountIn, downloadCsv, expectShown, linesOf, type ShownLine } from './shown-figures.js';

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

const toShown = (header: readonly string[], row: readonly string[]): ShownLine[] =>
  header.map((label, index) => [label, row[index] ?? '']);

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

it('the X report on the page of a drawer, with the cash in no drawer, and its CSV', async () => {
  const { page, goTo } = await visitOnce();
  await goTo(`/dashboard/cash-drawers/${business.shifts[1]}`);
  await page.getByRole('heading', { name: 'X report' }).waitFor();
  const csv = toLines(await downloadCsv(page, page.getByRole('button', { name: 'CSV' })));
  for (const lines of [await linesOf(page.locator('[data-line]')), csv]) {
    expectShown(DRAWER_CASH, lines);
    expectShown(CASH_OUTSIDE, lines);
  }
});

it('the list of cash in no drawer, its sums, and its CSV', async () => {
  const { page, goTo } = await visitOnce();
  await goTo('/dashboard/cash-drawers/outside');
  await untilShown(page, 'full');
  const shown = await page
    .locator('main dl > div')
    .evaluateAll((figures) =>
      figures.map((figure) => [...figure.children].map((each) => (each as HTMLElement).innerText)),
    );
  expectShown(CASH_OUTSIDE, toLines(shown));
  const [header = [], ...rows] = await downloadCsv(page, page.getByRole('button', { name: 'CSV' }));
  const amounts = rows.map((row) => amountIn(toShown(header, row), 'Cash') ?? Number.NaN);
  expect(amounts.reduce((total, each) => total + each, 0)).toBe(
    amountIn(toLines(shown), CASH_OUTSIDE.cash_money.label),
  );
});

const GROUPS: Readonly<Record<string, Figures>> = {
  ...{ DAY: REPORT_SALES, LOCATION: REPORT_SALES, EMPLOYEE: REPORT_SALES, ITEM: REPORT_GOODS, CATEGORY: REPORT_GOODS },
  ...{ TENDER: REPORT_TENDERS, CARD_BRAND: REPORT_TENDERS, TAX: REPORT_TAXES, DISCOUNT: REPORT_DISCOUNTS },
};

it.each(Object.entries(GROUPS))('a report by %s: each row, the total below them, and the CSV', async (group, table) => {
  const { page, goTo } = await visitOnce();
  await goTo(`/dashboard/reports?range=custom&begin=2020-02-20&end=2020-02-26&group=${group}`);
  await untilShown(page, 'full');
  const cells = await page
    .locator('main table tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText)));
  const [header = [], ...rows] = cells;
  const sum = rows.at(-1) ?? [];
  expect(sum[0]).toBe('Total');
  for (const row of rows) expectShown(table, toShown(header, row));
  const [names = [], ...csv] = await downloadCsv(page, page.getByRole('button', { name: 'CSV' }));
  expect(csv).toHaveLength(rows.length - 1);
  for (const row of csv) expectShown(table, toShown(names, row));
  for (const { label } of figuresOf(table)) {
    const parts = csv.map((row) => amountIn(toShown(names, row), label) ?? Number.NaN);
    expect([label, parts.reduce((total, part) => total + part, 0)]).toEqual([
      label,
      amountIn(toShown(header, sum), label),
    ]);
  }
});

/** Each figure has its amount beside its name. A part of it stands below. */
async function saleFigures(page: Page): Promise<ShownLine[]> {
  const [names, values, parts] = await Promise.all([
    page.locator('main dl dt:has(+ dd)').allInnerTexts(),
    page.locator('main dl dt + dd').allInnerTexts(),
    linesOf(page.locator('main dl [data-part]')),
  ]);
  return [...names.map((name, index): ShownLine => [name, values[index] ?? '']), ...parts];
}

it('the list of sales as CSV, and the page of each of its kinds', async () => {
  const { page, goTo } = await visitOnce();
  await goTo('/dashboard/sales');
  await untilShown(page, 'full');
  const [header = [], ...rows] = await downloadCsv(page, page.getByRole('button', { name: 'CSV' }));
  expect(rows.length).toBeGreaterThan(12);
  for (const row of rows) expectShown(SALE_MONEY, toShown(header, row));
  const wasRefunded = rows.filter((row) => (amountIn(toShown(header, row), SALE_MONEY.refunds.label) ?? 0) < 0);
  expect(wasRefunded.length).toBeGreaterThan(5);
  for (const row of wasRefunded) {
    await goTo(`/dashboard/sales/${row[header.indexOf('Id')]}`);
    await page.getByText(SALE_MONEY.kept.label, { exact: true }).waitFor();
    const shown = await saleFigures(page);
    expectShown(SALE_MONEY, shown);
    for (const { label } of figuresOf(SALE_MONEY)) {
      expect([label, amountIn(shown, label)]).toEqual([label, amountIn(toShown(header, row), label)]);
    }
  }
});

it('the list of drawers, and its CSV', async () => {
  const { page, goTo } = await visitOnce();
  await goTo('/dashboard/cash-drawers');
  await untilShown(page, 'full');
  const [header = [], ...rows] = await downloadCsv(page, page.getByRole('button', { name: 'CSV' }));
  expect(rows).toHaveLength(2);
  const closed = rows.find((row) => row[header.indexOf('Counted')] !== '') ?? [];
  expectShown(DRAWER_COUNT, toShown(header, closed));
});
