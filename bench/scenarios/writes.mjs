/** Payments that are created: of one merchant and of many, against the bare driver and against pgbench. */
import { randomUUID } from 'node:crypto';
import { httpRequest, load } from '../support/load.mjs';
import { newMerchant } from '../support/merchants.mjs';
import { preparePgbench } from '../support/pgbench.mjs';
import { startBareWrites } from '../support/processes.mjs';
import { takeTurns } from '../support/turns.mjs';

const CONNECTIONS = 64;
const MERCHANTS = 64;
const ROUNDS = 5;
const SECONDS = 3;
/** The server may use this much memory under this load. */
const MAX_MB = 120;

export function newPayment(token) {
  return httpRequest('POST', '/v2/payments', token, {
    source_id: 'cnon:card-nonce-ok',
    idempotency_key: randomUUID(),
    amount_money: { amount: 1000, currency: 'USD' },
    note: 'bench',
  });
}

/** Creates payments of merchants in turn. */
export function createInTurn({ port }, tokens, { seconds, connections = CONNECTIONS }) {
  let turn = 0;
  return load({ port, connections, seconds, request: () => newPayment(tokens[turn++ % tokens.length]) });
}

/** Baseline: the same rows, inserted by the bare driver in one statement with as many in flight, without HTTP. */
export async function createPayment(stage) {
  const { turns } = await stage.once(createPayments);
  return turns.against('one', 'bare', { min: 0.6 });
}

/** 64 merchants in turn. Baseline: the same load for one merchant. */
export async function createPaymentMany(stage) {
  const { turns } = await stage.once(createPayments);
  return turns.against('many', 'one', { min: 0.9 });
}

/** Baseline: the simple update of pgbench, with as many connections to the same PostgreSQL. Skipped if the machine has no pgbench. */
export async function createPaymentAgainstPgbench(stage) {
  const { turns, hasPgbench } = await stage.once(createPayments);
  return hasPgbench ? turns.against('one', 'pgbench', { min: 1 }) : undefined;
}

export async function createPaymentManyAgainstPgbench(stage) {
  const { turns, hasPgbench } = await stage.once(createPayments);
  return hasPgbench ? turns.against('many', 'pgbench', { min: 1 }) : undefined;
}

/** The most memory of the server under this load. */
export async function createPaymentMemory(stage) {
  const { turns, mostMb } = await stage.once(createPayments);
  const measured = turns.of('one');
  return { measured, baseline: measured, ratio: mostMb / MAX_MB, memoryMb: mostMb, bar: { max: 1 } };
}

/** All loads that the wanted scenarios need, in turn on one server. */
async function createPayments(stage) {
  const { server } = stage;
  const isWanted = (...names) => names.some((name) => stage.wants(name));
  const tokens = [];
  const loads = { one: () => createInTurn(server, [server.token], { seconds: SECONDS }) };
  if (isWanted('createPaymentMany', 'createPaymentManyAgainstPgbench')) {
    for (let i = 0; i < MERCHANTS; i++) tokens.push((await newMerchant(server)).token);
    loads.many = () => createInTurn(server, tokens, { seconds: SECONDS });
  }
  const bare = isWanted('createPayment') && (await startBareWrites(server, { inFlight: CONNECTIONS }));
  if (bare) loads.bare = () => bare.run(SECONDS);
  try {
    const pgbench =
      isWanted('createPaymentAgainstPgbench', 'createPaymentManyAgainstPgbench') &&
      (await preparePgbench(server, { connections: CONNECTIONS }));
    if (pgbench) loads.pgbench = () => pgbench.run(SECONDS);
    for (const run of Object.values(loads)) await run();
    const memory = watchMemory(server);
    const turns = await takeTurns(ROUNDS, loads);
    return { turns, hasPgbench: !!pgbench, mostMb: memory.stop() };
  } finally {
    await bare?.stop?.();
  }
}

function watchMemory(server) {
  let most = 0;
  const timer = setInterval(async () => {
    most = Math.max(most, await server.memoryMb());
  }, 250);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}
