/**
 * How often tests repeat themselves. The usual tests prove each behaviour. `npm run test:long` repeats more: longer random histories, and races
 * on one server besides those on two (decision 0204).
 */
export const isLong = Boolean(process.env['TILLHOUSE_LONG']);

/** The number of repetitions of a random test. */
export function repetitions({ usual, long }: { readonly usual: number; readonly long: number }): number {
  return isLong ? long : usual;
}
