/** A server that changes its processor to Stripe, with payments that another one has charged. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scrape } from '../../support/metrics.js';
import {
  advance,
  approve,
  cancelByKey,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  getRefund,
  pay,
  paymentBody,
  refund,
  usd,
  type WirePayment,
} from '../../support/payments.js';
import { untilResolved } from '../../support/processor-retries.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';
import { StripeDouble } from '../../support/stripe.js';
import { STRIPE_KEY, WEBHOOK_SECRET } from '../../support/stripe-server.js';

let stripe: StripeDouble;
let former: TestServer;
let server: TestServer;
let merchant: TestMerchant;
let charged: WirePayment;
let reserved: readonly WirePayment[];
const toReverse = paymentBody();

beforeAll(async () => {
  former = await startTestServer();
  merchant = await former.createMerchant({ clock: { frozen: true } });
  charged = await pay(former, merchant);
  reserved = [await approve(former, merchant), await approve(former, merchant)];
  await pay(former, merchant, toReverse);
  await former.stopServer();
  stripe = await StripeDouble.start();
  server = await startTestServer({
    databaseUrl: former.databaseUrl,
    config: {
      metrics: { host: '127.0.0.1', port: 0 },
      stripe: { secretKey: STRIPE_KEY, webhookSecret: WEBHOOK_SECRET, url: stripe.url },
    },
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

it('reverses a payment in the books, and leaves giving the money back to the operator, who is told', async () => {
  const series = 'tillhouse_processor_not_possible_total{call="refund"}';
  const before = (await scrape(server.metricsUrl)).value(series) ?? Number.NaN;
  const { status } = await cancelByKey(server, merchant, toReverse['idempotency_key']);
  expect(status).toBe(200);
  await untilResolved(server, merchant); // it is not asked again
  expect((await scrape(server.metricsUrl)).value(series)).toBe(before + 1);
});
