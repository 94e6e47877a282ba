/** Slows guessing down: a few wrong attempts for one subject, then a pause (real time, on every server at once). */
import { realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { hashSecret } from '../base/secrets.js';
import { instant, MINUTE_MS, SECOND_MS } from '../base/time.js';
import type { Database } from '../database/database.js';
import { deleteAttempts, insertAttempt } from './queries.js';

const MOST_FAILURES = 5;
const WINDOW_MS = 15 * MINUTE_MS;

/** Runs `attempt`; `undefined` from it is a failure and counts against the subject, anything else clears the count. */
export async function limitAttempts<Result>(
  database: Database,
  subject: string,
  attempt: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const [hash, now] = [hashSecret(subject), realNow()];
  const { failures, windowEndsAt } = await database.statement((tx) =>
    insertAttempt(tx, hash, now, instant(now + WINDOW_MS)),
  );
  if (failures > MOST_FAILURES) {
    throw new Refusal('RATE_LIMITED', {
      detail: 'Too many failed attempts to sign in; try again later.',
      retryAfterSeconds: Math.ceil((windowEndsAt - now) / SECOND_MS),
    });
  }
  const result = await attempt();
  if (result !== undefined) await database.statement((tx) => deleteAttempts(tx, hash));
  return result;
}
