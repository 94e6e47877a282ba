/** When a sale was made, as a buyer remembers it: the last hour, a day, and about what time. Pure. */
import {
  DAY_MS,
  HOUR_MS,
  type Instant,
  instant,
  parseTime,
  printMilliseconds,
  printSeconds,
} from '../../../src/base/time.js';
import { parseLocal, printLocal } from '../../../src/base/time-zones.js';

export const WHENS = ['ANY', 'HOUR', 'TODAY', 'YESTERDAY', 'DAY'] as const;

export interface When {
  readonly when: (typeof WHENS)[number];
  /** `2026-03-11`, of another day. */
  readonly day: string;
  /** `14:30`; empty for the whole day. */
  readonly time: string;
}

export const ANY_TIME: When = { when: 'ANY', day: '', time: '' };

interface Range {
  readonly begin_time?: string;
  readonly end_time?: string;
}

const between = (begin: number, end: number): Range => ({
  begin_time: printMilliseconds(instant(begin)),
  end_time: printMilliseconds(instant(end)),
});

/** A time that a buyer remembers is wrong by up to an hour. */
const AROUND_MS = HOUR_MS;

/** Days and times are those of the location, wherever the tablet is. */
export function rangeOf({ when, day, time }: When, now: Instant, timezone: string): Range {
  if (when === 'HOUR') return between(now - HOUR_MS, now);
  const chosen = dayOf(when, day, printLocal(timezone, now).slice(0, 10));
  const begin = chosen === undefined ? undefined : parseLocal(timezone, `${chosen}T00:00`);
  if (chosen === undefined || begin === undefined) return {};
  const about = time === '' ? undefined : parseLocal(timezone, `${chosen}T${time}`);
  if (about !== undefined) return between(about - AROUND_MS, about + AROUND_MS);
  return between(begin, parseLocal(timezone, `${shift(chosen, 1)}T00:00`) ?? begin + DAY_MS);
}

function dayOf(when: When['when'], day: string, today: string): string | undefined {
  if (when === 'TODAY') return today;
  if (when === 'YESTERDAY') return shift(today, -1);
  return when === 'DAY' && day !== '' ? day : undefined;
}

function shift(day: string, days: number): string {
  const midnight = parseTime(`${day}T00:00:00Z`);
  return midnight === undefined ? day : printSeconds(instant(midnight + days * DAY_MS)).slice(0, 10);
}
