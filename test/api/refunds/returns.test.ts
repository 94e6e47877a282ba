/** Giving back at a register: finding the sale, returning items or amounts by the register's own id, and exchanging items. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreaches } from '../../../src/check/check.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { ensureDefined, hire, openShift, pairDevice, type Register, signInAt } from '../../support/people.js';
import { card, cash, item, SALES, sell, usd, type WireSale } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const REFUNDS = '/api/register/refunds';
const TAX = { name: 'VAT', rate: '0.1' };

let server: TestServer;
let owner: TestOwner;
let register: Register;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
  const manager = await hire(server, owner, { role: { is_owner: true } });
  register = await signInAt(await pairDevice(server, owner), manager.id);
});
afterAll(async () => {
  expect(await findBreaches(server.database)).toEqual([]);
  await server.stop();
});

const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];

interface Found {
  readonly id: string;
  readonly [other: string]: unknown;
}

const find = async (query: Record<string, string>, at = register): Promise<Found[]> =>
  (await at.call('GET', `/api/register/sale-search?${new URLSearchParams(query)}`)).body.sales;
const foundIds = async (query: string, at = register) => (await find({ query }, at)).map(({ id }) => id);
const paymentOf = (sale: WireSale): string => ensureDefined(sale.payment_id);

/** Two loaves and a jam, with a tax: 2200 and 330. */
const sellGoods = (more: Record<string, unknown> = { tenders: [cash()] }) =>
  sell(register, {
    itemizations: [item(1000, { quantity: '2' }), item(300, { name: 'Jam' })],
    taxes: [TAX],
    ...more,
  });

const giveBack = (body: Record<string, unknown>) => register.write(REFUNDS, { reason: 'Stale', ...body });
const amountOf = (answer: ApiResponse): number =>
  answer.body.refunds.reduce(
    (sum: number, each: { amount_money: { amount: number } }) => sum + each.amount_money.amount,
    0,
  );

