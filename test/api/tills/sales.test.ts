/** Sales at a register: ringing up, paying, canceling, and those that stay open. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approve } from '../../support/approvals.js';
import { changeClock } from '../../support/clock.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { expectBooksInOrder } from '../../support/payments.js';
import {
  closeShift,
  endShift,
  ensureDefined,
  hire,
  openBusiness,
  openShift,
  pairDevice,
  type Register,
  signInAt,
} from '../../support/people.js';
import { sendLate } from '../../support/queue.js';
import {
  CARD,
  card,
  cash,
  DECLINED,
  item,
  SALES,
  sell,
  tryToSell,
  usd,
  type WireSale,
} from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

describe('sales at a register', () => {
  const NOW = '2020-02-26T10:00:00.500Z';

  let owner: TestOwner;
  let cashierId: string;

  beforeAll(async () => {
    const business = await openBusiness(server, { clock: { now: NOW, frozen: true } });
    owner = business.owner;
    cashierId = business.register.employeeId;
  });

  const newTill = async (): Promise<Register> => signInAt(await pairDevice(server, owner), cashierId);
  const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];
  const shiftOf = async (id: string) => (await owner.call('GET', `/api/dashboard/cash-drawer-shifts/${id}`)).body;
  const kindsIn = async (id: string) =>
    (await shiftOf(id)).events.map((event: { event_type: string; event_money: { amount: number } }) => [
      event.event_type,
      event.event_money.amount,
    ]);
  const v2 = (path: string) => server.call('GET', path, { token: owner.merchant.token });

  describe('register.ringUpSale', () => {
    it('computes the total, takes cash with change and completes', async () => {
      const till = await newTill();
      const sale = await sell(till, {
        itemizations: [item(500, { quantity: '2', modifiers: [{ name: 'Butter', price_money: { amount: 50 } }] })],
        discounts: [{ name: 'Morning', amount_money: { amount: 100 } }],
        taxes: [{ name: 'Sales tax', rate: '0.09' }],
        total_money: { amount: 1090 },
        tenders: [cash(undefined, { tendered_money: { amount: 2000 } })],
      });
      expect(sale).toMatchObject({
        state: 'COMPLETED',
        total_money: usd(1090),
        paid_money: usd(1090),
        remaining_money: usd(0),
        employee_id: cashierId,
        device_id: till.device.id,
        created_at: '2020-02-26T10:00:00.500Z',
        tenders: [{ type: 'CASH', status: 'COMPLETED', tendered_money: usd(2000), change_back_money: usd(910) }],
      });
    });

    it('refuses a different total from the register, naming both amounts', async () => {
      const answer = await tryToSell(await newTill(), { total_money: { amount: 999 }, tenders: [cash()] });
      expect(refusal(answer)).toEqual([400, 'INVALID_VALUE', 'total_money']);
      expect(answer.body.errors[0].detail).toBe('total_money is 999, but the total of the sale is 1000.');
    });

    it('accepts several tenders, with tips, and shows the cards in v2 with their fees', async () => {
      const till = await newTill();
      const sale = await sell(till, {
        itemizations: [item(3000)],
        tenders: [
          card(1000, { tip_money: { amount: 200 } }),
          card(800, { entry_method: 'KEYED' }),
          cash(700),
          { id: 'voucher', type: 'OTHER', name: 'Voucher' },
        ],
      });
      expect(sale.state).toBe('COMPLETED');
      expect(sale.tenders.map(({ type, total_money }) => [type, total_money.amount])).toEqual([
        ['CARD', 1200],
        ['CARD', 800],
        ['CASH', 700],
        ['OTHER', 500],
      ]);
      const [present, keyed, inCash] = sale.tenders;
      const shown = (await v2(`/v2/payments/${present?.id}`)).body.payment;
      expect(shown).toMatchObject({
        status: 'COMPLETED',
        employee_id: cashierId,
        amount_money: usd(1000),
        tip_money: usd(200),
        card_details: { entry_method: 'SWIPED', device_details: { device_id: till.device.id } },
        processing_fee: [{ amount_money: usd(41) }],
      });
      const typed = (await v2(`/v2/payments/${keyed?.id}`)).body.payment;
      expect(typed).toMatchObject({
        card_details: { entry_method: 'KEYED' },
        processing_fee: [{ amount_money: usd(43) }],
      });
      expect((await v2(`/v2/payments/${inCash?.id}`)).status).toBe(404);
    });

    it('returns the same sale in its current state on a retry, and creates one only', async () => {
      const till = await newTill();
      const body = { id: randomUUID(), itemizations: [item(1000)], tenders: [cash()] };
      const answers = await Promise.all(Array.from({ length: 10 }, () => till.call('POST', SALES, { body })));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(200);
      const other = await till.call('POST', SALES, { body: { ...body, itemizations: [item(1001)] } });
      expect(refusal(other)).toEqual([409, 'CONFLICT', 'id']);
    });

    it('returns the same sale if a default is written out, or a number or a time has another format', async () => {
      const till = await newTill();
      const tender = { id: randomUUID(), type: 'CARD', source_id: CARD };
      const tax = { name: 'T', rate: '0.1' };
      const id = randomUUID();
      const short = { id, itemizations: [item(1000, { taxes: [tax] })], tenders: [tender], occurred_at: NOW };
      const long = {
        id,
        itemizations: [
          item(1000, {
            ...{ quantity: '1.0', itemization_type: 'ITEM', notes: '', modifiers: [], discounts: [] },
            single_quantity_money: usd(1000),
            taxes: [{ ...tax, rate: '0.100', inclusion_type: 'ADDITIVE' }],
          }),
        ],
        surcharges: [],
        tenders: [{ ...tender, tip_money: usd(0), entry_method: 'SWIPED' }],
        occurred_at: '2020-02-26T11:00:00.500+01:00',
      };
      const first = await till.call('POST', SALES, { body: short });
      expect(first.status).toBe(200);
      expect((await till.call('POST', SALES, { body: long })).text).toBe(first.text);
    });

    it('leaves the sale open with its paid amount when a card is declined, and another tender can pay', async () => {
      const till = await newTill();
      const sale = await sell(till, { tenders: [cash(400), card(600, { source_id: DECLINED })] });
      expect(sale).toMatchObject({ state: 'OPEN', remaining_money: usd(600) });
      expect(sale.tenders[1]).toMatchObject({ status: 'DECLINED', errors: [{ code: 'GENERIC_DECLINE' }] });
      const paid = (await till.write(`${SALES}/${sale.id}/tenders`, card())).body.sale;
      expect(paid).toMatchObject({ state: 'COMPLETED', remaining_money: usd(0) });
    });

    it('takes the balance of a gift card', async () => {
      const sale = await sell(await newTill(), {
        tenders: [{ id: 'gift', type: 'GIFT_CARD', source_id: 'cnon:gift-card-nonce-insufficient-funds' }],
      });
      expect(sale).toMatchObject({ state: 'OPEN', remaining_money: usd(500) });
    });

    it('completes with a tender of zero if discounts cover everything', async () => {
      const sale = await sell(await newTill(), { discounts: [{ name: 'Gift', rate: '1' }], tenders: [cash()] });
      expect(sale).toMatchObject({ state: 'COMPLETED', total_money: usd(0) });
    });

    it.each([
      ['a rate above one', { taxes: [{ name: 'T', rate: '1.1' }] }, 'VALUE_REGEX_MISMATCH', 'taxes.rate'],
      ['a quantity of zero', { itemizations: [item(5, { quantity: '0' })] }, 'INVALID_VALUE', 'itemizations.quantity'],
      [
        'a quantity with too many decimals',
        { itemizations: [item(5, { quantity: '0.000001' })] },
        'VALUE_REGEX_MISMATCH',
        'itemizations.quantity',
      ],
      [
        'a discount of both types',
        { discounts: [{ name: 'D', rate: '0.1', amount_money: { amount: 1 } }] },
        'CONFLICTING_PARAMETERS',
        'discounts',
      ],
      ['a discount without a type', { discounts: [{ name: 'D' }] }, 'CONFLICTING_PARAMETERS', 'discounts'],
      [
        'a card without its source',
        { tenders: [{ id: 'x', type: 'CARD' }] },
        'MISSING_REQUIRED_PARAMETER',
        'tenders.source_id',
      ],
      [
        'too little cash',
        { tenders: [cash(undefined, { tendered_money: { amount: 999 } })] },
        'INVALID_VALUE',
        'tendered_money',
      ],
      ['too much of a tender', { tenders: [cash(1001)] }, 'INVALID_VALUE', 'amount_money'],
      [
        'a foreign currency',
        { tenders: [cash(undefined, { amount_money: { amount: 1, currency: 'EUR' } })] },
        'INVALID_VALUE',
        'tenders.amount_money.currency',
      ],
      [
        'a card number',
        { tenders: [card(undefined, { source_id: '4111111111111111' })] },
        'INVALID_VALUE',
        'source_id',
      ],
      ['no items', { itemizations: [] }, 'ARRAY_LENGTH_TOO_SHORT', 'itemizations'],
    ])('refuses %s', async (_, body, code, field) => {
      const answer = await tryToSell(await newTill(), body);
      expect(refusal(answer)).toEqual([400, code, field]);
      expect(answer.text).not.toContain('4111111111111111');
    });

    it('accepts restricted discounts only from employees with the permission', async () => {
      const discounts = [{ name: 'Staff', rate: '0.5', restricted: true }];
      const till = await newTill();
      expect(refusal(await tryToSell(till, { discounts }))).toEqual([403, 'FORBIDDEN', 'discounts']);
      const manager = await hire(server, owner, { role: { permissions: ['REGISTER_APPLY_RESTRICTED_DISCOUNTS'] } });
      const allowed = await signInAt(till.device, manager.id);
      expect(await sell(allowed, { discounts, tenders: [cash()] })).toMatchObject({ total_money: usd(500) });
    });
  });

  describe('the drawer', () => {
    const sellLate = async (till: Register, now: string, occurred_at: string): Promise<WireSale> => {
      const body = { itemizations: [item(1000)], tenders: [cash()] };
      return (await sendLate(till, now, 'ringUpSale', { occurred_at, body })).response.sale;
    };

    it('contains the cash of sales and of cancelled ones, and records other tenders', async () => {
      const till = await newTill();
      const { id } = await openShift(till, 10_000);
      await sell(till, { tenders: [cash(600), { id: 'v', type: 'OTHER' }] });
      const open = await sell(till, { tenders: [cash(300)] });
      await till.write(`${SALES}/${open.id}/cancel`);
      expect(await kindsIn(id)).toEqual([
        ['CASH_TENDER_PAYMENT', 600],
        ['OTHER_TENDER_PAYMENT', 0],
        ['CASH_TENDER_PAYMENT', 300],
        ['CASH_TENDER_CANCELLED_PAYMENT', 300],
      ]);
      expect((await shiftOf(id)).shift).toMatchObject({
        cash_payment_money: usd(600),
        expected_cash_money: usd(10_600),
      });
    });

    it('does not record a late sale of a closed shift', async () => {
      const till = await newTill();
      const first = await openShift(till);
      await endShift(till, first.id);
      await closeShift(till, first.id);
      await changeClock(server, owner.merchant.id, { advance: 'PT1H' });
      const second = await openShift(till);
      const late = await sellLate(till, second.opened_at, NOW);
      expect(late.tenders[0]?.in_drawer).toBe(false);
      expect(await kindsIn(second.id)).toEqual([]);
      expect((await sell(till)).tenders[0]?.in_drawer).toBe(true);
    });

    it('contains the cash of a sale right after its opening, although the clock of the register is some seconds slow', async () => {
      const till = await newTill();
      const { id, opened_at } = await openShift(till, 10_000);
      const seen = new Date(Date.parse(opened_at) - 5000).toISOString();
      const sale = await sellLate(till, opened_at, seen);
      expect(sale).toMatchObject({ rung_up_at: opened_at, tenders: [{ in_drawer: true }] });
      const { shift, events } = await shiftOf(id);
      expect(shift.expected_cash_money).toEqual(usd(11_000));
      expect(events).toMatchObject([{ created_at: opened_at }]);
    });
  });

  describe('register.cancelSale', () => {
    it('refunds the tenders of an open sale, once, and refuses a completed one', async () => {
      const till = await newTill();
      const sale = await sell(till, { tenders: [card(400), cash(100)] });
      const id = randomUUID();
      const cancel = () => till.call('POST', `${SALES}/${sale.id}/cancel`, { body: { id } });
      const first = await cancel();
      expect(first.body.sale).toMatchObject({ state: 'CANCELED', remaining_money: usd(0) });
      expect(first.body.sale.tenders.map(({ status }: { status: string }) => status)).toEqual(['CANCELED', 'CANCELED']);
      expect((await cancel()).text).toBe(first.text);
      expect((await v2(`/v2/payments/${sale.tenders[0]?.id}`)).body.payment.status).toBe('CANCELED');
      expect(refusal(await till.write(`${SALES}/${sale.id}/tenders`, cash()))).toEqual([400, 'BAD_REQUEST', undefined]);
      const done = await sell(till);
      expect(refusal(await till.write(`${SALES}/${done.id}/cancel`))).toEqual([400, 'BAD_REQUEST', undefined]);
    });
  });

  describe('register.takeTender', () => {
    it('takes a tender, and refuses another tender with its id', async () => {
      const till = await newTill();
      const sale = await sell(till, {});
      expect(sale).toMatchObject({ state: 'OPEN', remaining_money: usd(1000) });
      expect(sale.created_at).toBeUndefined();
      const body = card(400);
      const taken = await till.call('POST', `${SALES}/${sale.id}/tenders`, { body });
      expect(taken.body.sale).toMatchObject({ remaining_money: usd(600), tenders: [{ status: 'COMPLETED' }] });
      const other = await till.call('POST', `${SALES}/${sale.id}/tenders`, {
        body: { ...body, tip_money: { amount: 5 } },
      });
      expect(refusal(other)).toEqual([409, 'CONFLICT', 'id']);
    });

    it('moves the time of a sale to that of its last tender', async () => {
      const till = await newTill();
      const sale = await sell(till, { tenders: [cash(400)] });
      await changeClock(server, owner.merchant.id, { advance: 'PT5M' });
      const paid = (await till.write(`${SALES}/${sale.id}/tenders`, card())).body.sale;
      expect(Date.parse(paid.created_at) - Date.parse(sale.created_at ?? '')).toBe(300_000);
    });

    it("returns 404 for another location's sale, and for an unknown one", async () => {
      const till = await newTill();
      expect((await till.write(`${SALES}/nothing/tenders`, cash())).status).toBe(404);
    });
  });

  describe('register.showSale', () => {
    it('returns a sale to employees who may see the history', async () => {
      const till = await newTill();
      const sale = await sell(till);
      expect((await till.call('GET', `${SALES}/${sale.id}`)).status).toBe(403);
      const clerk = await hire(server, owner, { role: { permissions: ['REGISTER_ACCESS_SALES_HISTORY'] } });
      const allowed = await signInAt(till.device, clerk.id);
      expect((await allowed.call('GET', `${SALES}/${sale.id}`)).body.sale).toEqual(sale);
    });
  });

  describe('a sale with an uncertain processor response', () => {
    it('calls the processor once for each card, and completes with the outcomes', async () => {
      const { owner: shop, register: till } = await openBusiness(server, { clock: { now: NOW, frozen: true } });
      await server.operator('POST', `/api/sandbox/merchants/${shop.merchant.id}/processor-rules`, {
        effect: 'DELAY',
        delay_ms: 20,
        times: 2,
      });
      const sale = await sell(till, { tenders: [card(400), card(undefined, { source_id: CARD })] });
      expect(sale).toMatchObject({ state: 'COMPLETED', remaining_money: usd(0) });
      expect(sale.tenders.map(({ total_money }) => total_money.amount)).toEqual([400, 600]);
    });

    it('stays pending without a response; a retry gets the outcome', async () => {
      const { owner: shop, register: till } = await openBusiness(server, { clock: { now: NOW, frozen: true } });
      await server.operator('POST', `/api/sandbox/merchants/${shop.merchant.id}/processor-rules`, {
        effect: 'TIME_OUT',
        times: 1,
      });
      const body = { id: randomUUID(), itemizations: [item(1000)], tenders: [cash(100), card()] };
      expect((await till.call('POST', SALES, { body })).status).toBe(503);
      const again = await till.call('POST', SALES, { body });
      expect(again.body.sale).toMatchObject({ state: 'COMPLETED', remaining_money: usd(0) });
    });
  });
});

describe('open sales at a register', () => {
  const OPEN = '/api/register/open-sales';

  let owner: TestOwner;
  /** Two tablets of one location. */
  let one: Register;
  let two: Register;

  beforeAll(async () => {
    owner = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
    const [first, second] = [await hire(server, owner), await hire(server, owner)];
    one = await signInAt(await pairDevice(server, owner, { name: 'A' }), first.id);
    two = await signInAt(await pairDevice(server, owner, { name: 'B' }), second.id);
  });

  const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];

  const edit = (at: Register, sale: WireSale, body: Record<string, unknown> = {}) =>
    at.call('PUT', `${SALES}/${sale.id}`, {
      body: { id: randomUUID(), version: sale['version'], itemizations: [item(1000)], ...body },
    });
  const tender = (at: Register, sale: WireSale, body: Record<string, unknown>) =>
    at.write(`${SALES}/${sale.id}/tenders`, body);
  const openAt = async (at: Register): Promise<WireSale[]> => (await at.call('GET', OPEN)).body.sales;
  const park = (at: Register, body: Record<string, unknown> = {}) => sell(at, { label: 'Table 4', ...body });

  describe('register.listOpenSales', () => {
    it('lists parked sales of the location at every register, newest first, as they were rung up', async () => {
      const lines = {
        itemizations: [
          {
            name: 'Flat white',
            quantity: '1.5',
            single_quantity_money: usd(450),
            itemization_type: 'ITEM',
            item_variation_name: 'Large',
            notes: 'extra hot',
            item_detail: { category_name: 'Coffee', sku: 'FW', item_id: 'i1', item_variation_id: 'v1' },
            modifiers: [{ name: 'Oat', modifier_option_id: 'm1', price_money: usd(60) }],
            discounts: [{ name: 'Staff', discount_id: 'd1', restricted: false, rate: '0.10000000' }],
            taxes: [{ name: 'VAT', fee_id: 't1', rate: '0.08875000', inclusion_type: 'ADDITIVE' }],
          },
        ],
        discounts: [{ name: 'Rainy day', discount_id: 'd2', restricted: false, amount_money: usd(50) }],
        taxes: [{ name: 'City', fee_id: 't2', rate: '0.01000000', inclusion_type: 'INCLUSIVE' }],
        surcharges: [{ name: 'Service', surcharge_id: 's1', type: 'CUSTOM', rate: '0.05000000' }],
      };
      const first = await park(one, lines);
      const second = await sell(two, { tenders: [cash(400)] });
      const sold = await sell(one);
      const [newest, before, ...rest] = await openAt(two);
      expect([newest?.id, before?.id]).toEqual([second.id, first.id]);
      expect(rest.map(({ id }) => id)).not.toContain(sold.id);
      expect(before).toEqual(first);
      expect(before).toMatchObject({ label: 'Table 4', state: 'OPEN', employee_id: one.employeeId, ...lines });
      expect(newest).toMatchObject({ paid_money: usd(400), remaining_money: usd(600), tenders: [{ type: 'CASH' }] });
      expect(sold['itemizations']).toBeUndefined();

      // What it shows can be sent back as it is.
      const { itemizations, discounts, taxes, surcharges, total_money } = first;
      const same = { itemizations, discounts, taxes, surcharges, total_money };
      expect((await edit(two, first, same)).body.sale).toMatchObject({ total_money, ...lines });
    });

    it('does not list those of another location, nor canceled and complete ones', async () => {
      const locationId = ensureDefined(owner.merchant.locationIds[1]);
      const there = await signInAt(await pairDevice(server, owner, { locationId }), one.employeeId);
      const [parked, elsewhere, paid, canceled] = [
        await park(one),
        await park(there),
        await park(one),
        await park(one),
      ];
      expect((await tender(two, paid, cash())).body.sale).toMatchObject({ state: 'COMPLETED' });
      const end = await two.write(`${SALES}/${canceled.id}/cancel`);
      expect([end.body.sale.state, end.body.sale.itemizations]).toEqual(['CANCELED', undefined]);
      const ids = (await openAt(two)).map(({ id }) => id);
      expect([parked, elsewhere, paid, canceled].map(({ id }) => ids.includes(id))).toEqual([
        true,
        false,
        false,
        false,
      ]);
      expect(refusal(await edit(two, elsewhere))).toEqual([404, 'NOT_FOUND', undefined]);
      const [kept] = await server.database.sql<{ count: number }[]>`
      select count(*)::int as count from sales where open_lines is not null and state <> 'OPEN'`;
      expect(kept?.count).toBe(0);
    });
  });

  describe('register.editSale', () => {
    it('replaces the lines and the label, and v1 shows the new receipt once it is paid', async () => {
      const sale = await park(one);
      const changed = await edit(two, sale, {
        itemizations: [item(1000), item(300, { name: 'Jam' })],
        label: 'Table 5',
      });
      expect(changed.body.sale).toMatchObject({
        total_money: usd(1300),
        label: 'Table 5',
        register_id: sale['register_id'],
      });
      expect(changed.body.sale.version).not.toBe(sale['version']);
      const paid = (await tender(one, sale, cash())).body.sale;
      expect([paid.state, paid.paid_money]).toEqual(['COMPLETED', usd(1300)]);
      const v1 = await server.call('GET', `/v1/${one.device.locationId}/payments/${paid.payment_id}`, {
        token: owner.merchant.token,
      });
      expect(v1.body.itemizations.map(({ name }: { name: string }) => name)).toEqual(['Loaf', 'Jam']);
      expect(refusal(await edit(two, paid))).toEqual([400, 'BAD_REQUEST', undefined]);
    });

    it('runs once: a retry has no further effect, and another body with the same id is refused', async () => {
      const sale = await park(one);
      const id = randomUUID();
      const first = await edit(one, sale, { id, itemizations: [item(500)] });
      const again = await edit(one, sale, { id, itemizations: [item(500)] });
      expect(again.body).toEqual(first.body);
      expect(refusal(await edit(one, sale, { id, itemizations: [item(600)] }))).toEqual([409, 'CONFLICT', 'id']);
    });

    it('refuses a version that another register has changed, by an edit or by a tender', async () => {
      const sale = await park(one);
      expect((await edit(two, sale, { itemizations: [item(1200)] })).status).toBe(200);
      expect(refusal(await edit(one, sale))).toEqual([409, 'CONFLICT', 'version']);
      const [seen] = (await openAt(one)).filter(({ id }) => id === sale.id);
      expect((await tender(two, sale, cash(100))).status).toBe(200);
      expect(refusal(await edit(one, ensureDefined(seen)))).toEqual([409, 'CONFLICT', 'version']);
    });

    it('refuses a total below what is paid, and completes a sale whose tenders pay the new total', async () => {
      const shift = await openShift(one, 10_000);
      const split = await sell(one, { tenders: [cash(600)] });
      expect(refusal(await edit(one, split, { itemizations: [item(599)] }))).toEqual([409, 'CONFLICT', 'itemizations']);
      const [seen] = (await openAt(one)).filter(({ id }) => id === split.id);
      const done = (await edit(one, ensureDefined(seen), { itemizations: [item(600)] })).body.sale;
      expect(done).toMatchObject({ state: 'COMPLETED', paid_money: usd(600), remaining_money: usd(0) });
      expect(done.created_at).toBeDefined();
      const shown = (await one.call('GET', '/api/register/cash-drawer-shifts/open')).body.cash_drawer_shift;
      expect([shown.id, shown.expected_cash_money]).toEqual([shift.id, usd(10_600)]);
      const report = (await owner.call('GET', '/api/dashboard/reports/today')).body;
      expect(JSON.stringify(report)).toContain(done.id);
    });

    it('completes a sale that is free now, and keeps one open after a decline', async () => {
      const sale = await park(one);
      const free = await edit(one, sale, { discounts: [{ name: 'On us', rate: '1' }] });
      expect(free.body.sale).toMatchObject({ state: 'COMPLETED', total_money: usd(0) });
      const declined = await sell(one, { tenders: [card(1000, { source_id: DECLINED })] });
      expect(declined).toMatchObject({
        state: 'OPEN',
        tenders: [{ status: 'DECLINED' }],
        itemizations: [{ name: 'Loaf' }],
      });
      expect((await edit(one, declined, { itemizations: [item(700)] })).body.sale.total_money).toEqual(usd(700));
    });

    it.each([
      [{ version: undefined }, 'MISSING_REQUIRED_PARAMETER', 'version'],
      [{ itemizations: [] }, 'ARRAY_LENGTH_TOO_SHORT', 'itemizations'],
      [{ total_money: { amount: 1 } }, 'INVALID_VALUE', 'total_money'],
      [{ label: 'x'.repeat(61) }, 'VALUE_TOO_LONG', 'label'],
    ])('refuses %o', async (change, code, field) => {
      expect(refusal(await edit(one, await park(one), change))).toEqual([400, code, field]);
    });
  });

  describe('restricted discounts', () => {
    const discounts = [{ name: 'Friends', restricted: true, rate: '0.5' }];

    it('are approved by somebody else; an edit keeps what was approved, and asks for what is new', async () => {
      const manager = await hire(server, owner, { role: { permissions: ['REGISTER_APPLY_RESTRICTED_DISCOUNTS'] } });
      const id = randomUUID();
      const approval = await approve(one.device, manager.id, { sale_id: id, amount: 500 });
      const { sale } = (await one.write(SALES, { id, itemizations: [item(1000)], discounts, approval })).body;
      expect(sale.total_money).toEqual(usd(500));
      const kept = await edit(one, sale, { discounts, itemizations: [item(500), item(500)] });
      expect(kept.body.sale.total_money).toEqual(usd(500));
      const more = [...discounts, { name: 'Family', restricted: true, rate: '0.1' }];
      expect(refusal(await edit(one, kept.body.sale, { discounts: more }))).toEqual([403, 'FORBIDDEN', 'discounts']);
      const again = await approve(one.device, manager.id, { operation: 'editSale', sale_id: sale.id, amount: 100 });
      expect((await edit(one, kept.body.sale, { discounts: more, approval: again })).status).toBe(200);
    });
  });

  describe('two tablets', () => {
    it('that edit one open sale at once: one of them succeeds', async () => {
      for (let round = 0; round < 5; round++) {
        const sale = await park(one);
        const answers = await Promise.all([
          edit(one, sale, { itemizations: [item(1100)] }),
          edit(two, sale, { itemizations: [item(1200)] }),
        ]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
        const winner = ensureDefined(answers.find(({ status }) => status === 200)).body.sale;
        const [seen] = (await openAt(one)).filter(({ id }) => id === sale.id);
        expect(seen?.['total_money']).toEqual(winner.total_money);
      }
    });

    it('that take the last tender of one sale at once: one of them succeeds', async () => {
      for (let round = 0; round < 5; round++) {
        const sale = await park(one);
        const answers = await Promise.all([tender(one, sale, cash(1000)), tender(two, sale, card(1000))]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
        const paid = ensureDefined(answers.find(({ status }) => status === 200)).body.sale;
        expect([paid.state, paid.tenders.length]).toEqual(['COMPLETED', 1]);
      }
    });

    it('one that edits while the other takes the last tender: the books agree either way', async () => {
      for (let round = 0; round < 8; round++) {
        const sale = await park(one);
        const [edited, paid] = await Promise.all([
          edit(one, sale, { itemizations: [item(1000), item(500)] }),
          tender(two, sale, cash(1000)),
        ]);
        expect(paid.status).toBe(200);
        expect([200, 400, 409]).toContain(edited.status);
        const state = edited.status === 200 ? 'OPEN' : 'COMPLETED';
        const [seen] = (await openAt(one)).filter(({ id }) => id === sale.id);
        expect(seen?.state ?? 'COMPLETED').toBe(state);
        if (seen) expect(seen.remaining_money).toEqual(usd(500));
      }
    });
  });
});
