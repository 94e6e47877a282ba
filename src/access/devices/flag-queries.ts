/** SQL for flags: what the owner should look at in writes that registers kept. */
import type { Instant } from '../../base/time.js';
import { type Change, json } from '../../database/change.js';
import { type Sql, toTimestamp } from '../../database/database.js';
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

/** In the commit of the write. */
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
