/** The secrets between the servers and their processor are replaced while both serve (decision 0233). */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ADAPTER_SECRET, AdapterProcess } from '../support/adapter.js';
import { expectBooksInOrder, expectRefusal, pay, tryToPay } from '../support/payments.js';
import { RollingServers } from '../support/rolling-servers.js';
import { cloneDatabase, type TestServer } from '../support/server.js';
import { StripeDouble } from '../support/stripe.js';
import { STRIPE_KEY, WEBHOOK_SECRET } from '../support/stripe-server.js';

const LIMITS = { attemptMs: 1000, lookUpMs: 1000, pauseMs: 10 };

describe('the secret of the processor', () => {
  it('is replaced beside two servers, and no payment is refused', async () => {
    const clone = await cloneDatabase();
    const adapter = await AdapterProcess.start();
    const next = randomBytes(32).toString('hex');
    await adapter.kill();
    await adapter.restart(`${ADAPTER_SECRET},${next}`);
    const on = (secret: string) => ({
      ...{ databaseUrl: clone.url, adapterLimits: LIMITS },
      config: { adapter: { url: adapter.url, secret } },
    });
    const servers = await RollingServers.start(on(ADAPTER_SECRET));
    try {
      const merchant = await servers.first.createMerchant();
      const payAt = async (at: TestServer) => expect((await pay(at, merchant)).status).toBe('COMPLETED');
      await servers.under(payAt, () => servers.replaceAll(on(next)));
      await adapter.kill();
      await adapter.restart(next);
      await payAt(servers.first);
      await servers.replaceAllIdle(on(ADAPTER_SECRET));
      const refused = { status: 503, code: 'TEMPORARY_ERROR', category: 'API_ERROR' } as const;
      expectRefusal(await tryToPay(servers.first, merchant), refused); // the old secret is worth nothing any more
    } finally {
      await servers.stop();
      await adapter.stop();
      await clone.drop();
    }
  });
});

describe('the keys of Stripe', () => {
  it('are replaced beside two servers, and no payment and no event is refused', async () => {
    const [clone, stripe] = [await cloneDatabase(), await StripeDouble.start()];
    const [nextKey, nextSecret] = ['sk_test_9aB2nextKeyOfThisTest', 'whsec_0e5d7c1f94a8b263'];
    const on = (secretKey: string, webhookSecret: string) => ({
      ...{ databaseUrl: clone.url, stripeLimits: { attemptMs: 1000, pauseMs: 10 } },
      config: { stripe: { secretKey, webhookSecret, url: stripe.url } },
    });
    const deliver = async ({ baseUrl }: TestServer, signing: { secret: string; others?: readonly string[] }) => {
      const event = stripe.event('refund.updated', { id: 're_ofNobody' }, signing);
      return (await fetch(`${baseUrl}/processors/stripe/events`, { method: 'POST', ...event })).status;
    };
    const servers = await RollingServers.start(on(STRIPE_KEY, WEBHOOK_SECRET));
    try {
      const merchant = await servers.first.createMerchant();
      const payAt = async (at: TestServer) =>
        expect((await pay(at, merchant, { source_id: 'pm_card_visa' })).status).toBe('COMPLETED');
      stripe.keys = [STRIPE_KEY, nextKey];
      const ask = async (at: TestServer) => {
        await payAt(at);
        expect(await deliver(at, { secret: WEBHOOK_SECRET, others: [nextSecret] })).toBe(200);
      };
      await servers.under(ask, () => servers.replaceAll(on(nextKey, nextSecret)));
      stripe.keys = [nextKey];
      await payAt(servers.first);
      expect(await deliver(servers.first, { secret: nextSecret })).toBe(200);
      expect(await deliver(servers.first, { secret: WEBHOOK_SECRET })).toBe(400);
      await expectBooksInOrder(servers.first);
    } finally {
      await servers.stop();
      await stripe.stop();
      await clone.drop();
    }
  });
});
