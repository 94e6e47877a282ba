/** Prints amounts as people write them. Exact: the text of a decimal, never a binary fraction. */
import type { Amount } from './money.js';

export class MoneyPrinter {
  readonly #format: Intl.NumberFormat;
  readonly #digits: number;

  constructor(currency: string, locale = 'en') {
    this.#format = new Intl.NumberFormat(locale, { style: 'currency', currency });
    this.#digits = this.#format.resolvedOptions().maximumFractionDigits ?? 2;
  }

  print(value: Amount): string {
    const text = String(Math.abs(value)).padStart(this.#digits + 1, '0');
    const whole = text.slice(0, text.length - this.#digits);
    const decimal = this.#digits === 0 ? whole : `${whole}.${text.slice(-this.#digits)}`;
    return this.#format.format(`${value < 0 ? '-' : ''}${decimal}` as Intl.StringNumericLiteral);
  }
}
