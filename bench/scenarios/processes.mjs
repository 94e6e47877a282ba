/** A server of two processes against one of a single process, each with a PostgreSQL of its own, in turn. */
import { ask, httpRequest, load } from '../support/load.mjs';
import { startServer } from '../support/processes.mjs';
import { takeTurns } from '../support/turns.mjs';
import { createInTurn, newPayment } from './writes.mjs';

const CONNECTIONS = 64;
const ROUNDS = 5;
const SECONDS = 1;
/** V8 compiles what runs often. A process that has just started handles a fifth of the requests that it handles later. */
const WARM_UP_SECONDS = 5;

/** Where the load, PostgreSQL and the server share two cores, a second process adds little. It must not cost anything. */
export async function getPaymentTwoProcesses(stage) {
  const { turns } = await stage.once(measureTwoProcesses);
  return turns.against('two read', 'one reads', { min: 1 });
}

export async function createPaymentTwoProcesses(stage) {
  const { turns } = await stage.once(measureTwoProcesses);
  return turns.against('two write', 'one writes', { min: 0.9 });
}

async function measureTwoProcesses({ server }) {
  const two = await startServer({ flags: ['--processes', '2'] });
  try {
    const reads = { one: await readOf(server), two: await readOf(two) };
    const loads = {
      'one reads': reads.one,
      'two read': reads.two,
      'one writes': writesTo(server),
      'two write': writesTo(two),
    };
    for (const run of Object.values(loads)) await run(WARM_UP_SECONDS);
    return { turns: await takeTurns(ROUNDS, loads) };
  } finally {
    await two.stop();
  }
}

function writesTo(server) {
  return (seconds = SECONDS) => createInTurn(server, [server.token], { seconds });
}

async function readOf({ port, token }) {
  const { payment } = JSON.parse(await ask(port, newPayment(token)));
  const request = httpRequest('GET', `/v2/payments/${payment.id}`, token);
  return (seconds = SECONDS) => load({ port, connections: CONNECTIONS, seconds, request: () => request });
}
