/** What the store sells and whose it is, as the checkout tells it. */
import { useQuery } from '@tanstack/react-query';
import type { ResponseOf } from '../client/callable.js';
import { checkout } from '../client/checkout-operations.js';
import type { WireMoney } from '../ui/money.js';
import { ask } from './ask.js';
import type { CartLine } from './cart/cart.js';

export type Item = ResponseOf<typeof checkout.listItems>['items'][number];
export type Variation = Item['variations'][number];
export type Order = ResponseOf<typeof checkout.retrieveOrder>['order'];
export type StoreFacts = ResponseOf<typeof checkout.showStore>['store'];

export function useStoreFacts() {
  return useQuery({ queryKey: ['store'], queryFn: async () => (await ask(checkout.showStore)).store });
}

export function useItems() {
  return useQuery({ queryKey: ['items'], queryFn: async () => (await ask(checkout.listItems)).items });
}

/** A line of the cart with what the catalogue says about it. */
export interface PricedLine {
  readonly line: CartLine;
  readonly item: Item;
  /** The size or kind, and the chosen options. */
  readonly choices: readonly string[];
  readonly price: WireMoney;
}

/** Undefined if the store no longer sells it in this way. */
export function priceLine(line: CartLine, items: readonly Item[]): PricedLine | undefined {
  const item = items.find(({ id }) => id === line.itemId);
  const variation = item?.variations.find(({ id }) => id === line.variationId);
  if (!item || !variation) return undefined;
  const offered = item.modifier_lists.flatMap(({ options }) => options);
  const options = line.optionIds.flatMap((id) => offered.find((option) => option.id === id) ?? []);
  if (options.length < line.optionIds.length) return undefined;
  const each = options.reduce((sum, option) => sum + option.price_money.amount, variation.price_money.amount);
  return {
    line,
    item,
    choices: [...(item.variations.length > 1 ? [variation.name] : []), ...options.map(({ name }) => name)],
    price: { amount: each * line.quantity, currency: variation.price_money.currency },
  };
}

export function sumOf(lines: readonly PricedLine[]): WireMoney | undefined {
  const [first] = lines;
  if (!first || !('currency' in first.price)) return undefined;
  return { amount: lines.reduce((sum, { price }) => sum + price.amount, 0), currency: first.price.currency };
}
