/** Every SQL statement on the audit log. */
import type { Instant } from '../base/time.js';
import { type Change, json } from '../database/change.js';
import { Columns } from '../database/columns.js';
import type { Sql, Tx } from '../database/database.js';
import { fn } from '../database/functions.js';
import { type Page, type PageRequest, pageClause, toPage } from '../database/keyset.js';
import { listMerchantsWithOldRows } from '../database/shards.js';

export interface AuditEvent {
  readonly id: string;
  /** Empty if the merchant is unknown. */
  readonly merchantId: string;
  readonly occurredAt: Instant;
  readonly kind: string;
  readonly address: string | null;
  readonly accountId: string | null;
  readonly applicationId: string | null;
  readonly employeeId: string | null;
  readonly deviceId: string | null;
  readonly occurrences: number;
  readonly details: Readonly<Record<string, string>>;
}

const AUDIT_COLUMNS = new Columns<Omit<AuditEvent, 'merchantId'>>({
  id: { column: 'audit_event_id', as: 'value' },
  occurredAt: 'time',
  kind: 'value',
  address: 'value',
  accountId: 'value',
  applicationId: 'value',
  employeeId: 'value',
  deviceId: 'value',
  occurrences: 'value',
  details: 'json',
});

/** Inserts an event of the merchant of the change, in its commit. */
export function insertAuditEventByChange(change: Change, event: AuditEvent): void {
  change.call('record_audit', { event: json(AUDIT_COLUMNS.toRow(event)) });
}

/** Inserts an event in a transaction. */
export async function insertAuditEvent(tx: Tx, event: AuditEvent): Promise<void> {
  await tx`select ${fn(tx, 'record_audit')}(${event.merchantId}, ${AUDIT_COLUMNS.toRow(event)}::text::json)`;
}

export interface AuditFilter {
  /** Absent: events of all merchants, for the operator. */
  readonly merchantId?: string | undefined;
  readonly kind?: string | undefined;
  readonly page: PageRequest;
}

/** Newest first. */
export async function listAuditEvents(sql: Sql, { merchantId, kind, page }: AuditFilter): Promise<Page<AuditEvent>> {
  const rows = await sql<AuditEvent[]>`
    select
      audit_event_id as id, merchant_id, occurred_at, kind, address, account_id, application_id, employee_id, device_id,
      occurrences, details
    from audit_events
    where true
    ${merchantId === undefined ? sql`` : sql`and merchant_id = ${merchantId}`}
    ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
    ${pageClause(sql, { at: 'occurred_at', id: 'audit_event_id' }, page, 'DESC')}`;
  return toPage(rows, page.limit, ({ occurredAt, id }) => ({ at: occurredAt, id }));
}

/** The erasures of buyers' data since a time, at all merchants, except those that found nothing. Reads only entries since that time. */
export async function listErasures(
  sql: Sql,
  since: Instant,
): Promise<Pick<AuditEvent, 'id' | 'merchantId' | 'occurredAt'>[]> {
  return sql<AuditEvent[]>`
    select audit_event_id as id, merchant_id, occurred_at
    from audit_events
    where occurred_at >= ${since} and kind = 'BUYER_ERASED'
      and (details ->> 'orders' <> '0' or details ->> 'payments' <> '0')`;
}

/** On one shard, see `listShards`. Contains the empty id of unknown merchants. */
export function listMerchantsWithOldAudit(sql: Sql, shard: string, before: Instant): Promise<string[]> {
  return listMerchantsWithOldRows(sql, shard, { table: 'audit_events', time: 'occurred_at', before });
}

/** Deletes the oldest events of a merchant before that time, at most `limit`, and returns how many were deleted. */
export async function deleteOldAuditEvents(
  tx: Tx,
  merchantId: string,
  { before, limit }: { readonly before: Instant; readonly limit: number },
): Promise<number> {
  const [row] = await tx<{ deleted: number }[]>`
    select ${fn(tx, 'delete_old_audit')}(${merchantId}, ${before}, ${limit}) as deleted`;
  return row?.deleted ?? 0;
}
