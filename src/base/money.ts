/** Makes and adds money: whole minor units of one currency, never a fraction, never beyond a safe integer. */

declare const amountBrand: unique symbol;

/** Minor units (cents). Only this file makes one, so arithmetic elsewhere does not compile into an Amount. */
export type Amount = number & { readonly [amountBrand]: true };

export interface Money {
  readonly amount: Amount;
  readonly currency: string;
}

export const ZERO = 0 as Amount;

/** The most that one request may be about: far beyond any till, far below where sums would lose exactness. */
export const MAX_AMOUNT = 99_999_999_999 as Amount;

/** What arithmetic throws instead of counting wrong. */
export class NotAnAmount extends RangeError {}

export function amount(minorUnits: number): Amount {
  if (!Number.isSafeInteger(minorUnits)) throw new NotAnAmount(`not an amount of money: ${minorUnits}`);
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
  /** The part is never more than this; what does not fit goes to those after it. */
  readonly most?: Amount;
}

/**
 * Shares of a sum that is rounded once: the parts always add up to the rounded sum, and none is a unit off its exact
 * share, since each ends where the rounded sum of all shares so far ends; both as far as no share has a `most` to meet.
 */
export function portions(shares: readonly Share[]): Amount[] {
  let [sum, divisor, givenSoFar] = [0n, 1n, ZERO];
  return shares.map(({ of, numerator, denominator, most }) => {
    const own = requireDenominator(denominator);
    const common = (divisor / greatestCommonDivisor(divisor, own)) * own;
    sum = sum * (common / divisor) + BigInt(of) * BigInt(numerator) * (common / own);
    divisor = common;
    const wanted = subtract(round(sum, divisor), givenSoFar);
    const part = most !== undefined && most < wanted ? most : wanted;
    givenSoFar = add(givenSoFar, part);
    return part;
  });
}

/** Splits by weight so that the parts always add up to the whole, and none is more than its weight where the whole fits. */
export function allocate(whole: Amount, weights: readonly number[]): Amount[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0 && whole !== 0) throw new RangeError('nothing to allocate an amount by');
  return portions(weights.map((weight) => ({ of: whole, numerator: weight, denominator: total || 1 })));
}

/**
 * What a part of a total has of something that belongs to the whole of it: a fee, a tip, a tax. Counted from the sums
 * before and after, so that the shares of successive parts add up to all of it.
 */
export function shareOfPart(
  whole: Amount,
  { total, before, part }: { readonly total: Amount; readonly before: Amount; readonly part: Amount },
): Amount {
  if (total === 0) return ZERO;
  return subtract(portion(whole, add(before, part), total), portion(whole, before, total));
}

function requireDenominator(denominator: number): bigint {
  if (denominator <= 0) throw new RangeError(`not a denominator: ${denominator}`);
  return BigInt(denominator);
}

/** The nearest whole amount, at a half the one further from zero, so that what is given back is what was taken. */
function round(dividend: bigint, divisor: bigint): Amount {
  const magnitude = ((dividend < 0n ? -dividend : dividend) * 2n + divisor) / (2n * divisor);
  return amount(Number(dividend < 0n ? -magnitude : magnitude));
}

function greatestCommonDivisor(one: bigint, other: bigint): bigint {
  return other === 0n ? one : greatestCommonDivisor(other, one % other);
}
