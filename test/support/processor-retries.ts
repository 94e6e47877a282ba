/** Makes the worker retry its calls to processors now instead of later. */
import { expect } from 'vitest';
import { pollUntil } from './clock.js';
import type { TestMerchant, TestServer } from './server.js';

const PATIENCE_MS = 30_000;

/**
 * Makes the worker's retries due, which normally takes 30 seconds, and waits until nothing is left to do. `keepsLeases`: a call that is being
 * made is not made a second time meanwhile.
 */
export async function untilResolved(
  { database: { sql } }: Pick<TestServer, 'database'>,
  { id }: Pick<TestMerchant, 'id'>,
  { keepsLeases = false } = {},
): Promise<void> {
  const open = async () => {
    await sql`
      update processor_calls set retry_at = now() - interval '1 hour', leased_until = null
      where merchant_id = ${id} and (not ${keepsLeases} or leased_until is null or leased_until < now())`;
    await sql`
      update due_work set run_at = now() - interval '1 hour', leased_until = null
      where merchant_id = ${id} and run_at > now() and run_at < now() + interval '1 hour'`;
    return sql`
      select 1 from processor_calls where merchant_id = ${id}
      union all
      select 1 from due_work
      where merchant_id = ${id} and kind not in ('EXPIRE_PAYMENT', 'CLOSE_DAY', 'ROLL_UP_DAYS')`;
  };
  expect(await pollUntil(open, ({ length }) => length === 0, PATIENCE_MS)).toHaveLength(0);
}
