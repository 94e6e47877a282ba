/** The queue of a register: what it kept while it was offline, sent later by the device (decision 0155). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { expectBooksInOrder } from '../../support/payments.js';
import {
  hire,
  OPEN_DRAWER,
  openBusiness,
  openShift,
  pairDevice,
  type Register,
  signInAt,
} from '../../support/people.js';
import { backdateSignIns, type KeptWrite, keep, QUEUE, sendQueue } from '../../support/queue.js';
import { CARD, card, cash, DECLINED, item, SALES, sell, usd } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const NOW = '2020-02-26T10:00:00.500Z';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ago = (ms: number) => new Date(Date.parse(NOW) - ms).toISOString();

let server: TestServer;
let owner: TestOwner;
let till: Register;

beforeAll(async () => {
  server = await startTestServer();
  ({ owner, register: till } = await open());
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

/** A business whose cashier has been at the register for four days. */
async function open(permissions: readonly string[] = [OPEN_DRAWER, 'REGISTER_ISSUE_REFUNDS']) {
  const clock = { now: NOW, frozen: true };
  const business = await openBusiness(server, { clock }, { role: { permissions } });
  await backdateSignIns(server, business.register.employeeId, 4 * DAY_MS);
  return business;
}

interface Result {
  readonly id: string;
  readonly status: string;
  // biome-ignore lint/suspicious/noExplicitAny: the response of any operation
  readonly response?: any;
  readonly flags?: readonly { readonly code: string; readonly detail: string }[];
  readonly error?: { readonly code: string; readonly field?: string; readonly detail: string };
}

async function send(register: Register, writes: readonly unknown[], sentAt = NOW): Promise<Result[]> {
  const answer = await sendQueue(register, sentAt, writes);
  expect(answer.status, answer.text).toBe(200);
  expect(Date.parse(answer.body.now)).not.toBeNaN();
  return answer.body.results;
}

const codes = (results: readonly Result[]) =>
  results.map(({ status, error, flags = [] }) => [status, error?.code ?? flags.map(({ code }) => code).join(' ')]);

const sale = (
  register: Register,
  tenders: unknown[],
  more: Partial<KeptWrite> & { signedAt?: string } = {},
  body = {},
) =>
  keep(register, 'ringUpSale', {
    occurred_at: ago(HOUR_MS),
    body: { itemizations: [item(1000)], tenders, ...body },
    ...more,
  });

const salesOf = async ({ merchant }: TestOwner) =>
  server.database.sql`select register_sale_id, state from sales where merchant_id = ${merchant.id}`;

