/** Splitting what is due. */
import { expect, it } from 'vitest';
import { partsLeft, splitEvenly } from './split.js';

it('splits evenly, and the parts add up', () => {
  expect(splitEvenly(1000, 3)).toEqual([334, 333, 333]);
  expect(splitEvenly(1, 2)).toEqual([1, 0]);
  for (let due = 0; due < 500; due += 7) {
    for (let parts = 1; parts < 9; parts++) {
      expect(splitEvenly(due, parts).reduce((sum, part) => sum + part, 0)).toBe(due);
    }
  }
});

it('returns the parts that are left, also if a gift card covered only some of one', () => {
  expect(partsLeft([334, 333, 333], 1000)).toEqual([334, 333, 333]);
  expect(partsLeft([334, 333, 333], 666)).toEqual([333, 333]);
  expect(partsLeft([334, 333, 333], 900)).toEqual([234, 333, 333]);
  expect(partsLeft([334, 333, 333], 0)).toEqual([]);
});
