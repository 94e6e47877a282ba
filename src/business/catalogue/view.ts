/** The view of the catalogue for owners and registers, and how it is read from their requests. */
import { Money, readAmount, toMoney, WireAmount } from '../../api/money.js';
import { RateText, readRate } from '../../api/rates.js';
import { choice, Flag, model, optional, present, type Static, Time, Type, text, wholeNumber } from '../../api/wire.js';
import { printRate } from '../../base/decimal.js';
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { printSeconds } from '../../base/time.js';
import { requireLocationInBody } from '../../identity/locations.js';
import { pictureUrl } from '../pictures/view.js';
import { MAX_LINES, TAX_INCLUSIONS } from '../receipts/model.js';
import {
  type Catalogue,
  type Category,
  type Discount,
  type Item,
  MAX_OPTIONS,
  MAX_VARIATIONS,
  type ModifierList,
  type OfferedItem,
  offerAt,
  type Tax,
} from './model.js';

const name = text(255, { minLength: 1 });
const id = text(64, { minLength: 1 });
/** Far more locations than a merchant can have. */
const MAX_LOCATIONS = 300;

/** Absent: all locations. */
const location_ids = optional(Type.Array(id, { minItems: 1, maxItems: MAX_LOCATIONS }));
const ids = optional(Type.Array(id, { maxItems: MAX_LINES }));

/** The version that the editor has seen. */
export const SEEN = { version: wholeNumber(1, 2_000_000_000) };

export const CategoryBody = Type.Object({ name });

export const TaxBody = Type.Object({
  name,
  rate: RateText,
  inclusion_type: choice(TAX_INCLUSIONS),
  location_ids,
  applies_to_all: Flag,
});

export const ModifierListBody = Type.Object({
  name,
  min_selected: optional(wholeNumber(0, MAX_OPTIONS)),
  max_selected: optional(wholeNumber(1, MAX_OPTIONS)),
  options: Type.Array(Type.Object({ id: optional(id), name, price_money: WireAmount }), {
    minItems: 1,
    maxItems: MAX_OPTIONS,
  }),
});

/** Either a rate or an amount, which `readDiscount` checks. */
export const DiscountBody = Type.Object({
  name,
  rate: optional(RateText),
  amount_money: optional(WireAmount),
  restricted: Flag,
});

export const ItemBody = Type.Object({
  name,
  description: optional(text(1000)),
  category_id: optional(id),
  picture_id: optional(id),
  location_ids,
  online: Flag,
  archived: optional(Flag),
  variations: Type.Array(Type.Object({ id: optional(id), name, sku: optional(text()), price_money: WireAmount }), {
    minItems: 1,
    maxItems: MAX_VARIATIONS,
  }),
  modifier_list_ids: ids,
  tax_ids: ids,
});

/** The merchant, and what a new record needs. */
export interface Reading {
  readonly merchant: {
    readonly id: string;
    readonly currency: string;
    readonly locations: readonly { readonly id: string }[];
  };
  readonly ids: Ids;
}

/** A record that is replaced, or only the id and version of a new one. */
type Replaced = { readonly id: string; readonly version: number };

function readLocations(
  { location_ids }: { readonly location_ids?: readonly string[] },
  { merchant }: Reading,
): readonly string[] | null {
  for (const each of location_ids ?? []) requireLocationInBody(merchant, each, 'location_ids');
  return location_ids ? [...new Set(location_ids)] : null;
}

/** Ids of parts that exist stay. New parts get a new id; an unknown id is refused. */
function readPartIds(
  parts: readonly { readonly id?: string }[],
  known: readonly { readonly id: string }[],
  { field, ids: source }: { readonly field: string; readonly ids: Ids },
): readonly string[] {
  const existing = new Set(known.map((part) => part.id));
  return parts.map((part) => {
    if (part.id === undefined) return source.newUuid();
    if (existing.delete(part.id)) return part.id;
    throw new Refusal('INVALID_VALUE', {
      field: `${field}.id`,
      detail: `There is no other part with the id ${part.id}.`,
    });
  });
}

export function readCategory(body: Static<typeof CategoryBody>, { id, version }: Replaced): Category {
  return { id, name: body.name, version };
}

export function readTax(body: Static<typeof TaxBody>, { id, version }: Replaced, reading: Reading): Tax {
  return {
    id,
    version,
    name: body.name,
    rate: readRate(body.rate),
    inclusion: body.inclusion_type,
    locationIds: readLocations(body, reading),
    appliesToAll: body.applies_to_all,
  };
}

export function readModifierList(
  body: Static<typeof ModifierListBody>,
  { id, version, options = [] }: Replaced & Partial<Pick<ModifierList, 'options'>>,
  { merchant: { currency }, ids }: Reading,
): ModifierList {
  const [least, most] = [body.min_selected ?? 0, body.max_selected ?? null];
  if (least > (most ?? body.options.length)) {
    const detail = 'min_selected must not be more than max_selected, or than there are options.';
    throw new Refusal('INVALID_VALUE', { field: 'min_selected', detail });
  }
  const optionIds = readPartIds(body.options, options, { field: 'options', ids });
  return {
    id,
    version,
    name: body.name,
    least,
    most,
    options: body.options.map((option, index) => ({
      id: optionIds[index] ?? '',
      name: option.name,
      price: readAmount(option.price_money, { currency, field: 'options.price_money', least: 0 }),
    })),
  };
}

