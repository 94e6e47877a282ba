/** SQL for the catalogue. */
import { Columns } from '../../database/columns.js';
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import {
  type Catalogue,
  type Category,
  type Discount,
  type Item,
  MAX_ITEMS,
  MAX_OTHERS,
  type ModifierList,
  type Sellable,
  type Tax,
} from './model.js';

const CATEGORY_COLUMNS = new Columns<Category>({
  id: { column: 'category_id', as: 'value' },
  name: 'value',
  version: 'value',
});

const TAX_COLUMNS = new Columns<Tax>({
  id: { column: 'tax_id', as: 'value' },
  name: 'value',
  rate: 'value',
  inclusion: 'value',
  locationIds: 'value',
  appliesToAll: 'value',
  version: 'value',
});

const MODIFIER_LIST_COLUMNS = new Columns<ModifierList>({
  id: { column: 'modifier_list_id', as: 'value' },
  name: 'value',
  least: 'value',
  most: 'value',
  options: 'json',
  version: 'value',
});

const DISCOUNT_COLUMNS = new Columns<Discount>({
  id: { column: 'discount_id', as: 'value' },
  name: 'value',
  rate: 'value',
  amount: 'value',
  restricted: 'value',
  version: 'value',
});

const ITEM_COLUMNS = new Columns<Item>({
  id: { column: 'item_id', as: 'value' },
  name: 'value',
  description: 'value',
  categoryId: 'value',
  pictureId: 'value',
  locationIds: 'value',
  online: 'value',
  archived: 'value',
  variations: 'json',
  modifierListIds: 'value',
  taxIds: 'value',
  version: 'value',
  createdAt: 'time',
  updatedAt: 'time',
});

/** A merchant without a catalogue has version 0. */
export async function findCatalogueVersion(sql: Sql, merchantId: string): Promise<number> {
  const [row] = await sql<{ version: number }[]>`select version from catalogues where merchant_id = ${merchantId}`;
  return row?.version ?? 0;
}

/** The whole catalogue, with a version that is not newer than what it contains. */
export async function findCatalogue(sql: Sql, merchantId: string): Promise<Catalogue & { readonly version: number }> {
  const version = await findCatalogueVersion(sql, merchantId);
  const [sellable, discounts] = await Promise.all([findSellable(sql, merchantId), listDiscounts(sql, merchantId)]);
  return { version, ...sellable, discounts };
}

/** The catalogue without its discounts: with all items, or with those that have the given ids. */
export async function findSellable(sql: Sql, merchantId: string, itemIds?: readonly string[]): Promise<Sellable> {
  const [items, categories, taxes, modifierLists] = await Promise.all([
    listItems(sql, merchantId, itemIds),
    listCategories(sql, merchantId),
    listTaxes(sql, merchantId),
    listModifierLists(sql, merchantId),
  ]);
  return { items, categories, taxes, modifierLists };
}

/** All items, or those with the given ids. */
export async function listItems(sql: Sql, merchantId: string, itemIds?: readonly string[]): Promise<Item[]> {
  const only = itemIds ? sql`and item_id = any (${itemIds as string[]}::text[])` : sql``;
  return sql<Item[]>`
    select ${ITEM_COLUMNS.select(sql)}
    from items
    where merchant_id = ${merchantId} ${only}
    order by name, item_id`;
}

/** The items that have one of these variations. Reads all items: for the rare case that only the variation is known. */
export async function listItemsOfVariations(
  sql: Sql,
  merchantId: string,
  variationIds: readonly string[],
): Promise<Item[]> {
  return sql<Item[]>`
    select ${ITEM_COLUMNS.select(sql)}
    from items
    where merchant_id = ${merchantId} and exists (
      select 1 from json_array_elements(variations) as variation
      where variation ->> 'id' = any (${variationIds as string[]}::text[])
    )`;
}

async function listCategories(sql: Sql, merchantId: string): Promise<Category[]> {
  return sql<Category[]>`
    select ${CATEGORY_COLUMNS.select(sql)}
    from categories
    where merchant_id = ${merchantId}
    order by name, category_id`;
}

async function listTaxes(sql: Sql, merchantId: string): Promise<Tax[]> {
  return sql<Tax[]>`
    select ${TAX_COLUMNS.select(sql)}
    from taxes
    where merchant_id = ${merchantId}
    order by name, tax_id`;
}

export async function listModifierLists(sql: Sql, merchantId: string): Promise<ModifierList[]> {
  return sql<ModifierList[]>`
    select ${MODIFIER_LIST_COLUMNS.select(sql)}
    from modifier_lists
    where merchant_id = ${merchantId}
    order by name, modifier_list_id`;
}

