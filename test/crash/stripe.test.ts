import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAgreement } from '../support/faulty-processor.js';
import { isLong } from '../support/long.js';
import {
  advance,
  cancelByKey,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  getRefund,
  type Json,
  movementsOf,
  paymentBody,
  refund,
  tryToPay,
  usd,
  type WirePayment,
} from '../support/payments.js';
import { untilResolved } from '../support/processor-retries.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { StripeDouble } from '../support/stripe.js';
import { STRIPE_FAULTS, STRIPE_KEY, WEBHOOK_SECRET } from '../support/stripe-server.js';

const UNKNOWN = { status: 503, code: 'TEMPORARY_ERROR', category: 'API_ERROR' } as const;
/** A request that takes longer is looked up, so its length decides nothing. */
const LIMITS = { attemptMs: 300, pauseMs: 10 };
const VISA = { source_id: 'pm_card_visa' };

let stripe: StripeDouble;
let server: TestServer;

beforeAll(async () => {
  stripe = await StripeDouble.start();
  server = await startTestServer({
    config: { stripe: { secretKey: STRIPE_KEY, webhookSecret: WEBHOOK_SECRET, url: stripe.url } },
    stripeLimits: LIMITS,
  });
});
afterEach(async () => {
  stripe.heal();
});
afterAll(async () => {
  await expectBooksInOrder(server); // each test has merchants of its own
  await server.stop();
  await stripe.stop();
});

const expectSameBooks = () => expectAgreement(server.database, stripe.readBooks());

const pay = async (merchant: TestMerchant, change: Json = {}): Promise<WirePayment> => {
  const answer = await tryToPay(server, merchant, { ...VISA, ...change });
  expect(answer.body).not.toHaveProperty('errors');
  return answer.body.payment;
};

const move = (how: 'complete' | 'cancel', { token }: TestMerchant, { id }: Pick<WirePayment, 'id'>) =>
  server.call('POST', `/v2/payments/${id}/${how}`, { token });

async function refundAndWait(merchant: TestMerchant, payment: WirePayment, amount = 400): Promise<string> {
  const { id } = await refund(server, merchant, payment, { amount_money: usd(amount) });
  await advance(server, merchant, 'PT1M');
  return id;
}

