/** When the people of a made-up business came and went, and what was put right afterwards. */
import type { Ids } from '../../base/ids.js';
import { DAY_MS, type Instant, instant, MINUTE_MS, wholeSecond } from '../../base/time.js';
import {
  applyChanges,
  type Timecard,
  type TimecardChanges,
  type TimecardEvent,
  type TimecardEventKind,
} from '../../business/timecards/model.js';
import type { Chance } from './chance.js';
import type { Story } from './story.js';

export interface KeptTimecard {
  readonly card: Timecard;
  readonly events: readonly TimecardEvent[];
}

export interface Stint {
  readonly employeeId: string;
  readonly locationId: string;
  readonly from: Instant;
  readonly until: Instant;
  /** Somebody who is still clocked in though the stint is over. */
  readonly forgets: boolean;
}

/** How often things happen, of one. */
const ODDS = { imported: 0.05, closedForThem: 0.03, edited: 0.04, deleted: 0.02 };

/** Undefined where it has not begun yet. */
export function keepTimecard({ chance, ids, now }: Story, stint: Stint): KeptTimecard | undefined {
  const from = wholeSecond(instant(stint.from + chance.between(-8, 4) * MINUTE_MS + chance.between(0, 59_999)));
  const until = wholeSecond(instant(stint.until + chance.between(-5, 15) * MINUTE_MS));
  if (from >= now) return undefined;
  const isOver = until < now && !stint.forgets;
  const later = wholeSecond(instant(until + DAY_MS / 2));
  const writer = new Writer(ids, stint, from);
  if (isOver && later < now && chance.happens(ODDS.imported)) return writer.imported(until, later);
  writer.clockIn();
  if (!isOver) return writer.kept();
  const forgot = later < now && chance.happens(ODDS.closedForThem);
  writer.change(forgot ? 'DASHBOARD_SUPERVISOR_CLOSE' : 'REGISTER_CLOCKOUT', forgot ? later : until, {
    clockoutAt: until,
    clockoutLocationId: stint.locationId,
  });
  putRight(writer, chance, { until, at: instant(later + MINUTE_MS), now });
  return writer.kept();
}

function putRight(
  writer: Writer,
  chance: Chance,
  { until, at, now }: { until: Instant; at: Instant; now: Instant },
): void {
  if (at >= now) return;
  if (chance.happens(ODDS.edited)) {
    const clockoutAt = instant(until + 10 * MINUTE_MS);
    writer.change(chance.happens(0.5) ? 'DASHBOARD_EDIT' : 'API_EDIT', at, { clockoutAt });
  } else if (chance.happens(ODDS.deleted)) {
    writer.delete(chance.happens(0.5) ? 'DASHBOARD_DELETE' : 'API_DELETE', at);
  }
}

/** Writes a card and its events together, so that the card stands as the last of them left it. */
class Writer {
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
    this.#note('REGISTER_CLOCKIN', this.#card.clockinAt);
  }

  /** A whole shift that another system kept, and sent afterwards. */
  imported(clockoutAt: Instant, at: Instant): KeptTimecard {
    const clockoutLocationId = this.#card.clockinLocationId;
    this.#card = { ...this.#card, clockoutAt, clockoutLocationId, createdAt: at };
    this.#note('API_CREATE', at);
    return this.kept();
  }

  change(kind: TimecardEventKind, at: Instant, changes: TimecardChanges): void {
    this.#card = applyChanges(this.#card, changes);
    this.#note(kind, at);
  }

  delete(kind: TimecardEventKind, at: Instant): void {
    this.#card = { ...this.#card, deleted: true };
    this.#note(kind, at);
  }

  kept(): KeptTimecard {
    return { card: this.#card, events: this.#events };
  }

  #note(kind: TimecardEventKind, at: Instant): void {
    this.#card = { ...this.#card, updatedAt: at };
    const { clockinAt, clockoutAt } = this.#card;
    this.#events.push({ id: this.#ids.newUuid(), kind, clockinAt, clockoutAt, createdAt: at });
  }
}
