/**
 * v1 shows what registers do: sales, tenders, cancellations and late batches at once, and given-up sales balanced
 * (decisions 0055, 0058).
 */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestOwner } from '../../support/dashboard.js';
import { idsOf, walkV1 } from '../../support/lists.js';
import { advance, cancelByKey, expectBooksInOrder, pay } from '../../support/payments.js';
import {
  closeShift,
  endShift,
  ensureDefined,
  openBusiness,
  openRegister,
  openShift,
  type Register,
} from '../../support/people.js';
import { backdateSignIns, keep, sendLate, sendQueue } from '../../support/queue.js';
import { card, cash, item, SALES, sell } from '../../support/register-sales.js';
import type { WireSale } from '../../support/sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';
import { listV1 } from '../../support/v1-refunds.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

describe('sales at a register in v1', () => {
  const NOW = '2020-02-26T10:00:00.500Z';

  interface Shop {
    readonly owner: TestOwner;
    readonly register: Register;
    get(path: string): ReturnType<TestServer['call']>;
    list(query?: string): Promise<WireSale[]>;
  }

  async function openShop(): Promise<Shop> {
    const { owner, register } = await openBusiness(server, { clock: { now: NOW, frozen: true } });
    const get = (path: string) => server.call('GET', path, { token: owner.merchant.token });
    return { owner, register, get, list: async (query = '') => (await get(`/v1/me/payments${query}`)).body };
  }

  const v1 = (amount: number) => ({ amount, currency_code: 'USD' });

  describe('a sale at a register', () => {
    it('is a v1 payment immediately, with the amounts of the register, and its card is a v2 payment', async () => {
      const { register, get, list } = await openShop();
      const sold = await sell(register, {
        itemizations: [item(500, { quantity: '2', modifiers: [{ name: 'Butter', price_money: { amount: 50 } }] })],
        discounts: [{ name: 'Morning', amount_money: { amount: 100 } }],
        taxes: [{ name: 'Sales tax', rate: '0.09' }],
        tenders: [card(590, { tip_money: { amount: 60 } }), cash(undefined, { tendered_money: { amount: 1000 } })],
      });
      const [sale, ...others] = await list();
      expect(others).toEqual([]);
      expect(sale).toMatchObject({
        ...{ id: sold.payment_id, device: { id: register.device.id, name: register.device.name }, is_partial: false },
        ...{ gross_sales_money: v1(1100), discount_money: v1(-100), additive_tax_money: v1(90), tip_money: v1(60) },
        ...{ total_collected_money: v1(1150), processing_fee_money: v1(-27), net_total_money: v1(1123) },
        itemizations: [{ quantity: '2.00000000', modifiers: [{ name: 'Butter', applied_money: v1(100) }] }],
        tender: [
          { type: 'CREDIT_CARD', entry_method: 'SWIPED', employee_id: register.employeeId, total_money: v1(650) },
          { type: 'CASH', total_money: v1(500), tendered_money: v1(1000), change_back_money: v1(500) },
        ],
      });
      const [paid] = sold.tenders;
      expect((await get(`/v2/payments/${paid?.id}`)).body.payment.total_money.amount).toBe(650);
      expect((await get(`/v1/me/payments/${paid?.id}`)).body).toEqual(sale);
    });

    it('excludes included taxes from gross and net sales, and includes them in its totals (decision 0054)', async () => {
      const { register, list } = await openShop();
      const vat = { name: 'VAT', rate: '0.085', inclusion_type: 'INCLUSIVE' };
      await sell(register, {
        itemizations: [item(500)],
        taxes: [vat],
        tenders: [card(500, { tip_money: { amount: 50 } })],
      });
      const [sale] = await list();
      const sums = { gross_sales_money: v1(461), discount_money: v1(0), net_sales_money: v1(461) };
      expect(sale).toMatchObject({
        ...{ ...sums, inclusive_tax_money: v1(39), additive_tax_money: v1(0), tax_money: v1(39) },
        ...{ tip_money: v1(50), total_collected_money: v1(550), additive_tax: [] },
        inclusive_tax: [{ name: 'VAT', rate: '0.08500000', inclusion_type: 'INCLUSIVE', applied_money: v1(39) }],
        itemizations: [{ ...sums, single_quantity_money: v1(500), total_money: v1(500) }],
      });
    });

    it('has the ids that it was sent with, and stable generated ids if it was sent without', async () => {
      const { register, list } = await openShop();
      const lines = {
        itemizations: [
          item(500, { modifiers: [{ name: 'Butter', price_money: { amount: 50 } }], notes: '' }),
          item(500, {
            ...{ item_variation_name: 'Rye', item_detail: { item_id: 'I', item_variation_id: 'V' }, notes: 'sliced' },
            modifiers: [{ name: 'Butter', price_money: { amount: 50 }, modifier_option_id: 'M' }],
            discounts: [{ name: 'Own', rate: '0.1', discount_id: 'D' }],
            taxes: [{ name: 'Own', rate: '0.1', fee_id: 'F' }],
          }),
          { name: 'Amount', single_quantity_money: { amount: 100 }, itemization_type: 'CUSTOM_AMOUNT' },
        ],
        discounts: [{ name: 'Morning', rate: '0.1' }],
        taxes: [{ name: 'Sales tax', rate: '0.09' }],
        tenders: [cash(undefined)],
      };
      const ids = (sale: WireSale | undefined) =>
        (sale?.itemizations ?? []).map(({ item_detail, item_variation_name, notes, taxes, discounts, modifiers }) => ({
          ...{ item_detail, item_variation_name, notes },
          taxes: (taxes as Record<string, unknown>[]).map(({ fee_id }) => fee_id),
          discounts: (discounts as Record<string, unknown>[]).map(({ discount_id }) => discount_id),
          modifiers: (modifiers as Record<string, unknown>[]).map(({ modifier_option_id }) => modifier_option_id),
        }));
      for (let sold = 0; sold < 2; sold++) await sell(register, lines);
      const [first, second] = await list();
      expect(ids(second)).toEqual(ids(first));
      const made = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const detail = { category_name: '', sku: '' };
      expect(ids(first)).toEqual([
        {
          item_detail: { ...detail, item_id: made, item_variation_id: made },
          ...{ item_variation_name: 'Regular', notes: undefined, taxes: [made], discounts: [made], modifiers: [made] },
        },
        {
          item_detail: { ...detail, item_id: 'I', item_variation_id: 'V' },
          ...{
            item_variation_name: 'Rye',
            notes: 'sliced',
            taxes: ['F', made],
            discounts: ['D', made],
            modifiers: ['M'],
          },
        },
        {
          ...{ item_detail: detail, item_variation_name: undefined, notes: undefined },
          ...{ taxes: [made], discounts: [made], modifiers: [] },
        },
      ]);
      const all = ids(first).flatMap(({ taxes, discounts, modifiers }) => [...taxes, ...discounts, ...modifiers]);
      expect(new Set(all).size).toBe(6); // tax, discount and modifier, sent and generated; one of each kind for the whole sale
      const elsewhere = await openShop();
      await sell(elsewhere.register, lines);
      const [foreign] = await elsewhere.list();
      expect(ids(foreign)[0]).not.toEqual(ids(first)[0]);
    });

    it('has a tip for each card, also a tip of zero', async () => {
      const { register, list } = await openShop();
      const tenders = [card(300, { tip_money: { amount: 60 } }), card(300), cash(undefined)];
      await sell(register, { itemizations: [item(1000)], tenders });
      const [sale] = await list();
      expect(sale?.tender.map(({ tip_money }) => tip_money)).toEqual([v1(60), v1(0), undefined]);
    });

    it('is partial until its last tender, and then takes the time of that tender (decision 0037)', async () => {
      const { owner, register, get, list } = await openShop();
      const { id: saleId, payment_id: id } = await sell(register, {
        itemizations: [item(1000)],
        tenders: [cash(400)],
      });
      expect(await list()).toEqual([]);
      const [partial] = await list('?include_partial=true');
      expect(partial).toMatchObject({ id, is_partial: true, itemizations: [], total_collected_money: v1(400) });
      expect(partial?.created_at).toBe('2020-02-26T10:00:00Z');

      await advance(server, owner.merchant, 'PT5M');
      expect((await register.call('POST', `/api/register/sales/${saleId}/tenders`, { body: card(600) })).status).toBe(
        200,
      );
      const [whole] = await list();
      expect(whole).toMatchObject({ id, is_partial: false, total_collected_money: v1(1000), itemizations: [{}] });
      expect(whole?.created_at).toBe('2020-02-26T10:05:00Z');
      expect((await get(`/v1/me/payments/${id}`)).body).toEqual(whole);
    });

    it('that was cancelled stays partial; one without a tender is never listed', async () => {
      const { register, get, list } = await openShop();
      const partlyPaid = await sell(register, { itemizations: [item(1000)], tenders: [card(400)] });
      const empty = await sell(register, { itemizations: [item(1000)], tenders: [] });
      for (const { id } of [partlyPaid, empty]) {
        expect((await register.write(`/api/register/sales/${id}/cancel`)).status).toBe(200);
      }
      expect(await list()).toEqual([]);
      expect(await list('?include_partial=true')).toMatchObject([{ id: partlyPaid.payment_id, is_partial: true }]);
      expect((await get(`/v1/me/payments/${empty.id}`)).status).toBe(404);
    });
  });

  describe('a late batch', () => {
    const minutesAgo = (count: number) => new Date(Date.parse(NOW) - count * 60_000).toISOString();
    const sendLate = async (register: Register, minutes: readonly number[]): Promise<string[]> => {
      const body = { itemizations: [item(100)], tenders: [cash()] };
      const writes = minutes.map((count) => keep(register, 'ringUpSale', { occurred_at: minutesAgo(count), body }));
      const { body: answer, text } = await sendQueue(register, NOW, writes);
      type Result = { response?: { sale: { payment_id: string } } };
      return answer.results.map(({ response }: Result) => response?.sale.payment_id ?? text);
    };

    it('appears at its own times, between payments that were already listed (contract 4.2 rule 7)', async () => {
      const { register, list } = await openShop();
      const [older = '', newer = ''] = await sendLate(register, [120, 60]);
      expect(idsOf(await list())).toEqual([older, newer]);
      const [between = ''] = await sendLate(register, [90]);
      expect(idsOf(await list())).toEqual([older, between, newer]);
    });

    it('neither hides a payment from a reader between pages nor shows one twice', async () => {
      const { register, get } = await openShop();
      const before = await sendLate(register, [70, 60, 50, 40, 30, 20, 10]);
      for (const order of ['ASC', 'DESC']) {
        const whileSelling = async (path: string) => {
          const answer = await get(path);
          await sendLate(register, [80, 45, 5]);
          return answer;
        };
        const parameters = { limit: '2', order };
        const pages = await walkV1({ get: whileSelling, path: '/v1/me/payments', parameters });
        const seen = pages.flatMap(({ body }) => idsOf(body));
        expect(new Set(seen).size).toBe(seen.length);
        expect(before.filter((id) => !seen.includes(id))).toEqual([]);
      }
    });
  });
});

