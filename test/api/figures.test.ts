/** What the server says of money adds up as its definitions say (decision 0231), over a business with every kind of sale. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DRAWER_CASH, DRAWER_COUNT, DRAWER_LATE, DRAWER_SALES } from '../../src/business/figures/drawer.js';
import { type Figures, figuresOf } from '../../src/business/figures/model.js';
import {
  REPORT_DISCOUNTS,
  REPORT_GOODS,
  REPORT_SALES,
  REPORT_TAXES,
  REPORT_TENDERS,
} from '../../src/business/figures/report.js';
import { expectAddsUp, total } from '../support/adds-up.js';
import { type AllSales, openAllSales } from '../support/all-sales.js';
import { expectBooksInOrder } from '../support/payments.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
let business: AllSales;

beforeAll(async () => {
  server = await startTestServer();
  business = await openAllSales(server);
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const owner = async (path: string) => {
  const answer = await business.owner.call('GET', `/api/dashboard/${path}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

const WEEK = 'begin_date=2020-02-20&end_date=2020-02-26';
const TABLES: Readonly<Record<string, Figures>> = {
  ...Object.fromEntries(['DAY', 'WEEK', 'MONTH', 'HOUR', 'LOCATION', 'EMPLOYEE'].map((group) => [group, REPORT_SALES])),
  ...{ ITEM: REPORT_GOODS, CATEGORY: REPORT_GOODS, TENDER: REPORT_TENDERS, CARD_BRAND: REPORT_TENDERS },
  ...{ TAX: REPORT_TAXES, DISCOUNT: REPORT_DISCOUNTS },
};

describe('reports', () => {
  it.each(Object.entries(TABLES))(
    'by %s: every row adds up, and the rows add up to their total',
    async (group, table) => {
      const report = await owner(`reports/sales?${WEEK}&group_by=${group}`);
      expect(report.rows.length).toBeGreaterThan(0);
      for (const row of [...report.rows, report.rows_total]) expectAddsUp(table, row);
      for (const { name } of [...figuresOf(table), { name: 'sales_count' }]) {
        const sum = report.rows.reduce((total: number, row: Record<string, number>) => total + (row[name] ?? 0), 0);
        expect([name, sum]).toEqual([name, report.rows_total[name]]);
      }
      expectAddsUp(REPORT_SALES, report.total);
      expectAddsUp(REPORT_TENDERS, report.total);
      if (table === REPORT_SALES)
        expect({ ...report.rows_total, average_sale: report.total.average_sale }).toEqual(report.total);
      if (group === 'TENDER') expect(report.rows_total.kept).toBe(report.total.kept);
      if (table === REPORT_GOODS) expect(report.rows_total.net_sales).toBe(report.total.net_sales);
    },
  );

  it('have surcharges, shipping, tips, returns and returned fees', async () => {
    const { total: sums } = await owner(`reports/sales?${WEEK}`);
    for (const { name } of figuresOf(REPORT_SALES)) expect([name, sums[name] !== 0]).toEqual([name, true]);
  });

  it('of today add up by hour and by location', async () => {
    const today = await owner('reports/today');
    const rows = [today.total, today.total_before, ...today.by_hour, ...today.by_location, ...today.by_location_before];
    for (const row of rows) expectAddsUp(REPORT_SALES, row);
  });
});

describe('X and Z reports', () => {
  it('add up at the register: what was sold, its tenders and refunds by kind, the cash, and what came late', async () => {
    for (const [index, shift] of business.shifts.entries()) {
      const { body } = await business.register.call('GET', `/api/register/cash-drawer-shifts/${shift}/report`);
      const { report } = body;
      expectAddsUp(DRAWER_SALES, report);
      expectAddsUp(index === 0 ? DRAWER_COUNT : DRAWER_CASH, report);
      expect(total(report.tenders)).toBe(report.total_money.amount);
      expect(total(report.refunds)).toBe(report.refunds_money.amount);
      expect(report.cash_refunds_money.amount).toBe(
        report.shift.expected_cash_money.amount -
          [report.opened_cash_money, report.cash_sales_money, report.paid_in_money, report.paid_out_money].reduce(
            (sum, { amount }) => sum + amount,
            0,
          ),
      );
      const page = await owner(`cash-drawer-shifts/${shift}`);
      expect({ ...page.report, until: report.until }).toEqual(report);
    }
  });

  it('have every kind of tender and refund, and a sale that came late', async () => {
    const { report } = await owner(`cash-drawer-shifts/${business.shifts[0]}`);
    const kinds = (sums: readonly { readonly type: string }[]) => sums.map(({ type }) => type);
    expect(kinds(report.tenders)).toEqual(['CASH', 'CARD', 'GIFT_CARD', 'EXTERNAL_CARD', 'OTHER', 'EXCHANGE']);
    expect(kinds(report.refunds)).toEqual(['CASH', 'CARD', 'EXTERNAL_CARD', 'EXCHANGE']);
    expect(report.surcharges_money.amount).toBeGreaterThan(0);
    expect(report.cash_refunds_money.amount).toBeLessThan(0);
    expectAddsUp(DRAWER_LATE, report.late);
    expect(total(report.late.entries)).toBe(report.late.amount_money.amount);
  });

  it('have the same cash in the list of drawers', async () => {
    const { shifts } = await owner('cash-drawer-shifts');
    expect(shifts).toHaveLength(2);
    for (const { id, cash } of shifts) {
      expectAddsUp('counted_cash_money' in cash ? DRAWER_COUNT : DRAWER_CASH, cash);
      expect((await owner(`cash-drawer-shifts/${id}`)).report).toMatchObject(cash);
    }
  });
});
