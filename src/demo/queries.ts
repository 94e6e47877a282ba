/** SQL statements for writing a generated business. */
import type { Tx } from '../database/database.js';

// An arbitrary number that no other advisory lock of this database uses.
const DEMO_LOCK = 7_455_101_002;

/** Servers that start at the same time take turns, so that only the first one creates the demo business. */
export async function lockDemo(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${DEMO_LOCK})`;
}

/**
 * After a bulk write: with outdated statistics the planner chooses bad plans, and autovacuum updates them only about a minute
 * later.
 */
export async function updateStatistics(tx: Tx): Promise<void> {
  await tx.unsafe(`analyze ${HISTORY_TABLES.join(', ')}`);
}

/**
 * During a bulk write: the plans of foreign key checks were made for almost empty tables, where every index looks equally good.
 * A cached plan with the wrong index reads more rows with every batch.
 */
export async function discardPlans(tx: Tx): Promise<void> {
  await tx.unsafe('discard plans');
}

/** The tables of a history. Other tables are small, or do not belong to a merchant. */
const HISTORY_TABLES = [
  ...['merchants', 'locations', 'employees', 'items', 'timecards', 'timecard_events'],
  ...['cash_drawer_shifts', 'cash_drawer_events', 'sales', 'payments', 'idempotency_keys', 'orders', 'refunds'],
  ...['movements', 'settlements', 'due_work', 'report_days'],
];

/**
 * The commit of this transaction does not wait for the disk. If the machine fails within the next second, the whole transaction
 * may be lost, but never a part of it. Generated data can be created again.
 */
export async function commitWithoutWaiting(tx: Tx): Promise<void> {
  await tx.unsafe('set local synchronous_commit to off');
}
