/** The URLs that an application may use for its messages (decision 0077), over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
let merchant: TestMerchant;
beforeAll(async () => {
  server = await startTestServer({ config: { webhookPorts: [443, 8443] } });
  merchant = await server.createMerchant();
});
afterAll(() => server.stop());

const subscribe = (url: string) =>
  server.call('POST', '/v2/webhooks/subscriptions', {
    token: merchant.token,
    body: { subscription: { name: 'Payments', event_types: ['payment.updated'], notification_url: url } },
  });

describe('v2.createWebhookSubscription', () => {
  it.each(['https://app.example/hooks', 'https://app.example:8443/hooks'])('accepts %s', async (url) => {
    expect((await subscribe(url)).status).toBe(200);
  });

  it.each([
    ['https://app.example:9443/hooks', 'port 9443 is not one of the ports allowed for webhooks: 443, 8443'],
    ['https://169.254.169.254/latest', '169.254.169.254 is not an allowed address for webhooks'],
    ['https://[::ffff:a9fe:a9fe]/latest', 'is not an allowed address for webhooks'],
    ['https://metadata.google.internal/', 'metadata.google.internal is not an allowed address for webhooks'],
    ['https://[2001:0:4136:e378::1]/', 'is not an allowed address for webhooks'],
  ])('refuses %s, with the reason', async (url, why) => {
    const { status, body } = await subscribe(url);
    expect(status).toBe(400);
    expect(body.errors[0]).toMatchObject({ code: 'INVALID_VALUE', field: 'subscription.notification_url' });
    expect(body.errors[0].detail).toContain(why);
  });
});
