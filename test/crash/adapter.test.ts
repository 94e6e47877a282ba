import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ADAPTER_FAULTS, ADAPTER_SECRET, AdapterProcess, FaultyNetwork } from '../support/adapter.js';
import { pollUntil } from '../support/clock.js';
import { expectAgreement } from '../support/faulty-processor.js';
import { isLong } from '../support/long.js';
import {
  advance,
  approve,
  cancelByKey,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  getRefund,
  type Json,
  movementsOf,
  pay,
  paymentBody,
  refund,
  tryToPay,
  usd,
  type WirePayment,
} from '../support/payments.js';
import { untilResolved } from '../support/processor-retries.js';
import { startTestServer, type TestMerchant, type TestServer, withServer } from '../support/server.js';

const PATIENCE_MS = 30_000;
const UNKNOWN = { status: 503, code: 'TEMPORARY_ERROR', category: 'API_ERROR' } as const;
/** A request that takes longer is looked up, so its length decides nothing. */
const LIMITS = { attemptMs: 1000, lookUpMs: 1000, pauseMs: 10 };

let adapter: AdapterProcess;
let network: FaultyNetwork;
let server: TestServer;

beforeAll(async () => {
  adapter = await AdapterProcess.start();
  network = await FaultyNetwork.start(() => adapter.url);
  server = await startTestServer({
    config: { adapter: { url: network.url, secret: ADAPTER_SECRET } },
    adapterLimits: LIMITS,
  });
});
afterEach(async () => {
  network.heal();
  await expectAgreement(server.database, await adapter.readBooks());
});
afterAll(async () => {
  await expectBooksInOrder(server); // each test has merchants of its own
  await server.stop();
  await network.stop();
  await adapter.stop();
});

const move = (how: 'complete' | 'cancel', { token }: TestMerchant, { id }: Pick<WirePayment, 'id'>) =>
  server.call('POST', `/v2/payments/${id}/${how}`, { token });

async function timesOf(outcome: string, paymentId: string): Promise<number> {
  const { calls } = await adapter.readBooks();
  return calls.filter((each) => each === `${outcome} ${paymentId}`).length;
}

/** One request gets its outcome, or a 503 and then the worker finds it. */
async function settle<Result extends { status: number }>(merchant: TestMerchant, answer: Result): Promise<Result> {
  if (answer.status !== 200) expectRefusal(answer as never, UNKNOWN);
  await untilResolved(server, merchant);
  return answer;
}

describe('a payment through an adapter', () => {
  it('has the card and the fee that the adapter says', async () => {
    const merchant = await server.createMerchant();
    const payment = await getPayment(server, merchant, (await pay(server, merchant)).id);
    expect(payment).toMatchObject({
      status: 'COMPLETED',
      card_details: { card: { card_brand: 'VISA', last_4: '4242', exp_year: 2032 }, entry_method: 'KEYED' },
      processing_fee: [{ amount_money: usd(24) }],
    });
    expect(payment).not.toHaveProperty('card_details.card.bin');
    expect(await movementsOf(server, payment.id)).toMatchObject([{ kind: 'CHARGE', amount: 1000, fee: -24 }]);
  });

  it('is approved, captured with the fee of the adapter, and refunded', async () => {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const payment = await approve(server, merchant);
    expect((await move('complete', merchant, payment)).status).toBe(200);
    expect(await getPayment(server, merchant, payment.id)).toMatchObject({
      status: 'COMPLETED',
      processing_fee: [{ amount_money: usd(24) }],
    });
    const { id } = await refund(server, merchant, payment, { amount_money: usd(400) });
    await advance(server, merchant, 'PT1M');
    expect((await getRefund(server, merchant, id)).status).toBe('COMPLETED');
  });

  it('is declined, or refused for a source that the adapter does not know', async () => {
    const merchant = await server.createMerchant();
    const declined = await tryToPay(server, merchant, { source_id: 'cnon:card-nonce-declined' });
    expect(declined.body).toMatchObject({ errors: [{ code: 'GENERIC_DECLINE' }], payment: { status: 'FAILED' } });
    const unknown = await tryToPay(server, merchant, { source_id: 'cnon:nobody-knows-it' });
    expectRefusal(unknown, { status: 404, code: 'NOT_FOUND', field: 'source_id' });
  });

  it('is canceled when the adapter refuses to capture it', async () => {
    const merchant = await server.createMerchant();
    const payment = await approve(server, merchant);
    const key = { key: randomUUID(), merchant_id: merchant.id, payment_id: payment.id };
    await releaseAtAdapter(key);
    const answer = await move('complete', merchant, payment);
    expectRefusal(answer, { status: 400, code: 'BAD_REQUEST', says: [payment.id, 'CANCELED'] });
    expect((await getPayment(server, merchant, payment.id)).status).toBe('CANCELED');
    expect(await movementsOf(server, payment.id)).toEqual([]);
  });
});

/** The reservation expires at the processor, without the server. */
async function releaseAtAdapter(body: object): Promise<void> {
  const { createAdapterProcessor } = await import('../../src/processor/adapter/processor.js');
  const { key, merchant_id, payment_id } = body as { key: string; merchant_id: string; payment_id: string };
  const client = createAdapterProcessor({ url: adapter.url, secret: ADAPTER_SECRET }, { onTrouble: () => {} });
  await client.void({ key, merchant: { id: merchant_id, hasRules: false }, paymentId: payment_id, processorId: null });
}

const NETWORKS = [
  { lookUps: 'look-ups are answered', answersLookUps: true },
  { lookUps: 'look-ups are lost too', answersLookUps: false },
];

