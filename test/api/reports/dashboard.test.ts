/** Reports in the dashboard: terms, groupings, the period before, today, late sales, and who rolls up when. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreaches } from '../../../src/check/check.js';
import { changeClock } from '../../support/clock.js';
import type { TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { advance, pay, refund, usd } from '../../support/payments.js';
import { mainLocation, openBusiness, type Register } from '../../support/people.js';
import { sendLate } from '../../support/queue.js';
import { card, cash, item, sell } from '../../support/register-sales.js';
import { letRollUp } from '../../support/roll-up.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const SALES = '/api/dashboard/reports/sales';
const TODAY = '/api/dashboard/reports/today';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  expect(await findBreaches(server.database)).toEqual([]);
  await server.stop();
});

interface Shop {
  readonly owner: TestOwner;
  readonly till: Register;
  report(query: string): Promise<ApiResponse['body']>;
}

/** A frozen clock in New York, at noon of a Wednesday. */
async function openShop(now = '2020-02-26T17:00:00Z'): Promise<Shop> {
  const { owner, register: till } = await openBusiness(server, {
    clock: { now, frozen: true },
    locations: [{ name: 'Corner', timezone: 'America/New_York' }],
  });
  return {
    owner,
    till,
    async report(query) {
      const answer = await owner.call('GET', `${SALES}?${query}`);
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
  };
}

const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];

const FULL_SALE = {
  itemizations: [item(1000, { quantity: '2', item_detail: { category_name: 'Bread' } })],
  discounts: [{ name: 'Morning', amount_money: { amount: 200 } }],
  taxes: [{ name: 'Sales tax', rate: '0.1' }],
  tenders: [card(500, { tip_money: { amount: 100 } }), cash()],
};

describe('dashboard.retrieveSalesReport', () => {
  it('adds up gross sales, discounts, returns, taxes, tips and fees, and these sums add up to what was collected', async () => {
    const { owner, till, report } = await openShop();
    const { merchant } = owner;
    await sell(till, FULL_SALE); // 2000 - 200 + 180 tax + 100 tip
    const payment = await pay(server, merchant, { amount_money: usd(1000) });
    await refund(server, merchant, payment, { amount_money: usd(400) });
    await advance(server, merchant, 'PT10S');
    const { total, rows, currency } = await report('begin_date=2020-02-26&end_date=2020-02-26');
    expect(currency).toBe('USD');
    const { average_sale, ...day } = total;
    expect(average_sale).toBe(1400);
    expect(rows).toEqual([{ key: '2020-02-26', ...day }]);
    expect(total).toMatchObject({
      ...{ sales_count: 2, refunds_count: 1, gross_sales: 3000, discounts: -200, returns: -400, net_sales: 2400 },
      ...{ taxes: 180, surcharges: 0, tips: 100, refunds: -400, collected: 2680 },
    });
    expect(total.net_sales + total.taxes + total.surcharges + total.tips).toBe(total.collected);
    expect(total.fees).toBeLessThan(0);
  });

  it('groups by everything a sale has, with names, largest first', async () => {
    const { till, report, owner } = await openShop();
    await sell(till, FULL_SALE);
    await pay(server, owner.merchant, { amount_money: usd(300) });
    const day = 'begin_date=2020-02-26&end_date=2020-02-26';
    const shown = async (group: string, figure: string) =>
      (await report(`${day}&group_by=${group}`)).rows.map((row: Record<string, unknown>) => [
        row['name'] ?? row['key'],
        row[figure],
      ]);
    expect(await shown('ITEM', 'gross_sales')).toEqual([
      ['Loaf', 2000],
      ['CUSTOM_AMOUNT', 300],
    ]);
    expect(await shown('ITEM', 'quantity')).toEqual([
      ['Loaf', 2],
      ['CUSTOM_AMOUNT', 1],
    ]);
    expect(await shown('CATEGORY', 'gross_sales')).toEqual([
      ['Bread', 2000],
      ['', 300],
    ]);
    expect(await shown('TENDER', 'collected')).toEqual([
      ['CASH', 1480],
      ['CARD', 900],
    ]);
    expect(await shown('CARD_BRAND', 'tips')).toEqual([['VISA', 100]]);
    expect(await shown('TAX', 'taxes')).toEqual([['Sales tax (10%)', 180]]);
    expect(await shown('DISCOUNT', 'discounts')).toEqual([['Morning', -200]]);
    expect(await shown('LOCATION', 'gross_sales')).toEqual([['Corner', 2300]]);
    const employees = await shown('EMPLOYEE', 'gross_sales');
    expect(employees).toEqual([
      [expect.stringMatching(/\w+ \w+/), 2000],
      ['', 300],
    ]);
    expect((await shown('HOUR', 'gross_sales')).filter(([, gross]: [string, number]) => gross > 0)).toEqual([
      ['12', 2300],
    ]);
    expect((await report(`${day}&group_by=HOUR`)).rows).toHaveLength(24);
  });

  it('compares with the period before: as many days, or whole months', async () => {
    const { owner, report } = await openShop();
    const { merchant } = owner;
    await pay(server, merchant, { amount_money: usd(700) });
    await changeClock(server, merchant.id, { now: '2020-03-01T17:00:00Z' });
    await pay(server, merchant, { amount_money: usd(900) });
    const days = await report('begin_date=2020-02-28&end_date=2020-03-01&compare=true');
    expect(days.rows.map(({ gross_sales }: { gross_sales: number }) => gross_sales)).toEqual([0, 0, 900]);
    expect(days.before).toMatchObject({
      begin_date: '2020-02-25',
      end_date: '2020-02-27',
      total: { gross_sales: 700 },
    });
    expect(days.before.rows).toHaveLength(3);
    const month = await report('begin_date=2020-03-01&end_date=2020-03-31&compare=true&group_by=MONTH');
    expect(month.before).toMatchObject({
      begin_date: '2020-02-01',
      end_date: '2020-02-29',
      total: { gross_sales: 700 },
    });
    expect((await report('begin_date=2020-02-24&end_date=2020-03-01&group_by=WEEK')).rows).toMatchObject([
      { key: '2020-02-24', gross_sales: 1600 },
    ]);
    expect(await report('')).toMatchObject({ begin_date: '2020-02-01', end_date: '2020-03-01' });
  });

  it('refuses invalid days, ranges that end before they begin or are too long, and foreign locations', async () => {
    const { owner } = await openShop();
    const other = await server.createMerchant();
    const ask = async (query: string) => refusal(await owner.call('GET', `${SALES}?${query}`));
    expect(await ask('begin_date=2020-02-30')).toEqual([400, 'INVALID_VALUE', 'begin_date']);
    expect(await ask('begin_date=yesterday')).toEqual([400, 'INVALID_VALUE', 'begin_date']);
    expect(await ask('end_date=0000-01-01')).toEqual([400, 'INVALID_VALUE', 'end_date']);
    expect(await ask('begin_date=2020-02-02&end_date=2020-02-01')).toEqual([400, 'INVALID_TIME_RANGE', 'end_date']);
    expect(await ask('begin_date=2000-01-01')).toEqual([400, 'VALUE_TOO_HIGH', 'begin_date']);
    expect((await ask('group_by=MOON'))[0]).toBe(400);
    expect(await ask(`location_id=${mainLocation(other)}`)).toEqual([404, 'NOT_FOUND', 'location_id']);
  });

  it('counts a sale that arrives after its day was rolled up, and shows it at once', async () => {
    const { owner, till, report } = await openShop();
    await sell(till, { itemizations: [item(1000)], tenders: [cash()] });
    const now = '2020-02-27T17:00:00Z';
    await changeClock(server, owner.merchant.id, { now });
    await letRollUp(server, owner);
    const grossOf = async () => (await report('begin_date=2020-02-26&end_date=2020-02-26')).total.gross_sales;
    expect(await grossOf()).toBe(1000);
    const occurred_at = '2020-02-27T04:59:59.999Z'; // the last moment of the day in New York
    await sendLate(till, now, 'ringUpSale', { occurred_at, body: { itemizations: [item(500)], tenders: [cash()] } });
    expect(await grossOf()).toBe(1500);
    await letRollUp(server, owner);
    expect(await grossOf()).toBe(1500);
  });
});

