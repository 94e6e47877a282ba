/** SQL for online stores and their catalogues. */
import { ZERO } from '../../base/money.js';
import type { Sql, Tx } from '../../database/database.js';
import { andLocationIs } from '../../database/location-filter.js';
import type { CatalogueItem, Store } from './model.js';

interface StoreKey {
  readonly merchantId: string;
  readonly locationId: string;
}

/** A store without a row has the defaults: free shipping and no promo codes. */
export async function findStore(sql: Sql, { merchantId, locationId }: StoreKey): Promise<Store> {
  const [row] = await sql<Store[]>`
    select location_id, shipping, promo_codes
    from stores
    where merchant_id = ${merchantId} and location_id = ${locationId}`;
  return row ?? { locationId, shipping: ZERO, promoCodes: [] };
}

export async function insertStore(tx: Tx, merchantId: string, store: Store): Promise<void> {
  await tx`
    insert into stores (merchant_id, location_id, shipping, promo_codes)
    values (${merchantId}, ${store.locationId}, ${store.shipping}, ${JSON.stringify(store.promoCodes)}::text::json)
    on conflict (merchant_id, location_id) do update
    set shipping = excluded.shipping, promo_codes = excluded.promo_codes`;
}

const columns = (sql: Sql) => sql`
  item_id as id, location_id, name, description, category, sku, price, tax_name, tax_rate, created_at, updated_at`;

/** Limited because a catalogue is read as a whole, without pages. */
export const MAX_CATALOGUE_ITEMS = 1000;

export async function listItems(sql: Sql, { merchantId, locationId }: StoreKey): Promise<CatalogueItem[]> {
  return sql<CatalogueItem[]>`
    select ${columns(sql)}
    from catalogue_items
    where merchant_id = ${merchantId} and location_id = ${locationId}
    order by created_at, item_id
    limit ${MAX_CATALOGUE_ITEMS}`;
}

/** The items of the store that have one of the ids. */
export async function listItemsByIds(
  sql: Sql,
  { merchantId, locationId }: StoreKey,
  ids: readonly string[],
): Promise<CatalogueItem[]> {
  return sql<CatalogueItem[]>`
    select ${columns(sql)}
    from catalogue_items
    where merchant_id = ${merchantId} and item_id = any (${ids as string[]}::text[]) ${andLocationIs(sql, locationId)}`;
}

/** Returns false if the catalogue is full. */
export async function insertItem(tx: Tx, merchantId: string, item: CatalogueItem): Promise<boolean> {
  const rows = await tx`
    insert into catalogue_items (
      merchant_id, location_id, item_id, name, description, category, sku, price, tax_name, tax_rate, created_at,
      updated_at
    )
    select
      ${merchantId}, ${item.locationId}, ${item.id}, ${item.name}, ${item.description}, ${item.category}, ${item.sku},
      ${item.price}, ${item.taxName}, ${item.taxRate}::integer, ${item.createdAt}::timestamptz,
      ${item.updatedAt}::timestamptz
    where (
      select count(*) from catalogue_items where merchant_id = ${merchantId} and location_id = ${item.locationId}
    ) < ${MAX_CATALOGUE_ITEMS}
    returning 1`;
  return rows.length > 0;
}

/** Undefined if the store does not have the item. Existing orders keep their prices. */
export async function updateItem(
  tx: Tx,
  merchantId: string,
  item: Omit<CatalogueItem, 'createdAt'>,
): Promise<CatalogueItem | undefined> {
  const [row] = await tx<CatalogueItem[]>`
    update catalogue_items
    set
      name = ${item.name}, description = ${item.description}, category = ${item.category}, sku = ${item.sku},
      price = ${item.price}, tax_name = ${item.taxName}, tax_rate = ${item.taxRate}, updated_at = ${item.updatedAt}
    where merchant_id = ${merchantId} and item_id = ${item.id} ${andLocationIs(tx, item.locationId)}
    returning ${columns(tx)}`;
  return row;
}

/** Returns false if the store does not have the item. */
export async function deleteItem(tx: Tx, { merchantId, locationId }: StoreKey, itemId: string): Promise<boolean> {
  const rows = await tx`
    delete from catalogue_items
    where merchant_id = ${merchantId} and item_id = ${itemId} ${andLocationIs(tx, locationId)}
    returning 1`;
  return rows.length > 0;
}
