/** SQL statements that renew the copies of the v2 JSON of payments. */
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';

/** Merchants after `after`, in the order of their ids, whose payments may have copies of an older version. Reads without locks. */
export async function listMerchantsWithOldCopies(
  sql: Sql,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const version = sql`${fn(sql, 'payment_copy_version')}()`;
  const rows = await sql<{ merchantId: string }[]>`
    select merchant_id
    from merchants
    left join payment_copies using (merchant_id)
    where merchant_id > ${after}
      and (coalesce(version, 0) < ${version} or (version = ${version} and renewed_up_to is not null))
    order by merchant_id
    limit ${limit}`;
  return rows.map(({ merchantId }) => merchantId);
}

/** Renews the copies of the next payments of a merchant, at most `limit`. Returns whether there are more. */
export async function updateOldCopies(tx: Tx, merchantId: string, limit: number): Promise<boolean> {
  const [row] = await tx<{ hasMore: boolean }[]>`
    select ${fn(tx, 'renew_payment_copies')}(${merchantId}, ${limit}) as has_more`;
  return row?.hasMore ?? false;
}
