/** Limits guessing: after a few failed attempts a subject is blocked for a while (in real time, on all servers of the database). */
import { realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { hashSecret } from '../base/secrets.js';
import { instant, MINUTE_MS, SECOND_MS } from '../base/time.js';
import type { Database } from '../database/database.js';
import { deleteAttempts, insertAttempt, updateAttemptsToFewer } from './attempt-queries.js';

/** The limit for one person. A subject that stands for several people has a higher limit. */
export const MAX_FAILED_ATTEMPTS = 5;
const WINDOW_MS = 15 * MINUTE_MS;

/** What attempts are counted for: an account, a device, a merchant. */
export interface AttemptSubject {
  readonly name: string;
  readonly maxFailures: number;
  /** Default: 15 minutes. */
  readonly windowMs?: number;
}

interface LimitOptions {
  readonly detail?: string;
  /** False where somebody who guesses can also give a right answer whenever they like. */
  readonly isClearedBySuccess?: boolean;
}

/**
 * What could not be given back because the database was unavailable, by subject: so that its failures do not count as wrong passwords. Only
 * this process knows, and only until it ends: then at most the attempts of one outage count.
 */
const owed = new WeakMap<Database, Map<string, number>>();
const MAX_OWED_SUBJECTS = 10_000;

/**
 * Runs `attempt`. If it returns `undefined`, it failed, and counts for every subject. List the subjects from narrow to wide. A
 * success does not count, and clears the count of the first subject. An attempt that throws has compared nothing, as when the server is
 * too busy: it does not count.
 */
export async function limitAttempts<Result>(
  database: Database,
  subjects: readonly [AttemptSubject, ...AttemptSubject[]],
  attempt: () => Promise<Result | undefined>,
  { detail = 'Too many failed attempts to sign in. Try again later.', isClearedBySuccess = true }: LimitOptions = {},
): Promise<Result | undefined> {
  const counted = await countAttempt(database, subjects, detail);
  const result = await attempt().catch(async (error: unknown) => {
    await uncountAttempt(database, counted);
    throw error;
  });
  if (result === undefined) return undefined;
  const [first] = counted;
  if (first && isClearedBySuccess) {
    const clear = database.statement((tx) => deleteAttempts(tx, first));
    await clear.catch(() => owe(database, first));
  }
  await uncountAttempt(database, isClearedBySuccess ? counted.slice(1) : counted);
  return result;
}

/** Counts in sequence: an attempt that a narrow subject blocks was no guess, so it must not count for the wider subjects. */
async function countAttempt(
  database: Database,
  subjects: readonly AttemptSubject[],
  detail: string,
): Promise<Buffer[]> {
  const now = realNow();
  const counted: Buffer[] = [];
  try {
    for (const { name, maxFailures, windowMs = WINDOW_MS } of subjects) {
      const hash = hashSecret(name);
      await payBack(database, hash);
      const count = await database.statement((tx) => insertAttempt(tx, hash, now, instant(now + windowMs)));
      if (count.failures > maxFailures) {
        throw new Refusal('RATE_LIMITED', {
          detail,
          retryAfterSeconds: Math.ceil((count.windowEndsAt - now) / SECOND_MS),
        });
      }
      counted.push(hash);
    }
  } catch (error) {
    await uncountAttempt(database, counted);
    throw error;
  }
  return counted;
}

/** Never fails: during an outage it is noted for later. */
async function uncountAttempt(database: Database, hashes: readonly Buffer[]): Promise<void> {
  for (const hash of hashes) {
    const uncount = database.statement((tx) => updateAttemptsToFewer(tx, hash, 1));
    await uncount.catch(() => owe(database, hash));
  }
}

function owe(database: Database, hash: Buffer): void {
  const known = owed.get(database) ?? new Map<string, number>();
  owed.set(database, known);
  const subject = hash.toString('hex');
  if (known.size < MAX_OWED_SUBJECTS || known.has(subject)) known.set(subject, (known.get(subject) ?? 0) + 1);
}

async function payBack(database: Database, hash: Buffer): Promise<void> {
  const known = owed.get(database);
  const subject = hash.toString('hex');
  const attempts = known?.get(subject);
  if (attempts === undefined) return;
  known?.delete(subject); // first, because another attempt may pay back too
  const uncount = database.statement((tx) => updateAttemptsToFewer(tx, hash, attempts));
  await uncount.catch((error: unknown) => {
    for (let time = 0; time < attempts; time++) owe(database, hash);
    throw error;
  });
}
