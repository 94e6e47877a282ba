/** Writes the history of a made-up business in bulk, and closes its days as it goes on. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Instant } from '../../base/time.js';
import { insertPastShifts } from '../../business/cash-drawers/queries.js';
import { insertPastMovements } from '../../business/movements/queries.js';
import { insertPastOrders } from '../../business/orders/queries.js';
import { insertPastPayments, insertPastSales } from '../../business/payments/past-queries.js';
import { insertPastRefunds } from '../../business/refunds/queries.js';
import { insertPastSettlements } from '../../business/settlements/queries.js';
import { insertPastTimecards } from '../../business/timecards/queries.js';
import { Bulk } from '../../database/copy.js';
import type { Tx } from '../../database/database.js';
import { planAnew } from '../queries.js';
import { Closer } from './closes.js';
import { type DayRecords, MOST_DAYS_LATER, tellDay } from './day.js';
import { type Place, type Story, workingDays } from './story.js';

/** As many payments are written together: what a statement costs hardly counts then, and memory stays small. */
const PAYMENTS_A_BATCH = 5000;

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
  const { merchantId } = story;
  const closer = new Closer(history);
  const days = planDays(places, from, story.now);
  let written: Promise<void> = Promise.resolve();
  let batch = new Bulk();
  let size = 0;
  for (const [index, day] of days.entries()) {
    const told = await listen(tellDay(story, day));
    insertPastDay(batch, merchantId, told);
    size += told.payments.length;
    for (const { movement } of told.payments) if (movement) closer.add(movement);
    for (const movement of told.movements) closer.add(movement);
    const next = days[index + 1];
    if (next && size < PAYMENTS_A_BATCH) continue;
    // Nothing that is told later happened before the next day began.
    const closed = closer.closeUntil(next?.day.opensAt ?? story.now);
    insertPastSettlements(batch, merchantId, closed.settlements);
    insertPastMovements(batch, merchantId, next ? closed.movements : [...closed.movements, ...closer.rest()]);
    await written;
    onProgress?.(size);
    await planAnew(tx);
    written = batch.send(tx);
    written.catch(() => {}); // heard where it is awaited
    [batch, size] = [new Bulk(), 0];
  }
  await written;
}

/** As long as this PostgreSQL may wait for the next lines. */
const BREATH_MS = 2;
/** Of anybody: businesses that are told side by side share one thread. */
let lastBreath = 0;

/** Hears a day to its end, and lets out meanwhile what is being written. */
async function listen(telling: ReturnType<typeof tellDay>): Promise<DayRecords> {
  for (;;) {
    const { done, value } = telling.next();
    if (done) return value;
    if (performance.now() - lastBreath < BREATH_MS) continue;
    await breathe();
    lastBreath = performance.now();
  }
}

/** What is told first is what the rest refers to. */
function insertPastDay(batch: Bulk, merchantId: string, told: DayRecords): void {
  insertPastSales(batch, merchantId, told.sales);
  insertPastPayments(batch, merchantId, told.payments);
  insertPastOrders(batch, merchantId, told.orders);
  insertPastRefunds(batch, merchantId, told.refunds);
  insertPastShifts(batch, merchantId, told.shifts);
  insertPastTimecards(batch, merchantId, told.timecards);
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
