/** Makes and adds money: whole minor units of one currency, never a fraction, never beyond a safe integer. */

declare const amountBrand: unique symbol;

/** Minor units (cents). Only this file makes one, so arithmetic elsewhere does not compile into an Amount. */
export type Amount = number & { readonly [amountBrand]: true };

export interface Money {
  readonly amount: Amount;
  readonly currency: string;
}

export const ZERO = 0 as Amount;

export function amount(minorUnits: number): Amount {
  if (!Number.isSafeInteger(minorUnits)) throw new RangeError(`not an amount of money: ${minorUnits}`);
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
  const [product, divisor] = [BigInt(value) * BigInt(numerator), BigInt(denominator)];
  if (divisor <= 0n) throw new RangeError(`not a denominator: ${denominator}`);
  const magnitude = ((product < 0n ? -product : product) * 2n + divisor) / (2n * divisor);
  return amount(Number(product < 0n ? -magnitude : magnitude));
}

/**
 * Splits by weight so that the parts always add up to the whole and none is a unit off its exact share: each part ends
 * where the share of all weights so far ends.
 */
export function allocate(whole: Amount, weights: readonly number[]): Amount[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0 && whole !== 0) throw new RangeError('nothing to allocate an amount by');
  let [weightSoFar, givenSoFar] = [0, ZERO];
  return weights.map((weight) => {
    weightSoFar += weight;
    const given = total === 0 ? ZERO : portion(whole, weightSoFar, total);
    const part = subtract(given, givenSoFar);
    givenSoFar = given;
    return part;
  });
}
