/** What one process counts and measures. Most of it is read only when somebody asks. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { realNow } from '../base/clock.js';
import { SECOND_MS } from '../base/time.js';
import type { DatabaseCounts } from '../database/database.js';
import type { Outcome } from '../events/sending.js';
import { BACKLOG_METRICS } from './backlog.js';
import { METRICS, type MetricName } from './declarations.js';
import { Meter, type Sample } from './meter.js';
import { RequestTally, TALLIED_METRICS } from './request-tally.js';

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
const QUANTILES = [0.5, 0.99, 1];
/** Finer than a request takes, and rare enough to cost nothing. */
const RESOLUTION_MS = 10;
/** In seconds. The first is more than nearly every statement takes; after the last one, a statement that waits for a lock is ended. */
const STATEMENT_AGES = [0.1, 1, 5];
const CALLS = ['authorize', 'capture', 'void', 'refund'];
/** Alerts compare a counter with its earlier value, so these begin with 0. A dispute is not a call, but may need attention like one. */
const COUNTED_FROM_ZERO: Partial<Record<MetricName, readonly string[]>> = {
  tillhouse_processor_unknown_outcomes_total: CALLS,
  tillhouse_processor_not_possible_total: [...CALLS, 'dispute'],
};

/** Where the values that are counted elsewhere are read. */
export interface Sources {
  readonly version: string;
  readonly mode: string;
  readonly isDatabaseUp: () => Promise<boolean>;
  readonly databaseCounts: () => DatabaseCounts;
  readonly credentialCounts: () => { readonly hits: number; readonly misses: number; readonly entries: number };
  readonly requestsInFlight: () => { readonly count: number; readonly oldestMs: number };
  readonly clockDifferenceMs: () => number;
  readonly countConnections: () => Promise<number>;
}

export class ProcessMetrics {
  readonly #meter = new Meter(ofProcess());
  readonly #requests = new RequestTally();
  readonly #sources: Sources;
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor(sources: Sources) {
    this.#sources = sources;
    this.#delay.enable();
    const { version, mode } = sources;
    this.#meter.set('tillhouse_info', 1, { version, mode });
    this.#meter.set('tillhouse_processes', 1);
    for (const [name, calls] of Object.entries(COUNTED_FROM_ZERO))
      for (const call of calls) this.#meter.count(name as MetricName, { call }, 0);
    this.#meter.set('tillhouse_process_start_time_seconds', (realNow() - performance.now()) / SECOND_MS);
  }

  readonly onAnswered = (operation: string, status: number, durationMs: number): void => {
    this.#requests.add(operation, status, durationMs / SECOND_MS);
  };

  readonly onCall = (call: string, seconds: number, isUnknown: boolean): void => {
    this.#meter.observe('tillhouse_processor_call_duration_seconds', seconds, { call });
    if (isUnknown) this.#meter.count('tillhouse_processor_unknown_outcomes_total', { call });
  };

  readonly onNeedsAttention = (call: string): void => {
    this.#meter.count('tillhouse_processor_not_possible_total', { call });
  };

