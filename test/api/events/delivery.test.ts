/** Delivery to receivers that time out, respond late or fail, and the record of every attempt. */
import { createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pollUntil } from '../../support/clock.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { repetitions } from '../../support/long.js';
import { approve, expectBooksInOrder, pay } from '../../support/payments.js';
import { answer, makeDeliveriesDue, Receiver, subscribe, untilDeliveriesFinal } from '../../support/receiver.js';
import { cloneDatabase, startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
let owner: TestOwner;
let merchant: TestMerchant;
let receiver: Receiver;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});
beforeEach(async () => {
  owner = await createOwner(server);
  merchant = owner.merchant;
  receiver = await Receiver.open();
});
afterEach(async () => {
  await receiver.close();
  await server.database.sql`delete from webhook_subscriptions`;
  await server.database.sql`
    update webhook_deliveries set state = 'GIVEN_UP', run_at = null, leased_until = null where state = 'WAITING'`;
});

interface Shown {
  readonly delivery: { state: string; attempt_count: number; next_attempt_at?: string };
  readonly attempts: { number: number; status_code?: number; failure?: string; answer: string; started_at: string }[];
}

async function onlyDelivery(): Promise<string> {
  const { body } = await owner.call('GET', '/api/dashboard/webhook-deliveries');
  expect(body.deliveries).toHaveLength(1);
  return body.deliveries[0].id;
}

/** The only delivery of the merchant, after the given number of attempts. */
async function tried(attempts: number): Promise<Shown> {
  const id = await onlyDelivery();
  const { body } = await pollUntil(
    () => owner.call('GET', `/api/dashboard/webhook-deliveries/${id}`),
    ({ body: shown }) => shown.attempts.length >= attempts,
    15_000,
  );
  return body;
}

