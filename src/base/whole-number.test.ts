import { describe, expect, it } from 'vitest';
import { parseWholeNumber, requireWholeNumber } from './whole-number.js';

describe('a whole number', () => {
  it.each([
    ['0', 0],
    ['007', 7],
    ['-5', -5],
    ['999999999999999', 999_999_999_999_999],
  ])('is read from %s', (text, number) =>
    expect(parseWholeNumber(text, { min: -9, max: Number.MAX_SAFE_INTEGER })).toBe(number),
  );

  it.each(['', ' 1', '1 ', '+1', '1.0', '1e3', '0x10', '١', '9999999999999999', 'ten', '--1', '-'])(
    "is not read from '%s'",
    (text) => expect(parseWholeNumber(text, { min: -9, max: Number.MAX_SAFE_INTEGER })).toBeUndefined(),
  );

  it('is within its bounds', () => {
    const bounds = { min: 1, max: 64 };
    expect(['0', '1', '64', '65'].map((text) => parseWholeNumber(text, bounds))).toEqual([undefined, 1, 64, undefined]);
  });

  it('is demanded by a flag, with its bounds', () => {
    expect(() => requireWholeNumber('5d', '--age', { min: 1, max: 9 }, ' of days')).toThrow(
      "--age must be a whole number of days from 1 to 9, not '5d'.",
    );
    expect(requireWholeNumber('5', '--age', { min: 1, max: 9 })).toBe(5);
  });
});
