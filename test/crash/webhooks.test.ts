/** A server that is killed while it delivers events: the next server delivers all of them. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findJoinedServer } from '../support/built.js';
import { expectBooksInOrder, pay } from '../support/payments.js';
import { makeDeliveriesDue, Receiver, subscribe } from '../support/receiver.js';
import { ACCOUNT_KEY, cloneDatabase, OPERATOR_KEY, startTestServer, type TestDatabase } from '../support/server.js';

const FIXTURE = fileURLToPath(new URL('./server-process.mjs', import.meta.url));
const EVENTS = 1000;

let built: string;
let database: TestDatabase;
let dataDir: string;
let receiver: Receiver;

beforeAll(async () => {
  [built, database, receiver] = [await findJoinedServer(), await cloneDatabase(), await Receiver.open()];
  dataDir = await mkdtemp(join(tmpdir(), 'tillhouse-kill-'));
});
afterAll(async () => {
  await receiver.close();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function startVictim(): Promise<ChildProcess> {
  const config = {
    ...{ databaseUrl: database.url, dataDir, port: 0, host: '127.0.0.1', demoBeyondLoopback: false },
    ...{ mode: 'sandbox', retired: 'serve', logLevel: 'error', operatorKey: OPERATOR_KEY, accountKey: ACCOUNT_KEY },
  };
  const child = fork(FIXTURE, [built, JSON.stringify({ config })], { execArgv: [] });
  await once(child, 'message');
  return child;
}

it('kill -9 in the middle of 1,000 deliveries loses none', async () => {
  const recorder = await startTestServer({ databaseUrl: database.url });
  const merchant = await recorder.createMerchant();
  await subscribe(recorder, merchant, receiver.url);
  receiver.answering = () => {}; // the server that recorded them releases its claims when it stops
  const payments = new Set<string>();
  for (let batch = 0; batch < EVENTS / 50; batch++) {
    const paid = await Promise.all(Array.from({ length: 50 }, () => pay(recorder, merchant)));
    for (const each of paid) payments.add(each.id);
  }
  expect(payments.size).toBe(EVENTS);
  await recorder.stop();
  const timesReceived = new Map<string, number>();
  receiver.received.length = 0;
  let tellThird: () => void = () => {};
  const third = new Promise<void>((resolve) => {
    tellThird = resolve;
  });
  receiver.answering = (response, { body }) => {
    timesReceived.set(body.data.id, (timesReceived.get(body.data.id) ?? 0) + 1);
    if (timesReceived.size > EVENTS / 3) tellThird(); // not seen by a look at intervals: the others take only a moment
    setTimeout(() => response.end(), 5); // so that some are always in flight
  };

  const victim = await startVictim();
  await third;
  const exited = once(victim, 'exit');
  victim.kill('SIGKILL');
  await exited;
  expect(timesReceived.size).toBeGreaterThan(0);
  expect(timesReceived.size).toBeLessThan(EVENTS);

  const rescuer = await startTestServer({ databaseUrl: database.url });
  try {
    await makeDeliveriesDue(rescuer); // the claims of the killed server expire after 30 seconds
    await expect.poll(() => timesReceived.size, { timeout: 60_000 }).toBe(EVENTS);
    await expect
      .poll(async () => [...(await rescuer.database.sql`select state, count(*) from webhook_deliveries group by 1`)], {
        timeout: 60_000,
      })
      .toEqual([{ state: 'DELIVERED', count: EVENTS }]);
    expect(new Set(timesReceived.keys())).toEqual(payments);
    // Only deliveries that were in flight, or whose response was not recorded, arrive twice.
    const twice = [...timesReceived.values()].filter((times) => times > 1);
    expect(twice.length).toBeLessThanOrEqual(128 + 256);
    await expectBooksInOrder(rescuer);
  } finally {
    await rescuer.stop();
  }
});