describe('register.sendQueue', () => {
  it('runs a day that was worked offline, in order, with the ids that the register chose', async () => {
    const { owner: own, register } = await open();
    const at = (minutes: number) => ({ occurred_at: ago(HOUR_MS - minutes * 60_000) });
    const [shift, split] = [randomUUID(), randomUUID()];
    const inShift = (operation: string, minutes: number, body: object = {}) =>
      keep(register, operation, { ...at(minutes), body: { shift_id: shift, ...body } });
    const writes = [
      keep(register, 'clockIn', at(0)),
      keep(register, 'openShift', { id: shift, ...at(1), body: { opened_cash_money: usd(5000) } }),
      sale(register, [cash()], at(2)),
      sale(register, [cash(400)], { id: split, ...at(3) }),
      keep(register, 'takeTender', { ...at(4), body: { sale_id: split, type: 'OTHER', name: 'Voucher' } }),
      sale(register, [], { id: 'parked', ...at(5) }),
      keep(register, 'cancelSale', { ...at(6), body: { sale_id: 'parked' } }),
      inShift('noSale', 7),
      inShift('paidIn', 8, { amount_money: usd(300) }),
      inShift('paidOut', 9, { amount_money: usd(50), description: 'Milk' }),
      inShift('endShift', 10),
      inShift('closeShift', 11, { closed_cash_money: usd(6650) }),
      keep(register, 'clockOut', at(12)),
    ];
    const results = await send(register, writes);
    expect(codes(results)).toEqual(
      writes.map(({ operation }) => ['ACCEPTED', operation === 'paidOut' ? 'PAID_OUT_OFFLINE' : '']),
    );
    expect(results.map(({ id }) => id)).toEqual(writes.map(({ id }) => id));
    expect(results[11]?.response.cash_drawer_shift).toMatchObject({
      state: 'CLOSED',
      opened_at: at(1).occurred_at,
      closed_at: at(11).occurred_at,
      expected_cash_money: usd(6650),
    });
    expect(results[4]?.response.sale).toMatchObject({ state: 'COMPLETED', register_id: split });
    expect(results[6]?.response.sale).toMatchObject({ state: 'CANCELED' });
    expect(results[12]?.response.timecard).toMatchObject({ employee_id: register.employeeId });
    // All of it again: nothing new. Sales are shown as they are now.
    const again = await send(register, writes);
    expect(codes(again)).toEqual(codes(results));
    const others = [0, 1, 2, 4, 6, 7, 8, 9, 10, 11, 12];
    expect(others.map((index) => again[index])).toEqual(others.map((index) => results[index]));
    expect(await salesOf(own)).toHaveLength(3);
  });

  it('continues where a crash or a lost connection ended it: each write is one commit', async () => {
    const { owner: own, register } = await open();
    const shift = randomUUID();
    const writes = [
      keep(register, 'openShift', { id: shift, occurred_at: ago(HOUR_MS), body: { opened_cash_money: usd(0) } }),
      ...Array.from({ length: 4 }, () => sale(register, [cash()])),
      keep(register, 'endShift', { occurred_at: ago(5), body: { shift_id: shift } }),
    ];
    for (let done = 1; done < writes.length; done++) await send(register, writes.slice(0, done));
    const results = await send(register, writes);
    expect(codes(results)).toEqual(writes.map(() => ['ACCEPTED', '']));
    expect(results.at(-1)?.response.cash_drawer_shift).toMatchObject({
      state: 'ENDED',
      expected_cash_money: usd(4000),
    });
    expect(await salesOf(own)).toHaveLength(4);
  });

  it('finds what was committed online before the response was lost', async () => {
    const { owner: own, register } = await open();
    const shift = await openShift(register, 1000);
    const online = { id: randomUUID(), itemizations: [item(700)], tenders: [cash()] };
    const first = await register.write(SALES, online);
    const paid = { id: randomUUID(), amount_money: usd(100) };
    const drawer = await register.write(`/api/register/cash-drawer-shifts/${shift.id}/paid-in`, paid);
    const clocked = await register.write('/api/register/timecards/clock-in', { id: 'clock' });
    const parked = await sell(register, { tenders: [] });
    const tender = card();
    const tendered = await register.write(`${SALES}/${parked.id}/tenders`, tender);
    const refund = { id: randomUUID(), payment_id: first.body.sale.payment_id, type: 'PARTIAL', reason: 'Cold' };
    const refunded = await register.write('/api/register/refunds', { ...refund, refunded_money: usd(50) });
    const kept = (operation: string, { id, ...body }: Record<string, unknown>, more = {}) =>
      keep(register, operation, { id: id as string, occurred_at: ago(5000), body: { ...body, ...more } });
    // Meanwhile four days pass, and the employee leaves: what was made stays made.
    await owner.call('GET', '/api/dashboard/session');
    await own.call('POST', `/api/dashboard/employees/${register.employeeId}/deactivate`);
    await changeClock(server, own.merchant.id, { advance: 'P4D' });
    const results = await send(register, [
      kept('ringUpSale', online),
      kept('paidIn', paid, { shift_id: shift.id }),
      kept('clockIn', { id: 'clock' }),
      kept('takeTender', tender, { sale_id: parked.id }),
      kept('issueRefund', { ...refund, refunded_money: usd(50) }),
    ]);
    expect(codes(results)).toEqual(results.map(() => ['ACCEPTED', '']));
    const answers = [first, drawer, clocked, tendered, refunded];
    expect(results.map(({ response }) => response)).toEqual(answers.map(({ body }) => body));
    expect(await salesOf(own)).toHaveLength(2);
  });

  it('refuses an id that was used for something else', async () => {
    const { register } = await open();
    await register.write('/api/register/timecards/clock-in', { id: 'taken' });
    const { id } = await sell(register);
    const reused = await server.database.sql`select register_sale_id from sales where sale_id = ${id}`;
    const results = await send(register, [
      keep(register, 'clockOut', { id: 'taken', occurred_at: NOW }),
      sale(register, [cash()], { id: reused[0]?.['registerSaleId'] }, { itemizations: [item(1)] }),
    ]);
    expect(codes(results)).toEqual([
      ['REFUSED', 'CONFLICT'],
      ['REFUSED', 'CONFLICT'],
    ]);
  });

  it('runs each write once if the same queue is sent many times at once', async () => {
    const { owner: own, register } = await open();
    const shift = randomUUID();
    const writes = [
      keep(register, 'openShift', { id: shift, occurred_at: ago(HOUR_MS), body: { opened_cash_money: usd(0) } }),
      ...Array.from({ length: 5 }, () => sale(register, [cash()])),
      keep(register, 'paidIn', { occurred_at: ago(5), body: { shift_id: shift, amount_money: usd(7) } }),
      keep(register, 'clockIn', { occurred_at: ago(4) }),
    ];
    const all = await Promise.all(Array.from({ length: 4 }, () => send(register, writes)));
    for (const results of all) expect(codes(results)).toEqual(writes.map(() => ['ACCEPTED', '']));
    expect(await salesOf(own)).toHaveLength(5);
    const shown = await register.call('GET', '/api/register/cash-drawer-shifts/open');
    expect(shown.body.cash_drawer_shift.expected_cash_money).toEqual(usd(5007));
  });

  it('runs a write once if it is sent online and by the queue at the same time', async () => {
    const { owner: own, register } = await open();
    const ids = Array.from({ length: 6 }, () => randomUUID());
    const body = (id: string) => ({
      itemizations: [item(1000)],
      tenders: [card(undefined, { id: `t-${id}`.slice(0, 60) })],
    });
    const online = ids.map((id) => register.write(SALES, { id, ...body(id) }));
    const queued = send(
      register,
      ids.map((id) => keep(register, 'ringUpSale', { id, occurred_at: NOW, body: body(id) })),
    );
    for (const answer of await Promise.all(online)) expect(answer.status).toBe(200);
    expect(codes(await queued)).toEqual(ids.map(() => ['ACCEPTED', '']));
    expect(await salesOf(own)).toHaveLength(6);
  });

  it('continues after a refused write, and tries it again when it is sent again', async () => {
    const { register } = await open();
    const [missing, late] = [randomUUID(), keep(register, 'clockOut', { occurred_at: ago(10) })];
    const results = await send(register, [
      keep(register, 'paidIn', { occurred_at: ago(9), body: { shift_id: missing, amount_money: usd(1) } }),
      keep(register, 'paidIn', { occurred_at: ago(9), body: { amount_money: usd(1) } }),
      keep(register, 'paidIn', { occurred_at: ago(9), body: { shift_id: missing, amount_money: 'x' } }),
      keep(register, 'takeTender', { occurred_at: ago(9), body: { sale_id: 'no\0ne', type: 'CASH' } }),
      keep(register, 'ringUpSale', { occurred_at: ago(9) }),
      late,
      sale(register, [cash()]),
    ]);
    expect(results.map(({ status, error }) => [status, error?.code, error?.field])).toEqual([
      ['REFUSED', 'NOT_FOUND', undefined],
      ['REFUSED', 'MISSING_REQUIRED_PARAMETER', 'shift_id'],
      ['REFUSED', 'EXPECTED_OBJECT', 'amount_money'],
      ['REFUSED', 'INVALID_VALUE', 'sale_id'],
      ['REFUSED', 'MISSING_REQUIRED_PARAMETER', 'itemizations'],
      ['REFUSED', 'BAD_REQUEST', undefined],
      ['ACCEPTED', undefined, undefined],
    ]);
    const clockIn = keep(register, 'clockIn', { occurred_at: ago(5000) });
    expect(codes(await send(register, [clockIn, late]))).toEqual([
      ['ACCEPTED', ''],
      ['ACCEPTED', ''],
    ]);
    expect(codes(await send(register, [keep(register, 'clockIn', { occurred_at: ago(2) })]))).toEqual([
      ['ACCEPTED', ''],
    ]);
    expect(codes(await send(register, [keep(register, 'clockIn', { occurred_at: ago(1) })]))).toEqual([
      ['REFUSED', 'BAD_REQUEST'],
    ]);
  });

  it.each([
    ['nothing', []],
    ['too much', Array.from({ length: 101 }, () => ({}))],
    ['an unknown operation', [{ id: 'a', operation: 'signOut', employee_id: 'b', occurred_at: NOW, body: {} }]],
    ['no body', [{ id: 'a', operation: 'clockIn', employee_id: 'b', occurred_at: NOW }]],
  ])('refuses a queue of %s', async (_, writes) => {
    expect((await sendQueue(till, NOW, writes)).status).toBe(400);
  });

  it('needs a paired device and no employee', async () => {
    const body = { sent_at: NOW, writes: [sale(till, [cash()])] };
    expect((await server.call('POST', QUEUE, { body })).status).toBe(401);
    expect((await till.device.call('POST', QUEUE, { body })).status).toBe(200);
  });
});

