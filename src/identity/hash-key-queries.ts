/** All SQL statements on the key of keyed hashes. */
import type { SealedSecret } from '../base/sealing.js';
import type { Instant } from '../base/time.js';
import type { Sql, Tx } from '../database/database.js';

export async function findHashKey(sql: Sql): Promise<SealedSecret | undefined> {
  const [row] = await sql<SealedSecret[]>`select key_id, secret from hash_key`;
  return row;
}

/** Does nothing if another server was faster. */
export async function insertHashKey(tx: Tx, { keyId, secret }: SealedSecret, now: Instant): Promise<void> {
  await tx`
    insert into hash_key (key_id, secret, sealed_at)
    values (${keyId}, ${secret}, ${now})
    on conflict do nothing`;
}

/** Returns false if it is no longer the one that was read. */
export async function updateHashKey(tx: Tx, before: SealedSecret, next: SealedSecret, now: Instant): Promise<boolean> {
  const rows = await tx`
    update hash_key
    set key_id = ${next.keyId}, secret = ${next.secret}, sealed_at = ${now}
    where secret = ${before.secret}
    returning 1`;
  return rows.length > 0;
}
