/** Calendar days such as `2026-03-11`, as text: weeks begin on Monday (decision 0149). */
import { DAY_MS, type Instant, instant, parseTime, printSeconds } from '../../../src/base/time.js';
import { printLocal } from '../../../src/base/time-zones.js';

const DAYS_OF_WEEK = 7;

export function isDay(text: string | undefined): text is string {
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTime(text) !== undefined;
}

/** The midnight of the day in UTC. */
export function toMidnight(day: string): Instant {
  return parseTime(day) ?? instant(0);
}

export function addDays(day: string, count: number): string {
  return printSeconds(instant(toMidnight(day) + count * DAY_MS)).slice(0, 10);
}

export function mondayOf(day: string): string {
  const weekday = new Date(toMidnight(day)).getUTCDay();
  return addDays(day, -((weekday + DAYS_OF_WEEK - 1) % DAYS_OF_WEEK));
}

export function weekOf(monday: string): readonly string[] {
  return Array.from({ length: DAYS_OF_WEEK }, (_, index) => addDays(monday, index));
}

export function todayIn(timezone: string, now: Instant): string {
  return printLocal(timezone, now).slice(0, 10);
}

export function firstOfMonth(day: string): string {
  return `${day.slice(0, 8)}01`;
}

/** A day for people; it has no time zone. */
export function printDay(day: string, style: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(undefined, { ...style, timeZone: 'UTC' }).format(toMidnight(day));
}
