/** The log of requests: the CPU time that it adds to a createPayment while nobody reads the log. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { load } from '../support/load.mjs';
import { startServer } from '../support/processes.mjs';
import { median } from '../support/turns.mjs';
import { newPayment } from './writes.mjs';

const PROGRAM = fileURLToPath(new URL('../support/switchable-server.mjs', import.meta.url));
const RUNS = 10;
/** The log is switched on or off after this time, so that other load on the machine affects both phases. */
const PHASE_MS = 100;
const PHASES_OF_A_RUN = 48;
const WARM_UP_MS = 5_000;
/** Such that the order of the phases favours neither: what grows steadily cancels out. */
const ORDER = [true, false, false, true];
const CONNECTIONS = 32;

/**
 * One server under steady load, with its log on and off in turn: two servers differ by more than the log costs. A run compares the CPU time
 * of a request in its phases with and without the log; the ratio is the median of the runs.
 */
export async function requestLog() {
  const server = await startServer({ program: PROGRAM });
  try {
    const stop = new AbortController();
    const request = () => newPayment(server.token);
    const loaded = load({ port: server.port, connections: CONNECTIONS, signal: stop.signal, request });
    await sleep(WARM_UP_MS);
    const ratios = [];
    for (let run = 0; run < RUNS; run++) ratios.push(await measureRun(server));
    stop.abort();
    console.log(`  ratios ${ratios.map((ratio) => ratio.toFixed(3)).join(' ')}`);
    const figures = await loaded;
    return { measured: figures, baseline: figures, ratio: median(ratios), bar: { max: 1.02 } };
  } finally {
    await server.stop();
  }
}

async function measureRun(server) {
  const sums = { true: { microseconds: 0, requests: 0 }, false: { microseconds: 0, requests: 0 } };
  for (let phase = 0; phase < PHASES_OF_A_RUN; phase++) {
    const isOn = ORDER[phase % ORDER.length];
    const before = await server.tell({ isOn });
    await sleep(PHASE_MS);
    const after = await server.tell({ isOn });
    sums[isOn].microseconds += after.microseconds - before.microseconds;
    sums[isOn].requests += after.requests - before.requests;
  }
  const costOf = ({ microseconds, requests }) => microseconds / requests;
  return costOf(sums.true) / costOf(sums.false);
}
