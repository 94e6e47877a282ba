/** Webhook messages that the operator's faults duplicate or delay (decision 0083). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pollUntil } from '../../support/clock.js';
import {
  approve,
  expectBooksInOrder,
  expectRefusal,
  type Json,
  pay,
  type WirePayment,
  withoutServer,
} from '../../support/payments.js';
import { answer, type Received, Receiver, subscribe, untilDeliveriesFinal } from '../../support/receiver.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const HOUR_MS = 3_600_000;

let server: TestServer;
/** A second server on the same database, which delivers too. */
let other: TestServer;
let merchant: TestMerchant;
let receiver: Receiver;

beforeAll(async () => {
  server = await startTestServer();
  other = await startTestServer({ databaseUrl: server.databaseUrl });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await other.stop();
  await server.stop();
});
beforeEach(async () => {
  merchant = await server.createMerchant();
  receiver = await Receiver.open();
});
afterEach(async () => {
  await server.operator('DELETE', '/api/sandbox/faults');
  await receiver.close();
});

async function add(fault: Json): Promise<Json & { id: string }> {
  const added = await server.operator('POST', '/api/sandbox/faults', fault);
  expect(added.status, added.text).toBe(200);
  return added.body.fault;
}

const faults = async (): Promise<Json[]> => (await server.operator('GET', '/api/sandbox/faults')).body.faults;
const hurry = (who = merchant) => server.operator('POST', `/api/sandbox/merchants/${who.id}/webhooks/hurry`);
const complete = ({ id }: WirePayment) =>
  server.call('POST', `/v2/payments/${id}/complete`, { token: merchant.token, body: {} });
const faultOf = ({ headers }: Received) => headers['tillhouse-fault'];

async function deliveriesOf({ id }: TestMerchant): Promise<Json[]> {
  return (await server.operator('GET', `/api/sandbox/merchants/${id}/webhook-deliveries`)).body.deliveries;
}

/** Waits until a worker has applied the fault to the delivery; before that the delivery cannot be made due. */
async function untilFaultUsed(): Promise<void> {
  expect(await pollUntil(faults, ({ length }) => length === 0, 10_000)).toEqual([]);
}

describe('WEBHOOK_TWICE', () => {
  it('sends an event a second time, and marks both messages with the fault', async () => {
    await subscribe(server, merchant, receiver.url, { event_types: ['payment.created'] });
    const { id } = await add({ merchant_id: merchant.id, effect: 'WEBHOOK_TWICE' });
    await pay(server, merchant);
    const [first, second] = await receiver.until(2);
    expect(second && withoutServer(second.text)).toBe(first && withoutServer(first.text));
    expect([first, second].map((each) => each && faultOf(each))).toEqual([
      `${id} WEBHOOK_TWICE`,
      `${id} WEBHOOK_TWICE`,
    ]);
    await pay(server, merchant);
    const [, , third, ...more] = await receiver.until(3);
    expect([third && faultOf(third), more]).toEqual([undefined, []]);
    const shown = await untilDeliveriesFinal(server, merchant.id);
    expect(shown.map(({ state, fault }: Json) => [state, fault])).toEqual([
      ['DELIVERED', undefined],
      ['DELIVERED', `${id} WEBHOOK_TWICE`],
      ['DELIVERED', `${id} WEBHOOK_TWICE`],
    ]);
  });

  it('is not applied again when the delivery fails and is retried', async () => {
    await subscribe(server, merchant, receiver.url, { event_types: ['payment.created'] });
    const fault = await add({ merchant_id: merchant.id, effect: 'WEBHOOK_TWICE', times: 3 });
    receiver.answering = answer(500);
    await pay(server, merchant);
    await receiver.until(2);
    receiver.answering = answer(200);
    const hurryAndCount = async () => (await hurry()).status === 200 && receiver.received.length;
    expect(await pollUntil(hurryAndCount, (received) => received === 4, 10_000)).toBe(4);
    expect(await faults()).toEqual([{ ...fault, remaining: 2 }]);
    expect(await untilDeliveriesFinal(server, merchant.id)).toHaveLength(2);
    expect(receiver.received.map(({ headers }) => headers['square-retry-number'])).toEqual([
      undefined,
      undefined,
      '1',
      '1',
    ]);
  });
});

describe('WEBHOOK_LATE', () => {
  it('delays a message by the given time, and later events overtake it', async () => {
    await subscribe(server, merchant, receiver.url, { event_types: ['payment.created', 'payment.updated'] });
    const fault = {
      merchant_id: merchant.id,
      effect: 'WEBHOOK_LATE',
      event_type: 'payment.created',
      delay_ms: HOUR_MS,
    };
    const { id } = await add(fault);
    const payment = await approve(server, merchant);
    await untilFaultUsed();
    const [late] = await deliveriesOf(merchant);
    const waits = Date.parse(String(late?.['next_attempt_at'])) - Date.parse(String(late?.['created_at']));
    expect(waits).toBeGreaterThanOrEqual(HOUR_MS);
    expect(waits).toBeLessThan(HOUR_MS + 60_000);
    expect(late).toMatchObject({ state: 'WAITING', attempt_count: 0, fault: `${id} WEBHOOK_LATE` });
    expect((await complete(payment)).status).toBe(200);
    await receiver.until(1);
    expect((await hurry()).body).toEqual({ deliveries: 1 });
    await receiver.until(2);
    expect(receiver.kinds()).toEqual(['payment.updated', 'payment.created']);
    expect(receiver.received.map(faultOf)).toEqual([undefined, `${id} WEBHOOK_LATE`]);
  });

  it('delivers the message when its delay, between two limits, has passed', async () => {
    await subscribe(server, merchant, receiver.url, { event_types: ['payment.created'] });
    const { id } = await add({ effect: 'WEBHOOK_LATE', min_delay_ms: 200, max_delay_ms: 300, times: 2 });
    const began = performance.now();
    await Promise.all([pay(server, merchant), pay(other, merchant)]);
    const received = await receiver.until(2);
    expect(performance.now() - began).toBeGreaterThanOrEqual(199);
    expect(received.map(faultOf)).toEqual([`${id} WEBHOOK_LATE`, `${id} WEBHOOK_LATE`]);
  });
});

