/** The figures of a settlement and of each of its entries. Pure. */
import { defineFigures } from './model.js';

export const SETTLEMENT_MONEY = defineFigures({
  gross: { label: 'Before fees', about: 'What buyers paid by card, and what went back to them.' },
  fees: { label: 'Fees', about: 'Fees of the processor and of applications, and what came back of them.' },
  net: { label: 'Total', about: 'What is paid out.', sumOf: ['gross', 'fees'] },
});
