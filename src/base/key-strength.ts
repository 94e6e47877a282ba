/** Estimates how hard a key is to guess. */

/** The character sets that a key can use, smallest first, with the size of each. */
const ALPHABETS = [
  [/^[0-9]*$/, 10],
  [/^(?:[0-9a-f]*|[0-9A-F]*)$/, 16],
  [/^(?:[a-z]*|[A-Z]*)$/, 26],
  [/^(?:[0-9a-z_-]*|[0-9A-Z_-]*)$/, 36],
] as const;
const DEFAULT_ALPHABET_SIZE = 62;

/** Uses length and alphabet. A key with few distinct characters or with a repeated part counts less: repetition adds no entropy. */
export function estimateBits(key: string): number {
  const alphabetSize = ALPHABETS.find(([pattern]) => pattern.test(key))?.[1] ?? DEFAULT_ALPHABET_SIZE;
  return shortestPeriod(key) * Math.log2(Math.min(alphabetSize, new Set(key).size ** 2));
}

/** The length of the shortest prefix that yields the key when repeated; the length of the key if no prefix does. */
function shortestPeriod(key: string): number {
  for (let length = 1; length <= key.length / 2; length++) {
    if (key.startsWith(key.slice(length))) return length;
  }
  return key.length;
}
