/**
 * The v2 view of cash drawer shifts. Sums of what leaves the drawer are negative or zero; amounts of events never are, because the event
 * type implies the direction (contract 23).
 */
import { Money, toMoney } from '../../api/money.js';
import { about, choice, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { type Amount, negate } from '../../base/money.js';
import { printMilliseconds } from '../../base/time.js';
import { SHIFT_EVENT_KINDS, SHIFT_STATES, type Shift, type ShiftEvent } from './model.js';

const summaryFields = {
  id: about('The id of the shift.', Type.String()),
  state: about('The state of the shift.', choice(SHIFT_STATES)),
  opened_at: about('When the shift was opened.', Time),
  ended_at: about('When the shift was ended.', optional(Time)),
  closed_at: about('When the cash was counted and the shift closed.', optional(Time)),
  description: about('A note about the shift.', optional(Type.String())),
  opened_cash_money: about('The cash that was in the drawer at the beginning.', Money),
  location_id: about('The location of the register.', Type.String()),
  expected_cash_money: about('The cash that should be in the drawer.', Money),
  closed_cash_money: about('The cash that was counted when the shift was closed.', optional(Money)),
};

export const CashDrawerShiftSummary = model('CashDrawerShiftSummary', summaryFields);

export const CashDrawerShift = model('CashDrawerShift', {
  ...summaryFields,
  employee_ids: about('The employees who used the drawer during the shift.', Type.Array(Type.String())),
  opening_employee_id: about('The employee who opened the shift.', Type.String()),
  ending_employee_id: about('The employee who ended the shift.', optional(Type.String())),
  closing_employee_id: about('The employee who counted the cash and closed the shift.', optional(Type.String())),
  team_member_ids: about('The same employees, under the name of newer clients.', Type.Array(Type.String())),
  opening_team_member_id: about('The employee who opened the shift.', Type.String()),
  ending_team_member_id: about('The employee who ended the shift.', optional(Type.String())),
  closing_team_member_id: about('The employee who closed the shift.', optional(Type.String())),
  cash_payment_money: about('The cash that sales put into the drawer.', Money),
  cash_refunds_money: about('The cash that refunds took out of the drawer, negative or zero.', Money),
  cash_paid_in_money: about('The cash that was put into the drawer outside sales.', Money),
  cash_paid_out_money: about('The cash that was taken out of the drawer outside sales, negative or zero.', Money),
  device: about(
    'The register that the drawer belongs to.',
    model('CashDrawerDevice', {
      id: about('The id of the register.', Type.String()),
      name: about('The name of the register.', Type.String()),
    }),
  ),
});

export const CashDrawerShiftEvent = model('CashDrawerShiftEvent', {
  id: about('The id of the event.', Type.String()),
  employee_id: about('The employee who caused the event.', Type.String()),
  team_member_id: about('The same employee, under the name of newer clients.', Type.String()),
  event_type: about('Why cash went in or out, or why the drawer was opened.', choice(SHIFT_EVENT_KINDS)),
  event_money: about('The amount that was put into the drawer or taken out of it.', Money),
  created_at: about('When it happened.', Time),
  description: about('A note of the employee.', optional(Type.String())),
});

export function toShiftSummary(shift: Shift): Static<typeof CashDrawerShiftSummary> {
  return {
    id: shift.id,
    state: shift.state,
    opened_at: printMilliseconds(shift.openedAt),
    ...(shift.endedAt !== null && { ended_at: printMilliseconds(shift.endedAt) }),
    ...(shift.closedAt !== null && { closed_at: printMilliseconds(shift.closedAt) }),
    ...(shift.description !== null && { description: shift.description }),
    location_id: shift.locationId,
    opened_cash_money: toMoney(shift.openedCash, shift.currency),
    expected_cash_money: toMoney(shift.expectedCash, shift.currency),
    ...(shift.closedCash !== null && { closed_cash_money: toMoney(shift.closedCash, shift.currency) }),
  };
}

export function toShift(shift: Shift): Static<typeof CashDrawerShift> {
  const money = (value: Amount) => toMoney(value, shift.currency);
  return {
    ...toShiftSummary(shift),
    employee_ids: [...shift.employeeIds],
    opening_employee_id: shift.openingEmployeeId,
    ...present({ ending_employee_id: shift.endingEmployeeId, closing_employee_id: shift.closingEmployeeId }),
    team_member_ids: [...shift.employeeIds],
    opening_team_member_id: shift.openingEmployeeId,
    ...present({ ending_team_member_id: shift.endingEmployeeId, closing_team_member_id: shift.closingEmployeeId }),
    cash_payment_money: money(shift.cashPayments),
    cash_refunds_money: money(negate(shift.cashRefunds)),
    cash_paid_in_money: money(shift.cashPaidIn),
    cash_paid_out_money: money(negate(shift.cashPaidOut)),
    device: { ...shift.device },
  };
}

export function toShiftEvent(event: ShiftEvent, currency: string): Static<typeof CashDrawerShiftEvent> {
  return {
    id: event.id,
    employee_id: event.employeeId,
    team_member_id: event.employeeId,
    event_type: event.kind,
    event_money: toMoney(event.amount, currency),
    created_at: printMilliseconds(event.createdAt),
    ...(event.description !== null && { description: event.description }),
  };
}
