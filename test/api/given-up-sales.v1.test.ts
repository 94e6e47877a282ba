/** Sales cancelled after tenders were taken: the lists balance (decision 55), and so do the drawers (decision 58). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestOwner } from '../support/dashboard.js';
import { advance, cancelByKey, expectBooksInOrder, pay, refund, usd } from '../support/payments.js';
import {
  closeShift,
  endShift,
  ensureDefined,
  openBusiness,
  openRegister,
  openShift,
  type Register,
} from '../support/people.js';
import { card, cash, SALES, sell } from '../support/register-sales.js';
import type { WireSale } from '../support/sales.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { listV1 } from '../support/v1-refunds.js';

const CLOCK = { clock: { now: '2020-02-26T10:00:00Z', frozen: true } };

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const giveUp = (register: Register, { id }: { readonly id: string }) => register.write(`${SALES}/${id}/cancel`);
const voucher = (amount: number) => ({ id: randomUUID(), type: 'OTHER', name: 'Voucher', amount_money: { amount } });

async function listsOf({ merchant }: TestOwner, includePartial = false) {
  const parameters: Record<string, string> = includePartial ? { include_partial: 'true' } : {};
  const query = includePartial ? '?include_partial=true' : '';
  const payments: WireSale[] = (await server.call('GET', `/v1/me/payments${query}`, { token: merchant.token })).body;
  return { payments, refunds: await listV1(server, merchant, { parameters }) };
}

describe('the lists of payments and refunds', () => {
  it('contain neither a cancelled sale nor its refunds, or both with include_partial', async () => {
    const { owner, register } = await openBusiness(server, CLOCK);
    const sale = await sell(register, { tenders: [card(400), cash(100), voucher(50)] });
    const [first] = sale.tenders;
    expect(await listsOf(owner)).toEqual({ payments: [], refunds: [] });
    expect((await giveUp(register, sale)).status).toBe(200);
    await advance(server, owner.merchant, 'PT10S');
    expect(await listsOf(owner)).toEqual({ payments: [], refunds: [] });
    const { payments, refunds } = await listsOf(owner, true);
    expect(payments).toMatchObject([{ id: first?.id, is_partial: true, refunded_money: { amount: -550 } }]);
    expect(refunds.map(({ refunded_money }) => refunded_money.amount).sort()).toEqual([-100, -400, -50]);
    expect(refunds).toEqual(expect.arrayContaining([...ensureDefined(payments[0]).refunds]));
  });

  it('contain a v2 refund of an open sale as soon as they contain the sale', async () => {
    const { owner, register } = await openBusiness(server, CLOCK);
    const sale = await sell(register, { tenders: [card(400)] });
    await refund(server, owner.merchant, { id: ensureDefined(sale.tenders[0]).id }, { amount_money: usd(150) });
    expect(await listsOf(owner)).toEqual({ payments: [], refunds: [] });
    expect((await listsOf(owner, true)).refunds).toMatchObject([{ refunded_money: { amount: -150 } }]);
    expect((await register.write(`${SALES}/${sale.id}/tenders`, cash())).body.sale.state).toBe('COMPLETED');
    const { payments, refunds } = await listsOf(owner);
    expect(payments).toMatchObject([{ is_partial: false, refunded_money: { amount: -150 } }]);
    expect(refunds).toMatchObject([{ payment_id: payments[0]?.id, refunded_money: { amount: -150 } }]);
  });

  it('contain a captured payment that was cancelled by its key, and its refund', async () => {
    const { owner } = await openBusiness(server, CLOCK);
    const key = randomUUID();
    const { id } = await pay(server, owner.merchant, { idempotency_key: key });
    await cancelByKey(server, owner.merchant, key);
    const { payments, refunds } = await listsOf(owner);
    expect([payments[0]?.id, refunds[0]?.payment_id]).toEqual([id, id]);
  });

  it('keep the choice of the first page on every page', async () => {
    const { owner, register } = await openBusiness(server, CLOCK);
    for (let count = 0; count < 3; count++)
      await giveUp(register, await sell(register, { tenders: [cash(10 + count)] }));
    const walked = async (parameters: Record<string, string>) =>
      (
        await listV1(server, owner.merchant, { parameters: { limit: '1', ...parameters }, style: 'only the token' })
      ).map(({ refunded_money }) => refunded_money.amount);
    expect(await walked({})).toEqual([]);
    expect((await walked({ include_partial: 'true' })).sort()).toEqual([-10, -11, -12]);
  });
});

describe('a drawer', () => {
  interface Shown {
    readonly payments: number;
    readonly refunds: number;
    readonly expected: number;
    readonly events: readonly (readonly [string, number])[];
  }

  /** A shift as v1 and v2 show it. Both must agree, apart from the signs. */
  async function shown({ merchant }: TestOwner, shiftId: string): Promise<Shown> {
    const get = async (path: string) => (await server.call('GET', path, { token: merchant.token })).body;
    const v1 = await get(`/v1/${merchant.locationIds[0]}/cash-drawer-shifts/${shiftId}`);
    const { cash_drawer_shift: v2 } = await get(`/v2/cash-drawers/shifts/${shiftId}`);
    const { events } = await get(`/v2/cash-drawers/shifts/${shiftId}/events`);
    type Event = { event_type: string; event_money: { amount: number } };
    const sums = (of: typeof v2) => [of.cash_payment_money, of.expected_cash_money].map(({ amount }) => amount);
    expect(sums(v1)).toEqual(sums(v2));
    expect(v1.cash_refunds_money.amount).toBe(0 - v2.cash_refunds_money.amount);
    expect(v1.events.map(({ event_type }: Event) => event_type.replace('CANCELED', 'CANCELLED'))).toEqual(
      events.map(({ event_type }: Event) => event_type),
    );
    return {
      payments: v2.cash_payment_money.amount,
      refunds: v2.cash_refunds_money.amount,
      expected: v2.expected_cash_money.amount,
      events: events.map(({ event_type, event_money }: Event) => [event_type, event_money.amount] as const),
    };
  }

  /** Ends and closes a shift, and opens the next one. */
  async function nextShift(owner: TestOwner, register: Register, shiftId: string): Promise<string> {
    await endShift(register, shiftId);
    await closeShift(register, shiftId);
    await advance(server, owner.merchant, 'PT1H');
    return (await openShift(register)).id;
  }

  it('records returned cash of an earlier shift as a refund of this shift', async () => {
    const { owner, register } = await openBusiness(server, CLOCK);
    const first = (await openShift(register)).id;
    const sale = await sell(register, { tenders: [cash(300), voucher(200)] });
    const second = await nextShift(owner, register, first);
    await giveUp(register, sale);
    expect(await shown(owner, second)).toEqual({
      ...{ payments: 0, refunds: 300, expected: 9700 },
      events: [
        ['CASH_TENDER_REFUND', 300],
        ['OTHER_TENDER_REFUND', 0],
      ],
    });
    expect(await shown(owner, first)).toMatchObject({ payments: 300, refunds: 0, expected: 10_300 });
  });

  it('subtracts its own returned cash from its payments, also beside cash of an earlier shift', async () => {
    const { owner, register } = await openBusiness(server, CLOCK);
    const first = (await openShift(register)).id;
    const sale = await sell(register, { tenders: [cash(300)] });
    const second = await nextShift(owner, register, first);
    await register.write(`${SALES}/${sale.id}/tenders`, cash(200));
    await giveUp(register, sale);
    expect(await shown(owner, second)).toEqual({
      ...{ payments: 0, refunds: 300, expected: 9700 },
      events: expect.toSatisfy((events: Shown['events']) => {
        expect(events.map(([kind, amount]) => `${kind} ${amount}`).sort()).toEqual([
          'CASH_TENDER_CANCELLED_PAYMENT 200',
          'CASH_TENDER_PAYMENT 200',
          'CASH_TENDER_REFUND 300',
        ]);
        return true;
      }),
    });
  });

  it("records a refund for cash taken by another device's drawer, and for cash taken without a drawer", async () => {
    const { owner, register } = await openBusiness(server, CLOCK);
    const other = await openRegister(server, owner);
    await openShift(other);
    const [taken, loose] = [
      await sell(other, { tenders: [cash(300)] }),
      await sell(register, { tenders: [cash(100)] }), // no shift is open here yet
    ];
    const { id } = await openShift(register);
    for (const sale of [taken, loose]) await giveUp(register, sale);
    expect(await shown(owner, id)).toMatchObject({ payments: 0, refunds: 400, expected: 9600 });
  });

  it('records nothing if no shift is open, or if it was opened after the cash was returned', async () => {
    const { owner, register } = await openBusiness(server, CLOCK);
    const [one, other] = [await sell(register, { tenders: [cash(5)] }), await sell(register, { tenders: [cash(7)] })];
    await giveUp(register, one);
    await advance(server, owner.merchant, 'PT1H');
    const { id } = await openShift(register);
    await register.write(`${SALES}/${other.id}/cancel`, { occurred_at: CLOCK.clock.now });
    expect(await shown(owner, id)).toEqual({ payments: 0, refunds: 0, expected: 10_000, events: [] });
  });
});
