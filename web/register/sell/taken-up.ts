/** Whether an open sale was changed since it was taken up: only then it has to be saved before it is paid. */
import type { Cart } from '../core/cart.js';
import { createKept } from '../core/storage/kept.js';

const taken = createKept<{ readonly saleId: string; readonly content: string } | undefined>('taken-up', undefined);

const contentOf = ({ lines, discounts, label }: Cart): string => JSON.stringify([lines, discounts, label]);

export function noteTakenUp(cart: Cart): void {
  taken.set(cart.saleId === undefined ? undefined : { saleId: cart.saleId, content: contentOf(cart) });
}

export function isChangedSinceTakenUp(cart: Cart): boolean {
  const before = taken.get();
  return before?.saleId !== cart.saleId || before?.content !== contentOf(cart);
}
