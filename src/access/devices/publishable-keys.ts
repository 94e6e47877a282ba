/** Creates publishable keys. Pages of a store contain them, so they only give access to one location's checkout (decision 0064). */
import { realNow } from '../../base/clock.js';
import { newSecret, realIds } from '../../base/ids.js';
import { hashSecret, type KeyedHash, secretMatches } from '../../base/secrets.js';
import { wholeSecond } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import type { Issuing } from '../../identity/directory.js';
import {
  insertPageKey,
  insertPublishableKey,
  type ListedKey,
  movePageKeyToRevoked,
  type PublishableKey,
} from './publishable-key-queries.js';

export async function createPublishableKey(
  { tx, enter }: Issuing,
  merchantId: string,
  locationId: string,
): Promise<{ readonly key: PublishableKey; readonly value: string }> {
  const value = newSecret('pub_', 48);
  const hash = hashSecret(value);
  const key = newKey(locationId);
  await insertPublishableKey(tx, merchantId, key, hash);
  enter(merchantId, hash);
  return { key, value };
}

function newKey(locationId: string): PublishableKey {
  return { id: realIds.newId(20), locationId, createdAt: wholeSecond(realNow()), revokedAt: null };
}

/**
 * The key that the page of a store is served with (decision 0169). It is derived with the server's secret, so the page can be served
 * with it again and again, although only its hash is stored.
 */
export function pageKeyOf(keyedHash: KeyedHash, locationId: string): string {
  return `pub_${keyedHash(`store page ${locationId}`).toString('hex')}`;
}

/** Whether it is the key of its location's store page. */
export function isPageKey(keyedHash: KeyedHash, { locationId, hash }: Pick<ListedKey, 'locationId' | 'hash'>): boolean {
  return secretMatches(pageKeyOf(keyedHash, locationId), hash);
}

/** Makes the key of a store's page valid, also if it was revoked before. */
export async function createPageKey(
  { tx, enter }: Issuing,
  keyedHash: KeyedHash,
  { merchantId, locationId }: { readonly merchantId: string; readonly locationId: string },
): Promise<void> {
  const hash = hashSecret(pageKeyOf(keyedHash, locationId));
  await insertPageKey(tx, merchantId, newKey(locationId), hash);
  enter(merchantId, hash);
}

/** Closes the page of a store. */
export async function revokePageKey(
  tx: Tx,
  keyedHash: KeyedHash,
  { merchantId, locationId }: { readonly merchantId: string; readonly locationId: string },
): Promise<void> {
  await movePageKeyToRevoked(tx, merchantId, hashSecret(pageKeyOf(keyedHash, locationId)), realNow());
}
