/** The prices of the catalogue for what a register sells, and what differs from them (decision 0210). */
import { QUANTITY_OF_ONE, type Quantity } from '../../base/decimal.js';
import { type Amount, add, MAX_AMOUNT, portion, subtract, ZERO } from '../../base/money.js';
import type { Flag, FlagCode } from '../../identity/kept-write.js';
import type { Item, ModifierOption, Variation } from '../catalogue/model.js';
import { listItems, listItemsOfVariations, listModifierLists } from '../catalogue/queries.js';
import type { ItemInput, ReceiptInput } from '../receipts/model.js';
import type { SaleContext } from './actions.js';

/** A variation with the name of its item. */
type ListedPrice = Variation & { readonly itemName: string };

export interface ListPrices {
  /** What the catalogue says about the item of a line. Undefined for a custom amount. */
  ofItem(item: ItemInput): ListedPrice | undefined;
  ofOption(id: string | undefined): Amount | undefined;
}

/** The prices of the lines of these receipts, whose lines have ids. */
export async function findListPrices(
  { database: { sql }, merchant }: Pick<SaleContext, 'database' | 'merchant'>,
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

function toListPrices(items: readonly Item[], options: readonly ModifierOption[]): ListPrices {
  const listed = new Map(
    items.map((item) => [item.id, item.variations.map((each) => ({ ...each, itemName: item.name }))]),
  );
  const variations = new Map([...listed.values()].flat().map((each) => [each.id, each]));
  const prices = new Map(options.map(({ id, price }) => [id, price]));
  return {
    ofOption: (id) => (id === undefined ? undefined : prices.get(id)),
    ofItem({ detail }) {
      const variation = variations.get(detail?.itemVariationId ?? '');
      const all = listed.get(detail?.itemId ?? '');
      if (!all || (variation && all.includes(variation))) return variation;
      // The ids of a line may not go together. It costs at least what each of them costs.
      return highest([...(variation ? [variation] : []), lowest(all)]);
    },
  };
}

const fixedPrice = ({ variablePrice, price }: Variation): number => (variablePrice ? -1 : price);

function lowest(variations: readonly ListedPrice[]): ListedPrice {
  return variations.reduce((one, other) => (fixedPrice(other) < fixedPrice(one) ? other : one));
}

function highest(variations: readonly ListedPrice[]): ListedPrice {
  return variations.reduce((one, other) => (fixedPrice(other) > fixedPrice(one) ? other : one));
}

/** The receipt with what each item costs less than in the catalogue. `identified` has the same lines with their ids. */
export function markLowered(receipt: ReceiptInput, identified: ReceiptInput, prices: ListPrices): ReceiptInput {
  return {
    ...receipt,
    items: receipt.items.map((item, line) => {
      const { lowered: before, ...rest } = item;
      const amount = loweredBy(identified.items[line] ?? item, prices);
      return amount === undefined ? rest : { ...rest, lowered: { ...before, amount } };
    }),
  };
}

/** Undefined if nothing is cheaper. Each price counts on its own: a dear option does not make up for a cheap item. */
function loweredBy(item: ItemInput, prices: ListPrices): Amount | undefined {
  const { quantity, price, modifiers } = item;
  const listed = prices.ofItem(item);
  const differences = [
    listed && !listed.variablePrice ? subtract(listed.price, price) : ZERO,
    ...modifiers.map((option) => subtract(prices.ofOption(option.optionId) ?? ZERO, option.price)),
  ].filter((difference) => difference > ZERO);
  if (differences.length === 0) return undefined;
  return add(...differences.map((difference) => timesQuantity(difference, quantity)));
}

/** At most as much as a sale can cost. */
function timesQuantity(value: Amount, quantity: Quantity): Amount {
  return value > MAX_AMOUNT / (quantity / QUANTITY_OF_ONE) ? MAX_AMOUNT : portion(value, quantity, QUANTITY_OF_ONE);
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
