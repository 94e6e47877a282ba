/** Every SQL statement on the last runs of backup, check and reconcile. */
import type { Instant } from '../base/time.js';
import type { Sql, Tx } from '../database/database.js';

export const RUN_KINDS = ['BACKUP', 'CHECK', 'RECONCILE'] as const;

export type RunKind = (typeof RUN_KINDS)[number];

export interface LastRun {
  readonly kind: RunKind;
  readonly endedAt: Instant;
  /** When a run last succeeded; null: never. The same as `endedAt` if the last one did. */
  readonly succeededAt: Instant | null;
  /** What the last one found, in a few words. */
  readonly found: string;
}

/** A failed run keeps the time of the last one that succeeded. */
export async function insertLastRun(tx: Tx, { kind, endedAt, succeededAt, found }: LastRun): Promise<void> {
  await tx`
    insert into last_runs (kind, ended_at, succeeded_at, found)
    values (${kind}, ${endedAt}, ${succeededAt}, ${found})
    on conflict (kind) do update
    set ended_at = excluded.ended_at, succeeded_at = coalesce(excluded.succeeded_at, last_runs.succeeded_at), found = excluded.found`;
}

export async function listLastRuns(sql: Sql): Promise<LastRun[]> {
  return sql<LastRun[]>`
    select kind, ended_at, succeeded_at, found
    from last_runs
    order by kind`;
}
