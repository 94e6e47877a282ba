/** The events that v2 subscriptions receive, and when. */
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebhooksHelper } from 'square';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asClient, createApplication, createOwner, grant } from '../../support/oauth.js';
import {
  advance,
  approve,
  cancelByKey,
  expectBooksInOrder,
  getPayment,
  getRefund,
  pay,
  refund,
  tryToPay,
  usd,
} from '../../support/payments.js';
import { ALL_EVENTS, Receiver, subscribe } from '../../support/receiver.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
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
  merchant = await server.createMerchant({ clock: { now: '2020-02-26T10:00:00.250Z', frozen: true } });
  receiver = await Receiver.open();
});
afterEach(() => receiver.close());

/** Long enough for an unexpected message to arrive. */
const quiet = () => sleep(500);

describe('a v2 event', () => {
  it('has the published members, carries both signatures, and contains the object as v2 shows it (contract 24.2)', async () => {
    const { signature_key, notification_url } = await subscribe(server, merchant, receiver.url);
    const payment = await pay(server, merchant, { note: 'Quotes " and ünïcode \u2028' });
    const [received] = await receiver.until(1);
    if (!received) throw new Error('nothing was messages');
    const { body, text, headers } = received;
    expect(body).toEqual({
      merchant_id: merchant.id,
      type: 'payment.created',
      event_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
      created_at: '2020-02-26T10:00:00.250Z',
      data: { type: 'payment', id: payment.id, object: { payment: await getPayment(server, merchant, payment.id) } },
    });
    const sha1 = createHmac('sha1', signature_key)
      .update(notification_url + text)
      .digest('base64');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-square-signature': sha1,
      'square-environment': 'Sandbox',
      'square-initial-delivery-timestamp': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      'user-agent': expect.stringMatching(/^Square Webhooks/),
    });
    expect(headers).not.toHaveProperty('square-retry-number');
    const signed = {
      requestBody: text,
      signatureHeader: String(headers['x-square-hmacsha256-signature']),
      signatureKey: signature_key,
      notificationUrl: notification_url,
    };
    expect(await WebhooksHelper.verifySignature(signed)).toBe(true);
    expect(await WebhooksHelper.verifySignature({ ...signed, requestBody: `${text} ` })).toBe(false);
    expect(await WebhooksHelper.verifySignature({ ...signed, notificationUrl: `${notification_url}/` })).toBe(false);
  });

  it('is sent for each step of a payment and of its refunds, with the object as of that step', async () => {
    await subscribe(server, merchant, receiver.url);
    const payment = await approve(server, merchant);
    await server.call('POST', `/v2/payments/${payment.id}/complete`, { token: merchant.token });
    const part = await refund(server, merchant, payment, { amount_money: usd(300), reason: 'Cold "coffee"' });
    await advance(server, merchant, 'PT10S');
    const messages = (await receiver.until(6)).map(({ body }) => body);
    const summaries = messages.map(
      ({ type, data: { object } }) => `${type} ${Object.values<{ status: string }>(object)[0]?.status}`,
    );
    expect(summaries.toSorted()).toEqual([
      'payment.created APPROVED',
      'payment.updated COMPLETED',
      'payment.updated COMPLETED',
      'payment.updated COMPLETED',
      'refund.created PENDING',
      'refund.updated COMPLETED',
    ]);
    const last = messages.findLast(({ type }) => type === 'refund.updated');
    expect(last.data).toEqual({
      type: 'refund',
      id: part.id,
      object: { refund: await getRefund(server, merchant, part.id) },
    });
    const first = messages.find(({ type }) => type === 'refund.created');
    expect(first.data.object.refund).toEqual(part);
    const paid = messages.findLast(({ type }) => type === 'payment.updated').data.object.payment;
    expect(paid).toEqual(await getPayment(server, merchant, payment.id));
  });

  it('is sent for a failed refund, and for its payment', async () => {
    await subscribe(server, merchant, receiver.url, { event_types: ['refund.updated', 'payment.updated'] });
    const payment = await pay(server, merchant, { app_fee_money: usd(50) });
    await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/processor-rules`, { effect: 'FAIL_REFUND' });
    const failed = await refund(server, merchant, payment, { amount_money: usd(300), app_fee_money: usd(10) });
    await advance(server, merchant, 'PT10S');
    const messages = await receiver.until(3);
    expect(receiver.kinds().toSorted()).toEqual(['payment.updated', 'payment.updated', 'refund.updated']);
    const { body } = messages.find(({ body: { type } }) => type === 'refund.updated') ?? { body: undefined };
    expect(body.data.object.refund.status).toBe('FAILED');
    expect(body.data.object.refund).toEqual(await getRefund(server, merchant, failed.id));
  });

  it.each(['cancel', 'void after 7 days', 'cancel by key'])('is sent when a payment ends: %s', async (how) => {
    await subscribe(server, merchant, receiver.url, { event_types: ['payment.updated'] });
    const key = randomUUID();
    const payment =
      how === 'cancel by key'
        ? await pay(server, merchant, { idempotency_key: key })
        : await approve(server, merchant, { idempotency_key: key });
    if (how === 'cancel') await server.call('POST', `/v2/payments/${payment.id}/cancel`, merchant);
    if (how === 'cancel by key') await cancelByKey(server, merchant, key);
    if (how === 'void after 7 days') await advance(server, merchant, 'P8D');
    const [{ body } = { body: undefined }] = await receiver.until(1);
    expect(body.data.object.payment).toEqual(await getPayment(server, merchant, payment.id));
    expect(body.data.object.payment.status).toBe('CANCELED');
    const fees = (body.data.object.payment.processing_fee ?? []).map(({ type }: { type: string }) => type);
    expect(fees).toEqual(how === 'cancel by key' ? ['INITIAL', 'ADJUSTMENT'] : []);
  });

  it('is sent for a declined payment, as created and failed', async () => {
    await subscribe(server, merchant, receiver.url);
    await tryToPay(server, merchant, { source_id: 'cnon:card-nonce-declined' });
    const [{ body } = { body: undefined }] = await receiver.until(1);
    expect([body.type, body.data.object.payment.status]).toEqual(['payment.created', 'FAILED']);
  });

  it('is sent as payment.created when an unknown outcome becomes known', async () => {
    await subscribe(server, merchant, receiver.url);
    await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/processor-rules`, { effect: 'TIME_OUT' });
    const key = randomUUID();
    expect((await tryToPay(server, merchant, { idempotency_key: key })).status).toBe(503);
    await quiet();
    expect(receiver.received).toEqual([]);
    const payment = await pay(server, merchant, { idempotency_key: key });
    await receiver.until(1);
    expect(receiver.kinds()).toEqual(['payment.created']);
    expect(receiver.received[0]?.body.data.id).toBe(payment.id);
  });

  it('is not sent again for a retry of the same request', async () => {
    await subscribe(server, merchant, receiver.url);
    const key = randomUUID();
    for (const _ of [1, 2, 3]) await pay(server, merchant, { idempotency_key: key });
    await receiver.until(1);
    await quiet();
    expect(receiver.kinds()).toEqual(['payment.created']);
  });
});

