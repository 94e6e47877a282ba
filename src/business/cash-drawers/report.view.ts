/** The report of a shift that a register prints: X while it runs, Z once it is closed. */
import { Money, toMoney } from '../../api/money.js';
import { choice, model, optional, type Static, Time, Type } from '../../api/wire.js';
import { type Amount, add, negate, subtract } from '../../base/money.js';
import { type Instant, printMilliseconds } from '../../base/time.js';
import type { Shift } from './model.js';
import type { ShiftRefunds, ShiftSales, TenderSum } from './report-queries.js';
import { CashDrawerShift, toShift } from './v2.view.js';

const TENDERS = ['CASH', 'CARD', 'GIFT_CARD', 'OTHER', 'EXCHANGE'] as const;

const ReportTender = model('ShiftReportTender', {
  type: choice(TENDERS),
  count: Type.Integer(),
  amount_money: Money,
});

/** With the terms of the owner's reports (decision 0143): discounts and refunds are negative. */
export const ShiftReport = model('ShiftReport', {
  kind: choice(['X', 'Z']),
  /** The time up to which it adds up. */
  until: Time,
  shift: CashDrawerShift,
  sales_count: Type.Integer(),
  refunds_count: Type.Integer(),
  gross_money: Money,
  discounts_money: Money,
  /** Gross sales and discounts. */
  net_money: Money,
  taxes_money: Money,
  surcharges_money: Money,
  tips_money: Money,
  /** What buyers paid: net sales, taxes, surcharges and tips. The tenders add up to it. */
  total_money: Money,
  tenders: Type.Array(ReportTender),
  refunds_money: Money,
  refunds: Type.Array(ReportTender),
  /** The total and the refunds. */
  collected_money: Money,
  paid_in_money: Money,
  paid_out_money: Money,
  expected_cash_money: Money,
  counted_cash_money: optional(Money),
  /** Positive: more was counted than expected. */
  over_short_money: optional(Money),
});

export function toShiftReport(
  shift: Shift,
  { sales, refunds: given, now }: { readonly sales: ShiftSales; readonly refunds: ShiftRefunds; readonly now: Instant },
): Static<typeof ShiftReport> {
  const money = (value: Amount) => toMoney(value, shift.currency);
  const net = add(sales.gross, sales.discount);
  const total = add(net, sales.tax, sales.surcharge, sales.tip);
  const returned = negate(add(...given.refunds.map(({ amount }) => amount)));
  return {
    kind: shift.state === 'CLOSED' ? 'Z' : 'X',
    until: printMilliseconds(shift.endedAt ?? now),
    shift: toShift(shift),
    sales_count: sales.count,
    refunds_count: given.count,
    gross_money: money(sales.gross),
    discounts_money: money(sales.discount),
    net_money: money(net),
    taxes_money: money(sales.tax),
    surcharges_money: money(sales.surcharge),
    tips_money: money(sales.tip),
    total_money: money(total),
    tenders: toTenders(sales.tenders, shift.currency),
    refunds_money: money(returned),
    refunds: toTenders(
      given.refunds.map((each) => ({ ...each, amount: negate(each.amount) })),
      shift.currency,
    ),
    collected_money: money(add(total, returned)),
    paid_in_money: money(shift.cashPaidIn),
    paid_out_money: money(shift.cashPaidOut),
    expected_cash_money: money(shift.expectedCash),
    ...(shift.closedCash !== null && {
      counted_cash_money: money(shift.closedCash),
      over_short_money: money(subtract(shift.closedCash, shift.expectedCash)),
    }),
  };
}

/** In a fixed order. */
function toTenders(sums: readonly TenderSum[], currency: string): Static<typeof ReportTender>[] {
  return TENDERS.flatMap((type) => sums.filter((sum) => sum.type === type)).map(({ type, count, amount }) => ({
    type,
    count,
    amount_money: toMoney(amount, currency),
  }));
}