  readonly onWork = (kind: string, outcome: 'done' | 'postponed', created?: 'settlement'): void => {
    this.#meter.count(outcome === 'done' ? 'tillhouse_due_work_done_total' : 'tillhouse_due_work_postponed_total', {
      kind,
    });
    if (created) this.#meter.count('tillhouse_settlements_created_total');
  };

  readonly onAttempt = ({ failure, durationMs }: Pick<Outcome, 'failure' | 'durationMs'>): void => {
    this.#meter.count('tillhouse_webhook_attempts_total', { outcome: failure ?? 'delivered' });
    this.#meter.observe('tillhouse_webhook_attempt_duration_seconds', durationMs / SECOND_MS);
  };

  async sample(): Promise<Sample> {
    const meter = this.#meter;
    const { isDatabaseUp, countConnections } = this.#sources;
    const [isUp, connections] = await Promise.all([isDatabaseUp(), countConnections()]);
    meter.set('tillhouse_database_up', isUp ? 1 : 0);
    meter.set('tillhouse_http_connections', connections);
    const { count, oldestMs } = this.#sources.requestsInFlight();
    meter.set('tillhouse_http_requests_in_flight', count);
    meter.set('tillhouse_http_request_oldest_seconds', oldestMs / SECOND_MS);
    return this.sampleCounts();
  }

  /** Only values that are known at once, so it also works when the process ends. */
  async sampleCounts(): Promise<Sample> {
    this.#readDatabase();
    this.#readCredentials();
    this.#readProcess();
    return [...this.#requests.sample(), ...(await this.#meter.sample())];
  }

  close(): void {
    this.#delay.disable();
  }

  #readDatabase(): void {
    const meter = this.#meter;
    const { max, idle, inUse, waiting, awaited, blocked, statements, lost, gathered } = this.#sources.databaseCounts();
    meter.set('tillhouse_database_connections_max', max);
    meter.set('tillhouse_database_connections', idle, { state: 'idle' });
    meter.set('tillhouse_database_connections', inUse, { state: 'in_use' });
    meter.set('tillhouse_database_waiting', waiting);
    const oldestMs = Math.max(0, ...awaited.map(({ silentMs }) => silentMs));
    meter.set('tillhouse_database_statement_oldest_seconds', oldestMs / SECOND_MS);
    for (const seconds of STATEMENT_AGES) {
      const older = awaited.filter(({ silentMs }) => silentMs > seconds * SECOND_MS);
      const count = older.reduce((sum, each) => sum + each.statements, 0);
      meter.set('tillhouse_database_statements_slow', count, { longer_than: seconds });
    }
    meter.set('tillhouse_database_statements_blocked', blocked);
    meter.setTotal('tillhouse_database_statements_total', statements);
    meter.setTotal('tillhouse_database_connections_lost_total', lost);
    meter.setTotal('tillhouse_database_gathered_statements_total', gathered.statements);
    meter.setTotal('tillhouse_database_gathered_items_total', gathered.items);
  }

  #readCredentials(): void {
    const { hits, misses, entries } = this.#sources.credentialCounts();
    this.#meter.setTotal('tillhouse_credential_lookups_total', hits, { result: 'hit' });
    this.#meter.setTotal('tillhouse_credential_lookups_total', misses, { result: 'miss' });
    this.#meter.set('tillhouse_credential_cache_entries', entries);
  }

  #readProcess(): void {
    const meter = this.#meter;
    meter.set('tillhouse_clock_difference_seconds', this.#sources.clockDifferenceMs() / SECOND_MS);
    const { rss, heapUsed, external } = process.memoryUsage();
    meter.set('tillhouse_process_memory_bytes', rss, { kind: 'resident' });
    meter.set('tillhouse_process_memory_bytes', heapUsed, { kind: 'heap_used' });
    meter.set('tillhouse_process_memory_bytes', external, { kind: 'external' });
    const { user, system } = process.cpuUsage();
    meter.setTotal('tillhouse_process_cpu_seconds_total', (user + system) / MICROSECONDS);
    for (const quantile of QUANTILES)
      meter.set('tillhouse_event_loop_delay_seconds', this.#delayAt(quantile), { quantile });
    this.#delay.reset();
  }

  /** Node measures the whole time between two ticks, so the planned time is subtracted. */
  #delayAt(quantile: number): number {
    if (this.#delay.count === 0) return 0;
    const nanoseconds = quantile === 1 ? this.#delay.max : this.#delay.percentile(quantile * 100);
    return Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / SECOND_MS);
  }
}

function ofProcess(): MetricName[] {
  const others: readonly string[] = [...BACKLOG_METRICS, ...TALLIED_METRICS];
  return (Object.keys(METRICS) as MetricName[]).filter((name) => !others.includes(name));
}
