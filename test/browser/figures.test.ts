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
import { SETTLEMENT_MONEY } from '../../src/business/figures/settlement.js';
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

const sumIn = (rows: readonly string[][], header: readonly string[], label: string): number =>
  rows.reduce((sum, row) => sum + (amountIn(toShown(header, row), label) ?? Number.NaN), 0);

it('the settlements, each with its entries, and their CSVs', async () => {
  const { page, goTo } = await visitOnce();
  const { settlements } = (await business.owner.call('GET', '/api/dashboard/settlements')).body;
  expect(settlements.length).toBeGreaterThan(0);
  await goTo('/dashboard/payouts?tab=settlements');
  await untilShown(page, 'full');
  const [names = [], ...list] = await downloadCsv(page, page.getByRole('button', { name: 'CSV' }));
  expect(list).toHaveLength(settlements.length);
  const kinds = new Set<string | undefined>();
  for (const { id } of settlements) {
    await goTo(`/dashboard/payouts/${id}`);
    await page.getByRole('heading', { name: /^Settlement of/ }).waitFor();
    const shown = await saleFigures(page);
    expectShown(SETTLEMENT_MONEY, shown);
    const [header = [], ...rows] = await downloadCsv(page, page.getByRole('button', { name: 'CSV' }));
    for (const row of rows) {
      expectShown(SETTLEMENT_MONEY, toShown(header, row));
      kinds.add(row[header.indexOf('Kind')]);
    }
    for (const { label } of figuresOf(SETTLEMENT_MONEY)) {
      expect([label, sumIn(rows, header, label)]).toEqual([label, amountIn(shown, label)]);
    }
  }
  expect([...kinds]).toEqual(expect.arrayContaining(['Sale', 'Refund']));
  const { label } = SETTLEMENT_MONEY.net;
  const totals = settlements.reduce(
    (sum: number, { total_money }: { readonly total_money: { readonly amount: number } }) => sum + total_money.amount,
    0,
  );
  expect(sumIn(list, names, label)).toBe(totals);
});

it('the orders and the disputes, whose CSVs have the amounts of their sales', async () => {
  const { page, goTo } = await visitOnce();
  await goTo('/dashboard/orders?view=list');
  await untilShown(page, 'full');
  const [header = [], ...rows] = await downloadCsv(page, page.getByRole('button', { name: 'CSV' }));
  const { sales } = (await business.owner.call('GET', '/api/dashboard/sales?kind=ONLINE_STORE')).body;
  const paid = sales.reduce(
    (sum: number, { sums }: { readonly sums: { readonly paid: { readonly amount: number } } }) =>
      sum + sums.paid.amount,
    0,
  );
  expect(rows).toHaveLength(2);
  expect(sumIn(rows, header, 'Total')).toBe(paid);
  await goTo('/dashboard/payouts?tab=disputes');
  await untilShown(page, 'full');
  const [names = [], ...disputes] = await downloadCsv(page, page.getByRole('button', { name: 'CSV' }));
  expect(sumIn(disputes, names, 'Amount')).toBe(5000);
});

/** `7:40` in minutes. */
const minutesIn = (text: string): number => {
  const [, hours = 0, minutes = 0] = /(\d+):(\d\d)/.exec(text) ?? [];
  return Number(hours) * 60 + Number(minutes);
};

it('the hours of a week, by employee and by day, and their CSVs', async () => {
  const { register, owner } = business;
  for (const day of ['24', '25', '26']) {
    const [clockin_time, clockout_time] = [`2020-02-${day}T07:00:00Z`, `2020-02-${day}T07:20:00Z`];
    const body = { employee_id: register.employeeId, clockin_time, clockout_time };
    const made = await server.call('POST', '/v1/me/timecards', { token: owner.merchant.token, body });
    expect(made.status, made.text).toBe(200);
  }
  const { page, goTo } = await visitOnce();
  await goTo('/dashboard/timecards?week=2020-02-24');
  await page
    .getByRole('region', { name: 'Hours of the week' })
    .locator('a', { hasText: /\d:\d\d/ })
    .first()
    .waitFor();
  const cells = await page
    .locator('main table tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText)));
  const shown = cells.slice(1).map((row) => row.slice(1).map(minutesIn));
  for (const row of shown) expect(row.slice(0, -1).reduce((sum, part) => sum + part, 0)).toBe(row.at(-1));
  const all = shown.at(-1) ?? [];
  expect(all.map((_, at) => shown.slice(0, -1).reduce((sum, row) => sum + (row[at] ?? 0), 0))).toEqual(all);
  expect(all.at(-1)).toBeGreaterThanOrEqual(60);
  const [header = [], ...rows] = await downloadCsv(page, page.getByRole('button', { name: 'CSV' }));
  const hundredths = (text = '') => Math.round(Number(text) * 100);
  for (const row of rows) {
    const parts = row.slice(1, -1).reduce((sum, part) => sum + hundredths(part), 0);
    expect([row[0], parts]).toEqual([row[0], hundredths(row.at(-1))]);
  }
  expect(header.at(-1)).toBe('Total');

  await goTo('/dashboard/timecards?tab=hours&from=2020-02-24&to=2020-03-01');
  await untilShown(page, 'full');
  const [names = [], ...hours] = await downloadCsv(page, page.getByRole('button', { name: 'CSV' }));
  expect(hours.reduce((sum, row) => sum + Number(row[names.indexOf('Minutes')]), 0)).toBe(all.at(-1));
  await goTo('/dashboard/timecards?tab=list&from=2020-02-24&to=2020-03-01');
  await untilShown(page, 'full');
  const [columns = [], ...list] = await downloadCsv(page, page.getByRole('button', { name: 'CSV' }));
  const listed = list.reduce((sum, row) => sum + hundredths(row[columns.indexOf('Hours')]), 0);
  expect(Math.abs(listed - ((all.at(-1) ?? 0) / 60) * 100)).toBeLessThan(list.length); // each is rounded by itself
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
