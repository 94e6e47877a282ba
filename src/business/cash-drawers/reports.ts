/** Finds the report of a drawer: live while it runs, and as it was stored once it is closed. */
import { MAX_DELAY_MS } from '../../access/devices/register-writes.js';
import { type Instant, instant } from '../../base/time.js';
import type { Sql } from '../../database/database.js';
import type { Shift } from './model.js';
import { type OutsideEntry, type OutsideSums, sumOutside } from './outside-model.js';
import { findEndBefore, listOutsideOfDrawer } from './outside-queries.js';
import { type DrawerSums, type LateEntry, lateEntries, sumUp } from './report-model.js';
import { findDrawerFacts, findStoredReport } from './report-queries.js';

export interface DrawerReport {
  readonly shift: Shift;
  readonly sums: DrawerSums;
  /** False for an X report, and for a drawer that an earlier version of the program closed. */
  readonly isStored: boolean;
  /** What arrived after the report was stored. */
  readonly late: readonly LateEntry[];
  /** Cash of the register that is in no drawer, since its drawer before ended. It is not in the sums of the cash. */
  readonly outside: OutsideSums & { readonly since: Instant };
}

export async function findReport(sql: Sql, merchantId: string, shift: Shift): Promise<DrawerReport> {
  // The report of a drawer that is not closed is not stored yet. It may be by now, but then the shift is older.
  const [stored, facts, outside] = await Promise.all([
    shift.state === 'CLOSED' ? findStoredReport(sql, merchantId, shift.id) : undefined,
    findDrawerFacts(sql, merchantId, shift),
    findOutside(sql, merchantId, shift),
  ]);
  const late = stored ? lateEntries(facts, stored) : [];
  // What came late is listed, with its cash.
  const lateIds = new Set(late.map(({ id }) => id));
  const entries = outside.entries.filter(({ kind, id, saleId }) => !lateIds.has(kind === 'SALE' ? saleId : id));
  return {
    shift,
    sums: stored?.sums ?? sumUp(facts),
    isStored: stored !== undefined,
    late,
    outside: { since: outside.since, ...sumOutside(entries) },
  };
}

/** A register that was offline may send what is up to 72 hours old, so nothing that was hidden before the opening is missing. */
async function findOutside(
  sql: Sql,
  merchantId: string,
  shift: Shift,
): Promise<{ readonly since: Instant; readonly entries: readonly OutsideEntry[] }> {
  const earliest = instant(shift.openedAt - MAX_DELAY_MS);
  const since = instant(Math.max(earliest, (await findEndBefore(sql, merchantId, shift)) ?? earliest));
  const created = { begin: since, end: shift.endedAt ?? undefined };
  const filter = { merchantId, locationId: shift.locationId, deviceId: shift.device.id, created };
  return { since, entries: await listOutsideOfDrawer(sql, filter) };
}
