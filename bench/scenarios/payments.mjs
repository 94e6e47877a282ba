/** Payments: created, retrieved, and listed a hundred per page. */
import { randomUUID } from 'node:crypto';
import { ask, httpRequest, load } from '../support/load.mjs';
import { measureIn, startBytes } from '../support/processes.mjs';

const CONNECTIONS = 64;

export function newPayment(token) {
  return httpRequest('POST', '/v2/payments', token, {
    source_id: 'cnon:card-nonce-ok',
    idempotency_key: randomUUID(),
    amount_money: { amount: 1000, currency: 'USD' },
    note: 'bench',
  });
}

/** Baseline: the same rows, inserted by the bare driver in one statement with as many in flight, without HTTP. */
export async function createPayment(server, { seconds }) {
  const run = (duration) =>
    load({ port: server.port, connections: CONNECTIONS, seconds: duration, request: () => newPayment(server.token) });
  await run(3);
  const { databaseUrl, merchantId, locationId } = server;
  const baseline = await measureIn('./bare-writes.mjs', {
    databaseUrl,
    merchantId,
    locationId,
    inFlight: CONNECTIONS,
    seconds,
  });
  return { measured: await run(seconds), baseline, bar: { min: 0.6 } };
}

/** Baseline: a Fastify route that returns the same bytes from a Buffer. */
export async function getPayment(server, options) {
  const created = JSON.parse(await ask(server.port, newPayment(server.token)));
  return readAgainstBytes(server, `/v2/payments/${created.payment.id}`, { ...options, min: 0.2 });
}

export async function listPayments(server, options) {
  for (let i = 0; i < 120; i++) await ask(server.port, newPayment(server.token));
  return readAgainstBytes(server, '/v2/payments', { ...options, min: 0.06 });
}

/** Measures a GET request; the baseline is a Fastify route that returns the same bytes from a Buffer. */
export async function readAgainstBytes(server, path, { seconds, min, token = server.token }) {
  const request = httpRequest('GET', path, token);
  const bytes = await startBytes(await ask(server.port, request));
  const run = (port, duration) => load({ port, connections: 32, seconds: duration, request: () => request });
  await run(server.port, 2);
  await run(bytes.port, 1);
  const baseline = await run(bytes.port, seconds);
  const measured = await run(server.port, seconds);
  await bytes.stop();
  return { measured, baseline, bar: { min } };
}
