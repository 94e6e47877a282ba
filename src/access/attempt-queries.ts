/** Every SQL statement on failed attempts to sign in. */
import type { Instant } from '../base/time.js';
import type { Tx } from '../database/database.js';
import { anyHash } from '../identity/credential-queries.js';

export interface Attempts {
  readonly subjectHash: Buffer;
  readonly failures: number;
  readonly windowEndsAt: Instant;
}

/** Counts an attempt before it is judged, so that a crowd of simultaneous guesses counts in full. */
export async function insertAttempt(
  tx: Tx,
  subjects: readonly Buffer[],
  now: Instant,
  windowEndsAt: Instant,
): Promise<Attempts[]> {
  // In one order, so that two of them never wait for each other.
  const hashes = subjects.map((hash) => hash.toString('hex')).sort();
  return tx<Attempts[]>`
    insert into sign_in_attempts as known (subject_hash, failures, window_ends_at)
    select decode(hash, 'hex'), 1, ${windowEndsAt}
    from unnest(${hashes}::text[]) as hash
    on conflict (subject_hash) do update
    set
      failures = case when known.window_ends_at <= ${now} then 1 else known.failures + 1 end,
      window_ends_at = case when known.window_ends_at <= ${now} then excluded.window_ends_at else known.window_ends_at end
    returning subject_hash, failures, window_ends_at`;
}

/** After a success: what was counted against the first is forgotten, of the others only this attempt. */
export async function deleteAttempts(tx: Tx, subject: Buffer, others: readonly Buffer[]): Promise<void> {
  await tx`
    with fewer as (
      update sign_in_attempts
      set failures = failures - 1
      where subject_hash = ${anyHash(
        tx,
        others.map((hash) => hash.toString('hex')),
      )} and failures > 0
    )
    delete from sign_in_attempts
    where subject_hash = ${subject}`;
}
