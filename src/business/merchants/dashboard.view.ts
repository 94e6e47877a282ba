/** The view of the whole business that the dashboard needs before anything else. */
import { Flag, model, type Static, Time, Type } from '../../api/wire.js';
import { type Instant, printSeconds } from '../../base/time.js';
import type { Location as LocationModel, Merchant as MerchantModel } from './model.js';
import { Location, Merchant, toLocation, toMerchant } from './v2.view.js';

export const Business = model('Business', {
  merchant: Merchant,
  /** Employee management is available to approved accounts only. */
  approved: Flag,
  /** The time of the merchant's clock, which a sandbox can move. */
  now: Time,
  locations: Type.Array(Location),
});

export function toBusiness(
  merchant: MerchantModel,
  locations: readonly LocationModel[],
  now: Instant,
): Static<typeof Business> {
  return {
    merchant: toMerchant(merchant),
    approved: merchant.approved,
    now: printSeconds(now),
    locations: locations.map((location) => toLocation(merchant, location)),
  };
}
