/** Deletes old idempotency keys (decision 0078), except those of payments and refunds for which work is due. */
import type { Instant } from '../base/time.js';
import type { Sql, Tx } from '../database/database.js';
import { fn } from '../database/functions.js';
import { listMerchantsWithRowsBefore } from '../database/shards.js';

/** On one shard, see `listShards`. */
export function listMerchantsWithOldKeys(sql: Sql, shard: string, before: Instant): Promise<string[]> {
  return listMerchantsWithRowsBefore(sql, shard, { table: 'idempotency_keys', time: 'created_at', before });
}

/** Deletes about `limit` of the oldest keys of a merchant before that time, and returns how many. */
export async function deleteOldKeys(
  tx: Tx,
  merchantId: string,
  { before, limit }: { readonly before: Instant; readonly limit: number },
): Promise<number> {
  const [row] = await tx<{ deleted: number }[]>`
    select ${fn(tx, 'delete_old_keys')}(${merchantId}, ${before}, ${limit}) as deleted`;
  return row?.deleted ?? 0;
}
