import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../base/errors.js';
import { amount, ZERO } from '../../base/money.js';
import { instant } from '../../base/time.js';
import {
  contributions,
  nextState,
  SHIFT_EVENT_KINDS,
  SHIFT_TRANSITIONS,
  type Shift,
  type ShiftAction,
  type ShiftEvent,
  type ShiftEventKind,
  type ShiftState,
} from './model.js';
import { toV1Shift } from './v1.view.js';
import { toShift, toShiftEvent } from './v2.view.js';

/** The table of contract 23, written independently of the model: the next state, or a part of the refusal's detail. */
const TABLE: Record<ShiftState, Record<ShiftAction, ShiftState | RegExp>> = {
  OPEN: { RECORD: 'OPEN', END: 'ENDED', CLOSE: /still open/ },
  ENDED: { RECORD: /has ended/, END: /has ended already/, CLOSE: 'CLOSED' },
  CLOSED: { RECORD: /is closed/, END: /is closed/, CLOSE: /closed already/ },
};

const cells = Object.entries(TABLE).flatMap(([state, row]) =>
  Object.entries(row).map(([action, next]) => ({ state: state as ShiftState, action: action as ShiftAction, next })),
);

describe('the state table of cash drawer shifts', () => {
  it('has three states, three actions, and no other cell', () => {
    expect(Object.keys(SHIFT_TRANSITIONS)).toEqual(['OPEN', 'ENDED', 'CLOSED']);
    for (const row of Object.values(SHIFT_TRANSITIONS)) {
      expect(Object.keys(row).sort()).toEqual(['CLOSE', 'END', 'RECORD']);
    }
    expect(cells).toHaveLength(9);
  });

  it.each(cells)('$state + $action -> $next', ({ state, action, next }) => {
    if (!(next instanceof RegExp)) {
      expect(nextState(state, action)).toBe(next);
      return;
    }
    expect(() => nextState(state, action)).toThrow(Refusal);
    expect(() => nextState(state, action)).toThrow(expect.objectContaining({ reason: 'WRONG_STATE' }));
    expect(() => nextState(state, action)).toThrow(next);
  });
});

/** Effects of an event by contract 23: what an amount of 1 adds to each sum, and to the cash in the drawer. */
const EFFECTS: Record<ShiftEventKind, { sums: readonly [number, number, number, number]; cash: -1 | 0 | 1 }> = {
  NO_SALE: { sums: [0, 0, 0, 0], cash: 0 },
  CASH_TENDER_PAYMENT: { sums: [1, 0, 0, 0], cash: 1 },
  OTHER_TENDER_PAYMENT: { sums: [0, 0, 0, 0], cash: 0 },
  CASH_TENDER_CANCELLED_PAYMENT: { sums: [-1, 0, 0, 0], cash: -1 },
  OTHER_TENDER_CANCELLED_PAYMENT: { sums: [0, 0, 0, 0], cash: 0 },
  CASH_TENDER_REFUND: { sums: [0, 1, 0, 0], cash: -1 },
  OTHER_TENDER_REFUND: { sums: [0, 0, 0, 0], cash: 0 },
  PAID_IN: { sums: [0, 0, 1, 0], cash: 1 },
  PAID_OUT: { sums: [0, 0, 0, 1], cash: -1 },
};

describe('contributions', () => {
  it('supports the nine kinds', () => {
    expect([...SHIFT_EVENT_KINDS].sort()).toEqual(Object.keys(EFFECTS).sort());
  });

  it.each(Object.entries(EFFECTS))('of %s', (kind, { sums: [payments, refunds, paidIn, paidOut] }) => {
    expect(contributions({ kind: kind as ShiftEventKind, amount: amount(725) })).toEqual({
      cashPayments: payments * 725,
      cashRefunds: refunds * 725,
      cashPaidIn: paidIn * 725,
      cashPaidOut: paidOut * 725,
    });
  });
});

const event = fc
  .record({ kind: fc.constantFrom(...SHIFT_EVENT_KINDS), amount: fc.integer({ min: 0, max: 99_999_999 }) })
  // Contract 23: the amount is zero if no cash moves.
  .map((given) => ({ kind: given.kind, amount: EFFECTS[given.kind].cash === 0 ? ZERO : amount(given.amount) }));

const openedCash = fc.integer({ min: 0, max: 99_999_999 }).map(amount);