describe('a payment through Stripe', () => {
  it('has the card and the fee that Stripe says, and passes the key on', async () => {
    const merchant = await server.createMerchant();
    const payment = await getPayment(server, merchant, (await pay(merchant)).id);
    expect(payment).toMatchObject({
      status: 'COMPLETED',
      card_details: {
        card: { card_brand: 'VISA', last_4: '4242', exp_year: 2034, card_type: 'CREDIT', fingerprint: 'fp4242' },
        entry_method: 'KEYED',
        cvv_status: 'CVV_ACCEPTED',
        avs_status: 'AVS_NOT_CHECKED',
        auth_result_code: '123456',
      },
      processing_fee: [{ amount_money: usd(59) }],
    });
    expect(await movementsOf(server, payment.id)).toMatchObject([{ kind: 'CHARGE', amount: 1000, fee: -59 }]);
    expect(stripe.intentOf(payment.id)).toMatchObject({
      capture_method: 'automatic',
      metadata: { tillhouse_merchant: merchant.id, tillhouse_payment: payment.id },
    });
    const keys = stripe.requests.filter(({ method }) => method === 'POST').map(({ key }) => key);
    expect(keys).toContain(`${merchant.id}:${payment.id}:CREATE`);
    expect(keys).not.toContain(undefined);
  });

  it('waits for a charge that is not booked yet', async () => {
    stripe.booksAfter = 3;
    const merchant = await server.createMerchant();
    const { id } = await pay(merchant);
    expect(await movementsOf(server, id)).toMatchObject([{ kind: 'CHARGE', fee: -59 }]);
  });

  it('is reserved, captured with its fee, and refunded', async () => {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const payment = await pay(merchant, { autocomplete: false });
    expect(stripe.intentOf(payment.id)).toMatchObject({ status: 'requires_capture', capture_method: 'manual' });
    expect((await move('complete', merchant, payment)).status).toBe(200);
    expect(await getPayment(server, merchant, payment.id)).toMatchObject({
      status: 'COMPLETED',
      processing_fee: [{ amount_money: usd(59) }],
    });
    const id = await refundAndWait(merchant, payment);
    expect((await getRefund(server, merchant, id)).status).toBe('COMPLETED');
    await expectSameBooks();
  });

  it('is reserved and canceled', async () => {
    const merchant = await server.createMerchant();
    const payment = await pay(merchant, { autocomplete: false });
    expect((await move('cancel', merchant, payment)).status).toBe(200);
    expect(stripe.intentOf(payment.id)['status']).toBe('canceled');
  });

  it('uses the customer of a payment method, which is a card on file', async () => {
    const merchant = await server.createMerchant();
    const { id } = await pay(merchant, { source_id: 'pm_ofCustomer' });
    expect(await getPayment(server, merchant, id)).toMatchObject({
      card_details: { entry_method: 'ON_FILE', card: { card_brand: 'AMERICAN_EXPRESS', id: 'pm_ofCustomer' } },
    });
    expect(stripe.intentOf(id)['customer']).toBe('cus_123');
  });

  it.each([
    ['pm_card_chargeDeclined', 400, 'GENERIC_DECLINE'],
    ['pm_card_chargeDeclinedInsufficientFunds', 400, 'INSUFFICIENT_FUNDS'],
    ['pm_card_chargeDeclinedLostCard', 400, 'GENERIC_DECLINE'],
    ['pm_card_chargeDeclinedExpiredCard', 400, 'CARD_EXPIRED'],
    ['pm_card_chargeDeclinedIncorrectCvc', 400, 'CVV_FAILURE'],
    ['pm_card_authenticationRequired', 402, 'CARD_DECLINED_VERIFICATION_REQUIRED'],
  ])('of %s is declined with %d %s', async (source_id, status, code) => {
    const merchant = await server.createMerchant();
    const answer = await tryToPay(server, merchant, { source_id });
    expect(answer).toMatchObject({
      status,
      body: { errors: [{ code }], payment: { status: 'FAILED', card_details: { card: { last_4: '0002' } } } },
    });
  });

  it.each([
    ['pm_nobodyKnowsIt', 404, 'NOT_FOUND'],
    ['cnon:card-nonce-ok', 404, 'NOT_FOUND'],
    ['pm_usedUp', 400, 'CARD_TOKEN_USED'],
    ['tok_visa', 400, 'INVALID_VALUE'],
  ])('of %s is refused with %d %s, and stores nothing', async (source_id, status, code) => {
    const merchant = await server.createMerchant();
    expectRefusal(await tryToPay(server, merchant, { source_id }), { status, code, field: 'source_id' });
    const left = await server.database.sql`
      select 1 from payments where merchant_id = ${merchant.id}
      union all
      select 1 from processor_references where merchant_id = ${merchant.id}`;
    expect(left).toHaveLength(0);
  });

  it('that is less than Stripe charges is declined', async () => {
    const merchant = await server.createMerchant();
    const answer = await tryToPay(server, merchant, { ...VISA, amount_money: usd(49) });
    expect(answer.body).toMatchObject({ errors: [{ code: 'TRANSACTION_LIMIT' }] });
  });

  it.each([
    ['the intent is made', VISA.source_id, /payment_intents$/],
    ['the intent of a customer is made', 'pm_ofCustomer', /payment_intents$/],
    ['it is confirmed', VISA.source_id, /confirm$/],
  ])('that Stripe refuses when %s is declined, and never charged later', async (_when, source_id, path) => {
    const merchant = await server.createMerchant();
    const body = paymentBody({ source_id });
    stripe.refuses = path;
    const declined = { status: 400, body: { errors: [{ code: 'GENERIC_DECLINE' }], payment: { status: 'FAILED' } } };
    expect(await tryToPay(server, merchant, body)).toMatchObject(declined);
    stripe.heal();
    await untilResolved(server, merchant, { keepsLeases: true });
    expect(await tryToPay(server, merchant, body)).toMatchObject(declined);
    const made = [...stripe.intents.values()].filter(({ metadata }) => metadata.tillhouse_merchant === merchant.id);
    expect(made.map(({ status }) => status)).toEqual(path.source.startsWith('confirm') ? ['canceled'] : []);
  });

  it('is canceled when Stripe has released the money before the capture', async () => {
    const merchant = await server.createMerchant();
    const payment = await pay(merchant, { autocomplete: false });
    stripe.intentOf(payment.id)['status'] = 'canceled';
    expectRefusal(await move('complete', merchant, payment), { status: 400, code: 'BAD_REQUEST', says: ['CANCELED'] });
    expect((await getPayment(server, merchant, payment.id)).status).toBe('CANCELED');
  });

  it('that was captured in part at Stripe is not recorded as captured', async () => {
    const merchant = await server.createMerchant();
    const payment = await pay(merchant, { autocomplete: false });
    const intent = stripe.intentOf(payment.id);
    const booked = { amount: 300, fee: 39, currency: 'usd', unread: 0 };
    Object.assign(intent, { status: 'succeeded', amount_received: 300 });
    intent['latest_charge'].balance_transaction = booked;
    expectRefusal(await move('complete', merchant, payment), UNKNOWN);
    expect((await getPayment(server, merchant, payment.id)).status).toBe('APPROVED');
    Object.assign(intent, { amount_received: 1000 });
    await untilResolved(server, merchant, { keepsLeases: true });
    expect((await getPayment(server, merchant, payment.id)).status).toBe('COMPLETED');
  });

  it('whose refund Stripe refuses has a failed refund', async () => {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const payment = await pay(merchant);
    stripe.intentOf(payment.id)['amount_received'] = 0; // as if it was refunded at Stripe
    const id = await refundAndWait(merchant, payment);
    expect((await getRefund(server, merchant, id)).status).toBe('FAILED');
    stripe.intentOf(payment.id)['amount_received'] = 1000;
  });
});

