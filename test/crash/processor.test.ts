import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../support/clock.js';
import {
  createFaultyProcessor,
  expectAgreement,
  FAULTS,
  type Fault,
  type FaultyProcessor,
} from '../support/faulty-processor.js';
import type { ApiResponse } from '../support/http.js';
import {
  advance,
  approve,
  cancelByKey,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  getRefund,
  type Json,
  later,
  movementsOf,
  pay,
  paymentBody,
  refund,
  tryToPay,
  tryToRefund,
  usd,
  type WirePayment,
  withoutServer,
} from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const PATIENCE_MS = 30_000;
/** Affects only calls that hang: other calls return before any timer can fire. */
const TIME_LIMIT_MS = 150;
const UNAVAILABLE: Fault = { when: 'before it is done', how: 'says it is unavailable' };
const LOST: Fault = { when: 'after it is done', how: 'says it is unavailable' };
const FAILS: Fault = { when: 'before it is done', how: 'fails' };

let server: TestServer;
let processor: FaultyProcessor;

beforeAll(async () => {
  processor = createFaultyProcessor();
  server = await startTestServer({ processor, processorTimeLimitMs: TIME_LIMIT_MS });
});
afterEach(async () => {
  await expectAgreement(server.database, processor.books);
});
afterAll(async () => {
  await expectBooksInOrder(server); // each test has merchants of its own
  await server.stop();
});

function expectUnknown(answer: ApiResponse, { how }: Fault): void {
  const known = how === 'fails';
  const code = known ? 'INTERNAL_SERVER_ERROR' : 'TEMPORARY_ERROR';
  expectRefusal(answer, { status: known ? 500 : 503, code, category: 'API_ERROR' });
}

async function expectNothingVisible({ id, token }: TestMerchant): Promise<void> {
  expect((await server.call('GET', '/v2/payments', { token })).body).toEqual({});
  const [hidden] = await server.database.sql<{ paymentId: string }[]>`
    select payment_id from payments where merchant_id = ${id}`;
  expect((await server.call('GET', `/v2/payments/${hidden?.paymentId}`, { token })).status).toBe(404);
  const found = await server.database.sql`
    select movement_id as id from movements where merchant_id = ${id}
    union all
    select sale_id from sales where merchant_id = ${id}`;
  expect(found).toHaveLength(0);
}

/** Makes the worker's retries due, which normally takes 30 seconds. */
async function makeDue({ id }: TestMerchant): Promise<void> {
  const { sql } = server.database;
  await sql`
    update processor_calls set retry_at = now() - interval '1 hour', leased_until = null where merchant_id = ${id}`;
  await sql`
    update due_work set run_at = now() - interval '1 hour', leased_until = null
    where merchant_id = ${id} and run_at > now() and run_at < now() + interval '1 hour'`;
}

async function untilResolved(merchant: TestMerchant): Promise<void> {
  await makeDue(merchant);
  const open = () => server.database.sql`
    select 1 from processor_calls where merchant_id = ${merchant.id}
    union all
    select 1 from due_work where merchant_id = ${merchant.id} and kind not in ('EXPIRE_PAYMENT', 'CLOSE_DAY', 'ROLL_UP_DAYS')`;
  expect(await pollUntil(open, ({ length }) => length === 0, PATIENCE_MS)).toHaveLength(0);
}

const move = (how: 'complete' | 'cancel') => (merchant: TestMerchant, payment: Pick<WirePayment, 'id'>) =>
  server.call('POST', `/v2/payments/${payment.id}/${how}`, { token: merchant.token });
const complete = move('complete');
const cancel = move('cancel');

const RESOLUTIONS = [
  { by: 'a retry', withWorker: false },
  { by: 'the worker', withWorker: true },
];
const MATRIX = FAULTS.flatMap((fault) => RESOLUTIONS.map((resolution) => ({ ...fault, ...resolution })));

