/** The books of a business, computed again from what its API returns. */
import { expect } from 'vitest';
import { walkV1, walkV2 } from '../support/lists.js';
import type { Json, WireFee, WirePayment, WireRefund } from '../support/payments.js';
import { moneyIn, type WireSale } from '../support/sales.js';
import { settlementsOf, type WireSettlement } from '../support/settlements.js';
import type { V1Refund } from '../support/v1-refunds.js';
import type { WholeBusiness } from './whole-business.js';

/** Offline sales of the first day may have happened before it. */
export const OLDEST_OFFLINE_MS = 72 * 3_600_000;

const sum = (numbers: readonly number[]): number => numbers.reduce((so, each) => so + each, 0);
const feesOf = ({ processing_fee = [] }: { readonly processing_fee?: readonly WireFee[] }): number =>
  sum(processing_fee.map(({ amount_money }) => amount_money.amount));

export async function readBooks({ server, owner: { merchant } }: WholeBusiness, begin_time: string) {
  const get = (path: string) => server.call('GET', path, { token: merchant.token });
  const payments: WirePayment[] = (
    await Promise.all(
      merchant.locationIds.map((location_id) =>
        walkV2({ get, path: '/v2/payments', parameters: { location_id, begin_time } }),
      ),
    )
  ).flatMap((pages) => pages.flatMap(({ body }) => body.payments ?? []));
  const refunds: WireRefund[] = (await walkV2({ get, path: '/v2/refunds', parameters: { begin_time } })).flatMap(
    ({ body }) => body.refunds ?? [],
  );
  const sales: V1Payment[] = (await walkV1({ get, path: '/v1/me/payments', parameters: { begin_time } })).flatMap(
    ({ body }) => body,
  );
  return { payments, refunds, sales, settlements: await settlementsOf(server, merchant) };
}

interface V1Payment {
  readonly id: string;
  readonly tender: readonly { readonly type: string }[];
}

/** The amount owed for cards, computed from v2 alone. */
function owedForCards(payments: readonly WirePayment[], refunds: readonly WireRefund[]): number {
  const charged = payments.filter(({ status }) => status === 'COMPLETED');
  // A payment that was cancelled by its key refunded what earlier refunds had left, so its sum is zero.
  const ids = new Set(charged.map(({ id }) => id));
  const given = refunds.filter(({ status, payment_id }) => status === 'COMPLETED' && ids.has(payment_id));
  return (
    sum(charged.map((payment) => payment.total_money.amount - feesOf(payment))) -
    sum(given.map((refund) => refund.amount_money.amount + feesOf(refund)))
  );
}

/** The amount paid out for cards, computed from v1 alone: reversals are adjustments with a payment. */
function paidForCards(settlements: readonly WireSettlement[]): number {
  const entries = settlements.flatMap(({ entries = [] }) => entries);
  const forCards = entries.filter(({ type, payment_id }) => payment_id !== undefined && type !== 'HOLD_ADJUSTMENT');
  return sum(forCards.map(({ amount_money }) => amount_money.amount));
}

export async function expectPaidInFull(business: WholeBusiness, from: string): Promise<void> {
  const { payments, refunds, sales, settlements } = await readBooks(business, from);
  expect(paidForCards(settlements)).toBe(owedForCards(payments, refunds));
  for (const { total_money, entries = [] } of settlements) {
    expect(total_money.amount).toBe(sum(entries.map(({ amount_money }) => amount_money.amount)));
  }
  const byHand = sales
    .filter(({ tender }) => tender.length > 0 && tender.every(({ type }) => type === 'CASH'))
    .map(({ id }) => id);
  const settled = new Set(settlements.flatMap(({ entries = [] }) => entries.map(({ payment_id }) => payment_id)));
  expect(byHand.length).toBeGreaterThan(0);
  expect(byHand.filter((id) => settled.has(id))).toEqual([]);
}

