/** An item while it is edited: what was typed, and how it becomes a request. */
import type { dashboard, InputOf } from '../../client/operations.js';
import type { ChosenPicture } from '../../ui/picture-input.js';
import { parsePrice, printPrice } from '../../ui/price-input.js';
import type { Business } from '../business.js';
import { type Catalogue, type Item, namesIn } from './catalogue-data.js';

export interface VariationDraft {
  /** For React: the id, or a number for a new one. */
  readonly key: string;
  readonly id?: string;
  readonly name: string;
  readonly sku: string;
  readonly price: string;
  readonly hasVariablePrice: boolean;
  readonly isSoldByMeasure: boolean;
}

export interface ItemDraft {
  readonly name: string;
  readonly description: string;
  readonly categoryId: string | null;
  readonly picture: ChosenPicture | undefined;
  readonly isEverywhere: boolean;
  readonly locationIds: readonly string[];
  readonly online: boolean;
  readonly archived: boolean;
  readonly variations: readonly VariationDraft[];
  readonly modifierListIds: readonly string[];
  readonly taxIds: readonly string[];
}

let created = 0;

export function newVariation(name = ''): VariationDraft {
  return { key: `new ${++created}`, name, sku: '', price: '', hasVariablePrice: false, isSoldByMeasure: false };
}

export function newDraft(): ItemDraft {
  return {
    name: '',
    description: '',
    categoryId: null,
    picture: undefined,
    isEverywhere: true,
    locationIds: [],
    online: false,
    archived: false,
    variations: [newVariation('Regular')],
    modifierListIds: [],
    taxIds: [],
  };
}

export function toDraft(item: Item): ItemDraft {
  return {
    name: item.name,
    description: item.description ?? '',
    categoryId: item.category_id ?? null,
    picture: item.picture_id && item.picture_url ? { id: item.picture_id, url: item.picture_url } : undefined,
    isEverywhere: item.location_ids === undefined,
    locationIds: item.location_ids ?? [],
    online: item.online,
    archived: item.archived,
    variations: item.variations.map(({ id, name, sku, price_money, variable_price, sold_by_measure }) => ({
      key: id,
      id,
      name,
      sku: sku ?? '',
      price: printPrice(price_money),
      hasVariablePrice: variable_price ?? false,
      isSoldByMeasure: sold_by_measure ?? false,
    })),
    modifierListIds: item.modifier_list_ids,
    taxIds: item.tax_ids,
  };
}

export type ItemBody = InputOf<typeof dashboard.createItem>;

/** Throws an error with a text for the person if a price is not an amount. */
export function readDraft(draft: ItemDraft, currency: string): ItemBody {
  return {
    name: draft.name,
    description: draft.description,
    category_id: draft.categoryId ?? undefined,
    picture_id: draft.picture?.id,
    location_ids: draft.isEverywhere ? undefined : [...draft.locationIds],
    online: draft.online,
    archived: draft.archived,
    variations: draft.variations.map(({ id, name, sku, price, hasVariablePrice, isSoldByMeasure }) => {
      const amount = parsePrice(price, currency);
      if (amount === undefined) throw new Error(`“${price}” is not a price. Type an amount such as 4.50.`);
      const flags = { variable_price: hasVariablePrice, sold_by_measure: isSoldByMeasure };
      return { ...(id !== undefined && { id }), name, sku, price_money: { amount }, ...flags };
    }),
    modifier_list_ids: [...draft.modifierListIds],
    tax_ids: [...draft.taxIds],
  };
}

/** The item as a request that changes nothing. */
export function toItemBody(item: Item): ItemBody {
  return {
    name: item.name,
    description: item.description,
    category_id: item.category_id,
    picture_id: item.picture_id,
    location_ids: item.location_ids,
    online: item.online,
    archived: item.archived,
    variations: item.variations,
    modifier_list_ids: item.modifier_list_ids,
    tax_ids: item.tax_ids,
  };
}

export const ITEM_LABELS: Readonly<Record<keyof ItemDraft, string>> = {
  name: 'Name',
  description: 'Description',
  categoryId: 'Category',
  picture: 'Picture',
  isEverywhere: 'Sold at all locations',
  locationIds: 'Locations',
  online: 'Sold online',
  archived: 'Archived',
  variations: 'Variations',
  modifierListIds: 'Modifiers',
  taxIds: 'Taxes',
};

/** A field of an item in words, to show what somebody else changed. */
export function printItemField(
  draft: Partial<ItemDraft>,
  { categories, modifier_lists, taxes }: Catalogue,
  { locationName }: Business,
): string {
  if (draft.categoryId) return namesIn(categories, [draft.categoryId]);
  if (draft.picture) return `picture ${draft.picture.id.slice(0, 6)}`;
  if (draft.locationIds) return draft.locationIds.map(locationName).join(', ');
  if (draft.modifierListIds) return namesIn(modifier_lists, draft.modifierListIds);
  if (draft.taxIds) return namesIn(taxes, draft.taxIds);
  if (draft.variations) {
    return draft.variations.map(printVariation).join(', ');
  }
  const [value] = Object.values(draft);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : '';
}

function printVariation({ name, sku, price, hasVariablePrice, isSoldByMeasure }: VariationDraft): string {
  const notes = [sku, hasVariablePrice && 'any price', isSoldByMeasure && 'by weight or length'].filter(Boolean);
  return `${name} ${price}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}
