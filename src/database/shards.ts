/** The shards of a distributed database. A plain PostgreSQL counts as one shard. */

import { fn } from './functions.js';
import type { Sql } from './sql.js';

/**
 * A value for each shard that is on it. As first argument of a function that reads all merchants of a shard, it takes the place of a
 * merchant: the call runs on the node of that shard, even after the shard has moved.
 */
export async function listShards(sql: Sql): Promise<string[]> {
  const rows = await sql<{ shard: string }[]>`select ${fn(sql, 'list_shards')}() as shard`;
  return rows.map(({ shard }) => shard);
}
