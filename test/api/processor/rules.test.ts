import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../../support/clock.js';
import type { ApiResponse } from '../../support/http.js';
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
} from '../../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const START = '2020-02-26T10:15:30.154Z';
const TEMPORARY = { status: 503, code: 'TEMPORARY_ERROR', category: 'API_ERROR' };

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const frozen = () => server.createMerchant({ clock: { now: START, frozen: true } });
const pathOf = ({ id }: { id: string }) => `/api/sandbox/merchants/${id}/processor-rules`;
const tryToAdd = (who: { id: string }, rule: Json) => server.operator('POST', pathOf(who), rule);
const act = ({ token }: TestMerchant, action: string, id: string) =>
  server.call('POST', `/v2/payments/${id}/${action}`, { token });

async function add(who: TestMerchant, rule: Json): Promise<Json> {
  const answer = await tryToAdd(who, rule);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.rule;
}

async function rulesOf(who: TestMerchant): Promise<Json[]> {
  return (await server.operator('GET', pathOf(who))).body.rules;
}

async function listed({ token }: TestMerchant): Promise<Json[]> {
  return (await server.call('GET', '/v2/payments', { token })).body.payments ?? []; // an empty list is absent
}

/** The stored rows of a payment with an unknown outcome. */
async function unresolvedIds({ id }: TestMerchant): Promise<string[]> {
  const rows = await server.database.sql<{ paymentId: string }[]>`
    select payment_id from payments where merchant_id = ${id} and status = 'PENDING'`;
  return rows.map(({ paymentId }) => paymentId);
}

describe('sandbox.addProcessorRule', () => {
  it('returns the rule, and the list shows it until it is used up, oldest first', async () => {
    const own = await server.createMerchant();
    const decline = await add(own, { effect: 'DECLINE', code: 'CVV_FAILURE', times: 2 });
    expect(decline).toEqual({ id: expect.any(String), effect: 'DECLINE', code: 'CVV_FAILURE', remaining: 2 });
    const delay = await add(own, { effect: 'DELAY', delay_ms: 1, code: 'CVV_FAILURE' });
    expect(delay).toEqual({ id: expect.any(String), effect: 'DELAY', delay_ms: 1, remaining: 1 });
    expect(await rulesOf(own)).toEqual([decline, delay]);
    await tryToPay(server, own);
    expect(await rulesOf(own)).toEqual([{ ...decline, remaining: 1 }, delay]);
    await tryToPay(server, own);
    expect(await rulesOf(own)).toEqual([delay]);
    await pay(server, own);
    expect(await rulesOf(own)).toEqual([]);
  });

  it.each<[string, Json, string, string]>([
    ['no effect', {}, 'effect', 'MISSING_REQUIRED_PARAMETER'],
    ['an unknown effect', { effect: 'EXPLODE' }, 'effect', 'INVALID_ENUM_VALUE'],
    ['an effect that is not text', { effect: 5 }, 'effect', 'EXPECTED_STRING'],
    ['an unknown code', { effect: 'DECLINE', code: 'NO_MOOD' }, 'code', 'INVALID_ENUM_VALUE'],
    ['a code that is not a decline', { effect: 'DECLINE', code: 'NOT_FOUND' }, 'code', 'INVALID_ENUM_VALUE'],
    ['a delay without its length', { effect: 'DELAY' }, 'delay_ms', 'MISSING_REQUIRED_PARAMETER'],
    ['a delay of zero', { effect: 'DELAY', delay_ms: 0 }, 'delay_ms', 'VALUE_TOO_LOW'],
    ['a delay of over a minute', { effect: 'DELAY', delay_ms: 60_001 }, 'delay_ms', 'VALUE_TOO_HIGH'],
    ['a delay as text', { effect: 'DELAY', delay_ms: '100' }, 'delay_ms', 'EXPECTED_INTEGER'],
    ['times of zero', { effect: 'TIME_OUT', times: 0 }, 'times', 'VALUE_TOO_LOW'],
    ['fractional times', { effect: 'TIME_OUT', times: 0.5 }, 'times', 'EXPECTED_INTEGER'],
    ['too many times', { effect: 'TIME_OUT', times: 1_000_001 }, 'times', 'VALUE_TOO_HIGH'],
  ])('refuses %s, naming the field', async (_, rule, field, code) => {
    expectRefusal(await tryToAdd(merchant, rule), { code, field });
    expect(await rulesOf(merchant)).toEqual([]);
  });

  it('returns 404 with the id for an unknown merchant, for every operation on rules', async () => {
    for (const [method, body] of [['POST', { effect: 'TIME_OUT' }], ['GET'], ['DELETE']] as const) {
      const answer = await server.operator(method, pathOf({ id: 'MNOBODY' }), body);
      expectRefusal(answer, { status: 404, code: 'NOT_FOUND', says: ['MNOBODY'] });
    }
  });

  it('requires the operator key', async () => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const answer = await server.call(method, pathOf(merchant), { token: merchant.token });
      expectRefusal(answer, { status: 401, code: 'UNAUTHORIZED', category: 'AUTHENTICATION_ERROR' });
    }
  });

  it('applies to one merchant only', async () => {
    const [own, other] = [await server.createMerchant(), await server.createMerchant()];
    await add(own, { effect: 'TIME_OUT', times: 1000 });
    expect(await pay(server, other)).toMatchObject({ status: 'COMPLETED' });
    expect(await rulesOf(other)).toEqual([]);
    expectRefusal(await tryToPay(server, own), TEMPORARY);
  });
});

