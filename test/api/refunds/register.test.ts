/** Refunds at the register: cash from the drawer, cards through the processor, and exchanges of goods. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount, ZERO } from '../../../src/base/money.js';
import { instant } from '../../../src/base/time.js';
import { exchangeGoods } from '../../../src/business/refunds/actions.js';
import type { TestOwner } from '../../support/dashboard.js';
import { drawerContext } from '../../support/drawers.js';
import { advance, expectBooksInOrder, expectRefusal, getPayment, usd } from '../../support/payments.js';
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
import { backdateSignIns, sendLate } from '../../support/queue.js';
import { startTestServer, type TestServer } from '../../support/server.js';
import { makeSale, receiptOf, type TenderPlan } from '../../support/split-sales.js';
import { listV1, money, part, refundV1 } from '../../support/v1-refunds.js';

const START = '2020-02-26T10:15:30.154Z';
const PATH = '/api/register/refunds';
const ISSUE = 'REGISTER_ISSUE_REFUNDS';

let server: TestServer;
let owner: TestOwner;
let register: Register;

beforeAll(async () => {
  server = await startTestServer();
  ({ owner, register } = await newBusiness());
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const newBusiness = () =>
  openBusiness(
    server,
    { clock: { now: START, frozen: true }, locations: [{ name: 'One' }, { name: 'Two' }] },
    { role: { permissions: [ISSUE] } },
  );

const DAY_MS = 86_400_000;
const CASH: TenderPlan = { source: 'CASH', amount: 1000 };
const CARD: TenderPlan = { source: 'CARD', amount: 1000, tip: 100 };
const VOUCHER: TenderPlan = { source: 'OTHER', amount: 500 };

/** A sale at this register, unless another device is given. */
const sell = (tenders: readonly TenderPlan[], at: { readonly device: Register['device'] } = register) => {
  const { device } = at;
  return makeSale(server, owner.merchant, { at: START, tenders, device, employeeId: register.employeeId });
};

const eventsOf = async (shiftId: string) => {
  const { body } = await owner.call('GET', `/api/dashboard/cash-drawer-shifts/${shiftId}`);
  return body.events.map((event: { event_type: string; event_money: { amount: number }; employee_id: string }) => [
    event.event_type,
    event.event_money.amount,
    event.employee_id,
  ]);
};

/** An employee who may refund, at a separate register. */
const newTill = async () => {
  const employee = await hire(server, owner, { role: { permissions: [ISSUE] } });
  return signInAt(await pairDevice(server, owner), employee.id);
};

