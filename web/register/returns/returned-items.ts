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
 * Computes a part of a line as the server does: the rounded value of all that has come back with it, minus the rounded value of what came
 * back before (decision 0146).
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

/** The tenders that returned items come from, as the server takes them: in their order, and without the tips. */
export function sourcesOf({ tenders }: Pick<WireFoundSale, 'tenders'>, value: number): ReturnSource[] {
  let missing = value;
  return tenders.flatMap((tender) => {
    const part = Math.min(missing, Math.max(0, tender.refundable_money.amount - tender.tip_money.amount));
    missing -= part;
    return sourcesOfTender(tender, part);
  });
}

/** What a part of a tender comes from: the tender itself, or what was paid for the goods that paid by it. */
export function sourcesOfTender(tender: WireFoundSale['tenders'][number], value: number): ReturnSource[] {
  let missing = value;
  return payersOf(tender).flatMap(({ type, left }) => {
    const part = Math.min(missing, left);
    missing -= part;
    return part > 0 ? [{ isCash: type === 'CASH', amount: amount(part) }] : [];
  });
}

type PayerOfTender = Pick<WireFoundSale['tenders'][number], 'type' | 'name' | 'card_brand' | 'last_4'> & {
  readonly is_exchange?: boolean;
  readonly left: number;
};

/** What gives the money of a tender back, and how much of it is left. */
export function payersOf(tender: WireFoundSale['tenders'][number]): PayerOfTender[] {
  return (
    tender.returns_to?.map(({ tender: payer, amount_money: { amount: left } }) => ({ ...payer, left })) ?? [
      { ...tender, left: tender.refundable_money.amount },
    ]
  );
}

/** The cash that a refund takes out of the drawer. */
export function cashOutOf(sources: readonly ReturnSource[]): Amount {
  return amount(sources.filter(({ isCash }) => isCash).reduce((sum, each) => sum + each.amount, 0));
}
