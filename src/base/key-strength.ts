/** Estimates how hard a key is to guess. */

/** What a key may be made of, smallest first, and how many letters each has. */
const ALPHABETS = [
  [/^[0-9]*$/, 10],
  [/^(?:[0-9a-f]*|[0-9A-F]*)$/, 16],
  [/^(?:[a-z]*|[A-Z]*)$/, 26],
  [/^(?:[0-9a-z_-]*|[0-9A-Z_-]*)$/, 36],
] as const;
const LETTERS_OF_OTHERS = 62;

/** By length and alphabet, and less where few different letters occur or a part is repeated: what comes again adds nothing. */
export function estimateBits(key: string): number {
  const letters = ALPHABETS.find(([pattern]) => pattern.test(key))?.[1] ?? LETTERS_OF_OTHERS;
  return repeatedLength(key) * Math.log2(Math.min(letters, new Set(key).size ** 2));
}

/** The length of the shortest beginning that, written at least twice, makes the key; its whole length where there is none. */
function repeatedLength(key: string): number {
  for (let length = 1; length <= key.length / 2; length++) {
    if (key.startsWith(key.slice(length))) return length;
  }
  return key.length;
}
