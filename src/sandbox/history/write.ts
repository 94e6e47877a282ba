/** Writes the history of a made-up business in bulk, and closes its days as it goes on. */
import { setImmediate as breathe } from 'node:timers/promises';
import { withIdsFrom } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
import { insertPastShifts } from '../../business/cash-drawers/queries.js';
import { insertPastMovements } from '../../business/movements/queries.js';
import { insertPastOrders } from '../../business/orders/queries.js';
import { insertPastPayments, insertPastSales } from '../../business/payments/past-queries.js';
import { insertPastRefunds } from '../../business/refunds/queries.js';
import { insertPastSettlements } from '../../business/settlements/queries.js';
import { insertPastTimecards } from '../../business/timecards/queries.js';
import type { Tx } from '../../database/database.js';
import { type Closed, Closer } from './closes.js';
import { type DayRecords, MOST_DAYS_LATER, tellDay } from './day.js';
import { type Place, type Story, StoryIds, workingDays } from './story.js';

/** As many payments are written together: what a statement costs hardly counts then, and memory stays small. */
const PAYMENTS_A_BATCH = 2000;

export interface History {
  readonly story: Story;
  readonly places: readonly Place[];
  readonly from: Instant;
  /** The bank refuses the first settlement of the first place that is made after this. */
  readonly bankFailsAfter?: Instant;
  /** Is told how many payments were written since it was last told. */
  readonly onProgress?: (payments: number) => void;
}

/** While one part is being written, the next one is told. */
export async function writeHistory(tx: Tx, history: History): Promise<void> {
  const { story, places, from, onProgress } = history;
  const ids = new StoryIds(story.chance, from);
  const closer = new Closer(history, ids);
  const days = planDays(places, from, story.now);
  let written: Promise<void> = Promise.resolve();
  let batch: DayRecords[] = [];
  let size = 0;
  for (const [index, day] of days.entries()) {
    const told = withIdsFrom(ids, () => tellDay(story, ids, day));
    batch.push(told);
    size += told.payments.length;
    for (const { movement } of told.payments) if (movement) closer.add(movement);
    for (const movement of told.movements) closer.add(movement);
    await breathe(); // lets go out what is being written
    const next = days[index + 1];
    if (next && size < PAYMENTS_A_BATCH) continue;
    // Nothing that is told later happened before the next day began.
    const closed = closer.closeUntil(next?.day.opensAt ?? story.now);
    await written;
    onProgress?.(size);
    written = writeBatch(tx, story.merchantId, batch, closed);
    written.catch(() => {}); // heard where it is awaited
    [batch, size] = [[], 0];
  }
  await written;
  await insertPastMovements(tx, story.merchantId, closer.rest());
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

async function writeBatch(
  tx: Tx,
  merchantId: string,
  batch: readonly DayRecords[],
  { settlements, movements }: Closed,
): Promise<void> {
  const all = <Name extends keyof DayRecords>(name: Name) => batch.flatMap((records) => records[name] as never[]);
  await insertPastSales(tx, merchantId, all('sales'));
  await insertPastPayments(tx, merchantId, all('payments'));
  await insertPastOrders(tx, merchantId, all('orders'));
  await insertPastRefunds(tx, merchantId, all('refunds'));
  await insertPastSettlements(tx, merchantId, settlements);
  await insertPastMovements(tx, merchantId, movements);
  await insertPastShifts(tx, merchantId, all('shifts'));
  await insertPastTimecards(tx, merchantId, all('timecards'));
}
