/** The log of requests: the processor time that it adds to a createPayment while nobody looks. */
import { fileURLToPath } from 'node:url';
import { load } from '../support/load.mjs';
import { startServer } from '../support/processes.mjs';
import { newPayment } from './payments.mjs';

const PROGRAM = fileURLToPath(new URL('../support/switchable-server.mjs', import.meta.url));
const PAIRS = 10;
const CONNECTIONS = 64;

/** One server, with its log on and off in turn: two servers differ by more than the log costs. The ratio is the median of the pairs. */
export async function requestLog(_server, { seconds }) {
  const server = await startServer({ program: PROGRAM });
  try {
    const request = () => newPayment(server.token);
    const run = (duration) => load({ port: server.port, connections: CONNECTIONS, seconds: duration, request });
    await run(seconds);
    const measure = async (isOn) => {
      const before = await server.tell({ isOn });
      const figures = await run(seconds / 2);
      return { figures, microseconds: ((await server.tell({ isOn })) - before) / figures.responses };
    };
    const pairs = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      // Alternately first and second, because the database grows.
      const [first, second] = [await measure(pair % 2 === 0), await measure(pair % 2 !== 0)];
      pairs.push(pair % 2 === 0 ? { on: first, off: second } : { on: second, off: first });
    }
    const ratios = pairs.map(({ on, off }) => on.microseconds / off.microseconds).sort((a, b) => a - b);
    console.log(`requestLog: ratios ${ratios.map((ratio) => ratio.toFixed(3)).join(' ')}`);
    const { on, off } = pairs[0];
    const ratio = (ratios[PAIRS / 2 - 1] + ratios[PAIRS / 2]) / 2;
    return { measured: on.figures, baseline: off.figures, ratio, bar: { max: 1.02 } };
  } finally {
    await server.stop();
  }
}