/** The same code handles all faults, so each fault is tried with every request, and each kind of reads with half of the requests. */
const CASES = STRIPE_FAULTS.flatMap((fault, row) =>
  (['are answered', 'are lost'] as const).map((reads, column) => ({ fault, reads, place: row + column })),
);

// Concurrent, because most of the time is waiting: for what hangs, and before the client repeats a request.
describe.concurrent.each(CASES)('a request to Stripe that $fault, while reads $reads', ({ fault, reads, place }) => {
  const share = <Request>(requests: readonly Request[]): readonly Request[] =>
    requests.filter((_, index) => isLong || (place + index) % 2 === 0);
  const fail = ({ id: merchantId }: TestMerchant, path: RegExp) => {
    stripe.failNext({ path, fault, merchantId, reads, times: 2 }); // the client repeats a request once
  };
  const recover = async (merchant: TestMerchant) => {
    expect(stripe.healFor(merchant.id)).toBe(true);
    await untilResolved(server, merchant, { keepsLeases: true });
  };

  const charges: readonly (readonly [string, RegExp])[] = [
    ['the intent is made', /payment_intents$/],
    ['it is confirmed', /confirm$/],
  ];

  it.each(share(charges))('charges once, if it happens while %s', async (_when, path) => {
    const merchant = await server.createMerchant();
    const body = paymentBody(VISA);
    fail(merchant, path);
    const answer = await tryToPay(server, merchant, body);
    if (answer.status !== 200) expectRefusal(answer, UNKNOWN);
    await recover(merchant);
    const { payment } = (await tryToPay(server, merchant, body)).body;
    expect(payment.status).toBe('COMPLETED');
    expect(await movementsOf(server, payment.id)).toHaveLength(1);
    expect(stripe.readBooks().accounts.get(payment.id)).toMatchObject({ captured: 1000 });
  });

  const moves = [
    { how: 'complete', path: /capture$/, status: 'COMPLETED', books: { captured: 1000, voided: false } },
    { how: 'cancel', path: /cancel$/, status: 'CANCELED', books: { captured: 0, voided: true } },
  ] as const;

  it.each(share(moves))('is $status once', async ({ how, path, status, books }) => {
    const merchant = await server.createMerchant();
    const payment = await pay(merchant, { autocomplete: false });
    fail(merchant, path);
    const answer = await move(how, merchant, payment);
    if (answer.status !== 200) expectRefusal(answer, UNKNOWN);
    await recover(merchant);
    expect((await getPayment(server, merchant, payment.id)).status).toBe(status);
    expect(stripe.readBooks().accounts.get(payment.id)).toMatchObject(books);
  });

  it.each(share([/refunds$/]))('refunds once at %s, also if Stripe has forgotten the key meanwhile', async (path) => {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const payment = await pay(merchant);
    const { id } = await refund(server, merchant, payment, { amount_money: usd(400) });
    fail(merchant, path);
    await advance(server, merchant, 'PT1M');
    stripe.forgetKeys(merchant.id);
    await recover(merchant);
    expect((await getRefund(server, merchant, id)).status).toBe('COMPLETED');
    expect(stripe.readBooks().accounts.get(payment.id)).toMatchObject({ refunded: 400 });
  });
});

