/** Distributes the tables and functions of a database over the nodes of a Citus cluster. */
import { UsageError } from '../base/usage-error.js';
import { MERCHANTS, PLACEMENTS } from './placement.js';
import type { Sql, Tx } from './sql.js';

/** Whether the tables are distributed. A database with Citus in which nobody has distributed them is a plain one. */
export async function isDistributed(sql: Sql): Promise<boolean> {
  return (await hasCitus(sql)) && (await listPlaced(sql, [MERCHANTS])).length > 0;
}

async function hasCitus(sql: Sql): Promise<boolean> {
  const found = await sql`select from pg_extension where extname = 'citus'`;
  return found.length > 0;
}

/** Which of the tables have a place. */
async function listPlaced(sql: Sql, tables: readonly string[]): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select name
    from unnest(${tables as string[]}::text[]) as name
    join pg_dist_partition on logicalrelid = to_regclass(name)`;
  return rows.map(({ name }) => name);
}

/** Only the coordinator has all tables, and only there can they be changed. */
export async function refuseWorkerNode(sql: Sql): Promise<void> {
  if (!(await hasCitus(sql))) return;
  const [{ group } = { group: 0 }] = await sql<{ group: number }[]>`select groupid as group from pg_dist_local_group`;
  if (group !== 0) {
    throw new UsageError('The database is on a worker node of a Citus cluster. Connect to the coordinator.');
  }
}

/** Refuses a database whose tables cannot be distributed now. */
export async function requireDistributable(tx: Tx): Promise<void> {
  if (!(await hasCitus(tx))) {
    throw new UsageError(
      'The database has no Citus extension. Install Citus on every node, add citus to shared_preload_libraries, run ' +
        "'create extension citus' in this database on every node, and add the nodes with citus_add_node.",
    );
  }
  if (await isDistributed(tx)) {
    throw new UsageError('The database is already distributed. To apply pending migrations: tillhouse migrate');
  }
  const others = await tx`
    select from pg_stat_activity
    where datname = current_database() and application_name = current_setting('application_name') and pid <> pg_backend_pid()`;
  if (others.length > 0) {
    throw new UsageError(
      'Another Tillhouse program uses the database. Stop all servers and commands before its tables are distributed.',
    );
  }
}

/** Prepares a transaction that changes tables on several nodes: Citus then uses one connection to each node. */
export async function useOneConnectionPerNode(tx: Tx): Promise<void> {
  await tx`set local citus.multi_shard_modify_mode = 'sequential'`;
}

/** Places all tables that have no place yet. Their rows move with them. */
export async function placeTables(tx: Tx, shards?: number): Promise<void> {
  const listed = Object.keys(PLACEMENTS).filter((table) => PLACEMENTS[table] !== 'local');
  const placed = await listPlaced(tx, listed);
  const pending = listed.filter((table) => !placed.includes(table));
  const shardCount = shards ?? (await countShards(tx));
  // Otherwise Citus itself chooses a place for tables that refer to a reference table.
  await tx`set local citus.enable_local_reference_table_foreign_keys = off`;
  for (const table of pending) await placeTable(tx, table, shardCount);
  // The rows were copied. The originals can be removed only when the tables that refer to them have a place too.
  for (const table of pending) await tx`select truncate_local_data_after_distributing_table(${table})`;
}

async function placeTable(tx: Tx, table: string, shardCount: number): Promise<void> {
  const placement = PLACEMENTS[table];
  if (placement === 'reference') {
    await tx`select create_reference_table(${table})`;
  } else if (placement === 'merchant' && table !== MERCHANTS) {
    await tx`select create_distributed_table(${table}, 'merchant_id', colocate_with => ${MERCHANTS})`;
  } else {
    const column = typeof placement === 'object' ? placement.column : 'merchant_id';
    await tx`select create_distributed_table(${table}, ${column}, shard_count => ${shardCount})`;
  }
}

async function countShards(tx: Tx): Promise<number> {
  const [{ count } = { count: 0 }] = await tx<{ count: number }[]>`
    select count(*)
    from pg_dist_shard
    where logicalrelid = ${MERCHANTS}::regclass`;
  return count;
}

/**
 * Lets the functions that the program calls run on the node of the merchant, which is their first argument. Citus does that only for
 * plans that know the merchant, so these functions lose the setting for generic plans.
 */
export async function distributeFunctions(tx: Tx, schema: string): Promise<void> {
  const entries = await tx<{ signature: string }[]>`
    select oid::regprocedure::text as signature
    from pg_proc
    where pronamespace = ${schema}::regnamespace and proargnames[1] = 'p_merchant_id'
      and exists (select from unnest(proconfig) as setting where setting like 'search_path=%')
    order by oid`;
  for (const { signature } of entries) {
    await tx.unsafe(`alter function ${signature} reset plan_cache_mode`);
    await tx`select create_distributed_function(${signature}, 'p_merchant_id', colocate_with => ${MERCHANTS})`;
  }
}
