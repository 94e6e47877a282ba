/** Deletes old writes of registers (decision 0078). */
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { listMerchantsWithRowsBefore } from '../../database/shards.js';

/** On one shard, see `listShards`. */
export function listMerchantsWithOldWrites(sql: Sql, shard: string, before: Instant): Promise<string[]> {
  return listMerchantsWithRowsBefore(sql, shard, { table: 'register_writes', time: 'created_at', before });
}

/** Deletes about `limit` of the oldest writes of a merchant before that time, and returns how many. */
export async function deleteOldWrites(
  tx: Tx,
  merchantId: string,
  { before, limit }: { readonly before: Instant; readonly limit: number },
): Promise<number> {
  const [row] = await tx<{ deleted: number }[]>`
    select ${fn(tx, 'delete_old_register_writes')}(${merchantId}, ${before}, ${limit}) as deleted`;
  return row?.deleted ?? 0;
}
