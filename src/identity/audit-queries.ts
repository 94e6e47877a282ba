/** Every SQL statement on the audit log. */
import type { Instant } from '../base/time.js';
import type { Sql, Tx } from '../database/database.js';
import { fn } from '../database/functions.js';
import { type Page, type PageRequest, pageClause, toPage } from '../database/keyset.js';
import { listMerchantsWithOldRows } from '../database/shards.js';
import type { AuditEvent } from './table.js';

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