describe('sandbox.clearProcessorRules', () => {
  it('removes all rules of the merchant immediately, and returns {}', async () => {
    const [own, other] = [await server.createMerchant(), await server.createMerchant()];
    await add(own, { effect: 'TIME_OUT', times: 5 });
    await add(own, { effect: 'DECLINE', times: 5 });
    const kept = await add(other, { effect: 'DECLINE' });
    const answer = await server.operator('DELETE', pathOf(own));
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    expect(await rulesOf(own)).toEqual([]);
    expect(await pay(server, own)).toMatchObject({ status: 'COMPLETED' });
    expect(await rulesOf(other)).toEqual([kept]);
    expect((await server.operator('DELETE', pathOf(own))).status).toBe(200);
  });
});

describe('DECLINE', () => {
  it('declines the given number of payments with its code, and then stops', async () => {
    const own = await server.createMerchant();
    await add(own, { effect: 'DECLINE', code: 'INSUFFICIENT_FUNDS', times: 2 });
    for (let times = 0; times < 2; times++) {
      const answer = await tryToPay(server, own);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        errors: [{ category: 'PAYMENT_METHOD_ERROR', code: 'INSUFFICIENT_FUNDS' }],
        payment: { status: 'FAILED', card_details: { status: 'FAILED', card: { last_4: '5858' } } },
      });
      expect(answer.body.errors).toHaveLength(1);
    }
    expect(await pay(server, own)).toMatchObject({ status: 'COMPLETED' });
    expect((await listed(own)).map(({ status }) => status)).toEqual(['COMPLETED', 'FAILED', 'FAILED']);
  });

  it.each([
    [undefined, 'GENERIC_DECLINE', 400],
    ['CVV_FAILURE', 'CVV_FAILURE', 400],
    ['ADDRESS_VERIFICATION_FAILURE', 'ADDRESS_VERIFICATION_FAILURE', 400],
    ['INVALID_EXPIRATION', 'INVALID_EXPIRATION', 400],
    ['CARD_DECLINED_VERIFICATION_REQUIRED', 'CARD_DECLINED_VERIFICATION_REQUIRED', 402],
    ['INSUFFICIENT_PERMISSIONS', 'INSUFFICIENT_PERMISSIONS', 400],
  ])('with the code %s returns %s and %d', async (code, expected, status) => {
    await add(merchant, { effect: 'DECLINE', code });
    const answer = await tryToPay(server, merchant);
    expect([answer.status, answer.body.errors[0].code]).toEqual([status, expected]);
  });

  it('is remembered with the key, and not used up by an invalid source', async () => {
    const own = await server.createMerchant();
    await add(own, { effect: 'DECLINE', times: 2 });
    for (const source_id of ['cnon:never-issued', 'nonsense', '4111111111111111']) {
      expect((await tryToPay(server, own, { source_id })).status).toBeGreaterThanOrEqual(400);
    }
    expect(await rulesOf(own)).toMatchObject([{ remaining: 2 }]);
    const body = paymentBody();
    const post = () => server.call('POST', '/v2/payments', { token: own.token, body });
    const [first, second] = [await post(), await post()];
    expect(first.status).toBe(400);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(await rulesOf(own)).toMatchObject([{ remaining: 1 }]);
    expect(await listed(own)).toHaveLength(1);
  });
});

describe('DELAY', () => {
  it('delays the response by the given time, and changes nothing else', async () => {
    const own = await server.createMerchant();
    await add(own, { effect: 'DELAY', delay_ms: 400 });
    const startedAt = performance.now();
    const answer = await tryToPay(server, own);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(395);
    expect(answer.body.payment).toMatchObject({ status: 'COMPLETED', total_money: usd(1000) });
    expect(await rulesOf(own)).toEqual([]);
  });

  it('applies to complete and cancel too', async () => {
    const own = await server.createMerchant();
    for (const [action, status] of [
      ['complete', 'COMPLETED'],
      ['cancel', 'CANCELED'],
    ] as const) {
      const { id } = await approve(server, own);
      await add(own, { effect: 'DELAY', delay_ms: 300 });
      const startedAt = performance.now();
      const answer = await act(own, action, id);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(295);
      expect(answer.body.payment.status).toBe(status);
    }
  });

  it('hides the payment until the processor responds, and a concurrent request with the key gets the same payment', async () => {
    const own = await server.createMerchant();
    await add(own, { effect: 'DELAY', delay_ms: 1500 });
    const body = paymentBody();
    const post = () => server.call('POST', '/v2/payments', { token: own.token, body });
    const first = post();
    await pollUntil(
      () => unresolvedIds(own),
      (ids) => ids.length > 0,
      5000,
    );
    expect(await listed(own)).toEqual([]);
    const second = await post();
    expect((await first).body).toEqual(second.body);
    expect(await listed(own)).toHaveLength(1);
  });
});

