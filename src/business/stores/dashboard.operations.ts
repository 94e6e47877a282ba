/** Dashboard operations on online stores: shipping cost, promo codes and items. */
import { type OwnerContext, operation } from '../../api/operation.js';
import { Nothing, Type } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { wholeSecond } from '../../base/time.js';
import { requireLocation } from '../../identity/locations.js';
import { addItem } from './actions.js';
import { ITEM_ID_LENGTH } from './model.js';
import { deleteItem, findStore, insertStore, listItems, updateItem } from './queries.js';
import {
  CatalogueItemView,
  ItemBody,
  readItem,
  readStore,
  StoreBody,
  StoreView,
  toCatalogueItem,
  toStoreView,
} from './view.js';

const STORE = '/api/dashboard/stores/{location_id}';
const ITEMS = `${STORE}/items` as const;
const ITEM = `${ITEMS}/{item_id}` as const;

const StoreResponse = Type.Object({ store: StoreView });
const ItemResponse = Type.Object({ item: CatalogueItemView });

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
    summary: 'Sets the shipping cost and the promo codes of an online store, for new orders.',
    body: StoreBody,
    response: StoreResponse,
    async handle(context, { params: { location_id }, body }) {
      const key = keyOf(context, location_id);
      const store = readStore(body, key);
      await context.database.statement((tx) => insertStore(tx, key.merchantId, store));
      return { store: toStoreView(store, key.currency) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'listItems',
    method: 'GET',
    path: ITEMS,
    permission: 'OWNER',
    summary: "Lists the items of a location's online store.",
    response: Type.Object({ items: Type.Array(CatalogueItemView) }),
    async handle(context, { params: { location_id } }) {
      const key = keyOf(context, location_id);
      const items = await listItems(context.database.sql, key);
      return { items: items.map((item) => toCatalogueItem(item, key.currency)) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'createItem',
    method: 'POST',
    path: ITEMS,
    permission: 'OWNER',
    summary: 'Adds an item to an online store.',
    body: ItemBody,
    response: ItemResponse,
    async handle(context, { params: { location_id }, body }) {
      const key = keyOf(context, location_id);
      const item = readItem(body, { ...key, id: context.ids.newId(ITEM_ID_LENGTH), at: wholeSecond(context.now) });
      await context.database.statement((tx) => addItem(tx, key.merchantId, item));
      return { item: toCatalogueItem(item, key.currency) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateItem',
    method: 'PUT',
    path: ITEM,
    permission: 'OWNER',
    summary: 'Replaces an item of an online store. Existing orders keep their prices.',
    body: ItemBody,
    response: ItemResponse,
    async handle(context, { params: { location_id, item_id }, body }) {
      const key = keyOf(context, location_id);
      const item = readItem(body, { ...key, id: item_id, at: wholeSecond(context.now) });
      const updated = await context.database.statement((tx) => updateItem(tx, key.merchantId, item));
      if (!updated) throw notFound('item', item_id);
      return { item: toCatalogueItem(updated, key.currency) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'deleteItem',
    method: 'DELETE',
    path: ITEM,
    permission: 'OWNER',
    summary: 'Deletes an item from an online store.',
    response: Nothing,
    async handle(context, { params: { location_id, item_id } }) {
      const key = keyOf(context, location_id);
      const found = await context.database.statement((tx) => deleteItem(tx, key, item_id));
      if (!found) throw notFound('item', item_id);
      return {};
    },
  }),
];
