/** Calendar days such as `2026-02-26`, which have no time zone: as text, and as the number of days since 1970-01-01. */
import { DAY_MS, type Instant, instant } from './time.js';

const DAYS_OF_WEEK = 7;

export function toDayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MS;
}

/** Midnight in UTC, which `startOfDay` turns into the first instant of the day in a time zone. */
export function toMidnight(dayNumber: number): Instant {
  return instant(dayNumber * DAY_MS);
}

/** Caches results, because reports print the same days again and again. It is cleared when it is full. */
const printedDays = new Map<number, string>();
const MAX_CACHED_DAYS = 10_000;

export function printDay(dayNumber: number): string {
  const known = printedDays.get(dayNumber);
  if (known !== undefined) return known;
  if (printedDays.size >= MAX_CACHED_DAYS) printedDays.clear();
  const printed = new Date(dayNumber * DAY_MS).toISOString().slice(0, 10);
  printedDays.set(dayNumber, printed);
  return printed;
}

export function addDays(day: string, days: number): string {
  return printDay(toDayNumber(day) + days);
}

/** Weeks begin on Monday (decision 0149). */
export function mondayOf(dayNumber: number): number {
  // 1970-01-01 was a Thursday, and days before it have negative numbers.
  const intoWeek = (((dayNumber + 3) % DAYS_OF_WEEK) + DAYS_OF_WEEK) % DAYS_OF_WEEK;
  return dayNumber - intoWeek;
}
