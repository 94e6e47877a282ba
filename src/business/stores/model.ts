/** Defines the online store of a location: shipping cost and promo codes (decision 0065). Its items are in the catalogue. */
import type { Rate } from '../../base/decimal.js';
import type { Amount } from '../../base/money.js';

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

/** Ignores case and surrounding spaces, because shoppers type the codes. */
export function findPromoCode({ promoCodes }: Store, typed: string): PromoCode | undefined {
  return promoCodes.find(({ code }) => code.toLowerCase() === typed.trim().toLowerCase());
}
