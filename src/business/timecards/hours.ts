/** The calendar days over which hours are added up: each location has its own days, which end at its own midnight. Pure. */
import { parseDayRange } from '../../api/ranges.js';
import { mondayOf, printDay, toDayNumber, toMidnight } from '../../base/days.js';
import { Refusal } from '../../base/errors.js';
import type { Instant } from '../../base/time.js';
import { printLocal, startOfDay } from '../../base/time-zones.js';

/** More than a quarter of a year. Each day of each location is a row of the statement. */
export const MAX_DAYS = 93;
const DAYS_OF_WEEK = 7;

export interface DayRange {
  /** Such as `2020-02-24`. Both are included. */
  readonly first: string;
  readonly last: string;
}

interface LocationTimezone {
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
export function parseDays(
  given: { readonly begin_date?: string; readonly end_date?: string },
  { timezone, now }: { readonly timezone: string; readonly now: Instant },
): DayRange {
  const { first: begin, last: end } = parseDayRange(given, 'begin_date', 'end_date');
  const today = toDayNumber(printLocal(timezone, now).slice(0, 10));
  const first = begin ?? mondayOf(end ?? today);
  const last = end ?? mondayOf(first) + DAYS_OF_WEEK - 1;
  if (last - first >= MAX_DAYS) {
    throw new Refusal('INVALID_TIME_RANGE', { field: 'end_date', detail: `The range has more than ${MAX_DAYS} days.` });
  }
  return { first: printDay(first), last: printDay(last) };
}

/** Every day of the range at every location. */
export function daysAt(locations: readonly LocationTimezone[], { first, last }: DayRange): LocationDay[] {
  const [from, to] = [toDayNumber(first), toDayNumber(last)];
  const days: LocationDay[] = [];
  for (const { id, timezone } of locations) {
    for (let day = from; day <= to; day++) {
      const [begin, end] = [startOfDay(timezone, toMidnight(day)), startOfDay(timezone, toMidnight(day + 1))];
      days.push({ locationId: id, day: printDay(day), begin, end });
    }
  }
  return days;
}
