/** Leaves a sale that is not paid in full. Nothing is lost: a sale that was rung up stays open. */
import { cart } from '../core/current-cart.js';
import { refreshOpenSales } from '../sell/open-sales-data.js';
import { type Charging, finishCharging } from './charging.js';

/** The register keeps asking for the outcome of the card. The cart does not come back, so that nobody charges it again. */
export function leaveUnknownCard(): void {
  finishCharging();
  refreshOpenSales();
}

/** If there is no tender yet, the cart comes back and can be changed. Otherwise the sale is in the list of open sales. */
export function leaveOpen({ cart: sold, saleId, version, taken }: Charging): void {
  if (saleId !== undefined && version !== undefined && taken.length === 0) {
    cart.set({ ...sold, saleId, version });
  }
  finishCharging();
  if (saleId !== undefined) refreshOpenSales();
}
