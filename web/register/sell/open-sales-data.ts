/** Open sales of the location: parked ones, and those of which something is left to pay. */
import { useQuery } from '@tanstack/react-query';
import { negate, ZERO } from '../../../src/base/money.js';
import { useStore } from '../../client/store.js';
import { queries } from '../../ui/app.js';
import { call, register } from '../core/call.js';
import { type Cart, isEmpty, setLabel } from '../core/cart.js';
import { isOnline } from '../core/connection.js';
import { cart, clearCart, updateCart } from '../core/current-cart.js';
import { Elsewhere } from '../core/elsewhere.js';
import { attendant } from '../core/people.js';
import { onAccepted, send } from '../core/queue.js';
import { cartOfSale } from '../core/sale-body.js';
import type { WireSale } from '../core/wire.js';
import { announce } from '../parts/announce.js';
import { followCart, parkCart } from './elsewhere.js';

export type OpenSale = WireSale;

const KEY = ['listOpenSales'];
/** How often the list is loaded: another tablet may have parked a sale. */
const REFRESH_MS = 20_000;

export function useOpenSales() {
  const [session, online] = [useStore(attendant)?.session, useStore(isOnline)];
  return useQuery({
    queryKey: KEY,
    queryFn: async () => (await call(register.listOpenSales)).sales,
    enabled: session !== undefined && online,
    refetchInterval: REFRESH_MS,
  });
}

/** Does not wait for the list: with a bad network that could take long. */
export function refreshOpenSales(): void {
  void queries.invalidateQueries({ queryKey: KEY });
}

/** A sale that was paid just now is no longer open, and must not be taken up again. */
onAccepted(({ operation }) => {
  if (operation === 'takeTender') refreshOpenSales();
});

/** The cart becomes an open sale of the location, which every register there can take up. */
export async function parkSale(label: string): Promise<void> {
  updateCart((current) => setLabel(current, label));
  await parkCart().finally(refreshOpenSales);
}

/** What is in the cart is parked first, so that nothing is lost. */
export async function takeUp(sale: OpenSale): Promise<void> {
  await putAway();
  await cart.save(cartOfSale(sale));
  refreshOpenSales();
}

/** If the cart is a sale that was changed elsewhere, what is left of it is parked. */
async function putAway(): Promise<void> {
  if (isEmpty(cart.get())) return;
  try {
    await parkCart();
  } catch (error) {
    if (!(error instanceof Elsewhere)) throw error;
    announce(error.message);
    if (!isEmpty(cart.get())) await parkCart();
  }
}

export async function cancelOpenSale(held: Cart): Promise<void> {
  const { saleId, paidCash = ZERO } = held;
  if (saleId === undefined) return;
  await send('cancelSale', { sale_id: saleId }, { cash: negate(paidCash) })
    .catch((error) => followCart(error, held))
    .finally(refreshOpenSales);
  clearCart();
}

/** The cart is free for the next sale. The open sale stays as the server has it, for every register. */
export function putBack(): void {
  clearCart();
  refreshOpenSales();
}
