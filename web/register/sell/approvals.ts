/** Who allows what the attendant may not do by themselves: discounts, and prices below the catalogue. */
import type { Reduction } from '../../../src/business/receipts/reductions.js';
import type { Cart, CartApproval } from '../core/cart.js';
import { catalogue } from '../core/catalogue.js';
import { device } from '../core/device.js';
import { may, type SaleToApprove } from '../core/people.js';
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
  const { approval } = cart;
  return approval && sumOfReductions(reductions) <= approval.amount ? [] : reductions;
}

/** What somebody would have to allow: this sale, and all that it costs less. */
export function toApprove(cart: Cart): SaleToApprove {
  const amount = sumOfReductions(reductionsOf(cart));
  return cart.saleId === undefined
    ? { operation: 'ringUpSale', saleId: cart.id, amount }
    : { operation: 'editSale', saleId: cart.saleId, amount };
}

/** The cart with what somebody has allowed. */
export function allowedBy(cart: Cart, approval: CartApproval | undefined): Cart {
  return approval ? { ...cart, approval } : cart;
}
