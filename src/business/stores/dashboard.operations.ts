/** What the owner may do with the online stores: what shipping costs, which codes hold, and what is sold. */
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

const StoreAnswer = Type.Object({ store: StoreView });
const ItemAnswer = Type.Object({ item: CatalogueItemView });

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
    response: StoreAnswer,
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
    summary: 'Says what shipping costs and which promo codes hold, from the next order on.',
    body: StoreBody,
    response: StoreAnswer,
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
    summary: "Lists what a location's online store sells.",
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
    summary: 'Puts something on sale.',
    body: ItemBody,
    response: ItemAnswer,
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
    summary: 'Changes what is on sale; orders that were placed keep their prices.',
    body: ItemBody,
    response: ItemAnswer,
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
    summary: 'Takes something off sale.',
    response: Nothing,
    async handle(context, { params: { location_id, item_id } }) {
      const key = keyOf(context, location_id);
      const found = await context.database.statement((tx) => deleteItem(tx, key, item_id));
      if (!found) throw notFound('item', item_id);
      return {};
    },
  }),
];
