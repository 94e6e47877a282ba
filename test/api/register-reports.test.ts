/** The X and Z reports of a cash drawer shift, the list of a device's shifts, and two who close one drawer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/laws.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import type { Answer } from '../support/http.js';
import {
  closeShift,
  endShift,
  ensureDefined,
  hire,
  openShift,
  pairDevice,
  type Register,
  signInAt,
} from '../support/people.js';
import { card, cash, DECLINED, item, sell, usd } from '../support/register-sales.js';
import { startTestServer, type TestServer } from '../support/server.js';

const SHIFTS = '/api/register/cash-drawer-shifts';

let server: TestServer;
let owner: TestOwner;
let bossId: string;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server);
  bossId = (await hire(server, owner, { role: { is_owner: true } })).id;
});
afterAll(async () => {
  expect(await findBreaches(server.database)).toEqual([]);
  await server.stop();
});

const newRegister = async (): Promise<Register> => signInAt(await pairDevice(server, owner), bossId);
const refusal = ({ status, body }: Answer) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];
const reportOf = async (register: Register, shiftId: string) =>
  (await register.call('GET', `${SHIFTS}/${shiftId}/report`)).body.report;

describe('register.showShiftReport', () => {
  it('adds up sales, tenders, tips, taxes, refunds and cash: X while it runs, Z once it is closed', async () => {
    const [register, other] = [await newRegister(), await newRegister()];
    await sell(register, { tenders: [cash()] }); // before the shift
    const shift = await openShift(register, 10_000);
    const taxes = [{ name: 'VAT', rate: '0.1' }];
    const discounts = [{ name: 'Rainy', amount_money: { amount: 100 } }];
    const first = await sell(register, { taxes, discounts, tenders: [cash()] }); // 1000 - 100 + 90
    await sell(register, {
      itemizations: [item(2000)],
      surcharges: [{ name: 'Service', rate: '0.05' }],
      tenders: [card(1500, { tip_money: { amount: 300 } }), cash(600)],
    });
    await sell(register, { tenders: [{ id: 'g', type: 'GIFT_CARD', source_id: 'cnon:gift-card-nonce-ok' }] });
    await sell(register, { tenders: [{ id: 'o', type: 'OTHER', name: 'Voucher' }] });
    await sell(register, { tenders: [card(1000, { source_id: DECLINED })] }); // stays open
    await sell(other, { tenders: [cash()] }); // another device
    const returns = [{ payment_id: first.payment_id, reason: 'Size', amount_money: { amount: 300 } }];
    await sell(register, { itemizations: [item(500)], returns, tenders: [cash()] });
    const refund = { payment_id: first.payment_id, type: 'PARTIAL', reason: 'x', refunded_money: { amount: 90 } };
    expect((await register.write('/api/register/refunds', refund)).status).toBe(200);
    await register.write(`${SHIFTS}/${shift.id}/paid-in`, { amount_money: { amount: 1000 } });
    await register.write(`${SHIFTS}/${shift.id}/paid-out`, { amount_money: { amount: 250 } });

    const running = await reportOf(register, shift.id);
    const expected = 10_000 + 990 + 600 + 200 - 90 + 1000 - 250;
    const sums = {
      sales_count: 5,
      refunds_count: 2,
      gross_money: usd(1000 + 2000 + 1000 + 1000 + 500),
      discounts_money: usd(-100),
      net_money: usd(5400),
      taxes_money: usd(90),
      surcharges_money: usd(100),
      tips_money: usd(300),
      total_money: usd(5890),
      tenders: [
        { type: 'CASH', count: 3, amount_money: usd(990 + 600 + 200) },
        { type: 'CARD', count: 1, amount_money: usd(1800) },
        { type: 'GIFT_CARD', count: 1, amount_money: usd(1000) },
        { type: 'OTHER', count: 1, amount_money: usd(1000) },
        { type: 'EXCHANGE', count: 1, amount_money: usd(300) },
      ],
      refunds_money: usd(-390),
      refunds: [
        { type: 'CASH', count: 1, amount_money: usd(-90) },
        { type: 'EXCHANGE', count: 1, amount_money: usd(-300) },
      ],
      collected_money: usd(5500),
      paid_in_money: usd(1000),
      paid_out_money: usd(250),
      expected_cash_money: usd(expected),
    };
    expect(running).toMatchObject({ kind: 'X', shift: { id: shift.id, state: 'OPEN' }, ...sums });
    expect([running.counted_cash_money, running.over_short_money]).toEqual([undefined, undefined]);
    const paid = running.tenders.reduce(
      (sum: number, each: { amount_money: { amount: number } }) => sum + each.amount_money.amount,
      0,
    );
    expect(paid).toBe(running.total_money.amount);

    await endShift(register, shift.id);
    expect(await reportOf(register, shift.id)).toMatchObject({ kind: 'X', ...sums });
    await closeShift(register, shift.id, expected - 5);
    await sell(register, { tenders: [cash()] }); // after the shift
    expect(await reportOf(register, shift.id)).toMatchObject({
      kind: 'Z',
      ...sums,
      counted_cash_money: usd(expected - 5),
      over_short_money: usd(-5),
    });
  });

  it('is of this device only, and empty for a shift without sales', async () => {
    const [register, other] = [await newRegister(), await newRegister()];
    const shift = await openShift(register, 500);
    expect(await reportOf(register, shift.id)).toMatchObject({
      sales_count: 0,
      total_money: usd(0),
      tenders: [],
      refunds: [],
      expected_cash_money: usd(500),
    });
    for (const id of [shift.id, 'nothing', '0190a0a0-0000-7000-8000-000000000000']) {
      const at = id === shift.id ? other : register;
      expect(refusal(await at.call('GET', `${SHIFTS}/${id}/report`))).toEqual([404, 'NOT_FOUND', undefined]);
    }
  });
});

describe('register.listShifts', () => {
  it("lists the device's shifts, newest first, in pages", async () => {
    const [register, other] = [await newRegister(), await newRegister()];
    await openShift(other, 1);
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      const { id } = await openShift(register, 100 + round);
      ids.unshift(id);
      await endShift(register, id);
      await closeShift(register, id, 100 + round);
    }
    const list = async (query = '') => (await register.call('GET', `${SHIFTS}?${query}`)).body;
    const all = await list();
    expect(all.cash_drawer_shifts.map(({ id }: { id: string }) => id)).toEqual(ids);
    const first = await list('limit=2');
    const rest = await list(`limit=2&cursor=${first.cursor}`);
    expect([...first.cash_drawer_shifts, ...rest.cash_drawer_shifts]).toEqual(all.cash_drawer_shifts);
  });
});

describe('two tablets at one drawer', () => {
  it('that end and close one shift at once: each happens once', async () => {
    const register = await newRegister();
    const colleague = await signInAt(register.device, (await hire(server, owner)).id);
    for (let round = 0; round < 4; round++) {
      const { id } = await openShift(register, 1000);
      const ended = await Promise.all([register, colleague].map((at) => at.write(`${SHIFTS}/${id}/end`)));
      expect(ended.map(({ status }) => status).sort()).toEqual([200, 400]);
      const closed = await Promise.all(
        [register, colleague].map((at, index) =>
          at.write(`${SHIFTS}/${id}/close`, { closed_cash_money: { amount: 900 + index } }),
        ),
      );
      expect(closed.map(({ status }) => status).sort()).toEqual([200, 400]);
      const winner = ensureDefined(closed.find(({ status }) => status === 200)).body.cash_drawer_shift;
      expect(await reportOf(register, id)).toMatchObject({ kind: 'Z', counted_cash_money: winner.closed_cash_money });
    }
    const opened = await Promise.all(
      [register, colleague].map((at) => at.write(SHIFTS, { opened_cash_money: { amount: 1 } })),
    );
    expect(opened.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('one that sells for cash while the other ends the shift: the drawer and the sales agree', async () => {
    const register = await newRegister();
    const colleague = await signInAt(register.device, (await hire(server, owner)).id);
    for (let round = 0; round < 5; round++) {
      const { id } = await openShift(register, 1000);
      const [sale] = await Promise.all([sell(register, { tenders: [cash()] }), colleague.write(`${SHIFTS}/${id}/end`)]);
      const inDrawer = ensureDefined(sale.tenders[0]).in_drawer;
      const report = await reportOf(register, id);
      expect(report.expected_cash_money).toEqual(usd(inDrawer ? 2000 : 1000));
      await closeShift(colleague, id, 1000);
    }
  });
});
