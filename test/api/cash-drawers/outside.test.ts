/** Cash that is in no drawer is shown beside X and Z reports and in the dashboard (decision 0221). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CASH_OUTSIDE } from '../../../src/business/figures/drawer.js';
import { expectAddsUp } from '../../support/adds-up.js';
import { changeClock } from '../../support/clock.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { walkV2 } from '../../support/lists.js';
import { expectBooksInOrder } from '../../support/payments.js';
import {
  closeShift,
  endShift,
  mainLocation,
  openBusiness,
  openRegister,
  openShift,
  type Register,
} from '../../support/people.js';
import { backdateSignIns, sendLate } from '../../support/queue.js';
import { card, cash, item, SALES, sell, usd } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const START = '2020-02-24T10:00:00Z';
const HOUR_MS = 3_600_000;
const later = (hours: number) => new Date(Date.parse(START) + hours * HOUR_MS).toISOString();
const OUTSIDE = '/api/dashboard/cash-outside-drawers';
const ROLE = { is_owner: true };

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

async function openShop() {
  const { owner, register: till } = await openBusiness(server, { clock: { now: START, frozen: true } }, { role: ROLE });
  await backdateSignIns(server, till.employeeId, 7 * 24 * HOUR_MS);
  return { owner, till, moveTo: (hours: number) => changeClock(server, owner.merchant.id, { now: later(hours) }) };
}

const sale = (amount: number, tenders = [cash()]) => ({ itemizations: [item(amount)], tenders });
const refund = (till: Register, payment_id: unknown, amount: number) =>
  till.write('/api/register/refunds', {
    ...{ payment_id, type: 'PARTIAL', reason: 'cold', refunded_money: { amount } },
  });

/** What the register and the dashboard show beside the report. */
async function besides({ owner, till }: { owner: TestOwner; till: Register }, shift: string) {
  const { report } = (await till.call('GET', `/api/register/cash-drawer-shifts/${shift}/report`)).body;
  const shown = (await owner.call('GET', `/api/dashboard/cash-drawer-shifts/${shift}`)).body.report;
  expect(shown.outside).toEqual(report.outside);
  if (report.outside) expectAddsUp(CASH_OUTSIDE, report.outside);
  return report.outside;
}

const sums = (taken: readonly [number, number], back: readonly [number, number] = [0, 0]) => ({
  ...{ taken_count: taken[0], taken_money: usd(taken[1]) },
  ...{ given_back_count: back[0], given_back_money: usd(0 - back[1]) },
  cash_money: usd(taken[1] - back[1]),
});

describe('cash that is in no drawer', () => {
  it('is beside the X and the Z report of the drawer after it, and of no other', async () => {
    const { owner, till, moveTo } = await openShop();
    const shop = { owner, till };
    const early = await sell(till, sale(500));
    await moveTo(1);
    const first = (await openShift(till, 1000)).id;
    await sell(till, sale(300));
    expect(await besides(shop, first)).toEqual({ since: later(1 - 72), ...sums([1, 500]) });
    await moveTo(2);
    await endShift(till, first);
    await moveTo(3);
    await sell(till, sale(70));
    expect((await refund(till, early['payment_id'], 20)).status).toBe(200);
    await moveTo(4);
    await closeShift(till, first, 1300);
    expect(await besides(shop, first)).toEqual({ since: later(1 - 72), ...sums([1, 500]) });
    const second = (await openShift(till, 1000)).id;
    expect(await besides(shop, second)).toEqual({ since: later(2), ...sums([1, 70], [1, 20]) });
    await moveTo(5);
    await sell(till, sale(30));
    expect((await refund(till, early['payment_id'], 10)).status).toBe(200);
    expect(await besides(shop, second)).toEqual({ since: later(2), ...sums([1, 70], [1, 20]) });
    const third = await openShift(await openRegister(server, owner, { hiring: { role: ROLE } }), 0);
    const { body } = await owner.call('GET', `/api/dashboard/cash-drawer-shifts/${third.id}`);
    expect(body.report).not.toHaveProperty('outside');
  });

  it('is there if a queue dates it back to before the opening, with the flag', async () => {
    const { owner, till, moveTo } = await openShop();
    await moveTo(2);
    const { id } = await openShift(till, 1000);
    expect(await besides({ owner, till }, id)).toBeUndefined();
    const write = { occurred_at: later(1), body: sale(7777) };
    const { status, flags } = await sendLate(till, later(2), 'ringUpSale', write);
    expect([status, flags.map(({ code }: { code: string }) => code)]).toEqual(['ACCEPTED', ['BACKDATED']]);
    expect(await besides({ owner, till }, id)).toMatchObject(sums([1, 7777]));
  });

  it('is not repeated if it is listed as late', async () => {
    const { owner, till, moveTo } = await openShop();
    const { id } = await openShift(till, 1000);
    await moveTo(3);
    await endShift(till, id);
    const send = (amount: number) =>
      sendLate(till, later(3), 'ringUpSale', { occurred_at: later(1), body: sale(amount) });
    await send(40); // it has arrived when the report is stored, but its cash is in no drawer
    await closeShift(till, id, 1000);
    await send(90);
    expect(await besides({ owner, till }, id)).toMatchObject(sums([1, 40]));
    const { report } = (await till.call('GET', `/api/register/cash-drawer-shifts/${id}/report`)).body;
    expect(report).toMatchObject({ total_money: usd(40), cash_sales_money: usd(0), late: { cash_money: usd(90) } });
  });

  it('is not what is canceled, or paid by other means', async () => {
    const { owner, till } = await openShop();
    await sell(till, sale(100, [card()]));
    const open = await sell(till, sale(100, [cash(60)]));
    const sum = async () => (await owner.call('GET', `${OUTSIDE}/sum`)).body.cash;
    expect(await sum()).toEqual(sums([1, 60]));
    expect((await till.write(`${SALES}/${open['id']}/cancel`)).status).toBe(200);
    expect(await sum()).toEqual(sums([0, 0]));
  });
});

