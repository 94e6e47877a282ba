/** Converts between instants and local times of a time zone, across daylight saving changes. */
import { DAY_MS, HOUR_MS, type Instant, instant, parseTime, printSeconds, SECOND_MS, wholeSecond } from './time.js';

/** Returns the local time at an instant, encoded as if it were UTC. */
type WallClock = (at: number) => number;

/** Creating a wall clock costs a hundred times as much as a call of it. */
const wallClocks = new Map<string, WallClock>();

function wallClockOf(timezone: string): WallClock {
  const clock = wallClocks.get(timezone) ?? newWallClock(timezone);
  wallClocks.set(timezone, clock);
  return clock;
}

/** Formatting a time takes 3 to 6 microseconds, so the offset of a day is cached. The cache is cleared when it is full. */
const MAX_CACHED_DAYS = 4_000;

function newWallClock(timezone: string): WallClock {
  const format = newFormat(timezone);
  const offsets = new Map<number, number>();
  const offsetAt = (second: number): number => format(second) - second;
  return (at) => {
    const second = Math.floor(at / SECOND_MS) * SECOND_MS;
    const day = Math.floor(at / DAY_MS);
    let offset = offsets.get(day);
    if (offset === undefined) {
      // No zone has changed its clocks twice in a day, so a day with equal ends has no change.
      const [first, last] = [offsetAt(day * DAY_MS), offsetAt((day + 1) * DAY_MS - SECOND_MS)];
      offset = first === last ? first : Number.NaN;
      if (offsets.size >= MAX_CACHED_DAYS) offsets.clear();
      offsets.set(day, offset);
    }
    return second + (Number.isNaN(offset) ? offsetAt(second) : offset);
  };
}

function newFormat(timezone: string): WallClock {
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
    // The text is `12/31/1969 AD, 16:00:00`. Splitting it with a regular expression takes a third of the time of `formatToParts`.
    const shown = format.format(at);
    const [month = 0, date = 0, year = 0, hour = 0, minute = 0, second = 0] = shown.match(/\d+/g)?.map(Number) ?? [];
    const day = new Date(0).setUTCFullYear(shown.includes('BC') ? 1 - year : year, month - 1, date);
    return day + hour * HOUR_MS + (minute * 60 + second) * SECOND_MS;
  };
}

/**
 * The instant of a local time. If the local time occurs twice, the first instant counts. If the clocks skip it, the offset
 * from before the change applies.
 */
function instantOf(local: number, clock: WallClock): number {
  // The offset changes at most once in two days, so it is the one of the day before or of the day after.
  const [before, after] = [local - DAY_MS, local + DAY_MS].map((at) => local - (clock(at) - at)) as [number, number];
  const matches = [before, after].filter((at) => clock(at) === local);
  return matches.length > 0 ? Math.min(...matches) : before;
}

/** The first instant of a day in a time zone. The day is passed as its midnight in UTC. */
export function startOfDay(timezone: string, day: Instant): Instant {
  return instant(instantOf(day, wallClockOf(timezone)));
}

const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/;

/** The local time in a time zone, as forms of browsers use it: `2020-02-26T10:00:00`. */
export function printLocal(timezone: string, at: Instant): string {
  return printSeconds(instant(wallClockOf(timezone)(wholeSecond(at)))).slice(0, -1);
}

/** The instant of a local time such as `2020-02-26T10:00`. Undefined if the text is not a local time. */
export function parseLocal(timezone: string, local: string): Instant | undefined {
  const time = LOCAL.test(local) ? parseTime(`${local}Z`) : undefined;
  return time === undefined ? undefined : instant(instantOf(time, wallClockOf(timezone)));
}

/** All times from `from` to just before `next` have the same next hour. */
interface SameNext {
  readonly from: Instant;
  readonly next: Instant;
}

/** Caches a result for each day, because callers ask for many times of the same days. It is cleared when it is full. */
const nextHours = new Map<string, SameNext>();
const MAX_CACHED_HOURS = 20_000;

/** The first instant after `after` at which the local time is this full hour. */
export function nextHour(timezone: string, hour: number, after: Instant): Instant {
  const key = `${timezone} ${hour} ${Math.floor(after / DAY_MS)}`;
  const known = nextHours.get(key);
  if (known && known.from <= after && after < known.next) return known.next;
  const next = findNextHour(timezone, hour, after);
  if (nextHours.size >= MAX_CACHED_HOURS) nextHours.clear();
  nextHours.set(key, { from: known?.next === next ? instant(Math.min(known.from, after)) : after, next });
  return next;
}

function findNextHour(timezone: string, hour: number, after: Instant): Instant {
  const clock = wallClockOf(timezone);
  const today = Math.floor(clock(Math.floor(after / SECOND_MS) * SECOND_MS) / DAY_MS);
  for (const day of [today - 1, today, today + 1, today + 2]) {
    const at = instantOf(day * DAY_MS + hour * HOUR_MS, clock);
    if (at > after) return instant(at);
  }
  throw new RangeError(`${timezone} has no ${hour} o'clock within two days`);
}
