/** Settles the days of a made-up business, place by place, as its history is told. */
import { add } from '../../base/money.js';
import { DAY_MS, type Instant, instant } from '../../base/time.js';
import { nextClose } from '../../business/merchants/model.js';
import type { Movement } from '../../business/movements/model.js';
import type { PastMovement } from '../../business/movements/queries.js';
import { ID_LENGTH, nextStatus, returnedBy, type Settlement, visibleFrom } from '../../business/settlements/model.js';
import type { PastSettlement } from '../../business/settlements/queries.js';
import type { Place, Story } from './story.js';

/** A bank tells after two days that it did not take a settlement. */
const BANK_TAKES_MS = 2 * DAY_MS;

export interface Closed {
  readonly settlements: readonly PastSettlement[];
  /** What they took. */
  readonly movements: readonly PastMovement[];
}

/** What a place is owed and was not settled yet, and the close that it has come to. */
interface Till {
  readonly place: Place;
  closedAt: Instant;
  waiting: Movement[];
}

export class Closer {
  readonly #story: Story;
  readonly #tills: ReadonlyMap<string, Till>;
  /** The bank refuses the first settlement of the first place that is made after this. */
  #bankFailsAfter: Instant | undefined;

  constructor({
    story,
    places,
    from,
    bankFailsAfter,
  }: {
    readonly story: Story;
    readonly places: readonly Place[];
    readonly from: Instant;
    readonly bankFailsAfter?: Instant | undefined;
  }) {
    this.#story = story;
    this.#bankFailsAfter = bankFailsAfter;
    this.#tills = new Map(places.map((place) => [place.locationId, { place, closedAt: from, waiting: [] }]));
  }

  /** Waits for the first close after it happened. */
  add(movement: Movement): void {
    this.#tills.get(movement.locationId)?.waiting.push(movement);
  }

  /** All closes up to then: everything is told that they settle. */
  closeUntil(until: Instant): Closed {
    const settlements: PastSettlement[] = [];
    const movements: PastMovement[] = [];
    for (const till of this.#tills.values()) {
      for (let at = this.#next(till); at !== undefined && at <= until; at = this.#next(till)) {
        till.closedAt = at;
        const due = till.waiting.filter(({ occurredAt }) => occurredAt < till.closedAt);
        const settled = this.#settle(till, due);
        if (!settled) continue; // what comes to nothing goes on waiting
        till.waiting = till.waiting.filter(({ occurredAt }) => occurredAt >= till.closedAt);
        if (settled.returned) till.waiting.push(settled.returned);
        settlements.push(settled);
        movements.push(...due.map((movement) => ({ movement, settlementId: settled.settlement.id })));
      }
    }
    return { settlements, movements };
  }

  /** What no close has come to yet. */
  rest(): readonly PastMovement[] {
    return [...this.#tills.values()].flatMap(({ waiting }) =>
      waiting.map((movement) => ({ movement, settlementId: null })),
    );
  }

  #next({ place, closedAt }: Till): Instant | undefined {
    return nextClose(place.timezone, closedAt);
  }

  #settle({ place, closedAt }: Till, due: readonly Movement[]): PastSettlement | undefined {
    const total = add(...due.flatMap(({ amount, fee }) => [amount, fee]));
    if (total === 0) return undefined;
    const { ids, bankAccountId, currency } = this.#story;
    ids.tellOf(closedAt);
    const settlement: Settlement = {
      id: ids.newId(ID_LENGTH),
      locationId: place.locationId,
      bankAccountId,
      status: 'SENT',
      currency,
      total,
      initiatedAt: closedAt,
    };
    const visibleAt = visibleFrom(closedAt);
    if (!this.#isRefused(place, closedAt)) return { settlement, visibleAt, returned: undefined };
    this.#bankFailsAfter = undefined;
    const refusedAt = instant(closedAt + BANK_TAKES_MS);
    ids.tellOf(refusedAt);
    const returned = returnedBy(ids, settlement, refusedAt);
    return { settlement: { ...settlement, status: nextStatus('SENT', 'FAIL') }, visibleAt, returned };
  }

  #isRefused({ locationId }: Place, closedAt: Instant): boolean {
    const [first] = this.#tills.keys();
    return this.#bankFailsAfter !== undefined && locationId === first && closedAt > this.#bankFailsAfter;
  }
}
