/** Exact arithmetic with money: safe integers in minor units of one currency. */

declare const amountBrand: unique symbol;

/** Minor units (cents). Only this file creates amounts, so other arithmetic does not type-check as an Amount. */
export type Amount = number & { readonly [amountBrand]: true };

export interface Money {
  readonly amount: Amount;
  readonly currency: string;
}

export const ZERO = 0 as Amount;

/** The largest amount in a request: more than any sale, and small enough that sums stay exact. */
export const MAX_AMOUNT = 99_999_999_999 as Amount;

/** Thrown when a result would not be exact. */
export class InexactAmount extends RangeError {}

export function amount(minorUnits: number): Amount {
  if (!Number.isSafeInteger(minorUnits)) throw new InexactAmount(`not an exact amount of money: ${minorUnits}`);
  return (minorUnits === 0 ? 0 : minorUnits) as Amount; // no negative zero
}

export function add(...amounts: readonly Amount[]): Amount {
  return amount(amounts.reduce<number>((sum, each) => sum + each, 0));
}

export function subtract(from: Amount, taken: Amount): Amount {
  return amount(from - taken);
}

export function negate(value: Amount): Amount {
  return amount(-value);
}

/** `value * numerator / denominator`, rounded half away from zero: shares, percentages and fees. */
export function portion(value: Amount, numerator: number, denominator: number): Amount {
  return round(BigInt(value) * BigInt(numerator), requireDenominator(denominator));
}

/** The exact `of * numerator / denominator`. */
export interface Share {
  readonly of: Amount;
  readonly numerator: number;
  readonly denominator: number;
  /** The maximum of this part. The excess goes to the parts after it. */
  readonly most?: Amount;
}

/**
 * Rounds the sum of all shares once and splits it. Each part is the difference between two rounded running sums. Unless a
 * `most` limits a share, the parts add up to the rounded sum, and each part is less than one unit away from its exact share.
 */
export function portions(shares: readonly Share[]): Amount[] {
  let [sum, divisor, assigned] = [0n, 1n, ZERO];
  return shares.map(({ of, numerator, denominator, most }) => {
    const own = requireDenominator(denominator);
    const common = (divisor / greatestCommonDivisor(divisor, own)) * own;
    sum = sum * (common / divisor) + BigInt(of) * BigInt(numerator) * (common / own);
    divisor = common;
    const unlimited = subtract(round(sum, divisor), assigned);
    const part = most !== undefined && most < unlimited ? most : unlimited;
    assigned = add(assigned, part);
    return part;
  });
}

/** Splits by weight. The parts add up to the whole; if the whole is at most the sum of the weights, no part exceeds its weight. */
export function allocate(whole: Amount, weights: readonly number[]): Amount[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0 && whole !== 0) throw new RangeError('cannot allocate an amount: all weights are zero');
  return portions(weights.map((weight) => ({ of: whole, numerator: weight, denominator: total || 1 })));
}

/**
 * The share that one part of a total has in an amount for the whole total, such as a fee, a tip or a tax. It is the
 * difference of two rounded running sums, so the shares of successive parts add up to the whole amount.
 */
export function shareOfPart(
  whole: Amount,
  { total, before, part }: { readonly total: Amount; readonly before: Amount; readonly part: Amount },
): Amount {
  if (total === 0) return ZERO;
  return subtract(portion(whole, add(before, part), total), portion(whole, before, total));
}

function requireDenominator(denominator: number): bigint {
  if (denominator <= 0) throw new RangeError(`denominator must be positive: ${denominator}`);
  return BigInt(denominator);
}

/** Rounds half away from zero, so that a refund (negative) is rounded like the charge. */
function round(dividend: bigint, divisor: bigint): Amount {
  const magnitude = ((dividend < 0n ? -dividend : dividend) * 2n + divisor) / (2n * divisor);
  return amount(Number(dividend < 0n ? -magnitude : magnitude));
}

function greatestCommonDivisor(one: bigint, other: bigint): bigint {
  return other === 0n ? one : greatestCommonDivisor(other, one % other);
}
