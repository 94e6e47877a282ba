/** How rates are printed. */
import { expect, it } from 'vitest';
import { printPercent, toRate } from './percent.js';

it.each([
  ['0.08625', '8.625 %'],
  ['0.1', '10 %'],
  ['1', '100 %'],
  ['0.005', '0.5 %'],
  ['0', '0 %'],
])('%s is %s', (rate, text) => {
  expect(printPercent(rate)).toBe(text);
});

it.each([
  ['8.625', '0.08625'],
  ['10', '0.1'],
  ['100', '1'],
  ['0.5', '0.005'],
  ['0', '0'],
])('%s percent are the rate %s', (percentage, rate) => {
  expect(toRate(percentage)).toBe(rate);
});
