/** Generates timecards with their events, including corrections. */
import type { Ids } from '../../base/ids.js';
import { DAY_MS, type Instant, instant, MINUTE_MS, wholeSecond } from '../../base/time.js';
import {
  applyChanges,
  eventOf,
  type Timecard,
  type TimecardChanges,
  type TimecardEvent,
  type TimecardEventKind,
} from '../../business/timecards/model.js';
import type { Scenario } from './scenario.js';
import type { SeededRandom } from './seeded-random.js';

export interface TimecardRecord {
  readonly card: Timecard;
  readonly events: readonly TimecardEvent[];
}

export interface Stint {
  readonly employeeId: string;
  readonly locationId: string;
  readonly from: Instant;
  readonly until: Instant;
  /** The employee does not clock out at the end. */
  readonly forgets: boolean;
}

/** Probabilities. */
const ODDS = { imported: 0.05, closedForThem: 0.03, edited: 0.04, deleted: 0.02 };

/** Returns undefined if the stint begins in the future. */
export function generateTimecard({ random, ids, now }: Scenario, stint: Stint): TimecardRecord | undefined {
  const from = wholeSecond(instant(stint.from + random.between(-8, 4) * MINUTE_MS + random.between(0, 59_999)));
  const until = wholeSecond(instant(stint.until + random.between(-5, 15) * MINUTE_MS));
  if (from >= now) return undefined;
  const isOver = until < now && !stint.forgets;
  const later = wholeSecond(instant(until + DAY_MS / 2));
  const builder = new TimecardBuilder(ids, stint, from);
  if (isOver && later < now && random.happens(ODDS.imported)) return builder.toImported(until, later);
  builder.clockIn();
  if (!isOver) return builder.toRecord();
  const forgot = later < now && random.happens(ODDS.closedForThem);
  builder.change(forgot ? 'DASHBOARD_SUPERVISOR_CLOSE' : 'REGISTER_CLOCKOUT', forgot ? later : until, {
    clockoutAt: until,
    clockoutLocationId: stint.locationId,
  });
  correct(builder, random, { until, at: instant(later + MINUTE_MS), now });
  return builder.toRecord();
}

function correct(
  builder: TimecardBuilder,
  random: SeededRandom,
  { until, at, now }: { until: Instant; at: Instant; now: Instant },
): void {
  if (at >= now) return;
  if (random.happens(ODDS.edited)) {
    const clockoutAt = instant(until + 10 * MINUTE_MS);
    builder.change(random.happens(0.5) ? 'DASHBOARD_EDIT' : 'API_EDIT', at, { clockoutAt });
  } else if (random.happens(ODDS.deleted)) {
    builder.delete(random.happens(0.5) ? 'DASHBOARD_DELETE' : 'API_DELETE', at);
  }
}

/** Changes a timecard and appends the event of each change. */
class TimecardBuilder {
  readonly #ids: Ids;
  #card: Timecard;
  readonly #events: TimecardEvent[] = [];

  constructor(ids: Ids, { employeeId, locationId }: Stint, from: Instant) {
    this.#ids = ids;
    this.#card = {
      id: ids.newUuid(),
      employeeId,
      clockinAt: from,
      clockoutAt: null,
      clockinLocationId: locationId,
      clockoutLocationId: null,
      deleted: false,
      createdAt: from,
      updatedAt: from,
    };
  }

  clockIn(): void {
    this.#addEvent('REGISTER_CLOCKIN', this.#card.clockinAt);
  }

  /** A timecard that another system created through the API after the stint. */
  toImported(clockoutAt: Instant, at: Instant): TimecardRecord {
    const clockoutLocationId = this.#card.clockinLocationId;
    this.#card = { ...this.#card, clockoutAt, clockoutLocationId, createdAt: at };
    this.#addEvent('API_CREATE', at);
    return this.toRecord();
  }

  change(kind: TimecardEventKind, at: Instant, changes: TimecardChanges): void {
    this.#card = applyChanges(this.#card, changes);
    this.#addEvent(kind, at);
  }

  delete(kind: TimecardEventKind, at: Instant): void {
    this.#card = { ...this.#card, deleted: true };
    this.#addEvent(kind, at);
  }

  toRecord(): TimecardRecord {
    return { card: this.#card, events: this.#events };
  }

  #addEvent(kind: TimecardEventKind, at: Instant): void {
    this.#card = { ...this.#card, updatedAt: at };
    this.#events.push(eventOf(this.#card, { id: this.#ids.newUuid(), kind }));
  }
}
