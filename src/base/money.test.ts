/** Money is counted in whole minor units, rounded as documented, and split without loss. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Amount,
  add,
  allocate,
  amount,
  InexactAmount,
  negate,
  portion,
  portions,
  shareOfPart,
  subtract,
  ZERO,
} from './money.js';

const amounts = fc.integer({ min: -100_000_000_000, max: 100_000_000_000 }).map(amount);
const positive = fc.integer({ min: 0, max: 100_000_000_000 }).map(amount);
// Small weights with large ones: many shares round the same way, and a large one must not absorb all the differences.
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
    expect(() => amount(units)).toThrow(InexactAmount);
  });

  it('has no negative zero', () => {
    expect(Object.is(amount(-0), 0)).toBe(true);
    expect(Object.is(negate(ZERO), 0)).toBe(true);
  });
});

describe('add, subtract and negate', () => {
  it('adds no amounts to zero', () => {
    expect(add()).toBe(0);
  });

  it('refuses a sum that is not exact', () => {
    expect(() => add(amount(Number.MAX_SAFE_INTEGER), amount(1))).toThrow(RangeError);
    expect(() => subtract(amount(Number.MIN_SAFE_INTEGER), amount(1))).toThrow(RangeError);
  });

  it('subtracts what was added', () => {
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
    [-1, 1, 2, -1], // a half is rounded away from zero, so that a refund is rounded like the charge
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

  it('of the negated amount is the negated portion', () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 1, max: 10_000 }), (value, n, d) => {
        expect(portion(negate(value), n, d)).toBe(negate(portion(value, n, d)));
      }),
    );
  });
});

describe('portions', () => {
  it.each([
    [[], []],
    [[[100, 1, 3]], [33]],
    // The running sums are 0.5, 1, 1.5 and 2.
    [
      [
        [1, 1, 2],
        [1, 1, 2],
        [1, 1, 2],
        [1, 1, 2],
      ],
      [1, 0, 1, 0],
    ],
    // 1/3 + 1/6 is exactly a half, and with 1/2 exactly one.
    [
      [
        [1, 1, 3],
        [1, 1, 6],
        [1, 1, 2],
      ],
      [0, 1, 0],
    ],
    [
      [
        [10, 1, 7],
        [0, 5, 3],
        [10, 6, 7],
      ],
      [1, 0, 9],
    ],
    [
      [
        [-1, 1, 2],
        [-1, 1, 2],
      ],
      [-1, 0],
    ],
  ])('of %j are %j', (shares, expected) => {
    const given = shares.map(([of = 0, numerator = 0, denominator = 0]) => ({
      of: amount(of),
      numerator,
      denominator,
    }));
    expect(portions(given)).toEqual(expected);
  });

  it('pass the excess over their maximum on to the parts after them', () => {
    const share = (most: number) => ({ of: amount(10), numerator: 1, denominator: 2, most: amount(most) });
    expect(portions([share(2), share(9), share(5)])).toEqual([2, 8, 5]);
    expect(portions([share(5), share(5), share(0)])).toEqual([5, 5, 0]);
  });

  it('refuse a denominator of zero', () => {
    expect(() => portions([{ of: amount(1), numerator: 1, denominator: 0 }])).toThrow(RangeError);
  });

  it('are never negative, add up to the exact sum rounded once, and are each within one unit of its share', () => {
    const share = fc.record({
      of: fc.oneof(positive, fc.integer({ min: 0, max: 10 }).map(amount)),
      numerator: fc.integer({ min: 0, max: 1000 }),
      denominator: fc.integer({ min: 1000, max: 1010 }),
    });
    fc.assert(
      fc.property(fc.array(share, { maxLength: 12 }), (shares) => {
        const parts = portions(shares);
        // A common denominator: the product of all possible ones.
        const one = Array.from({ length: 11 }, (_, index) => BigInt(1000 + index)).reduce((all, each) => all * each);
        const exact = shares.map((each) => (BigInt(each.of) * BigInt(each.numerator) * one) / BigInt(each.denominator));
        const sum = exact.reduce((all, each) => all + each, 0n);
        expect(BigInt(add(...parts))).toBe((2n * sum + one) / (2n * one));
        for (const [index, part] of parts.entries()) {
          expect(part).toBeGreaterThanOrEqual(0);
          const distance = BigInt(part) * one - (exact[index] ?? 0n);
          expect(distance < one && -distance < one).toBe(true);
        }
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
    // Ten small shares of 0.6 each get 6 or 7 together, not 10 at the expense of the last.
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

  it('gives zero to a weight of zero, and no part is negative', () => {
    fc.assert(
      fc.property(positive, weightLists, (whole, weights) => {
        for (const [index, part] of allocate(whole, weights).entries()) {
          expect(part).toBeGreaterThanOrEqual(0);
          if (weights[index] === 0) expect(part).toBe(0);
        }
      }),
    );
  });

  it('gives no part more than its weight if the whole is at most the sum of the weights', () => {
    fc.assert(
      fc.property(weightLists, fc.nat(), (weights, seed) => {
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        for (const [index, part] of allocate(amount(seed % (total + 1)), weights).entries()) {
          expect(part).toBeLessThanOrEqual(weights[index] ?? 0);
        }
      }),
    );
  });

  it('splits zero without weights, and refuses to split another amount without weights', () => {
    expect(allocate(ZERO, [])).toEqual([]);
    expect(allocate(ZERO, [0, 0])).toEqual([0, 0]);
    expect(() => allocate(amount(1), [0, 0])).toThrow(RangeError);
    expect(() => allocate(amount(1), [])).toThrow(RangeError);
  });
});

/** A total that is split into any number of parts of any size. */
const cutTotal = fc
  .array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 20 })
  .map((parts) => ({ parts: parts.map(amount), total: add(...parts.map(amount)) }));

function sharesOfParts(fee: Amount, total: Amount, parts: readonly Amount[]): Amount[] {
  let before = ZERO;
  return parts.map((part) => {
    const share = shareOfPart(fee, { total, before, part });
    before = add(before, part);
    return share;
  });
}

describe('shareOfPart', () => {
  it('is the whole fee for the whole total', () => {
    expect(shareOfPart(amount(59), { total: amount(1000), before: ZERO, part: amount(1000) })).toBe(59);
  });

  it('rounds half up, and leaves the rest to the last part', () => {
    expect(sharesOfParts(amount(59), amount(1000), [amount(500), amount(500)])).toEqual([30, 29]);
    expect(sharesOfParts(amount(30), amount(3), [amount(1), amount(1), amount(1)])).toEqual([10, 10, 10]);
    expect(sharesOfParts(amount(1), amount(3), [amount(1), amount(1), amount(1)])).toEqual([0, 1, 0]);
  });

  it('is zero if the total is zero', () => {
    expect(shareOfPart(amount(30), { total: ZERO, before: ZERO, part: ZERO })).toBe(0);
  });

  it('adds up to the fee however the total is split, is never negative, and is within one unit of its exact share', () => {
    fc.assert(
      fc.property(cutTotal, fc.integer({ min: 0, max: 30_000_000 }), ({ parts, total }, feeUnits) => {
        const fee = amount(feeUnits);
        const shares = sharesOfParts(fee, total, parts);
        expect(add(...shares)).toBe(fee);
        shares.forEach((share, index) => {
          expect(share).toBeGreaterThanOrEqual(0);
          expect(Math.abs(share - (fee * (parts[index] ?? 0)) / total)).toBeLessThanOrEqual(1);
        });
      }),
    );
  });
});
