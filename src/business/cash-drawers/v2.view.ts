/** The v2 view of cash drawer shifts. Amounts of events are never negative: the event type implies the direction. */
import { Money, toMoney } from '../../api/money.js';
import { choice, model, optional, type Static, Time, Type } from '../../api/wire.js';
import type { Amount } from '../../base/money.js';
import { printMilliseconds } from '../../base/time.js';
import { SHIFT_EVENT_KINDS, SHIFT_STATES, type Shift, type ShiftEvent } from './model.js';

const summaryFields = {
  id: Type.String(),
  state: choice(SHIFT_STATES),
  opened_at: Time,
  ended_at: optional(Time),
  closed_at: optional(Time),
  description: optional(Type.String()),
  opened_cash_money: Money,
  expected_cash_money: Money,
  closed_cash_money: optional(Money),
};

export const CashDrawerShiftSummary = model('CashDrawerShiftSummary', summaryFields);

export const CashDrawerShift = model('CashDrawerShift', {
  ...summaryFields,
  location_id: Type.String(),
  employee_ids: Type.Array(Type.String()),
  opening_employee_id: Type.String(),
  ending_employee_id: optional(Type.String()),
  closing_employee_id: optional(Type.String()),
  cash_payment_money: Money,
  cash_refunds_money: Money,
  cash_paid_in_money: Money,
  cash_paid_out_money: Money,
  device: model('CashDrawerDevice', { id: Type.String(), name: Type.String() }),
});

export const CashDrawerShiftEvent = model('CashDrawerShiftEvent', {
  id: Type.String(),
  employee_id: Type.String(),
  event_type: choice(SHIFT_EVENT_KINDS),
  event_money: Money,
  created_at: Time,
  description: optional(Type.String()),
});

export function toShiftSummary(shift: Shift): Static<typeof CashDrawerShiftSummary> {
  return {
    id: shift.id,
    state: shift.state,
    opened_at: printMilliseconds(shift.openedAt),
    ...(shift.endedAt !== null && { ended_at: printMilliseconds(shift.endedAt) }),
    ...(shift.closedAt !== null && { closed_at: printMilliseconds(shift.closedAt) }),
    ...(shift.description !== null && { description: shift.description }),
    opened_cash_money: toMoney(shift.openedCash, shift.currency),
    expected_cash_money: toMoney(shift.expectedCash, shift.currency),
    ...(shift.closedCash !== null && { closed_cash_money: toMoney(shift.closedCash, shift.currency) }),
  };
}

export function toShift(shift: Shift): Static<typeof CashDrawerShift> {
  const money = (value: Amount) => toMoney(value, shift.currency);
  return {
    ...toShiftSummary(shift),
    location_id: shift.locationId,
    employee_ids: [...shift.employeeIds],
    opening_employee_id: shift.openingEmployeeId,
    ...(shift.endingEmployeeId !== null && { ending_employee_id: shift.endingEmployeeId }),
    ...(shift.closingEmployeeId !== null && { closing_employee_id: shift.closingEmployeeId }),
    cash_payment_money: money(shift.cashPayments),
    cash_refunds_money: money(shift.cashRefunds),
    cash_paid_in_money: money(shift.cashPaidIn),
    cash_paid_out_money: money(shift.cashPaidOut),
    device: { ...shift.device },
  };
}

export function toShiftEvent(event: ShiftEvent, currency: string): Static<typeof CashDrawerShiftEvent> {
  return {
    id: event.id,
    employee_id: event.employeeId,
    event_type: event.kind,
    event_money: toMoney(event.amount, currency),
    created_at: printMilliseconds(event.createdAt),
    ...(event.description !== null && { description: event.description }),
  };
}
