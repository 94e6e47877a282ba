/** The figures of the owner's reports: a table for each kind of grouping (decision 0143). Pure. */
import { defineFigures } from './model.js';

/** Goods only: rows by item and by category have no tips, surcharges or shipping. */
export const REPORT_GOODS = defineFigures({
  gross_sales: {
    label: 'Gross sales',
    about: 'Prices of what was sold, with modifiers, before discounts and without taxes.',
    sign: 'ADDS',
  },
  discounts: { label: 'Discounts', about: 'What was taken off. Negative.', sign: 'TAKES' },
  returns: {
    label: 'Returns',
    about: 'The goods in refunds, without taxes, tips and surcharges. Negative.',
    sign: 'TAKES',
  },
  net_sales: {
    label: 'Net sales',
    about: 'Gross sales, discounts and returns, added up.',
    sumOf: ['gross_sales', 'discounts', 'returns'],
  },
  taxes: { label: 'Taxes', about: 'Taxes of sales, minus their shares in refunds.' },
  collected: { label: 'With taxes', about: 'Net sales and taxes, added up.', sumOf: ['net_sales', 'taxes'] },
});

/** What paid, and what went back: rows by tender and by card brand have no goods. */
export const REPORT_TENDERS = defineFigures({
  paid: { label: 'Paid', about: 'What buyers paid, before refunds.', sign: 'ADDS' },
  refunds: { label: 'Refunds', about: 'All money and goods that went back. Negative.', sign: 'TAKES' },
  collected: { label: 'Collected', about: 'What buyers paid, minus refunds.', sumOf: ['paid', 'refunds'] },
  tips: {
    label: 'Of which tips',
    about: 'Tips of sales, minus their shares in refunds.',
    partOf: 'collected',
  },
  fees: { label: 'Fees', about: 'Fees of the processor and of applications. Negative, unless more came back.' },
  kept: { label: 'You keep', about: 'What was collected, and the fees, added up.', sumOf: ['collected', 'fees'] },
});

const { collected: _, ...GOODS } = REPORT_GOODS;
const { fees, kept } = REPORT_TENDERS;

/** Whole sales: by time, location or employee. */
export const REPORT_SALES = defineFigures({
  ...GOODS,
  surcharges: {
    label: 'Surcharges and shipping',
    about: 'Surcharges and shipping of sales, minus their shares in refunds.',
  },
  tips: { label: 'Tips', about: REPORT_TENDERS.tips.about },
  collected: {
    ...REPORT_TENDERS.collected,
    sumOf: ['net_sales', 'taxes', 'surcharges', 'tips'],
  },
  fees,
  kept,
});

export const REPORT_TAXES = defineFigures({ taxes: REPORT_GOODS.taxes });
export const REPORT_DISCOUNTS = defineFigures({ discounts: REPORT_GOODS.discounts });
