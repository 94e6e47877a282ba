/** What a cash drawer shift is, what happens in it, and what cash it should hold. */
import { Refusal } from '../../base/errors.js';
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';

export const SHIFT_STATES = ['OPEN', 'ENDED', 'CLOSED'] as const;
export type ShiftState = (typeof SHIFT_STATES)[number];
export type ShiftAction = 'RECORD' | 'END' | 'CLOSE';

/** OPEN runs; ENDED has stopped, not yet counted; CLOSED is counted. */
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

/** The state that an action leads to, or a refusal. */
export function nextState(state: ShiftState, action: ShiftAction): ShiftState {
  const next = SHIFT_TRANSITIONS[state][action];
  if (typeof next === 'object') throw new Refusal('WRONG_STATE', { detail: next.refused });
  return next;
}

/** The sums that a shift keeps; none of them is negative by its nature. */
export type ShiftSum = 'cashPayments' | 'cashRefunds' | 'cashPaidIn' | 'cashPaidOut';

interface EventRule {
  /** Which sum the amount goes into, and with which sign; none: no cash moves, and the amount is zero. */
  readonly sum?: ShiftSum;
  readonly sign?: 1 | -1;
  /** Whether cash comes into the drawer (+1) or leaves it (-1): the sign that v1 shows. */
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

export interface ShiftEvent {
  readonly id: string;
  readonly employeeId: string;
  readonly kind: ShiftEventKind;
  /** Never negative: the kind tells the direction. */
  readonly amount: Amount;
  readonly description: string | null;
  readonly createdAt: Instant;
}

/** What an event adds to each sum. */
export function contributions({ kind, amount }: Pick<ShiftEvent, 'kind' | 'amount'>): Record<ShiftSum, number> {
  const rule: EventRule = EVENT_RULES[kind];
  const sums = { cashPayments: 0, cashRefunds: 0, cashPaidIn: 0, cashPaidOut: 0 };
  if (rule.sum) sums[rule.sum] = amount * (rule.sign ?? 1);
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
}
