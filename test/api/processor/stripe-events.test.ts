import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../../support/clock.js';
import { scrape } from '../../support/metrics.js';
import {
  advance,
  cancelByKey,
  expectBooksInOrder,
  getRefund,
  movementsOf,
  refund,
  tryToPay,
  usd,
  type WirePayment,
} from '../../support/payments.js';
import { untilResolved } from '../../support/processor-retries.js';
import { startTestServer, type TestMerchant, type TestServer, withServer } from '../../support/server.js';
import { StripeDouble } from '../../support/stripe.js';
import { STRIPE_KEY, WEBHOOK_SECRET } from '../../support/stripe-server.js';

const PATH = '/processors/stripe/events';

let stripe: StripeDouble;
let server: TestServer;

beforeAll(async () => {
  stripe = await StripeDouble.start();
  server = await startTestServer({
    config: {
      metrics: { host: '127.0.0.1', port: 0 },
      stripe: { secretKey: STRIPE_KEY, webhookSecret: WEBHOOK_SECRET, url: stripe.url },
    },
    stripeLimits: { attemptMs: 1000, pauseMs: 10 },
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

type Event = ReturnType<StripeDouble['event']>;

const send = async (event: Event, { baseUrl } = server) => {
  const response = await fetch(baseUrl + PATH, { method: 'POST', ...event });
  return { status: response.status, body: await response.json() };
};

async function deliver(type: string, object: object): Promise<void> {
  expect(await send(stripe.event(type, object))).toEqual({ status: 200, body: { received: true } });
}

async function pay(merchant: TestMerchant): Promise<WirePayment> {
  const { body } = await tryToPay(server, merchant, { source_id: 'pm_card_visa' });
  return body.payment;
}

const holdsOf = async ({ id }: WirePayment) =>
  (
    await server.database.sql`
    select hold_id, amount, released_at is not null as is_released from holds where payment_id = ${id} order by placed_at`
  ).map((row) => ({ ...row }));

const countNotPossible = async () =>
  (await scrape(server.metricsUrl)).value('tillhouse_processor_not_possible_total{call="refund"}') ?? Number.NaN;

/** The refund at Stripe of a payment that was reversed. */
function reversalOf({ id }: Pick<WirePayment, 'id'>): Record<string, unknown> {
  const isIt = ({ metadata }: Record<string, unknown>) =>
    (metadata as Record<string, string>)['tillhouse_payment'] === id;
  return [...stripe.refunds.values()].find(isIt) ?? {};
}

describe('a dispute at Stripe', () => {
  it('becomes a hold, whose money comes back when the dispute is won', async () => {
    const merchant = await server.createMerchant();
    const payment = await pay(merchant);
    const dispute = stripe.dispute(payment.id, { amount: 600 });
    await deliver('charge.dispute.created', dispute);
    expect(await holdsOf(payment)).toEqual([{ holdId: dispute['id'], amount: 600, isReleased: false }]);
    dispute['status'] = 'won';
    await deliver('charge.dispute.closed', dispute);
    expect(await holdsOf(payment)).toEqual([{ holdId: dispute['id'], amount: 600, isReleased: true }]);
    expect((await movementsOf(server, payment.id)).map(({ kind, amount }) => [kind, amount])).toEqual([
      ['CHARGE', 1000],
      ['HOLD', -600],
      ['HOLD_RELEASE', 600],
    ]);
  });

  it.each(['lost', 'under_review', 'appeal_under_review'])('keeps its hold while it is %s', async (status) => {
    const payment = await pay(await server.createMerchant());
    const dispute = stripe.dispute(payment.id);
    await deliver('charge.dispute.created', dispute);
    dispute['status'] = status;
    await deliver('charge.dispute.updated', dispute);
    expect(await holdsOf(payment)).toMatchObject([{ isReleased: false }]);
  });

  it.each(['warning_needs_response', 'warning_closed', 'prevented', 'won'])(
    'holds nothing if it is %s',
    async (status) => {
      const payment = await pay(await server.createMerchant());
      await deliver('charge.dispute.created', stripe.dispute(payment.id, { status }));
      expect(await holdsOf(payment)).toEqual([]);
    },
  );

  it('is held once, however often and late its events arrive', async () => {
    const payment = await pay(await server.createMerchant());
    const dispute = stripe.dispute(payment.id);
    const created = stripe.event('charge.dispute.created', { ...dispute });
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(created)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await holdsOf(payment)).toHaveLength(1);
    dispute['status'] = 'won';
    await deliver('charge.dispute.closed', { ...dispute });
    expect((await send(created)).status).toBe(200);
    expect(await holdsOf(payment)).toMatchObject([{ isReleased: true }]);
  });

  it('holds nothing if its end arrives before its beginning', async () => {
    const payment = await pay(await server.createMerchant());
    const dispute = stripe.dispute(payment.id);
    const created = stripe.event('charge.dispute.created', { ...dispute });
    dispute['status'] = 'won';
    await deliver('charge.dispute.closed', { ...dispute });
    expect((await send(created)).status).toBe(200);
    expect(await holdsOf(payment)).toEqual([]);
  });

  it('of a payment that this server has not made is ignored', async () => {
    const payment = await pay(await server.createMerchant());
    const dispute = stripe.dispute(payment.id);
    const intent = stripe.intentOf(payment.id);
    const { metadata } = intent;
    intent['metadata'] = {};
    await deliver('charge.dispute.created', dispute);
    intent['metadata'] = { ...metadata, tillhouse_payment: 'gone' };
    await deliver('charge.dispute.created', dispute);
    intent['metadata'] = { ...metadata, tillhouse_merchant: 'GONE' };
    await deliver('charge.dispute.created', dispute);
    intent['metadata'] = metadata;
    expect(await holdsOf(payment)).toEqual([]);
  });

  it('of an intent that only claims to be of a payment is ignored', async () => {
    const merchant = await server.createMerchant();
    const [payment, other] = [await pay(merchant), await pay(merchant)];
    const dispute = stripe.dispute(other.id);
    const intent = stripe.intentOf(other.id);
    const { metadata } = intent;
    intent['metadata'] = { ...metadata, tillhouse_payment: payment.id };
    await deliver('charge.dispute.created', dispute);
    intent['metadata'] = metadata;
    expect([...(await holdsOf(payment)), ...(await holdsOf(other))]).toEqual([]);
  });

  it('is sent again if Stripe cannot be asked about it', async () => {
    const payment = await pay(await server.createMerchant());
    const event = stripe.event('charge.dispute.created', stripe.dispute(payment.id));
    stripe.reads = 'are lost';
    expect((await send(event)).status).toBe(503);
    stripe.reads = 'are answered';
    expect((await send(event)).status).toBe(200);
    expect(await holdsOf(payment)).toHaveLength(1);
  });
});

describe('a refund that fails at Stripe', () => {
  async function refundOf(merchant: TestMerchant, payment: WirePayment, amount: number) {
    const { id } = await refund(server, merchant, payment, { amount_money: usd(amount) });
    await advance(server, merchant, 'PT1M');
    expect((await getRefund(server, merchant, id)).status).toBe('COMPLETED');
    const key = `${merchant.id}:${id}`;
    const theirs = [...stripe.refunds.values()].find(({ metadata }) => metadata.tillhouse_key === key) ?? {};
    return { id, theirs };
  }

  async function refunded(amount = 400) {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const payment = await pay(merchant);
    return { merchant, payment, ...(await refundOf(merchant, payment, amount)) };
  }

  const fail = async (theirs: Record<string, unknown>) => {
    theirs['status'] = 'failed';
    await deliver('refund.failed', theirs);
  };

  const sumOf = async ({ id }: WirePayment) =>
    (await movementsOf(server, id)).reduce((sum, { amount }) => sum + amount, 0);

  it.each(['refund.failed', 'refund.updated', 'charge.refund.updated'])(
    'after it was completed becomes FAILED with %s, and the money is back in the books once',
    async (type) => {
      const { merchant, payment, id, theirs } = await refunded();
      theirs['status'] = 'failed';
      const event = stripe.event(type, theirs);
      const answers = await Promise.all([send(event), send(event), send(event)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      const after = await getRefund(server, merchant, id);
      expect(after.status).toBe('FAILED');
      expect(after).not.toHaveProperty('processing_fee');
      const movements = await movementsOf(server, payment.id);
      expect(movements.map(({ kind, amount }) => [kind, amount])).toEqual([
        ['CHARGE', 1000],
        ['REFUND', -400],
        ['REFUND', 400],
      ]);
      expect(movements.reduce((sum, { fee }) => sum + fee, 0)).toBe(-59);
    },
  );

  describe.each([
    { part: 400, disputed: 1000 },
    { part: 1000, disputed: 1000 },
    { part: 400, disputed: 700 },
    { part: 400, disputed: 300 },
  ])('of $part of 1000 beside a dispute of $disputed', ({ part, disputed }) => {
    const expectHeld = async (payment: WirePayment, { id }: Record<string, unknown>) => {
      expect(await holdsOf(payment)).toEqual([{ holdId: id, amount: disputed, isReleased: false }]);
      expect(await sumOf(payment)).toBe(1000 - disputed);
    };

    it.each(['first', 'second'])('leaves the disputed money held, with the event of the dispute %s', async (when) => {
      stripe.refundStatus = 'pending';
      const { payment, theirs } = await refunded(part);
      const dispute = stripe.dispute(payment.id, { amount: disputed });
      if (when === 'first') await deliver('charge.dispute.created', dispute);
      await fail(theirs);
      if (when === 'second') await deliver('charge.dispute.created', dispute);
      await expectHeld(payment, dispute);
      dispute['status'] = 'won';
      await deliver('charge.dispute.closed', dispute);
      expect(await sumOf(payment)).toBe(1000);
    });

    it('leaves the disputed money held once if all events arrive at the same time', async () => {
      const { payment, theirs } = await refunded(part);
      const dispute = stripe.dispute(payment.id, { amount: disputed });
      theirs['status'] = 'failed';
      const events = [stripe.event('charge.dispute.created', dispute), stripe.event('refund.failed', theirs)];
      const answers = await Promise.all([...events, ...events, ...events].map((event) => send(event)));
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
      await expectHeld(payment, dispute);
    });
  });

  it('gives back what its dispute held if that was won meanwhile', async () => {
    const { payment, theirs } = await refunded();
    const dispute = stripe.dispute(payment.id);
    await deliver('charge.dispute.created', dispute);
    dispute['status'] = 'won';
    await fail(theirs);
    expect(await holdsOf(payment)).toMatchObject([{ amount: 600, isReleased: true }]);
    expect(await sumOf(payment)).toBe(1000);
  });

  it('leaves the share of the fee of the other refunds returned, whichever of several refunds fails', async () => {
    const key = randomUUID();
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const { body } = await tryToPay(server, merchant, { source_id: 'pm_card_visa', idempotency_key: key });
    const payment: WirePayment = body.payment;
    const first = await refundOf(merchant, payment, 8);
    await refundOf(merchant, payment, 8);
    await fail(first.theirs);
    const fees = async () => (await movementsOf(server, payment.id)).map(({ fee }) => fee).sort((a, b) => a - b);
    expect(await fees()).toEqual([-59, -1, 0, 1]);
    expect((await cancelByKey(server, merchant, key)).status).toBe(200);
    expect((await fees()).reduce((sum, fee) => sum + fee)).toBe(0);
  });

  it('is counted if it was a reversal, because somebody has to pay the buyer back', async () => {
    stripe.refundStatus = 'pending';
    const key = randomUUID();
    const merchant = await server.createMerchant();
    const { body } = await tryToPay(server, merchant, { source_id: 'pm_card_visa', idempotency_key: key });
    expect((await cancelByKey(server, merchant, key)).status).toBe(200);
    await untilResolved(server, merchant);
    const theirs = reversalOf(body.payment);
    const before = await countNotPossible();
    // Stripe reports it with three types of events, and each of them perhaps twice.
    theirs['status'] = 'failed';
    for (const type of ['refund.failed', 'refund.updated', 'charge.refund.updated']) {
      await Promise.all([deliver(type, theirs), deliver(type, theirs)]);
    }
    expect(await countNotPossible()).toBe(before + 1);
  });

  it('is counted once if it was a reversal that Stripe has refused at once and reports later too', async () => {
    stripe.refundStatus = 'failed';
    const key = randomUUID();
    const merchant = await server.createMerchant();
    const before = await countNotPossible();
    const { body } = await tryToPay(server, merchant, { source_id: 'pm_card_visa', idempotency_key: key });
    expect((await cancelByKey(server, merchant, key)).status).toBe(200);
    await untilResolved(server, merchant);
    await pollUntil(countNotPossible, (now) => now === before + 1, 10_000);
    await deliver('refund.failed', reversalOf(body.payment));
    await deliver('charge.refund.updated', reversalOf(body.payment));
    expect(await countNotPossible()).toBe(before + 1);
  });

  it.each([
    ['the id of another payment', 'tillhouse_payment'],
    ['a key that is not ours', 'tillhouse_key'],
  ])('is ignored if it has %s', async (_what, mark) => {
    const { merchant, payment, id, theirs } = await refunded();
    const other = await pay(merchant);
    theirs['metadata'] = { ...theirs['metadata'], [mark]: other.id };
    await fail(theirs);
    // It is ignored even if it is a refund of that payment at Stripe.
    theirs['payment_intent'] = stripe.intentOf(other.id)['id'];
    await fail(theirs);
    expect((await getRefund(server, merchant, id)).status).toBe('COMPLETED');
    expect(await sumOf(payment)).toBe(600);
  });

  it('is ignored if the event is late and the refund has not failed', async () => {
    const { merchant, id, theirs } = await refunded();
    await deliver('refund.failed', { ...theirs, status: 'failed' });
    expect((await getRefund(server, merchant, id)).status).toBe('COMPLETED');
  });

  it.each(['are lost', 'are answered by a gateway'] as const)('is reported again later if reads %s', async (reads) => {
    const { merchant, id, theirs } = await refunded();
    theirs['status'] = 'failed';
    const event = stripe.event('refund.failed', theirs);
    stripe.reads = reads;
    expect((await send(event)).status).toBe(503);
    stripe.reads = 'are answered';
    expect((await send(event)).status).toBe(200);
    expect((await getRefund(server, merchant, id)).status).toBe('FAILED');
  });

  it('is reported again later if it is not recorded yet', async () => {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const payment = await pay(merchant);
    const { id } = await refund(server, merchant, payment, { amount_money: usd(400) });
    const intent = stripe.intentOf(payment.id);
    const metadata = { ...intent['metadata'], tillhouse_key: `${merchant.id}:${id}` };
    const theirs = {
      id: 're_early',
      object: 'refund',
      created: 1,
      status: 'failed',
      amount: 400,
      payment_intent: intent['id'],
      metadata,
    };
    stripe.refunds.set(theirs.id, theirs);
    expect((await send(stripe.event('refund.failed', theirs))).status).toBe(503);
    await advance(server, merchant, 'PT1M');
    expect((await getRefund(server, merchant, id)).status).toBe('FAILED');
    expect((await send(stripe.event('refund.failed', theirs))).status).toBe(200);
  });
});

describe('an event', () => {
  it.each([
    ['with the signature of another secret', { secret: 'whsec_another_secret' }],
    ['that was signed six minutes ago', { at: Date.now() - 360_000 }],
  ])('%s is refused and changes nothing', async (_which, options) => {
    const payment = await pay(await server.createMerchant());
    const event = stripe.event('charge.dispute.created', stripe.dispute(payment.id), options);
    expect((await send(event)).status).toBe(400);
    expect(await holdsOf(payment)).toEqual([]);
  });

  it('without a signature, with another body, or too long is refused', async () => {
    const event = stripe.event('charge.dispute.created', { id: 'dp_1' });
    const unsigned = { ...event, headers: { ...event.headers, 'stripe-signature': '' } };
    expect((await send(unsigned)).status).toBe(400);
    expect((await send({ ...event, body: `${event.body} ` })).status).toBe(400);
    expect((await send({ ...event, body: JSON.stringify({ long: 'x'.repeat(300_000) }) })).status).toBe(413);
  });

  it('about something that Stripe does not have is accepted and ignored', async () => {
    await deliver('charge.dispute.created', { id: 'dp_of_another_account' });
    await deliver('refund.failed', { id: 're_of_another_account' });
  });

  it('of another type is accepted and ignored', async () => {
    await deliver('customer.created', { id: 'cus_1' });
    await deliver('balance.available', { object: 'balance' });
  });

  it('is not found at a server without Stripe, or without the secret of its events', async () => {
    const keys = { secretKey: STRIPE_KEY, webhookSecret: undefined, url: stripe.url };
    const event = stripe.event('charge.dispute.created', { id: 'dp_1' });
    for (const config of [{}, { stripe: keys }])
      await withServer({ config }, async (other) => expect((await send(event, other)).status).toBe(404));
  });
});