describe('a receiver that does not accept a message', () => {
  it.each([
    { how: 'a refusal', answering: answer(503, 'Not now.'), status_code: 503, failure: 'http_error', says: 'Not now.' },
    {
      how: 'a redirect, which is not followed',
      answering: answer(302, '', { location: '/elsewhere' }),
      status_code: 302,
      failure: 'http_error',
      says: '',
    },
    {
      how: 'a broken connection',
      answering: (response: { destroy(): void }) => response.destroy(),
      status_code: undefined,
      failure: 'other_error',
      says: 'socket hang up',
    },
  ])('gets a retry after a minute, with the reason: $how', async ({ answering, status_code, failure, says }) => {
    const { signature_key } = await subscribe(server, merchant, receiver.url);
    receiver.answering = answering;
    await pay(server, merchant);
    const first = await tried(1);
    expect(first.attempts).toEqual([
      {
        number: 1,
        started_at: expect.any(String),
        duration_ms: expect.any(Number),
        ...(status_code && { status_code }),
        failure,
        answer: says,
      },
    ]);
    expect(first.delivery).toMatchObject({ state: 'WAITING', attempt_count: 1 });
    const pause = Date.parse(first.delivery.next_attempt_at ?? '') - Date.parse(first.attempts[0]?.started_at ?? '');
    expect(pause).toBeGreaterThanOrEqual(60_000);
    expect(pause).toBeLessThan(70_000);

    receiver.answering = answer(204);
    await makeDeliveriesDue(server);
    const second = await tried(2);
    expect(second.delivery).toMatchObject({ state: 'DELIVERED', attempt_count: 2 });
    expect(second.delivery).not.toHaveProperty('next_attempt_at');
    expect(receiver.received).toHaveLength(2);
    const [before, after] = receiver.received;
    expect(after?.text).toBe(before?.text);
    expect(after?.path).toBe('/hook');
    expect(after?.headers).toMatchObject({
      'square-retry-number': '1',
      'square-retry-reason': failure,
      'square-initial-delivery-timestamp': before?.headers['square-initial-delivery-timestamp'],
      'x-square-signature': createHmac('sha1', signature_key).update(`${receiver.url}${after?.text}`).digest('base64'),
    });
  });

  it('gets the message at once on another connection if it closed the idle one', async () => {
    const connections = new Set<Socket>();
    await subscribe(server, merchant, receiver.url);
    receiver.answering = (response) => {
      const isReused = response.socket !== null && connections.has(response.socket);
      if (response.socket) connections.add(response.socket);
      if (isReused) response.destroy();
      else response.writeHead(200).end();
    };
    await pay(server, merchant);
    await untilDeliveriesFinal(server, merchant.id);
    await pay(server, merchant);
    await untilDeliveriesFinal(server, merchant.id);
    const { body } = await owner.call('GET', '/api/dashboard/webhook-deliveries');
    const outcomes = body.deliveries.map((each: Shown['delivery']) => `${each.state} ${each.attempt_count}`);
    expect(outcomes).toEqual(['DELIVERED 1', 'DELIVERED 1']);
    expect([receiver.received.length, connections.size]).toEqual([3, 2]);
  });

  it('gets 12 attempts in a day, then the delivery fails; a replay starts the attempts again', async () => {
    await subscribe(server, merchant, receiver.url);
    receiver.answering = answer(500);
    await pay(server, merchant);
    for (let attempt = 1; attempt <= 12; attempt++) {
      expect((await tried(attempt)).delivery.state).toBe(attempt === 12 ? 'GIVEN_UP' : 'WAITING');
      await makeDeliveriesDue(server);
    }
    await sleep(300);
    expect(receiver.received).toHaveLength(12);
    expect(receiver.received[11]?.headers['square-retry-number']).toBe('11');

    receiver.answering = answer(200);
    const replayed = await owner.call('POST', `/api/dashboard/webhook-deliveries/${await onlyDelivery()}/replay`);
    expect([replayed.status, replayed.body]).toEqual([200, {}]);
    expect((await tried(13)).delivery.state).toBe('DELIVERED');
    expect(receiver.received[12]?.headers).not.toHaveProperty('square-retry-number');
    expect(receiver.received[12]?.text).toBe(receiver.received[0]?.text);
  });

  it('times out after 10 seconds', async () => {
    await subscribe(server, merchant, receiver.url);
    receiver.answering = () => {};
    await pay(server, merchant);
    const { attempts } = await tried(1);
    expect(attempts[0]).toMatchObject({ failure: 'http_timeout', duration_ms: expect.any(Number) });
    const { duration_ms } = attempts[0] as unknown as { duration_ms: number };
    expect(duration_ms).toBeGreaterThanOrEqual(9_900);
    expect(duration_ms).toBeLessThan(13_000);
  });

  it('does not delay deliveries to other receivers', async () => {
    const dead = await Receiver.open();
    dead.answering = () => {};
    await subscribe(server, merchant, dead.url);
    await subscribe(server, merchant, receiver.url);
    await Promise.all(Array.from({ length: 100 }, () => pay(server, merchant)));
    await receiver.until(100);
    expect(receiver.received).toHaveLength(100);
    expect(dead.received.length).toBeGreaterThan(0);
    // No attempt at the dead receiver has timed out yet.
    const attempts = await server.database.sql`
      select from webhook_attempts where merchant_id = ${merchant.id} and failure is not null`;
    expect(attempts).toHaveLength(0);
    await dead.close();
  });
});

describe('the response of a receiver', () => {
  it('is stored up to its first 1,024 bytes, whatever they contain', async () => {
    await subscribe(server, merchant, receiver.url);
    receiver.answering = answer(200, `\0${'x'.repeat(5000)}`);
    await pay(server, merchant);
    const { attempts, delivery } = await tried(1);
    expect([delivery.state, attempts[0]?.answer]).toEqual(['DELIVERED', 'x'.repeat(1023)]);
  });

  it('is cut off if it never ends, and its status counts', async () => {
    await subscribe(server, merchant, receiver.url);
    receiver.answering = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('y'.repeat(64 * 1024)), 5);
      response.on('close', () => clearInterval(timer));
    };
    await pay(server, merchant);
    expect((await tried(1)).delivery.state).toBe('DELIVERED');
  });
});

