/** Prints the amounts of a report, which are minor units of one currency. */
import { amount } from '../../../src/base/money.js';
import { printMoney, toDecimal } from '../../ui/money.js';

export interface Amounts {
  print(minor: number): string;
  /** For the axis of a chart: `$1.2K`. */
  printShort(minor: number): string;
}

/** Whole units, and one digit after the point from a thousand on. */
const shortFormat = (currency: string, maximumFractionDigits: number) =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency, notation: 'compact', maximumFractionDigits });

export function useAmounts(currency: string): Amounts {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const [whole, thousands] = [shortFormat(currency, 0), shortFormat(currency, 1)];
  return {
    print: (minor) => printMoney({ amount: minor, currency }),
    printShort(minor) {
      const decimal = toDecimal(amount(Math.round(minor)), digits);
      const format = Math.abs(Number(decimal)) < 1000 ? whole : thousands;
      return format.format(decimal as never).replace('-', '−');
    },
  };
}

const counts = new Intl.NumberFormat();

export const printCount = (count: number): string => counts.format(count);
