/** An item while it is edited: what was typed, and how it becomes a request. */
import type { dashboard, InputOf } from '../../client/operations.js';
import type { ChosenPicture } from '../../ui/picture-input.js';
import { parsePrice, printPrice } from '../../ui/price-input.js';
import type { Business } from '../business.js';
import type { Catalogue, Item } from './catalogue-data.js';
import { printPrices } from './catalogue-data.js';

export interface VariationDraft {
  /** For React: new variations have no id yet. */
  readonly key: number;
  readonly id?: string;
  readonly name: string;
  readonly sku: string;
  readonly price: string;
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

let keys = 0;

export function newVariation(name = ''): VariationDraft {
  return { key: ++keys, name, sku: '', price: '' };
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
    variations: item.variations.map(({ id, name, sku, price_money }) => ({
      key: ++keys,
      id,
      name,
      sku: sku ?? '',
      price: printPrice(price_money),
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
    variations: draft.variations.map(({ id, name, sku, price }) => {
      const amount = parsePrice(price, currency);
      if (amount === undefined) throw new Error(`“${price}” is not a price. Type an amount such as 4.50.`);
      return { ...(id !== undefined && { id }), name, sku, price_money: { amount } };
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

/** The fields of an item in words, to show what differs between two versions. */
export function describeItem(item: Item, catalogue: Catalogue, { locationName }: Business): Record<string, string> {
  const namesIn = (list: readonly { readonly id: string; readonly name: string }[], ids: readonly string[]) =>
    ids.map((id) => list.find((each) => each.id === id)?.name ?? 'deleted').join(', ');
  return {
    Name: item.name,
    Description: item.description ?? '',
    Category: item.category_id ? namesIn(catalogue.categories, [item.category_id]) : '',
    Picture: item.picture_id ? `picture ${item.picture_id.slice(0, 6)}` : '',
    Locations: item.location_ids?.map(locationName).join(', ') ?? 'all',
    Online: item.online ? 'yes' : 'no',
    State: item.archived ? 'archived' : 'for sale',
    Variations: item.variations
      .map(({ name, sku, price_money }) => `${name} ${printPrices([price_money])}${sku ? ` (${sku})` : ''}`)
      .join(', '),
    Modifiers: namesIn(catalogue.modifier_lists, item.modifier_list_ids),
    Taxes: namesIn(catalogue.taxes, item.tax_ids),
  };
}
