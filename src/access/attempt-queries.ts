/** Every SQL statement on failed sign-in attempts. */
import { requireFound } from '../base/errors.js';
import type { Instant } from '../base/time.js';
import type { Tx } from '../database/database.js';

export interface Attempts {
  readonly failures: number;
  readonly windowEndsAt: Instant;
}

/** Counts an attempt before the password is checked, so that simultaneous guesses are all counted. */
export async function insertAttempt(tx: Tx, subject: Buffer, now: Instant, windowEndsAt: Instant): Promise<Attempts> {
  const [row] = await tx<Attempts[]>`
    insert into sign_in_attempts as known (subject_hash, failures, window_ends_at)
    values (${subject}, 1, ${windowEndsAt})
    on conflict (subject_hash) do update
    set
      failures = case when known.window_ends_at <= ${now} then 1 else known.failures + 1 end,
      window_ends_at = case when known.window_ends_at <= ${now} then excluded.window_ends_at else known.window_ends_at end
    returning failures, window_ends_at`;
  return requireFound(row, 'the counted sign-in attempt');
}

/** Subtracts counted attempts. */
export async function updateAttemptsToFewer(tx: Tx, subject: Buffer, attempts: number): Promise<void> {
  await tx`
    update sign_in_attempts
    set failures = greatest(failures - ${attempts}, 0)
    where subject_hash = ${subject} and failures > 0`;
}

export async function deleteAttempts(tx: Tx, subject: Buffer): Promise<void> {
  await tx`
    delete from sign_in_attempts
    where subject_hash = ${subject}`;
}