describe('the time of a kept write', () => {
  it.each([
    ['an hour slow', -HOUR_MS, 'CLOCK_CORRECTED'],
    ['six years fast', 6 * 365 * DAY_MS, 'CLOCK_CORRECTED'],
    ['a minute slow', -60_000, ''],
  ])('is corrected if the clock of the register is %s', async (_, wrongBy, flag) => {
    const { register } = await open();
    const byRegister = (ms: number) => new Date(Date.parse(NOW) + wrongBy + ms).toISOString();
    const signedAt = ago(2 * HOUR_MS);
    const write = sale(register, [cash()], { occurred_at: byRegister(-2 * HOUR_MS), signedAt });
    const [result] = await send(register, [write], byRegister(0));
    expect(codes(result ? [result] : [])).toEqual([['ACCEPTED', flag]]);
    expect(result?.response.sale).toMatchObject({ rung_up_at: ago(2 * HOUR_MS), created_at: ago(2 * HOUR_MS) });
    // Sent again much later, with another correction: found, not made again and not another write.
    const [again] = await send(register, [write], byRegister(3 * HOUR_MS));
    expect(again).toEqual(result);
  });

  it('is at most 72 hours ago, and now if it is in the future', async () => {
    const { register } = await open();
    const results = await send(register, [
      sale(register, [cash()], { occurred_at: ago(3 * DAY_MS + 1) }),
      sale(register, [cash()], { occurred_at: ago(3 * DAY_MS) }),
      sale(register, [cash()], { occurred_at: ago(-5000) }),
      sale(register, [cash()], { occurred_at: '0001-01-01T00:00:00Z' }),
    ]);
    expect(codes(results)).toEqual([
      ['REFUSED', 'TOO_OLD'],
      ['ACCEPTED', ''],
      ['ACCEPTED', ''],
      ['REFUSED', 'TOO_OLD'],
    ]);
    expect(results[1]?.response.sale.created_at).toBe(ago(3 * DAY_MS));
    expect(results[2]?.response.sale.created_at).toBe(NOW);
  });
});

