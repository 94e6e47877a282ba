/** The cash of a drawer: how much there should be, of what, and how much was counted. What left the drawer is negative. */
import { model, optional, type Static } from '../../api/wire.js';
import { negate, subtract } from '../../base/money.js';
import { DRAWER_CASH, DRAWER_COUNT } from '../figures/drawer.js';
import { addUp } from '../figures/model.js';
import { moneyFields, toMoneyFields } from '../figures/view.js';
import type { Shift } from './model.js';

const COUNT_FIELDS = moneyFields(DRAWER_COUNT);

export const CASH_FIELDS = {
  ...moneyFields(DRAWER_CASH),
  over_short_money: optional(COUNT_FIELDS.over_short_money),
  counted_cash_money: optional(COUNT_FIELDS.counted_cash_money),
};

export const DrawerCash = model('DrawerCash', CASH_FIELDS);

export function toCash(shift: Shift): Static<typeof DrawerCash> {
  const counted = {
    opened_cash_money: shift.openedCash,
    cash_sales_money: shift.cashPayments,
    cash_refunds_money: negate(shift.cashRefunds),
    paid_in_money: shift.cashPaidIn,
    paid_out_money: negate(shift.cashPaidOut),
  };
  if (shift.closedCash === null) return toMoneyFields(addUp(DRAWER_CASH, counted), shift.currency);
  const over = subtract(shift.closedCash, shift.expectedCash);
  return toMoneyFields(addUp(DRAWER_COUNT, { ...counted, over_short_money: over }), shift.currency);
}
