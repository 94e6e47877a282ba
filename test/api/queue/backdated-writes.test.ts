/** The time of what a register did: the server's if it is online, and its own, flagged if it is dated back, in a queue (decision 0220). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import type { TestOwner } from '../../support/dashboard.js';
import { expectBooksInOrder } from '../../support/payments.js';
import { OPEN_DRAWER, openBusiness, openRegister, openShift, type Register } from '../../support/people.js';
import { backdateSignIns, type KeptWrite, keep, sendQueue } from '../../support/queue.js';
import { cash, item, SALES, sell, usd } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const NOW = '2020-02-26T10:00:00.500Z';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SHIFTS = '/api/register/cash-drawer-shifts';
const ROLE = {
  permissions: [
    OPEN_DRAWER,
    'REGISTER_ISSUE_REFUNDS',
    'REGISTER_VIEW_SUMMARY_REPORTS',
    'REGISTER_ACCESS_SALES_HISTORY',
  ],
};
const later = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString();

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

interface Shop {
  readonly owner: TestOwner;
  readonly till: Register;
}

async function openShop(): Promise<Shop> {
  const { owner, register: till } = await openBusiness(server, { clock: { now: NOW, frozen: true } }, { role: ROLE });
  await backdateSignIns(server, till.employeeId, 24 * HOUR_MS);
  return { owner, till };
}

/** Moves the clock to so long after the beginning. */
const moveTo = ({ owner }: Shop, ms: number) => changeClock(server, owner.merchant.id, { now: later(ms) });
const shownShift = async (till: Register) => (await till.call('GET', `${SHIFTS}/open`)).body.cash_drawer_shift;
const xReport = async (till: Register, id: string) => (await till.call('GET', `${SHIFTS}/${id}/report`)).body.report;
const sale = (amount = 7777) => ({ itemizations: [item(amount)], tenders: [cash()] });

describe('an online write', () => {
  it('that is dated before the opening of the drawer has the time of the server, and its cash is in the drawer', async () => {
    const shop = await openShop();
    await moveTo(shop, 3 * HOUR_MS);
    const { id } = await openShift(shop.till, 10_000);
    await moveTo(shop, 4 * HOUR_MS);
    const sold = await sell(shop.till, { ...sale(), occurred_at: later(HOUR_MS) });
    expect(sold).toMatchObject({
      ...{ rung_up_at: later(4 * HOUR_MS), created_at: later(4 * HOUR_MS) },
      tenders: [{ in_drawer: true }],
    });
    expect((await shownShift(shop.till)).expected_cash_money).toEqual(usd(17_777));
    expect(await xReport(shop.till, id)).toMatchObject({ sales_count: 1, total_money: usd(7777) });
  });

  it('has the time of the server, whatever it does', async () => {
    const { owner, till } = await openShop();
    await moveTo({ owner, till }, 10 * HOUR_MS);
    const [now, occurred_at] = [later(10 * HOUR_MS), later(HOUR_MS)];
    const write = async (path: string, body: object = {}) => {
      const answer = await till.write(path, { occurred_at, ...body });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    };
    const { cash_drawer_shift: shift } = await write(SHIFTS, { opened_cash_money: { amount: 5000 } });
    expect(shift.opened_at).toBe(now);
    for (const word of ['paid-in', 'paid-out'])
      await write(`${SHIFTS}/${shift.id}/${word}`, { amount_money: { amount: 1 } });
    await write(`${SHIFTS}/${shift.id}/no-sale`);
    const parked = (await write(SALES, { itemizations: [item(1000)] })).sale;
    expect(parked.rung_up_at).toBe(now);
    const paid = (await write(`${SALES}/${parked.id}/tenders`, cash(400))).sale;
    expect(paid.created_at).toBe(now);
    const edit = { id: randomUUID(), occurred_at, version: paid.version, itemizations: [item(400)] };
    const edited = (await till.call('PUT', `${SALES}/${parked.id}`, { body: edit })).body.sale;
    expect(edited).toMatchObject({ state: 'COMPLETED', created_at: now });
    const { refunds } = await write('/api/register/refunds', { payment_id: parked.id, type: 'FULL', reason: 'cold' });
    expect(refunds).toMatchObject([{ created_at: now }]);
    const other = (await write(SALES, { itemizations: [item(1000)], tenders: [cash(1)] })).sale;
    await write(`${SALES}/${other.id}/cancel`);
    const events = await server.call(
      'GET',
      `/v2/cash-drawers/shifts/${shift.id}/events?location_id=${till.device.locationId}`,
      {
        token: owner.merchant.token,
      },
    );
    const times = events.body.cash_drawer_shift_events.map(({ created_at }: { created_at: string }) => created_at);
    expect(new Set(times)).toEqual(new Set([now]));
    expect((await write(`${SHIFTS}/${shift.id}/end`)).cash_drawer_shift.ended_at).toBe(now);
    const closed = await write(`${SHIFTS}/${shift.id}/close`, { closed_cash_money: { amount: 5000 } });
    expect(closed.cash_drawer_shift.closed_at).toBe(now);
    const second = `${now.slice(0, 19)}Z`;
    expect((await write('/api/register/timecards/clock-in')).timecard.clockin_time).toBe(second);
    expect((await write('/api/register/timecards/clock-out')).timecard.clockout_time).toBe(second);
  });

  it('that is sent again within two minutes keeps its time, and an earlier one does not', async () => {
    const shop = await openShop();
    await moveTo(shop, HOUR_MS);
    const dated = async (ms: number) =>
      (await sell(shop.till, { ...sale(), occurred_at: later(HOUR_MS - ms) }))['rung_up_at'];
    expect(await dated(90_000)).toBe(later(HOUR_MS - 90_000));
    expect(await dated(2 * MINUTE_MS)).toBe(later(HOUR_MS - 2 * MINUTE_MS));
    expect(await dated(2 * MINUTE_MS + 1)).toBe(later(HOUR_MS));
    const clockIn = { occurred_at: later(HOUR_MS - 90_500) };
    const { timecard } = (await shop.till.write('/api/register/timecards/clock-in', clockIn)).body;
    expect(timecard.clockin_time).toBe('2020-02-26T10:58:30Z');
  });

  it('that is sent again just after a drawer was opened is in that drawer and in its report', async () => {
    const shop = await openShop();
    await moveTo(shop, HOUR_MS);
    const { id, opened_at } = await openShift(shop.till, 10_000);
    await moveTo(shop, HOUR_MS + 30_000);
    const sold = await sell(shop.till, { ...sale(), occurred_at: later(HOUR_MS - MINUTE_MS) });
    expect(sold).toMatchObject({ rung_up_at: opened_at, tenders: [{ in_drawer: true }] });
    expect(await xReport(shop.till, id)).toMatchObject({ sales_count: 1, expected_cash_money: usd(17_777) });
  });
});