/** The same code handles every action, so each fault is tried with every action, and each kind of look-up with half of the actions. */
const CASES = ADAPTER_FAULTS.flatMap((fault, row) =>
  NETWORKS.map((each, column) => ({ fault, ...each, place: row + column })),
);
const ACTIONS = ['authorize', 'capture', 'void', 'refund'];

describe.each(CASES)('a request that $fault, while $lookUps', ({ fault, answersLookUps, place }) => {
  const actions = ACTIONS.filter((_, index) => isLong || (place + index) % 2 === 0);
  const fail = (action: string) => {
    network.failNext(action, fault);
    network.answersLookUps = answersLookUps;
  };

  it.each(actions.filter((each) => each === 'authorize'))('charges once: %s', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody();
    fail('authorize');
    await settle(merchant, await tryToPay(server, merchant, body));
    network.heal();
    await untilResolved(server, merchant);
    const { payment } = (await tryToPay(server, merchant, body)).body;
    expect(payment.status).toBe('COMPLETED');
    expect(await timesOf('approved', payment.id)).toBe(1);
    expect(await movementsOf(server, payment.id)).toHaveLength(1);
  });

  const moves = [
    { how: 'complete', action: 'capture', outcome: 'captured', status: 'COMPLETED' },
    { how: 'cancel', action: 'void', outcome: 'voided', status: 'CANCELED' },
  ] as const;

  it.each(moves.filter(({ action }) => actions.includes(action)))(
    'is $outcome once',
    async ({ how, action, outcome, status }) => {
      const merchant = await server.createMerchant();
      const payment = await approve(server, merchant);
      fail(action);
      await settle(merchant, await move(how, merchant, payment));
      expect((await getPayment(server, merchant, payment.id)).status).toBe(status);
      expect(await timesOf(outcome, payment.id)).toBe(1);
    },
  );

  it.each(actions.filter((each) => each === 'refund'))('refunds once: %s', async () => {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const payment = await pay(server, merchant);
    const { id } = await refund(server, merchant, payment, { amount_money: usd(400) });
    fail('refund');
    await advance(server, merchant, 'PT1M');
    await untilResolved(server, merchant);
    expect((await getRefund(server, merchant, id)).status).toBe('COMPLETED');
    expect(await timesOf('refunded', payment.id)).toBe(1);
  });
});

describe('an adapter that is down for a while', () => {
  it('makes requests return 503, shows nothing, and charges once when it is back', async () => {
    const merchant = await server.createMerchant();
    const bodies = Array.from({ length: 5 }, () => paymentBody());
    await adapter.kill();
    for (const body of bodies) {
      expectRefusal(await tryToPay(server, merchant, body), UNKNOWN);
    }
    expect((await server.call('GET', '/v2/payments', merchant)).body).toEqual({});
    await adapter.restart();
    await untilResolved(server, merchant);
    const { payments } = (await server.call('GET', '/v2/payments', merchant)).body;
    expect(payments.map(({ status }: Json) => status)).toEqual(bodies.map(() => 'COMPLETED'));
    for (const body of bodies) expect((await tryToPay(server, merchant, body)).status).toBe(200);
    expect((await server.call('GET', '/v2/payments', merchant)).body.payments).toHaveLength(bodies.length);
  });

  it('is killed while requests arrive, and charges each once', async () => {
    const merchant = await server.createMerchant();
    const bodies = Array.from({ length: 30 }, () => paymentBody());
    const requests = bodies.map((body) => tryToPay(server, merchant, body));
    await pollUntil(
      async () => (await adapter.readBooks()).calls.length,
      (length) => length > 0,
      PATIENCE_MS,
    );
    await adapter.kill();
    await adapter.restart();
    for (const answer of await Promise.all(requests)) expect([200, 503]).toContain(answer.status);
    await untilResolved(server, merchant);
    for (const body of bodies) {
      const { payment } = (await tryToPay(server, merchant, body)).body;
      expect(await timesOf('approved', payment.id)).toBe(1);
    }
  });

  it('reverses a payment that was canceled by its key meanwhile', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody();
    network.failNext('authorize', 'is lost after it has acted', 4);
    network.answersLookUps = false;
    expectRefusal(await tryToPay(server, merchant, body), UNKNOWN);
    expect((await cancelByKey(server, merchant, body['idempotency_key'])).status).toBe(200);
    network.heal();
    await untilResolved(server, merchant);
    const { payments } = (await server.call('GET', '/v2/payments', merchant)).body;
    expect(payments).toMatchObject([{ status: 'CANCELED' }]);
    expect((await adapter.readBooks()).accounts.get(payments[0].id)).toMatchObject({ captured: 1000, refunded: 1000 });
  });
});

describe('a server with another secret than its adapter', () => {
  it('gets no outcome and moves no money, and makes up for it once the secret is right', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody();
    const before = (await adapter.readBooks()).calls.length;
    const wrong = { url: adapter.url, secret: '00c9a7be04d5862d7c1a9e05b3f8c4699' };
    await withServer(
      { databaseUrl: server.databaseUrl, config: { adapter: wrong }, adapterLimits: LIMITS },
      async (other) => {
        expectRefusal(await tryToPay(other, merchant, body), UNKNOWN);
      },
    );
    expect((await adapter.readBooks()).calls).toHaveLength(before);
    await untilResolved(server, merchant);
    expect((await tryToPay(server, merchant, body)).body.payment.status).toBe('COMPLETED');
  });
});
