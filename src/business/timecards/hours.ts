/** The calendar days over which hours are added up: each location has its own days, which end at its own midnight. Pure. */
import { Refusal } from '../../base/errors.js';
import { DAY_MS, type Instant, instant, parseTime, printSeconds } from '../../base/time.js';
import { printLocal, startOfDay } from '../../base/time-zones.js';

/** More than a quarter of a year. Each day of each location is a row of the statement. */
export const MAX_DAYS = 93;
const DAYS_OF_WEEK = 7;
/** 1 January 1970 was a Thursday. */
const DAYS_TO_FIRST_MONDAY = 4;

export interface DayRange {
  /** Such as `2020-02-24`. Both are included. */
  readonly first: string;
  readonly last: string;
}

interface Place {
  readonly id: string;
  readonly timezone: string;
}

/** One day of one location, from its first instant to that of the next day. */
export interface LocationDay {
  readonly locationId: string;
  readonly day: string;
  readonly begin: Instant;
  readonly end: Instant;
}

/** A missing day is the Monday or Sunday of the week of the other day, or of this week (decision 0149). */
export function readDays(
  given: { readonly begin_date?: string; readonly end_date?: string },
  { timezone, now }: { readonly timezone: string; readonly now: Instant },
): DayRange {
  const [begin, end] = [readDay(given.begin_date, 'begin_date'), readDay(given.end_date, 'end_date')];
  const today = parseTime(printLocal(timezone, now).slice(0, 10)) ?? now;
  const first = begin ?? mondayOf(end ?? today);
  const last = end ?? instant(mondayOf(first) + (DAYS_OF_WEEK - 1) * DAY_MS);
  if (last < first) {
    throw new Refusal('INVALID_TIME_RANGE', { field: 'end_date', detail: 'end_date is before begin_date.' });
  }
  if (last - first >= MAX_DAYS * DAY_MS) {
    throw new Refusal('INVALID_TIME_RANGE', { field: 'end_date', detail: `The range has more than ${MAX_DAYS} days.` });
  }
  return { first: printDay(first), last: printDay(last) };
}

function readDay(text: string | undefined, field: string): Instant | undefined {
  const day = text === undefined ? undefined : parseTime(text);
  if (text === undefined || day !== undefined) return day;
  throw new Refusal('INVALID_TIME', { field, detail: `${field} is not a date such as 2020-02-26.` });
}

function mondayOf(day: Instant): Instant {
  const index = Math.floor(day / DAY_MS) - DAYS_TO_FIRST_MONDAY;
  const intoWeek = ((index % DAYS_OF_WEEK) + DAYS_OF_WEEK) % DAYS_OF_WEEK;
  return instant(day - intoWeek * DAY_MS);
}

function printDay(day: Instant): string {
  return printSeconds(day).slice(0, 10);
}

/** Every day of the range at every location. */
export function daysAt(places: readonly Place[], { first, last }: DayRange): LocationDay[] {
  const [from, to] = [parseTime(first) ?? instant(0), parseTime(last) ?? instant(0)];
  const days: LocationDay[] = [];
  for (const { id, timezone } of places) {
    for (let day = from; day <= to; day = instant(day + DAY_MS)) {
      const [begin, end] = [startOfDay(timezone, day), startOfDay(timezone, instant(day + DAY_MS))];
      days.push({ locationId: id, day: printDay(day), begin, end });
    }
  }
  return days;
}
