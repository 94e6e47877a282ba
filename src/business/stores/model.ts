/** What a location's online store is: what it sells, at which price, and what an order costs besides (decision 0065). */
import type { Rate } from '../../base/decimal.js';
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';

export const ITEM_ID_LENGTH = 24;

/** Takes a part off the price of the goods. */
export interface PromoCode {
  readonly code: string;
  readonly rate: Rate;
}

export interface Store {
  readonly locationId: string;
  /** A flat amount an order. */
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
  /** What comes on top of the price. */
  readonly taxName: string | null;
  readonly taxRate: Rate | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Shoppers type codes as they like. */
export function findPromoCode({ promoCodes }: Store, typed: string): PromoCode | undefined {
  return promoCodes.find(({ code }) => code.toLowerCase() === typed.trim().toLowerCase());
}