describe('the employee of a kept write', () => {
  const unknown = '0190a5a0-0000-7000-8000-000000000000';

  it('must be one of the merchant', async () => {
    const { register } = await open();
    const other = await open();
    const results = await send(register, [
      sale(register, [cash()], { employee_id: unknown }),
      sale(register, [cash()], { employee_id: 'nobody' }),
      sale(register, [cash()], { employee_id: other.register.employeeId }),
      sale(register, [cash()], { employee_id: register.employeeId.toUpperCase() }),
    ]);
    expect(codes(results)).toEqual([
      ...Array.from({ length: 3 }, () => ['REFUSED', 'INVALID_VALUE']),
      ['ACCEPTED', ''],
    ]);
    expect(results[0]?.error?.field).toBe('employee_id');
  });

  it('who is not active now: cash that was taken is recorded and flagged, what goes out is refused', async () => {
    const { owner: own, register } = await open();
    const shift = await openShift(register, 0);
    const earlier = await sell(register);
    await own.call('PUT', '/api/dashboard/register-settings', {
      body: { restrict_discounts: false, offline_cards: { allowed: true, limit_money: usd(10_000) } },
    });
    await own.call('POST', `/api/dashboard/employees/${register.employeeId}/deactivate`);
    const refund = { payment_id: earlier.payment_id, type: 'FULL', reason: 'Cold' };
    const returns = [{ payment_id: earlier.payment_id, amount_money: usd(1), reason: 'Cold' }];
    const at = { occurred_at: NOW };
    const writes = [
      sale(register, [cash()], at),
      sale(register, [{ id: randomUUID(), type: 'OTHER' }], at),
      sale(register, [card()], at),
      sale(register, [cash(500), card()], at),
      sale(register, [cash()], at, { returns }),
      keep(register, 'issueRefund', { occurred_at: NOW, body: refund }),
      keep(register, 'paidOut', { occurred_at: NOW, body: { shift_id: shift.id, amount_money: usd(1) } }),
      keep(register, 'clockIn', { occurred_at: NOW }),
    ];
    const results = await send(register, writes);
    const flagged = ['ACCEPTED', 'EMPLOYEE_INACTIVE NOT_SIGNED']; // the key has ended too
    const refused = ['REFUSED', 'NOT_SIGNED'];
    expect(codes(results)).toEqual([flagged, flagged, refused, refused, refused, refused, refused, flagged]);
    expect(await send(register, writes)).toEqual(results);
  });

  it('who lacks a permission, the location or a sign-in here: writes are flagged, money that has yet to move is refused', async () => {
    const { owner: own, register } = await open([]);
    const shift = await openShift(register, 0);
    const stranger = await hire(server, own, { role: { permissions: [OPEN_DRAWER] } });
    const elsewhere = await pairDevice(server, own, { name: 'Till 2' });
    await signInAt(elsewhere, stranger.id);
    const noSale = (employee_id: string) =>
      keep(register, 'noSale', { occurred_at: NOW, employee_id, body: { shift_id: shift.id } });
    const refund = { payment_id: (await sell(register)).payment_id, type: 'FULL', reason: 'Cold' };
    const moved = keep(register, 'clockIn', { occurred_at: NOW });
    expect(
      codes(
        await send(register, [
          noSale(register.employeeId),
          noSale(stranger.id),
          keep(register, 'issueRefund', { occurred_at: NOW, body: refund }),
          sale(register, [card()], { employee_id: stranger.id, occurred_at: NOW }),
        ]),
      ),
    ).toEqual([
      ['ACCEPTED', 'PERMISSION_MISSING'],
      ['ACCEPTED', 'NOT_SIGNED_IN_HERE'],
      ['REFUSED', 'INSUFFICIENT_SCOPES'],
      ['REFUSED', 'NOT_SIGNED'],
    ]);
    const { body } = await own.call('POST', '/api/dashboard/locations', { body: { name: 'Annex', timezone: 'UTC' } });
    await server.database.sql`
      update employees set location_ids = array[${body.location.id}]::text[] where employee_id = ${register.employeeId}`;
    expect(codes(await send(register, [moved]))).toEqual([['ACCEPTED', 'EMPLOYEE_NOT_AT_LOCATION']]);
  });

  it('must have signed in at this device in the seven days before, or the write is flagged', async () => {
    const { register } = await open();
    await backdateSignIns(server, register.employeeId, 3 * DAY_MS - 60_000); // seven days, less a minute
    expect(codes(await send(register, [sale(register, [cash()], { occurred_at: NOW })]))).toEqual([['ACCEPTED', '']]);
    await backdateSignIns(server, register.employeeId, 120_000);
    expect(codes(await send(register, [sale(register, [cash()], { occurred_at: NOW })]))).toEqual([
      ['ACCEPTED', 'NOT_SIGNED_IN_HERE'],
    ]);
  });
});

