/** SQL statements for writing a whole business at once. */
import type { Tx } from '../database/database.js';

// Any fixed number will do, so long as nothing else in the database locks it.
export const DEMO_LOCK = 7_455_101_002;

/** Servers that start together make the demo business one after the other, so the second finds it. */
export async function lockDemo(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${DEMO_LOCK})`;
}

/**
 * After much was written at once: until the database has looked at what there is now, it chooses its ways through it
 * badly, and it looks by itself only a minute later.
 */
export async function updateStatistics(tx: Tx): Promise<void> {
  await tx.unsafe(`analyze ${HISTORY_TABLES.join(', ')}`);
}

/**
 * While much is being written: what checks a reference was planned when there was hardly anything, where any index looks as
 * good as any other, and would go on reading ever more of the wrong one.
 */
export async function discardPlans(tx: Tx): Promise<void> {
  await tx.unsafe('discard plans');
}

/** Where a history goes; the others are small, or not a business's own. */
export const HISTORY_TABLES = [
  ...['merchants', 'locations', 'employees', 'catalogue_items', 'timecards', 'timecard_events'],
  ...['cash_drawer_shifts', 'cash_drawer_events', 'sales', 'payments', 'idempotency_keys', 'orders', 'refunds'],
  ...['movements', 'settlements', 'due_work'],
];

/**
 * This transaction does not wait for the disk when it is committed. Where the machine fails within the next second, all of
 * it may be gone, but never a part: good enough for what can be made again.
 */
export async function commitWithoutWaiting(tx: Tx): Promise<void> {
  await tx.unsafe('set local synchronous_commit to off');
}