describe('the order of deliveries', () => {
  it('follows the order of the changes of one payment while no delivery fails', async () => {
    await subscribe(server, merchant, receiver.url);
    const payments = [];
    for (let count = 0; count < 10; count++) {
      const payment = await approve(server, merchant);
      await server.call('POST', `/v2/payments/${payment.id}/complete`, merchant);
      payments.push(payment.id);
    }
    await receiver.until(20);
    for (const id of payments) {
      const types = receiver.received.filter(({ body }) => body.data.id === id).map(({ body }) => body.type);
      expect(types).toEqual(['payment.created', 'payment.updated']);
    }
  });

  it('makes a later event wait for the first attempt of an earlier one, but not for its retry', async () => {
    await subscribe(server, merchant, receiver.url);
    const waiting: (() => void)[] = [];
    receiver.answering = (response) => waiting.push(() => response.writeHead(500).end());
    const payment = await approve(server, merchant);
    await server.call('POST', `/v2/payments/${payment.id}/complete`, merchant);
    await receiver.until(1);
    await sleep(400);
    expect(receiver.kinds()).toEqual(['payment.created']);
    receiver.answering = answer(200);
    waiting[0]?.();
    await receiver.until(2);
    expect(receiver.kinds()).toEqual(['payment.created', 'payment.updated']);
  });
});

describe('several servers on one database', () => {
  it('share the deliveries and send each message once', async () => {
    const others = await Promise.all([1, 2].map(() => startTestServer({ databaseUrl: server.databaseUrl })));
    try {
      await subscribe(server, merchant, receiver.url);
      const count = repetitions({ usual: 100, long: 300 });
      await Promise.all(Array.from({ length: count }, () => pay(server, merchant)));
      await untilDeliveriesFinal(server, merchant.id);
      expect(receiver.received).toHaveLength(count);
      expect(new Set(receiver.received.map(({ body }) => body.event_id)).size).toBe(count);
    } finally {
      for (const each of others) await each.stop();
    }
  });

  it('take over immediately the deliveries in flight at a server that stops', async () => {
    const database = await cloneDatabase();
    const stoppingServer = await startTestServer({ databaseUrl: database.url });
    const someone = await stoppingServer.createMerchant();
    await subscribe(stoppingServer, someone, receiver.url);
    receiver.answering = () => {};
    await pay(stoppingServer, someone);
    await receiver.until(1);
    await stoppingServer.stop();
    receiver.answering = answer(200);
    const next = await startTestServer({ databaseUrl: database.url });
    try {
      await receiver.until(2, 20_000); // shorter than the lease: the takeover does not wait for it
      expect(receiver.received).toHaveLength(2);
      const [delivery] = await untilDeliveriesFinal(next, someone.id);
      expect(delivery).toMatchObject({ state: 'DELIVERED', attempt_count: 1 });
    } finally {
      await next.stop();
      await database.drop();
    }
  });
});

describe('dashboard.listWebhookDeliveries and its siblings', () => {
  it("return the owner's own deliveries, newest first, by state, and none of other merchants", async () => {
    const stranger = await createOwner(server);
    await subscribe(server, merchant, receiver.url);
    for (let count = 0; count < 3; count++) await pay(server, merchant);
    await untilDeliveriesFinal(server, merchant.id);
    const { body } = await owner.call('GET', '/api/dashboard/webhook-deliveries?state=DELIVERED');
    expect(body.deliveries).toHaveLength(3);
    const times = body.deliveries.map(({ created_at }: { created_at: string }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect((await owner.call('GET', '/api/dashboard/webhook-deliveries?state=WAITING')).body.deliveries).toEqual([]);
    expect((await stranger.call('GET', '/api/dashboard/webhook-deliveries')).body.deliveries).toEqual([]);
    const [{ id }] = body.deliveries;
    for (const [method, path] of [
      ['GET', `/api/dashboard/webhook-deliveries/${id}`],
      ['POST', `/api/dashboard/webhook-deliveries/${id}/replay`],
    ] as const) {
      expect((await stranger.call(method, path)).status).toBe(404);
    }
  });
});
