/** Parses pairs of time parameters, or of days, as ranges. */
import { toDayNumber, toMidnight } from '../base/days.js';
import { Refusal } from '../base/errors.js';
import { FIRST_INSTANT, type Instant, instant, parseTime, printSeconds, SECOND_MS, wholeSecond } from '../base/time.js';
import { startOfDay } from '../base/time-zones.js';
import type { LocationRange, SortOrder, TimeRange } from '../database/keyset.js';

/** No range of v1 and no default range begins earlier (contract 4.2 rule 1). */
export const EARLIEST_BEGIN = parseTime('2013-01-01T00:00:00Z') ?? instant(0);

/** Both ends are optional. Refuses an end before the beginning. */
export function parseRange<Name extends string>(
  query: { readonly [Key in Name]?: string | undefined },
  beginName: Name,
  endName: Name,
): TimeRange {
  const [begin, end] = [parseOptionalTime(query[beginName]), parseOptionalTime(query[endName])];
  if (begin !== undefined && end !== undefined && end < begin) {
    throw new Refusal('INVALID_TIME_RANGE', { field: endName, detail: `${endName} is before ${beginName}.` });
  }
  return { begin, end };
}

/** The parameters of a range. Messages name those that were sent. */
export type RangeNames = readonly [begin: string, end: string];

const RANGE_NAMES: RangeNames = ['begin_time', 'end_time'];

/**
 * Fills in the missing ends of a range (decision 0008): `end_time` is now, and `begin_time` is relative to now. One end does
 * not move with the other. A range that then ends before it begins is refused, because an empty or shifted list would look
 * like missing records.
 */
export function fillRange(
  { begin, end }: TimeRange,
  {
    now,
    defaultBegin,
    names: [beginName, endName] = RANGE_NAMES,
  }: { readonly now: Instant; readonly defaultBegin: Instant; readonly names?: RangeNames },
): { readonly begin: Instant; readonly end: Instant } {
  const filled = { begin: begin ?? defaultBegin, end: end ?? now };
  if (filled.begin <= filled.end) return filled;
  const [field, detail] =
    end === undefined
      ? [beginName, `${beginName} is after the current time, the default of ${endName}: send ${endName} too.`]
      : [
          endName,
          `${endName} is before ${printSeconds(filled.begin)}, the default of ${beginName}: send ${beginName} too.`,
        ];
  throw new Refusal('INVALID_TIME_RANGE', { field, detail });
}

/**
 * A range for times that are stored in whole seconds, rounded down. The beginning is rounded down too; otherwise records
 * created later in the same second would be missing (decision 0090).
 */
export function parseSecondRange<Name extends string>(
  query: { readonly [Key in Name]?: string | undefined },
  [beginName, endName]: readonly [begin: Name, end: Name],
  order: SortOrder,
): TimeRange {
  const { begin, end } = parseRange(query, beginName, endName);
  return { begin: begin === undefined ? undefined : toStartOfSecond(begin, order), end };
}

/** In DESC order the beginning is exclusive, so it is moved to the millisecond before. */
function toStartOfSecond(begin: Instant, order: SortOrder): Instant {
  const second = wholeSecond(begin);
  if (begin === second || order === 'ASC') return second;
  return instant(Math.max(second - 1, FIRST_INSTANT));
}

/**
 * A range for times that are stored in milliseconds and shown in whole seconds. An end in whole seconds means the whole
 * second. In DESC order it is moved to the last millisecond of that second; ASC order needs no change (decision 0090).
 */
export function toShownSeconds({ begin, end }: TimeRange, order: SortOrder): TimeRange {
  return order === 'ASC' ? { begin, end } : { begin: toEndOfSecond(begin), end: toEndOfSecond(end) };
}

function toEndOfSecond(time: Instant | undefined): Instant | undefined {
  return time === undefined || time !== wholeSecond(time) ? time : instant(time + SECOND_MS - 1);
}

function parseOptionalTime(text: string | undefined): Instant | undefined {
  return text === undefined ? undefined : parseTime(text);
}

/** Numbers of days. Both ends are optional and included. */
export interface DayNumberRange {
  readonly first: number | undefined;
  readonly last: number | undefined;
}

/** Like `parseRange`, for days such as `2020-02-26`. `path` is what comes before the names of the two fields in the request. */
export function parseDayRange<Name extends string>(
  query: { readonly [Key in Name]?: string | undefined },
  firstName: Name,
  lastName: Name,
  path = '',
): DayNumberRange {
  const parseDay = (name: Name): number | undefined => {
    const text = query[name];
    if (text === undefined) return undefined;
    if (parseTime(text) !== undefined) return toDayNumber(text);
    throw new Refusal('INVALID_TIME', { field: path + name, detail: `${name} is not a date such as 2020-02-26.` });
  };
  const [first, last] = [parseDay(firstName), parseDay(lastName)];
  if (first !== undefined && last !== undefined && last < first) {
    throw new Refusal('INVALID_TIME_RANGE', { field: path + lastName, detail: `${lastName} is before ${firstName}.` });
  }
  return { first, last };
}

/** The same days begin and end at different times in different time zones: a range for the locations of each zone. */
export function toLocationRanges(
  locations: readonly { readonly id: string; readonly timezone: string }[],
  { first, last }: DayNumberRange,
): LocationRange[] {
  return [...new Set(locations.map(({ timezone }) => timezone))].map((timezone) => ({
    locationIds: locations.filter((location) => location.timezone === timezone).map(({ id }) => id),
    begin: first === undefined ? undefined : startOfDay(timezone, toMidnight(first)),
    end: last === undefined ? undefined : startOfDay(timezone, toMidnight(last + 1)),
  }));
}
