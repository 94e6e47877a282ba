/** The drawer invariant, through real SQL: sums and expected cash always equal the total of the events. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount } from '../../src/base/money.js';
import { instant } from '../../src/base/time.js';
import { openShift, recordDrawerEvent } from '../../src/business/cash-drawers/actions.js';
import type { ShiftEventKind } from '../../src/business/cash-drawers/model.js';
import { drawerContext } from '../support/drawers.js';
import { mainLocation } from '../support/people.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
});
afterAll(() => server.stop());

/** Whether cash comes in (+1), goes out (-1), or stays (contract 23). */
const DIRECTIONS: Record<ShiftEventKind, -1 | 0 | 1> = {
  NO_SALE: 0,
  CASH_TENDER_PAYMENT: 1,
  OTHER_TENDER_PAYMENT: 0,
  CASH_TENDER_CANCELLED_PAYMENT: -1,
  OTHER_TENDER_CANCELLED_PAYMENT: 0,
  CASH_TENDER_REFUND: -1,
  OTHER_TENDER_REFUND: 0,
  PAID_IN: 1,
  PAID_OUT: -1,
};

const kinds = Object.keys(DIRECTIONS) as ShiftEventKind[];
type Event = readonly [ShiftEventKind, number];

const event = fc
  .tuple(fc.constantFrom(...kinds), fc.integer({ min: 0, max: 99_999_999_999 }))
  .map(([kind, value]): Event => [kind, DIRECTIONS[kind] === 0 ? 0 : value]);

/** A drawer cancels only cash that it has taken (decision 58). */
function possible(events: readonly Event[]): Event[] {
  let paid = 0;
  return events.filter(([kind, value]) => {
    const change = kind === 'CASH_TENDER_PAYMENT' ? value : kind === 'CASH_TENDER_CANCELLED_PAYMENT' ? -value : 0;
    if (paid + change < 0) return false;
    paid += change;
    return true;
  });
}

const total = (events: readonly Event[], ...of: ShiftEventKind[]): number =>
  events.reduce((sum, [kind, value]) => sum + (of.includes(kind) ? value : 0), 0);

interface ShownEvent {
  readonly event_type: string;
  readonly event_money: { readonly amount: number };
}

const sumOf = (events: readonly ShownEvent[], of: (kind: string) => number): number =>
  events.reduce((sum, { event_type, event_money }) => sum + event_money.amount * of(event_type), 0);

const get = async (path: string) => (await server.call('GET', path, { token: merchant.token })).body;

describe('expected cash in the database', () => {
  it('equals the total of the events after each event, in the row, in v1 and in v2 (contract 23)', async () => {
    const opened = fc.integer({ min: 0, max: 99_999_999_999 });
    await fc.assert(
      fc.asyncProperty(
        opened,
        fc.array(event, { minLength: 1, maxLength: 20 }).map(possible),
        async (openedCash, events) => {
          const now = Date.now();
          const act = drawerContext(merchant, {}, instant(now));
          const description = null;
          const { id } = await server.database.change(merchant.id, async (change) =>
            openShift(change, act, { openedCash: amount(openedCash), description }),
          );
          for (const [index, [kind, value]] of events.entries()) {
            const event = { shiftId: id, kind, amount: amount(value), description };
            const shift = await server.database.change(merchant.id, (change) => recordDrawerEvent(change, act, event));
            const soFar = events.slice(0, index + 1);
            expect(shift).toMatchObject({
              cashPayments: total(soFar, 'CASH_TENDER_PAYMENT') - total(soFar, 'CASH_TENDER_CANCELLED_PAYMENT'),
              cashRefunds: total(soFar, 'CASH_TENDER_REFUND'),
              cashPaidIn: total(soFar, 'PAID_IN'),
              cashPaidOut: total(soFar, 'PAID_OUT'),
              expectedCash: openedCash + soFar.reduce((sum, [each, cash]) => sum + cash * DIRECTIONS[each], 0),
            });
          }

          const one = await get(`/v1/${mainLocation(merchant)}/cash-drawer-shifts/${id}`);
          expect(one.events.map((each: ShownEvent) => each.event_type)).toEqual(
            events.map(([kind]) => kind.replace('CANCELLED', 'CANCELED')),
          );
          // v1: all amounts are signed, so add them.
          expect(one.expected_cash_money.amount).toBe(openedCash + sumOf(one.events, () => 1));
          expect(one.expected_cash_money.amount).toBe(
            [
              one.starting_cash_money,
              one.cash_payment_money,
              one.cash_refunds_money,
              one.cash_paid_in_money,
              one.cash_paid_out_money,
            ].reduce((sum, money) => sum + money.amount, 0),
          );

          // v2: no amount is signed; the type gives the direction.
          const two = (await get(`/v2/cash-drawers/shifts/${id}`)).cash_drawer_shift;
          const shown: ShownEvent[] = (await get(`/v2/cash-drawers/shifts/${id}/events`)).events;
          expect(shown.map(({ event_type, event_money }) => [event_type, event_money.amount])).toEqual(events);
          expect(two.expected_cash_money.amount).toBe(
            openedCash + sumOf(shown, (kind) => DIRECTIONS[kind as ShiftEventKind]),
          );
          expect(two.expected_cash_money.amount).toBe(
            two.opened_cash_money.amount +
              two.cash_payment_money.amount -
              two.cash_refunds_money.amount +
              two.cash_paid_in_money.amount -
              two.cash_paid_out_money.amount,
          );
        },
      ),
      { numRuns: 25 },
    );
  });

  it('cannot be written directly: the database generates the column from the sums', async () => {
    const { sql } = server.database;
    await expect(
      sql`update cash_drawer_shifts set expected_cash = 1 where merchant_id = ${merchant.id}`,
    ).rejects.toThrow(/can only be updated to DEFAULT/);
    const [row] = await sql<{ wrong: number; shifts: number }[]>`
      select
        count(*) filter (where s.expected_cash <> s.opened_cash + coalesce(e.moved, 0))::int as wrong,
        count(*)::int as shifts
      from cash_drawer_shifts s
      left join lateral (
        select sum(case
          when kind in ('CASH_TENDER_PAYMENT', 'PAID_IN') then amount
          when kind in ('CASH_TENDER_CANCELLED_PAYMENT', 'CASH_TENDER_REFUND', 'PAID_OUT') then -amount
          else 0
        end) as moved
        from cash_drawer_events
        where merchant_id = s.merchant_id and shift_id = s.shift_id
      ) e on true
      where s.merchant_id = ${merchant.id}`;
    expect(row).toEqual({ wrong: 0, shifts: expect.any(Number) });
    expect(row?.shifts).toBeGreaterThanOrEqual(25);
  });
});
