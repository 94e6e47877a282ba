import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock, pollUntil } from '../../support/clock.js';
import type { ApiResponse } from '../../support/http.js';
import {
  advance,
  approve,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  later,
  movementsOf,
  pay,
  receiptUrlOf,
  refund,
  tryToPay,
  usd,
  type WirePayment,
} from '../../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const START = '2020-02-26T10:15:30.154Z';
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

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

/** A merchant whose clock is frozen. */
const frozen = (now = START) => server.createMerchant({ clock: { now, frozen: true } });

const act = (who: TestMerchant, action: 'complete' | 'cancel', id: string): Promise<ApiResponse> =>
  server.call('POST', `/v2/payments/${id}/${action}`, { token: who.token });

async function fail(who: TestMerchant): Promise<WirePayment> {
  return (await tryToPay(server, who, { source_id: 'cnon:card-nonce-declined' })).body.payment;
}

async function cancel(who: TestMerchant): Promise<WirePayment> {
  const { id } = await approve(server, who);
  return (await act(who, 'cancel', id)).body.payment;
}

/** The ways in which clients send an empty body (contract 10.8). */
const EMPTY_BODIES: readonly [string, { headers?: Record<string, string>; body?: string }][] = [
  ['no content type', {}],
  ['JSON, and no length', { headers: { 'content-type': 'application/json' } }],
  ['JSON of length 0', { body: '' }],
  ['a form of length 0', { body: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
  ['text of length 0', { body: '', headers: { 'content-type': 'text/plain; charset=x' } }],
  ['an invalid type', { body: '', headers: { 'content-type': 'none/' } }],
  ['an empty object', { body: '{}' }],
  ['an object with an unknown field', { body: '{"unknown":"x"}' }],
];

describe('v2.completePayment', () => {
  it('captures an APPROVED payment: COMPLETED at that time, with its receipt and its movement', async () => {
    const own = await frozen();
    const approved = await approve(server, own, { app_fee_money: usd(100), tip_money: usd(150) });
    expect(approved).toMatchObject({ status: 'APPROVED', card_details: { status: 'AUTHORIZED' }, created_at: START });
    expect(await movementsOf(server, approved.id)).toEqual([]);

    const at = await advance(server, own, 'P1DT2H');
    const answer = await act(own, 'complete', approved.id);
    expect(answer.status).toBe(200);
    const { payment } = answer.body;
    const { capabilities: _, ...rest } = approved;
    expect(payment).toEqual({
      ...rest,
      version_token: expect.any(String),
      status: 'COMPLETED',
      card_details: {
        ...approved.card_details,
        status: 'CAPTURED',
        card_payment_timeline: { authorized_at: START, captured_at: at },
      },
      updated_at: at,
      receipt_url: receiptUrlOf(server, own, approved.id),
    });
    expect(await getPayment(server, own, approved.id)).toEqual({
      ...payment,
      processing_fee: [{ effective_at: '2020-02-27T14:15:30.000Z', type: 'INITIAL', amount_money: usd(63) }],
    });
    expect(await movementsOf(server, approved.id)).toEqual([
      { kind: 'CHARGE', refundId: null, amount: 1150, fee: -163, occurredAt: Date.parse(at) },
    ]);
  });

  it('prevents the automatic void after 7 days', async () => {
    const own = await frozen();
    const { id } = await approve(server, own);
    const { payment } = (await act(own, 'complete', id)).body;
    await advance(server, own, 'P8D');
    expect(await getPayment(server, own, id)).toMatchObject({ status: 'COMPLETED', updated_at: payment.updated_at });
  });
});

describe('v2.cancelPayment', () => {
  it('voids an APPROVED payment: CANCELED at that time, without receipt or movement', async () => {
    const own = await frozen();
    const approved = await approve(server, own);
    const at = await advance(server, own, 'PT1H');
    const answer = await act(own, 'cancel', approved.id);
    expect(answer.status).toBe(200);
    const { receipt_number: _, capabilities: __, ...rest } = approved;
    const card_payment_timeline = { authorized_at: START, voided_at: at };
    const voided = { ...approved.card_details, status: 'VOIDED', card_payment_timeline };
    expect(answer.body).toEqual({
      payment: { ...rest, status: 'CANCELED', card_details: voided, updated_at: at, version_token: expect.any(String) },
    });
    expect(await getPayment(server, own, approved.id)).toEqual(answer.body.payment);
    expect(await movementsOf(server, approved.id)).toEqual([]);
    await advance(server, own, 'P8D');
    expect((await getPayment(server, own, approved.id)).updated_at).toBe(at);
  });
});

describe.each([['complete'], ['cancel']] as const)('v2.%sPayment', (action) => {
  it.each([
    ['COMPLETED', (who: TestMerchant) => pay(server, who)],
    ['CANCELED', cancel],
    ['FAILED', fail],
  ] as const)('refuses a payment that is %s, naming it and its state', async (state, make) => {
    const { id } = await make(merchant);
    const before = await getPayment(server, merchant, id);
    expect(before.status).toBe(state);
    expectRefusal(await act(merchant, action, id), { code: 'BAD_REQUEST', says: [id, state] });
    expect(await getPayment(server, merchant, id)).toEqual(before);
  });

  it.each(EMPTY_BODIES)('accepts an empty body of any kind: %s', async (_, options) => {
    const { id } = await approve(server, merchant);
    const answer = await server.call('POST', `/v2/payments/${id}/${action}`, { token: merchant.token, ...options });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.payment.status).toBe(action === 'complete' ? 'COMPLETED' : 'CANCELED');
  });

  it('refuses a body that is neither empty nor JSON', async () => {
    const { id } = await approve(server, merchant);
    const send = (type: string, body: string) =>
      server.call('POST', `/v2/payments/${id}/${action}`, {
        token: merchant.token,
        body,
        headers: { 'content-type': type },
      });
    expectRefusal(await send('text/plain', 'x'), { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
    expectRefusal(await send('application/json', '{'), { code: 'EXPECTED_JSON_BODY' });
    expect((await getPayment(server, merchant, id)).status).toBe('APPROVED');
  });

  it("returns 404 with the id for an unknown payment, and for another merchant's", async () => {
    const stranger = await server.createMerchant();
    const { id } = await approve(server, stranger);
    const unknown = `${id.slice(0, -3)}xyz`;
    for (const each of [unknown, id]) {
      const answer = await act(merchant, action, each);
      expectRefusal(answer, { status: 404, code: 'NOT_FOUND' });
      expect(answer.body.errors[0].detail).toBe(`There is no payment with the id ${each}.`);
    }
    expect((await getPayment(server, stranger, id)).status).toBe('APPROVED');
  });

  it('requires PAYMENTS_WRITE', async () => {
    const { id } = await approve(server, merchant);
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    const answer = await server.call('POST', `/v2/payments/${id}/${action}`, { token });
    const category = 'AUTHENTICATION_ERROR';
    expectRefusal(answer, { status: 403, code: 'INSUFFICIENT_SCOPES', category, says: ['PAYMENTS_WRITE'] });
  });
});

describe('a delayed payment', () => {
  it('is voided after 7 days by the clock, not a second before, with its due time as its time', async () => {
    const own = await frozen();
    const { id } = await approve(server, own);
    await advance(server, own, 'P6DT23H59M59S');
    expect(await getPayment(server, own, id)).toMatchObject({ status: 'APPROVED', updated_at: START });
    await advance(server, own, 'PT1S');
    expect(await getPayment(server, own, id)).toMatchObject({
      status: 'CANCELED',
      card_details: { status: 'VOIDED' },
      created_at: START,
      updated_at: later(START, WEEK_MS),
    });
    expectRefusal(await act(own, 'complete', id), { code: 'BAD_REQUEST', says: [id, 'CANCELED'] });
    expect(await movementsOf(server, id)).toEqual([]);
  });

  it('gets its own due time in a long clock advance, for each of several payments', async () => {
    const own = await frozen();
    const made = [await approve(server, own)];
    for (const by of ['PT1H', 'P2D']) {
      await advance(server, own, by);
      made.push(await approve(server, own));
    }
    await advance(server, own, 'P30D');
    for (const { id, created_at } of made) {
      const voided = { status: 'CANCELED', updated_at: later(created_at, WEEK_MS) };
      expect(await getPayment(server, own, id)).toMatchObject(voided);
    }
  });

  it('is not voided on a frozen clock until the clock is moved', async () => {
    const own = await frozen('2019-01-01T00:00:00.000Z'); // in real time its due time is long past
    const { id } = await approve(server, own);
    await sleep(1000); // several worker rounds
    expect((await getPayment(server, own, id)).status).toBe('APPROVED');
    await changeClock(server, own.id, { frozen: false });
    await sleep(600);
    expect((await getPayment(server, own, id)).status).toBe('APPROVED');
    await advance(server, own, 'P7D');
    expect(await getPayment(server, own, id)).toMatchObject({
      status: 'CANCELED',
      updated_at: '2019-01-08T00:00:00.000Z',
    });
  });

  it('is voided by the worker when its time comes on a running clock', async () => {
    const own = await server.createMerchant();
    const { id, created_at } = await approve(server, own);
    await advance(server, own, 'P6DT23H59M56S');
    expect((await getPayment(server, own, id)).status).toBe('APPROVED');
    const voided = await pollUntil(
      () => getPayment(server, own, id),
      ({ status }) => status !== 'APPROVED',
      15_000,
    );
    expect(voided).toMatchObject({ status: 'CANCELED', updated_at: later(created_at, WEEK_MS) });
  });
});

describe('processing_fee', () => {
  const listed = async (who: TestMerchant, id: string): Promise<WirePayment> => {
    const { body } = await server.call('GET', '/v2/payments', { token: who.token });
    return body.payments.find((payment: WirePayment) => payment.id === id);
  };

  it.each([
    [200, 36],
    [1000, 59],
    [500, 45],
  ])('of %d is %d: absent in the response to create, present in get and list', async (amount, fee) => {
    const own = await frozen();
    const made = await pay(server, own, { amount_money: usd(amount) });
    expect(made).not.toHaveProperty('processing_fee');
    const expected = [{ effective_at: '2020-02-26T12:15:30.000Z', type: 'INITIAL', amount_money: usd(fee) }];
    expect((await getPayment(server, own, made.id)).processing_fee).toEqual(expected);
    expect((await listed(own, made.id)).processing_fee).toEqual(expected);
  });

  it('includes the tip', async () => {
    const { id } = await pay(server, merchant, { tip_money: usd(150) });
    expect(await getPayment(server, merchant, id)).toMatchObject({ processing_fee: [{ amount_money: usd(63) }] });
  });

  it('is absent for a payment that was not captured', async () => {
    for (const { id } of [await approve(server, merchant), await cancel(merchant), await fail(merchant)]) {
      expect(await getPayment(server, merchant, id)).not.toHaveProperty('processing_fee');
    }
  });
});

describe('receipts', () => {
  it.each([
    ['APPROVED', (who: TestMerchant) => approve(server, who), true, false],
    ['COMPLETED', (who: TestMerchant) => pay(server, who), true, true],
    ['CANCELED', cancel, false, false],
    ['FAILED', fail, false, false],
  ] as const)('of a payment that is %s: number %s', async (status, make, hasNumber, hasUrl) => {
    const { id } = await make(merchant);
    const payment = await getPayment(server, merchant, id);
    expect(payment.status).toBe(status);
    expect(payment.receipt_number).toBe(hasNumber ? id.slice(-4) : undefined);
    expect(payment.receipt_url).toBe(hasUrl ? receiptUrlOf(server, merchant, id) : undefined);
  });
});

describe('application fees', () => {
  it('require PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS, and nothing is charged without it', async () => {
    const own = await server.createMerchant();
    const token = await server.createToken(own.id, ['PAYMENTS_WRITE', 'PAYMENTS_READ']);
    const answer = await tryToPay(server, { token }, { app_fee_money: usd(0) });
    const says = ['PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS'];
    expectRefusal(answer, { status: 403, code: 'INSUFFICIENT_SCOPES', category: 'AUTHENTICATION_ERROR', says });
    expect((await server.call('GET', '/v2/payments', { token })).body).toEqual({});
    expect(await pay(server, { token }, { app_fee_money: null })).toMatchObject({ status: 'COMPLETED' });
  });

  it('are at most 90 % of the total with its tip', async () => {
    const change = { amount_money: usd(1000), tip_money: usd(1005) };
    const refused = await tryToPay(server, merchant, { ...change, app_fee_money: usd(1805) });
    expectRefusal(refused, { code: 'INVALID_FEES', field: 'app_fee_money.amount', says: ['1804'] });
    const payment = await pay(server, merchant, { ...change, app_fee_money: usd(1804) });
    expect(payment).toMatchObject({ app_fee_money: usd(1804), total_money: usd(2005) });
    expect(await movementsOf(server, payment.id)).toMatchObject([{ amount: 2005, fee: -(88 + 1804) }]);
  });

  it('of zero are shown', async () => {
    expect(await pay(server, merchant, { app_fee_money: usd(0) })).toMatchObject({ app_fee_money: usd(0) });
  });

  it('require that permission on a refund too', async () => {
    const payment = await pay(server, merchant, { app_fee_money: usd(100) });
    const token = await server.createToken(merchant.id, ['PAYMENTS_WRITE']);
    const body = { idempotency_key: 'r', payment_id: payment.id, amount_money: usd(10), app_fee_money: usd(1) };
    const answer = await server.call('POST', '/v2/refunds', { token, body });
    const says = ['PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS'];
    expectRefusal(answer, { status: 403, code: 'INSUFFICIENT_SCOPES', category: 'AUTHENTICATION_ERROR', says });
    const change = { amount_money: usd(10), app_fee_money: usd(1) };
    expect(await refund(server, merchant, payment, change)).toMatchObject({ app_fee_money: usd(1) });
  });
});

describe('v2.getPayment', () => {
  it("returns 404 with the id for an unknown payment, and for another merchant's", async () => {
    const stranger = await server.createMerchant();
    const { id } = await approve(server, stranger);
    for (const each of [`${id.slice(0, -3)}xyz`, id, 'nothing', 'a b']) {
      const path = `/v2/payments/${encodeURIComponent(each)}`;
      const answer = await server.call('GET', path, { token: merchant.token });
      expectRefusal(answer, { status: 404, code: 'NOT_FOUND' });
      expect(answer.body.errors[0].detail).toBe(`There is no payment with the id ${each}.`);
    }
    expect((await getPayment(server, stranger, id)).id).toBe(id);
  });

  it('requires PAYMENTS_READ', async () => {
    const token = await server.createToken(merchant.id, ['PAYMENTS_WRITE']);
    const answer = await server.call('GET', `/v2/payments/${(await pay(server, merchant)).id}`, { token });
    const category = 'AUTHENTICATION_ERROR';
    expectRefusal(answer, { status: 403, code: 'INSUFFICIENT_SCOPES', category, says: ['PAYMENTS_READ'] });
  });
});
