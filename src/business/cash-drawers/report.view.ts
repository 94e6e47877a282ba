/** The report of a shift that a register prints: X while it runs, Z once it is closed. */
import { Money, toMoney } from '../../api/money.js';
import { about, choice, model, optional, type Static, Time, Type } from '../../api/wire.js';
import { type Amount, add, negate } from '../../base/money.js';
import { type Instant, printMilliseconds } from '../../base/time.js';
import { DRAWER_LATE, DRAWER_SALES } from '../figures/drawer.js';
import { addUp } from '../figures/model.js';
import { moneyFields, toMoneyFields } from '../figures/view.js';
import { TENDER_KINDS } from '../tenders/model.js';
import { CASH_FIELDS, toCash } from './cash.view.js';
import { OutsideCash, toOutsideCash } from './outside.view.js';
import type { LateEntry, TenderSum } from './report-model.js';
import type { DrawerReport } from './reports.js';
import { CashDrawerShift, toShift } from './v2.view.js';

const ReportTender = model('ShiftReportTender', {
  type: about('How it was paid.', choice(TENDER_KINDS)),
  count: about('How many tenders there are.', Type.Integer()),
  amount_money: about('Their sum, with tips.', Money),
});

const LATE_KINDS = ['SALE', 'REFUND', 'FAILED_REFUND'] as const satisfies LateEntry['kind'][];

const Late = model('ShiftReportLate', {
  ...moneyFields(DRAWER_LATE),
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

/** What reduces the merchant's money is negative, as in the owner's reports (decision 0143). */
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
  outside: about(
    'Cash of this register that is in no drawer, between the end of its drawer before (at most 72 hours before the opening) and the end of this one. It is in no sum of the cash, and is counted anew each time. Absent if there is none.',
    optional(model('ShiftReportOutside', { since: about('Since when it counts.', Time), ...OutsideCash.properties })),
  ),
  until: about('Until when the report counts.', Time),
  shift: about('The shift with the sums of its cash.', CashDrawerShift),
  sales_count: about('The number of complete sales.', Type.Integer()),
  refunds_count: about('The number of refunds.', Type.Integer()),
  ...moneyFields(DRAWER_SALES),
  tenders: about('What buyers paid, by kind.', Type.Array(ReportTender)),
  refunds: about('What went back, by kind. Negative.', Type.Array(ReportTender)),
  ...CASH_FIELDS,
  closing_note: about('What whoever counted the cash wrote about it. Absent if nothing.', optional(Type.String())),
});

export function toShiftReport(
  { shift, sums, isStored, late, outside }: DrawerReport,
  now: Instant,
): Static<typeof ShiftReport> {
  const negative = sums.refunds.map((each) => ({ ...each, amount: negate(each.amount) }));
  const sales = addUp(DRAWER_SALES, {
    gross_money: sums.gross,
    discounts_money: sums.discount,
    taxes_money: sums.tax,
    surcharges_money: sums.surcharge,
    tips_money: sums.tip,
    refunds_money: add(...negative.map(({ amount }) => amount)),
  });
  return {
    kind: shift.state === 'CLOSED' ? 'Z' : 'X',
    is_stored: isStored,
    ...(late.length > 0 && { late: toLate(late, shift.currency) }),
    ...(outside.takenCount + outside.givenBackCount > 0 && {
      outside: { since: printMilliseconds(outside.since), ...toOutsideCash(outside, shift.currency) },
    }),
    until: printMilliseconds(shift.endedAt ?? now),
    shift: toShift(shift),
    sales_count: sums.salesCount,
    refunds_count: sums.refundsCount,
    ...toMoneyFields(sales, shift.currency),
    tenders: toTenders(sums.tenders, shift.currency),
    refunds: toTenders(negative, shift.currency),
    ...toCash(shift),
    ...(shift.closingNote !== null && { closing_note: shift.closingNote }),
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