describe('dashboard.listCashOutsideDrawers and dashboard.sumCashOutsideDrawers', () => {
  it('show all registers, newest first, by location and time, for 30 days unless other days are asked for', async () => {
    const { owner, till, moveTo } = await openShop();
    const there = await openRegister(server, owner, { hiring: { role: ROLE } });
    const one = await sell(till, sale(100));
    await moveTo(1);
    await sell(there, sale(200, [cash(undefined)]));
    await moveTo(2);
    await refund(till, one['payment_id'], 30);
    await openShift(till, 0);
    await sell(till, sale(900));
    await refund(till, one['payment_id'], 5);
    const list = async (query = '') =>
      (await owner.call('GET', `${OUTSIDE}${query}`)).body.entries.map(
        (entry: { kind: string; at: string; device_id: string; amount_money: { amount: number } }) => [
          ...[entry.kind, entry.at, entry.device_id, entry.amount_money.amount],
        ],
      );
    const all = [
      ['REFUND', later(2), till.device.id, -30],
      ['SALE', later(1), there.device.id, 200],
      ['SALE', START.replace('Z', '.000Z'), till.device.id, 100],
    ];
    expect(await list()).toEqual(all);
    expect(await list(`?location_id=${mainLocation(owner.merchant)}`)).toEqual(all);
    expect(await list(`?begin_time=${later(1)}&end_time=${later(2)}`)).toEqual([all[1]]);
    const sum = async (query = '') => (await owner.call('GET', `${OUTSIDE}/sum${query}`)).body.cash;
    expect(await sum()).toEqual(sums([2, 300], [1, 30]));
    expect(await sum(`?begin_time=${later(1)}&end_time=${later(2)}`)).toEqual(sums([1, 200]));
    const [{ payment_id, ...entry }] = (await owner.call('GET', `${OUTSIDE}?limit=1`)).body.entries;
    expect([payment_id, entry]).toEqual([
      one['payment_id'],
      expect.objectContaining({ employee_id: till.employeeId, location_id: mainLocation(owner.merchant) }),
    ]);
    const pages = await walkV2({ get: (path) => owner.call('GET', path), path: OUTSIDE, parameters: { limit: '1' } });
    expect(pages.map(({ body }) => body.entries.map(({ kind }: { kind: string }) => kind))).toEqual([
      ...[['REFUND'], ['SALE'], ['SALE']],
    ]);
    await moveTo(31 * 24);
    expect([await list(), await sum()]).toEqual([[], sums([0, 0])]);
    expect(await list(`?begin_time=${START}`)).toEqual(all);
  });

  it("are the owner's, and of no other merchant", async () => {
    const { owner, till } = await openShop();
    await sell(till, sale(100));
    const stranger = await createOwner(server);
    for (const path of [OUTSIDE, `${OUTSIDE}/sum`]) {
      expect((await server.call('GET', path)).status).toBe(401);
      const answer = await stranger.call('GET', `${path}?location_id=${mainLocation(owner.merchant)}`);
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([404, 'location_id']);
    }
    expect((await stranger.call('GET', `${OUTSIDE}?begin_time=2020-01-01`)).body).toEqual({ entries: [] });
  });
});
