/** Who allows what the attendant may not do by themselves: discounts, and prices below the catalogue. */
import type { Reduction } from '../../../src/business/receipts/reductions.js';
import type { Cart } from '../core/cart.js';
import { catalogue } from '../core/catalogue.js';
import { device } from '../core/device.js';
import { may } from '../core/people.js';
import { reductionsToAllow, sumOfReductions } from '../core/reductions.js';

export const DISCOUNT_PERMISSION = 'REGISTER_APPLY_RESTRICTED_DISCOUNTS';

function reductionsOf(cart: Cart): readonly Reduction[] {
  const [known, paired] = [catalogue.get(), device.get()];
  if (!known || !paired || may(DISCOUNT_PERMISSION)) return [];
  return reductionsToAllow(cart, { catalogue: known, restrictsDiscounts: paired.restrict_discounts });
}

/** What nobody has allowed yet. After an approval, more discounts or a higher price need another one. */
export function findToAllow(cart: Cart): readonly Reduction[] {
  const reductions = reductionsOf(cart);
  const { approvedBy, approvedFor = -1 } = cart;
  return approvedBy !== undefined && sumOfReductions(reductions) <= approvedFor ? [] : reductions;
}

/** The cart with the person who allowed what it costs less. */
export function allowedBy(cart: Cart, employeeId: string | undefined): Cart {
  if (employeeId === undefined) return cart;
  return { ...cart, approvedBy: employeeId, approvedFor: sumOfReductions(reductionsOf(cart)) };
}
