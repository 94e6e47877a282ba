/** Splits what is due into parts. Pure. */

/**
 * The parts that are still to be paid, in order, when `due` is left of their sum. What was paid covers the first ones; a gift card may have
 * covered only some of one.
 */
export function partsLeft(parts: readonly number[], due: number): readonly number[] {
  let paid = parts.reduce((sum, part) => sum + part, 0) - due;
  return parts.flatMap((part) => {
    const covered = Math.min(paid, part);
    paid -= covered;
    return covered < part ? [part - covered] : [];
  });
}

/** Equal parts. If the amount cannot be divided evenly, the first parts are one minor unit larger. They always add up. */
export function splitEvenly(due: number, parts: number): readonly number[] {
  const [least, rest] = [Math.floor(due / parts), due % parts];
  return Array.from({ length: parts }, (_, index) => least + (index < rest ? 1 : 0));
}
