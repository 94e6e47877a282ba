/** Defines the online store of a location: items, prices, shipping cost and promo codes (decision 0065). */
import type { Rate } from '../../base/decimal.js';
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';

export const ITEM_ID_LENGTH = 24;

/** A discount on the price of the items, as a rate. */
export interface PromoCode {
  readonly code: string;
  readonly rate: Rate;
}

export interface Store {
  readonly locationId: string;
  /** A flat amount per order. */
  readonly shipping: Amount;
  readonly promoCodes: readonly PromoCode[];
}

export interface CatalogueItem {
  readonly id: string;
  readonly locationId: string;
  readonly name: string;
  readonly description: string | null;
  readonly category: string | null;
  readonly sku: string | null;
  readonly price: Amount;
  /** A tax that is added to the price. */
  readonly taxName: string | null;
  readonly taxRate: Rate | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Ignores case and surrounding spaces, because shoppers type the codes. */
export function findPromoCode({ promoCodes }: Store, typed: string): PromoCode | undefined {
  return promoCodes.find(({ code }) => code.toLowerCase() === typed.trim().toLowerCase());
}
