/** What buyers hand over, and the notes and coins of a currency. */
import { describe, expect, it } from 'vitest';
import { denominationsOf, suggestCash } from './denominations.js';

describe('suggestCash', () => {
  it.each([
    [1473, 'USD', [1473, 1500, 2000, 5000]],
    [450, 'USD', [450, 500, 1000, 2000]],
    [2000, 'USD', [2000, 5000, 10_000]],
    [1, 'USD', [1, 100, 500, 1000]],
    [12_345, 'USD', [12_345, 12_500, 13_000, 14_000]],
    [980, 'JPY', [980, 1000, 5000, 10_000]],
    [99_999, 'EUR', [99_999, 100_000]],
    [0, 'USD', []],
  ])('%i %s', (due, currency, expected) => {
    expect(suggestCash(due, currency).slice(0, expected.length)).toEqual(expected);
  });

  it('returns at most four amounts, which rise from the exact one', () => {
    for (let due = 1; due < 30_000; due += 37) {
      const suggested = suggestCash(due, 'USD');
      expect(suggested[0]).toBe(due);
      expect(suggested.length).toBeLessThanOrEqual(4);
      expect([...suggested].sort((a, b) => a - b)).toEqual(suggested);
      expect(new Set(suggested).size).toBe(suggested.length);
    }
  });
});

describe('denominationsOf', () => {
  it('has a list for every currency', () => {
    expect(denominationsOf('USD').notes[0]).toBe(10_000);
    expect(denominationsOf('XYZ').coins.length).toBeGreaterThan(0);
  });
});
