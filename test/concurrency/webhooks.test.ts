/** Two servers of one database deliver events at the same time, also while a subscription or authorization ends. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pollUntil } from '../support/clock.js';
import { repetitions } from '../support/long.js';
import { asClient, createApplication, grant, type TestApplication } from '../support/oauth.js';
import { expectBooksInOrder, pay } from '../support/payments.js';
import { answer, Receiver, subscribe } from '../support/receiver.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const PATIENCE_MS = 30_000;
const AT_ONCE = 50;
const EVENTS = repetitions({ usual: 250, long: 500 });
/** More deliveries than two servers have in flight to one receiver. */
const MORE_THAN_IN_FLIGHT = 400;

let server: TestServer;
let second: TestServer;
let merchant: TestMerchant;
let receiver: Receiver;

beforeAll(async () => {
  server = await startTestServer();
  second = await startTestServer({ databaseUrl: server.databaseUrl });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await second.stop();
  await server.stop();
});
beforeEach(async () => {
  [merchant, receiver] = [await server.createMerchant(), await Receiver.open()];
});
afterEach(() => receiver.close());

/** Creates payments at both servers in turn, concurrently. */
async function payConcurrently(count: number): Promise<void> {
  for (let paid = 0; paid < count; paid += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => pay(index % 2 === 0 ? server : second, merchant)));
  }
}

interface Delivery {
  readonly eventId: string;
  readonly state: string;
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly retryReason: string | null;
}

/** The deliveries of payment events, when none waits and every received request is recorded. */
function finalDeliveries(): Promise<Delivery[]> {
  const list = async () => [
    ...(await server.database.sql<Delivery[]>`
      select d.event_id, d.state, d.attempts, d.retry_reason
      from webhook_deliveries d
      join webhook_events e using (merchant_id, event_id)
      where merchant_id = ${merchant.id} and e.kind = 'payment.created'`),
  ];
  const areFinal = (deliveries: readonly Delivery[]) =>
    deliveries.every(({ state }) => state !== 'WAITING') &&
    deliveries.reduce((sum, { attempts }) => sum + attempts, 0) ===
      receiver.kinds().filter((kind) => kind === 'payment.created').length;
  return pollUntil(list, areFinal, PATIENCE_MS);
}

/** How often each payment's event was received. */
function countReceived(): Map<string, number> {
  const times = new Map<string, number>();
  for (const { body } of receiver.received) {
    if (body.type === 'payment.created') times.set(body.event_id, (times.get(body.event_id) ?? 0) + 1);
  }
  return times;
}

describe('two servers', () => {
  it(`deliver ${EVENTS} events: every one, and none twice`, async () => {
    await subscribe(server, merchant, receiver.url);
    await payConcurrently(EVENTS);
    const deliveries = await finalDeliveries();
    expect(deliveries).toHaveLength(EVENTS);
    const outcomes = deliveries.map(({ state, attempts, retryReason }) => `${state} ${attempts} ${retryReason}`);
    expect(new Set(outcomes)).toEqual(new Set(['DELIVERED 1 null']));
    expect(countReceived()).toEqual(new Map(deliveries.map(({ eventId }) => [eventId, 1])));
  });
});

describe('while both servers deliver', () => {
  let application: TestApplication;
  let token: string;

  beforeEach(async () => {
    application = await createApplication(server);
    ({ access_token: token } = await grant(server, application, merchant.id));
  });

  /** Ends a subscription or authorization while deliveries are in flight and many more wait. Returns the final deliveries. */
  async function endDuringDelivery(end: () => Promise<number>): Promise<Delivery[]> {
    const held: (() => void)[] = [];
    receiver.answering = (response) => held.push(() => response.end());
    await payConcurrently(MORE_THAN_IN_FLIGHT);
    await receiver.until(1);
    expect(await end()).toBe(200);
    receiver.answering = answer(200);
    for (const release of held) release();
    return finalDeliveries();
  }

  /** A delivery that was in flight may have arrived, and its attempt is recorded. Nothing else is delivered, then or later. */
  function expectEnded(deliveries: readonly Delivery[]): void {
    expect(deliveries).toHaveLength(MORE_THAN_IN_FLIGHT);
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(['GIVEN_UP']));
    expect(deliveries.some(({ attempts }) => attempts === 0)).toBe(true);
    expect(countReceived()).toEqual(
      new Map(deliveries.filter(({ attempts }) => attempts > 0).map(({ eventId, attempts }) => [eventId, attempts])),
    );
  }

  it('a revoked authorization cancels waiting deliveries, and the application receives only the revocation', async () => {
    await subscribe(server, { token }, receiver.url);
    const body = { client_id: application.id, merchant_id: merchant.id };
    const deliveries = await endDuringDelivery(
      async () => (await second.call('POST', '/oauth2/revoke', { ...asClient(application), body })).status,
    );
    expectEnded(deliveries);
    const isRevocation = (kind: string) => kind === 'oauth.authorization.revoked';
    await pollUntil(
      async () => receiver.kinds(),
      (kinds) => kinds.some(isRevocation),
      PATIENCE_MS,
    );
    expect(receiver.kinds().filter(isRevocation)).toHaveLength(1);
  });

  it('a deleted subscription cancels waiting deliveries', async () => {
    const { id } = await subscribe(server, { token }, receiver.url);
    expectEnded(
      await endDuringDelivery(
        async () => (await second.call('DELETE', `/v2/webhooks/subscriptions/${id}`, { token })).status,
      ),
    );
  });
});
