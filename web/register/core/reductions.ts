/** What of a cart somebody has to allow: discounts, and prices below the catalogue, by the rules of the server. Pure. */
import { type Amount, add, amount, ZERO } from '../../../src/base/money.js';
import { type ListPrices, markLowered, toListPrices } from '../../../src/business/receipts/list-prices.js';
import { compareReductions, type Reduction, reductionsOf } from '../../../src/business/receipts/reductions.js';
import type { Cart, CartLine } from './cart.js';
import type { Catalogue } from './catalogue.js';
import { toReceiptInput } from './totals.js';
import type { WireVariation } from './wire.js';

interface Rules {
  readonly catalogue: Pick<Catalogue, 'items' | 'modifier_lists'>;
  /** Every discount and every lower price needs a permission. Otherwise only restricted discounts do. */
  readonly restrictsDiscounts: boolean;
}

/** Empty if nobody has to allow anything. What an open sale had before was allowed then. */
export function reductionsToAllow(cart: Cart, { catalogue, restrictsDiscounts }: Rules): readonly Reduction[] {
  const prices = restrictsDiscounts ? listPricesOf(catalogue) : undefined;
  const { added } = compareReductions(toReductions(cart, prices), toReductions(takenUpContent(cart), prices));
  return added.filter(({ restricted }) => restrictsDiscounts || restricted);
}

export function sumOfReductions(reductions: readonly Reduction[]): Amount {
  return add(ZERO, ...reductions.map((each) => each.amount));
}

type Content = Pick<Cart, 'lines' | 'discounts'>;

function toReductions(content: Content, prices: ListPrices | undefined): Reduction[] {
  const receipt = toReceiptInput(content);
  return reductionsOf(prices ? markLowered(receipt, receipt, prices) : receipt);
}

/** As `contentOf` has written it. */
function takenUpContent({ takenUp }: Cart): Content {
  if (takenUp === undefined) return { lines: [], discounts: [] };
  const [, lines, discounts] = JSON.parse(takenUp) as [unknown, Cart['lines'], Cart['discounts']];
  return { lines, discounts };
}

function listPricesOf({ items, modifier_lists }: Rules['catalogue']): ListPrices {
  const toListed = ({ id, price_money, variable_price: variablePrice = false }: WireVariation) => ({
    ...{ id, variablePrice, price: amount(price_money.amount) },
  });
  const options = modifier_lists.flatMap((list) => list.options);
  return toListPrices(
    items.map(({ id, name, variations }) => ({ id, name, variations: variations.map(toListed) })),
    options.map(({ id, price_money }) => ({ id, price: amount(price_money.amount) })),
  );
}

/** What the catalogue asks for one, if the line asks for another price. Undefined for a custom amount and a variable price. */
export function otherPriceOf(line: CartLine, { items }: Pick<Catalogue, 'items'>): number | undefined {
  const variations = items.flatMap((item) => (item.id === line.itemId ? item.variations : []));
  const variation = variations.find(({ id }) => id === line.variationId);
  if (!variation || variation.variable_price || variation.price_money.amount === line.price) return undefined;
  return variation.price_money.amount;
}
