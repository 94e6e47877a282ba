/** Defines cash drawer shifts: their states, their events, and the cash that they should contain. */
import { Refusal } from '../../base/errors.js';
import { type Amount, add, negate, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';

export const SHIFT_STATES = ['OPEN', 'ENDED', 'CLOSED'] as const;
export type ShiftState = (typeof SHIFT_STATES)[number];
export type ShiftAction = 'RECORD' | 'END' | 'CLOSE';

/** In state ENDED the cash is not counted yet; in state CLOSED it is. */
export const SHIFT_TRANSITIONS: Readonly<
  Record<ShiftState, Readonly<Record<ShiftAction, ShiftState | { readonly refused: string }>>>
> = {
  OPEN: { RECORD: 'OPEN', END: 'ENDED', CLOSE: { refused: 'The shift is still open; end it first.' } },
  ENDED: {
    RECORD: { refused: 'The shift has ended.' },
    END: { refused: 'The shift has ended already.' },
    CLOSE: 'CLOSED',
  },
  CLOSED: {
    RECORD: { refused: 'The shift is closed.' },
    END: { refused: 'The shift is closed.' },
    CLOSE: { refused: 'The shift is closed already.' },
  },
};

/** Returns the state after an action. Throws a refusal if the state does not permit the action. */
export function nextState(state: ShiftState, action: ShiftAction): ShiftState {
  const next = SHIFT_TRANSITIONS[state][action];
  if (typeof next === 'object') throw new Refusal('WRONG_STATE', { detail: next.refused });
  return next;
}

/** Running sums of a shift. Money that leaves the drawer counts as positive in its sum. */
export type ShiftSum = 'cashPayments' | 'cashRefunds' | 'cashPaidIn' | 'cashPaidOut';

interface EventRule {
  /** The sum to which the amount is added, times `sign`. Absent if no cash moves; the amount is then zero. */
  readonly sum?: ShiftSum;
  readonly sign?: 1 | -1;
  /** The sign that v1 shows: +1 if cash enters the drawer, -1 if it leaves. */
  readonly direction: 1 | -1 | 0;
}

export const EVENT_RULES = {
  NO_SALE: { direction: 0 },
  CASH_TENDER_PAYMENT: { sum: 'cashPayments', sign: 1, direction: 1 },
  OTHER_TENDER_PAYMENT: { direction: 0 },
  CASH_TENDER_CANCELLED_PAYMENT: { sum: 'cashPayments', sign: -1, direction: -1 },
  OTHER_TENDER_CANCELLED_PAYMENT: { direction: 0 },
  CASH_TENDER_REFUND: { sum: 'cashRefunds', sign: 1, direction: -1 },
  OTHER_TENDER_REFUND: { direction: 0 },
  PAID_IN: { sum: 'cashPaidIn', sign: 1, direction: 1 },
  PAID_OUT: { sum: 'cashPaidOut', sign: 1, direction: -1 },
} as const satisfies Record<string, EventRule>;

export type ShiftEventKind = keyof typeof EVENT_RULES;
export const SHIFT_EVENT_KINDS = Object.keys(EVENT_RULES) as ShiftEventKind[];

/**
 * The clock of a register is known only to within the time of a request: a sale right after the opening may seem to come before it.
 * A sale of the previous shift cannot be that close to the opening, because the cash is counted in between.
 */
export const CLOCK_ERROR_MS = 10_000;

export interface ShiftEvent {
  readonly id: string;
  readonly employeeId: string;
  readonly kind: ShiftEventKind;
  /** Never negative: the kind determines the direction. */
  readonly amount: Amount;
  readonly description: string | null;
  readonly createdAt: Instant;
}

/** A drawer event of a sale. */
export interface TenderEvent {
  readonly kind: ShiftEventKind;
  readonly amount: Amount;
  /** The payment or refund. */
  readonly subjectId: string;
}

/** A tender that is returned before its sale is complete. */
export interface ReturnedTender {
  /** The shift in which the tender was taken. */
  readonly takenIn: string | null;
  readonly canceled: TenderEvent;
  readonly refunded: TenderEvent | undefined;
}

/** The amounts that an event adds to each sum. */
export function contributions({ kind, amount }: Pick<ShiftEvent, 'kind' | 'amount'>): Record<ShiftSum, Amount> {
  const rule: EventRule = EVENT_RULES[kind];
  const sums = { cashPayments: ZERO, cashRefunds: ZERO, cashPaidIn: ZERO, cashPaidOut: ZERO };
  if (rule.sum) sums[rule.sum] = rule.sign === -1 ? negate(amount) : amount;
  return sums;
}

export interface Shift {
  readonly id: string;
  readonly locationId: string;
  readonly device: { readonly id: string; readonly name: string };
  readonly state: ShiftState;
  readonly description: string | null;
  readonly openedAt: Instant;
  readonly endedAt: Instant | null;
  readonly closedAt: Instant | null;
  readonly employeeIds: readonly string[];
  readonly openingEmployeeId: string;
  readonly endingEmployeeId: string | null;
  readonly closingEmployeeId: string | null;
  readonly currency: string;
  readonly openedCash: Amount;
  readonly cashPayments: Amount;
  readonly cashRefunds: Amount;
  readonly cashPaidIn: Amount;
  readonly cashPaidOut: Amount;
  readonly expectedCash: Amount;
  readonly closedCash: Amount | null;
  /** What whoever counted wrote about it. */
  readonly closingNote: string | null;
}

/** What should be in the drawer. The database computes the same for reports. */
export function expectedCash(shift: Pick<Shift, 'openedCash' | ShiftSum>): Amount {
  return subtract(
    add(shift.openedCash, shift.cashPayments, shift.cashPaidIn),
    add(shift.cashRefunds, shift.cashPaidOut),
  );
}

/** The cash that was counted at the end. */
export interface Count {
  readonly cash: Amount;
  readonly note: string | null;
}

/** The participants with one more employee, without duplicates. */
function withEmployee(employeeIds: readonly string[], employeeId: string): readonly string[] {
  return employeeIds.includes(employeeId) ? employeeIds : [...employeeIds, employeeId];
}

/** The shift after an event. */
export function withEvent(shift: Shift, event: Pick<ShiftEvent, 'kind' | 'amount' | 'employeeId'>): Shift {
  const added = contributions(event);
  const cash = {
    cashPayments: add(shift.cashPayments, added.cashPayments),
    cashRefunds: add(shift.cashRefunds, added.cashRefunds),
    cashPaidIn: add(shift.cashPaidIn, added.cashPaidIn),
    cashPaidOut: add(shift.cashPaidOut, added.cashPaidOut),
  };
  return {
    ...shift,
    ...cash,
    expectedCash: expectedCash({ ...shift, ...cash }),
    employeeIds: withEmployee(shift.employeeIds, event.employeeId),
  };
}

interface ShiftMove {
  readonly employeeId: string;
  readonly at: Instant;
}

/** Throws a refusal if the state does not permit it. */
export function toEnded(shift: Shift, { employeeId, at }: ShiftMove): Shift {
  const employeeIds = withEmployee(shift.employeeIds, employeeId);
  return { ...shift, state: nextState(shift.state, 'END'), endedAt: at, endingEmployeeId: employeeId, employeeIds };
}

/** Throws a refusal if the state does not permit it. */
export function toClosed(shift: Shift, { employeeId, at }: ShiftMove, { cash, note }: Count): Shift {
  const state = nextState(shift.state, 'CLOSE');
  const employeeIds = withEmployee(shift.employeeIds, employeeId);
  const count = { closedCash: cash, closingNote: note };
  return { ...shift, state, closedAt: at, closingEmployeeId: employeeId, ...count, employeeIds };
}