describe('a refund to which a gateway responds', () => {
  it.each([
    [404, { message: 'Not Found' }],
    [404, { error: { message: 'Not Found' } }],
    [502, { error: null }],
    [200, null],
    [200, {}],
  ])('with %d %j is made once and completed', async (status, body) => {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const payment = await pay(merchant);
    const { id } = await refund(server, merchant, payment, { amount_money: usd(400) });
    stripe.gateway = { status, text: JSON.stringify(body) };
    stripe.failNext({ path: /refunds$/, fault: 'is answered by a gateway after it has acted', times: 2 });
    await advance(server, merchant, 'PT1M');
    expect((await getRefund(server, merchant, id)).status).toBe('PENDING');
    stripe.heal();
    await untilResolved(server, merchant, { keepsLeases: true });
    expect((await getRefund(server, merchant, id)).status).toBe('COMPLETED');
    expect(stripe.readBooks().accounts.get(payment.id)).toMatchObject({ refunded: 400 });
  });
});

describe('a call whose outcome is unknown for more than a day', () => {
  it('charges once, although Stripe has forgotten its key', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody(VISA);
    stripe.failNext({ path: /confirm$/, fault: 'is lost after it has acted', times: 2 });
    stripe.reads = 'are lost';
    expectRefusal(await tryToPay(server, merchant, body), UNKNOWN);
    stripe.forgetKeys();
    stripe.heal();
    await untilResolved(server, merchant, { keepsLeases: true });
    expect((await tryToPay(server, merchant, body)).body.payment.status).toBe('COMPLETED');
    await expectSameBooks();
  });

  it('reverses a payment that was canceled by its key meanwhile', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody(VISA);
    stripe.failNext({ path: /confirm$/, fault: 'hangs after it has acted', times: 2 });
    stripe.reads = 'are lost';
    expectRefusal(await tryToPay(server, merchant, body), UNKNOWN);
    expect((await cancelByKey(server, merchant, body['idempotency_key'])).status).toBe(200);
    stripe.heal();
    await untilResolved(server, merchant, { keepsLeases: true });
    const { payments } = (await server.call('GET', '/v2/payments', merchant)).body;
    expect(payments).toMatchObject([{ status: 'CANCELED' }]);
    expect(stripe.readBooks().accounts.get(payments[0].id)).toMatchObject({ captured: 1000, refunded: 1000 });
  });
});
