/** Two servers of one database deliver events at the same time, also while a subscription or authorization ends. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { askUntil } from '../support/clock.js';
import { asClient, createApplication, grant, type TestApplication } from '../support/oauth.js';
import { expectBooksInOrder, pay } from '../support/payments.js';
import { answer, Receiver, subscribe } from '../support/receiver.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const PATIENCE_MS = 30_000;
const AT_ONCE = 50;
/** More deliveries than two servers have in flight to one receiver. */
const MORE_THAN_UNDER_WAY = 400;

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
async function payOften(count: number): Promise<void> {
  for (let paid = 0; paid < count; paid += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => pay(index % 2 === 0 ? server : second, merchant)));
  }
}

interface Told {
  readonly eventId: string;
  readonly state: string;
  readonly attempts: number;
}

/** The deliveries of payment events, when none waits and every received request is recorded. */
function settled(): Promise<Told[]> {
  const list = async () => [
    ...(await server.database.sql<Told[]>`
      select d.event_id, d.state, d.attempts
      from webhook_deliveries d
      join webhook_events e using (merchant_id, event_id)
      where merchant_id = ${merchant.id} and e.kind = 'payment.created'`),
  ];
  const isSettled = (told: readonly Told[]) =>
    told.every(({ state }) => state !== 'WAITING') &&
    told.reduce((sum, { attempts }) => sum + attempts, 0) ===
      receiver.kinds().filter((kind) => kind === 'payment.created').length;
  return askUntil(list, isSettled, PATIENCE_MS);
}

/** How often each payment's event was received. */
function timesTold(): Map<string, number> {
  const times = new Map<string, number>();
  for (const { body } of receiver.received) {
    if (body.type === 'payment.created') times.set(body.event_id, (times.get(body.event_id) ?? 0) + 1);
  }
  return times;
}

describe('two servers', () => {
  it('deliver 500 events: every one, and none twice', async () => {
    await subscribe(server, merchant, receiver.url);
    await payOften(500);
    const told = await settled();
    expect(told).toHaveLength(500);
    expect(new Set(told.map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(new Set(['DELIVERED 1']));
    expect(timesTold()).toEqual(new Map(told.map(({ eventId }) => [eventId, 1])));
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
  async function endAmid(end: () => Promise<number>): Promise<Told[]> {
    const held: (() => void)[] = [];
    receiver.answering = (response) => held.push(() => response.end());
    await payOften(MORE_THAN_UNDER_WAY);
    await receiver.until(1);
    expect(await end()).toBe(200);
    receiver.answering = answer(200);
    for (const release of held) release();
    return settled();
  }

  /** A delivery that was in flight may have arrived, and is recorded as delivered. Nothing else is delivered, then or later. */
  function expectEnded(told: readonly Told[]): void {
    expect(told).toHaveLength(MORE_THAN_UNDER_WAY);
    expect(new Set(told.map(({ state }) => state))).toEqual(new Set(['GIVEN_UP']));
    expect(told.some(({ attempts }) => attempts === 0)).toBe(true);
    expect(timesTold()).toEqual(
      new Map(told.filter(({ attempts }) => attempts > 0).map(({ eventId, attempts }) => [eventId, attempts])),
    );
  }

  it('a revoked authorization cancels waiting deliveries, and the application receives only the revocation', async () => {
    await subscribe(server, { token }, receiver.url);
    const body = { client_id: application.id, merchant_id: merchant.id };
    const told = await endAmid(
      async () => (await second.call('POST', '/oauth2/revoke', { ...asClient(application), body })).status,
    );
    expectEnded(told);
    const isRevocation = (kind: string) => kind === 'oauth.authorization.revoked';
    await askUntil(
      async () => receiver.kinds(),
      (kinds) => kinds.some(isRevocation),
      PATIENCE_MS,
    );
    expect(receiver.kinds().filter(isRevocation)).toHaveLength(1);
  });

  it('a deleted subscription cancels waiting deliveries', async () => {
    const { id } = await subscribe(server, { token }, receiver.url);
    expectEnded(
      await endAmid(async () => (await second.call('DELETE', `/v2/webhooks/subscriptions/${id}`, { token })).status),
    );
  });
});
