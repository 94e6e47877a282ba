/** The prices of the catalogue for the lines of a sale, and what lines cost less (decision 0210). Pure. */
import { QUANTITY_OF_ONE, type Quantity } from '../../base/decimal.js';
import { type Amount, add, MAX_AMOUNT, portion, subtract, ZERO } from '../../base/money.js';
import type { ItemInput, ReceiptInput } from './model.js';

/** What the catalogue says about a variation. */
interface Listed {
  readonly price: Amount;
  /** It may be sold at any price. */
  readonly variablePrice?: boolean;
  /** It is sold by weight or length. */
  readonly soldByMeasure?: boolean;
}

type ListedPrice = Listed & { readonly itemName: string };

/** An item of the catalogue. */
interface ListedItem {
  readonly id: string;
  readonly name: string;
  readonly variations: readonly (Listed & { readonly id: string })[];
}

export interface ListPrices {
  /** Undefined for a custom amount. */
  ofItem(item: ItemInput): ListedPrice | undefined;
  ofOption(id: string | undefined): Amount | undefined;
}

export function toListPrices(
  items: readonly ListedItem[],
  options: readonly { readonly id: string; readonly price: Amount }[],
): ListPrices {
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
      const cheapest = all.reduce((one, other) => (fixedPrice(other) < fixedPrice(one) ? other : one));
      return variation && fixedPrice(variation) > fixedPrice(cheapest) ? variation : cheapest;
    },
  };
}

const fixedPrice = ({ variablePrice, price }: Listed): number => (variablePrice ? -1 : price);

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
