/** Generates the settlements of a business, location by location. */
import { add } from '../../base/money.js';
import { DAY_MS, type Instant, instant } from '../../base/time.js';
import { nextClose } from '../../business/merchants/model.js';
import type { Movement } from '../../business/movements/model.js';
import type { PastMovement } from '../../business/movements/queries.js';
import { ID_LENGTH, type Settlement, toFailed, visibleFrom } from '../../business/settlements/model.js';
import type { Scenario, SeededLocation } from './scenario.js';

/** A bank reports a rejected settlement after two days. */
const REJECTION_DELAY_MS = 2 * DAY_MS;

export interface GeneratedSettlements {
  readonly settlements: readonly Settlement[];
  /** The movements that they settle. */
  readonly movements: readonly PastMovement[];
}

/** The last close of a location, and the movements that are not settled yet. */
interface LocationState {
  readonly location: SeededLocation;
  closedAt: Instant;
  unsettled: Movement[];
}

export class SettlementGenerator {
  readonly #scenario: Scenario;
  readonly #locations: ReadonlyMap<string, LocationState>;
  /** The bank rejects one settlement: the first one of the first location after this time. */
  #bankFailsAfter: Instant | undefined;

  constructor({
    scenario,
    locations,
    from,
    bankFailsAfter,
  }: {
    readonly scenario: Scenario;
    readonly locations: readonly SeededLocation[];
    readonly from: Instant;
    readonly bankFailsAfter?: Instant | undefined;
  }) {
    this.#scenario = scenario;
    this.#bankFailsAfter = bankFailsAfter;
    this.#locations = new Map(
      locations.map((location) => [location.locationId, { location, closedAt: from, unsettled: [] }]),
    );
  }

  /** The movement is settled by the first close after it. */
  add(movement: Movement): void {
    this.#locations.get(movement.locationId)?.unsettled.push(movement);
  }

  /** Runs all closes up to `until`. Every movement before that time must have been added. */
  closeUntil(until: Instant): GeneratedSettlements {
    const settlements: Settlement[] = [];
    const movements: PastMovement[] = [];
    for (const location of this.#locations.values()) {
      for (let at = this.#next(location); at !== undefined && at <= until; at = this.#next(location)) {
        location.closedAt = at;
        const due = location.unsettled.filter(({ occurredAt }) => occurredAt < location.closedAt);
        const sent = this.#settle(location, due);
        if (!sent) continue; // a total of zero is not settled; the movements stay unsettled
        location.unsettled = location.unsettled.filter(({ occurredAt }) => occurredAt >= location.closedAt);
        settlements.push(this.#rejectOnce(location, sent));
        movements.push(...due.map((movement) => ({ movement, settlementId: sent.id })));
      }
    }
    return { settlements, movements };
  }

  /** The movements that no close has settled yet. */
  unsettled(): readonly PastMovement[] {
    return [...this.#locations.values()].flatMap(({ unsettled }) =>
      unsettled.map((movement) => ({ movement, settlementId: null })),
    );
  }

  #next({ location, closedAt }: LocationState): Instant | undefined {
    return nextClose(location.timezone, closedAt);
  }

  #settle({ location, closedAt }: LocationState, due: readonly Movement[]): Settlement | undefined {
    const total = add(...due.flatMap(({ amount, fee }) => [amount, fee]));
    if (total === 0) return undefined;
    const { ids, bankAccountId, currency } = this.#scenario;
    ids.setTime(closedAt);
    return {
      id: ids.newId(ID_LENGTH),
      locationId: location.locationId,
      bankAccountId,
      status: 'SENT',
      currency,
      total,
      initiatedAt: closedAt,
      visibleAt: visibleFrom(closedAt),
      failedAt: null,
      returnedMovementId: null,
    };
  }

  /** If this is the settlement that the bank rejects, its money returns to the location. */
  #rejectOnce({ location, closedAt, unsettled }: LocationState, sent: Settlement): Settlement {
    if (!this.#isRejected(location, closedAt)) return sent;
    this.#bankFailsAfter = undefined;
    const { ids } = this.#scenario;
    const rejectedAt = instant(closedAt + REJECTION_DELAY_MS);
    ids.setTime(rejectedAt);
    const { failed, returned } = toFailed(ids, sent, rejectedAt);
    unsettled.push(returned);
    return failed;
  }

  #isRejected({ locationId }: SeededLocation, closedAt: Instant): boolean {
    const [first] = this.#locations.keys();
    return this.#bankFailsAfter !== undefined && locationId === first && closedAt > this.#bankFailsAfter;
  }
}
