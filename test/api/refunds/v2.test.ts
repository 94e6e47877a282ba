import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../../support/clock.js';
import {
  advance,
  approve,
  authorizeAnotherApplication,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  getRefund,
  type Json,
  later,
  movementsOf,
  pay,
  refund,
  tryToPay,
  tryToRefund,
  usd,
} from '../../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const START = '2020-02-26T10:15:30.154Z';
const NOT_REFUNDABLE = { code: 'PAYMENT_NOT_REFUNDABLE', category: 'REFUND_ERROR', field: 'payment_id' };
const TOO_MUCH = { code: 'REFUND_AMOUNT_INVALID', category: 'REFUND_ERROR', field: 'amount_money.amount' };

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }] });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const frozen = () => server.createMerchant({ clock: { now: START, frozen: true } });
const post = (body: Json, { token }: { token: string } = merchant) =>
  server.call('POST', '/v2/refunds', { token, body });

describe('v2.refundPayment', () => {
  it('returns the same refund for a used key if a default is written out', async () => {
    const own = await frozen();
    const { id } = await pay(server, own);
    const short = { idempotency_key: 's', payment_id: id, amount_money: usd(1) };
    const made = await post(short, own);
    const again = await post({ ...short, reason: '', app_fee_money: null }, own);
    expect([again.status, again.headers['idempotency-replayed'], again.text]).toEqual([200, 'true', made.text]);
  });

  it('returns a PENDING refund with every field that applies, and the payment shows it immediately', async () => {
    const own = await frozen();
    const payment = await pay(server, own);
    const at = await advance(server, own, 'P1D');
    const body = { idempotency_key: 'r', payment_id: payment.id, amount_money: usd(400), reason: 'spilled' };
    const answer = await post(body, own);
    expect(answer.status).toBe(200);
    const { id } = answer.body.refund;
    expect(answer.body).toEqual({
      refund: {
        id: expect.stringMatching(new RegExp(`^${payment.id}_[0-9A-Za-z]{43}$`)),
        status: 'PENDING',
        location_id: payment.location_id,
        amount_money: usd(400),
        payment_id: payment.id,
        order_id: expect.stringMatching(/^[0-9A-Za-z]{28}$/),
        reason: 'spilled',
        source_type: 'CARD',
        created_at: at,
        updated_at: at,
      },
    });
    expect(answer.headers).not.toHaveProperty('idempotency-replayed');
    expect(await getRefund(server, own, id)).toEqual(answer.body.refund);
    expect(await getPayment(server, own, payment.id)).toMatchObject({
      status: 'COMPLETED',
      refunded_money: usd(400),
      refund_ids: [id],
      created_at: START,
      updated_at: at,
    });
    expect(await movementsOf(server, payment.id)).toHaveLength(1);
  });

  it('is COMPLETED 3 seconds later by the clock, with the returned share of the fee', async () => {
    const own = await frozen();
    const payment = await pay(server, own);
    const made = await refund(server, own, payment, { amount_money: usd(400) });
    await advance(server, own, 'PT2S');
    expect(await getRefund(server, own, made.id)).toEqual(made);
    await advance(server, own, 'P30D');
    const due = later(START, 3000);
    expect(await getRefund(server, own, made.id)).toEqual({
      ...made,
      status: 'COMPLETED',
      updated_at: due,
      processing_fee: [{ effective_at: '2020-02-26T12:15:30.000Z', type: 'INITIAL', amount_money: usd(-24) }],
    });
    expect(await getPayment(server, own, payment.id)).toMatchObject({
      refunded_money: usd(400),
      refund_ids: [made.id],
      updated_at: due,
      processing_fee: [{ amount_money: usd(59) }],
    });
    expect(await movementsOf(server, payment.id)).toEqual([
      { kind: 'CHARGE', refundId: null, amount: 1000, fee: -59, occurredAt: Date.parse(START) },
      { kind: 'REFUND', refundId: made.id, amount: -400, fee: 24, occurredAt: Date.parse(due) },
    ]);
  });

  it('is COMPLETED by the worker on a running clock', async () => {
    const payment = await pay(server, merchant);
    const made = await refund(server, merchant, payment);
    expect(made.status).toBe('PENDING');
    const done = await pollUntil(
      () => getRefund(server, merchant, made.id),
      ({ status }) => status !== 'PENDING',
      15_000,
    );
    expect(done).toMatchObject({ status: 'COMPLETED', updated_at: later(made.created_at, 3000) });
  });

  it('refunds parts that add up: the last one returns the rest of the fee', async () => {
    const own = await frozen();
    const payment = await pay(server, own);
    const made = [];
    for (const amount of [333, 333, 334]) {
      made.push(await refund(server, own, payment, { amount_money: usd(amount) }));
      await advance(server, own, 'PT10S');
    }
    const fees = await Promise.all(made.map(async ({ id }) => (await getRefund(server, own, id)).processing_fee?.[0]));
    expect(fees.map((fee) => fee?.amount_money.amount)).toEqual([-20, -19, -20]);
    const shown = await getPayment(server, own, payment.id);
    expect(shown).toMatchObject({
      status: 'COMPLETED',
      refunded_money: usd(1000),
      refund_ids: made.map(({ id }) => id),
    });
    expectRefusal(await tryToRefund(server, own, payment, { amount_money: usd(1) }), TOO_MUCH);
  });

  it('completes several pending refunds in the order of their requests', async () => {
    const own = await frozen();
    const payment = await pay(server, own);
    const first = await refund(server, own, payment, { amount_money: usd(500) });
    const second = await refund(server, own, payment, { amount_money: usd(500) });
    await advance(server, own, 'PT10S');
    const fees = [await getRefund(server, own, first.id), await getRefund(server, own, second.id)].map(
      ({ processing_fee }) => processing_fee?.[0]?.amount_money.amount,
    );
    expect(fees.toSorted()).toEqual([-29, -30]);
    expect((await movementsOf(server, payment.id)).reduce((sum, { fee }) => sum + fee, 0)).toBe(0);
  });

  it('refunds the tip too', async () => {
    const payment = await pay(server, merchant, { tip_money: usd(150) });
    expectRefusal(await tryToRefund(server, merchant, payment, { amount_money: usd(1151) }), TOO_MUCH);
    const { amount_money } = await refund(server, merchant, payment, { amount_money: usd(1150) });
    expect(amount_money).toEqual(usd(1150));
  });

  it('refuses more than the remainder, including pending refunds, and returns the remainder', async () => {
    const payment = await pay(server, merchant);
    expectRefusal(await tryToRefund(server, merchant, payment, { amount_money: usd(1001) }), TOO_MUCH);
    await refund(server, merchant, payment, { amount_money: usd(600) });
    const answer = await tryToRefund(server, merchant, payment, { amount_money: usd(401) });
    expectRefusal(answer, { ...TOO_MUCH, says: [payment.id, '400'] });
    expect(await getPayment(server, merchant, payment.id)).toMatchObject({ refunded_money: usd(600) });
    expect(await refund(server, merchant, payment, { amount_money: usd(400) })).toMatchObject({ status: 'PENDING' });
  });

  it.each(['APPROVED', 'CANCELED', 'FAILED'])('refuses a payment that is %s, naming the state', async (state) => {
    const source_id = 'cnon:card-nonce-declined';
    const payment =
      state === 'FAILED'
        ? (await tryToPay(server, merchant, { source_id })).body.payment
        : await approve(server, merchant);
    if (state === 'CANCELED') {
      await server.call('POST', `/v2/payments/${payment.id}/cancel`, { token: merchant.token });
    }
    const answer = await tryToRefund(server, merchant, payment);
    expectRefusal(answer, { ...NOT_REFUNDABLE, says: [payment.id, state] });
    expect(await getPayment(server, merchant, payment.id)).not.toHaveProperty('refund_ids');
  });

  it('accepts a payment for one calendar year, and refuses it a second later', async () => {
    const own = await frozen();
    const payment = await pay(server, own);
    await advance(server, own, 'P1Y');
    expect(await refund(server, own, payment, { amount_money: usd(1) })).toMatchObject({ status: 'PENDING' });
    await advance(server, own, 'PT1S');
    const answer = await tryToRefund(server, own, payment, { amount_money: usd(1) });
    expectRefusal(answer, { ...NOT_REFUNDABLE, says: [payment.id, 'year'] });
  });

  it('counts the year of a late capture from the creation of the payment', async () => {
    const own = await frozen();
    const payment = await approve(server, own);
    await advance(server, own, 'P6D');
    await server.call('POST', `/v2/payments/${payment.id}/complete`, { token: own.token });
    await advance(server, own, 'P360DT1S');
    expectRefusal(await tryToRefund(server, own, payment), { ...NOT_REFUNDABLE, says: [payment.id, 'year'] });
  });

  it('accepts 20 refunds of a payment and refuses the next', async () => {
    const payment = await pay(server, merchant);
    for (let count = 0; count < 20; count++) await refund(server, merchant, payment, { amount_money: usd(1) });
    const answer = await tryToRefund(server, merchant, payment, { amount_money: usd(1) });
    expectRefusal(answer, { ...NOT_REFUNDABLE, says: [payment.id, '20'] });
    expect((await getPayment(server, merchant, payment.id)).refund_ids).toHaveLength(20);
  });

  it.each([
    ['0', { amount: 0, currency: 'USD' }, 'VALUE_TOO_LOW', 'amount'],
    ['-5', { amount: -5, currency: 'USD' }, 'VALUE_TOO_LOW', 'amount'],
    ['1.5', { amount: 1.5, currency: 'USD' }, 'EXPECTED_INTEGER', 'amount'],
    ['"5"', { amount: '5', currency: 'USD' }, 'EXPECTED_INTEGER', 'amount'],
    ['1e21', { amount: 1e21, currency: 'USD' }, 'VALUE_TOO_HIGH', 'amount'],
    ['in EUR', { amount: 5, currency: 'EUR' }, 'INVALID_VALUE', 'currency'],
    ['in no currency', { amount: 5 }, 'MISSING_REQUIRED_PARAMETER', 'currency'],
  ])('refuses an amount of %s', async (_, amount_money, code, part) => {
    const payment = await pay(server, merchant);
    const answer = await tryToRefund(server, merchant, payment, { amount_money });
    expectRefusal(answer, { code, field: `amount_money.${part}` });
  });

  it("returns 404 with the field for an unknown payment, and for another merchant's", async () => {
    const stranger = await server.createMerchant();
    const { id } = await pay(server, stranger);
    for (const each of [`${id.slice(0, -3)}xyz`, id]) {
      const answer = await tryToRefund(server, merchant, { id: each });
      expectRefusal(answer, { status: 404, code: 'NOT_FOUND', field: 'payment_id' });
      expect(answer.body.errors[0].detail).toBe(`There is no payment with the id ${each}.`);
    }
    expect(await getPayment(server, stranger, id)).not.toHaveProperty('refund_ids');
  });

  it.each(['idempotency_key', 'payment_id', 'amount_money'])('requires %s', async (field) => {
    const { id } = await pay(server, merchant);
    const { [field]: _, ...body } = { idempotency_key: 'x', payment_id: id, amount_money: usd(1) } as Json;
    expectRefusal(await post(body), { code: 'MISSING_REQUIRED_PARAMETER', field });
  });

  it.each([
    ['reason', 'r'.repeat(193), 'VALUE_TOO_LONG'],
    ['reason', 5, 'EXPECTED_STRING'],
    ['idempotency_key', '', 'VALUE_EMPTY'],
    ['idempotency_key', 'k'.repeat(193), 'VALUE_TOO_LONG'],
    ['payment_id', '', 'VALUE_EMPTY'],
    ['payment_id', 'p'.repeat(193), 'VALUE_TOO_LONG'],
  ])('refuses %s: %j', async (field, value, code) => {
    const answer = await tryToRefund(server, merchant, await pay(server, merchant), { [field]: value });
    expectRefusal(answer, { code, field });
  });

  it('accepts a reason and a key of 192 characters', async () => {
    const payment = await pay(server, merchant);
    const [reason, idempotency_key] = ['é'.repeat(192), 'k'.repeat(192)];
    expect(await refund(server, merchant, payment, { reason, idempotency_key })).toMatchObject({ reason });
    const again = await tryToRefund(server, merchant, payment, { reason, idempotency_key });
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('requires PAYMENTS_WRITE', async () => {
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    const answer = await tryToRefund(server, { token }, await pay(server, merchant));
    const category = 'AUTHENTICATION_ERROR';
    expectRefusal(answer, { status: 403, code: 'INSUFFICIENT_SCOPES', category, says: ['PAYMENTS_WRITE'] });
  });
});

describe('v2.refundPayment with a used key', () => {
  it('returns the same refund in its current state for the same request, marked as a replay', async () => {
    const own = await frozen();
    const payment = await pay(server, own);
    const body = { idempotency_key: 'r', payment_id: payment.id, amount_money: usd(400), reason: 'spilled' };
    const first = (await post(body, own)).body.refund;
    await advance(server, own, 'PT10S');
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    for (const again of [body, { ...reversed, id: 'mine', app_fee_money: null }]) {
      const answer = await post(again, own);
      expect(answer.status).toBe(200);
      expect(answer.headers['idempotency-replayed']).toBe('true');
      expect(answer.body.refund).toMatchObject({ id: first.id, status: 'COMPLETED' });
    }
    expect((await getPayment(server, own, payment.id)).refund_ids).toEqual([first.id]);
  });

  it('refuses any other request, and refunds nothing', async () => {
    const [payment, other] = [await pay(server, merchant), await pay(server, merchant)];
    const body = { idempotency_key: 'mine', payment_id: payment.id, amount_money: usd(400) };
    await post(body);
    for (const change of [
      { amount_money: usd(401) },
      { payment_id: other.id },
      { reason: 'x' },
      { payment_id: 'none' },
    ]) {
      const answer = await post({ ...body, ...change });
      expectRefusal(answer, { code: 'IDEMPOTENCY_KEY_REUSED', field: 'idempotency_key' });
    }
    expect(await getPayment(server, merchant, payment.id)).toMatchObject({ refunded_money: usd(400) });
    expect(await getPayment(server, merchant, other.id)).not.toHaveProperty('refund_ids');
  });

  it('does not remember a refused request', async () => {
    const payment = await pay(server, merchant);
    const idempotency_key = 'mended';
    const answer = await tryToRefund(server, merchant, payment, { idempotency_key, amount_money: usd(1001) });
    expectRefusal(answer, TOO_MUCH);
    const made = await tryToRefund(server, merchant, payment, { idempotency_key });
    expect(made.status).toBe(200);
    expect(made.headers).not.toHaveProperty('idempotency-replayed');
  });

  it('keeps the keys of each application and of each merchant separate', async () => {
    const stranger = await server.createMerchant();
    const other = { token: await authorizeAnotherApplication(server, merchant.id) };
    const payment = await pay(server, merchant);
    const change = { idempotency_key: 'shared', amount_money: usd(100) };
    const made = [
      await refund(server, merchant, payment, change),
      await refund(server, other, payment, change),
      await refund(server, stranger, await pay(server, stranger), change),
    ];
    expect(new Set(made.map(({ id }) => id)).size).toBe(3);
    expect(await getPayment(server, merchant, payment.id)).toMatchObject({ refunded_money: usd(200) });
  });
});