describe('prices of a kept sale', () => {
  it('are kept, and flagged if the catalogue has others now', async () => {
    const { owner: own, register } = await open();
    const catalogue = '/api/dashboard/catalogue';
    const list = (price: number) => ({
      name: 'Milk',
      min_selected: 0,
      options: [{ name: 'Oat', price_money: usd(price) }],
    });
    const { modifier_list } = (await own.call('POST', `${catalogue}/modifier-lists`, { body: list(50) })).body;
    const made = await own.call('POST', `${catalogue}/items`, {
      body: { name: 'Latte', online: false, archived: false, variations: [{ name: 'Small', price_money: usd(400) }] },
    });
    expect(made.status, made.text).toBe(200);
    const sold = made.body.item;
    const line = (price: number, option = 50) => ({
      name: 'Latte',
      single_quantity_money: usd(price),
      item_detail: { item_id: sold.id, item_variation_id: sold.variations[0].id },
      modifiers: [{ name: 'Oat', modifier_option_id: modifier_list.options[0].id, price_money: usd(option) }],
    });
    const custom = { name: 'Favour', single_quantity_money: usd(1) };
    const results = await send(
      register,
      [[line(400), custom], [line(390)], [line(400, 60)], [{ ...line(400), item_detail: { item_id: 'gone' } }]].map(
        (itemizations) => sale(register, [cash()], {}, { itemizations }),
      ),
    );
    expect(codes(results)).toEqual([
      ['ACCEPTED', ''],
      ['ACCEPTED', 'PRICE_CHANGED'],
      ['ACCEPTED', 'PRICE_CHANGED'],
      ['ACCEPTED', ''],
    ]);
    expect(results[1]?.flags?.[0]?.detail).toContain('Latte');
    expect(results[1]?.response.sale.total_money).toEqual(usd(440));
  });
});

