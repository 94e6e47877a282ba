/** What the sandbox asks of all resources at once. */
import type { Sql, Tx } from '../database/database.js';

/** Decision 0042: a merchant with records lives forward only. */
export async function hasRecords(sql: Sql, merchantId: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select
      exists (select from employees where merchant_id = ${merchantId})
      or exists (select from roles where merchant_id = ${merchantId})
      or exists (select from cash_drawer_shifts where merchant_id = ${merchantId})
      or exists (select from orders where merchant_id = ${merchantId})
      or exists (select from payments where merchant_id = ${merchantId})
      or exists (select from movements where merchant_id = ${merchantId})
      or exists (select from bank_accounts where merchant_id = ${merchantId}) as found`;
  return row?.found ?? false;
}

// Any fixed number will do, so long as nothing else in the database locks it.
const DEMO_LOCK = 7_455_101_002;

/** Servers that start together make the demo business one after the other, so the second finds it. */
export async function lockDemo(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${DEMO_LOCK})`;
}

/**
 * After much was written at once: until the database has looked at what there is now, it chooses its ways through it
 * badly, and it looks by itself only a minute later.
 */
export async function updateStatistics(tx: Tx): Promise<void> {
  await tx.unsafe('analyze');
}
