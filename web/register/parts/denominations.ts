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

/** Nobody counts out more notes than this for a small sale. */
const MAX_NOTES = 4;

/**
 * What buyers usually give for an amount: exactly that, or a sum above it that a few notes make, rounded up to the smallest of these notes.
 */
export function suggestCash(due: number, currency: string, most = 4): readonly number[] {
  if (due <= 0) return [];
  const { notes } = denominationsOf(currency);
  const [largest = due] = notes;
  const rounded = notes.map((note) => Math.ceil(due / note) * note);
  const usual = rounded.filter((sum) => sum > due && countNotes(sum, notes) <= MAX_NOTES);
  const sums = usual.length > 0 ? usual : [Math.ceil((due + 1) / largest) * largest];
  return [due, ...[...new Set(sums)].sort((one, other) => one - other).slice(0, most - 1)];
}

function countNotes(sum: number, notes: readonly number[]): number {
  let [left, count] = [sum, 0];
  for (const note of notes) {
    count += Math.floor(left / note);
    left %= note;
  }
  return count;
}
