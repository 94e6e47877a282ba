/** The shards of a distributed database. A plain PostgreSQL counts as one shard. */
import type { Instant } from '../base/time.js';
import { fn } from './functions.js';
import type { Sql } from './sql.js';

/**
 * For each shard, a value that is on it. As first argument of a function that reads all merchants of a shard, it takes the place of a
 * merchant: the call runs on the node of that shard, even after the shard has moved.
 */
export async function listShards(sql: Sql): Promise<string[]> {
  const rows = await sql<{ shard: string }[]>`select ${fn(sql, 'list_shards')}() as shard`;
  return rows.map(({ shard }) => shard);
}

/** Limits the query to the oldest rows. */
const SCAN_LIMIT = 10_000;

/** The merchants of a shard that have the oldest rows of a table before a time. `time` is the column with the time. */
export async function listMerchantsWithOldRows(
  sql: Sql,
  shard: string,
  { table, time, before }: { readonly table: string; readonly time: string; readonly before: Instant },
): Promise<string[]> {
  const rows = await sql<{ merchantId: string }[]>`
    select ${fn(sql, 'list_merchants_with_old_rows')}(${shard}, ${table}, ${time}, ${before}, ${SCAN_LIMIT}) as merchant_id`;
  return rows.map(({ merchantId }) => merchantId);
}

/** Like `listMerchantsWithOldRows`, for a large table whose index by time is not by merchant. It lists all of them. */
export async function listMerchantsWithRowsBefore(
  sql: Sql,
  shard: string,
  { table, time, before }: { readonly table: string; readonly time: string; readonly before: Instant },
): Promise<string[]> {
  const rows = await sql<{ merchantId: string }[]>`
    select ${fn(sql, 'list_merchants_with_rows_before')}(${shard}, ${table}, ${time}, ${before}) as merchant_id`;
  return rows.map(({ merchantId }) => merchantId);
}

/** The shard of a distributed database that has the rows of the merchant. */
export async function findShard(sql: Sql, merchantId: string): Promise<string> {
  const [row] = await sql<{ shard: string }[]>`
    select get_shard_id_for_distribution_column('merchants', ${merchantId}::text)::text as shard`;
  return row?.shard ?? '';
}

/** The node of each shard, as `host:port`. */
export async function listShardNodes(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql<{ shard: string; node: string }[]>`
    select shardid::text as shard, nodename || ':' || nodeport as node
    from pg_dist_shard
    join pg_dist_placement using (shardid)
    join pg_dist_node using (groupid)
    where logicalrelid = 'merchants'::regclass and noderole = 'primary'`;
  return new Map(rows.map(({ shard, node }) => [shard, node]));
}
