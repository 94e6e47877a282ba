/** Splits what is due into parts. Pure. */

/** Equal parts; the first ones are a minor unit larger if it does not come out even. They always add up. */
export function splitEvenly(due: number, parts: number): readonly number[] {
  const [least, rest] = [Math.floor(due / parts), due % parts];
  return Array.from({ length: parts }, (_, index) => least + (index < rest ? 1 : 0));
}
