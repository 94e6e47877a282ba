/** The catalogue of a merchant: what registers and online stores sell, and at which price (decision 0144). Pure. */
import type { Rate } from '../../base/decimal.js';
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { TaxInput } from '../receipts/model.js';

/** Limited because a catalogue is read as a whole, without pages. */
export const MAX_ITEMS = 1000;
/** The maximum number of categories, of modifier lists, of discounts, and of taxes. */
export const MAX_OTHERS = 200;
export const MAX_VARIATIONS = 50;
export const MAX_OPTIONS = 100;

/** An editor sends back the version that it has seen. An edit replaces only this version, and adds one to it. */
export interface CatalogueRecord {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

export type Category = CatalogueRecord;

export interface Tax extends CatalogueRecord {
  readonly rate: Rate;
  readonly inclusion: TaxInput['inclusion'];
  /** Null: all locations. */
  readonly locationIds: readonly string[] | null;
  /** If false, the tax applies only to the items that name it. */
  readonly appliesToAll: boolean;
}

export interface ModifierOption {
  readonly id: string;
  readonly name: string;
  readonly price: Amount;
}

export interface ModifierList extends CatalogueRecord {
  /** How many options a buyer chooses. */
  readonly least: number;
  /** Null: any number. */
  readonly most: number | null;
  readonly options: readonly ModifierOption[];
}

/** Has either a rate or an amount. */
export interface Discount extends CatalogueRecord {
  readonly rate: Rate | null;
  readonly amount: Amount | null;
  /** Requires the permission to apply restricted discounts at a register. */
  readonly restricted: boolean;
}

export interface Variation {
  readonly id: string;
  readonly name: string;
  readonly sku?: string;
  readonly price: Amount;
  /** Registers may sell it at any price. Online stores charge `price`. */
  readonly variablePrice?: true;
  /** Sold by weight or length, so a part of one is a usual quantity. */
  readonly soldByMeasure?: true;
}

export interface Item extends CatalogueRecord {
  readonly description: string | null;
  readonly categoryId: string | null;
  readonly pictureId: string | null;
  /** Null: all locations. */
  readonly locationIds: readonly string[] | null;
  readonly online: boolean;
  /** Kept for reports, and not sold any more. */
  readonly archived: boolean;
  /** At least one. */
  readonly variations: readonly Variation[];
  readonly modifierListIds: readonly string[];
  /** Besides the taxes that apply to all items. */
  readonly taxIds: readonly string[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface Catalogue {
  readonly categories: readonly Category[];
  readonly taxes: readonly Tax[];
  readonly modifierLists: readonly ModifierList[];
  readonly discounts: readonly Discount[];
  readonly items: readonly Item[];
}

/** An item as it is sold at one location. */
export interface OfferedItem extends Item {
  readonly categoryName: string | null;
  readonly taxes: readonly Tax[];
  readonly modifierLists: readonly ModifierList[];
}

export type Sellable = Omit<Catalogue, 'discounts'>;

/** The items that a location sells, with the taxes that it charges. */
export function offerAt(
  { items, taxes, categories, modifierLists }: Sellable,
  locationId: string,
): readonly OfferedItem[] {
  const names = new Map(categories.map(({ id, name }) => [id, name]));
  const charged = taxes.filter((tax) => isAt(tax, locationId));
  return items
    .filter((item) => isSoldAt(item, locationId))
    .map((item) => ({
      ...item,
      categoryName: (item.categoryId !== null && names.get(item.categoryId)) || null,
      taxes: charged.filter((tax) => tax.appliesToAll || item.taxIds.includes(tax.id)),
      modifierLists: modifierLists.filter(({ id }) => item.modifierListIds.includes(id)),
    }));
}

/** The items that the online store of a location sells. */
export function offerOnline(catalogue: Sellable, locationId: string): readonly OfferedItem[] {
  return offerAt(catalogue, locationId).filter(({ online }) => online);
}

export function isSoldAt(item: Item, locationId: string): boolean {
  return !item.archived && isAt(item, locationId);
}

function isAt({ locationIds }: { readonly locationIds: readonly string[] | null }, locationId: string): boolean {
  return locationIds === null || locationIds.includes(locationId);
}

export function lowestPrice({ variations }: Pick<Item, 'variations'>): Amount {
  return Math.min(...variations.map(({ price }) => price)) as Amount;
}
