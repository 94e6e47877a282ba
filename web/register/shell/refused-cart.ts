/** What a refused sale sold, to ring it up again. */
import { type Cart, emptyCart } from '../core/cart.js';
import type { RefusedWrite } from '../core/queue.js';

/** With an id of its own: the refused one is spent. Undefined if the write was not a sale, or if the sale is recorded and open. */
export function cartOf({ write: { operation, cart }, response }: RefusedWrite): Cart | undefined {
  if (operation !== 'ringUpSale' || !cart || response !== undefined) return undefined;
  const { saleId: _, version: __, paid: ___, ...sold } = cart;
  return { ...sold, id: emptyCart().id };
}
