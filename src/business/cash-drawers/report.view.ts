/** The report of a shift that a register prints: X while it runs, Z once it is closed. */
import { Money, toMoney } from '../../api/money.js';
import { about, choice, model, optional, type Static, Time, Type } from '../../api/wire.js';
import { type Amount, add, negate, subtract } from '../../base/money.js';
import { type Instant, printMilliseconds } from '../../base/time.js';
import type { Shift } from './model.js';
import type { ShiftRefunds, ShiftSales, ShiftTender, TenderSum } from './report-queries.js';
import { CashDrawerShift, toShift } from './v2.view.js';

const TENDERS = ['CASH', 'CARD', 'GIFT_CARD', 'EXTERNAL_CARD', 'OTHER', 'EXCHANGE'] as const;

const ReportTender = model('ShiftReportTender', {
  type: about('How it was paid.', choice(TENDERS)),
  count: about('How many tenders there are.', Type.Integer()),
  amount_money: about('Their sum, with tips.', Money),
});

/** Uses the terms of the owner's reports (decision 0143): discounts and refunds are negative. */
export const ShiftReport = model('ShiftReport', {
  kind: about('`X` while the shift runs, `Z` once it is closed.', choice(['X', 'Z'])),
  until: about('Until when the report counts.', Time),
  shift: about('The shift with the sums of its cash.', CashDrawerShift),
  sales_count: about('The number of complete sales.', Type.Integer()),
  refunds_count: about('The number of refunds.', Type.Integer()),
  gross_money: about('Prices of what was sold, before discounts and without taxes.', Money),
  discounts_money: about('What was taken off. Negative.', Money),
  net_money: about('Gross sales and discounts, added up.', Money),
  taxes_money: about('Taxes on what was sold.', Money),
  surcharges_money: about('Surcharges on what was sold.', Money),
  tips_money: about('Tips on what was sold.', Money),
  total_money: about('What buyers paid: net sales, taxes, surcharges and tips. The tenders add up to it.', Money),
  tenders: about('What buyers paid, by kind.', Type.Array(ReportTender)),
  refunds_money: about('All that went back. Negative.', Money),
  refunds: about('What went back, by kind. Negative.', Type.Array(ReportTender)),
  collected_money: about('What buyers paid, and what went back, added up.', Money),
  paid_in_money: about('Cash that was put into the drawer without a sale.', Money),
  paid_out_money: about('Cash that was taken out of the drawer without a refund.', Money),
  expected_cash_money: about('The cash that should be in the drawer.', Money),
  counted_cash_money: about('The cash that was counted. Absent before that.', optional(Money)),
  over_short_money: about(
    'Counted minus expected cash: positive if there is too much. Absent before it is counted.',
    optional(Money),
  ),
});

interface ShiftSums {
  readonly sales: ShiftSales;
  readonly tenders: readonly ShiftTender[];
  readonly refunds: ShiftRefunds;
  readonly now: Instant;
}

export function toShiftReport(
  shift: Shift,
  { sales, tenders, refunds: given, now }: ShiftSums,
): Static<typeof ShiftReport> {
  const money = (value: Amount) => toMoney(value, shift.currency);
  const net = add(sales.gross, sales.discount);
  const tip = add(...tenders.map((tender) => tender.tip));
  const total = add(net, sales.tax, sales.surcharge, tip);
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
    tips_money: money(tip),
    total_money: money(total),
    tenders: toTenders(tenders, shift.currency),
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
