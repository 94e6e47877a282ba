/** SQL of the snapshots of merchants (decision 0171). */
import type { Clock } from '../base/clock.js';
import type { Instant } from '../base/time.js';
import type { Sql, Tx } from '../database/database.js';
import { fn } from '../database/functions.js';

export interface Snapshot {
  /** In real time. */
  readonly takenAt: Instant;
  /** The clock of the merchant at that time. */
  readonly clock: Clock;
  readonly schemaVersion: string;
  readonly recordCount: number;
}

export async function findSize(
  sql: Sql,
  merchantId: string,
  tables: readonly string[],
): Promise<{ readonly records: number; readonly bytes: number }> {
  const [row] = await sql<{ size: { records: number; bytes: number } }[]>`
    select ${fn(sql, 'measure_records')}(${merchantId}, ${tables as string[]}::text[]) as size`;
  return row?.size ?? { records: 0, bytes: 0 };
}

export async function findSnapshot(sql: Sql, merchantId: string): Promise<Snapshot | undefined> {
  const [row] = await sql<(Omit<Snapshot, 'clock'> & { offsetMs: number; frozenAt: Instant | null })[]>`
    select
      taken_at,
      schema_version,
      (records -> 0 ->> 'clock_offset_ms')::bigint as offset_ms,
      (records -> 0 ->> 'clock_frozen_at')::timestamptz as frozen_at,
      (
        select sum(record_count)
        from merchant_snapshots
        where merchant_id = ${merchantId}
      ) as record_count
    from merchant_snapshots
    where merchant_id = ${merchantId} and table_name = 'merchants'`;
  if (!row) return undefined;
  const { offsetMs, frozenAt, ...snapshot } = row;
  return { ...snapshot, clock: { offsetMs, frozenAt } };
}

export async function insertSnapshot(
  tx: Tx,
  merchantId: string,
  { tables, takenAt, schemaVersion }: { tables: readonly string[]; takenAt: Instant; schemaVersion: string },
): Promise<void> {
  await tx`
    select ${fn(tx, 'take_snapshot')}(${merchantId}, ${tables as string[]}::text[], ${takenAt}, ${schemaVersion})`;
}

/** The caller has locked the tables. */
export async function updateToSnapshot(tx: Tx, merchantId: string, tables: readonly string[]): Promise<void> {
  await tx`select ${fn(tx, 'put_back_snapshot')}(${merchantId}, ${tables as string[]}::text[])`;
}
