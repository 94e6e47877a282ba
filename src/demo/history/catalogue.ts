/** The catalogue of a generated business: its menu, and the goods of its online store. */
import { amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Catalogue, Item, Tax } from '../../business/catalogue/model.js';
import { lineIds } from '../../business/receipts/line-ids.js';
import type { TaxInput } from '../../business/receipts/model.js';
import { BAR, DISCOUNTS, DISHES, type MenuItem, MODIFIERS, menuItem, SPIRITS_TAX } from './menu.js';

const GOODS: readonly MenuItem[] = [
  menuItem('House blend', 'Coffee beans', { '250 g': 1450, '1 kg': 4900 }, 'Roasted on Mondays.'),
  menuItem('Espresso', 'Coffee beans', { '250 g': 1550, '1 kg': 5200 }, 'For machines and moka pots.'),
  menuItem('Juniper granola, 500 g', 'Pantry', 1250, 'What breakfast is made of.'),
  menuItem('Rye bread mix', 'Pantry', 950, 'Needs water and a day.'),
  menuItem('Juniper syrup', 'Pantry', 1100, 'For lemonade and gin.'),
  menuItem('Enamel mug', 'Goods', 1800, 'Survives a fall.'),
  menuItem('Linen apron', 'Goods', { Grey: 4200, Navy: 4200 }, 'One size.'),
  menuItem('Gift box', 'Goods', 5500, 'Coffee, granola and a mug.'),
];

/** Ids are derived from `owner`, as those of the tickets are: a merchant id, or a fixed name for many merchants that share a menu. */
export function toCatalogue(
  owner: string,
  locations: readonly { readonly locationId: string; readonly tax: TaxInput }[],
  at: Instant,
): Catalogue {
  const ids = lineIds(owner);
  const categoryId = (name: string): string => ids.ofItem(`category ${name}`);
  const listId = (name: string): string => ids.ofOption(`list ${name}`);
  const toItem = ({ name, category, description, variations }: MenuItem, online: boolean): Item => {
    const id = ids.ofItem(name);
    const modifiers = MODIFIERS[category];
    return {
      id,
      name,
      description,
      categoryId: categoryId(category),
      pictureId: null,
      locationIds: null,
      online,
      archived: false,
      variations: variations.map(({ price, ...variation }) => ({
        id: ids.ofVariation(id, variation.name),
        ...variation,
        price: amount(price),
      })),
      modifierListIds: modifiers ? [listId(modifiers.name)] : [],
      taxIds: category === BAR ? [ids.ofTax(SPIRITS_TAX)] : [],
      version: 1,
      createdAt: at,
      updatedAt: at,
    };
  };
  return {
    categories: [...new Set([...DISHES, ...GOODS].map(({ category }) => category))].map((name) => ({
      id: categoryId(name),
      name,
      version: 1,
    })),
    taxes: [
      { ...SPIRITS_TAX, id: ids.ofTax(SPIRITS_TAX), locationIds: null, appliesToAll: false, version: 1 },
      ...toSalesTaxes(owner, locations),
    ],
    modifierLists: Object.values(MODIFIERS).map(({ name, most, options }) => ({
      id: listId(name),
      name,
      least: 0,
      most,
      options: options.map((option) => ({ id: ids.ofOption(option.name), name: option.name, price: option.price })),
      version: 1,
    })),
    discounts: DISCOUNTS.map((discount) => ({
      id: ids.ofDiscount(discount.name),
      name: discount.name,
      rate: 'rate' in discount ? discount.rate : null,
      amount: 'amount' in discount ? discount.amount : null,
      restricted: discount.restricted,
      version: 1,
    })),
    items: [...DISHES.map((dish) => toItem(dish, false)), ...GOODS.map((goods) => toItem(goods, true))],
  };
}

/** A tax for all items at each location. Locations in one town have the same one. */
function toSalesTaxes(
  owner: string,
  locations: readonly { readonly locationId: string; readonly tax: TaxInput }[],
): readonly Tax[] {
  const taxes = new Map<string, Tax>();
  for (const { locationId, tax } of locations) {
    const id = lineIds(owner).ofTax(tax);
    const locationIds = [...(taxes.get(id)?.locationIds ?? []), locationId];
    taxes.set(id, { ...tax, id, locationIds, appliesToAll: true, version: 1 });
  }
  return [...taxes.values()];
}
