/**
 * What the planner assumes about tables that have not been analyzed yet (decision 0200). Without any statistics it assumes that a merchant
 * has one row in each table. Then every index that begins with the merchant looks equally good, and a join may read all rows of the
 * merchant for each row. Autovacuum replaces the assumption soon after the first rows.
 */
import type { Tx } from './database.js';
import { listTables } from './tables.js';

/** As if ten merchants shared each table. Then a merchant has enough rows that the planner uses the whole key of an index. */
const MERCHANTS_ASSUMED = 10;

/** Before PostgreSQL 18 statistics cannot be set. */
export async function assumeFewMerchants(tx: Tx): Promise<void> {
  const [server] = await tx<{ canSet: boolean }[]>`
    select to_regproc('pg_catalog.pg_restore_attribute_stats') is not null as can_set`;
  if (!server?.canSet) return;
  const ofMerchants = (await listTables(tx)).filter(({ columns }) => columns.includes('merchant_id'));
  await tx`
    select pg_restore_attribute_stats(
      'schemaname', current_schema()::text, 'relname', relname::text, 'attname', 'merchant_id', 'inherited', false,
      'null_frac', 0::real, 'avg_width', 14, 'n_distinct', ${MERCHANTS_ASSUMED}::real
    )
    from pg_class
    where relnamespace = current_schema()::regnamespace and relname = any (${ofMerchants.map(({ table }) => table)}::text[])
      and pg_has_role(relowner, 'usage') -- only the owner may
      and relname <> all (array(select tablename from pg_stats where schemaname = current_schema()))`;
}
