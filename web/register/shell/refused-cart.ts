/** What a refused sale sold, to ring it up again. */
import { type Cart, emptyCart } from '../core/cart.js';
import type { RefusedWrite } from '../core/queue.js';

/** With a new id, because the refused write used the old one. Undefined if it was not a sale, or if the sale is recorded and open. */
export function cartOf({ write: { operation, cart }, response }: RefusedWrite): Cart | undefined {
  if (operation !== 'ringUpSale' || !cart || response !== undefined) return undefined;
  const { saleId: _, version: __, paid: ___, ...sold } = cart;
  return { ...sold, id: emptyCart().id };
}
