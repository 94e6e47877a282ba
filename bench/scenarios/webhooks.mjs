/** Telling what happened: 10,000 events to a receiver that answers at once, and the same with a million waiting. */
import { fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';

const EVENTS = 10_000;
/** As many as the courier has places for one receiver. */
const AT_ONCE = 128;

async function startReceiver() {
  const child = fork(fileURLToPath(new URL('../support/quick-receiver.mjs', import.meta.url)));
  const hear = () => new Promise((resolve) => child.once('message', resolve));
  const { port } = await hear();
  return {
    url: `http://127.0.0.1:${port}/hook`,
    async received() {
      const heard = hear();
      child.send('how many?');
      return (await heard).received;
    },
    async stop() {
      child.kill();
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

/** A delivery's as a server writes it: the time first, a millisecond for each, and the rest by chance. */
const UUID = `(
  lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
  || '8' || substr(md5(random()::text), 1, 15)
)::uuid`;

/** A disabled subscription, and events that wait for it: what payments would have written, without the payments. */
async function prepare(server, sql, url, count) {
  const response = await fetch(`http://127.0.0.1:${server.port}/v2/webhooks/subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      subscription: { name: 'bench', enabled: false, event_types: ['payment.created'], notification_url: url },
    }),
  });
  const { subscription } = await response.json();
  const object = { id: 'x'.repeat(27), status: 'COMPLETED', note: 'n'.repeat(900) };
  await sql`
    with made as materialized (
      select gen_random_uuid() as event_id, n, at
      from generate_series(1, ${count}::integer) as n
      cross join lateral (select now() - (${count}::integer - n) * interval '1 millisecond' as at) as moment
    ),
    event as (
      insert into webhook_events (merchant_id, event_id, kind, entity_id, body, created_at)
      select
        ${server.merchantId}, event_id, 'payment.created', 'bench' || n,
        '{"merchant_id":"' || ${server.merchantId}::text || '","type":"payment.created","event_id":"' || event_id
        || '","data":{"type":"payment","id":"bench' || n || '","object":' || ${JSON.stringify(object)}::text || '}}', at
      from made
    )
    insert into webhook_deliveries (
      merchant_id, delivery_id, event_id, subscription_id, entity_id, state, run_at, created_at
    )
    select ${server.merchantId}, ${sql.unsafe(UUID)}, event_id, ${subscription.id}, 'bench' || n, 'WAITING', at, at
    from made
    order by n`;
  await sql`analyze webhook_deliveries`;
  const turn = (enabled) => sql`
    update webhook_subscriptions set enabled = ${enabled} where subscription_id = ${subscription.id}`;
  return { id: subscription.id, enable: () => turn(true), disable: () => turn(false) };
}

/** The bare HTTP client, posting the same bodies with as many under way. */
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
    Array.from({ length: AT_ONCE }, async () => {
      while (next < bodies.length) await post(bodies[next++]);
    }),
  );
  agent.destroy();
  return Math.round(bodies.length / ((performance.now() - started) / 1000));
}

/** Enables a subscription that so many wait for, and measures until `count` have come; the receiver tells, not the database. */
async function drain(receiver, subscription, count) {
  const before = await receiver.received();
  const started = performance.now();
  await subscription.enable();
  let received = 0;
  while (received < count) {
    await sleep(10);
    received = (await receiver.received()) - before;
  }
  return { received, seconds: (performance.now() - started) / 1000 };
}

/** Until everything that came is written down; how often each was tried shows that nothing was told twice. */
async function untilRecorded(sql, { id }, count) {
  for (;;) {
    const [{ recorded, attempts }] = await sql`
      select count(*)::integer as recorded, sum(attempts)::integer as attempts
      from webhook_deliveries
      where subscription_id = ${id} and state = 'DELIVERED'`;
    if (recorded >= count) return attempts - recorded;
    await sleep(20);
  }
}

export async function webhooks(server) {
  const sql = postgres(server.databaseUrl, { max: 2, onnotice: () => {} });
  const receiver = await startReceiver();
  try {
    const tell = async (count) => {
      const subscription = await prepare(server, sql, receiver.url, count);
      const { received, seconds } = await drain(receiver, subscription, count);
      const again = await untilRecorded(sql, subscription, count);
      return { perSecond: Math.round(count / seconds), failures: received - count + again };
    };
    await tell(2000);
    const bodies = (await sql`select body from webhook_events limit ${EVENTS}`).map(({ body }) => body);
    while (bodies.length < EVENTS) bodies.push(...bodies.slice(0, EVENTS - bodies.length));
    await postBodies(receiver.url, bodies.slice(0, 2000));
    const measured = await tell(EVENTS);
    const baseline = { perSecond: await postBodies(receiver.url, bodies) };
    return { measured: { ...measured, p50: 0, p99: 0 }, baseline, bar: { least: 0.5 } };
  } finally {
    await receiver.stop();
    await sql.end();
  }
}

/** How many of those that wait are told in the scenario below. */
const TOLD = 10_000;
const FEW = 20_000;
const MANY = 1_000_000;
/** What a server's memory may grow by, with a million waiting instead of a few; more counts as a failure. */
const MAX_GROWTH_MB = 30;

/**
 * Telling 10,000 of 1,000,000 that wait against 10,000 of 20,000: what the time of one becomes with the backlog, and what the
 * server's memory does.
 */
export async function webhooksWaiting(server) {
  const sql = postgres(server.databaseUrl, { max: 2, onnotice: () => {} });
  const receiver = await startReceiver();
  try {
    const tell = async (waiting) => {
      const subscription = await prepare(server, sql, receiver.url, waiting);
      // What inserting so many leaves to be done is no part of telling them.
      await sql`vacuum analyze webhook_events, webhook_deliveries`;
      await sql`checkpoint`;
      const { received, seconds } = await drain(receiver, subscription, TOLD);
      const memory = await server.memoryMb();
      await subscription.disable();
      return { perSecond: received / seconds, memory };
    };
    await tell(FEW);
    const few = await tell(FEW);
    const many = await tell(MANY);
    const growth = many.memory - few.memory;
    console.log(`memory with ${FEW} waiting: ${few.memory} MB, with ${MANY}: ${many.memory} MB`);
    return {
      measured: {
        ...{ perSecond: Math.round(many.perSecond), p50: 0, p99: 0 },
        failures: growth > MAX_GROWTH_MB ? growth : 0,
      },
      baseline: { perSecond: Math.round(few.perSecond) },
      ratio: few.perSecond / many.perSecond,
      bar: { most: 1.3 },
    };
  } finally {
    await receiver.stop();
    await sql.end();
  }
}
