/** The view of items for shoppers, and the short form of items with which the operator of a sandbox opens a store. */
import { fromWireAmount, Money, toMoney, WireAmount } from '../../api/money.js';
import { fromRateText, RateText } from '../../api/rates.js';
import { about, choice, model, optional, present, type Static, Type, text } from '../../api/wire.js';
import { printRate } from '../../base/decimal.js';
import type { Ids } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
import { pictureUrl } from '../pictures/view.js';
import { ONLY_VARIATION, TAX_INCLUSIONS } from '../receipts/model.js';
import type { NamedItem } from './actions.js';
import { lowestPrice, type OfferedItem } from './model.js';
import { MODIFIER_LIST, toModifierListView, toVariationViews, VariationView, withoutVersion } from './view.js';

const name = about('What people call it.', text(255, { minLength: 1 }));

/** An item with one variation, sold online and at the registers of one location. */
export const StoreItemBody = Type.Object({
  name,
  description: about('A text for shoppers.', optional(text(1000))),
  category_name: about('The category. It is made if there is none with this name.', optional(text())),
  sku: about('The stock keeping unit of the only variation.', optional(text())),
  price_money: about('The price before tax.', WireAmount),
  tax: about(
    'The tax on the item. It is made if there is none like it.',
    optional(Type.Object({ name, rate: about('The rate of the tax, for example `0.085`.', RateText) })),
  ),
});

const StoreModifierList = model('StoreModifierList', MODIFIER_LIST);

export const StoreItem = model('StoreItem', {
  id: about('The id of the item.', Type.String()),
  name: about('The name of the item.', Type.String()),
  description: about('A text for shoppers.', optional(Type.String())),
  category_name: about('The category. Absent without one.', optional(Type.String())),
  picture_url: about('Where the picture is. Absent without one.', optional(Type.String())),
  price_money: about('The lowest price of its variations.', Money),
  variations: about('The sizes or kinds. An order names one if there are several.', Type.Array(VariationView)),
  modifier_lists: about('Choices that a shopper makes for each piece.', Type.Array(StoreModifierList)),
  taxes: about(
    'The taxes on the item.',
    Type.Array(
      Type.Object({
        name: about('The name of the tax.', Type.String()),
        rate: about('The rate of the tax, for example `0.085`.', Type.String()),
        inclusion_type: about('Whether the price contains the tax, or the tax is added.', choice(TAX_INCLUSIONS)),
      }),
    ),
  ),
});

interface BodyContext {
  readonly locationId: string;
  readonly currency: string;
  readonly ids: Ids;
  readonly at: Instant;
}

/** `field` is the path prefix for refusals. */
export function fromStoreItemBody(body: Static<typeof StoreItemBody>, context: BodyContext, field: string): NamedItem {
  const { currency, locationId, ids, at } = context;
  const price = fromWireAmount(body.price_money, { currency, field: `${field}price_money`, least: 0 });
  return {
    id: ids.newUuid(),
    version: 1,
    name: body.name,
    description: body.description ?? null,
    categoryName: body.category_name ?? null,
    pictureId: null,
    locationIds: [locationId],
    online: true,
    archived: false,
    variations: [{ id: ids.newUuid(), name: ONLY_VARIATION, ...present({ sku: body.sku }), price }],
    modifierListIds: [],
    tax: body.tax ? { name: body.tax.name, rate: fromRateText(body.tax.rate) } : null,
    createdAt: at,
    updatedAt: at,
  };
}

export function toStoreItem(
  item: OfferedItem,
  { id: merchantId, currency }: { readonly id: string; readonly currency: string },
): Static<typeof StoreItem> {
  return {
    id: item.id,
    name: item.name,
    ...present({ description: item.description, category_name: item.categoryName }),
    ...(item.pictureId !== null && { picture_url: pictureUrl(merchantId, item.pictureId) }),
    price_money: toMoney(lowestPrice(item), currency),
    variations: toVariationViews(item, currency),
    modifier_lists: item.modifierLists.map((list) => withoutVersion(toModifierListView(list, currency))),
    taxes: item.taxes.map(({ name, rate, inclusion }) => ({ name, rate: printRate(rate), inclusion_type: inclusion })),
  };
}
