/** What the register sells, and what somebody chose of it. */

import { amount } from '../../../src/base/money.js';
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
  readonly options: readonly ModifierOption[];
  readonly quantity: number;
  readonly note: string;
}

export function modifierListsOf(catalogue: Catalogue, item: WireItem): readonly ModifierList[] {
  return item.modifier_list_ids.flatMap((id) => catalogue.modifier_lists.filter((list) => list.id === id));
}

/** Nothing has to be asked: one variation, and no modifiers. */
export function isPlain(item: WireItem): boolean {
  return item.variations.length === 1 && item.modifier_list_ids.length === 0;
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
