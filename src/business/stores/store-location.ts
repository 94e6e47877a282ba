/** Where an online store is: its business and its location. */
import type { CheckoutContext } from '../../api/operation.js';
import type { PostalAddress } from '../../base/postal-address.js';
import type { Location, LocationProfile, Merchant } from '../merchants/model.js';
import { findMerchantWithLocations } from '../merchants/queries.js';

export interface StoreLocation {
  readonly merchant: Merchant;
  readonly location: Location;
}

/** A key belongs to a location, and locations are never deleted. */
export async function findStoreLocation({ database, merchant, storefront }: CheckoutContext): Promise<StoreLocation> {
  const found = await findMerchantWithLocations(database.sql, merchant.id);
  const location = found?.locations.find(({ id }) => id === storefront.locationId);
  if (!found || !location) throw new Error('the location of a publishable key does not exist');
  return { merchant: found.merchant, location };
}

/** Where shoppers pick up their orders. A location without a street offers only shipping (decision 0170). */
export function pickUpAddress({ address }: LocationProfile): PostalAddress | undefined {
  return address?.address_line_1 ? address : undefined;
}
