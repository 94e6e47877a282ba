/** Open sales of the location: parked ones, and those of which something is left to pay. */
import { useQuery } from '@tanstack/react-query';
import { useStore } from '../../client/store.js';
import { queries } from '../../ui/app.js';
import { saveOpenSale } from '../charge/charging.js';
import { call, register } from '../core/call.js';
import { type Cart, isEmpty } from '../core/cart.js';
import { isOnline } from '../core/connection.js';
import { cart, clearCart } from '../core/current-cart.js';
import { attendant } from '../core/people.js';
import { send } from '../core/queue.js';
import { toSaleBody } from '../core/sale-body.js';
import type { WireSale } from '../core/wire.js';
import { noteTakenUp } from './taken-up.js';
import { toCart } from './to-cart.js';

export type OpenSale = WireSale;

const KEY = ['listOpenSales'];
/** Another tablet may have parked a sale. */
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

export function refreshOpenSales(): Promise<void> {
  return queries.invalidateQueries({ queryKey: KEY });
}

/** The cart becomes an open sale of the location, which every register there can take up. */
export async function parkSale(current: Cart): Promise<void> {
  if (current.saleId !== undefined) {
    await saveOpenSale(current);
    clearCart();
  } else {
    await send('ringUpSale', toSaleBody(current), { cart: current });
  }
  await refreshOpenSales();
}

/** What is in the cart is parked first, so that nothing is lost. */
export async function takeUp(sale: OpenSale): Promise<void> {
  const current = cart.get();
  if (!isEmpty(current)) await parkSale(current);
  const taken = toCart(sale);
  noteTakenUp(taken);
  cart.set(taken);
}

export async function cancelOpenSale({ saleId }: Cart): Promise<void> {
  if (saleId === undefined) return;
  await send('cancelSale', { sale_id: saleId });
  clearCart();
  await refreshOpenSales();
}
