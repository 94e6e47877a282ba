/** SQL that counts what waits, of all merchants and all servers of the database. */
import type { Instant } from '../base/time.js';
import type { Sql } from '../database/database.js';

export interface Backlog {
  readonly count: number;
  /** Null: nothing waits. */
  readonly oldestAt: Instant | null;
}

export async function findDueBacklog(sql: Sql, now: Instant): Promise<Backlog> {
  const [row] = await sql<Backlog[]>`
    select count(*) as count, min(run_at) as oldest_at
    from due_work
    where run_at <= ${now}`;
  return row as Backlog;
}

export interface ReceiverBacklog extends Backlog {
  readonly subscriptionId: string;
  /** How many of them have failed before. */
  readonly failed: number;
  /** When the next attempt is due, or was. Null if all of them are being tried. */
  readonly nextAt: Instant | null;
}

/** Receivers for which something waits. Reads the index of waiting deliveries. */
export async function listReceiverBacklogs(sql: Sql, now: Instant): Promise<ReceiverBacklog[]> {
  return sql<ReceiverBacklog[]>`
    select subscription_id, count(*) as count, min(created_at) as oldest_at,
      count(*) filter (where failures > 0) as failed,
      min(run_at) filter (where leased_until is null or leased_until <= ${now}) as next_at
    from webhook_deliveries
    where run_at is not null
    group by subscription_id`;
}

export async function findOpenCalls(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*) as count from processor_calls`;
  return row?.count ?? 0;
}