describe('an online sale', () => {
  it('is in the drawer if another server, whose clock is a moment ahead, has opened it', async () => {
    const shop = await openShop();
    const { id } = await openShift(shop.till, 10_000);
    // In two statements, because a distributed database refuses to compute a time from a column in an update.
    const [moved] = await server.database.sql<{ at: string }[]>`
      select (opened_at + interval '50 milliseconds')::text as at
      from cash_drawer_shifts
      where shift_id = ${id}`;
    await server.database.sql`
      update cash_drawer_shifts set opened_at = ${moved?.at ?? ''}::text::timestamptz
      where shift_id = ${id}`;
    expect(await sell(shop.till, sale())).toMatchObject({ tenders: [{ in_drawer: true }] });
    expect((await shownShift(shop.till)).expected_cash_money).toEqual(usd(17_777));
  });
});

interface Result {
  readonly status: string;
  readonly flags?: readonly { readonly code: string }[];
}

const flagsOf = ({ status, flags = [] }: Result) => [status, ...flags.map(({ code }) => code)];

describe('a write of a queue', () => {
  /** At so long after the beginning. */
  const kept = ({ till }: Shop, operation: string, ms: number, body: object = {}): KeptWrite =>
    keep(till, operation, { occurred_at: later(ms), body: { ...body } });
  const send = async ({ till }: Shop, now: number, writes: readonly KeptWrite[]): Promise<unknown[][]> => {
    const answer = await sendQueue(till, later(now), writes);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.results.map(flagsOf);
  };

  it('that is dated before the opening of the drawer is recorded, flagged, and to be reviewed', async () => {
    const shop = await openShop();
    await moveTo(shop, 3 * HOUR_MS);
    await openShift(shop.till, 10_000);
    await moveTo(shop, 4 * HOUR_MS);
    const write = kept(shop, 'ringUpSale', HOUR_MS, sale());
    expect(await send(shop, 4 * HOUR_MS, [write])).toEqual([['ACCEPTED', 'BACKDATED']]);
    expect((await shownShift(shop.till)).expected_cash_money).toEqual(usd(10_000));
    const { body } = await shop.owner.call('GET', '/api/dashboard/flagged-writes');
    expect(body.writes).toMatchObject([
      {
        write_id: write.id,
        operation: 'ringUpSale',
        is_open: true,
        occurred_at: later(HOUR_MS),
        flags: [{ code: 'BACKDATED' }],
      },
    ]);
    // Sent again, it is the same write.
    expect(await send(shop, 4 * HOUR_MS, [write])).toEqual([['ACCEPTED', 'BACKDATED']]);
  });

  it('that was worked offline in its order is not flagged, with its drawers', async () => {
    const shop = await openShop();
    await moveTo(shop, 6 * HOUR_MS);
    const opened = kept(shop, 'openShift', 2 * HOUR_MS, { opened_cash_money: { amount: 100 } });
    const shift_id = opened.id;
    const writes = [
      kept(shop, 'clockIn', HOUR_MS),
      kept(shop, 'ringUpSale', HOUR_MS + 1, sale()),
      opened,
      kept(shop, 'ringUpSale', 2 * HOUR_MS, sale()),
      kept(shop, 'paidIn', 3 * HOUR_MS, { shift_id, amount_money: { amount: 5 } }),
      kept(shop, 'endShift', 4 * HOUR_MS, { shift_id }),
      kept(shop, 'closeShift', 4 * HOUR_MS + 1, { shift_id, closed_cash_money: { amount: 100 } }),
      kept(shop, 'ringUpSale', 5 * HOUR_MS, sale()),
      kept(shop, 'clockOut', 6 * HOUR_MS),
    ];
    expect(await send(shop, 6 * HOUR_MS, writes)).toEqual(writes.map(() => ['ACCEPTED']));
  });

  it('that is dated before a sale of this register is flagged, unless that was two minutes later at most', async () => {
    const shop = await openShop();
    await moveTo(shop, 3 * HOUR_MS);
    await sell(shop.till, sale());
    await moveTo(shop, 4 * HOUR_MS);
    const at = (ms: number) => kept(shop, 'ringUpSale', 3 * HOUR_MS - ms, sale());
    expect(await send(shop, 4 * HOUR_MS, [at(2 * MINUTE_MS + 1)])).toEqual([['ACCEPTED', 'BACKDATED']]);
    expect(await send(shop, 4 * HOUR_MS, [at(2 * MINUTE_MS), at(0)])).toEqual([['ACCEPTED'], ['ACCEPTED']]);
    const another = await openRegister(server, shop.owner, { hiring: { role: ROLE } });
    const there = { ...shop, till: another };
    await backdateSignIns(server, another.employeeId, 24 * HOUR_MS);
    expect(await send(there, 4 * HOUR_MS, [kept(there, 'ringUpSale', HOUR_MS, sale())])).toEqual([['ACCEPTED']]);
  });

  it('that comes after a later one of the same queue is flagged: hours, cash and refunds too', async () => {
    const shop = await openShop();
    await moveTo(shop, 5 * HOUR_MS);
    const first = kept(shop, 'ringUpSale', HOUR_MS, sale());
    const refund = { sale_id: first.id, type: 'FULL', reason: 'cold' };
    expect(
      await send(shop, 5 * HOUR_MS, [
        first,
        kept(shop, 'ringUpSale', 4 * HOUR_MS, sale()),
        kept(shop, 'clockIn', 2 * HOUR_MS),
        kept(shop, 'issueRefund', 3 * HOUR_MS, refund),
        kept(shop, 'openShift', 3 * HOUR_MS, { opened_cash_money: { amount: 1 } }),
      ]),
    ).toEqual([
      ['ACCEPTED'],
      ['ACCEPTED'],
      ['ACCEPTED', 'BACKDATED'],
      ['ACCEPTED', 'BACKDATED', 'PAID_OUT_OFFLINE'],
      ['ACCEPTED', 'BACKDATED'],
    ]);
  });

  it('that corrects a wrong clock is compared with its corrected time', async () => {
    const shop = await openShop();
    await moveTo(shop, 3 * HOUR_MS);
    await openShift(shop.till, 10_000);
    await moveTo(shop, 4 * HOUR_MS);
    // The clock of the register is two hours slow: it was half an hour ago.
    const slow = kept(shop, 'ringUpSale', 90 * MINUTE_MS, sale());
    const answer = await sendQueue(shop.till, later(2 * HOUR_MS), [slow]);
    expect(flagsOf(answer.body.results[0])).not.toContain('BACKDATED');
    expect((await shownShift(shop.till)).expected_cash_money).toEqual(usd(17_777));
  });
});
