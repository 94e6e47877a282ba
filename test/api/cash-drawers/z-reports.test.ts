/** Z reports of drawers: stored when the drawer is closed. What arrives later stands beside them (decision 0230). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import { createOwner } from '../../support/dashboard.js';
import { expectBooksInOrder } from '../../support/payments.js';
import {
  closeShift,
  endShift,
  hire,
  openBusiness,
  openShift,
  pairDevice,
  type Register,
  signInAt,
} from '../../support/people.js';
import { backdateSignIns, keep, sendQueue } from '../../support/queue.js';
import { card, cash, item, sell, usd } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const SHIFTS = '/api/register/cash-drawer-shifts';
const NOW = '2020-02-26T10:00:00.500Z';
const HOUR_MS = 3_600_000;
const ago = (ms: number) => new Date(Date.parse(NOW) - ms).toISOString();

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const reportOf = async (register: Register, shiftId: string) => {
  const answer = await register.call('GET', `${SHIFTS}/${shiftId}/report`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.report;
};

/** A business with a frozen clock, whose cashier has been at the register for a day. */
async function openFrozen(): Promise<Register> {
  const clock = { now: NOW, frozen: true };
  const { register } = await openBusiness(server, { clock }, { role: { is_owner: true } });
  await backdateSignIns(server, register.employeeId, 24 * HOUR_MS);
  return register;
}

async function send(register: Register, writes: readonly unknown[]): Promise<void> {
  const { status, text, body } = await sendQueue(register, NOW, writes);
  const states = body.results?.map((result: { readonly status: string }) => result.status);
  expect([status, states], text).toEqual([200, writes.map(() => 'ACCEPTED')]);
}

/** The drawers of the register, the oldest first. */
const shiftsOf = async (register: Register): Promise<string[]> =>
  (await register.call('GET', SHIFTS)).body.cash_drawer_shifts.map(({ id }: { readonly id: string }) => id).reverse();

const voucher = (amount?: number) => ({ ...cash(amount), type: 'OTHER', name: 'Voucher' });

const offlineSale = (register: Register, at: string, tenders: unknown[], amount = 1000) =>
  keep(register, 'ringUpSale', { occurred_at: at, body: { itemizations: [item(amount)], tenders } });

describe('a Z report', () => {
  it('is what was printed: a sale that arrives later stands beside it, not in it', async () => {
    const register = await openFrozen();
    const shift = randomUUID();
    await send(register, [
      keep(register, 'openShift', { id: shift, occurred_at: ago(5 * HOUR_MS), body: { opened_cash_money: usd(5000) } }),
      offlineSale(register, ago(4 * HOUR_MS), [cash()]),
      keep(register, 'endShift', { occurred_at: ago(2 * HOUR_MS), body: { shift_id: shift } }),
      keep(register, 'closeShift', {
        occurred_at: ago(2 * HOUR_MS - 60_000),
        body: { shift_id: shift, closed_cash_money: usd(6000) },
      }),
    ]);
    const [id = ''] = await shiftsOf(register);
    const printed = await reportOf(register, id);
    expect(printed).toMatchObject({ kind: 'Z', is_stored: true, sales_count: 1, total_money: usd(1000) });
    expect(printed.late).toBeUndefined();

    const late = offlineSale(register, ago(3 * HOUR_MS), [cash(400), voucher()], 700);
    await send(register, [late]);
    const { late: beside, ...again } = await reportOf(register, id);
    expect(again).toEqual(printed);
    const [sold] = await server.database.sql`select sale_id from sales where register_sale_id = ${late.id}`;
    expect(beside).toEqual({
      amount_money: usd(700),
      cash_money: usd(400),
      entries: [
        {
          kind: 'SALE',
          at: ago(3 * HOUR_MS),
          payment_id: sold?.['saleId'],
          amount_money: usd(700),
          cash_money: usd(400),
        },
      ],
    });
  });

  it('does not change when an earlier version closed the drawer: then it is added up, and says so', async () => {
    const register = await openFrozen();
    const { id } = await openShift(register, 100);
    await sell(register, { tenders: [cash()] });
    await endShift(register, id);
    await closeShift(register, id, 1100);
    const { is_stored, ...stored } = await reportOf(register, id);
    await server.database.sql`delete from cash_drawer_reports where shift_id = ${id}`;
    expect(await reportOf(register, id)).toEqual({ ...stored, is_stored: false });
    expect(is_stored).toBe(true);
  });

  it('lists a refund of it that has failed since', async () => {
    const owner = await createOwner(server);
    const boss = await hire(server, owner, { role: { is_owner: true } });
    const register = await signInAt(await pairDevice(server, owner), boss.id);
    const shift = await openShift(register, 0);
    const sale = await sell(register, { tenders: [card()] });
    await server.operator('POST', `/api/sandbox/merchants/${owner.merchant.id}/processor-rules`, {
      effect: 'FAIL_REFUND',
    });
    const refund = { payment_id: sale.payment_id, type: 'FULL', reason: 'x' };
    const refunded = await register.write('/api/register/refunds', refund);
    expect(refunded.status, refunded.text).toBe(200);
    await endShift(register, shift.id);
    await closeShift(register, shift.id, 0);
    const printed = await reportOf(register, shift.id);
    expect(printed).toMatchObject({ refunds_money: usd(-1000), collected_money: usd(0) });
    await changeClock(server, owner.merchant.id, { advance: 'PT1H' });
    const { late, ...again } = await reportOf(register, shift.id);
    expect(again).toEqual(printed);
    expect(late).toMatchObject({ amount_money: usd(1000), cash_money: usd(0), entries: [{ kind: 'FAILED_REFUND' }] });
  });
});

