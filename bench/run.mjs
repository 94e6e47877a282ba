/**
 * `npm run bench`: measures ratios to baselines, compares them with the last saved ones, and saves them in bench/latest.json.
 * `npm run bench -- --scale` measures how costs grow with the data instead (scale.mjs), `--taps` how fast the register responds (taps.mjs).
 */
import { readFile, writeFile } from 'node:fs/promises';
import { ensureBuilt, ensureInstalled } from '../scripts/prepare.mjs';

ensureInstalled();
ensureBuilt();
if (process.argv.includes('--scale')) {
  const { benchScale } = await import('./scale.mjs');
  await benchScale(process.argv.slice(2));
  process.exit();
}
if (process.argv.includes('--taps')) {
  const { benchTaps } = await import('./taps.mjs');
  await benchTaps();
  process.exit();
}
const { startServer } = await import('./support/processes.mjs');
const { countRows } = await import('./support/rows.mjs');
const { compareFigures, findRegressions } = await import('./support/compare.mjs');
const {
  createPayment,
  createPaymentMany,
  createPaymentAgainstPgbench,
  createPaymentManyAgainstPgbench,
  getPayment,
  listPayments,
} = await import('./scenarios/payments.mjs');
const { v1ListPayments } = await import('./scenarios/sales.mjs');
const { listPaymentsDeep, v1ListPaymentsDeep, listTimecardsDeep, listCashDrawerShiftsDeep } = await import(
  './scenarios/deep-lists.mjs'
);
const { closeDay, retrieveSettlementDeep } = await import('./scenarios/settlements.mjs');
const { report } = await import('./scenarios/reports.mjs');
const { requestLog } = await import('./scenarios/request-log.mjs');
const { webhooks, webhooksWaiting } = await import('./scenarios/webhooks.mjs');
const { testKit } = await import('./scenarios/test-kit.mjs');

const SCENARIOS = {
  createPayment,
  createPaymentMany,
  createPaymentAgainstPgbench,
  createPaymentManyAgainstPgbench,
  getPayment,
  listPayments,
  v1ListPayments,
  listPaymentsDeep,
  v1ListPaymentsDeep,
  listTimecardsDeep,
  listCashDrawerShiftsDeep,
  closeDay,
  retrieveSettlementDeep,
  report,
  requestLog,
  webhooks,
  webhooksWaiting,
  testKit,
};
const LATEST = new URL('./latest.json', import.meta.url);
const SECONDS = 8;

const requested = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const names = requested.length > 0 ? requested : Object.keys(SCENARIOS);
const before = await readFile(LATEST, 'utf8').then(JSON.parse, () => ({ scenarios: {} }));
const scenarios = { ...before.scenarios };
const rows = [];
const measuredNow = {};
const bars = {};
const failed = [];
const started = performance.now();

for (const name of names) {
  const since = performance.now();
  const server = await startServer();
  try {
    const outcome = await SCENARIOS[name](server, { seconds: SECONDS });
    if (!outcome) {
      console.log(`${name}: skipped, because the machine does not have what it needs.`);
      continue;
    }
    const { measured, baseline, bar, ratio = measured.perSecond / baseline.perSecond } = outcome;
    const figure = {
      ratio: Number(ratio.toFixed(3)),
      per_s: measured.perSecond,
      baseline_per_s: baseline.perSecond,
      p50_ms: measured.p50,
      p99_ms: measured.p99,
      rss_mb: await server.memoryMb(),
      rows: (await countRows(server.databaseUrl)).total,
    };
    const passed = bar.min === undefined ? figure.ratio <= bar.max : figure.ratio >= bar.min;
    rows.push({
      scenario: name,
      ...figure,
      bar: bar.min === undefined ? `<= ${bar.max}` : `>= ${bar.min}`,
      passed: passed ? 'yes' : 'NO',
      failures: measured.failures,
      took_s: Math.round((performance.now() - since) / 1000),
    });
    bars[name] = bar;
    console.log(`${name}: ${figure.ratio} (${rows.at(-1).bar}), ${rows.at(-1).took_s} s`);
    measuredNow[name] = figure;
  } catch (error) {
    failed.push(name); // the others are measured all the same
    console.error(`${name} FAILED:`, error);
  } finally {
    await server.stop();
  }
}

console.table(rows);
console.log('Compared with the last saved figures:');
console.table(compareFigures(before.scenarios, measuredNow));
console.log(`Measured in ${Math.round((performance.now() - started) / 1000)} s.`);
const regressions = findRegressions(before.scenarios, measuredNow, bars);
// What became slower is not saved, so that the next run says so again.
const isAccepted = process.argv.includes('--accept');
for (const [name, figure] of Object.entries(measuredNow)) {
  if (isAccepted || !Object.hasOwn(regressions, name)) scenarios[name] = figure;
}
const sentences = Object.values(regressions);
if (sentences.length > 0) {
  console.error(`\n!!! SLOWER THAN THE LAST SAVED FIGURES !!!\n${sentences.join('\n')}`);
  console.error('The saved figures stay. If the change is wanted, save the new ones with --accept.\n');
}
if (failed.length > 0) {
  console.error(`Not measured, because they failed: ${failed.join(', ')}.`);
  process.exitCode = 1;
}
await writeFile(LATEST, `${JSON.stringify({ scenarios }, null, 2)}\n`);
