/** Every alert of deploy/prometheus-alerts.yml is played with `promtool` of Debian's package prometheus: it fires alone, and none fires otherwise. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { ensurePrograms, findProgram } from '../support/debian-programs.js';
import { expectNothingLeft, newFolder } from '../support/process.js';

const RULES = fileURLToPath(new URL('../../deploy/prometheus-alerts.yml', import.meta.url));
const exec = promisify(execFile);

type Series = Readonly<Record<string, string>>;

const A = 'job="tillhouse",instance="a"';
const PAID = 'tillhouse_http_requests_total{operation="v2.createPayment",status="200"}';
const MINUTES = 300;
const always = (value: number) => `${value}x${MINUTES}`;
const growing = (perMinute: number) => `0+${perMinute}x${MINUTES}`;

/** Two servers in production that work. A value for each minute. */
const HEALTHY: Series = {
  [`up{${A}}`]: always(1),
  'up{job="tillhouse",instance="b"}': always(1),
  [`tillhouse_info{${A},version="1",mode="production"}`]: always(1),
  [PAID]: growing(60),
  'tillhouse_http_requests_total{operation="v2.createPayment",status="503"}': always(0),
  'tillhouse_http_requests_total{operation="v2.createPayment",status="500"}': always(0),
  'tillhouse_http_request_duration_seconds_bucket{le="0.1"}': growing(60),
  'tillhouse_http_request_duration_seconds_bucket{le="5"}': growing(60),
  'tillhouse_http_request_duration_seconds_bucket{le="+Inf"}': growing(60),
  tillhouse_http_request_oldest_seconds: always(0.1),
  tillhouse_database_statement_oldest_seconds: always(0.1),
  tillhouse_database_statements_blocked: always(0),
  tillhouse_database_up: always(1),
  [`tillhouse_clock_difference_seconds{${A}}`]: always(0.01),
  [`tillhouse_database_waiting{${A}}`]: always(0),
  [`tillhouse_database_connections{${A},state="idle"}`]: always(5),
  tillhouse_database_connections_lost_total: always(0),
  tillhouse_due_work_oldest_seconds: always(1),
  'tillhouse_processor_unknown_outcomes_total{call="authorize"}': always(0),
  'tillhouse_processor_not_possible_total{call="refund"}': always(0),
  tillhouse_processor_calls_open: always(2),
  tillhouse_webhook_deliveries_late_seconds: always(1),
  tillhouse_webhook_receivers_failing: always(0),
  'tillhouse_event_loop_delay_seconds{quantile="0.99"}': always(0.01),
  ...ofRuns(growing(60), growing(60)),
};

/** `time()` of the test begins with 0, so what grows by 60 a minute is now. */
function ofRuns(ended: string, succeeded: string): Series {
  const of = (kind: string) => ({
    [`tillhouse_last_run_timestamp_seconds{kind="${kind}"}`]: ended,
    [`tillhouse_last_success_timestamp_seconds{kind="${kind}"}`]: succeeded,
  });
  return { ...of('backup'), ...of('check'), ...of('reconcile') };
}

interface Scene {
  /** What differs from the healthy servers. An empty text: the series does not exist. */
  readonly series: Series;
  /** The minute at which the alert fires. The scene begins before it. */
  readonly at: number;
}

/** From this minute on, for the rest of the time. */
const BEGIN = 200;
const from = (value: number, before = 0) => `${before}x${BEGIN - 1} ${value}x${MINUTES - BEGIN}`;
const growingFrom = (perMinute: number) => `0x${BEGIN - 1} 0+${perMinute}x${MINUTES - BEGIN}`;

