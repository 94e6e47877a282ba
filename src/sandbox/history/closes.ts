/** Settles the days of a made-up business, place by place, as its history is written. */
import { newId, withIdsFrom } from '../../base/ids.js';
import { DAY_MS, type Instant, instant } from '../../base/time.js';
import { nextClose } from '../../business/merchants/model.js';
import { ID_LENGTH, returnedBy, visibleFrom } from '../../business/settlements/model.js';
import {
  type Close,
  findSettlement,
  insertPastSettlements,
  moveSettlementToFailed,
} from '../../business/settlements/queries.js';
import type { Tx } from '../../database/database.js';
import type { Place, Story, StoryIds } from './story.js';

type PastClose = Pick<Close, 'locationId' | 'closedAt' | 'settlementId' | 'visibleAt'>;

/** A bank tells after two days that it did not take a settlement. */
const BANK_TAKES_MS = 2 * DAY_MS;

export class Closer {
  readonly #merchantId: string;
  readonly #ids: StoryIds;
  readonly #places: readonly Place[];
  readonly #bankFailsAfter: Instant | undefined;
  /** The close that each place has come to. */
  readonly #closedAt: Map<Place, Instant>;
  #hasFailed = false;

  constructor(
    {
      story,
      places,
      from,
      bankFailsAfter,
    }: {
      readonly story: Story;
      readonly places: readonly Place[];
      readonly from: Instant;
      readonly bankFailsAfter?: Instant | undefined;
    },
    ids: StoryIds,
  ) {
    this.#merchantId = story.merchantId;
    this.#ids = ids;
    this.#places = places;
    this.#bankFailsAfter = bankFailsAfter;
    this.#closedAt = new Map(places.map((place) => [place, from]));
  }

  /** All closes up to then, for which everything is written that they settle. */
  async closeUntil(tx: Tx, until: Instant): Promise<void> {
    const closes = this.#places.flatMap((place) => this.#advance(place, until));
    const refused = this.#hasFailed ? undefined : closes.find((close) => this.#isRefused(close));
    if (!refused) return insertPastSettlements(tx, this.#merchantId, closes);
    // What comes back belongs into a close after it, so those up to it are settled first.
    const isBefore = ({ closedAt }: PastClose): boolean => closedAt <= refused.closedAt;
    await insertPastSettlements(tx, this.#merchantId, closes.filter(isBefore));
    await this.#fail(tx, refused);
    const after = closes.filter((close) => !isBefore(close));
    await insertPastSettlements(tx, this.#merchantId, after);
  }

  #advance(place: Place, until: Instant): PastClose[] {
    const closes: PastClose[] = [];
    let closedAt = this.#next(place);
    while (closedAt !== undefined && closedAt <= until) {
      this.#ids.at = closedAt;
      const settlementId = withIdsFrom(this.#ids, () => newId(ID_LENGTH));
      closes.push({ locationId: place.locationId, closedAt, settlementId, visibleAt: visibleFrom(closedAt) });
      this.#closedAt.set(place, closedAt);
      closedAt = this.#next(place);
    }
    return closes;
  }

  #next(place: Place): Instant | undefined {
    const closedAt = this.#closedAt.get(place);
    return closedAt === undefined ? undefined : nextClose(place.timezone, closedAt);
  }

  #isRefused({ closedAt, locationId }: PastClose): boolean {
    const isFirstPlace = locationId === this.#places[0]?.locationId;
    return this.#bankFailsAfter !== undefined && isFirstPlace && closedAt > this.#bankFailsAfter;
  }

  /** Nothing fails where nothing was settled: then it is the next one's turn. */
  async #fail(tx: Tx, { settlementId, closedAt }: PastClose): Promise<void> {
    const settlement = await findSettlement(tx, this.#merchantId, settlementId);
    if (!settlement) return;
    this.#ids.at = instant(closedAt + BANK_TAKES_MS);
    const returned = withIdsFrom(this.#ids, () => returnedBy(settlement, this.#ids.at));
    await moveSettlementToFailed(tx, this.#merchantId, settlementId, returned);
    this.#hasFailed = true;
  }
}