describe('v2.createPayment with a processor whose response can be lost', () => {
  const KINDS = [
    { kind: 'a captured payment', change: {}, status: 'COMPLETED', movements: ['CHARGE'] },
    { kind: 'an approved payment', change: { autocomplete: false }, status: 'APPROVED', movements: [] },
  ];

  it.each(KINDS)('creates $kind when nothing fails', async ({ change, status, movements }) => {
    const merchant = await server.createMerchant();
    const payment = await pay(server, merchant, change);
    expect(payment.status).toBe(status);
    expect((await movementsOf(server, payment.id)).map(({ kind }) => kind)).toEqual(movements);
    expect(processor.asked(merchant.id, 'authorize')).toBe(1);
  });

  it.each(MATRIX.flatMap((row) => KINDS.map((kind) => ({ ...row, ...kind }))))(
    'creates $kind once when it $fault, by $by',
    async ({ when, how, withWorker, change, status, movements }) => {
      const merchant = await server.createMerchant();
      const before = processor.books.done.authorize;
      const body = paymentBody(change);
      processor.failNext(merchant.id, 'authorize', { when, how });
      expectUnknown(await tryToPay(server, merchant, body), { when, how });
      await expectNothingVisible(merchant);
      expect(processor.books.done.authorize - before).toBe(when === 'after it is done' ? 1 : 0);

      if (withWorker) {
        await untilResolved(merchant);
        expect((await server.call('GET', '/v2/payments', merchant)).body.payments).toMatchObject([{ status }]);
      }
      const again = await tryToPay(server, merchant, body);
      expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
      expect(again.body.payment.status).toBe(status);
      expect((await movementsOf(server, again.body.payment.id)).map(({ kind }) => kind)).toEqual(movements);
      expect(processor.books.done.authorize - before).toBe(1);
    },
  );

  it('returns the same 503 as long as the outcome is unknown', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody();
    processor.failNext(merchant.id, 'authorize', UNAVAILABLE);
    processor.failNext(merchant.id, 'authorize', LOST, 3);
    for (let attempt = 0; attempt < 4; attempt++) expectUnknown(await tryToPay(server, merchant, body), LOST);
    await expectNothingVisible(merchant);
    expect((await tryToPay(server, merchant, body)).body.payment.status).toBe('COMPLETED');
  });

  it('remembers a decline whose response was lost', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody({ source_id: 'cnon:card-nonce-declined' });
    processor.failNext(merchant.id, 'authorize', LOST);
    expectUnknown(await tryToPay(server, merchant, body), LOST);
    await untilResolved(merchant);
    const asked = processor.asked(merchant.id, 'authorize');
    const again = await tryToPay(server, merchant, body);
    expect([again.status, again.body.errors[0].code]).toEqual([400, 'GENERIC_DECLINE']);
    expect(again.body.payment.status).toBe('FAILED');
    expect(processor.asked(merchant.id, 'authorize')).toBe(asked);
  });

  it('leaves nothing behind when the source turns out to be invalid, and frees the key', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody({ source_id: 'cnon:nobody-knows-me' });
    processor.failNext(merchant.id, 'authorize', LOST);
    expectUnknown(await tryToPay(server, merchant, body), LOST);
    await untilResolved(merchant);
    const rows = await server.database.sql`
      select 1 from payments where merchant_id = ${merchant.id}
      union all
      select 1 from idempotency_keys where merchant_id = ${merchant.id} and operation = 'createPayment'`;
    expect(rows).toHaveLength(0);
    const { idempotency_key } = body;
    expect((await tryToPay(server, merchant, { idempotency_key })).body.payment.status).toBe('COMPLETED');
  });

  it('refuses another request with the key while the outcome is unknown', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody();
    processor.failNext(merchant.id, 'authorize', UNAVAILABLE);
    expectUnknown(await tryToPay(server, merchant, body), UNAVAILABLE);
    const other = await tryToPay(server, merchant, { ...body, amount_money: usd(1) });
    expectRefusal(other, { code: 'IDEMPOTENCY_KEY_REUSED', field: 'idempotency_key' });
    await untilResolved(merchant);
  });

  it('charges once when 50 requests share one key and some responses are lost', async () => {
    const merchant = await server.createMerchant();
    const before = processor.books.done.authorize;
    const body = paymentBody();
    processor.failNext(merchant.id, 'authorize', LOST, 10);
    const answers = await Promise.all(Array.from({ length: 50 }, () => tryToPay(server, merchant, body)));
    const known = answers.filter(({ status }) => status === 200);
    for (const answer of answers) if (answer.status !== 200) expectUnknown(answer, LOST);
    expect(new Set(known.map(({ text }) => text)).size).toBeLessThanOrEqual(1);
    await untilResolved(merchant);
    expect((await tryToPay(server, merchant, body)).body.payment.status).toBe('COMPLETED');
    expect(processor.books.done.authorize - before).toBe(1);
  });
});