describe('the note of a count', () => {
  const NOTE = 'Gave too much change';

  /** The drawer of a new business, ended and not counted yet. */
  const ended = async () => {
    const { owner, register } = await openBusiness(server, {}, { role: { is_owner: true } });
    const { id } = await openShift(register, 1000);
    await endShift(register, id);
    return { owner, register, id };
  };

  it('is in the Z report of the register and of the dashboard, and in nothing that v2 shows', async () => {
    const { owner, register, id } = await ended();
    expect(await reportOf(register, id)).not.toHaveProperty('closing_note');
    const closed = await closeShift(register, id, 900, { note: NOTE });
    const report = await reportOf(register, id);
    expect(report).toMatchObject({ kind: 'Z', over_short_money: usd(-100), closing_note: NOTE });
    const shown = await owner.call('GET', `/api/dashboard/cash-drawer-shifts/${id}`);
    expect(shown.body.report).toEqual(report);
    const { token } = owner.merchant;
    const v2 = await server.call('GET', `/v2/cash-drawers/shifts/${id}`, { token });
    expect(v2.body.cash_drawer_shift).toEqual(closed);
    expect(v2.text).not.toContain(NOTE);
  });

  it('that was written offline arrives with the count', async () => {
    const register = await openFrozen();
    const shift = randomUUID();
    await send(register, [
      keep(register, 'openShift', { id: shift, occurred_at: ago(3 * HOUR_MS), body: { opened_cash_money: usd(500) } }),
      keep(register, 'endShift', { occurred_at: ago(2 * HOUR_MS), body: { shift_id: shift } }),
      keep(register, 'closeShift', {
        occurred_at: ago(HOUR_MS),
        body: { shift_id: shift, closed_cash_money: usd(600), note: NOTE },
      }),
    ]);
    const [id = ''] = await shiftsOf(register);
    expect(await reportOf(register, id)).toMatchObject({ over_short_money: usd(100), closing_note: NOTE });
  });

  it('is not required: a count is a fact. An empty one is none', async () => {
    for (const body of [{}, { note: '' }]) {
      const { register, id } = await ended();
      await closeShift(register, id, 900, body);
      const report = await reportOf(register, id);
      expect(report).toMatchObject({ over_short_money: usd(-100) });
      expect(report).not.toHaveProperty('closing_note');
    }
  });

  it('has up to 255 characters', async () => {
    const { register, id } = await ended();
    const close = (length: number) =>
      register.write(`${SHIFTS}/${id}/close`, { closed_cash_money: { amount: 900 }, note: 'é'.repeat(length) });
    const refused = await close(256);
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ code: 'VALUE_TOO_LONG', field: 'note' }]]);
    expect((await close(255)).status).toBe(200);
    expect((await reportOf(register, id)).closing_note).toBe('é'.repeat(255));
  });
});

