/** Reads pairs of time parameters as ranges. */
import { Refusal } from '../base/errors.js';
import { FIRST_INSTANT, type Instant, instant, parseTime, printSeconds, SECOND_MS, wholeSecond } from '../base/time.js';
import type { Order, TimeRange } from '../database/keyset.js';

/** Contract 4.2 rule 1: no range of v1 begins earlier, and no default does. */
export const EARLIEST_BEGIN = parseTime('2013-01-01T00:00:00Z') ?? instant(0);

/** Both sides are optional; an end before the beginning is a mistake worth naming. */
export function readRange<Name extends string>(
  query: { readonly [Key in Name]?: string | undefined },
  beginName: Name,
  endName: Name,
): TimeRange {
  const [begin, end] = [readTime(query[beginName]), readTime(query[endName])];
  if (begin !== undefined && end !== undefined && end < begin) {
    throw new Refusal('INVALID_TIME_RANGE', { field: endName, detail: `${endName} lies before ${beginName}.` });
  }
  return { begin, end };
}

/**
 * Fills in what a range from `begin_time` to `end_time` was not given (decision 0008): up to now, and from a time that is
 * counted back from now. Neither moves with the other: a range that then ends before it begins is refused, since an empty
 * or a shifted list would look like missing records.
 */
export function fillRange(
  { begin, end }: TimeRange,
  { now, defaultBegin }: { readonly now: Instant; readonly defaultBegin: Instant },
): { readonly begin: Instant; readonly end: Instant } {
  const filled = { begin: begin ?? defaultBegin, end: end ?? now };
  if (filled.begin <= filled.end) return filled;
  const [field, detail] =
    end === undefined
      ? ['begin_time', 'begin_time lies after the current time, where the range ends: give end_time too.']
      : [
          'end_time',
          `end_time lies before ${printSeconds(filled.begin)}, where the range begins: give begin_time too.`,
        ];
  throw new Refusal('INVALID_TIME_RANGE', { field, detail });
}

/**
 * A range of times that are kept in whole seconds, their rest cut off: so is the rest of where it begins, or what was made a
 * moment after that would not be found (decision 0090).
 */
export function readSecondRange<Name extends string>(
  query: { readonly [Key in Name]?: string | undefined },
  [beginName, endName]: readonly [begin: Name, end: Name],
  order: Order,
): TimeRange {
  const { begin, end } = readRange(query, beginName, endName);
  return { begin: begin === undefined ? undefined : fromItsSecond(begin, order), end };
}

/** DESC leaves its beginning out, so there it is the moment before. */
function fromItsSecond(begin: Instant, order: Order): Instant {
  const second = wholeSecond(begin);
  if (begin === second || order === 'ASC') return second;
  return instant(Math.max(second - 1, FIRST_INSTANT));
}

/**
 * A range of times that are kept to the millisecond and shown in whole seconds. An end in whole seconds means all that shows
 * that second: DESC takes it with all of it, and leaves it out with all of it; ASC does so anyway (decision 0090).
 */
export function toShownSeconds({ begin, end }: TimeRange, order: Order): TimeRange {
  return order === 'ASC' ? { begin, end } : { begin: toItsLast(begin), end: toItsLast(end) };
}

function toItsLast(time: Instant | undefined): Instant | undefined {
  return time === undefined || time !== wholeSecond(time) ? time : instant(time + SECOND_MS - 1);
}

function readTime(text: string | undefined): Instant | undefined {
  return text === undefined ? undefined : parseTime(text);
}
