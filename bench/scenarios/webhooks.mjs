/** Webhook delivery: 10,000 events to a receiver that responds immediately, and the same with a backlog of a million. */
import { fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { startServer } from '../support/processes.mjs';
import { MANY } from '../support/size.mjs';
import { takeTurns } from '../support/turns.mjs';

const EVENTS = 10_000;
/** The worker's limit of deliveries in flight for one receiver. */
const IN_FLIGHT = 128;

export async function startReceiver() {
  const child = fork(fileURLToPath(new URL('../support/quick-receiver.mjs', import.meta.url)));
  const nextMessage = () => new Promise((resolve) => child.once('message', resolve));
  const { port } = await nextMessage();
  return {
    url: `http://127.0.0.1:${port}/hook`,
    async received() {
      const count = nextMessage();
      child.send('count');
      return (await count).received;
    },
    async stop() {
      child.kill();
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

/** Delivery ids as the server creates them: the time in milliseconds first, the rest random. */
const UUID = `(
  lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
  || '8' || substr(md5(random()::text), 1, 15)
)::uuid`;

/** Creates a disabled subscription with waiting events, as payments would record them, but without the payments. */
async function prepare(server, sql, url, count) {
  const response = await fetch(`http://127.0.0.1:${server.port}/v2/webhooks/subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      subscription: { name: 'bench', enabled: false, event_types: ['payment.created'], notification_url: url },
    }),
  });
  const { subscription } = await response.json();
  await insertWaiting(server, sql, subscription.id, count);
  await sql`analyze webhook_deliveries`;
  const turn = (enabled) => sql`
    update webhook_subscriptions set enabled = ${enabled} where subscription_id = ${subscription.id}`;
  return { id: subscription.id, enable: () => turn(true), disable: () => turn(false) };
}

/** The events that are delivered are as long as real ones. The others only wait, and are short: writing long ones takes a minute. */
async function insertWaiting({ merchantId }, sql, subscriptionId, count) {
  const insert = (from, to) => sql`
    with new_event as materialized (
      select gen_random_uuid() as event_id, n, at
      from generate_series(${from}::integer, ${to}::integer) as n
      cross join lateral (select now() - (${count}::integer - n) * interval '1 millisecond' as at) as moment
    ),
    event as (
      insert into webhook_events (merchant_id, event_id, kind, entity_id, body, created_at)
      select
        ${merchantId}, event_id, 'payment.created', 'bench' || n,
        '{"merchant_id":"' || ${merchantId}::text || '","type":"payment.created","event_id":"' || event_id
        || '","data":{"type":"payment","id":"bench' || n || '","object":{"id":"' || repeat('x', 27) || '","status":"COMPLETED","note":"'
        || repeat('n', case when n <= ${FEW} then 900 else 0 end) || '"}}}', at
      from new_event
    )
    insert into webhook_deliveries (
      merchant_id, delivery_id, event_id, subscription_id, entity_id, state, run_at, created_at, ordinal
    )
    select ${merchantId}, ${sql.unsafe(UUID)}, event_id, ${subscriptionId}, 'bench' || n, 'WAITING', at, at,
      extract(epoch from at)::bigint * 1000000 + n
    from new_event
    order by n`;
  const middle = Math.floor(count / 2);
  await Promise.all([insert(1, middle), insert(middle + 1, count)]); // one connection is busy with one core
}

/** Baseline: the bare HTTP client posts the same bodies with as many in flight. */
async function postBodies(url, bodies) {
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  const post = (body) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        response.on('end', resolve);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const started = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next < bodies.length) await post(bodies[next++]);
    }),
  );
  agent.destroy();
  return Math.round(bodies.length / ((performance.now() - started) / 1000));
}

/**
 * Enables the subscription and measures from the first message until the receiver has counted `count` of them. The subscription is enabled
 * in the database only, where the server finds it within a second.
 */
async function drain(receiver, subscription, count) {
  const before = await receiver.received();
  await subscription.enable();
  const first = await untilReceived(receiver, before + 1);
  const last = await untilReceived(receiver, before + count);
  const perSecond = Math.round(((last.received - first.received) * 1000) / (last.at - first.at));
  return { received: last.received - before, perSecond };
}

/** Waits until all deliveries are recorded, and returns the number of additional attempts, which must be zero. */
async function waitUntilRecorded(sql, { id }, count) {
  for (;;) {
    const [{ recorded, attempts }] = await sql`
      select count(*)::integer as recorded, sum(attempts)::integer as attempts
      from webhook_deliveries
      where subscription_id = ${id} and state = 'DELIVERED'`;
    if (recorded >= count) return attempts - recorded;
    await sleep(20);
  }
}

export async function webhooks({ server }) {
  const sql = postgres(server.databaseUrl, { max: 2, onnotice: () => {} });
  const receiver = await startReceiver();
  try {
    const deliver = async (count) => {
      const subscription = await prepare(server, sql, receiver.url, count);
      const { received, perSecond } = await drain(receiver, subscription, count);
      const repeated = await waitUntilRecorded(sql, subscription, count);
      return { perSecond, failures: received - count + repeated };
    };
    await deliver(2000);
    const bodies = (await sql`select body from webhook_events limit ${EVENTS}`).map(({ body }) => body);
    while (bodies.length < EVENTS) bodies.push(...bodies.slice(0, EVENTS - bodies.length));
    await postBodies(receiver.url, bodies.slice(0, 2000));
    const measured = await deliver(EVENTS);
    const baseline = { perSecond: await postBodies(receiver.url, bodies) };
    const ratio = measured.perSecond / baseline.perSecond;
    return { measured: { ...measured, p50: 0, p99: 0 }, baseline, ratio, bar: { min: 0.5 } };
  } finally {
    await receiver.stop();
    await sql.end();
  }
}

/** What is delivered at a time: first some that are not measured, while the worker finds out that there is something to do. */
const [UNMEASURED, MEASURED] = [500, 2500];
const ROUNDS = 4;
const FEW = 20_000;
/** The limit of the server's memory growth with a backlog of a million; more counts as a failure. */
const MAX_GROWTH_MB = 30;

/**
 * Delivers 15,000 of 1,000,000 waiting events. Baseline: 15,000 of 20,000, on a second server, in turn. Measures how the backlog changes
 * the time per delivery and the server's memory.
 */
export async function webhooksWaiting({ server }) {
  const other = await startServer();
  const closings = [() => other.stop()];
  try {
    const ownMb = await server.memoryMb(); // of what ran before
    const otherMb = await other.memoryMb();
    const [many, few] = [await openBacklog(server, MANY, closings), await openBacklog(other, FEW, closings)];
    for (const backlog of [few, many]) await backlog.deliverSome();
    const turns = await takeTurns(ROUNDS, { few: few.deliverSome, many: many.deliverSome });
    const grown = { few: (await other.memoryMb()) - otherMb, many: (await server.memoryMb()) - ownMb };
    const growth = grown.many - grown.few;
    console.log(`  memory grew by ${grown.few} MB with ${FEW} waiting events, by ${grown.many} MB with ${MANY}`);
    const { measured, ...outcome } = turns.against('many', 'few', { max: 1.1 });
    const failures = growth > MAX_GROWTH_MB ? growth : 0;
    return { ...outcome, measured: { ...measured, failures }, ratio: turns.ratio('few', 'many') };
  } finally {
    for (const close of closings.reverse()) await close();
  }
}

async function openBacklog(server, count, closings) {
  const sql = postgres(server.databaseUrl, { max: 2, onnotice: () => {} });
  closings.push(() => sql.end());
  const receiver = await startReceiver();
  closings.push(() => receiver.stop());
  const subscription = await prepare(server, sql, receiver.url, count);
  // The work that the inserts leave to PostgreSQL must not be part of the measurement.
  await sql`vacuum analyze webhook_events, webhook_deliveries`;
  await sql`checkpoint`;
  return {
    async deliverSome() {
      const before = await receiver.received();
      await subscription.enable();
      const first = await untilReceived(receiver, before + UNMEASURED);
      const last = await untilReceived(receiver, first.received + MEASURED);
      await subscription.disable();
      await untilQuiet(receiver);
      return { perSecond: ((last.received - first.received) * 1000) / (last.at - first.at) };
    },
  };
}

async function untilReceived(receiver, count) {
  for (;;) {
    const received = await receiver.received();
    if (received >= count) return { received, at: performance.now() };
    await sleep(5);
  }
}

async function untilQuiet(receiver) {
  for (let [before, now] = [-1, await receiver.received()]; now > before; now = await receiver.received()) {
    before = now;
    await sleep(200);
  }
}
