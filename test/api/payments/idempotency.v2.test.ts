import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  advance,
  approve,
  authorizeAnotherApplication,
  cancelByKey,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  getRefund,
  type Holder,
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
} from '../../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const START = '2020-02-26T10:15:30.154Z';

let server: TestServer;
let merchant: TestMerchant;
let keys = 0;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }] });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const newKey = () => `key-${++keys}`;
const frozen = () => server.createMerchant({ clock: { now: START, frozen: true } });
const post = ({ token }: Holder, body: Json) => server.call('POST', '/v2/payments', { token, body });

async function listed({ token }: Holder): Promise<WirePayment[]> {
  return (await server.call('GET', '/v2/payments', { token })).body.payments;
}

/** The same fields in reverse order, at every depth. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, reversed(inner)] as const)
      .reverse(),
  );
}

const BODY: Json = {
  source_id: 'ccof:customer-card-id-ok',
  amount_money: usd(1000),
  tip_money: usd(100),
  autocomplete: false,
  customer_id: 'C1',
  reference_id: 'R1',
  note: 'n',
  billing_address: { address_line_1: '1 Main St', locality: 'Oakland', country: 'US' },
};

describe('v2.createPayment with a used key', () => {
  it('returns the same payment for the same request with fields in another order, and marks it as a replay', async () => {
    const own = await server.createMerchant();
    const body = { ...BODY, idempotency_key: 'one' };
    const first = await post(own, body);
    expect(first.status).toBe(200);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');

    const noise = { colour: 'red', tip_money: { ...usd(100), words: 'a dollar' }, location_id: null };
    for (const again of [body, reversed(body) as Json, { ...body, ...noise }]) {
      const answer = await post(own, again);
      expect(answer.status).toBe(200);
      expect(answer.headers['idempotency-replayed']).toBe('true');
      expect(answer.body).toEqual(first.body);
    }
    expect(await listed(own)).toHaveLength(1);
  });

  it.each<[string, Json]>([
    ['autocomplete', { autocomplete: true }],
    ['accept_partial_authorization', { accept_partial_authorization: false }],
    ['the delay', { delay_duration: 'PT168H' }],
    ['the delay in days', { delay_duration: 'P7D', delay_action: 'CANCEL' }],
    ['no tip', { tip_money: usd(0) }],
    ['no application fee', { app_fee_money: usd(0) }],
    ['empty texts', { note: '', reference_id: '', buyer_email_address: '', verification_token: '' }],
    ['empty addresses', { billing_address: {}, shipping_address: { address_line_1: '' } }],
  ])('returns it if a default is written out or left out: %s', async (_, change) => {
    const short = paymentBody();
    const long: Json = { ...paymentBody(), ...change };
    for (const [first, again] of [
      [short, { ...short, ...change }],
      [long, { ...paymentBody(), idempotency_key: long['idempotency_key'] }],
    ] as const) {
      const { payment } = (await post(merchant, first)).body;
      const answer = await post(merchant, again);
      expect([answer.status, answer.headers['idempotency-replayed']]).toEqual([200, 'true']);
      expect(answer.body.payment).toEqual(payment);
    }
  });

  it('returns it if the default location is sent explicitly, and refuses another location', async () => {
    const body = paymentBody();
    const [main, other] = merchant.locationIds;
    const { payment } = (await post(merchant, body)).body;
    expect((await post(merchant, { ...body, location_id: main })).body.payment).toEqual(payment);
    const reused = { code: 'IDEMPOTENCY_KEY_REUSED', field: 'idempotency_key' };
    expectRefusal(await post(merchant, { ...body, location_id: other }), reused);
  });

  it('marks a declined payment as a replay too', async () => {
    const body = paymentBody({ source_id: 'cnon:card-nonce-declined' });
    const first = await post(merchant, body);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    const again = await post(merchant, { ...body, autocomplete: true });
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([400, 'true']);
    expect(again.body).toEqual(first.body);
  });

  it('returns the payment in its current state', async () => {
    const own = await frozen();
    const body = paymentBody({ autocomplete: false });
    const { payment } = (await post(own, body)).body;
    await server.call('POST', `/v2/payments/${payment.id}/complete`, { token: own.token });
    expect((await post(own, body)).body.payment).toMatchObject({ id: payment.id, status: 'COMPLETED' });
    const { id } = await refund(server, own, payment, { amount_money: usd(300) });
    expect((await post(own, body)).body.payment).toMatchObject({ refunded_money: usd(300), refund_ids: [id] });

    const canceled = paymentBody({ autocomplete: false });
    const other = (await post(own, canceled)).body.payment;
    await server.call('POST', `/v2/payments/${other.id}/cancel`, { token: own.token });
    expect((await post(own, canceled)).body.payment).toMatchObject({ id: other.id, status: 'CANCELED' });
  });

  it('remembers the key for years', async () => {
    const own = await frozen();
    const body = paymentBody();
    const { payment } = (await post(own, body)).body;
    await advance(server, own, 'P5Y');
    const answer = await post(own, body);
    expect(answer.headers['idempotency-replayed']).toBe('true');
    expect(answer.body.payment).toEqual(payment);
  });

  it.each<[string, Json]>([
    ['another amount', { amount_money: usd(1001) }],
    ['another tip', { tip_money: usd(101) }],
    ['no tip', { tip_money: undefined }],
    ['another source', { source_id: 'cnon:card-nonce-ok' }],
    ['a source that would be declined', { source_id: 'ccof:customer-card-id-declined' }],
    ['a source that does not exist', { source_id: 'ccof:nobody' }],
    ['another note', { note: 'm' }],
    ['another address line', { billing_address: { address_line_1: '1 Main St', postal_code: '94103' } }],
    ['autocomplete', { autocomplete: true }],
    ['an application fee', { app_fee_money: usd(1) }],
  ])('refuses %s, and creates nothing', async (_, change) => {
    const own = await server.createMerchant();
    const body = { ...BODY, idempotency_key: 'one' };
    const { payment } = (await post(own, body)).body;
    const answer = await post(own, { ...body, ...change });
    expectRefusal(answer, { code: 'IDEMPOTENCY_KEY_REUSED', field: 'idempotency_key' });
    expect(answer.headers).not.toHaveProperty('idempotency-replayed');
    expect(await listed(own)).toEqual([payment]);
  });

  it('distinguishes keys by case, spaces and accents', async () => {
    const names = ['key', 'KEY', 'key ', ' key', 'kéy'];
    const made = await Promise.all(names.map((idempotency_key) => pay(server, merchant, { idempotency_key })));
    expect(new Set(made.map(({ id }) => id)).size).toBe(names.length);
  });

  it('keeps the keys of each application and of each merchant separate', async () => {
    const idempotency_key = newKey();
    const [other, stranger] = [
      { token: await authorizeAnotherApplication(server, merchant.id) },
      await server.createMerchant(),
    ];
    const ids = new Map<Holder, string>();
    for (const who of [merchant, other, stranger]) {
      ids.set(who, (await pay(server, who, { idempotency_key, amount_money: usd(100 + ids.size) })).id);
    }
    expect(new Set(ids.values()).size).toBe(3);
    const again = await tryToPay(server, other, { idempotency_key, amount_money: usd(101) });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.body.payment.id).toBe(ids.get(other));
    const secondToken = await server.createToken(merchant.id, ['PAYMENTS_WRITE']);
    const sameApplication = await tryToPay(server, { token: secondToken }, { idempotency_key, amount_money: usd(100) });
    expect(sameApplication.body.payment.id).toBe(ids.get(merchant));
  });

  it('keeps the keys of payments and refunds separate', async () => {
    const idempotency_key = newKey();
    const payment = await pay(server, merchant, { idempotency_key });
    expect(await refund(server, merchant, payment, { idempotency_key })).toMatchObject({ status: 'PENDING' });
    expect((await tryToPay(server, merchant, { idempotency_key })).body.payment.id).toBe(payment.id);
  });
});

describe('v2.cancelPaymentByIdempotencyKey', () => {
  /** The sum of all movements of a payment: zero if all of it was refunded. */
  async function balance(paymentId: string): Promise<[amount: number, fee: number]> {
    const movements = await movementsOf(server, paymentId);
    return [movements.reduce((sum, { amount }) => sum + amount, 0), movements.reduce((sum, { fee }) => sum + fee, 0)];
  }

  async function feesOf(own: Holder, paymentId: string): Promise<[type: string, amount: number][]> {
    const { processing_fee = [] } = await getPayment(server, own, paymentId);
    return processing_fee.map(({ type, amount_money }) => [type, amount_money.amount]);
  }

  it('returns {} for an unused key (contract 4.3 rule 3)', async () => {
    const answer = await cancelByKey(server, merchant, 'never-used');
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    expect(await pay(server, merchant, { idempotency_key: 'never-used' })).toMatchObject({ status: 'COMPLETED' });
  });

  it('voids an APPROVED payment, and frees the key for any request', async () => {
    const own = await frozen();
    const idempotency_key = newKey();
    const first = await approve(server, own, { idempotency_key });
    const at = await advance(server, own, 'PT1H');
    expect((await cancelByKey(server, own, idempotency_key)).text).toBe('{}');
    expect(await getPayment(server, own, first.id)).toMatchObject({
      status: 'CANCELED',
      card_details: { status: 'VOIDED' },
      updated_at: at,
    });
    expect(await movementsOf(server, first.id)).toEqual([]);

    const answer = await tryToPay(server, own, { idempotency_key, amount_money: usd(77) });
    expect(answer.headers).not.toHaveProperty('idempotency-replayed');
    expect(answer.body.payment).toMatchObject({ status: 'COMPLETED', total_money: usd(77) });
    expect(answer.body.payment.id).not.toBe(first.id);
    expect((await getPayment(server, own, first.id)).status).toBe('CANCELED');
  });

  it('reverses a COMPLETED payment with all its fees, and a retry charges again', async () => {
    const own = await frozen();
    const body = paymentBody({ idempotency_key: newKey(), app_fee_money: usd(100) });
    const { payment } = (await post(own, body)).body;
    const at = await advance(server, own, 'P2D');
    expect((await cancelByKey(server, own, body['idempotency_key'])).text).toBe('{}');
    const canceled = await getPayment(server, own, payment.id);
    expect(canceled).toMatchObject({ status: 'CANCELED', card_details: { status: 'VOIDED' }, updated_at: at });
    for (const field of ['receipt_number', 'receipt_url', 'refunded_money', 'refund_ids']) {
      expect(canceled).not.toHaveProperty(field);
    }
    expect(canceled.processing_fee).toEqual([
      { effective_at: '2020-02-26T12:15:30.000Z', type: 'INITIAL', amount_money: usd(59) },
      { effective_at: '2020-02-28T12:15:30.000Z', type: 'ADJUSTMENT', amount_money: usd(-59) },
    ]);
    expect(await movementsOf(server, payment.id)).toEqual([
      { kind: 'CHARGE', refundId: null, amount: 1000, fee: -159, occurredAt: Date.parse(START) },
      { kind: 'REVERSAL', refundId: expect.any(String), amount: -1000, fee: 159, occurredAt: Date.parse(at) },
    ]);

    const again = await post(own, body);
    expect(again.body.payment).toMatchObject({ status: 'COMPLETED', created_at: at });
    expect(again.body.payment.id).not.toBe(payment.id);
    const refused = await tryToRefund(server, own, payment);
    expectRefusal(refused, { code: 'PAYMENT_NOT_REFUNDABLE', category: 'REFUND_ERROR', field: 'payment_id' });
  });

  it('refunds only what a completed refund has left', async () => {
    const own = await frozen();
    const idempotency_key = newKey();
    const { id } = await pay(server, own, { idempotency_key, app_fee_money: usd(100) });
    const part = await refund(server, own, { id }, { amount_money: usd(400) });
    await advance(server, own, 'PT1M');
    await cancelByKey(server, own, idempotency_key);
    expect(await getPayment(server, own, id)).toMatchObject({
      status: 'CANCELED',
      refunded_money: usd(400),
      refund_ids: [part.id],
    });
    expect(await movementsOf(server, id)).toMatchObject([
      { kind: 'CHARGE', amount: 1000, fee: -159 },
      { kind: 'REFUND', amount: -400, fee: 24 + 40 },
      { kind: 'REVERSAL', amount: -600, fee: 35 + 60 },
    ]);
    // The rest of the fee was returned with the refund, which shows it.
    expect(await feesOf(own, id)).toEqual([
      ['INITIAL', 59],
      ['ADJUSTMENT', -35],
    ]);
    expect(await balance(id)).toEqual([0, 0]);
  });

  it('lets a pending refund continue, and refunds the rest', async () => {
    const own = await frozen();
    const idempotency_key = newKey();
    const { id } = await pay(server, own, { idempotency_key });
    const part = await refund(server, own, { id }, { amount_money: usd(400) });
    await cancelByKey(server, own, idempotency_key);
    expect(await movementsOf(server, id)).toMatchObject([{ amount: 1000 }, { kind: 'REVERSAL', amount: -600 }]);
    expect((await getRefund(server, own, part.id)).status).toBe('PENDING');
    await advance(server, own, 'PT1M');
    expect((await getRefund(server, own, part.id)).status).toBe('COMPLETED');
    expect(await getPayment(server, own, id)).toMatchObject({ status: 'CANCELED', refunded_money: usd(400) });
    expect(await balance(id)).toEqual([0, 0]);
  });

  it('reverses the amount of a pending refund too if that refund fails later', async () => {
    const own = await frozen();
    const idempotency_key = newKey();
    const { id } = await pay(server, own, { idempotency_key, app_fee_money: usd(100) });
    const shares = { amount_money: usd(400), app_fee_money: usd(90) };
    const part = await refund(server, own, { id }, shares);
    await cancelByKey(server, own, idempotency_key);
    const rules = `/api/sandbox/merchants/${own.id}/processor-rules`;
    await server.operator('POST', rules, { effect: 'FAIL_REFUND' });
    await advance(server, own, 'PT1M');
    expect(await getRefund(server, own, part.id)).toMatchObject({ status: 'FAILED', updated_at: later(START, 3000) });
    const payment = await getPayment(server, own, id);
    expect(payment.status).toBe('CANCELED');
    expect(payment).not.toHaveProperty('refunded_money');
    expect(await feesOf(own, id)).toEqual([
      ['INITIAL', 59],
      ['ADJUSTMENT', -59],
    ]);
    expect(await movementsOf(server, id)).toMatchObject([
      { kind: 'CHARGE', amount: 1000, occurredAt: Date.parse(START) },
      { kind: 'REVERSAL', amount: -600, occurredAt: Date.parse(START) },
      { kind: 'REVERSAL', amount: -400, refundId: expect.any(String), occurredAt: Date.parse(START) + 3000 },
    ]);
    const [amount, fee] = await balance(id);
    expect(amount).toBe(0);
    expect(fee).toBeLessThanOrEqual(0);
  });

  it('never returns more fees than were charged, whatever share a refund had', async () => {
    const own = await frozen();
    const idempotency_key = newKey();
    const { id } = await pay(server, own, { idempotency_key, app_fee_money: usd(100) });
    await refund(server, own, { id }, { amount_money: usd(500), app_fee_money: usd(100) });
    await advance(server, own, 'PT1M');
    await cancelByKey(server, own, idempotency_key);
    expect(await movementsOf(server, id)).toMatchObject([
      { kind: 'CHARGE', fee: -159 },
      { kind: 'REFUND', fee: 30 + 100 },
      { kind: 'REVERSAL', fee: 29 },
    ]);
    expect(await balance(id)).toEqual([0, 0]);
  });

  it('cancels a fully refunded payment without moving money', async () => {
    const own = await frozen();
    const idempotency_key = newKey();
    const { id } = await pay(server, own, { idempotency_key });
    await refund(server, own, { id });
    await advance(server, own, 'PT1M');
    await cancelByKey(server, own, idempotency_key);
    expect(await getPayment(server, own, id)).toMatchObject({ status: 'CANCELED', refunded_money: usd(1000) });
    expect(await movementsOf(server, id)).toHaveLength(2);
    expect(await balance(id)).toEqual([0, 0]);
  });

  it.each([
    ['FAILED', { source_id: 'cnon:card-nonce-declined' }],
    ['CANCELED', { autocomplete: false }],
  ])('has no effect on a payment that is %s, but frees its key', async (status, change) => {
    const own = await frozen();
    const idempotency_key = newKey();
    const { id } = (await tryToPay(server, own, { idempotency_key, ...change })).body.payment;
    if (status === 'CANCELED') await server.call('POST', `/v2/payments/${id}/cancel`, { token: own.token });
    const before = await getPayment(server, own, id);
    expect(before.status).toBe(status);
    await advance(server, own, 'PT1H');
    expect((await cancelByKey(server, own, idempotency_key)).text).toBe('{}');
    expect(await getPayment(server, own, id)).toEqual(before);
    expect(await pay(server, own, { idempotency_key })).toMatchObject({ status: 'COMPLETED' });
  });

  it('has no effect the second time, whatever the key created before', async () => {
    const idempotency_key = newKey();
    const { id } = await pay(server, merchant, { idempotency_key });
    for (let times = 0; times < 2; times++) {
      expect((await cancelByKey(server, merchant, idempotency_key)).text).toBe('{}');
    }
    expect(await movementsOf(server, id)).toHaveLength(2);
    const next = await pay(server, merchant, { idempotency_key });
    await cancelByKey(server, merchant, idempotency_key);
    expect((await getPayment(server, merchant, next.id)).status).toBe('CANCELED');
    expect(await movementsOf(server, id)).toHaveLength(2);
  });

  it('does not affect the keys of another merchant or of another operation', async () => {
    const idempotency_key = newKey();
    const payment = await pay(server, merchant, { idempotency_key });
    const otherKey = newKey();
    const partialRefund = await refund(server, merchant, payment, {
      idempotency_key: otherKey,
      amount_money: usd(100),
    });
    for (const [who, key] of [
      [await server.createMerchant(), idempotency_key],
      [merchant, otherKey],
    ] as const) {
      expect((await cancelByKey(server, who, key)).text).toBe('{}');
    }
    expect((await getPayment(server, merchant, payment.id)).status).toBe('COMPLETED');
    expect((await getRefund(server, merchant, partialRefund.id)).id).toBe(partialRefund.id);
    const again = await tryToPay(server, merchant, { idempotency_key });
    expect(again.body.payment.id).toBe(payment.id);
  });

  describe('a key that several applications sent (contract 3)', () => {
    const statusOf = async ({ id }: { id: string }) => (await getPayment(server, merchant, id)).status;
    const other = async (): Promise<Holder> => ({
      ...merchant,
      token: await authorizeAnotherApplication(server, merchant.id),
    });

    it('cancels the payment of another application, and frees its key', async () => {
      const idempotency_key = newKey();
      const payment = await pay(server, merchant, { idempotency_key });
      expect((await cancelByKey(server, await other(), idempotency_key)).text).toBe('{}');
      expect(await statusOf(payment)).toBe('CANCELED');
      const again = await tryToPay(server, merchant, { idempotency_key });
      expect(again.headers).not.toHaveProperty('idempotency-replayed');
      expect(again.body.payment).toMatchObject({ status: 'COMPLETED' });
    });

    it('cancels the payment of the caller first, and a retry does not reach that of another application', async () => {
      const idempotency_key = newKey();
      const [one, two] = [await other(), await other()];
      const [ofOne, ofTwo] = [await pay(server, one, { idempotency_key }), await pay(server, two, { idempotency_key })];
      for (let times = 0; times < 3; times++) {
        expect((await cancelByKey(server, one, idempotency_key)).text).toBe('{}');
        expect([await statusOf(ofOne), await statusOf(ofTwo)]).toEqual(['CANCELED', 'COMPLETED']);
      }
      const again = await pay(server, one, { idempotency_key });
      await cancelByKey(server, one, idempotency_key);
      await cancelByKey(server, one, idempotency_key);
      expect([await statusOf(again), await statusOf(ofTwo)]).toEqual(['CANCELED', 'COMPLETED']);
      await cancelByKey(server, await other(), idempotency_key);
      expect(await statusOf(ofTwo)).toBe('CANCELED');
    });

    it('cancels one payment if several are canceled at the same time', async () => {
      const idempotency_key = newKey();
      const callers = await Promise.all([other(), other(), other()]);
      const payment = await pay(server, merchant, { idempotency_key });
      const answers = await Promise.all(callers.map((caller) => cancelByKey(server, caller, idempotency_key)));
      expect(answers.map(({ text }) => text)).toEqual(['{}', '{}', '{}']);
      expect(await statusOf(payment)).toBe('CANCELED');
      expect(await movementsOf(server, payment.id)).toHaveLength(2);
    });
  });

  it.each([46, 192, 10_000])('returns {} for a key of %i characters, which no payment has', async (length) => {
    const answer = await cancelByKey(server, merchant, 'k'.repeat(length));
    expect([answer.status, answer.text]).toEqual([200, '{}']);
  });

  it.each([
    ['absent', undefined, 'MISSING_REQUIRED_PARAMETER'],
    ['empty', '', 'VALUE_EMPTY'],
    ['a number', 5, 'EXPECTED_STRING'],
  ])('refuses a key that is %s', async (_, key, code) => {
    expectRefusal(await cancelByKey(server, merchant, key), { code, field: 'idempotency_key' });
  });

  it('requires PAYMENTS_WRITE', async () => {
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    const answer = await cancelByKey(server, { token }, 'any');
    const category = 'AUTHENTICATION_ERROR';
    expectRefusal(answer, { status: 403, code: 'INSUFFICIENT_SCOPES', category, says: ['PAYMENTS_WRITE'] });
  });
});
