/** How rates are printed. */
import { expect, it } from 'vitest';
import { printPercent } from './percent.js';

it.each([
  ['0.08625', '8.625 %'],
  ['0.1', '10 %'],
  ['1', '100 %'],
  ['0.005', '0.5 %'],
  ['0', '0 %'],
])('%s is %s', (rate, text) => {
  expect(printPercent(rate)).toBe(text);
});
