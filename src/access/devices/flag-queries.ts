/** SQL for flags: what the owner should look at in writes that registers kept. */
import type { Instant } from '../../base/time.js';
import { type Change, json } from '../../database/change.js';
import { type Sql, type Tx, toTimestamp } from '../../database/database.js';
import { type Page, type PageRequest, pageClause, toPage } from '../../database/keyset.js';
import type { Flag } from '../../identity/kept-write.js';

export interface FlaggedWrite {
  readonly deviceId: string;
  /** The id that the register chose. */
  readonly clientId: string;
  readonly operation: string;
  readonly employeeId: string;
  readonly occurredAt: Instant;
  readonly arrivedAt: Instant;
  readonly flags: readonly Flag[];
  readonly saleId: string | null;
  /** Whether the owner has to look at it. */
  readonly isOpen: boolean;
}

/** Records the flags in the commit of the write. */
export function insertFlags(change: Change, write: FlaggedWrite): void {
  change.call('record_register_flags', {
    device_id: write.deviceId,
    client_id: write.clientId,
    operation: write.operation,
    employee_id: write.employeeId,
    occurred_at: toTimestamp(write.occurredAt),
    arrived_at: toTimestamp(write.arrivedAt),
    flags: json(JSON.stringify(write.flags)),
    sale_id: write.saleId,
    is_open: write.isOpen,
  });
}

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

/** A flagged write as the owner sees it. */
export type ReviewedWrite = FlaggedWrite & {
  /** Null: the owner has not marked it. */
  readonly reviewedAt: Instant | null;
};

const COLUMNS = (sql: Sql) => sql`
  device_id, client_id, operation, employee_id, occurred_at, arrived_at, flags, sale_id, is_open, reviewed_at`;

export async function listFlagsOfSale(sql: Sql, merchantId: string, saleId: string): Promise<ReviewedWrite[]> {
  return sql<ReviewedWrite[]>`
    select ${COLUMNS(sql)}
    from register_flags
    where merchant_id = ${merchantId} and sale_id = ${saleId}
    order by arrived_at, client_id
    limit 100`;
}

/** What the owner has to look at, newest first. */
export async function listOpenFlags(sql: Sql, merchantId: string, page: PageRequest): Promise<Page<ReviewedWrite>> {
  const rows = await sql<ReviewedWrite[]>`
    select ${COLUMNS(sql)}
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
