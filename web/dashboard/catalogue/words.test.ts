/** How rates are printed and read. */
import { describe, expect, it } from 'vitest';
import { parsePercent, printPercent } from './words.js';

describe('percentages', () => {
  it.each([
    ['0.08500000', '8.5 %'],
    ['0.10000000', '10 %'],
    ['1.00000000', '100 %'],
    ['0.00000000', '0 %'],
    ['0.08875000', '8.875 %'],
    ['0.00500000', '0.5 %'],
  ])('%s is %s', (rate, percent) => {
    expect(printPercent(rate)).toBe(percent);
    expect(Number(parsePercent(percent))).toBe(Number(rate));
  });

  it.each([
    ['8,5', '0.085'],
    ['100', '1'],
    ['0', '0'],
    ['7', '0.07'],
    ['101', undefined],
    ['-1', undefined],
    ['ten', undefined],
    ['8.12345', undefined],
  ])('%s is read as %s', (typed, rate) => {
    expect(parsePercent(typed)).toBe(rate);
  });
});