describe.each([
  { name: 'v2.completePayment', how: 'complete', action: 'capture', status: 'COMPLETED', movements: ['CHARGE'] },
  { name: 'v2.cancelPayment', how: 'cancel', action: 'void', status: 'CANCELED', movements: [] },
] as const)('$name with a processor that may lose its answer', ({ how: verb, action, status, movements }) => {
  it.each(MATRIX)('is done once when it $fault, by $by', async ({ when, how, withWorker }) => {
    const merchant = await server.createMerchant();
    const payment = await approve(server, merchant);
    const before = processor.books.done[action];
    processor.failNext(merchant.id, action, { when, how });
    expectUnknown(await move(verb)(merchant, payment), { when, how });
    expect(await getPayment(server, merchant, payment.id)).toEqual(payment);
    expect(await movementsOf(server, payment.id)).toEqual([]);

    if (withWorker) await untilResolved(merchant);
    const again = await move(verb)(merchant, payment);
    if (withWorker) expectRefusal(again, { code: 'BAD_REQUEST', says: [payment.id, status] });
    else expect(again.body.payment.status).toBe(status);
    expect((await getPayment(server, merchant, payment.id)).status).toBe(status);
    expect((await movementsOf(server, payment.id)).map(({ kind }) => kind)).toEqual(movements);
    expect(processor.books.done[action] - before).toBe(1);
  });

  it('makes the opposite operation wait until its outcome is known', async () => {
    const merchant = await server.createMerchant();
    const payment = await approve(server, merchant);
    const opposite = verb === 'complete' ? cancel : complete;
    processor.failNext(merchant.id, action, LOST);
    expectUnknown(await move(verb)(merchant, payment), LOST);
    expectUnknown(await opposite(merchant, payment), LOST);
    await untilResolved(merchant);
    expectRefusal(await opposite(merchant, payment), { code: 'BAD_REQUEST', says: [status] });
  });
});

