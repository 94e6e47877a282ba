/** What a made-up business is told from: its places and people, its days, and how far the telling has come. */
import { Ids } from '../../base/ids.js';
import { DAY_MS, HOUR_MS, type Instant, instant } from '../../base/time.js';
import { nextHour } from '../../base/time-zones.js';
import type { RecordedEvent } from '../../business/cash-drawers/queries.js';
import type { Employee } from '../../business/employees/model.js';
import type { CatalogueItem, Store } from '../../business/stores/model.js';
import type { Chance } from './chance.js';
import type { Tickets } from './tickets.js';

/** Where the people live who order from a place. */
export interface Neighbourhood {
  readonly locality: string;
  readonly region: string;
  readonly postalCode: string;
  readonly streets: readonly string[];
  /** What their telephone numbers begin with. */
  readonly dialling: string;
}

/** A location with its register, its people and its hours. */
export interface Place {
  readonly locationId: string;
  readonly timezone: string;
  readonly device: { readonly id: string; readonly name: string; readonly locationId: string };
  readonly staff: readonly Employee[];
  /** Where its online store sends things to. */
  readonly neighbourhood: Neighbourhood;
  readonly opensAtHour: number;
  readonly hoursOpen: number;
  /** 0 is Sunday; null: it never rests. */
  readonly restsOn: number | null;
  /** What people order there. */
  readonly tickets: Tickets;
  /** What they order from there through the web. */
  readonly store: Store;
  readonly catalogue: readonly CatalogueItem[];
  /** On an average day: at the register, through the merchant's own application, and of its online store. */
  readonly salesADay: number;
  readonly onlineSalesADay: number;
  readonly ordersADay: number;
}

/** A day on which a place is open. */
export interface WorkingDay {
  readonly place: Place;
  readonly opensAt: Instant;
  readonly closesAt: Instant;
  readonly weekday: number;
  /** What was refunded in cash that day, of sales of days before. */
  readonly handedOut: RecordedEvent[];
}

/** Everything that is told must have happened before `now`. */
export interface Story {
  readonly merchantId: string;
  readonly currency: string;
  readonly applicationId: string;
  /** Where settlements go. */
  readonly bankAccountId: string;
  readonly keyedHash: (text: string) => Buffer;
  readonly chance: Chance;
  readonly ids: StoryIds;
  readonly now: Instant;
}

/** Identifiers of a story: from its chance, and from the time that it tells of, which goes back for each place. */
export class StoryIds extends Ids {
  readonly #told: { at: Instant };

  constructor(chance: Chance, at: Instant) {
    const told = { at };
    super({ now: () => told.at, byte: () => chance.between(0, 255) });
    this.#told = told;
  }

  tellOf(at: Instant): void {
    this.#told.at = at;
    this.forgetOrder();
  }
}

/** When those who opened hand over to those who close. */
export function handoverOf({ opensAt, closesAt }: WorkingDay): Instant {
  return instant((opensAt + closesAt) / 2);
}

/** 1 January 1970 was a Thursday. All places open in the hours in which UTC has the same date as they have. */
function weekdayOf(opensAt: Instant): number {
  return (Math.floor(opensAt / DAY_MS) + 4) % 7;
}

/** The days of a place from one moment up to another, the last of them perhaps not over yet. */
export function workingDays(place: Place, { from, until }: { from: Instant; until: Instant }): WorkingDay[] {
  const { timezone, opensAtHour, hoursOpen, restsOn } = place;
  const days: WorkingDay[] = [];
  for (let at = nextHour(timezone, opensAtHour, from); at < until; at = nextHour(timezone, opensAtHour, at)) {
    const weekday = weekdayOf(at);
    if (weekday === restsOn) continue;
    days.push({ place, opensAt: at, closesAt: instant(at + hoursOpen * HOUR_MS), weekday, handedOut: [] });
  }
  return days;
}
