/**
 * What the planner assumes about tables that have not been analyzed yet (decision 0200). Without any statistics it assumes that a merchant
 * has one row in each table, so every index that begins with the merchant looks equally good, and a join may read all rows of the merchant
 * for each row. Autovacuum replaces the assumption some time after the first rows.
 */
import type { Tx } from './database.js';

/** A merchant has this share of the rows. Of a few hundred rows that is enough to make the whole key of an index worth its use. */
const MERCHANTS_ASSUMED = 10;

/** Before PostgreSQL 18 statistics cannot be set. */
export async function assumeFewMerchants(tx: Tx): Promise<void> {
  const [server] = await tx<{ canSet: boolean }[]>`
    select to_regproc('pg_catalog.pg_restore_attribute_stats') is not null as can_set`;
  if (!server?.canSet) return;
  await tx`
    select pg_restore_attribute_stats(
      'schemaname', pg_namespace.nspname::text, 'relname', relname::text, 'attname', attname::text, 'inherited', false,
      'null_frac', 0::real, 'avg_width', 14, 'n_distinct', ${MERCHANTS_ASSUMED}::real
    )
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    join pg_namespace on pg_namespace.oid = relnamespace
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and attname = 'merchant_id'
      and relname <> all (array(select tablename from pg_stats where schemaname = current_schema()))`;
}
