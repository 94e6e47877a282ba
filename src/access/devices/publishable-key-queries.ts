/** Every SQL statement on publishable keys. */
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';

export interface PublishableKey {
  readonly id: string;
  readonly locationId: string;
  readonly createdAt: Instant;
  readonly revokedAt: Instant | null;
}

export async function insertPublishableKey(
  tx: Tx,
  merchantId: string,
  { id, locationId, createdAt }: PublishableKey,
  hash: Buffer,
): Promise<void> {
  await tx`
    insert into publishable_keys (key_hash, merchant_id, key_id, location_id, created_at)
    values (${hash}, ${merchantId}, ${id}, ${locationId}, ${createdAt})`;
}

/** If the key exists already, it becomes valid again. */
export async function insertPageKey(
  tx: Tx,
  merchantId: string,
  { id, locationId, createdAt }: PublishableKey,
  hash: Buffer,
): Promise<void> {
  await tx`
    insert into publishable_keys (key_hash, merchant_id, key_id, location_id, created_at)
    values (${hash}, ${merchantId}, ${id}, ${locationId}, ${createdAt})
    on conflict (merchant_id, key_hash) do update
    set revoked_at = null`;
}

export interface ListedKey extends PublishableKey {
  readonly hash: Buffer;
}

export async function listPublishableKeys(sql: Sql, merchantId: string): Promise<ListedKey[]> {
  return sql<ListedKey[]>`
    select key_id as id, location_id, created_at, revoked_at, key_hash as hash
    from publishable_keys
    where merchant_id = ${merchantId}
    order by created_at, key_id
    limit 1000`;
}

/** Does nothing if there is no such key. */
export async function movePageKeyToRevoked(tx: Tx, merchantId: string, hash: Buffer, at: Instant): Promise<void> {
  await tx`
    update publishable_keys
    set revoked_at = coalesce(revoked_at, ${at})
    where merchant_id = ${merchantId} and key_hash = ${hash}`;
}

/** Returns false if there is no such key. */
export async function movePublishableKeyToRevoked(
  tx: Tx,
  merchantId: string,
  keyId: string,
  at: Instant,
): Promise<boolean> {
  const rows = await tx`
    update publishable_keys
    set revoked_at = coalesce(revoked_at, ${at})
    where merchant_id = ${merchantId} and key_id = ${keyId}
    returning 1`;
  return rows.length > 0;
}