async function listDiscounts(sql: Sql, merchantId: string): Promise<Discount[]> {
  return sql<Discount[]>`
    select ${DISCOUNT_COLUMNS.select(sql)}
    from discounts
    where merchant_id = ${merchantId}
    order by name, discount_id`;
}

export async function findItem(sql: Sql, merchantId: string, itemId: string): Promise<Item | undefined> {
  const [row] = await sql<Item[]>`
    select ${ITEM_COLUMNS.select(sql)}
    from items
    where merchant_id = ${merchantId} and item_id = ${itemId}`;
  return row;
}

export async function findModifierList(
  sql: Sql,
  merchantId: string,
  modifierListId: string,
): Promise<ModifierList | undefined> {
  const [row] = await sql<ModifierList[]>`
    select ${MODIFIER_LIST_COLUMNS.select(sql)}
    from modifier_lists
    where merchant_id = ${merchantId} and modifier_list_id = ${modifierListId}`;
  return row;
}

/** Discounts that require a permission at registers. */
export async function listRestrictedDiscounts(
  sql: Sql,
  merchantId: string,
): Promise<readonly Pick<Discount, 'id' | 'name'>[]> {
  return sql<Pick<Discount, 'id' | 'name'>[]>`
    select discount_id as id, name
    from discounts
    where merchant_id = ${merchantId} and restricted`;
}

/** Inserts version 1, or replaces the version before the given one. Refused if another version is stored, as in the functions below. */
export async function updateCategory(tx: Tx, merchantId: string, category: Category): Promise<void> {
  await tx`select ${fn(tx, 'save_category')}(${merchantId}, ${CATEGORY_COLUMNS.toRow(category)}::text::json, ${MAX_OTHERS})`;
}

export async function updateTax(tx: Tx, merchantId: string, tax: Tax): Promise<void> {
  await tx`select ${fn(tx, 'save_tax')}(${merchantId}, ${TAX_COLUMNS.toRow(tax)}::text::json, ${MAX_OTHERS})`;
}

export async function updateModifierList(tx: Tx, merchantId: string, list: ModifierList): Promise<void> {
  await tx`select ${fn(tx, 'save_modifier_list')}(${merchantId}, ${MODIFIER_LIST_COLUMNS.toRow(list)}::text::json, ${MAX_OTHERS})`;
}

export async function updateDiscount(tx: Tx, merchantId: string, discount: Discount): Promise<void> {
  await tx`select ${fn(tx, 'save_discount')}(${merchantId}, ${DISCOUNT_COLUMNS.toRow(discount)}::text::json, ${MAX_OTHERS})`;
}

export async function updateItem(tx: Tx, merchantId: string, item: Item): Promise<void> {
  await tx`select ${fn(tx, 'save_item')}(${merchantId}, ${ITEM_COLUMNS.toRow(item)}::text::json, ${MAX_ITEMS})`;
}

/** Refused if there is no such record, as in the functions below. */
export async function deleteCategory(tx: Tx, merchantId: string, id: string): Promise<void> {
  await tx`select ${fn(tx, 'delete_category')}(${merchantId}, ${id})`;
}

export async function deleteTax(tx: Tx, merchantId: string, id: string): Promise<void> {
  await tx`select ${fn(tx, 'delete_tax')}(${merchantId}, ${id})`;
}

export async function deleteModifierList(tx: Tx, merchantId: string, id: string): Promise<void> {
  await tx`select ${fn(tx, 'delete_modifier_list')}(${merchantId}, ${id})`;
}

export async function deleteDiscount(tx: Tx, merchantId: string, id: string): Promise<void> {
  await tx`select ${fn(tx, 'delete_discount')}(${merchantId}, ${id})`;
}

/** Sales and orders keep what was sold. */
export async function deleteItem(tx: Tx, merchantId: string, id: string): Promise<void> {
  await tx`select ${fn(tx, 'delete_item')}(${merchantId}, ${id})`;
}

/** Adds many records at once. Those that are already there stay as they are. */
export async function insertCatalogue(tx: Tx, merchantId: string, added: Partial<Catalogue>): Promise<void> {
  const { categories = [], taxes = [], modifierLists = [], discounts = [], items = [] } = added;
  const rows =
    `{"categories":[${categories.map((each) => CATEGORY_COLUMNS.toRow(each))}]` +
    `,"taxes":[${taxes.map((each) => TAX_COLUMNS.toRow(each))}]` +
    `,"modifier_lists":[${modifierLists.map((each) => MODIFIER_LIST_COLUMNS.toRow(each))}]` +
    `,"discounts":[${discounts.map((each) => DISCOUNT_COLUMNS.toRow(each))}]` +
    `,"items":[${items.map((each) => ITEM_COLUMNS.toRow(each))}]}`;
  await tx`select ${fn(tx, 'add_to_catalogue')}(${merchantId}, ${rows}::text::json, ${MAX_ITEMS})`;
}
