import { describe, expect, it } from 'vitest';
import { SeededRandom } from './seeded-random.js';

const draw = (seed: number): number[] => {
  const random = new SeededRandom(seed);
  return Array.from({ length: 2000 }, () => random.between(1, 6));
};

describe('SeededRandom', () => {
  it('returns the same sequence for the same seed only', () => {
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
  });

  it('returns every number about equally often', () => {
    for (const face of [1, 2, 3, 4, 5, 6]) {
      const count = draw(3).filter((drawn) => drawn === face).length;
      expect(count).toBeGreaterThan(260);
      expect(count).toBeLessThan(410);
    }
  });

  it('refuses to pick from an empty list', () => {
    expect(() => new SeededRandom(1).pick([])).toThrow(RangeError);
  });
});
