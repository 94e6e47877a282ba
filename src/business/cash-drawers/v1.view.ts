/** The v1 view of cash drawer shifts. Amounts that leave the drawer are negative. */
import { toV1Money, V1Money } from '../../api/money.js';
import { about, choice, model, optional, type Static, Time, Type } from '../../api/wire.js';
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
  id: about('The id of the event.', Type.String()),
  employee_id: about('The employee who caused the event.', Type.String()),
  event_type: about('Why cash went in or out, or why the drawer was opened.', choice(SHIFT_EVENT_KINDS.map(toV1Kind))),
  event_money: about('The amount that was put into the drawer or taken out of it.', V1Money),
  created_at: about('When it happened.', Time),
  description: about('A note of the employee.', optional(Type.String())),
});

/** The register in v1 and in shared views. */
export const Device = model('Device', {
  id: about('The id of the register.', Type.String()),
  name: about('The name of the register.', Type.String()),
});

const state = choice(SHIFT_STATES);

const shiftFields = {
  id: about('The id of the shift.', Type.String()),
  // Two editions of the API name the state differently, so both names are present (decision 0016).
  event_type: about('The state of the shift. The same as `cash_drawer_state`.', state),
  cash_drawer_state: about('The state of the shift.', state),
  created_at: about('When the shift was opened.', Time),
  opened_at: about('When the shift was opened.', Time),
  ended_at: about('When the shift was ended.', optional(Time)),
  closed_at: about('When the cash was counted and the shift closed.', optional(Time)),
  employee_ids: about('The employees who used the drawer during the shift.', Type.Array(Type.String())),
  opening_employee_id: about('The employee who opened the shift.', Type.String()),
  ending_employee_id: about('The employee who ended the shift.', optional(Type.String())),
  closing_employee_id: about('The employee who counted the cash and closed the shift.', optional(Type.String())),
  description: about('A note about the shift.', optional(Type.String())),
  starting_cash_money: about('The cash that was in the drawer at the beginning.', V1Money),
  cash_payment_money: about('The cash that sales put into the drawer.', V1Money),
  cash_refunds_money: about('The cash that refunds took out of the drawer, negative or zero.', V1Money),
  cash_paid_in_money: about('The cash that was put into the drawer outside sales.', V1Money),
  cash_paid_out_money: about('The cash that was taken out of the drawer outside sales, negative or zero.', V1Money),
  expected_cash_money: about('The cash that should be in the drawer.', V1Money),
  closed_cash_money: about('The cash that was counted when the shift was closed.', optional(V1Money)),
  device: about('The register that the drawer belongs to.', Device),
  // Absent in the list.
  events: about(
    'What happened during the shift, oldest first. Absent in the list of shifts.',
    optional(Type.Array(V1CashDrawerEvent)),
  ),
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
