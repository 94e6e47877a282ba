/** The current client subscribes, receives a payment event and verifies its signature, with its own library alone. */
import { SquareClient, SquareError, WebhooksHelper } from 'square';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication, grant } from '../support/oauth.js';
import { Receiver } from '../support/receiver.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

let server: TestServer;
let merchant: TestMerchant;
let receiver: Receiver;
let client: SquareClient;

beforeAll(async () => {
  server = await startTestServer();
  [merchant, receiver] = [await server.createMerchant(), await Receiver.open()];
  const { access_token: token } = await grant(server, await createApplication(server), merchant.id);
  client = new SquareClient({ baseUrl: server.baseUrl, token, maxRetries: 0 });
});
afterAll(async () => {
  await receiver.close();
  await server.stop();
});

const subscriptions = () => client.webhooks.subscriptions;

async function create(change: Record<string, unknown> = {}) {
  const { subscription } = await subscriptions().create({
    subscription: {
      name: 'Example Webhook Subscription',
      eventTypes: ['payment.created', 'payment.updated'],
      notificationUrl: receiver.url,
      ...change,
    },
  });
  if (!subscription?.id || !subscription.signatureKey) throw new Error('not made');
  return { ...subscription, id: subscription.id, signatureKey: subscription.signatureKey };
}

describe('an application written with square', () => {
  it('subscribes, receives a payment event, and verifies its signature', async () => {
    const { id, signatureKey } = await create();
    const { payment } = await client.payments.create({
      sourceId: 'cnon:card-nonce-ok',
      idempotencyKey: 'told',
      amountMoney: { amount: 1000n, currency: 'USD' },
    });
    const [received] = await receiver.until(1);
    const signed = {
      requestBody: received?.text ?? '',
      signatureHeader: String(received?.headers['x-square-hmacsha256-signature']),
      signatureKey,
      notificationUrl: receiver.url,
    };
    expect(await WebhooksHelper.verifySignature(signed)).toBe(true);
    expect(await WebhooksHelper.verifySignature({ ...signed, signatureKey: `${signatureKey}x` })).toBe(false);
    expect(received?.body).toMatchObject({ type: 'payment.created', data: { id: payment?.id, type: 'payment' } });
    await subscriptions().delete({ subscriptionId: id });
  });

  it('lists, reads, updates, rotates the key of, tests and deletes subscriptions', async () => {
    const made = await create({ apiVersion: '2021-12-15', enabled: false });
    expect(made).toMatchObject({ enabled: false, apiVersion: '2021-12-15', eventTypes: expect.any(Array) });
    const subscriptionId = made.id;
    expect((await subscriptions().get({ subscriptionId })).subscription).toEqual(made);
    const listed = async (includeDisabled: boolean) => {
      const found = [];
      for await (const each of await subscriptions().list({ includeDisabled, sortOrder: 'DESC' })) found.push(each.id);
      return found;
    };
    expect([await listed(true), await listed(false)]).toEqual([[subscriptionId], []]);

    const { subscription } = await subscriptions().update({
      subscriptionId,
      subscription: { name: 'Updated', enabled: true, eventTypes: ['refund.created'] },
    });
    expect(subscription).toMatchObject({ name: 'Updated', enabled: true, eventTypes: ['refund.created'] });
    expect(subscription).toMatchObject({ notificationUrl: receiver.url, signatureKey: made.signatureKey });

    const renewed = await subscriptions().updateSignatureKey({ subscriptionId, idempotencyKey: 'renewed' });
    expect(renewed.signatureKey).toMatch(/^[\w-]{22}$/);
    expect(renewed.signatureKey).not.toBe(made.signatureKey);
    const again = await subscriptions().updateSignatureKey({ subscriptionId, idempotencyKey: 'renewed' });
    expect(again.signatureKey).toBe(renewed.signatureKey);

    receiver.received.length = 0;
    const test = await subscriptions().test({ subscriptionId, eventType: 'refund.created' });
    expect(test).toMatchObject({ statusCode: 200, notificationUrl: receiver.url, passesFilter: true });
    expect(test.subscriptionTestResult).toMatchObject({ statusCode: 200, createdAt: expect.any(String) });
    expect(receiver.received[0]?.body).toEqual(test.payload);
    expect(receiver.received[0]?.body.type).toBe('refund.created');

    await subscriptions().delete({ subscriptionId });
    expect(await listed(true)).toEqual([]);
    await expect(subscriptions().get({ subscriptionId })).rejects.toBeInstanceOf(SquareError);
  });

  it('creates one subscription however often the same request is sent', async () => {
    const request = {
      idempotencyKey: '63f84c6c-2200-4c99-846c-2670a1311fbf',
      subscription: { name: 'Once', eventTypes: ['payment.created'], notificationUrl: receiver.url },
    };
    const answers = await Promise.all([1, 2, 3].map(() => subscriptions().create(request)));
    expect(new Set(answers.map(({ subscription }) => subscription?.id)).size).toBe(1);
    const other = { ...request, subscription: { ...request.subscription, name: 'Another' } };
    await expect(subscriptions().create(other)).rejects.toMatchObject({
      statusCode: 400,
      errors: [expect.objectContaining({ code: 'IDEMPOTENCY_KEY_REUSED' })],
    });
  });

  it('reads the list of event types', async () => {
    const { eventTypes, metadata } = await client.webhooks.eventTypes.list();
    expect(eventTypes).toEqual([
      ...['payment.created', 'payment.updated', 'refund.created', 'refund.updated'],
      'oauth.authorization.revoked',
    ]);
    expect(metadata?.map(({ eventType }) => eventType)).toEqual(eventTypes);
  });

  it('is refused invalid or unknown values, with the name of the field', async () => {
    const refused = async (change: Record<string, unknown>): Promise<unknown> => {
      try {
        await create(change);
      } catch (error) {
        if (error instanceof SquareError) return [error.statusCode, error.errors[0]?.field];
      }
      return 'not refused';
    };
    expect(await refused({ notificationUrl: 'ftp://app.example/' })).toEqual([400, 'subscription.notification_url']);
    expect(await refused({ notificationUrl: 'http://169.254.169.254/' })).toEqual([
      400,
      'subscription.notification_url',
    ]);
    expect(await refused({ eventTypes: ['catalog.versoin.updated'] })).toEqual([400, 'subscription.event_types']);
    expect(await refused({ eventTypes: [] })).toEqual([400, 'subscription.event_types']);
  });
});
