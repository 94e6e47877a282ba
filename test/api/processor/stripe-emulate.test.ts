/**
 * Stripe as the package `emulate` simulates it. Its states, charges and signatures are not our code (decision 0198). It shows what follows
 * from the states of an intent alone, even without idempotency keys, which the emulator does not have. Our own double of Stripe tests what
 * the emulator lacks, in test/crash/stripe.test.ts and test/api/processor/stripe-events.test.ts.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EmulatedStripe } from '../../support/emulated-stripe.js';
import { expectAgreement } from '../../support/faulty-processor.js';
import { isLong } from '../../support/long.js';
import {
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  movementsOf,
  paymentBody,
  tryToPay,
  usd,
  type WirePayment,
} from '../../support/payments.js';
import { untilResolved } from '../../support/processor-retries.js';
import { type Received, Receiver } from '../../support/receiver.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';
import { findDifferences } from '../../support/stripe-reconcile.js';
import { STRIPE_FAULTS, STRIPE_KEY, type Thing, WEBHOOK_SECRET } from '../../support/stripe-server.js';

const VISA = { source_id: 'pm_card_visa' };
const UNKNOWN = { status: 503, code: 'TEMPORARY_ERROR', category: 'API_ERROR' } as const;

let events: Receiver;
let stripe: EmulatedStripe;
let server: TestServer;
/** On the same database. It soon gives up a request that gets no response. */
let impatient: TestServer;

beforeAll(async () => {
  events = await Receiver.open();
  stripe = await EmulatedStripe.start([
    { url: `${events.url}/ours`, secret: WEBHOOK_SECRET },
    { url: `${events.url}/others`, secret: 'whsec_of_another_endpoint' },
  ]);
  const config = { stripe: { secretKey: STRIPE_KEY, webhookSecret: WEBHOOK_SECRET, url: stripe.url } };
  server = await startTestServer({ config, stripeLimits: { pauseMs: 10 } });
  const { databaseUrl } = server;
  impatient = await startTestServer({ config, databaseUrl, stripeLimits: { attemptMs: 1000, pauseMs: 10 } });
});
afterEach(() => stripe.heal());
afterAll(async () => {
  await impatient.stop();
  await server.stop();
  await stripe.stop();
  await events.close();
});

const ofMerchant = async (kind: 'payment_intents' | 'charges', { id }: TestMerchant): Promise<readonly Thing[]> =>
  (await stripe.list(kind)).filter(({ metadata }) => metadata.tillhouse_merchant === id);

async function expectOneCharge(merchant: TestMerchant, { id }: WirePayment, amount = 1000): Promise<void> {
  expect(await ofMerchant('charges', merchant)).toMatchObject([
    { amount, currency: 'usd', status: 'succeeded', metadata: { tillhouse_payment: id } },
  ]);
  expect(await movementsOf(server, id)).toMatchObject([{ kind: 'CHARGE', amount }]);
}

describe('a payment', () => {
  it('is one charge of the same amount, with the fee of its booking', async () => {
    const merchant = await server.createMerchant();
    const { payment } = (await tryToPay(server, merchant, { ...VISA, amount_money: usd(4321) })).body;
    expect(await getPayment(server, merchant, payment.id)).toMatchObject({
      status: 'COMPLETED',
      card_details: { card: { card_brand: 'VISA', last_4: '4242' } },
      processing_fee: [{ amount_money: usd(155) }],
    });
    await expectOneCharge(merchant, payment, 4321);
    expect(await ofMerchant('payment_intents', merchant)).toMatchObject([{ amount: 4321, status: 'succeeded' }]);
  });

  it('is charged once if it is requested eight times at the same moment', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody(VISA);
    const answers = await Promise.all(Array.from({ length: 8 }, () => tryToPay(server, merchant, body)));
    const again = await tryToPay(server, merchant, body);
    for (const { status, body: got } of answers) if (status === 200) expect(got).toEqual(again.body);
    await expectOneCharge(merchant, again.body.payment);
    expect(await ofMerchant('payment_intents', merchant)).toHaveLength(1);
  });

  it('is one charge each, if many are made at the same moment', async () => {
    const merchants = await Promise.all(Array.from({ length: 4 }, () => server.createMerchant()));
    await Promise.all(
      merchants.flatMap((merchant, index) =>
        [100, 200, 300].map((more) => tryToPay(server, merchant, { ...VISA, amount_money: usd(1000 + more + index) })),
      ),
    );
    for (const [index, merchant] of merchants.entries()) {
      const amounts = (await ofMerchant('charges', merchant)).map(({ amount }) => amount);
      expect(amounts.sort()).toEqual([1100 + index, 1200 + index, 1300 + index]);
    }
  });

  it('that is refused at its confirmation is canceled there, and never charged', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody(VISA);
    stripe.refuses = /confirm$/;
    const declined = { status: 400, body: { errors: [{ code: 'GENERIC_DECLINE' }], payment: { status: 'FAILED' } } };
    expect(await tryToPay(server, merchant, body)).toMatchObject(declined);
    stripe.heal();
    expect(await tryToPay(server, merchant, body)).toMatchObject(declined);
    expect(await ofMerchant('payment_intents', merchant)).toMatchObject([{ status: 'canceled' }]);
    expect(await ofMerchant('charges', merchant)).toEqual([]);
  });
});

