/** Every metric of the server. Names and labels are stable: dashboards and alerts rely on them (decision 0180). */

export interface Declaration {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels?: readonly string[];
  /** How the values of several processes are combined. Counters and histograms are added up. */
  readonly across?: 'sum' | 'min' | 'max';
  /** Upper ends of the buckets of a histogram. */
  readonly buckets?: readonly number[];
}

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const CALL_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

export const METRICS = {
  tillhouse_info: { kind: 'gauge', labels: ['version', 'mode'], across: 'max', help: 'Always 1.' },

  tillhouse_clock_difference_seconds: {
    kind: 'gauge',
    across: 'max',
    help: "By how much the clock of the server is ahead of PostgreSQL's; negative if it is behind.",
  },

  tillhouse_http_requests_total: {
    kind: 'counter',
    labels: ['operation', 'status'],
    help: 'Requests that got a response. For unknown paths the label operation is `none`.',
  },
  tillhouse_http_request_duration_seconds: {
    kind: 'histogram',
    labels: ['operation'],
    buckets: REQUEST_BUCKETS,
    help: 'Time from the headers of a request to the end of its response. Streams are not counted.',
  },
  tillhouse_http_requests_in_flight: { kind: 'gauge', help: 'Requests without a response so far, without streams.' },
  tillhouse_http_request_oldest_seconds: {
    kind: 'gauge',
    across: 'max',
    help: 'For how long the oldest request without a response has waited, without streams.',
  },
  tillhouse_http_connections: { kind: 'gauge', help: 'Open connections of clients.' },

  tillhouse_database_up: {
    kind: 'gauge',
    across: 'min',
    help: '1 if PostgreSQL responds and can write, otherwise 0.',
  },
  tillhouse_database_connections: {
    kind: 'gauge',
    labels: ['state'],
    help: 'Connections to PostgreSQL that are idle, or in use.',
  },
  tillhouse_database_connections_max: { kind: 'gauge', help: 'The most connections to PostgreSQL that are opened.' },
  tillhouse_database_waiting: { kind: 'gauge', help: 'Statements and transactions that wait for a connection.' },
  tillhouse_database_statement_oldest_seconds: {
    kind: 'gauge',
    across: 'max',
    help: 'For how long the statement that has waited longest has got nothing from PostgreSQL.',
  },
  tillhouse_database_statements_slow: {
    kind: 'gauge',
    labels: ['longer_than'],
    help: 'Statements that have got nothing from PostgreSQL for longer than so many seconds.',
  },
  tillhouse_database_statements_blocked: { kind: 'gauge', help: 'Statements that wait for a lock of another session.' },
  tillhouse_database_connections_lost_total: {
    kind: 'counter',
    help: 'Connections to PostgreSQL that broke.',
  },
  tillhouse_database_statements_total: { kind: 'counter', help: 'Statements that were sent to PostgreSQL.' },
  tillhouse_database_gathered_statements_total: {
    kind: 'counter',
    help: 'Statements that do the same for several requests, such as creating payments.',
  },
  tillhouse_database_gathered_items_total: {
    kind: 'counter',
    help: 'Requests whose work gathered statements did.',
  },

  tillhouse_due_work_waiting: { kind: 'gauge', across: 'max', help: 'Due work that is not done yet.' },
  tillhouse_due_work_oldest_seconds: {
    kind: 'gauge',
    across: 'max',
    help: 'For how long the oldest due work has been due.',
  },
  tillhouse_due_work_done_total: { kind: 'counter', labels: ['kind'], help: 'Due work that was done.' },
  tillhouse_due_work_postponed_total: {
    kind: 'counter',
    labels: ['kind'],
    help: 'Due work that failed and is tried again.',
  },
  tillhouse_settlements_created_total: { kind: 'counter', help: 'Settlements that were created.' },

  tillhouse_webhook_deliveries_waiting: {
    kind: 'gauge',
    across: 'max',
    help: 'Deliveries that are neither delivered nor given up.',
  },
  tillhouse_webhook_deliveries_oldest_seconds: {
    kind: 'gauge',
    across: 'max',
    help: 'The age of the oldest delivery that waits.',
  },
  tillhouse_webhook_deliveries_late_seconds: {
    kind: 'gauge',
    across: 'max',
    help: 'How late the most overdue attempt is.',
  },
  tillhouse_webhook_receivers_failing: {
    kind: 'gauge',
    across: 'max',
    help: 'Subscriptions with deliveries that failed and wait for the next attempt.',
  },
  tillhouse_webhook_receiver_failed: {
    kind: 'gauge',
    labels: ['subscription'],
    across: 'max',
    help: 'Failed deliveries that wait for their next attempt, for the ten subscriptions with the most.',
  },
  tillhouse_webhook_attempts_total: {
    kind: 'counter',
    labels: ['outcome'],
    help: 'Attempts to deliver.',
  },
  tillhouse_webhook_attempt_duration_seconds: {
    kind: 'histogram',
    buckets: CALL_BUCKETS,
    help: 'How long receivers took.',
  },

  tillhouse_processor_call_duration_seconds: {
    kind: 'histogram',
    labels: ['call'],
    buckets: CALL_BUCKETS,
    help: 'How long the payment processor took.',
  },
  tillhouse_processor_unknown_outcomes_total: {
    kind: 'counter',
    labels: ['call'],
    help: 'Calls without a valid response, whose outcome is unknown.',
  },
  tillhouse_processor_not_possible_total: {
    kind: 'counter',
    labels: ['call'],
    help: 'Calls that were refused for good, and reported refunds and disputes that our records cannot follow: somebody has to look at them.',
  },
  tillhouse_processor_calls_open: {
    kind: 'gauge',
    across: 'max',
    help: 'Recorded calls without a known outcome, of all servers.',
  },

  tillhouse_last_run_timestamp_seconds: {
    kind: 'gauge',
    labels: ['kind'],
    across: 'max',
    help: 'When a backup, a check or a reconciliation of yesterday last ended, as seconds since 1970; 0: never.',
  },
  tillhouse_last_success_timestamp_seconds: {
    kind: 'gauge',
    labels: ['kind'],
    across: 'max',
    help: 'When one last succeeded: a complete file, no violation, no difference; 0: never.',
  },

  tillhouse_credential_lookups_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Credentials that were found in memory (hit), or looked up (miss).',
  },
  tillhouse_credential_cache_entries: { kind: 'gauge', help: 'Credentials in memory.' },

  tillhouse_processes: { kind: 'gauge', help: 'Processes that serve requests.' },
  tillhouse_event_loop_delay_seconds: {
    kind: 'gauge',
    labels: ['quantile'],
    across: 'max',
    help: 'Delay of the event loop since the last scrape, in the process with the longest delay.',
  },
  tillhouse_process_memory_bytes: {
    kind: 'gauge',
    labels: ['kind'],
    help: 'Memory of the processes: resident, heap_used, external.',
  },
  tillhouse_process_cpu_seconds_total: { kind: 'counter', help: 'CPU time of the processes.' },
  tillhouse_process_start_time_seconds: {
    kind: 'gauge',
    across: 'min',
    help: 'When the oldest process started, as seconds since 1970.',
  },
} as const satisfies Record<string, Declaration>;

export type MetricName = keyof typeof METRICS;
