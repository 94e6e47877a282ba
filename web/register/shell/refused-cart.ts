/** What a refused sale sold, to ring it up again. */
import { type Cart, emptyCart } from '../core/cart.js';
import type { QueuedWrite } from '../core/queue.js';

/** With an id of its own: the refused one is spent. Undefined if the write was not a sale. */
export function cartOf({ operation, cart }: QueuedWrite): Cart | undefined {
  if (operation !== 'ringUpSale' || !cart) return undefined;
  const { saleId: _, version: __, paid: ___, ...sold } = cart;
  return { ...sold, id: emptyCart().id };
}
