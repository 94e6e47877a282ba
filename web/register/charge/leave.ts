/** Leaves a sale in the middle of its payment. Nothing is lost: what was rung up stays open. */
import { cart } from '../core/current-cart.js';
import { refreshOpenSales } from '../sell/open-sales-data.js';
import { type Charging, finishCharging } from './charging.js';

/** The card goes on being asked about: nothing of the sale may come back to be charged once more. */
export function leaveAsked(): void {
  finishCharging();
  refreshOpenSales();
}

/** If nothing was taken yet, the cart comes back and can be changed. Otherwise the sale waits under Open. */
export function leaveOpen({ cart: sold, saleId, version, taken }: Charging): void {
  if (saleId !== undefined && version !== undefined && taken.length === 0) {
    cart.set({ ...sold, saleId, version });
  }
  finishCharging();
  if (saleId !== undefined) refreshOpenSales();
}