describe('a fault for messages', () => {
  it('applies to exactly the given number of messages, with two servers and many events', async () => {
    await subscribe(server, merchant, receiver.url, { event_types: ['payment.created'] });
    const twice = await add({ merchant_id: merchant.id, effect: 'WEBHOOK_TWICE', times: 5 });
    const late = await add({ effect: 'WEBHOOK_LATE', delay_ms: 1, times: 4 });
    await Promise.all(Array.from({ length: 30 }, (_, index) => pay(index % 2 ? server : other, merchant)));
    const received = await receiver.until(35);
    await untilDeliveriesFinal(server, merchant.id);
    const count = (fault: string | undefined) => received.filter((each) => faultOf(each) === fault).length;
    expect([count(`${twice.id} WEBHOOK_TWICE`), count(`${late.id} WEBHOOK_LATE`), count(undefined)]).toEqual([
      10, 4, 21,
    ]);
    expect(received).toHaveLength(35);
    expect(new Set(received.map(({ body }) => body.event_id)).size).toBe(30);
    expect(await faults()).toEqual([]);
  });

  it('applies to its merchant and its event type, and not to requests', async () => {
    const stranger = await server.createMerchant();
    await subscribe(server, merchant, receiver.url);
    await subscribe(server, stranger, receiver.url);
    const rule = { merchant_id: merchant.id, effect: 'WEBHOOK_TWICE', event_type: 'payment.updated' };
    const added = await add(rule);
    expect(added).toEqual({ ...rule, id: added.id, remaining: 1 });
    await pay(server, stranger);
    const payment = await approve(server, merchant);
    await receiver.until(2);
    expect(await faults()).toEqual([added]);
    const completed = await complete(payment);
    expect([completed.status, completed.headers['tillhouse-fault']]).toEqual([200, undefined]);
    await receiver.until(4);
    expect(receiver.received.filter(faultOf).map(({ body }) => body.type)).toEqual([
      'payment.updated',
      'payment.updated',
    ]);
  });

  it.each<[Json, string, string]>([
    [{ effect: 'WEBHOOK_LATE' }, 'delay_ms', 'MISSING_REQUIRED_PARAMETER'],
    [{ effect: 'WEBHOOK_LATE', delay_ms: 86_400_001 }, 'delay_ms', 'VALUE_TOO_HIGH'],
    [{ effect: 'WEBHOOK_TWICE', delay_ms: 5 }, 'delay_ms', 'CONFLICTING_PARAMETERS'],
    [{ effect: 'WEBHOOK_TWICE', operation: 'v2.createPayment' }, 'operation', 'CONFLICTING_PARAMETERS'],
    [{ effect: 'WEBHOOK_TWICE', event_type: 'payment.lost' }, 'event_type', 'INVALID_ENUM_VALUE'],
    [{ effect: 'RESET_AFTER', event_type: 'payment.created' }, 'event_type', 'CONFLICTING_PARAMETERS'],
    [{ effect: 'DELAY', min_delay_ms: 1, max_delay_ms: 60_001 }, 'max_delay_ms', 'VALUE_TOO_HIGH'],
  ])('refuses %j, naming %s', async (fault, field, code) => {
    expectRefusal(await server.operator('POST', '/api/sandbox/faults', fault), { code, field });
    expect(await faults()).toEqual([]);
  });
});

describe('sandbox.resendWebhookEvent', () => {
  const resend = (eventId: string, who = merchant) =>
    server.operator('POST', `/api/sandbox/merchants/${who.id}/webhook-events/${eventId}/resend`);

  it('sends an event again to all its subscriptions', async () => {
    const subscription = await subscribe(server, merchant, receiver.url, { event_types: ['payment.created'] });
    await subscribe(server, merchant, `${receiver.url}?second`, { event_types: ['payment.created'] });
    await pay(server, merchant);
    await pay(server, merchant);
    await receiver.until(4);
    await untilDeliveriesFinal(server, merchant.id);
    const { event_id } = receiver.received[0]?.body ?? {};
    expect((await resend(event_id)).body).toEqual({ deliveries: 2 });
    await receiver.until(6);
    expect(
      receiver.received
        .slice(4)
        .map(({ path, body }) => [path, body.event_id])
        .sort(),
    ).toEqual([
      ['/hook', event_id],
      ['/hook?second', event_id],
    ]);
    await untilDeliveriesFinal(server, merchant.id);
    const path = `/v2/webhooks/subscriptions/${subscription.id}`;
    await server.call('DELETE', path, { token: merchant.token });
    expect((await resend(event_id)).body).toEqual({ deliveries: 1 });
  });

  it('refuses an unknown event, one of another merchant, and one without an active subscription', async () => {
    const { id } = await subscribe(server, merchant, receiver.url, { event_types: ['payment.created'] });
    await pay(server, merchant);
    const [received] = await receiver.until(1);
    const eventId = received?.body.event_id;
    for (const answered of [await resend('nonsense'), await resend(eventId, await server.createMerchant())]) {
      expectRefusal(answered, { status: 404, code: 'NOT_FOUND' });
    }
    await server.call('DELETE', `/v2/webhooks/subscriptions/${id}`, { token: merchant.token });
    expectRefusal(await resend(eventId), { code: 'BAD_REQUEST', says: [eventId] });
  });
});