const SCENES: Readonly<Record<string, Scene>> = {
  TillhouseDown: { series: { [`tillhouse_info{${A},version="1",mode="production"}`]: '' }, at: 10 },
  TillhouseServerDown: { series: { 'up{job="tillhouse",instance="b"}': from(0, 1) }, at: BEGIN + 2 },
  TillhousePaymentsStopped: {
    series: { [PAID]: `0+60x${BEGIN - 1} ${60 * (BEGIN - 1)}x${MINUTES - BEGIN}` },
    at: BEGIN + 5,
  },
  TillhouseRequestsHang: { series: { tillhouse_http_request_oldest_seconds: from(6) }, at: BEGIN + 1 },
  TillhouseBlocked: { series: { tillhouse_database_statements_blocked: from(3) }, at: BEGIN + 1 },
  TillhouseDatabaseDown: { series: { tillhouse_database_up: from(0, 1) }, at: BEGIN + 2 },
  TillhouseClockDiffers: { series: { [`tillhouse_clock_difference_seconds{${A}}`]: from(-2) }, at: BEGIN + 6 },
  TillhouseErrors: {
    series: { 'tillhouse_http_requests_total{operation="v2.createPayment",status="500"}': growingFrom(1) },
    at: BEGIN + 8,
  },
  TillhouseUnavailable: {
    series: { 'tillhouse_http_requests_total{operation="v2.createPayment",status="503"}': growingFrom(6) },
    at: BEGIN + 8,
  },
  TillhouseSlow: {
    series: { 'tillhouse_http_request_duration_seconds_bucket{le="0.1"}': growing(50) },
    at: BEGIN,
  },
  TillhouseConnectionsExhausted: {
    series: {
      [`tillhouse_database_waiting{${A}}`]: from(4),
      [`tillhouse_database_connections{${A},state="idle"}`]: from(0, 5),
    },
    at: BEGIN + 6,
  },
  TillhouseConnectionsBreak: { series: { tillhouse_database_connections_lost_total: growingFrom(3) }, at: BEGIN + 8 },
  TillhouseDueWorkLate: { series: { tillhouse_due_work_oldest_seconds: from(400) }, at: BEGIN + 6 },
  TillhouseProcessorSilent: {
    series: { 'tillhouse_processor_unknown_outcomes_total{call="authorize"}': growingFrom(2) },
    at: BEGIN + 8,
  },
  TillhouseProcessorRefuses: {
    series: { 'tillhouse_processor_not_possible_total{call="refund"}': from(1) },
    at: BEGIN + 2,
  },
  TillhouseProcessorCallsOpen: { series: { tillhouse_processor_calls_open: from(150) }, at: BEGIN + 16 },
  TillhouseDeliveriesLate: { series: { tillhouse_webhook_deliveries_late_seconds: from(400) }, at: BEGIN + 6 },
  TillhouseReceiversFail: { series: { tillhouse_webhook_receivers_failing: from(2) }, at: BEGIN + 61 },
  TillhouseBusy: { series: { 'tillhouse_event_loop_delay_seconds{quantile="0.99"}': from(0.3) }, at: BEGIN + 11 },
  TillhouseBackupOld: {
    series: { 'tillhouse_last_success_timestamp_seconds{kind="backup"}': always(0) },
    at: 3 * 60 + 7,
  },
  TillhouseCheckFails: {
    series: { 'tillhouse_last_success_timestamp_seconds{kind="check"}': always(0) },
    at: 10,
  },
  TillhouseReconcileFails: {
    series: { 'tillhouse_last_success_timestamp_seconds{kind="reconcile"}': always(0) },
    at: 10,
  },
};

const FIRING = 'count by (alertname) (ALERTS{alertstate="firing"})';

/** A test for promtool: which alerts fire at a minute. */
function play(name: string, series: Series, at: number, fires: readonly string[]) {
  const input = Object.entries(series).filter(([, values]) => values !== '');
  return {
    name,
    interval: '1m',
    input_series: input.map(([each, values]) => ({ series: each, values })),
    promql_expr_test: [
      {
        expr: FIRING,
        eval_time: `${at}m`,
        exp_samples: fires.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
      },
    ],
  };
}

async function check(...tests: object[]): Promise<string> {
  const folder = await newFolder();
  await copyFile(RULES, join(folder, 'rules.yml'));
  const path = join(folder, 'tests.yml');
  await writeFile(path, stringify({ rule_files: ['rules.yml'], evaluation_interval: '1m', tests }));
  return exec(findProgram('promtool') ?? '', ['test', 'rules', path]).then(
    () => '',
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  );
}

const alerts: readonly string[] = parse(readFileSync(RULES, 'utf8')).groups.flatMap(
  ({ rules }: { rules: { alert: string }[] }) => rules.map(({ alert }) => alert),
);

it('has a scene for every alert', () => {
  expect(Object.keys(SCENES)).toEqual(alerts);
});

describe.skipIf(!ensurePrograms(['prometheus']))('an alert', () => {
  afterAll(expectNothingLeft);

  it('is correct for promtool', async () => {
    const { stdout } = await exec(findProgram('promtool') ?? '', ['check', 'rules', RULES]);
    expect(stdout).toContain(`SUCCESS: ${alerts.length} rules found`);
  });

  it('is not raised by servers that work, nor by a sandbox that was never backed up', async () => {
    const sandbox = {
      ...HEALTHY,
      [`tillhouse_info{${A},version="1",mode="production"}`]: '',
      [`tillhouse_info{${A},version="1",mode="sandbox"}`]: always(1),
      ...ofRuns(always(0), always(0)),
    };
    const quiet = [20, 150, 290].flatMap((at) => [play('works', HEALTHY, at, []), play('sandbox', sandbox, at, [])]);
    expect(await check(...quiet)).toBe('');
  });

  it.each(Object.entries(SCENES))('%s fires, and no other', async (alert, { series, at }) => {
    const changed = { ...HEALTHY, ...series };
    expect(await check(play(alert, changed, at, [alert]))).toBe('');
  });

  it('about a check that did not run for a day fires too, and that of one that was never made', async () => {
    const daysAgo = ofRuns(always(60), always(60));
    const all = ['TillhouseBackupOld', 'TillhouseCheckFails', 'TillhouseReconcileFails'];
    const long = Object.fromEntries(
      Object.entries({ ...HEALTHY, ...daysAgo }).map(([name, values]) => [
        name,
        values.replace(`x${MINUTES}`, 'x1700'),
      ]),
    );
    expect(await check(play('did not run', long, 27 * 60, all))).toBe('');
  });
});
