/** How long a delayed payment waits to be completed or canceled, and what happens to it then (decision 0265). Pure. */
import { Refusal } from '../../base/errors.js';
import { addDuration, DAY_MS, type Instant, instant, MINUTE_MS } from '../../base/time.js';

/** What happens to a payment that is still APPROVED when its time is over. */
export const DELAY_ACTIONS = ['CANCEL', 'COMPLETE'] as const;
export type DelayAction = (typeof DELAY_ACTIONS)[number];

export interface Delay {
  readonly createdAt: Instant;
  /** As the application wrote it; null: the default. */
  readonly delayDuration: string | null;
  readonly delayAction: DelayAction | null;
}

/** Seven days (contract 16.2). */
const DEFAULT_DURATION = 'PT168H';
const DEFAULT_MS = 7 * DAY_MS;

const SHORTEST_MS = MINUTE_MS;
const LONGEST_MS = 36 * DAY_MS;

export function delayDurationOf({ delayDuration }: Delay): string {
  return delayDuration ?? DEFAULT_DURATION;
}

export function delayActionOf({ delayAction }: Pick<Delay, 'delayAction'>): DelayAction {
  return delayAction ?? 'CANCEL';
}

/** Also if the application wrote out the default. */
export function isUsualDuration(delay: Delay): boolean {
  return delayedUntilOf(delay) === delay.createdAt + DEFAULT_MS;
}

/** When the payment ends, if it is still APPROVED then. */
export function delayedUntilOf({ createdAt, delayDuration }: Delay): Instant {
  if (delayDuration === null) return instant(createdAt + DEFAULT_MS);
  const until = addDuration(createdAt, delayDuration);
  if (until === undefined) throw new Error(`${delayDuration} is no duration`);
  return until;
}

/** Refuses what is no duration, and what is too short or too long. */
export function requireDelay({ createdAt, delayDuration }: Delay): void {
  if (delayDuration === null) return;
  const field = 'delay_duration';
  const until = addDuration(createdAt, delayDuration);
  if (until === undefined) {
    const detail = 'delay_duration must be a duration in ISO 8601 such as PT36H or P7D, in whole numbers.';
    throw new Refusal('INVALID_VALUE', { field, detail });
  }
  if (until - createdAt < SHORTEST_MS) {
    throw new Refusal('VALUE_TOO_LOW', { field, detail: 'delay_duration must be at least one minute (PT1M).' });
  }
  if (until - createdAt > LONGEST_MS) {
    throw new Refusal('VALUE_TOO_HIGH', { field, detail: 'delay_duration must be at most 36 days (P36D).' });
  }
}
