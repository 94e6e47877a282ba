/** Lets a worker add up the days of a business for its reports. */
import { expect } from 'vitest';
import { realNow } from '../../src/base/clock.js';
import { pollUntil } from './clock.js';
import type { TestOwner } from './dashboard.js';
import type { TestServer } from './server.js';

/** Lets the worker run the roll-up, as if the clock had not been moved recently. Waits until nothing is left to do. */
export async function letRollUp({ database: { sql } }: TestServer, { merchant }: TestOwner): Promise<void> {
  await sql`update merchants set clock_moved_at = null where merchant_id = ${merchant.id}`;
  await sql`
    update due_work set due_at = '2000-01-01T00:00:00Z'::text::timestamptz, run_at = ${realNow()}
    where merchant_id = ${merchant.id} and kind = 'ROLL_UP_DAYS'`;
  const left = async () =>
    (
      await sql`
        select 1 from due_work
        where merchant_id = ${merchant.id} and kind = 'ROLL_UP_DAYS' and due_at < '2001-01-01T00:00:00Z'::text::timestamptz`
    ).length;
  expect(await pollUntil(left, (count) => count === 0, 10_000)).toBe(0);
  expect(await sql`select 1 from report_late_days where merchant_id = ${merchant.id}`).toHaveLength(0);
  expect((await sql`select 1 from report_days where merchant_id = ${merchant.id}`).length).toBeGreaterThan(0);
}