/** The other faults differ only in the response, which the emulator does not make. Our own double of Stripe tests them. */
const LOST_AND_REPEATED = STRIPE_FAULTS.filter((fault) => !fault.startsWith('is answered'));

const SITUATIONS = [
  ['the intent is made', 'without', 'are answered', /payment_intents$/],
  ['it is confirmed', 'with', 'are answered', /confirm$/],
  ['it is confirmed', 'without', 'are lost', /confirm$/],
] as const;

/**
 * Whether a situation is combined with a fault. Each situation gets three of the six: one of lost requests, one of those that hang, one of
 * those that arrive twice. The next situation gets the other three.
 */
function isCombined(fault: (typeof LOST_AND_REPEATED)[number], situation: number): boolean {
  const place = LOST_AND_REPEATED.indexOf(fault);
  return isLong || (place + Math.floor(place / 2) + situation) % 2 === 0;
}

describe.each(LOST_AND_REPEATED)('a request that %s', (fault) => {
  it.each(SITUATIONS.filter((_, index) => isCombined(fault, index)))(
    'while %s, %s keys, charges once if reads %s',
    async (_when, keys, reads, path) => {
      const merchant = await server.createMerchant();
      const body = paymentBody(VISA);
      stripe.savesKeys = keys === 'with';
      stripe.reads = reads;
      stripe.failNext({ path, fault, times: 2 }); // the client repeats a request once
      const answer = await tryToPay(impatient, merchant, body);
      if (answer.status !== 200) expectRefusal(answer, UNKNOWN);
      stripe.heal();
      await untilResolved(server, merchant, { keepsLeases: true });
      const { payment } = (await tryToPay(server, merchant, body)).body;
      expect(payment.status).toBe('COMPLETED');
      await expectOneCharge(merchant, payment);
    },
  );

  if (!isCombined(fault, SITUATIONS.length)) return;

  it('while a refused intent is canceled, without keys, never charges', async () => {
    const merchant = await server.createMerchant();
    stripe.savesKeys = false;
    stripe.refuses = /confirm$/;
    stripe.failNext({ path: /cancel$/, fault, times: 2 });
    const answer = await tryToPay(impatient, merchant, VISA);
    if (answer.status !== 400) expectRefusal(answer, UNKNOWN);
    await untilResolved(server, merchant, { keepsLeases: true });
    expect(await ofMerchant('payment_intents', merchant)).toMatchObject([{ status: 'canceled' }]);
    expect(await ofMerchant('charges', merchant)).toEqual([]);
  });
});

describe('the events of the emulator', () => {
  const send = async ({ text, headers }: Received): Promise<number> => {
    const { 'content-type': type = '', 'stripe-signature': signature = '' } = headers;
    const response = await fetch(`${server.baseUrl}/processors/stripe/events`, {
      method: 'POST',
      body: text,
      headers: { 'content-type': type, 'stripe-signature': String(signature) },
    });
    return response.status;
  };

  /** Pays, and returns the events that the emulator has sent for it. */
  async function pay() {
    const merchant = await server.createMerchant();
    const from = events.received.length;
    const { payment } = (await tryToPay(server, merchant, { ...VISA, idempotency_key: randomUUID() })).body;
    const sent = events.received.slice(from);
    const to = (path: string) => sent.filter((event) => event.path.endsWith(path));
    return { merchant, payment, ours: to('/ours'), others: to('/others') };
  }

  it('are accepted with our signature, and refused with another one', async () => {
    const { ours, others } = await pay();
    const types = ['payment_intent.created', 'payment_intent.succeeded', 'charge.succeeded'];
    expect(ours.map(({ body }) => body.type)).toEqual(types);
    expect(others.map(({ body }) => body.type)).toEqual(types);
    for (const event of ours) expect(await send(event)).toBe(200);
    for (const event of others) expect(await send(event)).toBe(400);
    const [changed] = ours.map((event) => ({ ...event, text: event.text.replace('1000', '9000') }));
    if (changed) expect(await send(changed)).toBe(400);
  });

  it('change nothing when they arrive twice, in the wrong order and at the same moment', async () => {
    const { merchant, payment, ours } = await pay();
    const before = await getPayment(server, merchant, payment.id);
    const disordered = [...ours, ...ours].reverse();
    expect(await Promise.all(disordered.map(send))).toEqual(Array(6).fill(200));
    expect(await getPayment(server, merchant, payment.id)).toEqual(before);
    await expectOneCharge(merchant, payment);
  });

  it('may arrive before the response to the request that caused them', async () => {
    const statuses: number[] = [];
    const { answering } = events;
    events.answering = async (response, received) => {
      if (received.path.endsWith('/ours')) statuses.push(await send(received));
      response.writeHead(200).end();
    };
    const { merchant, payment } = await pay();
    events.answering = answering;
    expect(statuses).toEqual([200, 200, 200]);
    expect(payment.status).toBe('COMPLETED');
    await expectOneCharge(merchant, payment);
  });
});

/** The last test: the books have everything that the other tests did. */
it('the books of the emulator and of the server agree, also for tillhouse reconcile', async () => {
  await tryToPay(server, await server.createMerchant(), VISA);
  await expectBooksInOrder(server);
  const books = await stripe.readBooks();
  await expectAgreement(server.database, books);
  const { compared, differences } = await findDifferences(server, stripe);
  expect(differences).toEqual([]);
  expect(compared).toBeGreaterThanOrEqual(books.accounts.size);
});
