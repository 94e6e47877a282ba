/** Generates the history of a business day by day, and writes it to the database in batches. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Instant } from '../../base/time.js';
import { insertPastShifts } from '../../business/cash-drawers/queries.js';
import { insertPastReports } from '../../business/cash-drawers/report-queries.js';
import { insertPastMovements } from '../../business/movements/queries.js';
import { insertPastOrders } from '../../business/orders/queries.js';
import { insertPastPayments } from '../../business/payments/create-queries.js';
import { insertPastRefunds } from '../../business/refunds/queries.js';
import { insertPastSales } from '../../business/sales/queries.js';
import { insertPastSettlements } from '../../business/settlements/queries.js';
import { insertPastTimecards } from '../../business/timecards/queries.js';
import { Bulk } from '../../database/copy.js';
import type { Tx } from '../../database/database.js';
import { discardPlans } from '../queries.js';
import { type DayRecords, generateDay, MAX_REFUND_DELAY_DAYS } from './day.js';
import { type Scenario, type SeededLocation, workingDays } from './scenario.js';
import { SettlementGenerator } from './settlements.js';

/** Large enough that the cost per statement is negligible, small enough for memory. */
const PAYMENTS_PER_BATCH = 5000;

export interface History {
  readonly scenario: Scenario;
  readonly locations: readonly SeededLocation[];
  readonly from: Instant;
  /** The bank rejects one settlement: the first one of the first location after this time. */
  readonly bankFailsAfter?: Instant;
  /** Called with the number of payments written since the last call. */
  readonly onProgress?: (payments: number) => void;
}

/** Generates the next batch while the current one is being written. */
export async function writeHistory(tx: Tx, history: History): Promise<void> {
  const { scenario, locations, from, onProgress } = history;
  const { merchantId } = scenario;
  const settlementGenerator = new SettlementGenerator(history);
  const days = planDays(locations, from, scenario.now);
  let written: Promise<void> = Promise.resolve();
  let batch = new Bulk();
  let size = 0;
  for (const [index, day] of days.entries()) {
    const records = await runGenerator(generateDay(scenario, day));
    insertPastDay(batch, merchantId, records);
    size += records.payments.length;
    for (const { movement } of records.payments) if (movement) settlementGenerator.add(movement);
    for (const movement of records.movements) settlementGenerator.add(movement);
    const next = days[index + 1];
    if (next && size < PAYMENTS_PER_BATCH) continue;
    // All records before the next day's opening have been generated.
    const closed = settlementGenerator.closeUntil(next?.day.opensAt ?? scenario.now);
    insertPastSettlements(batch, merchantId, closed.settlements);
    insertPastMovements(
      batch,
      merchantId,
      next ? closed.movements : [...closed.movements, ...settlementGenerator.unsettled()],
    );
    await written;
    onProgress?.(size);
    await discardPlans(tx);
    written = batch.send(tx);
    written.catch(() => {}); // handled where `written` is awaited
    [batch, size] = [new Bulk(), 0];
  }
  await written;
}

/** The longest time that PostgreSQL waits for more rows while a day is generated. */
const YIELD_INTERVAL_MS = 2;
/** Shared: businesses that are generated concurrently run in one thread. */
let lastYieldAt = 0;

/** Generates a day, and lets the event loop send the previous batch meanwhile. */
async function runGenerator(generator: ReturnType<typeof generateDay>): Promise<DayRecords> {
  for (;;) {
    const { done, value } = generator.next();
    if (done) return value;
    if (performance.now() - lastYieldAt < YIELD_INTERVAL_MS) continue;
    await yieldToEventLoop();
    lastYieldAt = performance.now();
  }
}

/** In the order of foreign keys: referenced rows first. */
function insertPastDay(batch: Bulk, merchantId: string, records: DayRecords): void {
  insertPastSales(batch, merchantId, records.sales);
  insertPastPayments(batch, merchantId, records.payments);
  insertPastOrders(batch, merchantId, records.orders);
  insertPastRefunds(batch, merchantId, records.refunds);
  insertPastShifts(batch, merchantId, records.shifts);
  insertPastReports(
    batch,
    merchantId,
    records.shifts.flatMap(({ shift, report }) => (report ? [{ shiftId: shift.id, report }] : [])),
  );
  insertPastTimecards(batch, merchantId, records.timecards);
}

/** The days of all locations, ordered by opening time. */
function planDays(locations: readonly SeededLocation[], from: Instant, until: Instant) {
  const planned = locations.flatMap((location, locationNumber) => {
    const days = workingDays(location, { from, until });
    return days.map((day, index) => ({
      day,
      later: days.slice(index + 1, index + 1 + MAX_REFUND_DELAY_DAYS),
      daysLeft: days.length - 1 - index,
      locationNumber,
    }));
  });
  return planned.sort((one, other) => one.day.opensAt - other.day.opensAt);
}