describe('TIME_OUT', () => {
  const timedOut = async (own: TestMerchant, change: Json = {}): Promise<{ body: Json; answer: ApiResponse }> => {
    await add(own, { effect: 'TIME_OUT' });
    const body = paymentBody(change);
    return { body, answer: await server.call('POST', '/v2/payments', { token: own.token, body }) };
  };

  it('returns 503 and the payment is not visible', async () => {
    const own = await server.createMerchant();
    const { answer } = await timedOut(own);
    expectRefusal(answer, TEMPORARY);
    expect(await listed(own)).toEqual([]);
    const [id = ''] = await unresolvedIds(own);
    expect(id).not.toBe('');
    const unknown = { status: 404, code: 'NOT_FOUND', says: [id] };
    expectRefusal(await server.call('GET', `/v2/payments/${id}`, { token: own.token }), unknown);
    for (const action of ['complete', 'cancel']) expectRefusal(await act(own, action, id), unknown);
    expectRefusal(await tryToRefund(server, own, { id }), { ...unknown, field: 'payment_id' });
    expect(await movementsOf(server, id)).toEqual([]);
  });

  it('returns the outcome to a retry with the same key, charged once', async () => {
    const own = await frozen();
    const { body } = await timedOut(own, { note: 'n' });
    await advance(server, own, 'PT1M');
    const again = await server.call('POST', '/v2/payments', { token: own.token, body });
    expect(again.status).toBe(200);
    expect(again.headers['idempotency-replayed']).toBe('true');
    const { payment } = again.body;
    expect(payment).toMatchObject({ status: 'COMPLETED', note: 'n', created_at: START });
    expect(await listed(own)).toHaveLength(1);
    expect(await movementsOf(server, payment.id)).toMatchObject([{ kind: 'CHARGE', amount: 1000, fee: -59 }]);
    expect(await unresolvedIds(own)).toEqual([]);
  });

  it('returns 503 again while the outcome is unknown, and refuses another request with the key', async () => {
    const own = await server.createMerchant();
    await add(own, { effect: 'TIME_OUT', times: 3 });
    const body = paymentBody();
    const post = (change: Json = {}) =>
      server.call('POST', '/v2/payments', { token: own.token, body: { ...body, ...change } });
    for (let times = 0; times < 3; times++) expectRefusal(await post(), TEMPORARY);
    expect(await unresolvedIds(own)).toHaveLength(1);
    const reused = { code: 'IDEMPOTENCY_KEY_REUSED', field: 'idempotency_key' };
    expectRefusal(await post({ amount_money: usd(5) }), reused);
    expect((await post()).body.payment).toMatchObject({ status: 'COMPLETED' });
  });

  it.each([
    ['a decline', { source_id: 'cnon:card-nonce-declined' }, 400, 'GENERIC_DECLINE'],
    ['an unusable source', { source_id: 'cnon:card-nonce-already-used' }, 400, 'CARD_TOKEN_USED'],
    ['an unknown source', { source_id: 'cnon:never-issued' }, 404, 'NOT_FOUND'],
  ])('can have the outcome %s', async (_, change, status, code) => {
    const own = await server.createMerchant();
    const { body, answer } = await timedOut(own, change);
    expectRefusal(answer, TEMPORARY);
    const again = await server.call('POST', '/v2/payments', { token: own.token, body });
    expect([again.status, again.body.errors[0].code]).toEqual([status, code]);
    expect(await unresolvedIds(own)).toEqual([]);
    expect(await listed(own)).toHaveLength(code === 'GENERIC_DECLINE' ? 1 : 0);
  });

  it('is resolved by the worker, and the payment then becomes visible', async () => {
    const own = await frozen();
    await timedOut(own, { autocomplete: false });
    const [id = ''] = await unresolvedIds(own);
    await server.database.sql`update processor_calls set retry_at = now() where payment_id = ${id}`;
    await pollUntil(
      () => unresolvedIds(own),
      (ids) => ids.length === 0,
      15_000,
    );
    expect(await getPayment(server, own, id)).toMatchObject({ status: 'APPROVED', created_at: START });
    await advance(server, own, 'P7D');
    expect((await getPayment(server, own, id)).status).toBe('CANCELED');
  });

  it('charges nothing if the key is cancelled meanwhile, and frees the key', async () => {
    const own = await server.createMerchant();
    const { body } = await timedOut(own);
    const [id = ''] = await unresolvedIds(own);
    expect((await cancelByKey(server, own, body['idempotency_key'])).text).toBe('{}');
    const second = await server.call('POST', '/v2/payments', { token: own.token, body });
    expect(second.body.payment).toMatchObject({ status: 'COMPLETED' });
    expect(second.body.payment.id).not.toBe(id);
    await server.database.sql`update processor_calls set retry_at = now() where payment_id = ${id}`;
    await pollUntil(
      () => unresolvedIds(own),
      (ids) => ids.length === 0,
      15_000,
    );
    expect((await getPayment(server, own, id)).status).toBe('CANCELED');
    expect((await movementsOf(server, id)).reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
    expect((await getPayment(server, own, second.body.payment.id)).status).toBe('COMPLETED');
  });

  it('of complete leaves the payment APPROVED; a retry gets the outcome, and a cancel has to wait', async () => {
    const own = await server.createMerchant();
    const { id } = await approve(server, own);
    await add(own, { effect: 'TIME_OUT', times: 2 });
    expectRefusal(await act(own, 'complete', id), TEMPORARY);
    expect((await getPayment(server, own, id)).status).toBe('APPROVED');
    expectRefusal(await act(own, 'cancel', id), TEMPORARY);
    expectRefusal(await act(own, 'complete', id), TEMPORARY);
    expect((await act(own, 'complete', id)).body.payment).toMatchObject({ id, status: 'COMPLETED' });
    expect(await movementsOf(server, id)).toHaveLength(1);
    expectRefusal(await act(own, 'complete', id), { code: 'BAD_REQUEST', says: [id, 'COMPLETED'] });
  });

  it('of cancel leaves the payment APPROVED, and the worker resolves it', async () => {
    const own = await server.createMerchant();
    const { id } = await approve(server, own);
    await add(own, { effect: 'TIME_OUT' });
    expectRefusal(await act(own, 'cancel', id), TEMPORARY);
    expect((await getPayment(server, own, id)).status).toBe('APPROVED');
    await server.database.sql`update processor_calls set retry_at = now() where payment_id = ${id}`;
    const payment = await pollUntil(
      () => getPayment(server, own, id),
      ({ status }) => status !== 'APPROVED',
      15_000,
    );
    expect(payment.status).toBe('CANCELED');
  });

  it('of a refund leaves it PENDING; it is COMPLETED later, with its due time as its time', async () => {
    const own = await frozen();
    const payment = await pay(server, own);
    const { id } = await refund(server, own, payment);
    await add(own, { effect: 'TIME_OUT' });
    await advance(server, own, 'PT10S');
    expect((await getRefund(server, own, id)).status).toBe('PENDING');
    expect(await movementsOf(server, payment.id)).toHaveLength(1);
    await advance(server, own, 'P1D');
    expect(await getRefund(server, own, id)).toMatchObject({ status: 'COMPLETED', updated_at: later(START, 3000) });
  });

  it('of the void of a delayed payment leaves it APPROVED; the worker voids it, with the due time as its time', async () => {
    const own = await frozen();
    const { id } = await approve(server, own);
    await add(own, { effect: 'TIME_OUT' });
    await advance(server, own, 'P7D');
    expect((await getPayment(server, own, id)).status).toBe('APPROVED');
    await server.database.sql`update due_work set run_at = now() where subject_id = ${id}`;
    const payment = await pollUntil(
      () => getPayment(server, own, id),
      ({ status }) => status !== 'APPROVED',
      15_000,
    );
    expect(payment).toMatchObject({ status: 'CANCELED', updated_at: later(START, 7 * 86_400_000) });
  });
});

describe('FAIL_REFUND', () => {
  it('applies to a refund: payments, completions and voids do not use it up', async () => {
    const own = await frozen();
    await add(own, { effect: 'FAIL_REFUND' });
    const payment = await pay(server, own);
    await act(own, 'complete', (await approve(server, own)).id);
    await act(own, 'cancel', (await approve(server, own)).id);
    expect(await rulesOf(own)).toMatchObject([{ effect: 'FAIL_REFUND', remaining: 1 }]);
    const failed = await refund(server, own, payment);
    await advance(server, own, 'PT10S');
    expect((await getRefund(server, own, failed.id)).status).toBe('FAILED');
    expect(await rulesOf(own)).toEqual([]);
    const next = await refund(server, own, await pay(server, own));
    await advance(server, own, 'PT10S');
    expect((await getRefund(server, own, next.id)).status).toBe('COMPLETED');
  });
});
