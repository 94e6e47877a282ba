/** Moves a merchant's clock, and polls for what happens in real time. */
import type { Instant } from '../../src/base/time.js';
import type { Fragment, Sql } from '../../src/database/database.js';
import type { TestServer } from './server.js';

export interface WireClock {
  readonly now: string;
  readonly frozen: boolean;
  readonly offset_ms: number;
}

export async function changeClock(
  server: TestServer,
  merchantId: string,
  change: Record<string, unknown>,
): Promise<WireClock> {
  const answer = await server.operator('POST', `/api/sandbox/merchants/${merchantId}/clock`, change);
  if (answer.status !== 200) throw new Error(`the clock did not move: ${answer.text}`);
  return answer.body.clock;
}

export async function readClock(server: TestServer, merchantId: string): Promise<WireClock> {
  return (await server.operator('GET', `/api/sandbox/merchants/${merchantId}/clock`)).body.clock;
}

/** Sets a frozen clock without the server: no work runs until a test runs it. */
export async function showTime({ database: { sql } }: TestServer, merchantId: string, time: Instant): Promise<void> {
  await sql`update merchants set clock_frozen_at = ${time} where merchant_id = ${merchantId}`;
}

/**
 * A time column plus an interval, for updates in tests. Without a time zone, because a distributed table refuses expressions that depend
 * on the zone of the session.
 */
export function shifted(sql: Sql, column: string, by: string): Fragment {
  return sql`(${sql(column)} at time zone 'UTC' + ${by}::text::interval) at time zone 'UTC'`;
}

/** Repeats the request until the response is right. After the deadline it returns the last response. */
export async function pollUntil<Result>(
  ask: () => Promise<Result>,
  isRight: (result: Result) => boolean,
  deadlineMs: number,
): Promise<Result> {
  const end = performance.now() + deadlineMs;
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.2, 100)) {
    const startedAt = performance.now();
    const result = await ask();
    if (isRight(result) || startedAt > end) return result;
    await new Promise((resolve) => setTimeout(resolve, pauseMs)); // longer each time: other tests need the cores
  }
}