describe('register.findSales', () => {
  it('finds by id, receipt number, scanned address, last four digits and amount, at this location only', async () => {
    const sale = await sellGoods({ tenders: [card(1000), cash(1530)] });
    const [first, second] = sale.tenders;
    const other = await sell(register, { itemizations: [item(77_123)], tenders: [cash()] });
    for (const query of [
      paymentOf(sale),
      sale.id,
      ensureDefined(second).id,
      String(sale['receipt_number']),
      `#${ensureDefined(first).id.slice(-4)}`,
      `https://till.example/receipts/${paymentOf(sale)}`,
      `http://127.0.0.1:9/receipts/${paymentOf(sale)}?merchant=M1`,
      String(ensureDefined(first)['pan_suffix']),
      '25.30',
    ]) {
      expect([query, (await foundIds(query)).includes(sale.id)]).toEqual([query, true]);
    }
    expect(await foundIds('771.23')).toEqual([other.id]);
    expect(await foundIds('nothing-like-this')).toEqual([]);
    expect((await foundIds('')).slice(0, 2)).toEqual([other.id, sale.id]);

    const there = await signInAt(
      await pairDevice(server, owner, { locationId: ensureDefined(owner.merchant.locationIds[1]) }),
      register.employeeId,
    );
    expect(await foundIds(paymentOf(sale), there)).toEqual([]);
    const stranger = await createOwner(server);
    const boss = await hire(server, stranger, { role: { is_owner: true } });
    expect(await foundIds(paymentOf(sale), await signInAt(await pairDevice(server, stranger), boss.id))).toEqual([]);
  });

  it('finds by time, and shows what can still be given back', async () => {
    const sale = await sellGoods({ tenders: [card(2530, { tip_money: { amount: 100 } })] });
    const at = Date.parse(ensureDefined(sale.created_at));
    const around = (from: number, to: number) =>
      find({ begin_time: new Date(at + from).toISOString(), end_time: new Date(at + to).toISOString() });
    expect((await around(1, 60_000)).map(({ id }) => id)).not.toContain(sale.id);
    const [found] = (await around(0, 1)).filter(({ id }) => id === sale.id);
    expect(found).toEqual({
      id: sale.id,
      payment_id: sale.payment_id,
      receipt_number: paymentOf(sale).slice(-4),
      receipt_url: `/receipts/${paymentOf(sale)}?merchant=${owner.merchant.id}`,
      created_at: sale.created_at,
      kind: 'REGISTER',
      state: 'COMPLETED',
      employee_id: register.employeeId,
      device_name: 'Till 1',
      total_money: usd(2630),
      tip_money: usd(100),
      refunded_money: usd(0),
      refundable_money: usd(2630),
      tenders: [expect.objectContaining({ type: 'CARD', last_4: expect.any(String), refundable_money: usd(2630) })],
      refunds_by_item: true,
      receipt_lines: [
        ['subtotal', 'Subtotal', 2300],
        ['taxes', 'VAT 10 %', 230],
        ['total', 'Total', 2530],
        ['tip', 'Tip', 100],
        ['with_tip', 'Total with tip', 2630],
      ].map(([figure, name, cents]) => ({
        ...{ figure, name, amount_money: usd(Number(cents)) },
        is_sum: figure === 'total' || figure === 'with_tip',
      })),
      lines: [
        expect.objectContaining({ line: 0, name: 'Loaf', quantity: 2, returned_quantity: 0, total_money: usd(2200) }),
        expect.objectContaining({ line: 1, name: 'Jam', quantity: 1, returned_quantity: 0, total_money: usd(330) }),
      ],
    });
    expect(
      (await giveBack({ payment_id: paymentOf(sale), type: 'ITEMS', items: [{ line: 0, quantity: '1' }] })).status,
    ).toBe(200);
    const [left] = await find({ query: sale.id });
    expect(left).toMatchObject({ refunded_money: usd(1100), refunds_by_item: true });
    expect(left?.['lines']).toMatchObject([{ returned_quantity: 1 }, { returned_quantity: 0 }]);
    await giveBack({ payment_id: paymentOf(sale), type: 'PARTIAL', refunded_money: { amount: 10 } });
    expect((await find({ query: sale.id }))[0]).toMatchObject({ refunds_by_item: false });
  });
});

