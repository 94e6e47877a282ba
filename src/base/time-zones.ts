/** Wall clocks: when the clocks of a time zone next show an hour, whatever daylight saving does to them. */
import { DAY_MS, HOUR_MS, type Instant, instant, SECOND_MS } from './time.js';

/** What a zone's clocks show at a moment, as if it were UTC; a difference of two such times is a difference on the wall. */
type WallClock = (at: number) => number;

/** Making one costs a hundred times what asking it does. */
const wallClocks = new Map<string, WallClock>();

function wallClockOf(timezone: string): WallClock {
  const known = wallClocks.get(timezone) ?? newWallClock(timezone);
  wallClocks.set(timezone, known);
  return known;
}

function newWallClock(timezone: string): WallClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    // As in 12/31/1969 AD, 16:00:00: taken apart by hand it costs a third of what the format's own parts do.
    const shown = format.format(at);
    const [month = 0, date = 0, year = 0, hour = 0, minute = 0, second = 0] = shown.match(/\d+/g)?.map(Number) ?? [];
    const day = new Date(0).setUTCFullYear(shown.includes('BC') ? 1 - year : year, month - 1, date);
    return day + hour * HOUR_MS + (minute * 60 + second) * SECOND_MS;
  };
}

/**
 * The moment at which the clocks show a time. One that they show twice is the first of the two; one that they skip is as
 * long after the jump as it would have been without it.
 */
function momentOf(shown: number, clock: WallClock): number {
  // The clocks change at most once in two days, so one of these two is right.
  const [before, after] = [shown - DAY_MS, shown + DAY_MS].map((at) => shown - (clock(at) - at)) as [number, number];
  const right = [before, after].filter((at) => clock(at) === shown);
  return right.length > 0 ? Math.min(...right) : before;
}

/** When a day begins in a zone; the day is given as its midnight in UTC. */
export function startOfDay(timezone: string, day: Instant): Instant {
  return instant(momentOf(day, wallClockOf(timezone)));
}

/** What was asked before, as days that follow each other are; forgotten all at once when it has become much. */
const known = new Map<string, Instant>();
const MAX_CACHED_HOURS = 20_000;

/** The first moment after the given one at which the clocks of a zone show this hour. */
export function nextHour(timezone: string, hour: number, after: Instant): Instant {
  const question = `${timezone} ${hour} ${after}`;
  const answer = known.get(question) ?? findNextHour(timezone, hour, after);
  if (known.size >= MAX_CACHED_HOURS) known.clear();
  known.set(question, answer);
  return answer;
}

function findNextHour(timezone: string, hour: number, after: Instant): Instant {
  const clock = wallClockOf(timezone);
  const today = Math.floor(clock(Math.floor(after / SECOND_MS) * SECOND_MS) / DAY_MS);
  for (const day of [today - 1, today, today + 1, today + 2]) {
    const at = momentOf(day * DAY_MS + hour * HOUR_MS, clock);
    if (at > after) return instant(at);
  }
  throw new RangeError(`${timezone} has no ${hour} o'clock within two days`);
}
