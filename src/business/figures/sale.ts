/** The figures of one sale, which are those of reports: so the sales of a period add up to its report. Pure. */
import { defineFigures } from './model.js';
import { REPORT_TENDERS } from './report.js';

/** What one sale brings: on its page and in the list of sales. */
export const SALE_MONEY = REPORT_TENDERS;

/** With what a dispute keeps back. */
export const SALE_MONEY_HELD = defineFigures({
  ...SALE_MONEY,
  held: {
    label: 'Of which disputed',
    about: 'What disputes keep back until they end. Absent if nothing is disputed.',
    sign: 'ADDS',
    partOf: 'kept',
  },
});
