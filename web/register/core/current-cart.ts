/** The cart of this device. It survives reload and power-off, and all tabs share it. */
import { type Cart, emptyCart } from './cart.js';
import { createKept } from './storage/kept.js';

export const cart = createKept<Cart>('cart', emptyCart());

export function updateCart(change: (cart: Cart) => Cart): void {
  cart.set(change(cart.get()));
}

export function clearCart(): void {
  cart.set(emptyCart());
}