describe('dashboard.retrieveToday', () => {
  it('compares with the same weekday of the week before up to this hour, by hour and by location', async () => {
    const { owner, till } = await openShop('2020-02-19T17:10:00Z');
    const { merchant } = owner;
    const place = mainLocation(merchant);
    await pay(server, merchant, { amount_money: usd(600) }); // 12:10
    await changeClock(server, merchant.id, { now: '2020-02-19T22:00:00Z' });
    await pay(server, merchant, { amount_money: usd(5000) }); // 17:00, later than it is today
    await changeClock(server, merchant.id, { now: '2020-02-26T17:00:00Z' });
    await sell(till, FULL_SALE);
    const { body } = await owner.call('GET', TODAY);
    expect(body).toMatchObject({
      ...{ date: '2020-02-26', date_before: '2020-02-19', hour: 12 },
      total: { gross_sales: 2000, tips: 100 },
      total_before: { gross_sales: 600 },
      by_location: [{ key: place, name: 'Corner', gross_sales: 2000 }],
      by_location_before: [{ key: place, gross_sales: 600 }],
    });
    const hours = (rows: { key: string; gross_sales: number }[]) =>
      rows.filter(({ gross_sales }) => gross_sales > 0).map(({ key, gross_sales }) => [key, gross_sales]);
    expect(hours(body.by_hour)).toEqual([['12', 2000]]);
    expect(hours(body.by_hour_before)).toEqual([
      ['12', 600],
      ['17', 5000],
    ]);
    expect(body.latest_sales).toMatchObject([
      { kind: 'REGISTER', total: 2080, items: 'Loaf' },
      { kind: 'API', total: 5000 },
      { kind: 'API', total: 600 },
    ]);
  });
});

describe('the roll-up', () => {
  it('is due work of every merchant after midnight, and waits while the clock was moved just now', async () => {
    const { owner } = await openShop();
    const { merchant } = owner;
    const due = async () =>
      (
        await server.database.sql<{ dueAt: number }[]>`
          select due_at from due_work where merchant_id = ${merchant.id} and kind = 'ROLL_UP_DAYS'`
      ).map(({ dueAt }) => new Date(dueAt).toISOString());
    expect(await due()).toEqual(['2020-02-27T05:05:00.000Z']);
    await pay(server, merchant);
    await changeClock(server, merchant.id, { now: '2021-02-26T17:00:00Z' });
    expect(await due()).toEqual(['2021-02-26T17:05:00.000Z']);
    expect(await server.database.sql`select 1 from report_days where merchant_id = ${merchant.id}`).toHaveLength(0);
    await letRollUp(server, owner);
    expect(await due()).toEqual(['2021-02-27T05:05:00.000Z']);
  });
});
