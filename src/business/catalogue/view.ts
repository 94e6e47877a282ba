/** The wire format of the catalogue, for the dashboard and for registers. */
import { Money, toMoney } from '../../api/money.js';
import { about, choice, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printRate } from '../../base/decimal.js';
import { printSeconds } from '../../base/time.js';
import { pictureUrl } from '../pictures/view.js';
import { TAX_INCLUSIONS } from '../receipts/model.js';
import {
  type Catalogue,
  type Category,
  type Discount,
  type Item,
  type ModifierList,
  type OfferedItem,
  offerAt,
  type Tax,
} from './model.js';

const Locations = optional(Type.Array(Type.String()));
const Version = { version: about('Grows by one with every change. Send it with an edit.', Type.Integer()) };

const CATEGORY = {
  id: about('The id of the record.', Type.String()),
  name: about('What people call it.', Type.String()),
};
const TAX = {
  ...CATEGORY,
  rate: about('The rate of the tax, for example `0.085`.', Type.String()),
  inclusion_type: about('Whether prices contain the tax, or the tax is added.', choice(TAX_INCLUSIONS)),
};
export const MODIFIER_LIST = {
  ...CATEGORY,
  min_selected: about('How many options a buyer must choose.', Type.Integer()),
  max_selected: about('How many options a buyer may choose. Absent: any number.', optional(Type.Integer())),
  options: about(
    'The choices, in the order in which they are shown.',
    Type.Array(
      Type.Object({
        id: about('The id of the option, `modifier_option_id` in sales.', Type.String()),
        name: about('What the option is called.', Type.String()),
        price_money: about('What the option adds to the price.', Money),
      }),
    ),
  ),
};
const DISCOUNT = {
  ...CATEGORY,
  rate: about('The share that is taken off, for example `0.1`. Absent if it is an amount.', optional(Type.String())),
  amount_money: about('The amount that is taken off. Absent if it is a rate.', optional(Money)),
  restricted: about('Whether giving it requires REGISTER_APPLY_RESTRICTED_DISCOUNTS.', Type.Boolean()),
};
export const VariationView = Type.Object({
  id: about('The id of the variation, `item_variation_id` in sales.', Type.String()),
  name: about('The name of the variation.', Type.String()),
  sku: about('The stock keeping unit. Absent without one.', optional(Type.String())),
  price_money: about('The price before tax.', Money),
  variable_price: about('Present if registers may sell it at any price.', optional(Type.Boolean())),
  sold_by_measure: about('Present if it is sold by weight or length.', optional(Type.Boolean())),
});
const ITEM = {
  id: about('The id of the item.', Type.String()),
  name: about('The name of the item.', Type.String()),
  description: about('A text for shoppers. Absent without one.', optional(Type.String())),
  category_id: about('The category. Absent without one.', optional(Type.String())),
  picture_url: about('Where the picture is. Absent without one.', optional(Type.String())),
  variations: about('The sizes or kinds, in the order in which they are shown.', Type.Array(VariationView)),
  modifier_list_ids: about('What buyers may add.', Type.Array(Type.String())),
  tax_ids: about('The taxes on the item, besides those that apply to all.', Type.Array(Type.String())),
};

export const CategoryView = model('CatalogueCategory', { ...CATEGORY, ...Version });
export const TaxView = model('CatalogueTax', {
  ...TAX,
  location_ids: about('Where it applies.', Locations),
  applies_to_all: about('Whether every item has the tax.', Type.Boolean()),
  ...Version,
});
export const ModifierListView = model('CatalogueModifierList', { ...MODIFIER_LIST, ...Version });
export const DiscountView = model('CatalogueDiscount', { ...DISCOUNT, ...Version });
export const ItemView = model('CatalogueItem', {
  ...ITEM,
  picture_id: about('The picture. Absent without one.', optional(Type.String())),
  location_ids: about('Where it is sold.', Locations),
  online: about('Whether the online stores of its locations sell it.', Type.Boolean()),
  archived: about('Whether it is no longer sold.', Type.Boolean()),
  ...Version,
  created_at: about('When the item was created.', Time),
  updated_at: about('When the item was last changed.', Time),
});

/** The version is for those who edit it at a register. */
export const RegisterItem = model('RegisterItem', { ...ITEM, ...Version });

