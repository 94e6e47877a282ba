/** What returned items are worth: what was paid for them, with taxes and discounts. Pure. */
import type { WireFoundSale } from '../parts/wire.js';

export type Quantities = Readonly<Record<number, number>>;

export function toItems(quantities: Quantities): { line: number; quantity: string }[] {
  return Object.entries(quantities)
    .filter(([, quantity]) => quantity > 0)
    .map(([line, quantity]) => ({ line: Number(line), quantity: String(quantity) }));
}

/**
 * The server computes a part of a line as a difference of rounded running sums (decision 0146): what has come back before, and what
 * comes back now.
 */
export function worthOf({ lines }: Pick<WireFoundSale, 'lines'>, quantities: Quantities): number {
  return lines.reduce((sum, { line, quantity: all, returned_quantity: before, total_money: { amount } }) => {
    const wanted = quantities[line] ?? 0;
    const upTo = (count: number): number => Math.round((amount * count) / all);
    return sum + (wanted === 0 ? 0 : upTo(before + wanted) - upTo(before));
  }, 0);
}

/** How many can still come back. */
export function leftOf({
  quantity,
  returned_quantity: returned,
}: Pick<WireFoundSale['lines'][number], 'quantity' | 'returned_quantity'>): number {
  return quantity - returned;
}
