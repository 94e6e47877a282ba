/** Reads real time and the business time of each merchant. */
import { type Instant, instant, LAST_INSTANT } from './time.js';

/** A merchant's clock has a fixed offset from real time, or is frozen (decision 0040). */
export interface Clock {
  readonly offsetMs: number;
  readonly frozenAt: Instant | null;
}

/** Tokens, sessions, rate limits and deliveries use real time. */
export function realNow(): Instant {
  return instant(Date.now());
}

/** A clock stops at the end of the year 9999, because later times cannot be stored. */
export function nowOn(clock: Clock, real: Instant = realNow()): Instant {
  return clock.frozenAt ?? instant(Math.min(real + clock.offsetMs, LAST_INSTANT));
}

/** A clock that shows `time` now, running or frozen. */
export function clockAt(time: Instant, frozen: boolean, real: Instant = realNow()): Clock {
  return frozen ? { offsetMs: 0, frozenAt: time } : { offsetMs: time - real, frozenAt: null };
}
