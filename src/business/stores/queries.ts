/** SQL for online stores. */
import { ZERO } from '../../base/money.js';
import type { Sql, Tx } from '../../database/database.js';
import type { Store } from './model.js';

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