/** Every document adds up by itself, and lists, drawers, payouts and the report of the dashboard say the same. */
export async function expectBooksAgree(business: WholeBusiness, from: string): Promise<number> {
  const { server, owner } = business;
  await expectPaidInFull(business, from);
  const get = (path: string) => server.call('GET', path, { token: owner.merchant.token });
  const walked = async (path: string) =>
    (await walkV1({ get, path, parameters: { begin_time: from } })).flatMap(({ body }) => body);
  const sales: WireSale[] = await walked('/v1/me/payments');
  const refunds: V1Refund[] = await walked('/v1/me/refunds');
  for (const sale of sales) expectSaleAddsUp(sale);
  expectRefundsOfSales(sales, refunds);

  const shifts = (await Promise.all(owner.merchant.locationIds.map((id) => readDrawers(business, id, from)))).flat();
  for (const shift of shifts) expectDrawerAddsUp(shift);

  const range = `begin_date=${from.slice(0, 10)}&end_date=${new Date(business.now + DAY_MS).toISOString().slice(0, 10)}`;
  const report = await owner.call('GET', `/api/dashboard/reports/sales?${range}&group_by=DAY`);
  expect(report.status, report.text).toBe(200);
  const collected = sum(sales.map((sale) => moneyIn(sale, 'total_collected_money')));
  const refunded = sum(refunds.map(({ refunded_money }) => refunded_money.amount));
  expect(report.body.total).toMatchObject({
    sales_count: sales.length,
    refunds: refunded,
    collected: collected + refunded,
    tips:
      sum(sales.map((sale) => moneyIn(sale, 'tip_money'))) + sum(refunds.map((each) => each.refunded_tip_money.amount)),
  });
  return 3 * sales.length + refunds.length + 5 * shifts.length + 8;
}

const DAY_MS = 86_400_000;

function expectSaleAddsUp(sale: WireSale): void {
  const money = (name: string) => moneyIn(sale, name);
  expect(money('total_collected_money'), sale.id).toBe(sum(sale.tender.map((each) => moneyIn(each, 'total_money'))));
  expect(money('net_total_money'), sale.id).toBe(money('total_collected_money') + money('processing_fee_money'));
  const goods = money('net_sales_money') + money('additive_tax_money') + money('surcharge_money');
  expect(money('total_collected_money'), sale.id).toBe(goods + money('tip_money'));
}

/** What a sale says of its refunds is what the list of refunds says. */
function expectRefundsOfSales(sales: readonly WireSale[], refunds: readonly V1Refund[]): void {
  const saleOf = new Map(sales.flatMap((sale) => sale.tender.map(({ id }) => [id, sale.id] as const)));
  const refunded = new Map<string | undefined, number>();
  for (const { payment_id, refunded_money } of refunds) {
    const id = saleOf.get(payment_id) ?? payment_id;
    refunded.set(id, (refunded.get(id) ?? 0) + refunded_money.amount);
  }
  for (const sale of sales) expect(moneyIn(sale, 'refunded_money'), sale.id).toBe(refunded.get(sale.id) ?? 0);
}

interface Drawer {
  readonly shift: Json;
  readonly events: readonly { readonly event_type: string; readonly event_money: { readonly amount: number } }[];
}

async function readDrawers(
  { server, owner }: WholeBusiness,
  location_id: string,
  begin_time: string,
): Promise<Drawer[]> {
  const get = (path: string) => server.call('GET', path, { token: owner.merchant.token });
  const listed = await walkV2({ get, path: '/v2/cash-drawers/shifts', parameters: { location_id, begin_time } });
  const ids: string[] = listed.flatMap(({ body }) =>
    (body.cash_drawer_shifts ?? []).map(({ id }: { id: string }) => id),
  );
  return Promise.all(
    ids.map(async (id) => {
      const path = `/v2/cash-drawers/shifts/${id}`;
      const { body } = await get(`${path}?location_id=${location_id}`);
      const pages = await walkV2({ get, path: `${path}/events`, parameters: { location_id } });
      return {
        shift: body.cash_drawer_shift,
        events: pages.flatMap((page) => page.body.cash_drawer_shift_events ?? []),
      };
    }),
  );
}

/** Each sum of a shift, and the kinds of events that change it, in the direction in which they do. */
const DRAWER_SUMS: Readonly<Record<string, readonly (readonly [kind: string, sign: 1 | -1])[]>> = {
  cash_payment_money: [
    ['CASH_TENDER_PAYMENT', 1],
    ['CASH_TENDER_CANCELLED_PAYMENT', -1],
  ],
  cash_refunds_money: [['CASH_TENDER_REFUND', -1]],
  cash_paid_in_money: [['PAID_IN', 1]],
  cash_paid_out_money: [['PAID_OUT', -1]],
};

function expectDrawerAddsUp({ shift, events }: Drawer): void {
  const units = (name: string) => (shift[name] as { amount: number }).amount;
  for (const [name, kinds] of Object.entries(DRAWER_SUMS)) {
    const parts = kinds.map(([kind, sign]) =>
      sum(events.filter(({ event_type }) => event_type === kind).map(({ event_money }) => sign * event_money.amount)),
    );
    expect(units(name), `${name} of ${shift['id']}`).toBe(sum(parts));
  }
  const moved = Object.keys(DRAWER_SUMS).map(units);
  expect(units('expected_cash_money'), `${shift['id']}`).toBe(units('opened_cash_money') + sum(moved));
}
