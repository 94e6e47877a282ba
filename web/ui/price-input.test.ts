/** What people type as a price. */
import { describe, expect, it } from 'vitest';
import { parsePrice } from './price-input.js';

describe('parsePrice', () => {
  it.each([
    ['4.50', 450],
    ['4,5', 450],
    [' 12 ', 1200],
    ['0', 0],
    ['0.07', 7],
    ['.5', undefined],
    ['-1', undefined],
    ['1.234', undefined],
    ['4.50 USD', undefined],
    ['', undefined],
    ['999999999.99', 99_999_999_999],
    ['9999999999.99', undefined],
  ])('%s is %s cents', (typed, cents) => {
    expect(parsePrice(typed, 'USD')).toBe(cents);
  });

  it('has as many digits as the currency', () => {
    expect([parsePrice('450', 'JPY'), parsePrice('4.5', 'JPY')]).toEqual([450, undefined]);
  });
});
