/** What the server says of money adds up as its definitions say (decision 0231), over a business with every kind of sale. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CASH_OUTSIDE,
  DRAWER_CASH,
  DRAWER_COUNT,
  DRAWER_LATE,
  DRAWER_SALES,
} from '../../../src/business/figures/drawer.js';
import { type Figures, figuresOf } from '../../../src/business/figures/model.js';
import { RECEIPT_MONEY } from '../../../src/business/figures/receipt.js';
import {
  REPORT_DISCOUNTS,
  REPORT_GOODS,
  REPORT_SALES,
  REPORT_TAXES,
  REPORT_TENDERS,
} from '../../../src/business/figures/report.js';
import { SALE_MONEY } from '../../../src/business/figures/sale.js';
import { expectAddsUp, total } from '../../support/adds-up.js';
import { type AllSales, openAllSales } from '../../support/all-sales.js';
import { changeClock } from '../../support/clock.js';
import { expectBooksInOrder, pay, refund } from '../../support/payments.js';
import { usd } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

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

const moneyOf = (sums: Record<string, { readonly amount: number }>, name: string): number => sums[name]?.amount ?? 0;

describe('sales', () => {
  it('add up one by one, in the list as on their pages, and together to the report', async () => {
    const { sales } = await owner('sales?limit=200');
    for (const { id, sums } of sales) {
      expectAddsUp(SALE_MONEY, sums);
      const { held, ...shown } = (await owner(`sales/${id}`)).sale.sums;
      expect(shown).toEqual(sums);
      if (held) expect(held.amount).toBe(5000);
    }
    const complete = sales.filter(({ state }: { readonly state: string }) => state === 'COMPLETED');
    expect(complete.length).toBeLessThan(sales.length);
    const { total: counted } = await owner(`reports/sales?${WEEK}&group_by=TENDER`);
    for (const { name } of figuresOf(SALE_MONEY)) {
      const sum = complete.reduce(
        (total: number, { sums }: { readonly sums: Record<string, { readonly amount: number }> }) =>
          total + moneyOf(sums, name),
        0,
      );
      expect([name, sum]).toEqual([name, counted[name]]);
    }
  });

  it('keep the fee that came back with a refund, and less while a refund to a card is on its way', async () => {
    const payment = await pay(server, business.owner.merchant, { amount_money: usd(1000), app_fee_money: usd(100) });
    const sums = async () => (await owner(`sales/${payment.id}`)).sale.sums;
    expect(await sums()).toMatchObject({ paid: usd(1000), refunds: usd(0), fees: usd(-159), kept: usd(841) });
    await refund(server, business.owner.merchant, payment, { amount_money: usd(1000) });
    await changeClock(server, business.owner.merchant.id, { advance: 'PT1H' });
    expect(await sums()).toMatchObject({ paid: usd(1000), refunds: usd(-1000), fees: usd(0), kept: usd(0) });
  });
});

interface ReceiptLine {
  readonly figure: string;
  readonly name: string;
  readonly amount_money: { readonly amount: number };
}

/** Sums that would only repeat the one before are left out. */
function expectReceiptAddsUp(lines: readonly ReceiptLine[]): number {
  const of = (figure: string) => lines.filter((line) => line.figure === figure);
  const sum = (figure: string) => of(figure).reduce((all, { amount_money: { amount } }) => all + amount, 0);
  const whole = sum('total');
  const subtotal = of('subtotal').length > 0 ? sum('subtotal') : whole;
  const withTip = of('with_tip').length > 0 ? sum('with_tip') : whole;
  expectAddsUp(RECEIPT_MONEY, {
    ...Object.fromEntries(Object.keys(RECEIPT_MONEY).map((name) => [name, sum(name)])),
    ...{ subtotal, with_tip: withTip },
  });
  return withTip;
}

/** The rows of a table on the page of a receipt, in cents. */
function rowsOf(page: string, table: string): [name: string, cents: number][] {
  const [, body = ''] = new RegExp(`<caption>${table}</caption>(.*?)</table>`, 's').exec(page) ?? [];
  return [...body.matchAll(/<th scope="row">(.*?)<\/th><td>(-?)\$(.*?)<\/td>/gs)].map(
    ([, name = '', minus, digits = '']) => [
      name.replace(/<small>.*/s, ''),
      (minus ? -1 : 1) * Number(digits.replaceAll(/[,.]/g, '')),
    ],
  );
}

describe('receipts', () => {
  it('add up, and say the same on their page, in the dashboard, at the register and in the store', async () => {
    const { sales } = await owner('sales?limit=200');
    const kinds = new Set<string>();
    for (const { id } of sales) {
      const { sale } = await owner(`sales/${id}`);
      const lines: ReceiptLine[] = sale.receipt_lines;
      const withTip = expectReceiptAddsUp(lines);
      for (const { figure } of lines) kinds.add(figure);
      const { text } = await server.call('GET', sale.receipt_path);
      expect(rowsOf(text, 'Sums')).toEqual(lines.map(({ name, amount_money: { amount } }) => [name, amount]));
      const sumOf = (table: string) => rowsOf(text, table).reduce((all, [, cents]) => all + cents, 0);
      expect(sumOf('Items')).toBe(lines[0]?.amount_money.amount);
      const missing = sale.state === 'OPEN' ? 400 : 0;
      expect(sumOf('Payments') + missing).toBe(withTip);
      const back = rowsOf(text, 'Refunds').filter(([name]) => name !== 'Refunded');
      expect(back.reduce((all, [, cents]) => all + cents, 0)).toBe(sale.sums.refunds.amount);
      const [found] = (await business.register.call('GET', `/api/register/sale-search?query=${id}`)).body.sales;
      expect(found.receipt_lines).toEqual(lines);
    }
    expect([...kinds].sort()).toEqual(Object.keys(RECEIPT_MONEY).sort());
  });

  it('of an order are those of its sale', async () => {
    const { orders } = await owner('orders');
    expect(orders).toHaveLength(2);
    for (const { id, sale_id } of orders) {
      const { order } = await owner(`orders/${id}`);
      const { sale } = await owner(`sales/${sale_id}`);
      expect(order.receipt_lines).toEqual(sale.receipt_lines);
      expectReceiptAddsUp(order.receipt_lines);
    }
  });

  it('of a sale that came late have the time at which it was made, in the time zone of the location', async () => {
    const { sales } = await owner('sales?limit=200');
    const late = sales.find(({ sums }: { sums: { paid: { amount: number } } }) => sums.paid.amount === 640);
    const { sale } = await owner(`sales/${late.id}`);
    expect(sale.created_at).toBe('2020-02-26T05:00:00.250Z');
    const { text } = await server.call('GET', sale.receipt_path);
    expect(text).toMatch(/Feb 26, 2020, 6:00.AM/);
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

  it('have the cash that is in no drawer, which is the sum of its entries', async () => {
    const { report } = await owner(`cash-drawer-shifts/${business.shifts[1]}`);
    expectAddsUp(CASH_OUTSIDE, report.outside);
    expect(report.outside.cash_money.amount).toBe(800);
    const { cash } = await owner('cash-outside-drawers/sum');
    expectAddsUp(CASH_OUTSIDE, cash);
    const { entries } = await owner('cash-outside-drawers');
    expect(total(entries)).toBe(cash.cash_money.amount);
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
