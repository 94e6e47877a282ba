/** Generates the online store and catalogue of a location. */
import type { Ids } from '../../base/ids.js';
import { amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { TaxInput } from '../../business/receipts/model.js';
import { type CatalogueItem, ITEM_ID_LENGTH, type Store } from '../../business/stores/model.js';
import { rate } from './menu.js';

/** Name, price in minor units, category, description. */
const GOODS = [
  ['House blend, 250 g', 1450, 'Coffee', 'Roasted on Mondays.'],
  ['Espresso, 250 g', 1550, 'Coffee', 'For machines and moka pots.'],
  ['Juniper granola, 500 g', 1250, 'Pantry', 'What breakfast is made of.'],
  ['Rye bread mix', 950, 'Pantry', 'Needs water and a day.'],
  ['Juniper syrup', 1100, 'Pantry', 'For lemonade and gin.'],
  ['Enamel mug', 1800, 'Goods', 'Survives a fall.'],
  ['Linen apron', 4200, 'Goods', 'In grey.'],
  ['Gift box', 5500, 'Goods', 'Coffee, granola and a mug.'],
] as const;

/** Flat shipping cost per order, and one promo code. */
export function toStore(locationId: string): Store {
  return { locationId, shipping: amount(600), promoCodes: [{ code: 'JUNIPER10', rate: rate('0.1') }] };
}

export function toCatalogue(ids: Ids, locationId: string, tax: TaxInput, at: Instant): CatalogueItem[] {
  return GOODS.map(([name, price, category, description], index) => ({
    id: ids.newId(ITEM_ID_LENGTH),
    locationId,
    name,
    description,
    category,
    sku: `WEB-${index + 1}`,
    price: amount(price),
    taxName: tax.name,
    taxRate: tax.rate,
    createdAt: at,
    updatedAt: at,
  }));
}
