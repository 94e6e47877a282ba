/** The prices of the catalogue for what a register sells, and what the owner should know about other prices (decision 0210). */
import { QUANTITY_OF_ONE } from '../../base/decimal.js';
import type { Flag, FlagCode } from '../../identity/kept-write.js';
import { listItems, listItemsOfVariations, listModifierLists } from '../catalogue/queries.js';
import { type ListPrices, toListPrices } from '../receipts/list-prices.js';
import type { ItemInput, ReceiptInput } from '../receipts/model.js';
import type { SaleAct } from './actions.js';

/** The prices of the lines of these receipts, whose lines have ids. */
export async function findListPrices(
  { database: { sql }, merchant }: Pick<SaleAct, 'database' | 'merchant'>,
  receipts: readonly ReceiptInput[],
): Promise<ListPrices> {
  const lines = receipts.flatMap(({ items }) => items);
  const itemIds = lines.flatMap(({ detail }) => detail?.itemId ?? []);
  const hasOptions = lines.some(({ modifiers }) => modifiers.length > 0);
  const [named, lists] = await Promise.all([
    itemIds.length > 0 ? listItems(sql, merchant.id, itemIds) : [],
    hasOptions ? listModifierLists(sql, merchant.id) : [],
  ]);
  const known = new Set(named.flatMap(({ variations }) => variations.map(({ id }) => id)));
  const others = lines.flatMap(({ detail }) => detail?.itemVariationId ?? []).filter((id) => !known.has(id));
  const more = others.length > 0 ? await listItemsOfVariations(sql, merchant.id, others) : [];
  return toListPrices(
    [...named, ...more],
    lists.flatMap(({ options }) => options),
  );
}

/** A sale that happened offline may have had the prices of an older catalogue (decision 0155). */
export function findPriceFlags({ items }: ReceiptInput, prices: ListPrices): Flag[] {
  const changed = items.filter((item) => {
    const listed = prices.ofItem(item);
    if (listed && !listed.variablePrice && listed.price !== item.price) return true;
    return item.modifiers.some(({ optionId, price }) => (prices.ofOption(optionId) ?? price) !== price);
  });
  return toFlags('PRICE_CHANGED', 'The catalogue has another price now', changed);
}

/** What has no price in the catalogue, for the owner who restricts discounts. `before` was there before an edit. */
export function findUnlistedFlags({ items }: ReceiptInput, before: ReceiptInput | null, prices: ListPrices): Flag[] {
  const left = (before?.items ?? []).map(contentOf);
  const added = items.filter((item) => {
    const index = left.indexOf(contentOf(item));
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
  const isCustom = (item: ItemInput): boolean => {
    const listed = prices.ofItem(item);
    return !listed || (listed.variablePrice === true && listed.itemName !== item.name);
  };
  const isPart = (item: ItemInput): boolean =>
    !isCustom(item) && item.quantity % QUANTITY_OF_ONE !== 0 && !prices.ofItem(item)?.soldByMeasure;
  return [
    ...toFlags('CUSTOM_AMOUNT', 'Sold for a custom amount', added.filter(isCustom)),
    ...toFlags('PART_OF_ITEM', 'Only a part of one piece was sold', added.filter(isPart)),
  ];
}

function contentOf({ kind, name, price, quantity, detail }: ItemInput): string {
  return JSON.stringify([kind, name, price, quantity, detail?.itemId, detail?.itemVariationId]);
}

function toFlags(code: FlagCode, words: string, items: readonly ItemInput[]): Flag[] {
  const names = [...new Set(items.map(({ name }) => name))];
  return names.length === 0 ? [] : [{ code, detail: `${words}: ${names.join(', ').slice(0, 500)}.` }];
}
