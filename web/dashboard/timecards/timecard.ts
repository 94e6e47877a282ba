/** A timecard as pages show it: whether it is open, and how long the work took. */
import { allocate, amount } from '../../../src/base/money.js';
import { parseTime, SECOND_MS } from '../../../src/base/time.js';
import type { dashboard, ResponseOf } from '../../client/operations.js';
import type { Business } from '../business.js';

export type Timecard = ResponseOf<typeof dashboard.listTimecards>['timecards'][number];

export function isOpen({ clockout_time, deleted }: Timecard): boolean {
  return clockout_time === undefined && !deleted;
}

/** Of an open card: until now, on the clock of the business. */
export function secondsWorked(card: Timecard, { now }: Business): number {
  if (card.clockout_time !== undefined) return card.regular_seconds_worked;
  const since = parseTime(card.clockin_time);
  return since === undefined ? 0 : Math.max(0, (now() - since) / SECOND_MS);
}

/** `27900` seconds are `7:45`. */
export function printClock(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

/** For spreadsheets: `27900` seconds are `7.75`. */
export function decimalHours(seconds: number): string {
  return (hundredths(seconds) / 100).toFixed(2);
}

/** The parts of a time, rounded so that they add up to the rounded time. */
export function decimalParts(seconds: number, parts: readonly number[]): string[] {
  return allocate(amount(hundredths(seconds)), parts).map((part) => (part / 100).toFixed(2));
}

function hundredths(seconds: number): number {
  return Math.round(seconds / 36);
}
