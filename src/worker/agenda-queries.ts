/** Every SQL statement on the agenda, and those that find what is due. */
import type { Instant } from '../base/time.js';
import { nextDueWorkAt } from '../business/due-work/queries.js';
import { nextCallAt } from '../business/payments/call-queries.js';
import { type Sql, type Tx, toTimestamp } from '../database/database.js';
import { fn } from '../database/functions.js';
import { nextDeliveryAt } from '../events/delivery-queries.js';

/** When the next work of each kind is due, of any merchant. Null: there is none. */
export interface NextDue {
  readonly dueWork: Instant | null;
  readonly call: Instant | null;
  readonly delivery: Instant | null;
}

/** Only for a plain PostgreSQL: on a distributed database it would ask all shards. */
export async function findNextDue(sql: Sql): Promise<NextDue | undefined> {
  const [next] = await sql<NextDue[]>`
    select ${nextDueWorkAt(sql)} as due_work, ${nextCallAt(sql)} as call, ${nextDeliveryAt(sql)} as delivery`;
  return next;
}

/** A merchant to look at, or a shard to sweep (see `listShards`). */
export interface AgendaSubject {
  readonly kind: 'MERCHANT' | 'SHARD';
  readonly id: string;
}

export interface AgendaEntry extends AgendaSubject {
  readonly dueAt: Instant;
}

/** Each subject has one entry. If it has one already, the earlier time counts. */
export async function insertAgendaEntries(tx: Tx, entries: readonly AgendaEntry[]): Promise<void> {
  const rows = entries.map(({ kind, id, dueAt }) => ({ kind, subject_id: id, due_at: toTimestamp(dueAt) }));
  // In order, so that two servers do not wait for each other.
  await tx`
    insert into agenda (kind, subject_id, due_at)
    select kind, subject_id, due_at
    from json_populate_recordset(null::agenda, ${JSON.stringify(rows)}::text::json)
    order by kind, subject_id
    on conflict (kind, subject_id) do update
    set due_at = excluded.due_at
    where excluded.due_at < agenda.due_at`;
}

/** Takes due entries, oldest first. Another server that asks at the same time gets others. */
export async function deleteDueEntries(
  tx: Tx,
  { now, limit }: { readonly now: Instant; readonly limit: number },
): Promise<AgendaSubject[]> {
  return tx<AgendaSubject[]>`
    delete from agenda
    where (kind, subject_id) in (
      select kind, subject_id
      from agenda
      where due_at <= ${now}
      order by due_at
      limit ${limit}
      for update skip locked
    )
    returning kind, subject_id as id`;
}

/** A kind of work of a merchant, and when the next of it can be done. */
export interface DueSubject {
  readonly kind: 'DUE_WORK' | 'CALL' | 'DELIVERY';
  /** Only for deliveries. */
  readonly subscriptionId: string | null;
  /** Null: there is none. */
  readonly dueAt: Instant | null;
}

export async function listDueSubjects(sql: Sql, merchantId: string): Promise<DueSubject[]> {
  return sql<DueSubject[]>`
    select kind, subscription_id, due_at
    from ${fn(sql, 'find_due')}(${merchantId})`;
}

/** The merchants of a shard with anything that is due until a time. Reads without locks. */
export async function listDueMerchants(
  sql: Sql,
  { shard, until, limit }: { readonly shard: string; readonly until: Instant; readonly limit: number },
): Promise<{ readonly merchantId: string; readonly dueAt: Instant }[]> {
  return sql<{ merchantId: string; dueAt: Instant }[]>`
    select merchant_id, due_at
    from ${fn(sql, 'list_due_merchants')}(${shard}, ${until}, ${limit})`;
}
