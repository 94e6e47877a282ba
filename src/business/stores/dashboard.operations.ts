/** Dashboard operations on online stores: shipping cost, promo codes, and whether the page is open. */
import { type OwnerContext, operation } from '../../api/operation.js';
import { about, Bool, optional, Type } from '../../api/wire.js';
import { actorOf, recordAudit } from '../../identity/audit.js';
import { issueCredentials } from '../../identity/directory.js';
import { requireLocation } from '../../identity/locations.js';
import { closeStorePage, findStorePage, openStore } from './opening.js';
import { findStore } from './queries.js';
import { fromStoreBody, StoreBody, StoreView, toStoreView } from './view.js';

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
      const [store, page] = await Promise.all([
        findStore(context.database.sql, key),
        findStorePage(context, location_id),
      ]);
      return { store: toStoreView(store, { ...key, isOpen: page !== undefined }) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateStore',
    method: 'PUT',
    path: STORE,
    permission: 'OWNER',
    summary:
      'Sets the shipping cost and the promo codes of an online store, for new orders, and opens or closes its page.',
    body: Type.Object({
      ...StoreBody.properties,
      is_open: about('Whether its page on this server is open. Default: true.', optional(Bool)),
    }),
    example: {
      body: { shipping_money: { amount: 500, currency: 'USD' }, promo_codes: [{ code: 'RYE10', rate: '0.1' }] },
    },
    response: StoreResponse,
    async handle(context, { params: { location_id }, body }) {
      const key = keyOf(context, location_id);
      const store = fromStoreBody(body, key);
      const { database, keyedHash, invalidateCredentials } = context;
      const isOpen = body.is_open ?? true;
      await issueCredentials(database, async (issuing) => {
        await (isOpen ? openStore : closeStorePage)(issuing, keyedHash, key.merchantId, store);
        const details = { location_id, page: isOpen ? 'open' : 'closed' };
        await recordAudit(issuing.tx, { kind: 'STORE_CHANGED', ...actorOf(context), details });
      });
      invalidateCredentials(key.merchantId);
      return { store: toStoreView(store, { ...key, isOpen }) };
    },
  }),
];
