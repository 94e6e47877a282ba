/** Dashboard operations on the catalogue as a whole and on its items. */

import { operation } from '../../api/operation.js';
import { SAMPLE_IDS } from '../../api/sample-ids.js';
import { about, Nothing, Type } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { wholeSecond } from '../../base/time.js';
import { newRecord, nextVersion, removeRecord, requireSeen, saveItem } from './actions.js';
import { fromItemBody, ItemBody, SEEN } from './edits.view.js';
import { CATALOGUE } from './part-operations.js';
import { findCatalogue, findItem } from './queries.js';
import { items } from './table.js';
import {
  CategoryView,
  DiscountView,
  ItemView,
  ModifierListView,
  TaxView,
  toCategoryView,
  toDiscountView,
  toItemView,
  toModifierListView,
  toTaxView,
} from './view.js';

const ITEM = `${CATALOGUE}/items/{item_id}` as const;

const ItemResponse = Type.Object({ item: about('The item after the change.', ItemView) });

export const dashboardCatalogueOperations = [
  operation({
    surface: 'dashboard',
    name: 'retrieveCatalogue',
    method: 'GET',
    path: CATALOGUE,
    permission: 'OWNER',
    summary: 'Shows the whole catalogue, including archived items.',
    response: Type.Object({
      version: about('The version of the whole catalogue. It grows with every change.', Type.Integer()),
      categories: about('All categories.', Type.Array(CategoryView)),
      items: about('All items, with archived ones.', Type.Array(ItemView)),
      modifier_lists: about('All modifier lists.', Type.Array(ModifierListView)),
      discounts: about('All discounts.', Type.Array(DiscountView)),
      taxes: about('All taxes.', Type.Array(TaxView)),
    }),
    async handle({ database, merchant }) {
      const catalogue = await findCatalogue(database.sql, merchant.id);
      return {
        version: catalogue.version,
        categories: catalogue.categories.map(toCategoryView),
        items: catalogue.items.map((item) => toItemView(item, merchant)),
        modifier_lists: catalogue.modifierLists.map((list) => toModifierListView(list, merchant.currency)),
        discounts: catalogue.discounts.map((discount) => toDiscountView(discount, merchant.currency)),
        taxes: catalogue.taxes.map(toTaxView),
      };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'createItem',
    method: 'POST',
    path: `${CATALOGUE}/items`,
    permission: 'OWNER',
    summary: 'Adds an item with its variations to the catalogue.',
    body: ItemBody,
    example: {
      body: {
        name: 'Flat white',
        description: 'A double shot with steamed milk',
        category_id: SAMPLE_IDS.category_id,
        online: true,
        variations: [{ name: 'Regular', sku: 'FW-1', price_money: { amount: 450, currency: 'USD' } }],
        modifier_list_ids: [SAMPLE_IDS.modifier_list_id],
        tax_ids: [SAMPLE_IDS.tax_id],
      },
    },
    response: ItemResponse,
    addsNoWork: true,
    async handle(context, { body }) {
      const { database, merchant, now } = context;
      const at = wholeSecond(now);
      const item = fromItemBody(body, { ...newRecord(context), createdAt: at, updatedAt: at }, context);
      await database.change(merchant.id, (change) => saveItem(change, item));
      return { item: toItemView(item, merchant) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateItem',
    method: 'PUT',
    path: ITEM,
    permission: 'OWNER',
    summary:
      'Replaces an item with its variations, unless it has changed since the given version. Sales and orders keep what was sold.',
    body: Type.Object({ ...ItemBody.properties, ...SEEN }),
    example: {
      body: {
        name: 'Flat white',
        description: 'A double shot with steamed milk',
        category_id: SAMPLE_IDS.category_id,
        online: true,
        variations: [
          { id: SAMPLE_IDS.variation_id, name: 'Regular', sku: 'FW-1', price_money: { amount: 475, currency: 'USD' } },
        ],
        modifier_list_ids: [SAMPLE_IDS.modifier_list_id],
        tax_ids: [SAMPLE_IDS.tax_id],
        version: 1,
      },
    },
    response: ItemResponse,
    addsNoWork: true,
    async handle(context, { params: { item_id }, body }) {
      const { database, merchant, now } = context;
      const known = await findItem(database.sql, merchant.id, item_id);
      if (!known) throw notFound('item', item_id);
      requireSeen(known, body.version);
      const replaced = { ...known, ...nextVersion(known.id, body.version), updatedAt: wholeSecond(now) };
      const item = fromItemBody(body, replaced, context);
      await database.change(merchant.id, (change) => saveItem(change, item));
      return { item: toItemView(item, merchant) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'deleteItem',
    method: 'DELETE',
    path: ITEM,
    permission: 'OWNER',
    summary: 'Deletes an item from the catalogue. Sales and orders keep what was sold.',
    response: Nothing,
    addsNoWork: true,
    handle: (context, { params: { item_id } }) => removeRecord(context, items, item_id),
  }),
];
