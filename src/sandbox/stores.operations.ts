/** Sandbox operation that opens an online store with items, shipping cost and a publishable key. */
import { createPublishableKey } from '../access/devices/publishable-keys.js';
import { operation } from '../api/operation.js';
import { Type, text } from '../api/wire.js';
import { nowOn } from '../base/clock.js';
import { wholeSecond } from '../base/time.js';
import { addItem } from '../business/stores/actions.js';
import { ITEM_ID_LENGTH } from '../business/stores/model.js';
import { insertStore } from '../business/stores/queries.js';
import {
  CatalogueItemView,
  ItemBody,
  readItem,
  readStore,
  StoreBody,
  StoreView,
  toCatalogueItem,
  toStoreView,
} from '../business/stores/view.js';
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
    summary: 'Opens the online store of a location and creates a publishable key for it.',
    body: Type.Object({
      location_id: text(64, { minLength: 1 }),
      ...StoreBody.properties,
      items: Type.Array(ItemBody, { maxItems: 100 }),
    }),
    response: Type.Object({
      store: StoreView,
      items: Type.Array(CatalogueItemView),
      publishable_key: Type.String(),
    }),
    async handle(context, { params: { merchant_id: merchantId }, body }) {
      const found = await requireMerchantWithLocations(context, merchantId);
      const { clock, currency } = found.merchant;
      const { location_id: locationId } = body;
      requireLocationInBody(found, locationId, 'location_id');
      const reading = { locationId, currency, at: wholeSecond(nowOn(clock)), field: 'items.' };
      const store = readStore(body, reading);
      const items = body.items.map((item) => readItem(item, { ...reading, id: context.ids.newId(ITEM_ID_LENGTH) }));
      return issueCredentials(context.database, async (issuing) => {
        const { tx } = issuing;
        await insertStore(tx, merchantId, store);
        for (const item of items) await addItem(tx, merchantId, item);
        const { value } = await createPublishableKey(issuing, merchantId, locationId);
        return {
          store: toStoreView(store, currency),
          items: items.map((item) => toCatalogueItem(item, currency)),
          publishable_key: value,
        };
      });
    },
  }),
];
