/** The input of the history generators: locations, employees, working days, random numbers and ids. */
import { Ids } from '../../base/ids.js';
import { DAY_MS, HOUR_MS, type Instant, instant } from '../../base/time.js';
import { nextHour } from '../../base/time-zones.js';
import type { DrawerRefund } from '../../business/cash-drawers/report-model.js';
import type { RecordedEvent } from '../../business/cash-drawers/table.js';
import type { OfferedItem } from '../../business/catalogue/model.js';
import type { Employee } from '../../business/employees/model.js';
import type { Store } from '../../business/stores/model.js';
import type { SeededRandom } from './seeded-random.js';
import type { Tickets } from './tickets.js';

/** Addresses and telephone numbers of the buyers of a location. */
export interface Neighbourhood {
  readonly locality: string;
  readonly region: string;
  readonly postalCode: string;
  readonly streets: readonly string[];
  /** The first digits of telephone numbers. */
  readonly phonePrefix: string;
}

/** A location with its register, employees, opening hours and online store. */
export interface SeededLocation {
  readonly locationId: string;
  readonly timezone: string;
  readonly device: { readonly id: string; readonly name: string; readonly locationId: string };
  readonly staff: readonly Employee[];
  readonly neighbourhood: Neighbourhood;
  readonly opensAtHour: number;
  readonly hoursOpen: number;
  /** 0 is Sunday; null: open every day. */
  readonly closedOn: number | null;
  readonly tickets: Tickets;
  readonly store: Store;
  /** What the online store sells. */
  readonly goods: readonly OfferedItem[];
  /** Averages: sales at the register, payments of the merchant's application, orders of the online store. */
  readonly salesPerDay: number;
  readonly onlineSalesPerDay: number;
  readonly ordersPerDay: number;
}

/** A day on which a location is open. */
export interface WorkingDay {
  readonly location: SeededLocation;
  readonly opensAt: Instant;
  readonly closesAt: Instant;
  readonly weekday: number;
  /** Cash refunds on this day for sales of earlier days. */
  readonly cashRefunds: RecordedEvent[];
  /** All refunds of such sales that are made at the register on this day. */
  readonly deviceRefunds: DrawerRefund[];
}

/** Everything is generated before `now`. */
export interface Scenario {
  readonly merchantId: string;
  readonly currency: string;
  readonly applicationId: string;
  /** The destination of settlements. */
  readonly bankAccountId: string;
  readonly keyedHash: (text: string) => Buffer;
  readonly random: SeededRandom;
  readonly ids: ScenarioIds;
  readonly now: Instant;
}

/** Ids from seeded random numbers and from the generated time, which goes back when another location is generated. */
export class ScenarioIds extends Ids {
  readonly #time: { now: Instant };

  constructor(random: SeededRandom, now: Instant) {
    const time = { now };
    super({ now: () => time.now, byte: () => random.between(0, 255) });
    this.#time = time;
  }

  setTime(now: Instant): void {
    this.#time.now = now;
    this.forgetOrder();
  }
}

/** When the opener hands the register over to the closer. */
export function handoverOf({ opensAt, closesAt }: WorkingDay): Instant {
  return instant((opensAt + closesAt) / 2);
}

/** 1 January 1970 was a Thursday. All locations open at an hour at which the local date equals the UTC date. */
function weekdayOf(opensAt: Instant): number {
  return (Math.floor(opensAt / DAY_MS) + 4) % 7;
}

/** The last day may not be over at `until`. */
export function workingDays(
  location: SeededLocation,
  { from, until }: { from: Instant; until: Instant },
): WorkingDay[] {
  const { timezone, opensAtHour, hoursOpen, closedOn } = location;
  const days: WorkingDay[] = [];
  for (let at = nextHour(timezone, opensAtHour, from); at < until; at = nextHour(timezone, opensAtHour, at)) {
    const weekday = weekdayOf(at);
    if (weekday === closedOn) continue;
    days.push({
      location,
      opensAt: at,
      closesAt: instant(at + hoursOpen * HOUR_MS),
      weekday,
      cashRefunds: [],
      deviceRefunds: [],
    });
  }
  return days;
}
