/** Adds what was chosen of an item to the cart. */
import { amount } from '../../../src/base/money.js';
import { addItem } from '../core/cart.js';
import { catalogue } from '../core/catalogue.js';
import { updateCart } from '../core/current-cart.js';
import type { ItemChoice } from './catalogue-types.js';

export function addChoice({ item, variation, price, options, quantity, note }: ItemChoice): void {
  const known = catalogue.get();
  if (!known) return;
  const modifiers = options.map(({ id, name, price_money }) => ({ id, name, price: amount(price_money.amount) }));
  updateCart((current) =>
    addItem(
      current,
      { item, variation, price, modifiers, quantity: String(quantity), ...(note !== '' && { note }) },
      known,
    ),
  );
}