/** A shift as the table stores it: running sums, and the expected cash that a generated column computes from them. */
function runShift(opened: number, events: readonly Pick<ShiftEvent, 'kind' | 'amount'>[]): Shift {
  const sums = { cashPayments: 0, cashRefunds: 0, cashPaidIn: 0, cashPaidOut: 0 };
  for (const each of events) {
    const added = contributions(each);
    sums.cashPayments += added.cashPayments;
    sums.cashRefunds += added.cashRefunds;
    sums.cashPaidIn += added.cashPaidIn;
    sums.cashPaidOut += added.cashPaidOut;
  }
  return {
    id: 'shift',
    locationId: 'place',
    device: { id: 'device', name: 'Till' },
    state: 'OPEN',
    description: null,
    openedAt: instant(0),
    endedAt: null,
    closedAt: null,
    employeeIds: ['employee'],
    openingEmployeeId: 'employee',
    endingEmployeeId: null,
    closingEmployeeId: null,
    currency: 'USD',
    openedCash: amount(opened),
    cashPayments: amount(sums.cashPayments),
    cashRefunds: amount(sums.cashRefunds),
    cashPaidIn: amount(sums.cashPaidIn),
    cashPaidOut: amount(sums.cashPaidOut),
    expectedCash: amount(opened + sums.cashPayments - sums.cashRefunds + sums.cashPaidIn - sums.cashPaidOut),
    closedCash: null,
    closingNote: null,
  };
}

describe('expected cash', () => {
  it('is the opening cash plus cash in minus cash out, for any events of all nine kinds', () => {
    fc.assert(
      fc.property(openedCash, fc.array(event, { maxLength: 60 }), (opened, events) => {
        const moved = events.reduce((sum, { kind, amount: value }) => sum + value * EFFECTS[kind].cash, 0);
        expect(runShift(opened, events).expectedCash).toBe(opened + moved);
      }),
      { numRuns: 300 },
    );
  });

  it('is the sum of the signed amounts that v1 shows, both of the totals and of the events (contract 23)', () => {
    fc.assert(
      fc.property(openedCash, fc.array(event, { maxLength: 60 }), (opened, events) => {
        const full = events.map((each, index) => ({
          ...each,
          id: `event${index}`,
          employeeId: 'employee',
          description: null,
          createdAt: instant(index),
        }));
        const shown = toV1Shift(runShift(opened, events), full);
        const sums = [
          shown.starting_cash_money,
          shown.cash_payment_money,
          shown.cash_refunds_money,
          shown.cash_paid_in_money,
          shown.cash_paid_out_money,
        ];
        expect(sums.reduce((sum, money) => sum + money.amount, 0)).toBe(shown.expected_cash_money.amount);
        const ofEvents = (shown.events ?? []).reduce((sum, { event_money }) => sum + event_money.amount, 0);
        expect(opened + ofEvents).toBe(shown.expected_cash_money.amount);
        expect(shown.cash_refunds_money.amount).toBeLessThanOrEqual(0);
        expect(shown.cash_paid_out_money.amount).toBeLessThanOrEqual(0);
        expect(shown.cash_paid_in_money.amount).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 300 },
    );
  });

  it('is the sum of the signed amounts that v2 shows, and no v2 event is negative (contract 23)', () => {
    fc.assert(
      fc.property(openedCash, fc.array(event, { maxLength: 60 }), (opened, events) => {
        const shown = toShift(runShift(opened, events));
        expect(shown.expected_cash_money.amount).toBe(
          shown.opened_cash_money.amount +
            shown.cash_payment_money.amount +
            shown.cash_refunds_money.amount +
            shown.cash_paid_in_money.amount +
            shown.cash_paid_out_money.amount,
        );
        expect(shown.cash_refunds_money.amount).toBeLessThanOrEqual(0);
        expect(shown.cash_paid_out_money.amount).toBeLessThanOrEqual(0);
        for (const each of events) {
          const stored = { ...each, id: 'e', employeeId: 'e', description: null, createdAt: instant(0) };
          expect(toShiftEvent(stored, 'USD').event_money).toEqual({ amount: each.amount, currency: 'USD' });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('equals the opening cash if there are no events, and no view shows a negative zero', () => {
    for (const shown of [toV1Shift(runShift(0, []), []), toShift(runShift(0, []))]) {
      expect(Object.is(shown.cash_refunds_money.amount, 0)).toBe(true);
      expect(Object.is(shown.cash_paid_out_money.amount, 0)).toBe(true);
      expect(shown.expected_cash_money.amount).toBe(0);
    }
  });
});
