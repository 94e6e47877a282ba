/** SQL for flags: what the owner should look at in writes that registers kept. */
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';
import { type Page, type PageRequest, pageClause, toPage } from '../../database/keyset.js';
import type { Flag } from '../../identity/kept-write.js';
import { type FlaggedWrite, type ReviewedWrite, registerFlags } from './table.js';

/** The flags of writes of a device, by the ids that the register chose. */
export async function listFlagsOfWrites(
  sql: Sql,
  merchantId: string,
  deviceId: string,
  clientIds: readonly string[],
): Promise<Map<string, readonly Flag[]>> {
  const rows = await sql<{ clientId: string; flags: readonly Flag[] }[]>`
    select client_id, flags
    from register_flags
    where merchant_id = ${merchantId} and device_id = ${deviceId} and client_id = any (${clientIds as string[]}::text[])`;
  return new Map(rows.map(({ clientId, flags }) => [clientId, flags]));
}

export async function listFlagsOfSale(sql: Sql, merchantId: string, saleId: string): Promise<ReviewedWrite[]> {
  return sql<ReviewedWrite[]>`
    select ${registerFlags.select(sql)}
    from register_flags
    where merchant_id = ${merchantId} and sale_id = ${saleId}
    order by arrived_at, client_id
    limit 100`;
}

/** What the owner has to look at, newest first. */
export async function listOpenFlags(sql: Sql, merchantId: string, page: PageRequest): Promise<Page<ReviewedWrite>> {
  const rows = await sql<ReviewedWrite[]>`
    select ${registerFlags.select(sql)}
    from register_flags
    where merchant_id = ${merchantId} and is_open
    ${pageClause(sql, { at: 'arrived_at', id: 'client_id' }, page, 'DESC')}`;
  return toPage(rows, page.limit, ({ arrivedAt, clientId }) => ({ at: arrivedAt, id: clientId }));
}

/** Returns how many of the writes there are. */
export async function updateFlagsToReviewed(
  tx: Tx,
  merchantId: string,
  { writes, at }: { readonly writes: readonly Pick<FlaggedWrite, 'deviceId' | 'clientId'>[]; readonly at: Instant },
): Promise<number> {
  const rows = await tx`
    update register_flags
    set is_open = false, reviewed_at = coalesce(reviewed_at, ${at})
    where merchant_id = ${merchantId} and (device_id, client_id) in (
      select named.device_id, named.client_id
      from unnest(
        ${writes.map(({ deviceId }) => deviceId)}::text[], ${writes.map(({ clientId }) => clientId)}::text[]
      ) as named (device_id, client_id)
    )
    returning 1`;
  return rows.length;
}