describe('register.issueRefund', () => {
  it('refunds all tenders: cash from the open drawer, others recorded there, a card by due work', async () => {
    const till = await newTill();
    const shift = await openShift(till);
    const sale = await sell([CARD, CASH, VOUCHER]);
    const answer = await till.write(PATH, { payment_id: sale.id, type: 'FULL', reason: 'Broken' });
    expect(answer.status, answer.text).toBe(200);
    const records = answer.body.refunds;
    expect(
      records.map((each: Record<string, unknown>) => [each['payment_id'], each['status'], each['source_type']]),
    ).toEqual([
      [sale.tenderIds[0], 'PENDING', 'CARD'],
      [sale.tenderIds[1], 'COMPLETED', 'CASH'],
      [sale.tenderIds[2], 'COMPLETED', 'OTHER'],
    ]);
    expect(records.map((each: { amount_money: { amount: number } }) => each.amount_money.amount)).toEqual([
      1100, 1000, 500,
    ]);
    expect(await eventsOf(shift.id)).toEqual([
      ['CASH_TENDER_REFUND', 1000, till.employeeId],
      ['OTHER_TENDER_REFUND', 0, till.employeeId],
    ]);
    const rows = await server.database.sql<{ origin: string; employeeId: string }[]>`
      select distinct origin, employee_id from refunds where payment_id = any (${sale.tenderIds as string[]})`;
    expect(rows).toEqual([{ origin: 'REGISTER', employeeId: till.employeeId }]);
    const open = await till.call('GET', '/api/register/cash-drawer-shifts/open');
    expect(open.body.cash_drawer_shift).toMatchObject({
      cash_refunds_money: usd(-1000),
      expected_cash_money: usd(9000),
    });
    expect(await getPayment(server, owner.merchant, sale.tenderIds[0] ?? '')).toMatchObject({
      refunded_money: usd(1100),
    });
  });

  it('refunds a part of one tender, with a positive amount', async () => {
    const sale = await sell([CASH]);
    const body = { payment_id: sale.id, type: 'PARTIAL', reason: 'Late', refunded_money: { amount: 300 } };
    const { refunds } = (await register.write(PATH, body)).body;
    expect(refunds).toMatchObject([{ amount_money: usd(300), reason: 'Late' }]);
    const listed = await listV1(server, owner.merchant);
    expect(listed.find(({ payment_id }) => payment_id === sale.id)).toMatchObject({ refunded_money: money(-300) });
  });

  it('is idempotent: the same id returns the first result', async () => {
    const till = await newTill();
    const shift = await openShift(till);
    const sale = await sell([CASH]);
    const body = { id: 'once', payment_id: sale.id, type: 'PARTIAL', reason: 'Late', refunded_money: { amount: 300 } };
    const [first, again] = [await till.write(PATH, body), await till.write(PATH, body)];
    expect(again.body).toEqual(first.body);
    expect(await eventsOf(shift.id)).toHaveLength(1);
    expect((await till.write(PATH, { ...body, reason: 'Other' })).status).toBe(409);
  });

  it('does not change a drawer that is closed, ended, or was opened later', async () => {
    const till = await newTill();
    await backdateSignIns(server, till.employeeId, DAY_MS);
    const broken = async () => ({ payment_id: (await sell([CASH])).id, type: 'FULL', reason: 'Broken' });
    const issue = async () => {
      const answer = await till.write(PATH, await broken());
      expect(answer.status, answer.text).toBe(200);
    };
    await issue();
    const now = await advance(server, owner.merchant, 'PT1H');
    const shift = await openShift(till);
    const late = await sendLate(till, now, 'issueRefund', { occurred_at: START, body: await broken() });
    expect(late.status).toBe('ACCEPTED');
    expect(await eventsOf(shift.id)).toEqual([]);
    await endShift(till, shift.id);
    await issue();
    await closeShift(till, shift.id);
    expect(await eventsOf(shift.id)).toEqual([]);
  });

  it('dates an offline refund by its own time, never before the sale', async () => {
    const { owner: own, register: till } = await newBusiness();
    const sale = await makeSale(server, own.merchant, { at: START, tenders: [CARD] });
    const now = await advance(server, own.merchant, 'P1D');
    await backdateSignIns(server, till.employeeId, 2 * DAY_MS);
    const body = { payment_id: sale.id, type: 'PARTIAL', reason: 'Late', refunded_money: { amount: 300 } };
    const issue = (occurred_at: string) => sendLate(till, now, 'issueRefund', { occurred_at, body });
    const early = await issue('2020-02-26T10:15:30.153Z');
    expect(early.error).toMatchObject({ code: 'INVALID_VALUE', field: 'occurred_at' });
    const made = await issue('2020-02-26T12:00:00Z');
    expect(made.response.refunds).toMatchObject([{ created_at: '2020-02-26T12:00:00.000Z', status: 'PENDING' }]);
    await advance(server, own.merchant, 'PT10S');
    expect(await listV1(server, own.merchant)).toMatchObject([{ created_at: '2020-02-26T12:00:00Z' }]);
    const late = await issue('2020-02-20T00:00:00Z');
    expect(late.error).toMatchObject({ code: 'TOO_OLD', field: 'occurred_at' });
  });

  it('refuses more than 60 days after the sale, more than the remainder, a part of several tenders, and an unknown sale', async () => {
    const { owner: own, register: till } = await newBusiness();
    const sale = await makeSale(server, own.merchant, { at: START, tenders: [CASH, VOUCHER] });
    const issue = (change: Record<string, unknown>) =>
      till.write(PATH, {
        payment_id: sale.id,
        type: 'PARTIAL',
        reason: 'Late',
        refunded_money: { amount: 1 },
        ...change,
      });
    const [cash = ''] = sale.tenderIds;
    const NOT_REFUNDABLE = { code: 'PAYMENT_NOT_REFUNDABLE', category: 'REFUND_ERROR', field: 'payment_id' };
    const several = { code: 'INVALID_VALUE', field: 'payment_id', says: ['several tenders'] };
    expectRefusal(await issue({ payment_id: sale.saleId }), several);
    expectRefusal(await issue({ payment_id: 'nobody' }), { status: 404, code: 'NOT_FOUND', field: 'payment_id' });
    const tooMuch = await issue({ payment_id: cash, refunded_money: { amount: 1001 } });
    expectRefusal(tooMuch, { code: 'REFUND_AMOUNT_INVALID', category: 'REFUND_ERROR', field: 'refunded_money' });
    const missing = await issue({ payment_id: cash, refunded_money: undefined });
    expectRefusal(missing, { code: 'MISSING_REQUIRED_PARAMETER', field: 'refunded_money' });
    const nothing = await issue({ payment_id: cash, refunded_money: { amount: 0 } });
    expectRefusal(nothing, { code: 'VALUE_TOO_LOW', field: 'refunded_money.amount' });
    await advance(server, own.merchant, 'P61D');
    expectRefusal(await issue({ type: 'FULL' }), { ...NOT_REFUNDABLE, says: ['60 days'] });
  });

  it('refuses a sale of another location, and an employee without the permission', async () => {
    const [, locationId = ''] = owner.merchant.locationIds;
    const sale = await makeSale(server, owner.merchant, { at: START, tenders: [CASH], locationId });
    const body = { payment_id: sale.id, type: 'FULL', reason: 'Broken' };
    expectRefusal(await register.write(PATH, body), { status: 404, code: 'NOT_FOUND', field: 'payment_id' });
    const helper = await hire(server, owner, { role: { permissions: [] } });
    const till = await signInAt(await pairDevice(server, owner), helper.id);
    expect((await till.write(PATH, body)).status).toBe(403);
  });
});