describe('a card that was kept', () => {
  const allow = (own: TestOwner, limit: number) =>
    own.call('PUT', '/api/dashboard/register-settings', {
      body: { restrict_discounts: false, offline_cards: { allowed: true, limit_money: usd(limit) } },
    });

  it('is refused unless the merchant allows it, up to the limit of each payment', async () => {
    const { owner: own, register } = await open();
    const three = () => [
      sale(register, [card()]),
      sale(register, [card(500), card(500, { tip_money: usd(1) })]),
      sale(register, [card()], { occurred_at: ago(1000) }), // a retry, not kept for later
    ];
    expect(codes(await send(register, three()))).toEqual([
      ['REFUSED', 'FORBIDDEN'],
      ['REFUSED', 'FORBIDDEN'],
      ['ACCEPTED', ''],
    ]);
    expect((await allow(own, 500)).body.offline_cards).toEqual({ allowed: true, limit_money: usd(500) });
    expect(codes(await send(register, three()))).toEqual([
      ['REFUSED', 'PAYMENT_LIMIT_EXCEEDED'],
      ['REFUSED', 'PAYMENT_LIMIT_EXCEEDED'],
      ['ACCEPTED', ''],
    ]);
    await allow(own, 1000);
    expect(codes(await send(register, three()))).toEqual([
      ['ACCEPTED', 'BACKDATED'], // after the retries
      ['ACCEPTED', 'BACKDATED'],
      ['ACCEPTED', ''],
    ]);
  });

  it('and is declined leaves the sale open, with what was paid in cash', async () => {
    const { owner: own, register } = await open();
    await allow(own, 1000);
    const write = sale(register, [cash(250), card(750, { source_id: DECLINED })]);
    const [result] = await send(register, [write]);
    expect(result).toMatchObject({
      status: 'ACCEPTED',
      response: {
        sale: { state: 'OPEN', remaining_money: usd(750), tenders: [{ status: 'COMPLETED' }, { status: 'DECLINED' }] },
      },
    });
    const more = keep(register, 'takeTender', { occurred_at: NOW, body: { sale_id: write.id, ...withoutId(cash()) } });
    expect((await send(register, [more]))[0]?.response.sale).toMatchObject({ state: 'COMPLETED' });
  });

  it('whose outcome is not known yet is accepted, and the rest of the queue goes on', async () => {
    const { owner: own, register } = await open();
    await allow(own, 1000);
    await server.operator('POST', `/api/sandbox/merchants/${own.merchant.id}/processor-rules`, {
      effect: 'TIME_OUT',
      times: 1,
    });
    const writes = [sale(register, [card(undefined, { source_id: CARD })]), sale(register, [cash()])];
    const results = await send(register, writes);
    expect(results.map(({ response }) => [response.sale.state, response.sale.tenders[0].status])).toEqual([
      ['OPEN', 'PENDING'],
      ['COMPLETED', 'COMPLETED'],
    ]);
    const again = await send(register, writes);
    expect(again[0]?.response.sale).toMatchObject({ state: 'COMPLETED' });
    const { payments } = (await server.call('GET', '/v2/payments', { token: own.merchant.token })).body;
    expect(payments).toHaveLength(1);
  });

  it('needs a limit to be allowed', async () => {
    const own = await createOwner(server);
    const put = (offline_cards: object) =>
      own.call('PUT', '/api/dashboard/register-settings', { body: { restrict_discounts: true, offline_cards } });
    expect((await put({ allowed: true })).body.errors[0]).toMatchObject({ code: 'MISSING_REQUIRED_PARAMETER' });
    expect((await put({ allowed: true, limit_money: usd(0) })).body.errors[0]).toMatchObject({ code: 'VALUE_TOO_LOW' });
    expect((await put({ allowed: false })).body).toEqual({
      restrict_discounts: true,
      offline_cards: { allowed: false },
      page_keeps_cards: true,
    });
  });
});

function withoutId({ id: _, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return rest;
}
