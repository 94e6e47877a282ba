/** Sandbox operation that opens an online store with items, shipping cost and a publishable key. */
import { createPublishableKey } from '../access/devices/publishable-keys.js';
import { operation } from '../api/operation.js';
import { SAMPLE_IDS } from '../api/sample-ids.js';
import { about, Type, text } from '../api/wire.js';
import { nowOn } from '../base/clock.js';
import { wholeSecond } from '../base/time.js';
import { addNamedItems } from '../business/catalogue/actions.js';
import { fromStoreItemBody, StoreItemBody } from '../business/catalogue/checkout.view.js';
import { ItemView, toItemView } from '../business/catalogue/view.js';
import { openStore } from '../business/stores/opening.js';
import { fromStoreBody, StoreBody, StoreView, storePath, toStoreView } from '../business/stores/view.js';
import { recordAudit } from '../identity/audit.js';
import { issueCredentials } from '../identity/directory.js';
import { requireLocationInBody } from '../identity/locations.js';
import { requireMerchantWithLocations } from './actions.js';

export const sandboxStoreOperations = [
  operation({
    surface: 'sandbox',
    name: 'openStore',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/stores',
    permission: 'OPERATOR',
    summary: 'Opens the online store of a location with its page, and creates a publishable key for pages of your own.',
    body: Type.Object({
      location_id: about('The location that sells.', text(64, { minLength: 1 })),
      ...StoreBody.properties,
      items: about('The items to add to the catalogue, in a short form.', Type.Array(StoreItemBody, { maxItems: 100 })),
    }),
    example: {
      body: {
        location_id: SAMPLE_IDS.location_id,
        shipping_money: { amount: 600 },
        promo_codes: [{ code: 'WELCOME10', rate: '0.1' }],
        items: [],
      },
    },
    response: Type.Object({
      store: about('The store.', StoreView),
      items: about('The new items of the catalogue.', Type.Array(ItemView)),
      page_path: about('The address of the page of the store on this server.', Type.String()),
      publishable_key: about('The key with which pages call the checkout. It is not secret.', Type.String()),
    }),
    async handle(context, { params: { merchant_id: merchantId }, body }) {
      const found = await requireMerchantWithLocations(context, merchantId);
      const { clock, currency } = found.merchant;
      const { location_id: locationId } = body;
      requireLocationInBody(found, locationId, 'location_id');
      const reading = { locationId, currency, ids: context.ids, at: wholeSecond(nowOn(clock)) };
      const store = fromStoreBody(body, reading);
      const named = body.items.map((item) => fromStoreItemBody(item, reading, 'items.'));
      return issueCredentials(context.database, async (issuing) => {
        await openStore(issuing, context.keyedHash, merchantId, store);
        const details = { location_id: locationId, by: 'operator' };
        await recordAudit(issuing.tx, { kind: 'STORE_CHANGED', merchantId, details });
        const items = named.length === 0 ? [] : await addNamedItems(issuing.tx, merchantId, named);
        const { value } = await createPublishableKey(issuing, merchantId, locationId);
        return {
          store: toStoreView(store, { currency, isOpen: true }),
          items: items.map((item) => toItemView(item, { id: merchantId, currency })),
          page_path: storePath(locationId),
          publishable_key: value,
        };
      });
    },
  }),
];
