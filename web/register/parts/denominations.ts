/** The notes and coins of a currency, and what a buyer is likely to hand over. */

const CENTS: readonly number[] = [10_000, 5000, 2000, 1000, 500, 200, 100, 50, 20, 10, 5, 2, 1];

/** In minor units, from the largest. The first list has the notes. */
const BY_CURRENCY: Readonly<Record<string, readonly [notes: readonly number[], coins: readonly number[]]>> = {
  USD: [
    [10_000, 5000, 2000, 1000, 500, 100],
    [25, 10, 5, 1],
  ],
  CAD: [
    [10_000, 5000, 2000, 1000, 500],
    [200, 100, 25, 10, 5],
  ],
  EUR: [
    [10_000, 5000, 2000, 1000, 500],
    [200, 100, 50, 20, 10, 5, 2, 1],
  ],
  GBP: [
    [5000, 2000, 1000, 500],
    [200, 100, 50, 20, 10, 5, 2, 1],
  ],
  AUD: [
    [10_000, 5000, 2000, 1000, 500],
    [200, 100, 50, 20, 10, 5],
  ],
  JPY: [
    [10_000, 5000, 1000],
    [500, 100, 50, 10, 5, 1],
  ],
};

export interface Denominations {
  readonly notes: readonly number[];
  readonly coins: readonly number[];
}

export function denominationsOf(currency: string): Denominations {
  const [notes, coins] = BY_CURRENCY[currency] ?? [CENTS.slice(0, 5), CENTS.slice(5)];
  return { notes, coins };
}

/**
 * What buyers usually give for an amount: exactly that, and the amounts that the fewest notes make. Every suggestion is something that a
 * person would take out of a purse: one note, or a few of the same kind.
 */
export function suggestCash(due: number, currency: string, most = 4): readonly number[] {
  if (due <= 0) return [];
  const { notes } = denominationsOf(currency);
  const rounded = [...notes]
    .reverse()
    .map((note) => ({ note, amount: Math.ceil(due / note) * note }))
    .filter(({ note, amount }) => amount > due && amount / note <= 5);
  const large = notes[0] ?? due;
  const fallback = due >= large ? [Math.ceil((due + 1) / large) * large] : [];
  const amounts = [...new Set([...rounded.map(({ amount }) => amount), ...fallback])].sort((a, b) => a - b);
  return [due, ...amounts.slice(0, most - 1)];
}