describe('a change of drawers', () => {
  /** How often a report has each sale: its number, and those that are listed beside it. */
  const salesIn = async (register: Register, shiftId: string) => {
    const report = await reportOf(register, shiftId);
    return [report.sales_count, report.late?.entries.length ?? 0];
  };
  const change = ago(HOUR_MS);

  it.each([
    { name: 'before the sale is sent', order: ['close', 'open', 'sale'] },
    { name: 'while the old drawer is not counted yet', order: ['open', 'sale', 'close'] },
    { name: 'after the sale is sent', order: ['sale', 'close', 'open'] },
  ])('$name: a sale at that very moment is in exactly one report', async ({ order }) => {
    const register = await openFrozen();
    const [old, next] = [randomUUID(), randomUUID()];
    const writes = {
      close: keep(register, 'closeShift', {
        occurred_at: change,
        body: { shift_id: old, closed_cash_money: usd(0) },
      }),
      open: keep(register, 'openShift', { id: next, occurred_at: change, body: { opened_cash_money: usd(0) } }),
      sale: offlineSale(register, change, [voucher()]),
    };
    await send(register, [
      keep(register, 'openShift', { id: old, occurred_at: ago(2 * HOUR_MS), body: { opened_cash_money: usd(0) } }),
      keep(register, 'endShift', { occurred_at: change, body: { shift_id: old } }),
      ...order.map((name) => writes[name as keyof typeof writes]),
    ]);
    const counts = [];
    for (const id of await shiftsOf(register)) counts.push(...(await salesIn(register, id)));
    expect(counts).toHaveLength(4);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  it('while the clock stands still: each report has the sales of its own drawer', async () => {
    const register = await openFrozen();
    const shifts: string[] = [];
    for (let round = 0; round < 3; round++) {
      const { id } = await openShift(register, 0);
      shifts.push(id);
      for (let sale = 0; sale <= round; sale++) await sell(register, { tenders: [card()] });
      expect(await salesIn(register, id)).toEqual([round + 1, 0]);
      await endShift(register, id);
      await closeShift(register, id, 0);
    }
    const found = [];
    for (const id of shifts) found.push(await salesIn(register, id));
    expect(found).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
  });

  it('a drawer that was opened before the old one ended: a sale between is in the report of the new one', async () => {
    const register = await openFrozen();
    const [old, next] = [randomUUID(), randomUUID()];
    await send(register, [
      keep(register, 'openShift', { id: old, occurred_at: ago(5 * HOUR_MS), body: { opened_cash_money: usd(0) } }),
      keep(register, 'endShift', { occurred_at: ago(HOUR_MS), body: { shift_id: old } }),
      keep(register, 'openShift', { id: next, occurred_at: ago(3 * HOUR_MS), body: { opened_cash_money: usd(0) } }),
      offlineSale(register, ago(2 * HOUR_MS), [voucher()]),
    ]);
    const found = [];
    for (const id of await shiftsOf(register)) found.push(await salesIn(register, id));
    expect(found).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });

  it('does not hide a sale by an end before it: the drawer ends with what is in it, and is closed after that', async () => {
    const register = await openFrozen();
    const shift = randomUUID();
    const at = { sale: ago(2 * HOUR_MS), end: ago(4 * HOUR_MS), close: ago(3 * HOUR_MS) };
    await send(register, [
      keep(register, 'openShift', { id: shift, occurred_at: ago(5 * HOUR_MS), body: { opened_cash_money: usd(0) } }),
      offlineSale(register, at.sale, [cash()]),
      keep(register, 'endShift', { occurred_at: at.end, body: { shift_id: shift } }),
      keep(register, 'closeShift', {
        occurred_at: at.close,
        body: { shift_id: shift, closed_cash_money: usd(0) },
      }),
    ]);
    const [id = ''] = await shiftsOf(register);
    expect(await reportOf(register, id)).toMatchObject({
      ...{ sales_count: 1, cash_sales_money: usd(1000), over_short_money: usd(-1000) },
      shift: { ended_at: at.sale, closed_at: at.sale },
    });
  });
});
