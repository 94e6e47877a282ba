/** Finds the report of a drawer: live while it runs, and as it was stored once it is closed. */
import type { Sql } from '../../database/database.js';
import type { Shift } from './model.js';
import { type DrawerSums, type LateEntry, lateEntries, sumUp } from './report-model.js';
import { findDrawerFacts, findStoredReport } from './report-queries.js';

export interface DrawerReport {
  readonly shift: Shift;
  readonly sums: DrawerSums;
  /** False for an X report, and for a drawer that an earlier version of the program closed. */
  readonly isStored: boolean;
  /** What arrived after the report was stored. */
  readonly late: readonly LateEntry[];
}

export async function findReport(sql: Sql, merchantId: string, shift: Shift): Promise<DrawerReport> {
  // The report of a drawer that is not closed is not stored yet. It may be by now, but then the shift is older.
  const stored = shift.state === 'CLOSED' ? await findStoredReport(sql, merchantId, shift.id) : undefined;
  const facts = await findDrawerFacts(sql, merchantId, shift);
  if (!stored) return { shift, sums: sumUp(facts), isStored: false, late: [] };
  return { shift, sums: stored.sums, isStored: true, late: lateEntries(facts, stored) };
}
