/** Fills in the time ranges that a list was not given, once for all of its pages (decision 0008). */
import { Refusal } from '../base/errors.js';
import { addYears, type Instant, instant, parseTime, printMilliseconds } from '../base/time.js';

const EARLIEST = parseTime('2013-01-01T00:00:00Z') ?? instant(0);

interface RangeQuery {
  readonly begin_time?: string | undefined;
  readonly end_time?: string | undefined;
}

/** The last year up to now. A defaulted end is "now", inclusive, so it lies one millisecond behind an exclusive bound. */
export function lastYearByDefault<Query extends RangeQuery>(query: Query, now: Instant): Query {
  const yearAgo = addYears(now, -1);
  // A clock that is not there yet has no such bound: what was just made is listed by every clock.
  const earliest = now < EARLIEST ? yearAgo : instant(Math.max(yearAgo, EARLIEST));
  const begin = query.begin_time ?? printMilliseconds(earliest);
  const end = query.end_time ?? printMilliseconds(instant(now + 1));
  if ((parseTime(end) ?? now) < (parseTime(begin) ?? now)) {
    throw new Refusal('INVALID_TIME_RANGE', { field: 'end_time', detail: 'end_time lies before begin_time.' });
  }
  return { ...query, begin_time: begin, end_time: end };
}
