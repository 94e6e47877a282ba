/** Compares the clock of this machine with PostgreSQL's, which other servers of the same database compare theirs with too. */
import { realNow } from '../base/clock.js';
import { SECOND_MS } from '../base/time.js';
import type { Database } from './database.js';

/** Beyond this, times in the records would contradict each other. */
const MAX_DIFFERENCE_MS = 60 * SECOND_MS;
/** More than a usual time service leaves. */
export const TOLD_DIFFERENCE_MS = SECOND_MS;
/** The answer that took the shortest time is the most exact. */
const TRIES = 3;

/** The clocks of two machines cannot both be right. */
export class ClockDiffers extends Error {
  constructor(differenceMs: number) {
    const seconds = Math.round(Math.abs(differenceMs) / SECOND_MS);
    super(
      `The clock of this machine is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} PostgreSQL's. ` +
        'Set both with a time service such as chrony or systemd-timesyncd, then start again.',
    );
    this.name = 'ClockDiffers';
  }
}

/** By how many milliseconds our clock is ahead; negative: behind. */
export async function measureClockDifference({ sql }: Pick<Database, 'sql'>): Promise<number> {
  let best = { tookMs: Number.POSITIVE_INFINITY, differenceMs: 0 };
  for (let count = 0; count < TRIES; count++) {
    const before = realNow();
    const [row] = await sql<{ now: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
    const tookMs = realNow() - before;
    if (row && tookMs < best.tookMs) best = { tookMs, differenceMs: before + tookMs / 2 - row.now };
  }
  return Math.round(best.differenceMs);
}

export async function requireSameClock(database: Pick<Database, 'sql'>): Promise<void> {
  const differenceMs = await measureClockDifference(database);
  if (Math.abs(differenceMs) > MAX_DIFFERENCE_MS) throw new ClockDiffers(differenceMs);
}
