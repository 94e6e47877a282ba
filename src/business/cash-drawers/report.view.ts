/** The report of a shift that a register prints: X while it runs, Z once it is closed. */
import { Money, toMoney } from '../../api/money.js';
import { about, choice, model, optional, type Static, Time, Type } from '../../api/wire.js';
import { type Amount, add, negate, subtract } from '../../base/money.js';
import { type Instant, printMilliseconds } from '../../base/time.js';
import { type LateEntry, REPORT_TENDERS, type TenderSum } from './report-model.js';
import type { DrawerReport } from './reports.js';
import { CashDrawerShift, toShift } from './v2.view.js';

const ReportTender = model('ShiftReportTender', {
  type: about('How it was paid.', choice(REPORT_TENDERS)),
  count: about('How many tenders there are.', Type.Integer()),
  amount_money: about('Their sum, with tips.', Money),
});

const LATE_KINDS = ['SALE', 'REFUND', 'FAILED_REFUND'] as const satisfies LateEntry['kind'][];

const Late = model('ShiftReportLate', {
  amount_money: about('The sum of the entries.', Money),
  cash_money: about('The part of the sum that is cash.', Money),
  entries: about(
    'Each sale and refund, the oldest first.',
    Type.Array(
      model('ShiftReportLateEntry', {
        kind: about('A sale, a refund, or a refund of the report that has failed since.', choice(LATE_KINDS)),
        at: about('When it was made at the register.', Time),
        payment_id: about('The id of the sale, or of the payment that was refunded.', Type.String()),
        amount_money: about('What was paid, with tips. Negative for a refund.', Money),
        cash_money: about('The part of it that is cash.', Money),
      }),
    ),
  ),
});

/** Uses the terms of the owner's reports (decision 0143): discounts and refunds are negative. */
export const ShiftReport = model('ShiftReport', {
  kind: about('`X` while the shift runs, `Z` once it is closed.', choice(['X', 'Z'])),
  is_stored: about(
    'Whether this is what was added up when the shift was closed: it never changes. False before that. Also false if an earlier version of the server closed the shift: then its report is added up each time.',
    Type.Boolean(),
  ),
  late: about(
    'What belongs to the time of the shift, but arrived after its report was stored. It is in no other field of the report. Absent if there is nothing.',
    optional(Late),
  ),
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

export function toShiftReport({ shift, sums, isStored, late }: DrawerReport, now: Instant): Static<typeof ShiftReport> {
  const money = (value: Amount) => toMoney(value, shift.currency);
  const net = add(sums.gross, sums.discount);
  const total = add(net, sums.tax, sums.surcharge, sums.tip);
  const returned = negate(add(...sums.refunds.map(({ amount }) => amount)));
  return {
    kind: shift.state === 'CLOSED' ? 'Z' : 'X',
    is_stored: isStored,
    ...(late.length > 0 && { late: toLate(late, shift.currency) }),
    until: printMilliseconds(shift.endedAt ?? now),
    shift: toShift(shift),
    sales_count: sums.salesCount,
    refunds_count: sums.refundsCount,
    gross_money: money(sums.gross),
    discounts_money: money(sums.discount),
    net_money: money(net),
    taxes_money: money(sums.tax),
    surcharges_money: money(sums.surcharge),
    tips_money: money(sums.tip),
    total_money: money(total),
    tenders: toTenders(sums.tenders, shift.currency),
    refunds_money: money(returned),
    refunds: toTenders(
      sums.refunds.map((each) => ({ ...each, amount: negate(each.amount) })),
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

function toTenders(sums: readonly TenderSum[], currency: string): Static<typeof ReportTender>[] {
  return sums.map(({ type, count, amount }) => ({ type, count, amount_money: toMoney(amount, currency) }));
}

function toLate(entries: readonly LateEntry[], currency: string): Static<typeof Late> {
  const money = (value: Amount) => toMoney(value, currency);
  return {
    amount_money: money(add(...entries.map(({ amount }) => amount))),
    cash_money: money(add(...entries.map(({ cash }) => cash))),
    entries: entries.map(({ kind, at, paymentId, amount, cash }) => ({
      kind,
      at: printMilliseconds(at),
      payment_id: paymentId,
      amount_money: money(amount),
      cash_money: money(cash),
    })),
  };
}
