/** The checkout operation that tells shoppers whose store this is. */
import { operation } from '../../api/operation.js';
import { about, Type } from '../../api/wire.js';
import { CARDS_TO_ENTER } from '../../processor/offered-cards.js';
import { CheckoutStore, toCheckoutStore } from './checkout.view.js';
import { findStore } from './queries.js';
import { findStoreLocation } from './store-location.js';

export const checkoutStoreOperations = [
  operation({
    surface: 'checkout',
    name: 'showStore',
    method: 'GET',
    path: '/api/checkout/store',
    permission: 'SHOPPER',
    summary:
      'Shows whose store this is, and how orders get to the buyer. In a sandbox with the simulator, with test cards to pay with.',
    response: Type.Object({ store: about('The store.', CheckoutStore) }),
    async handle(context) {
      const { database, merchant, storefront, offersTestCards } = context;
      const key = { merchantId: merchant.id, locationId: storefront.locationId };
      const [location, store] = await Promise.all([findStoreLocation(context), findStore(database.sql, key)]);
      return {
        store: toCheckoutStore({
          ...location,
          store,
          cards: offersTestCards && merchant.processorId === null ? CARDS_TO_ENTER : [],
        }),
      };
    },
  }),
];
