/** Defines merchants and locations, the close of a day, and moves of a merchant's clock. */
import type { Clock } from '../../base/clock.js';
import type { PostalAddress } from '../../base/postal-address.js';
import { addDuration, type Instant, instant, LAST_INSTANT, MINUTE_MS } from '../../base/time.js';
import { nextHour } from '../../base/time-zones.js';
import type { DueWork } from '../due-work/model.js';

export type Status = 'ACTIVE' | 'INACTIVE';

export interface Merchant {
  readonly id: string;
  readonly businessName: string;
  readonly ownerName: string;
  readonly ownerEmail: string | null;
  readonly country: string;
  readonly languageCode: string;
  readonly currency: string;
  readonly businessType: string;
  readonly status: Status;
  readonly approved: boolean;
  readonly isDemo: boolean;
  readonly clock: Clock;
  readonly createdAt: Instant;
}

export interface OpeningHours {
  readonly dayOfWeek: string;
  readonly startLocalTime: string;
  readonly endLocalTime: string;
}

/** Descriptive fields of a location. They are stored as one JSON value and never searched. */
export interface LocationProfile {
  readonly address?: PostalAddress;
  readonly phoneNumber?: string;
  readonly businessEmail?: string;
  readonly websiteUrl?: string;
  readonly twitterUsername?: string;
  readonly instagramUsername?: string;
  readonly facebookUrl?: string;
  readonly logoUrl?: string;
  readonly posBackgroundUrl?: string;
  readonly mcc?: string;
  readonly description?: string;
  readonly coordinates?: { readonly latitude: number; readonly longitude: number };
  readonly openingHours?: readonly OpeningHours[];
  /** The picture at the top of receipts. */
  readonly logoPictureId?: string;
  /** Printed at the end of receipts. */
  readonly receiptText?: string;
  /** The tips that a register offers, in percent, in ascending order. */
  readonly tipPercentages?: readonly number[];
  /** The tax on amounts that are not in the catalogue. */
  readonly salesTax?: {
    readonly name: string;
    readonly percentage: string;
    readonly inclusionType: 'ADDITIVE' | 'INCLUSIVE';
  };
}

export interface Location {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
  readonly status: Status;
  readonly type: 'PHYSICAL' | 'MOBILE';
  readonly profile: LocationProfile;
  readonly createdAt: Instant;
}

/** A cache, because a check costs milliseconds. Bounded, because names are case-insensitive and have many spellings. */
const knownTimezones = new Set<string>();
const MAX_CACHED_TIMEZONES = 1000;

export function isTimezone(name: string): boolean {
  if (knownTimezones.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    return false;
  }
  if (knownTimezones.size < MAX_CACHED_TIMEZONES) knownTimezones.add(name);
  return true;
}

const CLOSING_HOUR = 17;

/** The next close of a day at a location (decision 0035). Undefined if it would be after the last supported time. */
export function nextClose(timezone: string, after: Instant): Instant | undefined {
  const next = nextHour(timezone, CLOSING_HOUR, after);
  return next > LAST_INSTANT ? undefined : next;
}

/** The next close of each location, as due work. */
export function closesAfter(locations: readonly Pick<Location, 'id' | 'timezone'>[], after: Instant): DueWork[] {
  return locations.flatMap(({ id, timezone }) => {
    const dueAt = nextClose(timezone, after);
    return dueAt === undefined ? [] : [{ kind: 'CLOSE_DAY' as const, subjectId: id, dueAt }];
  });
}

/** A request commits within this time after it has read the clock. So a day is complete this long after its end (decision 0142). */
export const MAX_COMMIT_MS = 5 * MINUTE_MS;

/** The next time at which a day of one of the locations is complete. Undefined if it would be after the last supported time. */
export function nextRollUp(locations: readonly Pick<Location, 'timezone'>[], after: Instant): Instant | undefined {
  const timezones = new Set(locations.map(({ timezone }) => timezone));
  const next = Math.min(...[...timezones].map((timezone) => nextHour(timezone, 0, after) + MAX_COMMIT_MS));
  return next > LAST_INSTANT ? undefined : instant(next);
}

/** The work of a merchant that recurs: the close of each location, and the roll-up of all (decision 0142). */
export function recurringWork(
  merchantId: string,
  locations: readonly Pick<Location, 'id' | 'timezone'>[],
  after: Instant,
): DueWork[] {
  const dueAt = nextRollUp(locations, after);
  const rollUp = dueAt === undefined ? [] : [{ kind: 'ROLL_UP_DAYS' as const, subjectId: merchantId, dueAt }];
  return [...closesAfter(locations, after), ...rollUp];
}

/** The largest step of a clock (decision 0042). */
const MAX_CLOCK_ADVANCE = 'P5Y';

export type ClockMove =
  | { readonly kind: 'advance'; readonly by: string }
  | { readonly kind: 'set'; readonly to: Instant };

export type ClockRefusal = 'NOT_A_DURATION' | 'TOO_FAR' | 'BACKWARDS';

/** Returns the time to which a move sets a clock that shows `now`, or the reason why the move is refused. */
export function moveClock(now: Instant, move: ClockMove, hasRecords: boolean): Instant | ClockRefusal {
  const target = move.kind === 'set' ? move.to : addDuration(now, move.by);
  if (target === undefined) return 'NOT_A_DURATION';
  const furthest = addDuration(now, MAX_CLOCK_ADVANCE);
  if (furthest !== undefined && target > furthest) return 'TOO_FAR';
  if (target < now && hasRecords) return 'BACKWARDS';
  return target;
}
