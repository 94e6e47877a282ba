/** Measures what waits in the database, and reads the last runs of commands. All servers see the same, so one process reads it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { realNow } from '../base/clock.js';
import { type Instant, SECOND_MS } from '../base/time.js';
import type { Database } from '../database/database.js';
import { listLastRuns, RUN_KINDS } from '../identity/last-run-queries.js';
import type { MetricName } from './declarations.js';
import { Meter, type Sample } from './meter.js';
import { findDueBacklog, findOpenCalls, listReceiverBacklogs } from './queries.js';

export const BACKLOG_METRICS = [
  'tillhouse_due_work_waiting',
  'tillhouse_due_work_oldest_seconds',
  'tillhouse_webhook_deliveries_waiting',
  'tillhouse_webhook_deliveries_oldest_seconds',
  'tillhouse_webhook_deliveries_late_seconds',
  'tillhouse_webhook_receivers_failing',
  'tillhouse_webhook_receiver_failed',
  'tillhouse_processor_calls_open',
  'tillhouse_last_run_timestamp_seconds',
  'tillhouse_last_success_timestamp_seconds',
] as const satisfies readonly MetricName[];

/** Limits the values of the label `subscription`: each one is a time series in Prometheus. */
const MAX_RECEIVERS = 10;

/** A scrape must not wait longer for a connection: the other metrics show that all connections are in use. */
const READ_LIMIT_MS = 2 * SECOND_MS;

/** Empty if the database does not answer in time: a zero would look like an empty backlog. */
export function sampleBacklog({ sql }: Pick<Database, 'sql'>): Promise<Sample> {
  const read = readBacklog(sql).catch(() => []);
  return Promise.race([read, sleep(READ_LIMIT_MS, [], { ref: false })]);
}

async function readBacklog(sql: Database['sql']): Promise<Sample> {
  const now = realNow();
  const age = (at: Instant | null): number => (at === null ? 0 : Math.max(0, now - at) / SECOND_MS);
  const [due, receivers, openCalls, runs] = await Promise.all([
    findDueBacklog(sql, now),
    listReceiverBacklogs(sql, now),
    findOpenCalls(sql),
    listLastRuns(sql),
  ]);
  const meter = new Meter(BACKLOG_METRICS);
  meter.set('tillhouse_due_work_waiting', due.count);
  meter.set('tillhouse_due_work_oldest_seconds', age(due.oldestAt));
  meter.set('tillhouse_processor_calls_open', openCalls);
  const failing = receivers.filter(({ failed }) => failed > 0).sort((one, other) => other.failed - one.failed);
  meter.set('tillhouse_webhook_receivers_failing', failing.length);
  for (const { subscriptionId, failed } of failing.slice(0, MAX_RECEIVERS)) {
    meter.set('tillhouse_webhook_receiver_failed', failed, { subscription: subscriptionId });
  }
  const sum = receivers.reduce((total, { count }) => total + count, 0);
  meter.set('tillhouse_webhook_deliveries_waiting', sum);
  const oldest = Math.max(0, ...receivers.map(({ oldestAt }) => age(oldestAt)));
  meter.set('tillhouse_webhook_deliveries_oldest_seconds', oldest);
  meter.set('tillhouse_webhook_deliveries_late_seconds', Math.max(0, ...receivers.map(({ nextAt }) => age(nextAt))));
  for (const kind of RUN_KINDS) {
    const run = runs.find((each) => each.kind === kind);
    const labels = { kind: kind.toLowerCase() };
    meter.set('tillhouse_last_run_timestamp_seconds', (run?.endedAt ?? 0) / SECOND_MS, labels);
    meter.set('tillhouse_last_success_timestamp_seconds', (run?.succeededAt ?? 0) / SECOND_MS, labels);
  }
  return meter.sample();
}