export function readDiscount(
  body: Static<typeof DiscountBody>,
  { id, version }: Replaced,
  { merchant: { currency } }: Reading,
): Discount {
  const { rate, amount_money: money } = body;
  if ((rate === undefined) === (money === undefined)) {
    const detail = 'A discount requires either rate or amount_money.';
    throw new Refusal('CONFLICTING_PARAMETERS', { field: 'rate', detail });
  }
  return {
    id,
    version,
    name: body.name,
    rate: rate === undefined ? null : readRate(rate),
    amount: money === undefined ? null : readAmount(money, { currency, field: 'amount_money', least: 0 }),
    restricted: body.restricted,
  };
}

type NewItem = Pick<Item, 'id' | 'version' | 'createdAt' | 'updatedAt'> & Partial<Pick<Item, 'variations'>>;

export function readItem(body: Static<typeof ItemBody>, replaced: NewItem, reading: Reading): Item {
  const { currency } = reading.merchant;
  const variationIds = readPartIds(body.variations, replaced.variations ?? [], { field: 'variations', ...reading });
  return {
    id: replaced.id,
    version: replaced.version,
    name: body.name,
    description: body.description ?? null,
    categoryId: body.category_id ?? null,
    pictureId: body.picture_id ?? null,
    locationIds: readLocations(body, reading),
    online: body.online,
    archived: body.archived ?? false,
    variations: body.variations.map((variation, index) => ({
      id: variationIds[index] ?? '',
      name: variation.name,
      ...present({ sku: variation.sku }),
      price: readAmount(variation.price_money, { currency, field: 'variations.price_money', least: 0 }),
    })),
    modifierListIds: [...new Set(body.modifier_list_ids)],
    taxIds: [...new Set(body.tax_ids)],
    createdAt: replaced.createdAt,
    updatedAt: replaced.updatedAt,
  };
}

const Locations = optional(Type.Array(Type.String()));
const Version = { version: Type.Integer() };

const CATEGORY = { id: Type.String(), name: Type.String() };
const TAX = { ...CATEGORY, rate: Type.String(), inclusion_type: choice(TAX_INCLUSIONS) };
const MODIFIER_LIST = {
  ...CATEGORY,
  min_selected: Type.Integer(),
  max_selected: optional(Type.Integer()),
  options: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), price_money: Money })),
};
const DISCOUNT = {
  ...CATEGORY,
  rate: optional(Type.String()),
  amount_money: optional(Money),
  restricted: Type.Boolean(),
};
export const VariationView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  sku: optional(Type.String()),
  price_money: Money,
});
const ITEM = {
  id: Type.String(),
  name: Type.String(),
  description: optional(Type.String()),
  category_id: optional(Type.String()),
  picture_url: optional(Type.String()),
  variations: Type.Array(VariationView),
  modifier_list_ids: Type.Array(Type.String()),
  tax_ids: Type.Array(Type.String()),
};

export const CategoryView = model('CatalogueCategory', { ...CATEGORY, ...Version });
export const TaxView = model('CatalogueTax', {
  ...TAX,
  location_ids: Locations,
  applies_to_all: Type.Boolean(),
  ...Version,
});
export const ModifierListView = model('CatalogueModifierList', { ...MODIFIER_LIST, ...Version });
export const DiscountView = model('CatalogueDiscount', { ...DISCOUNT, ...Version });
export const ItemView = model('CatalogueItem', {
  ...ITEM,
  picture_id: optional(Type.String()),
  location_ids: Locations,
  online: Type.Boolean(),
  archived: Type.Boolean(),
  ...Version,
  created_at: Time,
  updated_at: Time,
});

/** The version is for those who edit it at a register. */
export const RegisterItem = model('RegisterItem', { ...ITEM, ...Version });

/** What a register of one location sells. An item names all taxes that apply to it there. */
export const RegisterCatalogue = model('RegisterCatalogue', {
  categories: Type.Array(model('RegisterCategory', CATEGORY)),
  items: Type.Array(RegisterItem),
  modifier_lists: Type.Array(model('RegisterModifierList', MODIFIER_LIST)),
  discounts: Type.Array(model('RegisterDiscount', DISCOUNT)),
  taxes: Type.Array(model('RegisterTax', TAX)),
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
  return variations.map(({ id, name, sku, price }) => ({
    id,
    name,
    ...present({ sku }),
    price_money: toMoney(price, currency),
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

function withoutVersion<View extends { readonly version: number }>({
  version: _,
  ...rest
}: View): Omit<View, 'version'> {
  return rest;
}
