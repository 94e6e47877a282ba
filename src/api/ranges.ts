/** Reads pairs of time parameters as ranges. */
import { Refusal } from '../base/errors.js';
import { FIRST_INSTANT, type Instant, instant, parseTime, SECOND_MS, wholeSecond } from '../base/time.js';
import type { Order, TimeRange } from '../database/keyset.js';

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
 * Fills in what a range that may only be so long was not given: up to now, and from as long before as it may be. Each side
 * gives way to a given one, for what a caller did not say is not its mistake (decision 0008).
 */
export function fillRange(
  { begin, end }: TimeRange,
  now: Instant,
  longestBefore: (time: Instant) => Instant,
): { readonly begin: Instant; readonly end: Instant } {
  const to = end ?? instant(Math.max(now, begin ?? now));
  const from = begin ?? instant(Math.min(to, Math.max(longestBefore(now), longestBefore(to))));
  return { begin: from, end: to };
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
export function asShown({ begin, end }: TimeRange, order: Order): TimeRange {
  return order === 'ASC' ? { begin, end } : { begin: toItsLast(begin), end: toItsLast(end) };
}

function toItsLast(time: Instant | undefined): Instant | undefined {
  return time === undefined || time !== wholeSecond(time) ? time : instant(time + SECOND_MS - 1);
}

function readTime(text: string | undefined): Instant | undefined {
  return text === undefined ? undefined : parseTime(text);
}
