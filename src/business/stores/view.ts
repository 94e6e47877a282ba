/** View of online stores and their catalogues for owners, operators and shoppers. */
import { Money, readAmount, toMoney, WireAmount } from '../../api/money.js';
import { RateText, readRate } from '../../api/rates.js';
import { model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { printRate } from '../../base/decimal.js';
import { Refusal } from '../../base/errors.js';
import { type Instant, printSeconds } from '../../base/time.js';
import type { CatalogueItem, Store } from './model.js';

const name = text(255, { minLength: 1 });
const PromoCode = Type.Object({ code: text(64, { minLength: 1 }), rate: RateText });

/** Both fields are required, because the body replaces the store: an omitted field must not delete its value. */
export const StoreBody = Type.Object({
  shipping_money: WireAmount,
  promo_codes: Type.Array(PromoCode, { maxItems: 100 }),
});

export const ItemBody = Type.Object({
  name,
  description: optional(text(1000)),
  category_name: optional(text()),
  sku: optional(text()),
  price_money: WireAmount,
  tax: optional(Type.Object({ name, rate: RateText })),
});

export const StoreView = model('OnlineStore', {
  location_id: Type.String(),
  shipping_money: Money,
  promo_codes: Type.Array(PromoCode),
});

const ITEM_FIELDS = {
  id: Type.String(),
  name: Type.String(),
  description: optional(Type.String()),
  category_name: optional(Type.String()),
  sku: optional(Type.String()),
  price_money: Money,
  tax: optional(Type.Object({ name: Type.String(), rate: Type.String() })),
};

/** An item as shoppers see it. */
export const StoreItem = model('StoreItem', ITEM_FIELDS);
export const CatalogueItemView = model('CatalogueItem', { ...ITEM_FIELDS, created_at: Time, updated_at: Time });

interface Reading {
  readonly locationId: string;
  readonly currency: string;
}

export function readStore(body: Static<typeof StoreBody>, { locationId, currency }: Reading): Store {
  const { shipping_money: shipping, promo_codes: codes } = body;
  const codesInUse = new Set(codes.map(({ code }) => code.toLowerCase()));
  if (codesInUse.size < codes.length) {
    throw new Refusal('INVALID_VALUE', { field: 'promo_codes', detail: 'promo_codes contains a code twice.' });
  }
  return {
    locationId,
    shipping: readAmount(shipping, { currency, field: 'shipping_money', least: 0 }),
    promoCodes: codes.map(({ code, rate }) => ({ code, rate: readRate(rate) })),
  };
}

/** Converts an item of a request body. `field` is the path prefix for refusals, if the item is nested in the body. */
export function readItem(
  body: Static<typeof ItemBody>,
  {
    currency,
    locationId,
    id,
    at,
    field = '',
  }: Reading & { readonly id: string; readonly at: Instant; readonly field?: string },
): CatalogueItem {
  return {
    id,
    locationId,
    name: body.name,
    description: body.description ?? null,
    category: body.category_name ?? null,
    sku: body.sku ?? null,
    price: readAmount(body.price_money, { currency, field: `${field}price_money`, least: 0 }),
    taxName: body.tax?.name ?? null,
    taxRate: body.tax ? readRate(body.tax.rate) : null,
    createdAt: at,
    updatedAt: at,
  };
}

export function toStoreView({ locationId, shipping, promoCodes }: Store, currency: string): Static<typeof StoreView> {
  return {
    location_id: locationId,
    shipping_money: toMoney(shipping, currency),
    promo_codes: promoCodes.map(({ code, rate }) => ({ code, rate: printRate(rate) })),
  };
}

export function toStoreItem(item: CatalogueItem, currency: string): Static<typeof StoreItem> {
  const { taxName, taxRate } = item;
  return {
    id: item.id,
    name: item.name,
    ...present({ description: item.description, category_name: item.category, sku: item.sku }),
    price_money: toMoney(item.price, currency),
    ...(taxName !== null && taxRate !== null && { tax: { name: taxName, rate: printRate(taxRate) } }),
  };
}

export function toCatalogueItem(item: CatalogueItem, currency: string): Static<typeof CatalogueItemView> {
  const [created_at, updated_at] = [printSeconds(item.createdAt), printSeconds(item.updatedAt)];
  return { ...toStoreItem(item, currency), created_at, updated_at };
}
