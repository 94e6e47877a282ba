/** SQL for the catalogue. */
import type { Change } from '../../database/change.js';
import type { Sql, Tx } from '../../database/database.js';
import type { TableOf } from '../../database/table.js';
import type { Catalogue, Category, Discount, Item, ModifierList, Sellable, Tax } from './model.js';
import { categories, discounts, items, modifierLists, taxes } from './table.js';

/** A merchant without a catalogue has version 0. */
export async function findCatalogueVersion(sql: Sql, merchantId: string): Promise<number> {
  const [row] = await sql<{ version: number }[]>`select version from catalogues where merchant_id = ${merchantId}`;
  return row?.version ?? 0;
}

/** The whole catalogue, with a version that is not newer than what it contains. */
export async function findCatalogue(sql: Sql, merchantId: string): Promise<Catalogue & { readonly version: number }> {
  const version = await findCatalogueVersion(sql, merchantId);
  const [sellable, given] = await Promise.all([findSellable(sql, merchantId), listDiscounts(sql, merchantId)]);
  return { version, ...sellable, discounts: given };
}

/** The catalogue without its discounts: with all items, or with those that have the given ids. */
export async function findSellable(sql: Sql, merchantId: string, itemIds?: readonly string[]): Promise<Sellable> {
  const [listedItems, listedCategories, listedTaxes, listedModifiers] = await Promise.all([
    listItems(sql, merchantId, itemIds),
    listCategories(sql, merchantId),
    listTaxes(sql, merchantId),
    listModifierLists(sql, merchantId),
  ]);
  return { items: listedItems, categories: listedCategories, taxes: listedTaxes, modifierLists: listedModifiers };
}

/** All items, or those with the given ids. */
export async function listItems(sql: Sql, merchantId: string, itemIds?: readonly string[]): Promise<Item[]> {
  const only = itemIds ? sql`and item_id = any (${itemIds as string[]}::text[])` : sql``;
  return sql<Item[]>`
    select ${items.select(sql)}
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
    select ${items.select(sql)}
    from items
    where merchant_id = ${merchantId} and exists (
      select 1 from json_array_elements(variations) as variation
      where variation ->> 'id' = any (${variationIds as string[]}::text[])
    )`;
}

async function listCategories(sql: Sql, merchantId: string): Promise<Category[]> {
  return sql<Category[]>`
    select ${categories.select(sql)}
    from categories
    where merchant_id = ${merchantId}
    order by name, category_id`;
}

async function listTaxes(sql: Sql, merchantId: string): Promise<Tax[]> {
  return sql<Tax[]>`
    select ${taxes.select(sql)}
    from taxes
    where merchant_id = ${merchantId}
    order by name, tax_id`;
}

export async function listModifierLists(sql: Sql, merchantId: string): Promise<ModifierList[]> {
  return sql<ModifierList[]>`
    select ${modifierLists.select(sql)}
    from modifier_lists
    where merchant_id = ${merchantId}
    order by name, modifier_list_id`;
}

async function listDiscounts(sql: Sql, merchantId: string): Promise<Discount[]> {
  return sql<Discount[]>`
    select ${discounts.select(sql)}
    from discounts
    where merchant_id = ${merchantId}
    order by name, discount_id`;
}

export async function findItem(sql: Sql, merchantId: string, itemId: string): Promise<Item | undefined> {
  const [row] = await sql<Item[]>`
    select ${items.select(sql)}
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
    select ${modifierLists.select(sql)}
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

/** How many records of a kind the merchant has. */
export async function findCount<Kind extends object>(
  { sql, merchantId }: Change,
  table: TableOf<Kind>,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from ${sql(table.name)}
    where merchant_id = ${merchantId}`;
  return row?.count ?? 0;
}

/** Which of the ids records of a kind have already. */
export async function listKnownIds<Kind extends object>(
  { sql, merchantId }: Change,
  table: TableOf<Kind>,
  ids: readonly string[],
): Promise<string[]> {
  const key = sql.unsafe(table.keyColumns.join());
  const rows = await sql<{ id: string }[]>`
    select ${key} as id
    from ${sql(table.name)}
    where merchant_id = ${merchantId} and ${key} = any (${ids as string[]}::text[])`;
  return rows.map(({ id }) => id);
}

/** Gives the catalogue its next version for the rest of a transaction, which other changes of it wait for. */
export async function updateCatalogueVersion(tx: Tx, merchantId: string): Promise<void> {
  await tx`
    insert into catalogues (merchant_id, version)
    values (${merchantId}, 1)
    on conflict (merchant_id) do update
    set version = catalogues.version + 1`;
}
