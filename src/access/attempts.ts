/** Slows guessing down: a few wrong attempts for one subject, then a pause (real time, on every server at once). */
import { realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { hashSecret } from '../base/secrets.js';
import { instant, MINUTE_MS, SECOND_MS } from '../base/time.js';
import type { Database } from '../database/database.js';
import { deleteAttempts, insertAttempt } from './attempt-queries.js';

/** Of one subject; those that stand for several people have more. */
export const MOST_FAILURES = 5;
const WINDOW_MS = 15 * MINUTE_MS;

/** What attempts are counted against. */
export interface AttemptSubject {
  readonly name: string;
  readonly most: number;
}

/**
 * Runs `attempt`; `undefined` from it is a failure and counts against every subject. Anything else clears the count of the first
 * subject, and takes this attempt back from the others.
 */
export async function limitAttempts<Result>(
  database: Database,
  subjects: readonly [AttemptSubject, ...AttemptSubject[]],
  attempt: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const now = realNow();
  const hashes = subjects.map(({ name }) => hashSecret(name));
  const counts = await database.statement((tx) => insertAttempt(tx, hashes, now, instant(now + WINDOW_MS)));
  const waits = counts.flatMap(({ subjectHash, failures, windowEndsAt }) => {
    const most = subjects.find((_subject, index) => hashes[index]?.equals(subjectHash))?.most ?? MOST_FAILURES;
    return failures > most ? [windowEndsAt - now] : [];
  });
  if (waits.length > 0) {
    throw new Refusal('RATE_LIMITED', {
      detail: 'Too many failed attempts to sign in; try again later.',
      retryAfterSeconds: Math.ceil(Math.max(...waits) / SECOND_MS),
    });
  }
  const result = await attempt();
  const [first, ...others] = hashes;
  if (result !== undefined && first) await database.statement((tx) => deleteAttempts(tx, first, others));
  return result;
}