/** What a register of one location sells. An item names all taxes that apply to it there. */
export const RegisterCatalogue = model('RegisterCatalogue', {
  categories: about('The categories of these items.', Type.Array(model('RegisterCategory', CATEGORY))),
  items: about('What the location sells.', Type.Array(RegisterItem)),
  modifier_lists: about(
    'What buyers may add to these items.',
    Type.Array(model('RegisterModifierList', MODIFIER_LIST)),
  ),
  discounts: about('The discounts that can be given.', Type.Array(model('RegisterDiscount', DISCOUNT))),
  taxes: about('The taxes of the location.', Type.Array(model('RegisterTax', TAX))),
});

export function toCategoryView({ id, name, version }: Category): Static<typeof CategoryView> {
  return { id, name, version };
}

export function toTaxView(tax: Tax): Static<typeof TaxView> {
  return {
    id: tax.id,
    name: tax.name,
    rate: printRate(tax.rate),
    inclusion_type: tax.inclusion,
    ...(tax.locationIds && { location_ids: [...tax.locationIds] }),
    applies_to_all: tax.appliesToAll,
    version: tax.version,
  };
}

export function toModifierListView(list: ModifierList, currency: string): Static<typeof ModifierListView> {
  return {
    id: list.id,
    name: list.name,
    min_selected: list.least,
    ...present({ max_selected: list.most }),
    options: list.options.map(({ id, name, price }) => ({ id, name, price_money: toMoney(price, currency) })),
    version: list.version,
  };
}

export function toDiscountView(discount: Discount, currency: string): Static<typeof DiscountView> {
  return {
    id: discount.id,
    name: discount.name,
    ...(discount.rate !== null && { rate: printRate(discount.rate) }),
    ...(discount.amount !== null && { amount_money: toMoney(discount.amount, currency) }),
    restricted: discount.restricted,
    version: discount.version,
  };
}

export function toVariationViews({ variations }: Pick<Item, 'variations'>, currency: string) {
  return variations.map(({ id, name, sku, price, variablePrice, soldByMeasure }) => ({
    id,
    name,
    ...present({ sku }),
    price_money: toMoney(price, currency),
    ...present({ variable_price: variablePrice, sold_by_measure: soldByMeasure }),
  }));
}

export function toItemView(
  item: Item,
  { id: merchantId, currency }: { readonly id: string; readonly currency: string },
): Static<typeof ItemView> {
  return {
    id: item.id,
    name: item.name,
    ...present({ description: item.description, category_id: item.categoryId, picture_id: item.pictureId }),
    ...(item.pictureId !== null && { picture_url: pictureUrl(merchantId, item.pictureId) }),
    ...(item.locationIds && { location_ids: [...item.locationIds] }),
    online: item.online,
    archived: item.archived,
    variations: toVariationViews(item, currency),
    modifier_list_ids: [...item.modifierListIds],
    tax_ids: [...item.taxIds],
    version: item.version,
    created_at: printSeconds(item.createdAt),
    updated_at: printSeconds(item.updatedAt),
  };
}

/** The records as registers see them, without what only editors need. */
export function toRegisterCatalogue(
  catalogue: Catalogue,
  merchant: { readonly id: string; readonly currency: string },
  locationId: string,
): Static<typeof RegisterCatalogue> {
  const offered = offerAt(catalogue, locationId);
  const taxes = new Map(offered.flatMap((item) => item.taxes.map((tax) => [tax.id, tax])));
  return {
    categories: catalogue.categories.map(({ id, name }) => ({ id, name })),
    items: offered.map((item) => toRegisterItem(item, merchant)),
    modifier_lists: catalogue.modifierLists.map((list) => withoutVersion(toModifierListView(list, merchant.currency))),
    discounts: catalogue.discounts.map((discount) => withoutVersion(toDiscountView(discount, merchant.currency))),
    taxes: [...taxes.values()].map(({ id, name, rate, inclusion }) => ({
      id,
      name,
      rate: printRate(rate),
      inclusion_type: inclusion,
    })),
  };
}

export function toRegisterItem(
  item: OfferedItem,
  merchant: { readonly id: string; readonly currency: string },
): Static<typeof RegisterItem> {
  return {
    id: item.id,
    name: item.name,
    ...present({ description: item.description, category_id: item.categoryId }),
    ...(item.pictureId !== null && { picture_url: pictureUrl(merchant.id, item.pictureId) }),
    variations: toVariationViews(item, merchant.currency),
    modifier_list_ids: [...item.modifierListIds],
    tax_ids: item.taxes.map(({ id }) => id),
    version: item.version,
  };
}

export function withoutVersion<View extends { readonly version: number }>({
  version: _,
  ...rest
}: View): Omit<View, 'version'> {
  return rest;
}
