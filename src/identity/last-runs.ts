/** Stores how backups, checks and reconciliations end, so that metrics and alerts know which is too old (decision 0243). */
import { realNow } from '../base/clock.js';
import { UsageError } from '../base/config.js';
import type { Database, Tx } from '../database/database.js';
import { insertLastRun, type RunKind } from './last-run-queries.js';

const MAX_FOUND_LENGTH = 500;

export interface EndedRun {
  readonly hasSucceeded: boolean;
  /** In a few words; never a secret. */
  readonly found: string;
}

export async function recordRun(tx: Tx, kind: RunKind, { hasSucceeded, found }: EndedRun): Promise<void> {
  const endedAt = realNow();
  const succeededAt = hasSucceeded ? endedAt : null;
  await insertLastRun(tx, { kind, endedAt, succeededAt, found: found.slice(0, MAX_FOUND_LENGTH) });
}

/** Does the work, and stores that it failed if it throws. A mistake on the command line is no run. */
export async function recordingFailure<Result>(
  database: Database,
  kind: RunKind,
  work: () => Promise<Result>,
): Promise<Result> {
  return work().catch(async (error: unknown) => {
    const found = error instanceof Error ? error.message : String(error);
    const record = (tx: Tx) => recordRun(tx, kind, { hasSucceeded: false, found });
    // The database itself may be the cause. The first error says so, and a run that is not stored becomes too old.
    if (!(error instanceof UsageError)) await database.statement(record).catch(() => {});
    throw error;
  });
}