describe('a refund with a processor whose response can be lost', () => {
  const PART = { amount_money: usd(400) };

  it.each(FAULTS)('is finished once by the worker when it $fault', async ({ when, how }) => {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const payment = await pay(server, merchant);
    const { id } = await refund(server, merchant, payment, PART);
    const before = processor.books.done.refund;
    processor.failNext(merchant.id, 'refund', { when, how });
    const moved = await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/clock`, { advance: 'PT1M' });
    if (how === 'fails') expectUnknown(moved, { when, how });
    else expect(moved.status).toBe(200);
    expect((await getRefund(server, merchant, id)).status).toBe('PENDING');
    expect(await movementsOf(server, payment.id)).toHaveLength(1);

    await untilResolved(merchant);
    const { status, created_at, updated_at } = await getRefund(server, merchant, id);
    expect([status, updated_at]).toEqual(['COMPLETED', later(created_at, 3000)]);
    expect(await movementsOf(server, payment.id)).toMatchObject([
      { kind: 'CHARGE' },
      { kind: 'REFUND', amount: -400, refundId: id },
    ]);
    expect(processor.books.done.refund - before).toBe(1);
  });

  it('that fails repeatedly delays no other refund, of its merchant or of another', async () => {
    // Both are due in one sweep, the failing one first. A second sweep would retry it.
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const other = await server.createMerchant();
    const advance = (by: string) =>
      server.operator('POST', `/api/sandbox/merchants/${merchant.id}/clock`, { advance: by });
    const payment = await pay(server, merchant);
    const first = await refund(server, merchant, payment, PART);
    expect((await advance('PT1S')).status).toBe(200);
    const second = await refund(server, merchant, payment, PART);
    const third = await refund(server, other, await pay(server, other), PART);
    const done = async (of: TestMerchant, { id }: { id: string }) => (await getRefund(server, of, id)).status;
    processor.failNext(merchant.id, 'refund', FAILS);
    expectUnknown(await advance('PT1M'), FAILS);
    expect(await done(merchant, second)).toBe('COMPLETED');
    const others = await pollUntil(
      () => done(other, third),
      (status) => status === 'COMPLETED',
      PATIENCE_MS,
    );
    expect(others).toBe('COMPLETED');
    expect(await done(merchant, first)).toBe('PENDING');
    await untilResolved(merchant);
    expect(await done(merchant, first)).toBe('COMPLETED');
  });
});

describe('v2.cancelPaymentByIdempotencyKey with a processor whose response can be lost', () => {
  const KINDS = [
    { kind: 'an approved payment', change: { autocomplete: false }, action: 'void' },
    { kind: 'a captured payment', change: {}, action: 'refund' },
  ] as const;

  it.each(KINDS.flatMap((kind) => FAULTS.map((fault) => ({ ...kind, ...fault }))))(
    'cancels $kind at once, and cancels it once at the processor when it $fault',
    async ({ change, action, when, how }) => {
      const merchant = await server.createMerchant();
      const key = randomUUID();
      const payment = await pay(server, merchant, { ...change, idempotency_key: key });
      const before = processor.books.done[action];
      processor.failNext(merchant.id, action, { when, how });
      const answer = await cancelByKey(server, merchant, key);
      expect([answer.status, answer.body]).toEqual([200, {}]);
      expect((await getPayment(server, merchant, payment.id)).status).toBe('CANCELED');
      const wasAsked = async () => processor.asked(merchant.id, action);
      expect(await pollUntil(wasAsked, (times) => times > 0, PATIENCE_MS)).toBeGreaterThan(0);
      const postponed = () => server.database.sql`
        select 1 from due_work
        where merchant_id = ${merchant.id} and run_at > now() and leased_until is null and kind not in ('CLOSE_DAY', 'ROLL_UP_DAYS')`;
      expect(await pollUntil(postponed, ({ length }) => length > 0, PATIENCE_MS)).toHaveLength(1);
      await untilResolved(merchant);
      expect(processor.books.done[action] - before).toBe(1);
    },
  );

  it('frees the key for another payment, which is charged separately', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody();
    const first = await pay(server, merchant, body);
    await cancelByKey(server, merchant, body['idempotency_key']);
    const second = await pay(server, merchant, body);
    expect(second.id).not.toBe(first.id);
    expect(second.status).toBe('COMPLETED');
    await untilResolved(merchant);
    expect(processor.books.accounts.get(first.id)).toMatchObject({ captured: 1000, refunded: 1000 });
    expect(processor.books.accounts.get(second.id)).toMatchObject({ captured: 1000, refunded: 0 });
  });

  it.each([
    { kind: 'captured', change: {}, kinds: ['CHARGE', 'REVERSAL'] },
    { kind: 'approved', change: { autocomplete: false }, kinds: [] },
  ])(
    'cancels a payment with an unknown outcome as soon as it turns out to be $kind (decision 0031)',
    async ({ change, kinds }) => {
      const merchant = await server.createMerchant();
      const body = paymentBody(change);
      processor.failNext(merchant.id, 'authorize', LOST);
      expectUnknown(await tryToPay(server, merchant, body), LOST);
      expect((await cancelByKey(server, merchant, body['idempotency_key'])).status).toBe(200);
      await expectNothingVisible(merchant);
      const again = await pay(server, merchant, body); // the key is free immediately
      await untilResolved(merchant);
      const { payments } = (await server.call('GET', '/v2/payments', merchant)).body;
      expect(payments.map(({ status }: Json) => status).sort()).toEqual(['CANCELED', again.status].sort());
      const canceled = payments.find(({ status }: Json) => status === 'CANCELED');
      expect((await movementsOf(server, canceled.id)).map(({ kind }) => kind)).toEqual(kinds);
    },
  );

  it('reverses a payment that is being completed at that moment', async () => {
    const merchant = await server.createMerchant();
    const key = randomUUID();
    const payment = await approve(server, merchant, { idempotency_key: key });
    processor.failNext(merchant.id, 'capture', LOST);
    expectUnknown(await complete(merchant, payment), LOST);
    expect((await cancelByKey(server, merchant, key)).status).toBe(200);
    await untilResolved(merchant);
    expect((await getPayment(server, merchant, payment.id)).status).toBe('CANCELED');
    expect((await movementsOf(server, payment.id)).map(({ kind }) => kind)).toEqual(['CHARGE', 'REVERSAL']);
  });
});

describe('an expired payment with a processor whose response can be lost', () => {
  it.each(FAULTS)('is voided once when it $fault, with its expiry as the time', async ({ when, how }) => {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const payment = await approve(server, merchant);
    const before = processor.books.done.void;
    processor.failNext(merchant.id, 'void', { when, how });
    const moved = await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/clock`, { advance: 'P8D' });
    if (how === 'fails') expectUnknown(moved, { when, how });
    else expect(moved.status).toBe(200);
    expect(await getPayment(server, merchant, payment.id)).toEqual(payment);
    expectUnknown(await complete(merchant, payment), LOST); // it is being voided
    await untilResolved(merchant);
    const { status, updated_at } = await getPayment(server, merchant, payment.id);
    expect([status, updated_at]).toEqual(['CANCELED', later(payment.created_at, 7 * DAY_MS)]);
    expect(processor.books.done.void - before).toBe(1);
  });

  it.each(FAULTS)('is captured once when it $fault, if the application wanted that', async ({ when, how }) => {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const payment = await approve(server, merchant, { delay_duration: 'PT1H', delay_action: 'COMPLETE' });
    const before = processor.books.done.capture;
    processor.failNext(merchant.id, 'capture', { when, how });
    await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/clock`, { advance: 'P1D' });
    expect((await getPayment(server, merchant, payment.id)).status).toBe('APPROVED');
    await untilResolved(merchant);
    const { status, updated_at } = await getPayment(server, merchant, payment.id);
    expect([status, updated_at]).toEqual(['COMPLETED', payment.delayed_until]);
    expect(processor.books.done.capture - before).toBe(1);
    expect(processor.asked(merchant.id, 'void')).toBe(0);
    const occurredAt = Date.parse(payment.delayed_until);
    expect(await movementsOf(server, payment.id)).toMatchObject([{ kind: 'CHARGE', amount: 1000, occurredAt }]);
  });

  it('is not voided while a request completes it', async () => {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const payment = await approve(server, merchant);
    processor.failNext(merchant.id, 'capture', LOST);
    expectUnknown(await complete(merchant, payment), LOST);
    await advance(server, merchant, 'P8D');
    expect((await getPayment(server, merchant, payment.id)).status).toBe('APPROVED');
    await untilResolved(merchant);
    expect((await getPayment(server, merchant, payment.id)).status).toBe('COMPLETED');
    expect(processor.asked(merchant.id, 'void')).toBe(0);
  });
});

describe('several servers with a processor whose response can be lost', () => {
  let second: TestServer;

  beforeAll(async () => {
    second = await startTestServer({ databaseUrl: server.databaseUrl, processor });
  });
  afterAll(() => second.stop());

  it('return to two requests with one key the payment that the first is waiting for', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody();
    const held = processor.holdNext(merchant.id, 'authorize');
    const first = tryToPay(second, merchant, body);
    await held.arrived;
    await expectNothingVisible(merchant);
    const other = await tryToPay(server, merchant, body);
    held.release();
    expect([(await first).status, other.status]).toEqual([200, 200]);
    expect(withoutServer((await first).text)).toBe(withoutServer(other.text));
  });

  it('cancel by key a payment that another server is waiting for', async () => {
    const merchant = await server.createMerchant();
    const body = paymentBody();
    const held = processor.holdNext(merchant.id, 'authorize');
    const first = tryToPay(second, merchant, body);
    await held.arrived;
    expect((await cancelByKey(server, merchant, body['idempotency_key'])).status).toBe(200);
    held.release();
    const { id } = (await first).body.payment;
    await untilResolved(merchant);
    expect((await getPayment(server, merchant, id)).status).toBe('CANCELED');
  });

  it('do not void a payment that is being completed, nor complete one that is being voided', async () => {
    await Promise.all(
      Array.from({ length: 6 }, async (_, round) => {
        const merchant = await server.createMerchant({ clock: { frozen: true } });
        const payments = await Promise.all(Array.from({ length: 5 }, () => approve(second, merchant)));
        const completing = payments.map(async (payment, index) => {
          if (index > round) return undefined;
          return second.call('POST', `/v2/payments/${payment.id}/complete`, { token: merchant.token });
        });
        await advance(server, merchant, 'P8D');
        await Promise.all(completing);
        await untilResolved(merchant);
        await pollUntil(
          () => server.database.sql`select 1 from due_work where merchant_id = ${merchant.id} and run_at < now()`,
          ({ length }) => length === 0,
          PATIENCE_MS,
        );
        for (const [index, payment] of payments.entries()) {
          const answer = await completing[index];
          const { status } = await getPayment(server, merchant, payment.id);
          if (answer?.status === 200) expect(status).toBe('COMPLETED');
          else expect(['CANCELED', 'COMPLETED']).toContain(status);
        }
      }),
    );
  });

  it('share the calls whose server was lost', async () => {
    const merchant = await server.createMerchant();
    processor.failNext(merchant.id, 'authorize', LOST, 20);
    const bodies = Array.from({ length: 20 }, () => paymentBody());
    await Promise.all(bodies.map((body) => tryToPay(server, merchant, body)));
    await expectNothingVisible(merchant);
    await untilResolved(merchant);
    const { payments } = (await server.call('GET', '/v2/payments', merchant)).body;
    expect(payments.map(({ status }: Json) => status)).toEqual(Array.from({ length: 20 }, () => 'COMPLETED'));
    expect((await tryToRefund(server, merchant, payments[0], { amount_money: usd(1) })).status).toBe(200);
    await advance(server, merchant, 'PT1M');
  });
});
