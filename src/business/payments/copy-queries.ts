/** SQL statements that renew the copies of the v2 JSON of payments. */
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';

/**
 * Merchants after `after`, in the order of their ids, whose payments may have copies of an older version. On one shard, see
 * `listShards`. Reads without locks.
 */
export async function listMerchantsWithOldCopies(
  sql: Sql,
  { shard, after, limit }: { readonly shard: string; readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await sql<{ merchantId: string }[]>`
    select ${fn(sql, 'list_merchants_with_old_copies')}(${shard}, ${after}, ${limit}) as merchant_id`;
  return rows.map(({ merchantId }) => merchantId);
}

/** Renews the copies of the next payments of a merchant, at most `limit`. Returns whether there are more. */
export async function updateOldCopies(tx: Tx, merchantId: string, limit: number): Promise<boolean> {
  const [row] = await tx<{ hasMore: boolean }[]>`
    select ${fn(tx, 'renew_payment_copies')}(${merchantId}, ${limit}) as has_more`;
  return row?.hasMore ?? false;
}
