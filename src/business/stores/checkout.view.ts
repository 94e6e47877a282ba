/** The view of a store for its shoppers. */
import { Money, toMoney } from '../../api/money.js';
import { about, Bool, model, optional, present, type Static, Type } from '../../api/wire.js';
import type { OfferedCard } from '../../processor/offered-cards.js';
import { Address } from '../merchants/address.view.js';
import { pictureUrl } from '../pictures/view.js';
import type { Store } from './model.js';
import { pickUpAddress, type StoreLocation } from './store-location.js';

const StoreTestCard = model('StoreTestCard', {
  source_id: about('What to send as `source_id`.', Type.String()),
  label: about('What the card does.', Type.String()),
  last_4: about('The last four digits of the card.', Type.String()),
});

export const CheckoutStore = model('CheckoutStore', {
  location_id: about('The location that sells.', Type.String()),
  business_name: about('The name of the business.', Type.String()),
  location_name: about('The name of the location.', Type.String()),
  description: about('A text of the business about the location.', optional(Type.String())),
  logo_url: about('Where the logo is. Absent without one.', optional(Type.String())),
  address: about('Where the location is. Absent if it is not known.', optional(Address)),
  phone_number: about('The phone number of the location. Absent without one.', optional(Type.String())),
  country: about('The country of the business, in two letters (ISO 3166).', Type.String()),
  timezone: about('The time zone of the location.', Type.String()),
  shipping_money: about('What shipping costs for each order.', Money),
  offers_pickup: about('Whether orders can be picked up at the address of the location.', Bool),
  test_cards: about('Cards to pay with. Empty without the simulator of a sandbox.', Type.Array(StoreTestCard)),
});

interface ShownStore extends StoreLocation {
  readonly store: Store;
  readonly cards: readonly OfferedCard[];
}

export function toCheckoutStore({ merchant, location, store, cards }: ShownStore): Static<typeof CheckoutStore> {
  const { profile } = location;
  return {
    location_id: location.id,
    business_name: merchant.businessName,
    location_name: location.name,
    country: merchant.country,
    timezone: location.timezone,
    shipping_money: toMoney(store.shipping, merchant.currency),
    offers_pickup: pickUpAddress(profile) !== undefined,
    test_cards: cards.map(({ sourceId, label, last4 }) => ({ source_id: sourceId, label, last_4: last4 })),
    ...present({ description: profile.description, address: profile.address, phone_number: profile.phoneNumber }),
    ...(profile.logoPictureId !== undefined && { logo_url: pictureUrl(merchant.id, profile.logoPictureId) }),
  };
}
