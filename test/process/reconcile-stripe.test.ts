import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { advance, cancelByKey, paymentBody, refund, tryToPay, usd, type WirePayment } from '../support/payments.js';
import { untilResolved } from '../support/processor-retries.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { StripeDouble } from '../support/stripe.js';
import { findDifferences, reconcile } from '../support/stripe-reconcile.js';
import { STRIPE_KEY } from '../support/stripe-server.js';

let stripe: StripeDouble;
let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  stripe = await StripeDouble.start();
  server = await startTestServer({
    config: { stripe: { secretKey: STRIPE_KEY, webhookSecret: undefined, url: stripe.url } },
  });
  merchant = await server.createMerchant({ clock: { frozen: true } });
});
afterAll(async () => {
  await server.stop();
  await stripe.stop();
});

const differences = () => findDifferences(server, stripe);

async function pay(change: object = {}): Promise<WirePayment> {
  const { body } = await tryToPay(server, merchant, paymentBody({ source_id: 'pm_card_visa', ...change }));
  return body.payment;
}

it('tillhouse reconcile compares the books of Stripe', async () => {
  const paid = await pay();
  await refund(server, merchant, paid, { amount_money: usd(400) });
  await advance(server, merchant, 'PT1M');
  for (const how of ['complete', 'cancel']) {
    const { id } = await pay({ autocomplete: false });
    await server.call('POST', `/v2/payments/${id}/${how}`, merchant);
  }
  await pay({ source_id: 'pm_card_chargeDeclined' });
  expect(await differences()).toMatchObject({ compared: 4, differences: [] });

  const intent = stripe.intentOf(paid.id);
  intent['latest_charge'].balance_transaction.fee = 60;
  const [theirs] = stripe.refunds.values();
  stripe.refunds.set('re_by_hand', { ...theirs, id: 're_by_hand', amount: 100, metadata: {} });
  const about = { merchant_id: merchant.id, payment_id: paid.id };
  const found = (await differences()).differences as { kind: string }[];
  expect(found.sort((one, other) => one.kind.localeCompare(other.kind))).toMatchObject([
    { ...about, kind: 'FEE', ours: '59 USD', theirs: '60 USD' },
    { ...about, kind: 'MISSING_HERE', type: 'refund', theirs: 'refunded 100 USD' },
  ]);
});

it('tillhouse reconcile names a refused reversal, and both sides once the buyer is paid back by hand', async () => {
  const key = randomUUID();
  const { id } = await pay({ idempotency_key: key });
  stripe.refuses = /refunds$/;
  expect((await cancelByKey(server, merchant, key)).status).toBe(200);
  await untilResolved(server, merchant);
  stripe.heal();
  const ofPayment = async () => {
    const found = (await differences()).differences as { kind: string; type: string; payment_id: string }[];
    return found.filter(({ payment_id }) => payment_id === id).map(({ kind, type }) => `${kind} ${type}`);
  };
  expect(await ofPayment()).toEqual(['MISSING_THERE refund']);
  const { id: payment_intent, amount, currency, created } = stripe.intentOf(id);
  const byHand = { id: 're_reversed', status: 'succeeded', payment_intent, amount, currency, created, metadata: {} };
  stripe.refunds.set(byHand.id, byHand);
  expect((await ofPayment()).sort()).toEqual(['MISSING_HERE refund', 'MISSING_THERE refund']);
});

it('tillhouse reconcile says that Stripe does not respond, with the exit code 2', async () => {
  const { code, stdout, stderr } = await reconcile(server, stripe, 'sk_test_of_another_account');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('Invalid API Key');
});
