/** Deletes old events with their deliveries and attempts, and subscriptions that have ended (decision 0078). */
import type { Instant } from '../base/time.js';
import type { Sql, Tx } from '../database/database.js';
import { fn } from '../database/functions.js';
import { listMerchantsWithOldRows } from '../database/shards.js';

/** On one shard, see `listShards`. */
export function listMerchantsWithOldEvents(sql: Sql, shard: string, before: Instant): Promise<string[]> {
  return listMerchantsWithOldRows(sql, shard, { table: 'webhook_events', time: 'created_at', before });
}

/**
 * Deletes the oldest events of a merchant before that time, at most `limit`, with their deliveries and attempts. Keeps events that
 * still have to be delivered. Returns how many events were deleted.
 */
export async function deleteOldEvents(
  tx: Tx,
  merchantId: string,
  { before, limit }: { readonly before: Instant; readonly limit: number },
): Promise<number> {
  const [row] = await tx<{ deleted: number }[]>`
    select ${fn(tx, 'delete_old_events')}(${merchantId}, ${before}, ${limit}) as deleted`;
  return row?.deleted ?? 0;
}

/** Merchants with subscriptions whose authorization or token is no longer valid. On one shard. */
export async function listMerchantsWithEndedSubscriptions(sql: Sql, shard: string, now: Instant): Promise<string[]> {
  const rows = await sql<{ merchantId: string }[]>`
    select ${fn(sql, 'list_merchants_with_ended_subscriptions')}(${shard}, ${now}) as merchant_id`;
  return rows.map(({ merchantId }) => merchantId);
}

/** Deletes the subscriptions of a merchant whose authorization or token is no longer valid, if they have no pending deliveries. */
export async function deleteEndedSubscriptions(tx: Tx, merchantId: string, now: Instant): Promise<void> {
  await tx`select ${fn(tx, 'delete_ended_subscriptions')}(${merchantId}, ${now})`;
}
