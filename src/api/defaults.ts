/** Default time ranges of lists. They are the same on all pages of a list (decision 0008). */
import { Refusal } from '../base/errors.js';
import { type Instant, instant, printMilliseconds, yearAfter, yearBefore } from '../base/time.js';
import type { SortOrder, TimeRange } from '../database/keyset.js';
import { EARLIEST_BEGIN, fillRange, parseRange, type RangeNames, toShownSeconds } from './ranges.js';

interface RangeQuery {
  readonly begin_time?: string | undefined;
  readonly end_time?: string | undefined;
}

/** One year ago, but not before 2013. A clock that is still before 2013 has no such limit, so that new records are listed. */
function defaultBegin(now: Instant): Instant {
  const yearAgo = yearBefore(now);
  return now < EARLIEST_BEGIN ? yearAgo : instant(Math.max(yearAgo, EARLIEST_BEGIN));
}

function refuse(field: 'begin_time' | 'end_time', detail: string): Refusal {
  return new Refusal('INVALID_TIME_RANGE', { field, detail });
}

function withRange<Query extends RangeQuery>(query: Query, begin: Instant, end: Instant): Query {
  return Object.assign({}, query, { begin_time: printMilliseconds(begin), end_time: printMilliseconds(end) });
}

/** v2: the last year up to now. The default end includes now; the end is exclusive, so it is one millisecond later. */
export function lastYearByDefault<Query extends RangeQuery>(query: Query, now: Instant): Query {
  const { begin, end } = lastYear(parseRange(query, 'begin_time', 'end_time'), now);
  return withRange(query, begin, end);
}

/** The same for a range with parameters of other names. */
export function lastYear(
  given: TimeRange,
  now: Instant,
  names?: RangeNames,
): { readonly begin: Instant; readonly end: Instant } {
  const { begin, end } = fillRange(given, { now, defaultBegin: defaultBegin(now), ...(names && { names }) });
  return { begin, end: given.end ?? instant(end + 1) };
}

/**
 * v1 payments, refunds and settlements (contract 4.2 rule 1): the default is the last year up to now. A range has at most one
 * year (decision 0011) and does not begin before 2013. The order decides which end is inclusive (decision 0007).
 */
export function oneYearAtMost<Query extends RangeQuery & { readonly order?: SortOrder | undefined }>(
  query: Query,
  now: Instant,
): Query {
  const given = parseRange(query, 'begin_time', 'end_time');
  if (given.begin !== undefined && given.begin < EARLIEST_BEGIN) {
    throw refuse('begin_time', 'begin_time must not be before 2013-01-01T00:00:00Z.');
  }
  const { begin, end } = fillRange(given, { now, defaultBegin: defaultBegin(now) });
  if (end > yearAfter(begin) && begin < yearBefore(end)) {
    throw refuse('end_time', 'end_time must not be more than one year after begin_time.');
  }
  const order = query.order ?? 'ASC';
  const { begin: from = begin, end: to = order === 'ASC' ? instant(end + 1) : end } = toShownSeconds(given, order);
  // Rounding to seconds can move the beginning after the end. The range is empty then.
  return withRange(query, instant(Math.min(from, to)), to);
}