describe('sales that were given up', () => {
  const CLOCK = { clock: { now: '2020-02-26T10:00:00Z', frozen: true } };

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
      expect(await listsOf(owner)).toEqual({ payments: [], refunds: [] });
      expect((await giveUp(register, sale)).status).toBe(200);
      await advance(server, owner.merchant, 'PT10S');
      expect(await listsOf(owner)).toEqual({ payments: [], refunds: [] });
      const { payments, refunds } = await listsOf(owner, true);
      expect(payments).toMatchObject([{ id: sale.id, is_partial: true, refunded_money: { amount: -550 } }]);
      expect(refunds.map(({ refunded_money }) => refunded_money.amount).sort()).toEqual([-100, -400, -50]);
      expect(refunds).toEqual(expect.arrayContaining([...ensureDefined(payments[0]).refunds]));
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

    /** A shift as v1 and v2 show it. Both must agree. */
    async function shown({ merchant }: TestOwner, shiftId: string): Promise<Shown> {
      const get = async (path: string) => (await server.call('GET', path, { token: merchant.token })).body;
      const v1 = await get(`/v1/${merchant.locationIds[0]}/cash-drawer-shifts/${shiftId}`);
      const { cash_drawer_shift: v2 } = await get(`/v2/cash-drawers/shifts/${shiftId}`);
      const { events = [] } = await get(`/v2/cash-drawers/shifts/${shiftId}/events`);
      type Event = { event_type: string; event_money: { amount: number } };
      const sums = (of: typeof v2) =>
        [of.cash_payment_money, of.cash_refunds_money, of.expected_cash_money].map(({ amount }) => amount);
      expect(sums(v1)).toEqual(sums(v2));
      expect(v1.events.map(({ event_type }: Event) => event_type.replace('CANCELED', 'CANCELLED'))).toEqual(
        events.map(({ event_type }: Event) => event_type),
      );
      return {
        payments: v2.cash_payment_money.amount,
        refunds: 0 - v2.cash_refunds_money.amount,
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
      const now = await advance(server, owner.merchant, 'PT1H');
      const { id } = await openShift(register);
      await backdateSignIns(server, register.employeeId, 86_400_000);
      const write = { occurred_at: CLOCK.clock.now, body: { sale_id: other.id } };
      expect((await sendLate(register, now, 'cancelSale', write)).status).toBe('ACCEPTED');
      expect(await shown(owner, id)).toEqual({ payments: 0, refunds: 0, expected: 10_000, events: [] });
    });
  });
});
