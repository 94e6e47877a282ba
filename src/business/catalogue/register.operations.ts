/** Register operations on the catalogue: what the location sells, and the name and prices of an item. */
import { fromWireAmount, WireAmount } from '../../api/money.js';
import { operation } from '../../api/operation.js';
import { SAMPLE_IDS } from '../../api/sample-ids.js';
import { about, optional, Type, text, wholeNumber } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import type { Amount } from '../../base/money.js';
import { SEEN } from './edits.view.js';
import { MAX_VARIATIONS, offerAt } from './model.js';
import { findCatalogue, findCatalogueVersion, findSellable } from './queries.js';
import { editItemAtRegister } from './register-edit.js';
import { RegisterCatalogue, RegisterItem, toRegisterCatalogue, toRegisterItem } from './view.js';

export const registerCatalogueOperations = [
  operation({
    surface: 'register',
    name: 'listCatalogue',
    method: 'GET',
    path: '/api/register/catalogue',
    permission: 'DEVICE',
    summary:
      "Lists what the device's location sells, with taxes and discounts; nothing if it still has `known_version`.",
    query: Type.Object({
      known_version: about(
        'The version that the register has. If it is current, only the version is returned.',
        optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
      ),
    }),
    response: Type.Object({
      version: about('The version of the catalogue. It grows with every change.', Type.Integer()),
      catalogue: about(
        'All that the location sells. Absent if the register has this version.',
        optional(RegisterCatalogue),
      ),
    }),
    async handle({ database, merchant, device: { locationId } }, { query: { known_version } }) {
      if (known_version !== undefined) {
        const version = await findCatalogueVersion(database.sql, merchant.id);
        if (version === known_version) return { version };
      }
      const { version, ...catalogue } = await findCatalogue(database.sql, merchant.id);
      return { version, catalogue: toRegisterCatalogue(catalogue, merchant, locationId) };
    },
  }),

  operation({
    surface: 'register',
    name: 'editItemAtRegister',
    method: 'PUT',
    path: '/api/register/items/{item_id}',
    permission: 'REGISTER_EDIT_ITEM',
    summary:
      'Changes the name and prices of an item that the location sells, unless it has changed since the given version.',
    body: Type.Object({
      ...SEEN,
      name: about('What the item is called from now on.', text(255, { minLength: 1 })),
      variations: about(
        'The variations whose price changes.',
        Type.Array(
          Type.Object({
            id: about('The id of the variation.', text(64, { minLength: 1 })),
            price_money: about('The new price.', WireAmount),
          }),
          {
            maxItems: MAX_VARIATIONS,
          },
        ),
      ),
    }),
    example: {
      body: {
        version: 1,
        name: 'Rye loaf, large',
        variations: [{ id: SAMPLE_IDS.variation_id, price_money: { amount: 900 } }],
      },
    },
    response: Type.Object({ item: about('The item after the change.', RegisterItem) }),
    addsNoWork: true,
    async handle(context, { params: { item_id }, body: { version, name, variations } }) {
      const { database, merchant, device } = context;
      const { currency } = merchant;
      const prices = variations.map(({ id, price_money }): [string, Amount] => [
        id,
        fromWireAmount(price_money, { currency, field: 'variations.price_money', least: 0 }),
      ]);
      const item = await editItemAtRegister(context, item_id, { name: name.trim(), prices: new Map(prices), version });
      const [offered] = offerAt(await findSellable(database.sql, merchant.id, [item.id]), device.locationId);
      if (!offered) throw notFound('item', item_id);
      return { item: toRegisterItem(offered, merchant) };
    },
  }),
];
