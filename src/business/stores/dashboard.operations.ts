/** Dashboard operations on online stores: shipping cost and promo codes. */
import { type OwnerContext, operation } from '../../api/operation.js';
import { about, Type } from '../../api/wire.js';
import { issueCredentials } from '../../identity/directory.js';
import { requireLocation } from '../../identity/locations.js';
import { openStore } from './opening.js';
import { findStore } from './queries.js';
import { readStore, StoreBody, StoreView, toStoreView } from './view.js';

const STORE = '/api/dashboard/stores/{location_id}';

const StoreResponse = Type.Object({ store: about('The store after the change.', StoreView) });

function keyOf({ merchant }: OwnerContext, locationId: string) {
  requireLocation(merchant, locationId);
  return { merchantId: merchant.id, locationId, currency: merchant.currency };
}

export const dashboardStoreOperations = [
  operation({
    surface: 'dashboard',
    name: 'retrieveStore',
    method: 'GET',
    path: STORE,
    permission: 'OWNER',
    summary: "Shows a location's online store.",
    response: StoreResponse,
    async handle(context, { params: { location_id } }) {
      const key = keyOf(context, location_id);
      return { store: toStoreView(await findStore(context.database.sql, key), key.currency) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateStore',
    method: 'PUT',
    path: STORE,
    permission: 'OWNER',
    summary: 'Sets the shipping cost and the promo codes of an online store, for new orders, and opens its page.',
    body: StoreBody,
    response: StoreResponse,
    async handle(context, { params: { location_id }, body }) {
      const key = keyOf(context, location_id);
      const store = readStore(body, key);
      const { database, keyedHash, forget } = context;
      await issueCredentials(database, (issuing) => openStore(issuing, keyedHash, key.merchantId, store));
      forget(key.merchantId);
      return { store: toStoreView(store, key.currency) };
    },
  }),
];
