/** Opens the page of a location's online store, and finds it (decision 0169). */
import { createPageKey, pageKeyOf, revokePageKey } from '../../access/devices/publishable-keys.js';
import type { ServerContext } from '../../api/operation.js';
import { hashAsText, type KeyedHash } from '../../base/secrets.js';
import type { Storefront } from '../../identity/caller.js';
import { listStorefronts } from '../../identity/credential-queries.js';
import type { Issuing } from '../../identity/directory.js';
import { findMerchantOf } from '../../identity/directory-queries.js';
import type { Store } from './model.js';
import { insertStore } from './queries.js';

/** Saves the conditions of the store, and opens its page. A page that was closed is opened again. */
export async function openStore(
  issuing: Issuing,
  keyedHash: KeyedHash,
  merchantId: string,
  store: Store,
): Promise<void> {
  await insertStore(issuing.tx, merchantId, store);
  await createPageKey(issuing, keyedHash, { merchantId, locationId: store.locationId });
}

/** Saves the conditions of the store, and closes its page. It still sells where it is embedded in other pages. */
export async function closeStorePage(
  issuing: Issuing,
  keyedHash: KeyedHash,
  merchantId: string,
  store: Store,
): Promise<void> {
  await insertStore(issuing.tx, merchantId, store);
  await revokePageKey(issuing.tx, keyedHash, { merchantId, locationId: store.locationId });
}

export interface StorePage {
  readonly publishableKey: string;
  readonly storefront: Storefront;
}

/** Undefined if the location has no page, or if its key was revoked. */
export async function findStorePage(
  { database: { sql }, keyedHash }: Pick<ServerContext, 'database' | 'keyedHash'>,
  locationId: string,
): Promise<StorePage | undefined> {
  const publishableKey = pageKeyOf(keyedHash, locationId);
  const hash = hashAsText(publishableKey);
  const merchantId = await findMerchantOf(sql, Buffer.from(hash, 'hex'));
  if (merchantId === undefined) return undefined;
  const storefront = (await listStorefronts(sql, [{ hash, merchantId }])).get(hash);
  return storefront && { publishableKey, storefront };
}
