/** Writes the history of a made-up business in bulk, and closes its days as it goes on. */
import { withIdsFrom } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
import { insertShiftsWithEvents } from '../../business/cash-drawers/queries.js';
import { insertPayments } from '../../business/payments/create-queries.js';
import { insertSales } from '../../business/payments/sale-queries.js';
import { insertFinishedRefunds } from '../../business/refunds/queries.js';
import { insertTimecardsWithEvents } from '../../business/timecards/queries.js';
import type { Tx } from '../../database/database.js';
import { Closer } from './closes.js';
import { type DayRecords, MOST_DAYS_LATER, tellDay } from './day.js';
import { type Place, type Story, StoryIds, workingDays } from './story.js';

/** As many payments go into one statement: what one costs hardly counts then, and memory stays small. */
const PAYMENTS_A_BATCH = 1000;

export interface History {
  readonly story: Story;
  readonly places: readonly Place[];
  readonly from: Instant;
  /** The bank refuses the first settlement of the first place that is made after this. */
  readonly bankFailsAfter?: Instant;
  readonly onProgress?: (payments: number) => void;
}

export async function writeHistory(tx: Tx, history: History): Promise<void> {
  const { story, places, from, onProgress } = history;
  const ids = new StoryIds(story.chance, from);
  const closer = new Closer(history, ids);
  const days = planDays(places, from, story.now);
  let batch: DayRecords[] = [];
  let size = 0;
  for (const [index, day] of days.entries()) {
    const told = withIdsFrom(ids, () => tellDay(story, ids, day));
    batch.push(told);
    size += told.payments.length;
    const next = days[index + 1];
    if (next && size < PAYMENTS_A_BATCH) continue;
    await writeBatch(tx, story.merchantId, batch);
    // Nothing that is told later happened before the next day began.
    await closer.closeUntil(tx, next?.day.opensAt ?? story.now);
    onProgress?.(size);
    [batch, size] = [[], 0];
  }
}

/** The days of all places in the order in which they begin. */
function planDays(places: readonly Place[], from: Instant, until: Instant) {
  const planned = places.flatMap((place, placeNumber) => {
    const days = workingDays(place, { from, until });
    return days.map((day, index) => ({
      day,
      later: days.slice(index + 1, index + 1 + MOST_DAYS_LATER),
      daysLeft: days.length - 1 - index,
      placeNumber,
    }));
  });
  return planned.sort((one, other) => one.day.opensAt - other.day.opensAt);
}

async function writeBatch(tx: Tx, merchantId: string, batch: readonly DayRecords[]): Promise<void> {
  const all = <Item>(of: (records: DayRecords) => readonly Item[]): Item[] => batch.flatMap(of);
  await insertSales(
    tx,
    merchantId,
    all(({ sales }) => sales),
  );
  await insertPayments(
    tx,
    all(({ payments }) => payments),
  );
  await insertFinishedRefunds(
    tx,
    merchantId,
    all(({ refunds }) => refunds),
    all(({ movements }) => movements),
  );
  await insertShiftsWithEvents(
    tx,
    merchantId,
    all(({ shifts }) => shifts),
  );
  await insertTimecardsWithEvents(
    tx,
    merchantId,
    all(({ timecards }) => timecards),
  );
}
