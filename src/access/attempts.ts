/** Slows guessing down: a few wrong attempts for one subject, then a pause (real time, on every server at once). */
import { realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { hashSecret } from '../base/secrets.js';
import { instant, MINUTE_MS, SECOND_MS } from '../base/time.js';
import type { Database } from '../database/database.js';
import { deleteAttempts, insertAttempt, updateAttemptsToFewer } from './attempt-queries.js';

/** Of one subject; those that stand for several people have more. */
export const MOST_FAILURES = 5;
const WINDOW_MS = 15 * MINUTE_MS;

/** What attempts are counted against. */
export interface AttemptSubject {
  readonly name: string;
  readonly most: number;
}

/**
 * Runs `attempt`; `undefined` from it is a failure and counts against every subject, which are named from the narrowest on. Anything
 * else clears the count of the first subject, and takes this attempt back from the others.
 */
export async function limitAttempts<Result>(
  database: Database,
  subjects: readonly [AttemptSubject, ...AttemptSubject[]],
  attempt: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const counted = await countAttempt(database, subjects);
  const result = await attempt();
  if (result === undefined) return undefined;
  const [first, ...others] = counted;
  if (first) await database.statement((tx) => deleteAttempts(tx, first));
  await takeBack(database, others);
  return result;
}

/** One after another: who is refused by a narrow subject made no guess, and must not use up what the wider ones have for everybody. */
async function countAttempt(database: Database, subjects: readonly AttemptSubject[]): Promise<Buffer[]> {
  const now = realNow();
  const counted: Buffer[] = [];
  for (const { name, most } of subjects) {
    const hash = hashSecret(name);
    const count = await database.statement((tx) => insertAttempt(tx, hash, now, instant(now + WINDOW_MS)));
    if (count.failures > most) {
      await takeBack(database, counted);
      throw new Refusal('RATE_LIMITED', {
        detail: 'Too many failed attempts to sign in; try again later.',
        retryAfterSeconds: Math.ceil((count.windowEndsAt - now) / SECOND_MS),
      });
    }
    counted.push(hash);
  }
  return counted;
}

async function takeBack(database: Database, hashes: readonly Buffer[]): Promise<void> {
  for (const hash of hashes) await database.statement((tx) => updateAttemptsToFewer(tx, hash));
}
