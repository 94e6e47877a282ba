/** Payments: created, retrieved, and listed a hundred per page. */
import { randomUUID } from 'node:crypto';
import { ask, httpRequest, load } from '../support/load.mjs';
import { preparePgbench } from '../support/pgbench.mjs';
import { measureIn, startBytes } from '../support/processes.mjs';
import { newMerchant } from './deep-lists.mjs';

const CONNECTIONS = 64;
const MERCHANTS = 64;

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

/** Creates payments of merchants in turn. */
function createInTurn(server, tokens, seconds) {
  let turn = 0;
  const request = () => newPayment(tokens[turn++ % tokens.length]);
  return load({ port: server.port, connections: CONNECTIONS, seconds, request });
}

async function tokensOfMany(server) {
  const tokens = [];
  for (let i = 0; i < MERCHANTS; i++) tokens.push((await newMerchant(server)).token);
  return tokens;
}

/** Runs alternate between measured and baseline, because the machine changes. Figures are the means. */
async function alternate(rounds, measure, measureBaseline) {
  const [measured, baseline] = [[], []];
  for (let round = 0; round < rounds; round++) {
    baseline.push(await measureBaseline());
    measured.push(await measure());
  }
  const mean = (figures) => Math.round(figures.reduce((sum, { perSecond }) => sum + perSecond, 0) / figures.length);
  return {
    measured: { ...measured.at(-1), perSecond: mean(measured) },
    baseline: { perSecond: mean(baseline) },
  };
}

/** 64 merchants in turn. Baseline: the same load for one merchant. */
export async function createPaymentMany(server, { seconds }) {
  const tokens = await tokensOfMany(server);
  const run = (of, duration) => createInTurn(server, of, duration);
  await run([server.token], 2);
  await run(tokens, 2);
  const figures = await alternate(
    3,
    () => run(tokens, seconds),
    () => run([server.token], seconds),
  );
  return { ...figures, bar: { min: 0.9 } };
}

/** Baseline: the simple update of pgbench, with as many connections to the same PostgreSQL. Skipped if the machine has no pgbench. */
export async function createPaymentAgainstPgbench(server, options) {
  return againstPgbench(server, [server.token], options);
}

export async function createPaymentManyAgainstPgbench(server, options) {
  return againstPgbench(server, await tokensOfMany(server), options);
}

async function againstPgbench(server, tokens, { seconds }) {
  const pgbench = await preparePgbench(server, { connections: CONNECTIONS });
  if (!pgbench) return undefined;
  await createInTurn(server, tokens, 3);
  const figures = await alternate(
    2,
    () => createInTurn(server, tokens, 2 * seconds),
    () => pgbench.run(2 * seconds),
  );
  return { ...figures, bar: { min: 1 } };
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
