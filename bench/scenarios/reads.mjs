/** Reads of one payment and of pages, against a Fastify route that returns the same bytes from a Buffer. */
import { ask, httpRequest, load } from '../support/load.mjs';
import { startBytes } from '../support/processes.mjs';
import { takeTurns } from '../support/turns.mjs';
import { fillSales, pageOfSales } from './sales.mjs';
import { newPayment } from './writes.mjs';

const CONNECTIONS = 32;
const ROUNDS = 5;
const SECONDS = 1;
/** Until then the compiler of Node.js is busy with the code of a page. */
const WARM_UP_SECONDS = 5;

export async function getPayment({ server }) {
  const created = JSON.parse(await ask(server.port, newPayment(server.token)));
  return readAgainstBytes(server, `/v2/payments/${created.payment.id}`, { min: 0.4 });
}

/** A hundred per page. */
export async function listPayments({ server }) {
  for (let i = 0; i < 120; i++) await ask(server.port, newPayment(server.token));
  return readAgainstBytes(server, '/v2/payments', { min: 0.2 });
}

/** Two hundred sales per page, with items, tenders and refunds. */
export async function v1ListPayments({ server }) {
  const merchant = await fillSales(server);
  return readAgainstBytes(server, pageOfSales(merchant), { token: merchant.token, min: 0.12 });
}

async function readAgainstBytes(server, path, { min, token = server.token }) {
  const request = httpRequest('GET', path, token);
  const bytes = await startBytes(await ask(server.port, request));
  const run = (port, seconds) => load({ port, connections: CONNECTIONS, seconds, request: () => request });
  try {
    await run(server.port, WARM_UP_SECONDS);
    await run(bytes.port, 1);
    const turns = await takeTurns(ROUNDS, {
      measured: () => run(server.port, SECONDS),
      bytes: () => run(bytes.port, SECONDS),
    });
    return turns.against('measured', 'bytes', { min });
  } finally {
    await bytes.stop();
  }
}
