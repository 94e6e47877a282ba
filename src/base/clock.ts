/** Tells the time: the real one, and the one each merchant lives in. */
import { type Instant, instant, LAST_INSTANT } from './time.js';

/** A merchant's clock runs beside real time at a distance, or stands still (decision 0040). */
export interface Clock {
  readonly offsetMs: number;
  readonly frozenAt: Instant | null;
}

/** Tokens, sessions, rate limits and delivery live in real time. */
export function realNow(): Instant {
  return instant(Date.now());
}

/** A clock that reaches the end of the year 9999 stands still there: nothing later can be kept. */
export function nowOn(clock: Clock, real: Instant = realNow()): Instant {
  return clock.frozenAt ?? instant(Math.min(real + clock.offsetMs, LAST_INSTANT));
}

/** The same clock, showing another time. */
export function clockAt(time: Instant, frozen: boolean, real: Instant = realNow()): Clock {
  return frozen ? { offsetMs: 0, frozenAt: time } : { offsetMs: time - real, frozenAt: null };
}
