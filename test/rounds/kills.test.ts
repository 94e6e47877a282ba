/** Servers and databases that are killed under load, again and again: whatever was acknowledged is there once, and the books hold. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectBooksInOrder, untilReady } from '../outage/outage-fixture.js';
import { OwnPostgres } from '../support/own-postgres.js';
import { newDataDir, Server } from '../support/process.js';
import { ACCOUNT_KEY, OPERATOR_KEY } from '../support/server.js';
import { type Counts, playRounds, type Round } from './rounds.js';
import { type Call, Traffic } from './traffic.js';

/** The laws read all books, which grow. */
const CHECKED_EVERY = 10;
/** Acts after the last kill of a round. */
const AFTERWARDS = 20;

let database: OwnPostgres;
let server: Server;
let dataDir: string;

beforeAll(async () => {
  database = await OwnPostgres.make();
  await database.start();
  dataDir = await newDataDir();
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
  await expectBooksInOrder(['--database-url', database.url]);
  await database.stop();
});

function startServer(): Promise<Server> {
  const args = ['--database-url', database.url, '--demo', 'off'];
  const env = { TILLHOUSE_OPERATOR_KEY: OPERATOR_KEY, TILLHOUSE_ACCOUNT_KEY: ACCOUNT_KEY };
  return Server.start({ dataDir, args, env });
}

const call: Call = (method, path, token, body) =>
  server.call(method, path, { token, ...(body !== undefined && { body }) }).catch(() => undefined);

const KILLS: Readonly<Record<string, () => Promise<void>>> = {
  async server() {
    await server.crash();
    server = await startServer();
  },
  async database() {
    await database.stop('kill');
    await database.start();
    await untilReady(server);
  },
  async both() {
    await Promise.all([server.crash(), database.stop('kill')]);
    await database.start();
    server = await startServer();
  },
};

const plan = fc.array(
  fc.record({ victim: fc.constantFrom(...Object.keys(KILLS)), afterMs: fc.integer({ min: 0, max: 400 }) }),
  { minLength: 1, maxLength: 3 },
);

async function play(round: Round): Promise<Counts> {
  const traffic = await Traffic.start(call, round);
  await traffic.untilAcknowledged(AFTERWARDS);
  const kills = round.draw(plan);
  for (const { victim, afterMs } of kills) {
    await sleep(afterMs);
    await KILLS[victim]?.();
  }
  await traffic.untilAcknowledged(AFTERWARDS);
  const counts = await traffic.finish();
  if (round.number % CHECKED_EVERY === 0) await expectBooksInOrder(['--database-url', database.url]);
  const killed = (name: string) => kills.filter(({ victim }) => victim === name || victim === 'both').length;
  return { 'kills of a server': killed('server'), 'kills of the database': killed('database'), ...counts };
}

it('kills of server and database under load lose nothing that was acknowledged, and do nothing twice', {
  timeout: 0,
}, async () => {
  const { counts } = await playRounds({ name: 'kills', usual: 5, play });
  expect(counts['requests without an answer']).toBeGreaterThan(0);
});