describe('delivery of v2 events', () => {
  it('goes to enabled subscriptions to the event type, and only for the merchant of the token', async () => {
    const [stranger, other] = [await server.createMerchant(), await Receiver.open()];
    await subscribe(server, stranger, other.url);
    await subscribe(server, merchant, other.url, { event_types: ['refund.created'] });
    await subscribe(server, merchant, other.url, { enabled: false });
    await subscribe(server, merchant, receiver.url);
    await pay(server, merchant);
    await receiver.until(1);
    await quiet();
    expect([receiver.kinds(), other.kinds()]).toEqual([['payment.created'], []]);
    await other.close();
    const [{ count } = { count: -1 }] = await server.database.sql<{ count: number }[]>`
      select count(*) from webhook_deliveries where merchant_id = ${merchant.id}`;
    expect(count).toBe(1); // no row is written without a subscriber
  });

  it('stops soon when a subscription is disabled, and goes on when it is enabled', async () => {
    const { id } = await subscribe(server, merchant, receiver.url);
    const enable = (enabled: boolean) =>
      server.call('PUT', `/v2/webhooks/subscriptions/${id}`, {
        token: merchant.token,
        body: { subscription: { enabled } },
      });
    const held: (() => void)[] = [];
    receiver.answering = (response) => held.push(() => response.end());
    const payments = 200; // more than the worker has in flight
    await Promise.all(Array.from({ length: payments }, () => pay(server, merchant)));
    await receiver.until(1);
    await quiet();
    expect((await enable(false)).status).toBe(200);
    receiver.answering = (response) => response.end();
    for (const respond of held) respond();
    await quiet();
    expect(receiver.received.length).toBeLessThan(payments);
    await enable(true);
    expect(await receiver.until(payments)).toHaveLength(payments);
  });

  it('sends the same event once to each subscription', async () => {
    await subscribe(server, merchant, receiver.url);
    await subscribe(server, merchant, `${receiver.url}/second`);
    await pay(server, merchant);
    const messages = await receiver.until(2);
    expect(messages.map(({ path }) => path).toSorted()).toEqual(['/hook', '/hook/second']);
    expect(messages[0]?.text).toBe(messages[1]?.text);
  });

  it("sends an application's own subscription the events of every merchant that grants it PAYMENTS_READ", async () => {
    const application = await createApplication(server);
    const path = `/api/sandbox/applications/${application.id}/webhook-subscriptions`;
    const subscription = { name: 'All', event_types: ALL_EVENTS, notification_url: receiver.url };
    expect((await server.operator('POST', path, { subscription })).status).toBe(200);
    const [allowed, withoutPermission, withoutGrant] = [
      merchant,
      await server.createMerchant(),
      await server.createMerchant(),
    ];
    await grant(server, application, allowed.id, ['PAYMENTS_READ']);
    await grant(server, application, withoutPermission.id, ['ITEMS_READ']);
    for (const each of [allowed, withoutPermission, withoutGrant]) await pay(server, each);
    await receiver.until(1);
    await quiet();
    expect(receiver.received.map(({ body }) => body.merchant_id)).toEqual([allowed.id]);
  });

  it('notifies an application that its authorization was revoked, and by whom, and sends nothing after that', async () => {
    const application = await createApplication(server);
    const owner = await createOwner(server);
    const path = `/api/sandbox/applications/${application.id}/webhook-subscriptions`;
    const subscription = { name: 'All', event_types: ALL_EVENTS, notification_url: receiver.url };
    await server.operator('POST', path, { subscription });
    const { access_token } = await grant(server, application, owner.merchant.id);
    await subscribe(server, { token: access_token }, `${receiver.url}/own`);
    for (const _ of ['once', 'and again'])
      await owner.call('DELETE', `/api/dashboard/authorizations/${application.id}`);
    await receiver.until(2);
    await pay(server, owner.merchant);
    await quiet();
    expect(receiver.received).toHaveLength(2);
    for (const { body } of receiver.received) {
      expect(body).toMatchObject({ merchant_id: owner.merchant.id, type: 'oauth.authorization.revoked' });
      expect(body.data).toEqual({
        type: 'revocation',
        id: expect.any(String),
        object: {
          revocation: { revoked_at: expect.stringMatching(/^\d{4}-.{14}Z$/), revoker_type: 'MERCHANT' },
        },
      });
    }
    await grant(server, application, merchant.id);
    const body = { client_id: application.id, merchant_id: merchant.id };
    await server.call('POST', '/oauth2/revoke', { ...asClient(application), body });
    await receiver.until(3);
    expect(receiver.received[2]?.body.data.object.revocation.revoker_type).toBe('APPLICATION');
  });

  it('stops when the personal token is revoked or expires', async () => {
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    const elsewhere = await server.createMerchant();
    await subscribe(server, { token: elsewhere.token }, receiver.url);
    await server.operator('POST', '/api/sandbox/tokens/expire', { access_token: elsewhere.token });
    await subscribe(server, { token }, receiver.url);
    const another = await server.createToken(elsewhere.id, ['PAYMENTS_WRITE']);
    await pay(server, { token: another });
    await pay(server, merchant);
    await receiver.until(1);
    await quiet();
    expect(receiver.received.map(({ body }) => body.merchant_id)).toEqual([merchant.id]);
  });
});
