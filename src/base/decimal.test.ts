/** Decimals are parsed exactly, or rejected if they cannot be stored exactly. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuantity, parseRate, printRate, QUANTITY_OF_ONE, quantityAsNumber, RATE_OF_ONE } from './decimal.js';

const NOT_DECIMALS = ['', ' ', '1 ', '-1', '+1', '.5', '1.', '1,5', '1e-2', '0x1', 'NaN', '१', '1.2.3', '\n1', '1\n'];
const NOT_NUMBERS = [-0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e21, 1e-7, 0.1 + 0.2];

describe('parseRate', () => {
  it.each([
    ['0', 0],
    ['0.000000', 0],
    ['0.085', 85_000],
    ['0.085000', 85_000],
    ['0.08500000', 85_000],
    ['0.000001', 1],
    ['1', 1_000_000],
    ['1.0', 1_000_000],
    [0.085, 85_000],
    [0.000001, 1],
    [0.07, 70_000], // 0.07 * 100 is 7.000000000000001
    [-0, 0],
    [1, 1_000_000],
  ])('reads %j as %i millionths', (given, millionths) => {
    expect(parseRate(given)).toBe(millionths);
  });

  it.each([...NOT_DECIMALS, ...NOT_NUMBERS, '1.000001', 1.5, '8.5', '0.0000001', `0.${'0'.repeat(21)}`])(
    'does not read %j',
    (given) => {
      expect(parseRate(given)).toBeUndefined();
    },
  );
});

describe('printRate', () => {
  it.each([
    ['0', '0.00000000'],
    ['0.06', '0.06000000'],
    ['0.000001', '0.00000100'],
    ['1', '1.00000000'],
  ])('of %s is %s', (given, printed) => {
    expect(printRate(parseRate(given) ?? RATE_OF_ONE)).toBe(printed);
  });

  it('prints a text that is parsed back to the same rate', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (millionths) => {
        const rate = parseRate(millionths / 1_000_000);
        expect(rate).toBe(millionths);
        expect(parseRate(printRate(rate ?? RATE_OF_ONE))).toBe(millionths);
      }),
    );
  });
});

describe('parseQuantity', () => {
  it.each([
    ['1', 100_000],
    ['1.00000000', 100_000],
    ['0.00001', 1],
    ['2.5', 250_000],
    ['999999999.99999', 99_999_999_999_999],
    [3, 300_000],
    [0.00001, 1],
    [1.005, 100_500], // 1.005 * 1000 is 1004.9999999999999
  ])('reads %j as %i hundred-thousandths', (given, steps) => {
    expect(parseQuantity(given)).toBe(steps);
  });

  it.each([...NOT_DECIMALS, ...NOT_NUMBERS, '0', 0, '0.00000', '0.000001', 1.000001, '1000000000'])(
    'does not read %j',
    (given) => {
      expect(parseQuantity(given)).toBeUndefined();
    },
  );
});

describe('quantityAsNumber', () => {
  it('is a number that is parsed back to the same quantity', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999_999_999 }), (steps) => {
        const digits = String(steps).padStart(6, '0');
        const quantity = parseQuantity(`${digits.slice(0, -5)}.${digits.slice(-5)}`);
        expect(quantity).toBe(steps);
        expect(parseQuantity(quantityAsNumber(quantity ?? QUANTITY_OF_ONE))).toBe(steps);
      }),
    );
  });
});
