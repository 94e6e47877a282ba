/** Locks whole tables, for rare work during which nobody may write (decision 0171), and reads one state of all tables. */
import type { Tx } from './sql.js';

/** All statements of the transaction see the state at the first of them. Call it first. */
export async function useRepeatableRead(tx: Tx): Promise<void> {
  await tx`set transaction isolation level repeatable read, read only`;
}

/**
 * Lets one such transaction run at a time. All its statements see the same state of the database, which is fixed after the lock is taken.
 * Call it first.
 */
export async function useRepeatableReadAlone(tx: Tx, table: string): Promise<void> {
  await tx`set transaction isolation level repeatable read`;
  await tx`lock table ${tx(table)} in share row exclusive mode`;
}

/**
 * Waits until nobody writes to these tables, and keeps other writers out until the end of the transaction. Reads are not affected. A short
 * wait ends before PostgreSQL looks for deadlocks: then the other writers continue, and the caller tries again.
 */
export async function lockTables(tx: Tx, tables: readonly string[], maxWaitMs: number): Promise<void> {
  await tx`select set_config('lock_timeout', ${`${maxWaitMs}ms`}, true)`;
  await tx`lock table ${tx(tables as string[])} in exclusive mode`;
}