describe('register.issueRefund', () => {
  it("takes the register's own id of the sale, or the server's, and cash leaves the drawer", async () => {
    const own = await signInAt(await pairDevice(server, owner), register.employeeId);
    const other = await signInAt(await pairDevice(server, owner), register.employeeId);
    await openShift(own, 10_000);
    const id = randomUUID();
    const sale = await sell(own, { id, tenders: [cash()] });
    const body = { sale_id: id, type: 'FULL', reason: 'Stale' };
    expect(refusal(await other.write(REFUNDS, body))).toEqual([404, 'NOT_FOUND', 'payment_id']); // an id of that device
    const answer = await own.write(REFUNDS, body);
    expect(amountOf(answer)).toBe(1000);
    const { expected_cash_money } = (await own.call('GET', '/api/register/cash-drawer-shifts/open')).body
      .cash_drawer_shift;
    expect(expected_cash_money).toEqual(usd(10_000));
    const [kept] = await server.database.sql<{ deviceId: string }[]>`
      select device_id from refunds where payment_id = ${paymentOf(sale)}`;
    expect(kept?.deviceId).toBe(own.device.id);
    const again = await sell(own, { tenders: [cash()] });
    expect(amountOf(await other.write(REFUNDS, { ...body, sale_id: again.id }))).toBe(1000);
  });

  it('returns items with their taxes, each exactly once, whatever the portions', async () => {
    const sale = await sellGoods();
    const of = (items: unknown, more = {}) => giveBack({ payment_id: paymentOf(sale), type: 'ITEMS', items, ...more });
    expect(amountOf(await of([{ line: 0, quantity: '0.5' }]))).toBe(550);
    const told = [
      { line: 0, quantity: '1.5' },
      { line: 1, quantity: '1' },
    ];
    expect(refusal(await of(told, { refunded_money: { amount: 1 } }))).toEqual([409, 'CONFLICT', 'items']);
    expect(amountOf(await of(told, { refunded_money: { amount: 1980 } }))).toBe(1980);
    expect(refusal(await of([{ line: 1, quantity: '1' }]))).toEqual([400, 'INVALID_VALUE', 'items']);
    expect((await find({ query: sale.id }))[0]).toMatchObject({ refundable_money: usd(0), refunded_money: usd(2530) });
  });

  it('returns the same items once if two tablets do it at once', async () => {
    const other = await signInAt(await pairDevice(server, owner), register.employeeId);
    const sale = await sellGoods();
    const body = { payment_id: paymentOf(sale), type: 'ITEMS', reason: 'x', items: [{ line: 1, quantity: '1' }] };
    const answers = await Promise.all([register, other, register, other].map((at) => at.write(REFUNDS, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });

  it.each([
    [{ type: 'FULL' }, 'CONFLICTING_PARAMETERS', 'sale_id'],
    [{ type: 'FULL', payment_id: 'a', sale_id: 'b' }, 'CONFLICTING_PARAMETERS', 'sale_id'],
    [{ type: 'ITEMS', payment_id: 'a' }, 'MISSING_REQUIRED_PARAMETER', 'items'],
    [{ type: 'ITEMS', payment_id: 'a', items: [{ line: 0, quantity: '0' }] }, 'INVALID_VALUE', 'items[0].quantity'],
    [{ type: 'ITEMS', payment_id: 'a', items: [{ line: -1, quantity: '1' }] }, 'VALUE_TOO_LOW', 'items.line'],
  ])('refuses %o', async (body, code, field) => {
    expect(refusal(await giveBack(body))).toEqual([400, code, field]);
  });
});

describe('an exchange of items', () => {
  it('pays for a sale with the value of returned items, which cannot be returned again', async () => {
    const id = randomUUID();
    const sold = await sellGoods({ id, tenders: [cash()] });
    const returns = [{ sale_id: id, reason: 'Size', items: [{ line: 0, quantity: '1' }] }];
    const sale = await sell(register, { itemizations: [item(1500)], returns, tenders: [cash()] });
    expect(sale.state).toBe('COMPLETED');
    expect(sale.tenders.map(({ is_exchange, total_money }) => [is_exchange, total_money.amount])).toEqual([
      [true, 1100],
      [false, 400],
    ]);
    const [left] = await find({ query: sold.id });
    expect(left).toMatchObject({ refunded_money: usd(1100), refundable_money: usd(1430), refunds_by_item: true });
    expect(left?.['lines']).toMatchObject([{ returned_quantity: 1 }, { returned_quantity: 0 }]);
    const twice = [{ sale_id: id, reason: 'Size', items: [{ line: 0, quantity: '2' }] }];
    const refused = await register.write(SALES, { itemizations: [item(3000)], returns: twice });
    expect(refusal(refused)).toEqual([400, 'INVALID_VALUE', 'items']);
    // The rest is refunded by item, too, and together that is all that was paid.
    const rest = [
      { line: 0, quantity: '1' },
      { line: 1, quantity: '1' },
    ];
    expect(amountOf(await giveBack({ sale_id: id, type: 'ITEMS', items: rest }))).toBe(1430);
  });

  it('gives back as money what the new goods do not cost, in the same write', async () => {
    const own = await signInAt(await pairDevice(server, owner), register.employeeId);
    await openShift(own, 10_000);
    const expectedCash = async () =>
      (await own.call('GET', '/api/register/cash-drawer-shifts/open')).body.cash_drawer_shift.expected_cash_money
        .amount;
    const id = randomUUID();
    const sold = await sell(own, {
      ...{ id, itemizations: [item(1000, { quantity: '2' }), item(300, { name: 'Jam' })], taxes: [TAX] },
      tenders: [card(500), cash()],
    });
    expect(await expectedCash()).toBe(12_030);
    // Of 2200, 800 pay for the new goods: 500 of the card and 300 of the cash. The rest is cash.
    const goods = { sale_id: id, reason: 'Size', items: [{ line: 0, quantity: '2' }], amount_money: { amount: 2200 } };
    const body = {
      ...{ id: randomUUID(), itemizations: [item(800)], total_money: { amount: 800 } },
      returns: [{ ...goods, refunded_money: { amount: 1400 } }],
    };
    const sale = await sell(own, body);
    expect(sale).toMatchObject({ state: 'COMPLETED', tenders: [{ is_exchange: true, total_money: { amount: 800 } }] });
    expect(await expectedCash()).toBe(10_630);
    expect(await sell(own, body)).toEqual(sale);
    expect(await expectedCash()).toBe(10_630);
    const [left] = await find({ query: sold.id });
    expect(left).toMatchObject({ refunded_money: usd(2200), refundable_money: usd(330), refunds_by_item: true });
    expect(left?.['lines']).toMatchObject([{ returned_quantity: 2 }, { returned_quantity: 0 }]);
    expect(amountOf(await giveBack({ sale_id: sold.id, type: 'ITEMS', items: [{ line: 1, quantity: '1' }] }))).toBe(
      330,
    );
  });

  it('gives back to a card, by amount, and only if all of it is possible', async () => {
    const sold = await sellGoods({ tenders: [card()] });
    const other = await sellGoods({ tenders: [cash()] });
    const goods = (sale: WireSale, amount: number, refunded?: number) => ({
      ...{ payment_id: paymentOf(sale), reason: 'Size', amount_money: { amount } },
      ...(refunded !== undefined && { refunded_money: { amount: refunded } }),
    });
    const attempt = (...returns: unknown[]) => register.write(SALES, { itemizations: [item(1000)], returns });
    const tooMuch = [400, 'INVALID_VALUE', 'returns.refunded_money'];
    expect(refusal(await attempt(goods(sold, 1000, 1001)))).toEqual(tooMuch);
    expect(refusal(await attempt({ ...goods(sold, 330, 331), items: [{ line: 1, quantity: '1' }] }))).toEqual(tooMuch);
    // More pays for the sale than it costs.
    expect(refusal(await attempt(goods(sold, 2530, 100)))).toEqual([400, 'INVALID_VALUE', 'amount_money']);
    expect(refusal(await attempt(goods(other, 2530, 2530), goods(sold, 2600, 1600)))[0]).toBe(400);
    for (const sale of [sold, other])
      expect((await find({ query: sale.id }))[0]).toMatchObject({ refunded_money: usd(0) });

    const exchanged = await attempt(goods(other, 2530, 2530), goods(sold, 2530, 1530));
    expect(exchanged.body.sale).toMatchObject({ state: 'COMPLETED', tenders: [{ total_money: { amount: 1000 } }] });
    const money = await server.call('GET', '/v2/refunds', { token: owner.merchant.token });
    const ofCard = money.body.refunds.find((each: { payment_id: string }) => each.payment_id === paymentOf(sold));
    expect(ofCard.amount_money).toEqual(usd(1530));
    for (const sale of [sold, other])
      expect((await find({ query: sale.id }))[0]).toMatchObject({
        refundable_money: usd(0),
        refunded_money: usd(2530),
      });
  });

  it('refuses the same sale twice in one exchange, another value than the buyer was told, and nothing', async () => {
    const sold = await sellGoods();
    const one = { payment_id: paymentOf(sold), reason: 'Size', items: [{ line: 1, quantity: '1' }] };
    const attempt = async (returns: unknown) =>
      refusal(await register.write(SALES, { itemizations: [item(9000)], returns }));
    expect(await attempt([one, one])).toEqual([400, 'INVALID_VALUE', 'returns']);
    expect(await attempt([{ ...one, amount_money: { amount: 1 } }])).toEqual([409, 'CONFLICT', 'items']);
    expect(await attempt([{ ...one, items: undefined }])).toEqual([
      400,
      'MISSING_REQUIRED_PARAMETER',
      'returns.amount_money',
    ]);
  });
});
