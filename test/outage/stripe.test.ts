/** The database is taken away while Stripe works: Stripe has acted, and the server cannot record it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../support/clock.js';
import { OwnPostgres } from '../support/own-postgres.js';
import {
  expectBooksInOrder,
  getPayment,
  getRefund,
  movementsOf,
  paymentBody,
  refund,
  tryToPay,
  usd,
} from '../support/payments.js';
import { untilResolved } from '../support/processor-retries.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { StripeDouble } from '../support/stripe.js';
import { STRIPE_KEY, WEBHOOK_SECRET } from '../support/stripe-server.js';
import { Wire } from '../support/wire.js';

const VISA = { source_id: 'pm_card_visa' };
const PATIENCE_MS = 30_000;

let postgres: OwnPostgres;
let wire: Wire;
let stripe: StripeDouble;
let server: TestServer;

beforeAll(async () => {
  postgres = await OwnPostgres.make();
  await postgres.start();
  wire = await Wire.start(postgres.port);
  stripe = await StripeDouble.start();
  server = await startTestServer({
    databaseUrl: postgres.urlAt(`127.0.0.1:${wire.port}`),
    config: { stripe: { secretKey: STRIPE_KEY, webhookSecret: WEBHOOK_SECRET, url: stripe.url } },
    stripeLimits: { attemptMs: 5000, pauseMs: 10 },
  });
});
afterEach(async () => {
  stripe.heal();
  await expectBooksInOrder(server);
});
afterAll(async () => {
  await wire.become('pass');
  await server.stop();
  await stripe.stop();
  await wire.stop();
  await postgres.stop();
});

describe.each([
  { how: 'is cut off', becomes: 'refuse' },
  { how: 'falls silent', becomes: 'hang' },
] as const)('a database that $how while Stripe answers', ({ becomes }) => {
  /** Once Stripe has done what such a request asks. */
  const takeAwayAfter = (path: RegExp): void => {
    stripe.beforeResponse = async (asked) => {
      if (!path.test(asked)) return;
      stripe.beforeResponse = undefined;
      await wire.become(becomes);
    };
  };

  /** The lease of the lost attempt would end after half a minute. */
  const giveBack = async (merchant: TestMerchant): Promise<void> => {
    await wire.become('pass');
    const ready = await pollUntil(
      () => server.call('GET', '/readyz'),
      ({ status }) => status === 200,
      PATIENCE_MS,
    );
    expect(ready.status).toBe(200);
    await server.database.sql`update processor_calls set leased_until = now() where merchant_id = ${merchant.id}`;
    await untilResolved(server, merchant, { keepsLeases: true });
  };

  it.each([
    ['before the intent is stored', /payment_intents$/],
    ['before the outcome is recorded', /confirm$/],
  ])('%s: the card is charged once', async (_when, path) => {
    const merchant = await server.createMerchant();
    const body = paymentBody(VISA);
    takeAwayAfter(path);
    expect((await tryToPay(server, merchant, body)).status).toBe(503);
    await giveBack(merchant);
    const { payment } = (await tryToPay(server, merchant, body)).body;
    expect(payment.status).toBe('COMPLETED');
    expect(await movementsOf(server, payment.id)).toMatchObject([{ kind: 'CHARGE', fee: -59 }]);
    expect(stripe.readBooks().accounts.get(payment.id)).toMatchObject({ captured: 1000, refunded: 0 });
  });

  it.each([
    { how: 'complete', path: /capture$/, status: 'COMPLETED', books: { captured: 1000, voided: false } },
    { how: 'cancel', path: /cancel$/, status: 'CANCELED', books: { captured: 0, voided: true } },
  ] as const)('at $how: the payment is $status in both books', async ({ how, path, status, books }) => {
    const merchant = await server.createMerchant();
    const { payment } = (await tryToPay(server, merchant, { ...VISA, autocomplete: false })).body;
    takeAwayAfter(path);
    expect((await server.call('POST', `/v2/payments/${payment.id}/${how}`, merchant)).status).toBe(503);
    await giveBack(merchant);
    expect((await getPayment(server, merchant, payment.id)).status).toBe(status);
    expect(stripe.readBooks().accounts.get(payment.id)).toMatchObject(books);
  });

  it('at a refund: it is made once', async () => {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const { payment } = (await tryToPay(server, merchant, VISA)).body;
    const { id } = await refund(server, merchant, payment, { amount_money: usd(400) });
    takeAwayAfter(/refunds$/);
    const clock = `/api/sandbox/merchants/${merchant.id}/clock`;
    const moved = await server.operator('POST', clock, { advance: 'PT1M' });
    expect(moved.status).toBe(503);
    await giveBack(merchant);
    expect((await getRefund(server, merchant, id)).status).toBe('COMPLETED');
    expect(stripe.readBooks().accounts.get(payment.id)).toMatchObject({ refunded: 400 });
  });
});
