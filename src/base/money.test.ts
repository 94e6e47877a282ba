/** Money: whole minor units, rounding that is said aloud, and splits that lose nothing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { add, allocate, amount, negate, portion, subtract, ZERO } from './money.js';

const amounts = fc.integer({ min: -100_000_000_000, max: 100_000_000_000 }).map(amount);
const positive = fc.integer({ min: 0, max: 100_000_000_000 }).map(amount);
// Small weights beside large ones: many shares that round the same way, and one that must not pay for them.
const weightLists = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 100_000 })), {
    minLength: 1,
    maxLength: 40,
  })
  .filter((weights) => weights.some((weight) => weight > 0));

describe('amount', () => {
  it.each([0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])('takes %s', (units) => {
    expect(amount(units)).toBe(units);
  });

  it.each([0.5, 19.99, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -(2 ** 53)])('refuses %s', (units) => {
    expect(() => amount(units)).toThrow(RangeError);
  });

  it('knows no negative zero', () => {
    expect(Object.is(amount(-0), 0)).toBe(true);
    expect(Object.is(negate(ZERO), 0)).toBe(true);
  });
});

describe('add, subtract and negate', () => {
  it('adds nothing to nothing', () => {
    expect(add()).toBe(0);
  });

  it('refuses a sum beyond what is counted exactly', () => {
    expect(() => add(amount(Number.MAX_SAFE_INTEGER), amount(1))).toThrow(RangeError);
    expect(() => subtract(amount(Number.MIN_SAFE_INTEGER), amount(1))).toThrow(RangeError);
  });

  it('takes back what was added', () => {
    fc.assert(
      fc.property(amounts, amounts, (one, other) => {
        expect(subtract(add(one, other), other)).toBe(one);
        expect(add(one, negate(one))).toBe(0);
      }),
    );
  });
});

describe('portion', () => {
  it.each([
    [100, 29, 1000, 3], // 2.9
    [50, 29, 1000, 1], // 1.45
    [500, 29, 1000, 15], // 14.5 rounds up
    [1, 1, 2, 1], // 0.5 rounds up
    [1, 49, 100, 0], // 0.49
    [-1, 1, 2, -1], // a half goes away from zero, so that what is given back is what was taken
    [-500, 29, 1000, -15],
    [3, 1, 3, 1],
    [0, 29, 1000, 0],
    [1000, 0, 7, 0],
    [Number.MAX_SAFE_INTEGER, 1, 1, Number.MAX_SAFE_INTEGER],
    [Number.MAX_SAFE_INTEGER, 999, 1000, 8_998_192_055_486_250],
  ])('of %i times %i/%i is %i', (value, numerator, denominator, expected) => {
    expect(portion(amount(value), numerator, denominator)).toBe(expected);
  });

  it.each([0, -1])('refuses the denominator %i', (denominator) => {
    expect(() => portion(amount(1), 1, denominator)).toThrow(RangeError);
  });

  it('is the nearest whole amount, the upper one at a half', () => {
    fc.assert(
      fc.property(positive, fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 1, max: 10_000 }), (value, n, d) => {
        // part - 1/2 <= exact < part + 1/2, in whole numbers
        const [part, exact] = [BigInt(portion(value, n, d)), BigInt(value) * BigInt(n)];
        expect((2n * part - 1n) * BigInt(d) <= 2n * exact).toBe(true);
        expect((2n * part + 1n) * BigInt(d) > 2n * exact).toBe(true);
      }),
    );
  });

  it('of the opposite amount is the opposite', () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 1, max: 10_000 }), (value, n, d) => {
        expect(portion(negate(value), n, d)).toBe(negate(portion(value, n, d)));
      }),
    );
  });
});

describe('allocate', () => {
  it.each([
    [100, [1, 1, 1], [33, 34, 33]],
    [100, [1], [100]],
    [0, [3, 4], [0, 0]],
    [10, [0, 1, 0], [0, 10, 0]],
    [-100, [1, 1, 1], [-33, -34, -33]],
    [1, [1, 1], [1, 0]],
    // Ten small shares of 0.6 each: 6 or 7 in all, not 10 at the cost of the last.
    [1000, [6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 9940], [1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 994]],
  ])('of %i by %j is %j', (whole, weights, expected) => {
    expect(allocate(amount(whole), weights)).toEqual(expected);
  });

  it('always adds up to the whole', () => {
    fc.assert(
      fc.property(amounts, weightLists, (whole, weights) => {
        expect(add(...allocate(whole, weights))).toBe(whole);
      }),
    );
  });

  it('gives each part within one unit of its exact share', () => {
    fc.assert(
      fc.property(
        fc.oneof(amounts, fc.integer({ min: -1000, max: 1000 }).map(amount)),
        weightLists,
        (whole, weights) => {
          const total = BigInt(weights.reduce((sum, weight) => sum + weight, 0));
          for (const [index, part] of allocate(whole, weights).entries()) {
            const distance = BigInt(part) * total - BigInt(whole) * BigInt(weights[index] ?? 0);
            expect(distance <= total && -distance <= total).toBe(true);
          }
        },
      ),
    );
  });

  it('gives nothing to a weight of nothing, and never takes from one part to give to another', () => {
    fc.assert(
      fc.property(positive, weightLists, (whole, weights) => {
        for (const [index, part] of allocate(whole, weights).entries()) {
          expect(part).toBeGreaterThanOrEqual(0);
          if (weights[index] === 0) expect(part).toBe(0);
        }
      }),
    );
  });

  it('splits nothing by no weight at all, and refuses to lose something that way', () => {
    expect(allocate(ZERO, [])).toEqual([]);
    expect(allocate(ZERO, [0, 0])).toEqual([0, 0]);
    expect(() => allocate(amount(1), [0, 0])).toThrow(RangeError);
    expect(() => allocate(amount(1), [])).toThrow(RangeError);
  });
});
