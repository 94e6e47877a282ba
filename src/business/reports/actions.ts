/** Rolls up days, and marks days with late arrivals. */
import { realNow } from '../../base/clock.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { isLate, planRollUp } from './model.js';
import { findRollUpFacts, insertLateDay, updateRollUps } from './queries.js';

/** Due work: rolls up the days of all locations that are over. Returns the next time. */
export async function rollUpDays(
  change: Change,
  merchantId: string,
  dueAt: Instant,
): Promise<{ readonly next: Instant } | undefined> {
  const facts = await findRollUpFacts(change.sql, merchantId);
  if (!facts) return undefined;
  const { until, next } = planRollUp(facts, { real: realNow(), dueAt });
  if (until !== undefined) updateRollUps(change, until);
  return next === undefined ? undefined : { next };
}

/** When and where a sale or a refund counts, and when it is written. */
export interface DatedEntry {
  readonly locationId: string;
  readonly at: Instant;
  readonly now: Instant;
}

/** Called for everything that counts at a time other than now. Writes nothing unless that time may be rolled up already. */
export function markLateDay(change: Change, { locationId, at, now }: DatedEntry): void {
  if (isLate(at, now)) insertLateDay(change, locationId, at);
}
