/** What returned items are worth: what was paid for them, with taxes and discounts. Pure. */
import { type Amount, amount } from '../../../src/base/money.js';
import type { ReturnSource } from '../core/cart.js';
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

/** The tenders that returned items or goods of a value come from, as the server takes them: in their order; items leave the tips. */
export function sourcesOf(
  { tenders }: Pick<WireFoundSale, 'tenders'>,
  value: number,
  by: 'items' | 'amount',
): ReturnSource[] {
  let missing = value;
  return tenders.flatMap(({ type, refundable_money: left, tip_money: tip }) => {
    const available = Math.max(0, left.amount - (by === 'items' ? tip.amount : 0));
    const part = Math.min(missing, available);
    missing -= part;
    return part > 0 ? [{ isCash: type === 'CASH', amount: amount(part) }] : [];
  });
}

/** The cash that a refund takes out of the drawer. A refund of an amount is of the first tender. */
export function cashOutOf(sale: Pick<WireFoundSale, 'tenders'>, value: number, by: 'items' | 'amount'): Amount {
  if (by === 'amount') return amount(sale.tenders[0]?.type === 'CASH' ? value : 0);
  const cash = sourcesOf(sale, value, by).filter(({ isCash }) => isCash);
  return amount(cash.reduce((sum, each) => sum + each.amount, 0));
}
