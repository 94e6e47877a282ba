/** A database that becomes unavailable in every way under load, again and again: nothing acknowledged is lost, and the books hold. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectBooksInOrder, untilReady } from '../outage/outage-fixture.js';
import { outagesOf } from '../outage/outages.js';
import { OwnPostgres } from '../support/own-postgres.js';
import { Server } from '../support/process.js';
import { ACCOUNT_KEY, OPERATOR_KEY } from '../support/server.js';
import { Wire } from '../support/wire.js';
import { type Counts, playRounds, type Round } from './rounds.js';
import { type Call, Traffic } from './traffic.js';

/** The laws read all books, which grow. */
const CHECKED_EVERY = 10;
/** Acts before the first outage, between two, and after the last. */
const BETWEEN = 20;

let database: OwnPostgres;
let wire: Wire;
let server: Server;

beforeAll(async () => {
  database = await OwnPostgres.make();
  await database.start();
  wire = await Wire.start(database.port);
  const args = ['--database-url', database.urlAt(`127.0.0.1:${wire.port}`), '--demo', 'off'];
  const env = { TILLHOUSE_OPERATOR_KEY: OPERATOR_KEY, TILLHOUSE_ACCOUNT_KEY: ACCOUNT_KEY };
  server = await Server.start({ args, env });
});
afterAll(async () => {
  await server.stop();
  await expectBooksInOrder(['--database-url', database.url]);
  await wire.stop();
  await database.stop();
});

const call: Call = (method, path, token, body) =>
  server.call(method, path, { token, ...(body !== undefined && { body }) });

const OUTAGES = outagesOf(() => ({ database, wire }));
const plan = fc.array(
  fc.record({ kind: fc.constantFrom(...Object.keys(OUTAGES)), lastsMs: fc.integer({ min: 0, max: 2_500 }) }),
  { minLength: 1, maxLength: 3 },
);

async function play(round: Round): Promise<Counts> {
  const traffic = await Traffic.start(call, round);
  await traffic.untilAcknowledged(BETWEEN);
  const outages = round.draw(plan);
  for (const { kind, lastsMs } of outages) {
    await OUTAGES[kind]?.begin();
    await sleep(lastsMs);
    await OUTAGES[kind]?.end();
    await untilReady(server);
    await traffic.untilAcknowledged(BETWEEN);
  }
  const counts = await traffic.finish();
  if (round.number % CHECKED_EVERY === 0) await expectBooksInOrder(['--database-url', database.url]);
  return { outages: outages.length, ...counts };
}

it('outages under load lose nothing that was acknowledged, and the server always answers', {
  timeout: 0,
}, async () => {
  const { counts } = await playRounds({ name: 'outages', usual: 5, play });
  expect(counts['requests without an answer']).toBeGreaterThan(0);
});
