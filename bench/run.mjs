/**
 * `npm run bench`: measures ratios to baselines, compares them with the last saved ones, and saves them in bench/latest.json.
 * `npm run bench -- --scale` measures how costs grow with the data instead (scale.mjs), `--taps` how fast the register responds (taps.mjs),
 * `--growth` how many bytes a payment adds (growth.mjs), `--memory` whether memory grows (memory.mjs), `--check` how long a check of all
 * books takes (check.mjs).
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
if (process.argv.includes('--growth')) {
  const { benchGrowth } = await import('./growth.mjs');
  await benchGrowth(process.argv.slice(2));
  process.exit();
}
if (process.argv.includes('--memory')) {
  const { benchMemory } = await import('./memory.mjs');
  await benchMemory(process.argv.slice(2));
  process.exit();
}
if (process.argv.includes('--check')) {
  const { benchCheck } = await import('./check.mjs');
  await benchCheck(process.argv.slice(2));
  process.exit();
}
const { GROUPS } = await import('./groups.mjs');
const { Stage } = await import('./support/stage.mjs');
const { countRows } = await import('./support/rows.mjs');
const { isTrial } = await import('./support/size.mjs');
const { compareFigures, findRegressions } = await import('./support/compare.mjs');

const LATEST = new URL('./latest.json', import.meta.url);

const known = GROUPS.flatMap((group) => Object.keys(group));
const requested = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const unknown = requested.filter((name) => !known.includes(name));
if (unknown.length > 0) throw new Error(`There is no scenario ${unknown.join(', ')}. There are ${known.join(', ')}.`);
const names = requested.length > 0 ? requested : known;
const before = await readFile(LATEST, 'utf8').then(JSON.parse, () => ({ scenarios: {} }));
const scenarios = { ...before.scenarios };
const lines = [];
const measuredNow = {};
const bars = {};
const failed = [];
const started = performance.now();
const secondsSince = (since) => Math.round((performance.now() - since) / 1000);

for (const group of GROUPS) {
  const wanted = Object.keys(group).filter((name) => names.includes(name));
  if (wanted.length === 0) continue;
  const since = performance.now();
  const stage = await Stage.open(wanted);
  try {
    for (const name of wanted) await measure(stage, name, group[name]);
    const { total } = await countRows(stage.server.databaseUrl);
    for (const name of wanted) if (measuredNow[name]) measuredNow[name].rows = total;
  } finally {
    await stage.close();
  }
  console.log(`${wanted.join(', ')} took ${secondsSince(since)} s.`);
}

async function measure(stage, name, scenario) {
  const since = performance.now();
  try {
    const outcome = await scenario(stage);
    if (!outcome) {
      console.log(`${name}: skipped, because the machine does not have what it needs.`);
      return;
    }
    const { measured, baseline, bar, ratio, memoryMb = await stage.server.memoryMb() } = outcome;
    if (!Number.isFinite(ratio)) throw new Error(`its ratio is ${ratio}`);
    const failures = (measured.failures ?? 0) + (baseline.failures ?? 0);
    if (failures > 0) throw new Error(`it counted ${failures} failures`); // errors are faster than answers
    const figure = {
      ratio: Number(ratio.toFixed(3)),
      per_s: measured.perSecond,
      baseline_per_s: baseline.perSecond,
      p50_ms: measured.p50,
      p99_ms: measured.p99,
      rss_mb: memoryMb,
    };
    const passed = bar.min === undefined ? figure.ratio <= bar.max : figure.ratio >= bar.min;
    const target = bar.min === undefined ? `<= ${bar.max}` : `>= ${bar.min}`;
    const took = secondsSince(since);
    lines.push({ scenario: name, ...figure, target, passed: passed ? 'yes' : 'NO', took_s: took });
    bars[name] = bar;
    console.log(`${name}: ${figure.ratio} (${target}), ${took} s`);
    measuredNow[name] = figure;
  } catch (error) {
    failed.push(name); // the others are measured all the same
    console.error(`${name} FAILED:`, error);
  }
}

console.table(lines);
console.log('Compared with the last saved figures:');
console.table(compareFigures(before.scenarios, measuredNow));
console.log(`Measured in ${secondsSince(started)} s.`);
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
if (!isTrial) await writeFile(LATEST, `${JSON.stringify({ scenarios }, null, 2)}\n`);
