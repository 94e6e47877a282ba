/** Who allowed what the attendant may not do by themselves. */
import type { Cart } from '../core/cart.js';

/** The cart with the person who allowed its restricted discount. */
export function allowedBy(cart: Cart, employeeId: string | undefined): Cart {
  return employeeId === undefined ? cart : { ...cart, approvedBy: employeeId };
}
