import { describe, expect, it } from 'vitest';
import { SeededRandom } from './seeded-random.js';

const draw = (seed: number): number[] => {
  const chance = new SeededRandom(seed);
  return Array.from({ length: 2000 }, () => chance.between(1, 6));
};

describe('Chance', () => {
  it('repeats itself for the same seed, and only then', () => {
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
  });

  it('falls on every number about as often', () => {
    for (const face of [1, 2, 3, 4, 5, 6]) {
      const count = draw(3).filter((drawn) => drawn === face).length;
      expect(count).toBeGreaterThan(260);
      expect(count).toBeLessThan(410);
    }
  });

  it('picks nothing from nothing', () => {
    expect(() => new SeededRandom(1).pick([])).toThrow(RangeError);
  });
});
