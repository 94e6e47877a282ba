/** Every SQL statement that numbers the events of the audit log, and reads them by their number (decision 0244). */
import type { Instant } from '../base/time.js';
import type { Sql, Tx } from '../database/database.js';
import type { AuditEvent } from './table.js';

export interface NumberedEvent extends AuditEvent {
  readonly position: number;
}

export interface UnnumberedEvent {
  readonly merchantId: string;
  readonly id: string;
}

/** Others who number events wait until the transaction has ended, so they see its numbers. */
export async function lockLastPosition(tx: Tx): Promise<number> {
  const [row] = await tx<{ lastPosition: number }[]>`
    select last_position
    from audit_numbering
    for update`;
  return row?.lastPosition ?? 0;
}

export async function updateLastPosition(tx: Tx, position: number): Promise<void> {
  await tx`
    update audit_numbering
    set last_position = ${position}`;
}

/** Of all merchants, oldest first. */
export async function listUnnumbered(sql: Sql, limit: number): Promise<UnnumberedEvent[]> {
  return sql<UnnumberedEvent[]>`
    select merchant_id, audit_event_id as id
    from audit_events
    where position is null
    order by position, occurred_at, audit_event_id
    limit ${limit}`;
}

export interface GivenPosition {
  readonly id: string;
  readonly position: number;
}

export async function updatePositions(tx: Tx, merchantId: string, given: readonly GivenPosition[]): Promise<void> {
  await tx`
    update audit_events
    set position = given.position
    from unnest(${given.map(({ id }) => id)}::text[], ${given.map(({ position }) => String(position))}::text[]::bigint[]) as given (id, position)
    where merchant_id = ${merchantId} and audit_event_id = given.id`;
}

export interface NumberedFilter {
  readonly merchantId?: string | undefined;
  readonly kind?: string | undefined;
  /** Events before this time are left out. */
  readonly since?: Instant | undefined;
}

/** Those after a position, in the order of positions. */
export async function listNumberedAfter(
  sql: Sql,
  after: number,
  { merchantId, kind, since, limit }: NumberedFilter & { readonly limit: number },
): Promise<NumberedEvent[]> {
  return sql<NumberedEvent[]>`
    select
      audit_event_id as id, merchant_id, occurred_at, kind, address, account_id, application_id, employee_id, device_id,
      occurrences, details, position
    from audit_events
    where position > ${after}
    ${merchantId === undefined ? sql`` : sql`and merchant_id = ${merchantId}`}
    ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
    ${since === undefined ? sql`` : sql`and occurred_at >= ${since}`}
    order by position
    limit ${limit}`;
}

export async function findLastPosition(sql: Sql): Promise<number> {
  const [row] = await sql<{ lastPosition: number }[]>`select last_position from audit_numbering`;
  return row?.lastPosition ?? 0;
}
