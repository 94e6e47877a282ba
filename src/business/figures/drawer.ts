/** The figures of a cash drawer: of its cash, and of what its register sold (the X and the Z report). Pure. */
import { defineFigures } from './model.js';

export const DRAWER_SALES = defineFigures({
  gross_money: {
    label: 'Sales',
    about: 'Prices of what was sold, before discounts and without taxes.',
    sign: 'ADDS',
  },
  discounts_money: { label: 'Discounts', about: 'What was taken off. Negative.', sign: 'TAKES' },
  net_money: {
    label: 'Net before refunds',
    about: 'Gross sales and discounts, added up.',
    sign: 'ADDS',
    sumOf: ['gross_money', 'discounts_money'],
  },
  taxes_money: { label: 'Taxes', about: 'Taxes on what was sold.', sign: 'ADDS' },
  surcharges_money: { label: 'Surcharges', about: 'Surcharges on what was sold.', sign: 'ADDS' },
  tips_money: { label: 'Tips', about: 'Tips on what was sold.', sign: 'ADDS' },
  total_money: {
    label: 'Paid',
    about: 'What buyers paid: net sales, taxes, surcharges and tips. The tenders add up to it.',
    sign: 'ADDS',
    sumOf: ['net_money', 'taxes_money', 'surcharges_money', 'tips_money'],
  },
  refunds_money: {
    label: 'Refunds',
    about: 'All that went back. The refunds by kind add up to it. Negative.',
    sign: 'TAKES',
  },
  collected_money: {
    label: 'Collected',
    about: 'What buyers paid, and what went back, added up.',
    sumOf: ['total_money', 'refunds_money'],
  },
});

export const DRAWER_CASH = defineFigures({
  opened_cash_money: {
    label: 'Opened with',
    about: 'The cash that was in the drawer at the beginning.',
    sign: 'ADDS',
  },
  cash_sales_money: { label: 'Cash sales', about: 'The cash that sales put into the drawer.' },
  cash_refunds_money: {
    label: 'Cash refunds',
    about: 'The cash that refunds took out of the drawer. Negative.',
    sign: 'TAKES',
  },
  paid_in_money: {
    label: 'Paid in',
    about: 'Cash that was put into the drawer without a sale.',
    sign: 'ADDS',
  },
  paid_out_money: {
    label: 'Paid out',
    about: 'Cash that was taken out of the drawer without a refund. Negative.',
    sign: 'TAKES',
  },
  expected_cash_money: {
    label: 'Expected cash',
    about: 'The cash that should be in the drawer.',
    sumOf: ['opened_cash_money', 'cash_sales_money', 'cash_refunds_money', 'paid_in_money', 'paid_out_money'],
  },
});

/** What counting the cash adds. */
export const DRAWER_COUNT = defineFigures({
  ...DRAWER_CASH,
  over_short_money: {
    label: 'Over or short',
    about: 'Counted minus expected cash: positive if there is too much. Absent before it is counted.',
  },
  counted_cash_money: {
    label: 'Counted',
    about: 'The cash that was counted. Absent before that.',
    sign: 'ADDS',
    sumOf: ['expected_cash_money', 'over_short_money'],
  },
});

/** What arrived after the drawer was closed. It is in no other figure. */
export const DRAWER_LATE = defineFigures({
  amount_money: { label: 'Arrived after closing, not in this report', about: 'The sum of the entries.' },
  cash_money: { label: 'Of which cash', about: 'The part of the sum that is cash.', partOf: 'amount_money' },
});

/** Cash of a register that is in no drawer, so it is in no other figure. */
export const CASH_OUTSIDE = defineFigures({
  taken_money: {
    label: 'Taken in no drawer',
    about: 'The cash that sales brought in while no drawer was open for it.',
    sign: 'ADDS',
  },
  given_back_money: {
    label: 'Given back from no drawer',
    about: 'The cash that refunds took out while no drawer was open for it. Negative.',
    sign: 'TAKES',
  },
  cash_money: {
    label: 'Cash in no drawer',
    about: 'What was taken and what was given back, added up.',
    sumOf: ['taken_money', 'given_back_money'],
  },
});
