/** The v1 view of cash drawer shifts. Amounts that leave the drawer are negative. */
import { toV1Money, V1Money } from '../../api/money.js';
import { choice, model, optional, type Static, Time, Type } from '../../api/wire.js';
import { type Amount, amount, negate } from '../../base/money.js';
import { printSeconds } from '../../base/time.js';
import {
  EVENT_RULES,
  SHIFT_EVENT_KINDS,
  SHIFT_STATES,
  type Shift,
  type ShiftEvent,
  type ShiftEventKind,
} from './model.js';

/** v1 spells CANCELED with one L. */
function toV1Kind(kind: ShiftEventKind): string {
  return kind.replace('CANCELLED', 'CANCELED');
}

const V1CashDrawerEvent = model('V1CashDrawerEvent', {
  id: Type.String(),
  employee_id: Type.String(),
  event_type: choice(SHIFT_EVENT_KINDS.map(toV1Kind)),
  event_money: V1Money,
  created_at: Time,
  description: optional(Type.String()),
});

/** The register in v1 and in shared views. */
export const Device = model('Device', { id: Type.String(), name: Type.String() });

const state = choice(SHIFT_STATES);

const shiftFields = {
  id: Type.String(),
  // Two editions of the API name the state differently, so both names are present (decision 0016).
  event_type: state,
  cash_drawer_state: state,
  created_at: Time,
  opened_at: Time,
  ended_at: optional(Time),
  closed_at: optional(Time),
  employee_ids: Type.Array(Type.String()),
  opening_employee_id: Type.String(),
  ending_employee_id: optional(Type.String()),
  closing_employee_id: optional(Type.String()),
  description: optional(Type.String()),
  starting_cash_money: V1Money,
  cash_payment_money: V1Money,
  cash_refunds_money: V1Money,
  cash_paid_in_money: V1Money,
  cash_paid_out_money: V1Money,
  expected_cash_money: V1Money,
  closed_cash_money: optional(V1Money),
  device: Device,
  // Absent in the list.
  events: optional(Type.Array(V1CashDrawerEvent)),
};

export const V1CashDrawerShift = model('V1CashDrawerShift', shiftFields);

export function toV1Shift(shift: Shift, events?: readonly ShiftEvent[]): Static<typeof V1CashDrawerShift> {
  const money = (value: Amount) => toV1Money(value, shift.currency);
  const openedAt = printSeconds(shift.openedAt);
  return {
    id: shift.id,
    event_type: shift.state,
    cash_drawer_state: shift.state,
    created_at: openedAt,
    opened_at: openedAt,
    ...(shift.endedAt !== null && { ended_at: printSeconds(shift.endedAt) }),
    ...(shift.closedAt !== null && { closed_at: printSeconds(shift.closedAt) }),
    employee_ids: [...shift.employeeIds],
    opening_employee_id: shift.openingEmployeeId,
    ...(shift.endingEmployeeId !== null && { ending_employee_id: shift.endingEmployeeId }),
    ...(shift.closingEmployeeId !== null && { closing_employee_id: shift.closingEmployeeId }),
    ...(shift.description !== null && { description: shift.description }),
    starting_cash_money: money(shift.openedCash),
    cash_payment_money: money(shift.cashPayments),
    cash_refunds_money: money(negate(shift.cashRefunds)),
    cash_paid_in_money: money(shift.cashPaidIn),
    cash_paid_out_money: money(negate(shift.cashPaidOut)),
    expected_cash_money: money(shift.expectedCash),
    ...(shift.closedCash !== null && { closed_cash_money: money(shift.closedCash) }),
    device: { ...shift.device },
    ...(events && { events: events.map((event) => toV1Event(event, shift.currency)) }),
  };
}

function toV1Event(event: ShiftEvent, currency: string): Static<typeof V1CashDrawerEvent> {
  const signed = amount(event.amount * EVENT_RULES[event.kind].direction);
  return {
    id: event.id,
    employee_id: event.employeeId,
    event_type: toV1Kind(event.kind),
    event_money: toV1Money(signed, currency),
    created_at: printSeconds(event.createdAt),
    ...(event.description !== null && { description: event.description }),
  };
}
