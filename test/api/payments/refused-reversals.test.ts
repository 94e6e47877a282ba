/** A processor that refuses to refund a payment that was canceled here. The operator is told once, and why. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { amount } from '../../../src/base/money.js';
import { SealingKeys } from '../../../src/base/sealing.js';
import type { Trouble } from '../../../src/processor/contract.js';
import { openProcessor, type ProcessorSettings } from '../../../src/processor/open.js';
import { ADAPTER_SECRET, AdapterProcess } from '../../support/adapter.js';
import { paymentBody, tryToPay } from '../../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';
import { StripeDouble } from '../../support/stripe.js';
import { STRIPE_KEY } from '../../support/stripe-server.js';

let stripe: StripeDouble;
let server: TestServer;
let merchant: TestMerchant;
const keys = () => ({ secretKey: STRIPE_KEY, webhookSecret: undefined, url: stripe.url });

beforeAll(async () => {
  stripe = await StripeDouble.start();
  server = await startTestServer({ config: { stripe: keys() } });
  merchant = await server.createMerchant();
});
afterEach(() => stripe.heal());
afterAll(async () => {
  await server.stop();
  await stripe.stop();
});

type Settings = Partial<Pick<ProcessorSettings, 'adapter' | 'stripe'>>;

/** Asks the processor of a server with these settings to refund all of a payment. Returns what the operator is told. */
async function reverse(paymentId: string, given: Settings): Promise<readonly Trouble[]> {
  const troubles: Trouble[] = [];
  const { database } = server;
  const none = { adapter: undefined, stripe: undefined, onCall: undefined, tracing: undefined };
  const onTrouble = (trouble: Trouble) => void troubles.push(trouble);
  const { processor, close } = await openProcessor(
    { ...none, ...given, database, keys: new SealingKeys([]), onTrouble },
    {},
  );
  const call = { key: randomUUID(), merchant: { id: merchant.id, hasRules: false }, paymentId, processorId: null };
  const money = { amount: amount(1000), currency: 'USD' };
  expect(await processor.refund({ ...call, ...money, isReversal: true })).toBe(false);
  await close();
  return troubles;
}

const told = (reason: string) => [{ action: 'refund', isFinal: true, reason: expect.stringContaining(reason) }];

describe('a refused reversal', () => {
  it.each([
    ['The charge has already been refunded.', {}],
    ['Your account cannot do this.', { refuses: /refunds$/ }],
    ['is failed at Stripe', { refundStatus: 'failed' }],
  ])('at Stripe is reported once, with its reason: %s', async (reason, state) => {
    const { body } = await tryToPay(server, merchant, paymentBody({ source_id: 'pm_card_visa' }));
    const { id: payment_intent } = stripe.intentOf(body.payment.id);
    if (reason.includes('already')) {
      const byHand = { id: 're_by_hand', created: 1, status: 'succeeded', amount: 1000, payment_intent };
      stripe.refunds.set(byHand.id, byHand);
    }
    Object.assign(stripe, state);
    const troubles = await reverse(body.payment.id, { stripe: keys() });
    expect(troubles).toMatchObject(told(reason));
  });

  it('of a payment that was not made with Stripe is reported once', async () => {
    expect(await reverse('made-elsewhere', { stripe: keys() })).toMatchObject(told('was not made with Stripe'));
  });

  it('at an adapter is reported once', async () => {
    const adapter = await AdapterProcess.start();
    const troubles = await reverse('made-elsewhere', { adapter: { url: adapter.url, secret: ADAPTER_SECRET } });
    await adapter.stop();
    expect(troubles).toMatchObject(told('the processor refuses the refund'));
  });
});
