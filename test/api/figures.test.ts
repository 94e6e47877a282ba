/** What the server says of money adds up as its definitions say (decision 0231), over a business with every kind of sale. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DRAWER_CASH, DRAWER_COUNT, DRAWER_LATE, DRAWER_SALES } from '../../src/business/figures/drawer.js';
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
