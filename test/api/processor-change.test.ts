/** A server that changes its processor to Stripe, with payments that another one has charged. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  advance,
  approve,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  getRefund,
  pay,
  refund,
  usd,
  type WirePayment,
} from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { STRIPE_KEY, StripeDouble, WEBHOOK_SECRET } from '../support/stripe.js';

let stripe: StripeDouble;
let former: TestServer;
let server: TestServer;
let merchant: TestMerchant;
let charged: WirePayment;
let reserved: readonly WirePayment[];

beforeAll(async () => {
  former = await startTestServer();
  merchant = await former.createMerchant({ clock: { frozen: true } });
  charged = await pay(former, merchant);
  reserved = [await approve(former, merchant), await approve(former, merchant)];
  await former.stopServer();
  stripe = await StripeDouble.start();
  server = await startTestServer({
    databaseUrl: former.databaseUrl,
    config: { stripe: { secretKey: STRIPE_KEY, webhookSecret: WEBHOOK_SECRET, url: stripe.url } },
  });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  expect(stripe.requests).toEqual([]); // Stripe knows nothing of them
  await server.stop();
  await stripe.stop();
  await former.stop();
});

const move = (how: 'complete' | 'cancel', { id }: WirePayment) =>
  server.call('POST', `/v2/payments/${id}/${how}`, { token: merchant.token });

it('cancels a payment that cannot be captured', async () => {
  const [payment] = reserved as [WirePayment];
  expectRefusal(await move('complete', payment), { status: 400, code: 'BAD_REQUEST', says: ['CANCELED'] });
  expect((await getPayment(server, merchant, payment.id)).status).toBe('CANCELED');
});

it('cancels a payment that is to be canceled', async () => {
  const [, payment] = reserved as [WirePayment, WirePayment];
  expect((await move('cancel', payment)).status).toBe(200);
  expect((await getPayment(server, merchant, payment.id)).status).toBe('CANCELED');
});

it('fails a refund', async () => {
  const { id } = await refund(server, merchant, charged, { amount_money: usd(400) });
  await advance(server, merchant, 'PT1M');
  expect((await getRefund(server, merchant, id)).status).toBe('FAILED');
});