describe('v1.createRefund of a cash payment', () => {
  it('takes the cash from the open drawer of the device that made the sale, under its employee', async () => {
    const till = await newTill();
    const shift = await openShift(till);
    const sale = await makeSale(server, owner.merchant, {
      at: START,
      tenders: [CASH, VOUCHER],
      device: till.device,
      employeeId: register.employeeId,
    });
    await refundV1(server, owner.merchant, { payment_id: sale.id });
    expect(await eventsOf(shift.id)).toEqual([
      ['CASH_TENDER_REFUND', 1000, register.employeeId],
      ['OTHER_TENDER_REFUND', 0, register.employeeId],
    ]);
    const subjects = await server.database.sql<{ refundId: string | null }[]>`
      select r.refund_id
      from cash_drawer_events e
      left join refunds r on r.merchant_id = e.merchant_id and r.refund_id = e.subject_id
      where e.shift_id = ${shift.id}`;
    expect(subjects.map(({ refundId }) => refundId)).toEqual([expect.any(String), expect.any(String)]);
  });

  it('creates no movement, and completes immediately', async () => {
    const { tenderIds } = await sell([CASH]);
    await refundV1(server, owner.merchant, part(tenderIds[0] ?? '', 400));
    const [row] = await server.database.sql`
      select refunded, returned, (select count(*) from movements m where m.merchant_id = p.merchant_id and m.payment_id = p.payment_id) as movements
      from payments p where payment_id = ${tenderIds[0] ?? ''}`;
    expect(row).toEqual({ refunded: 400, returned: 400, movements: 0 });
  });
});

describe('exchangeGoods', () => {
  const exchange = async (paymentId: string, units: number) => {
    const { merchant, ids } = drawerContext(owner.merchant, {}, instant(Date.parse(START)));
    const { device, employeeId } = register;
    const attendant = {
      ...{ employeeId, deviceId: device.id, merchantId: merchant.id },
      ...{ permissions: new Set<never>(), expiresAt: instant(0) },
    };
    const at = instant(Date.parse(START) + 7_200_000);
    const act = { ids, device: { ...device, merchant, lastUsedAt: null }, attendant, at, now: at };
    const goods = { paymentId, amount: amount(units), reason: 'Too small', refunded: ZERO, returned: [] };
    const { refunds } = await server.database.change(merchant.id, (change) => exchangeGoods(change, act, goods));
    return refunds;
  };
  const shownOf = async (saleId: string) =>
    (
      await listV1(server, owner.merchant, {
        parameters: { limit: '200', begin_time: '2020-01-01', end_time: '2020-03-01' },
      })
    ).filter(({ payment_id }) => payment_id === saleId);

  it('creates a refund of the original sale that only v1 shows, without money and fee', async () => {
    const tenders = [{ source: 'CARD', amount: 2446, tip: 300 }] as const;
    const { device, employeeId } = register;
    const sale = await makeSale(server, owner.merchant, {
      at: START,
      tenders,
      receipt: receiptOf(2300),
      device,
      employeeId,
    });
    const [card = ''] = sale.tenderIds;
    const [made] = await exchange(sale.id, 1373);
    expect(await shownOf(sale.id)).toMatchObject([
      {
        ...{ type: 'PARTIAL', reason: 'Too small', is_exchange: true, payment_id: sale.id },
        ...{ refunded_money: money(-1373), refunded_processing_fee_money: money(0) },
        ...{ refunded_tip_money: money(-150), refunded_tax_money: money(-88), refunded_discount_money: money(115) },
      },
    ]);
    const { token } = owner.merchant;
    expect((await server.call('GET', `/v2/refunds/${made?.id}`, { token })).status).toBe(404);
    const payment = await getPayment(server, owner.merchant, card);
    for (const field of ['refunded_money', 'refund_ids']) expect(payment).not.toHaveProperty(field);
    // The rest is refunded in money, and both together return each line once.
    await refundV1(server, owner.merchant, { payment_id: card });
    expect(await getPayment(server, owner.merchant, card)).toMatchObject({ refunded_money: usd(1373) });
    const records = await shownOf(sale.id);
    expect(records.reduce((sum, each) => sum + each.refunded_tax_money.amount, 0)).toBe(-176);
    expect(records.reduce((sum, each) => sum + each.refunded_tip_money.amount, 0)).toBe(-300);
  });

  it('uses several tenders in the order in which they were taken, as one refund', async () => {
    const sale = await sell([CASH, VOUCHER]);
    const made = await exchange(sale.id, 1200);
    expect(made.map(({ amount: units, leaderId }) => [units, leaderId])).toEqual([
      [1000, null],
      [200, made[0]?.id],
    ]);
    expect((await shownOf(sale.id)).map(({ refunded_money }) => refunded_money.amount)).toEqual([-1000, -200]);
    await expect(exchange(sale.id, 301)).rejects.toMatchObject({ reason: 'REFUND_AMOUNT_INVALID' });
    await exchange(sale.tenderIds[1] ?? '', 300);
    await expect(exchange(sale.id, 1)).rejects.toMatchObject({ reason: 'REFUND_AMOUNT_INVALID' });
  });
});
