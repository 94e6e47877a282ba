/** How long `npm start` takes until the server answers: on a new folder with the demo's history, and later. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readServerRecord } from '../../dist/server/server-file.js';
import { median } from '../support/turns.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [FIRST_RUNS, LATER_RUNS] = [3, 5];
const [FIRST_MS, LATER_MS] = [3000, 800];

export async function startNew(stage) {
  const { first } = await stage.once(measureStarts);
  return toOutcome(first, FIRST_MS);
}

export async function startLater(stage) {
  const { later } = await stage.once(measureStarts);
  return toOutcome(later, LATER_MS);
}

function toOutcome(times, limitMs) {
  const ms = median(times);
  const figure = {
    perSecond: Number((1000 / ms).toFixed(2)),
    p50: Math.round(ms),
    p99: Math.round(Math.max(...times)),
  };
  return {
    measured: { ...figure, failures: 0 },
    baseline: { perSecond: Number((1000 / limitMs).toFixed(2)) },
    ratio: ms / limitMs,
    bar: { max: 1 },
  };
}

async function measureStarts() {
  const [first, later] = [[], []];
  for (let run = 0; run < FIRST_RUNS; run++) {
    const dataDir = await mkdtemp(join(tmpdir(), 'tillhouse-bench-start-'));
    try {
      first.push(await timeStart(dataDir));
      while (run === FIRST_RUNS - 1 && later.length < LATER_RUNS) later.push(await timeStart(dataDir));
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }
  return { first, later };
}

async function timeStart(dataDir) {
  const started = performance.now();
  const flags = ['--port', '0', '--data-dir', dataDir, '--log-level', 'error'];
  const child = spawn('npm', ['start', '--', ...flags], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  const over = new Promise((resolve) => child.once('exit', resolve));
  let record;
  while (!record) {
    if (child.exitCode !== null) throw new Error('npm start did not start a server');
    record = await readServerRecord(dataDir);
    if (!record) await sleep(5);
  }
  const response = await fetch(`${record.local_url}/readyz`);
  const ms = performance.now() - started;
  if (!response.ok) throw new Error(`not ready: ${response.status}`);
  process.kill(record.pid, 'SIGTERM');
  await over;
  return ms;
}
