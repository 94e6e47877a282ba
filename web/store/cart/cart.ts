/** The cart: what the shopper chose and typed. The browser keeps it, so that a reload loses nothing. */

import type { InputOf } from '../../client/callable.js';
import type { checkout } from '../../client/checkout-operations.js';
import { createStore, useStore } from '../../client/store.js';
import { LOCATION_ID } from '../facts.js';

export const MAX_QUANTITY = 999;

export interface CartLine {
  readonly itemId: string;
  readonly variationId: string;
  readonly optionIds: readonly string[];
  readonly quantity: number;
}

/** What the shopper typed at the checkout. */
export interface Details {
  readonly fulfillment: 'SHIPMENT' | 'PICKUP';
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly street: string;
  readonly postalCode: string;
  readonly town: string;
  readonly region: string;
  readonly note: string;
}

/** An order that is being placed and paid. Its id makes sure that it happens once. */
export interface Attempt {
  readonly order: InputOf<typeof checkout.placeOrder>;
  readonly sourceId: string;
}

export interface Cart {
  readonly lines: readonly CartLine[];
  readonly promoCode: string | undefined;
  readonly details: Details;
  /** A payment without a response: it is finished before another one begins. */
  readonly attempt: Attempt | undefined;
}

const NOTHING: Details = {
  ...{ fulfillment: 'SHIPMENT', name: '', email: '', phone: '' },
  ...{ street: '', postalCode: '', town: '', region: '', note: '' },
};

const EMPTY: Cart = { lines: [], promoCode: undefined, details: NOTHING, attempt: undefined };

const KEY = `tillhouse-store-${LOCATION_ID}`;

function readKept(): Cart {
  try {
    return { ...EMPTY, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
  } catch {
    return EMPTY; // not readable, or the browser stores nothing
  }
}

const cart = createStore<Cart>(readKept());

// Another tab has changed the cart.
addEventListener('storage', ({ key }) => key === KEY && cart.set(readKept()));

export function useCart(): Cart {
  return useStore(cart);
}

export function readCart(): Cart {
  return cart.get();
}

export function changeCart(change: Partial<Cart>): void {
  const next = { ...cart.get(), ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // A browser that stores nothing: the cart lives as long as the page.
  }
  cart.set(next);
}

export function emptyCart(): void {
  changeCart(EMPTY);
}

/** Equal choices become one line. */
export function addLine(added: CartLine): void {
  const { lines } = cart.get();
  const same = lines.find((line) => keyOf(line) === keyOf(added));
  if (same) setQuantity(same, same.quantity + added.quantity);
  else changeCart({ lines: [...lines, added] });
}

/** Zero removes the line. */
export function setQuantity(changed: CartLine, quantity: number): void {
  const { lines } = cart.get();
  const within = Math.min(quantity, MAX_QUANTITY);
  const next = lines.map((line) => (keyOf(line) === keyOf(changed) ? { ...line, quantity: within } : line));
  changeCart({ lines: next.filter((line) => line.quantity > 0) });
}

export function keyOf({ itemId, variationId, optionIds }: CartLine): string {
  return [itemId, variationId, ...optionIds].join(' ');
}

export function countPieces(lines: readonly CartLine[]): number {
  return lines.reduce((sum, { quantity }) => sum + quantity, 0);
}
