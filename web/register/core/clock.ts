/**
 * The time at the register, by the server's clock. The clock of a tablet may be wrong, so each time that the server sends is compared with
 * it, and the difference is kept.
 */
import { type Instant, instant, MINUTE_MS, parseTime } from '../../../src/base/time.js';
import { createStore } from '../../client/store.js';
import { createKept } from './storage/kept.js';

interface Comparison {
  /** What has to be added to the clock of the tablet. */
  readonly offset: number;
  /** The latest time that is known to have passed, by the server's clock. */
  readonly reached: number;
}

const WRONG_MS = 2 * MINUTE_MS;
/** How often the time is saved. A restart forgets at most this much of it. */
const SAVE_MS = 5 * MINUTE_MS;

const comparison = createKept<Comparison>('clock', { offset: 0, reached: 0 });

/** When `reached` became known to this page, by `performance.now()`: it runs evenly even if somebody sets the clock. */
let reachedAt = performance.now();

/** Also if another tab has compared the clocks. */
comparison.subscribe(() => {
  reachedAt = performance.now();
});

/** In milliseconds; positive if the tablet is behind. */
export const clockOffset = createStore(0);
export const isClockWrong = createStore(false);

/**
 * Never returns a time before one that has already passed. A tablet whose battery was empty starts with a time in the past, and its clock
 * is set later, perhaps while sales wait to be sent.
 */
export function now(): Instant {
  const { offset, reached } = comparison.get();
  return instant(Math.round(Math.max(Date.now() + offset, reached + performance.now() - reachedAt)));
}

/** Call it after a response with the server's time. The request began at `startedAt`, by the clock of the tablet. */
export function compareClock(serverNow: string, startedAt: number): void {
  const server = parseTime(serverNow);
  if (server === undefined) return;
  const received = Date.now();
  comparison.set({ offset: Math.round(server + (received - startedAt) / 2 - received), reached: server });
}

export function watchClock(): void {
  show();
  comparison.subscribe(show);
  setInterval(() => comparison.set({ offset: comparison.get().offset, reached: now() }), SAVE_MS);
}

function show(): void {
  const { offset } = comparison.get();
  clockOffset.set(offset);
  isClockWrong.set(Math.abs(offset) > WRONG_MS);
}
