/** Measures from time to time how far the clock of this machine is from PostgreSQL's, and says when that is too far. */
import { MINUTE_MS } from '../base/time.js';
import { measureClockDifference, TOLD_DIFFERENCE_MS } from '../database/clock-difference.js';
import type { Database } from '../database/database.js';
import type { Log } from './storage.js';

export interface ClockWatch {
  /** By how many milliseconds our clock is ahead, when it was last measured. */
  readonly differenceMs: () => number;
  stop(): void;
}

export function watchClock(database: Pick<Database, 'sql'>, log: Log, intervalMs = MINUTE_MS): ClockWatch {
  let differenceMs = 0;
  let isTold = false;
  const look = async (): Promise<void> => {
    differenceMs = await measureClockDifference(database);
    const differs = Math.abs(differenceMs) > TOLD_DIFFERENCE_MS;
    if (differs === isTold) return;
    isTold = differs;
    if (differs) log.warn({ difference_ms: differenceMs }, 'clock: differs from the database');
    else log.warn({ difference_ms: differenceMs }, 'clock: agrees with the database again');
  };
  const lookOrWait = (): void => void look().catch(() => {}); // without a database there is nothing to compare with
  lookOrWait();
  const timer = setInterval(lookOrWait, intervalMs).unref();
  return { differenceMs: () => differenceMs, stop: () => clearInterval(timer) };
}
