import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, MAX_AMOUNT } from '../../src/base/money.js';
import { plainMoney, printMoney, toDecimal } from './money.js';

describe('toDecimal', () => {
  it.each([
    [1234, 2, '12.34'],
    [-5, 2, '-0.05'],
    [0, 2, '0.00'],
    [500, 0, '500'],
    [1234, 3, '1.234'],
  ])('prints %d with %d digits as %s', (minor, digits, decimal) => {
    expect(toDecimal(amount(minor), digits)).toBe(decimal);
  });

  it('loses nothing', () => {
    fc.assert(
      fc.property(fc.integer({ min: -MAX_AMOUNT, max: MAX_AMOUNT }), (minor) => {
        expect(Number(toDecimal(amount(minor), 2).replace('.', ''))).toBe(amount(minor));
      }),
    );
  });
});

describe('printMoney', () => {
  it('uses the digits of the currency and a real minus sign', () => {
    expect(printMoney({ amount: -1840, currency: 'USD' })).toBe('−$18.40');
    expect(printMoney({ amount: 1840, currency_code: 'JPY' })).toBe('¥1,840');
  });

  it('is a plain number for spreadsheets', () => {
    expect(plainMoney({ amount: -184000, currency: 'USD' })).toBe('-1840.00');
  });
});
