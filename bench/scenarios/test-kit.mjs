/** The test kit: the time of a warm start (limit: one second), and of a new merchant in the same and in another process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureIn } from '../support/processes.mjs';

const RUNS = 5;
const SCRIPT = './kit-run.mjs';

const sorted = (values) => [...values].sort((one, other) => one - other);
const at = (values, share) => Number(sorted(values)[Math.floor(share * (values.length - 1))].toFixed(2));
const perSecond = (values) => Math.round((1000 * values.length) / values.reduce((sum, each) => sum + each, 0));

export async function testKit({ server }) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tillhouse-bench-kit-'));
  try {
    const first = await measureIn(SCRIPT, { dataDir });
    const warm = [];
    while (warm.length < RUNS) warm.push(await measureIn(SCRIPT, { dataDir }));
    const url = `http://127.0.0.1:${server.port}`;
    const connected = await measureIn(SCRIPT, { running: { url, operatorKey: server.operatorKey } });
    const start = at(
      warm.map((run) => run.start),
      0.5,
    );
    const merchants = warm.flatMap((run) => run.merchants);
    console.log({
      first_start_ms: Math.round(first.start),
      load_ms: at(
        warm.map((run) => run.load),
        0.5,
      ),
      warm_start_ms: start,
      stop_ms: at(
        warm.map((run) => run.stop),
        0.5,
      ),
      merchant_p50_ms: at(merchants, 0.5),
      merchant_connected_p50_ms: at(connected.merchants, 0.5),
    });
    return {
      measured: { perSecond: perSecond(merchants), p50: at(merchants, 0.5), p99: at(merchants, 0.99), failures: 0 },
      baseline: { perSecond: perSecond(connected.merchants) },
      ratio: start / 1000,
      bar: { max: 1 },
    };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
