/** Every SQL statement on online stores and their catalogues. */
import { ZERO } from '../../base/money.js';
import type { Sql, Tx } from '../../database/database.js';
import { andLocationIs } from '../../database/location-filter.js';
import type { CatalogueItem, Store } from './model.js';

interface StoreKey {
  readonly merchantId: string;
  readonly locationId: string;
}

/** One that nobody has set up ships for nothing and has no promo codes. */
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

/** A catalogue has no more, so that it is read as a whole. */
export const MAX_CATALOGUE_ITEMS = 1000;

export async function listItems(sql: Sql, { merchantId, locationId }: StoreKey): Promise<CatalogueItem[]> {
  return sql<CatalogueItem[]>`
    select ${columns(sql)}
    from catalogue_items
    where merchant_id = ${merchantId} and location_id = ${locationId}
    order by created_at, item_id
    limit ${MAX_CATALOGUE_ITEMS}`;
}

/** Those of the given ids that are sold there. */
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

/** False where the catalogue is full. */
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

/** Undefined where it is not sold there. Orders that were placed keep their price. */
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

/** False where it is not sold there. */
export async function deleteItem(tx: Tx, { merchantId, locationId }: StoreKey, itemId: string): Promise<boolean> {
  const rows = await tx`
    delete from catalogue_items
    where merchant_id = ${merchantId} and item_id = ${itemId} ${andLocationIs(tx, locationId)}
    returning 1`;
  return rows.length > 0;
}
