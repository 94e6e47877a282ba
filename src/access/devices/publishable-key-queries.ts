/** Every SQL statement on publishable keys: which location's checkout they open. */
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';
import type { Storefront } from '../../identity/caller.js';
import { anyHash, type MerchantColumns, merchantColumns, toMerchant } from '../token-queries.js';

export async function listStorefronts(sql: Sql, hashes: readonly string[]): Promise<Map<string, Storefront>> {
  const rows = await sql<(MerchantColumns & { hash: string; keyId: string; locationId: string })[]>`
    select encode(k.key_hash, 'hex') as hash, k.key_id, k.location_id, ${merchantColumns(sql)}
    from publishable_keys k
    join merchants m using (merchant_id)
    where k.key_hash = ${anyHash(sql, hashes)}
      and k.revoked_at is null`;
  return new Map(
    rows.map((row) => [row.hash, { keyId: row.keyId, locationId: row.locationId, merchant: toMerchant(row) }]),
  );
}

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

export async function listPublishableKeys(sql: Sql, merchantId: string): Promise<PublishableKey[]> {
  return sql<PublishableKey[]>`
    select key_id as id, location_id, created_at, revoked_at
    from publishable_keys
    where merchant_id = ${merchantId}
    order by created_at, key_id
    limit 1000`;
}

/** False where there is no such key. */
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
