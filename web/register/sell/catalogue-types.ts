/** What the register sells, and what somebody chose of it. */

import { type Amount, amount } from '../../../src/base/money.js';
import type { CartDiscount } from '../core/cart.js';
import type { Catalogue } from '../core/catalogue.js';
import type { WireItem, WireVariation } from '../core/wire.js';

export type ModifierList = Catalogue['modifier_lists'][number];
export type ModifierOption = ModifierList['options'][number];
export type Discount = Catalogue['discounts'][number];

/** What somebody chose in the dialog of an item. */
export interface ItemChoice {
  readonly item: WireItem;
  readonly variation: WireVariation;
  /** Of one, without options: typed if it is variable. */
  readonly price: Amount;
  readonly options: readonly ModifierOption[];
  readonly quantity: number;
  readonly note: string;
}

export function modifierListsOf(catalogue: Catalogue, item: WireItem): readonly ModifierList[] {
  return item.modifier_list_ids.flatMap((id) => catalogue.modifier_lists.filter((list) => list.id === id));
}

/** Nothing has to be asked: one variation with a fixed price, and no modifiers. */
export function isPlain({ variations, modifier_list_ids }: WireItem): boolean {
  return variations.length === 1 && !variations[0]?.variable_price && modifier_list_ids.length === 0;
}

export function usualPrice({ price_money }: WireVariation): Amount {
  return amount(price_money.amount);
}

export function toCartDiscount({ id, name, rate, amount_money: money, restricted }: Discount): CartDiscount {
  return {
    id,
    name,
    restricted,
    ...(rate !== undefined && { rate }),
    ...(money && { amount: amount(money.amount) }),
  };
}
