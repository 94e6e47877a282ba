/** How long an authorized payment waits, what happens then, and the versions of payments (decision 0265). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import {
  advance,
  approve,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  type Json,
  movementsOf,
  pay,
  receiptUrlOf,
  refund,
  tryToPay,
  usd,
} from '../../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';
import { CLOSE, openShop, settlementsOf } from '../../support/settlements.js';

const START = '2020-02-26T10:15:30.154Z';

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

const frozen = (now = START) => server.createMerchant({ clock: { now, frozen: true } });

const complete = (who: TestMerchant, id: string, body: Json = {}) =>
  server.call('POST', `/v2/payments/${id}/complete`, { token: who.token, body });

const listV1 = async (who: TestMerchant): Promise<{ id: string; created_at: string }[]> =>
  (
    await server.call(
      'GET',
      `/v1/${who.locationIds[0]}/payments?begin_time=2020-01-01T00:00:00Z&end_time=2020-12-01T00:00:00Z`,
      {
        token: who.token,
      },
    )
  ).body;

describe('delay_duration', () => {
  it('is returned as it was sent, with the time at which it ends', async () => {
    const own = await frozen();
    const payment = await approve(server, own, { delay_duration: 'P1DT12H' });
    expect(payment).toMatchObject({
      delay_duration: 'P1DT12H',
      delay_action: 'CANCEL',
      delayed_until: '2020-02-27T22:15:30.154Z',
    });
    expect(await getPayment(server, own, payment.id)).toEqual(payment);
  });

  it('is when the payment is voided, not a second before', async () => {
    const own = await frozen();
    const { id } = await approve(server, own, { delay_duration: 'PT1H' });
    await advance(server, own, 'PT59M59S');
    expect((await getPayment(server, own, id)).status).toBe('APPROVED');
    await advance(server, own, 'P3D');
    expect(await getPayment(server, own, id)).toMatchObject({
      status: 'CANCELED',
      updated_at: '2020-02-26T11:15:30.154Z',
      delay_duration: 'PT1H',
      delayed_until: '2020-02-26T11:15:30.154Z',
    });
  });

  it('does not matter to a payment that was completed before', async () => {
    const own = await frozen();
    const { id } = await approve(server, own, { delay_duration: 'PT1H', delay_action: 'CANCEL' });
    await complete(own, id);
    const completed = await getPayment(server, own, id);
    await advance(server, own, 'P3D');
    expect(await getPayment(server, own, id)).toEqual(completed);
  });

  it('is kept of a payment that does not wait', async () => {
    const payment = await pay(server, merchant, { delay_duration: 'PT1H', delay_action: 'COMPLETE' });
    expect(payment).toMatchObject({ status: 'COMPLETED', delay_duration: 'PT1H', delay_action: 'COMPLETE' });
  });

  it.each([
    ['1 hour', 'INVALID_VALUE', 'duration in ISO 8601'],
    ['PT59S', 'VALUE_TOO_LOW', 'at least one minute'],
    ['P37D', 'VALUE_TOO_HIGH', 'at most 36 days'],
    ['P99999999999999999999D', 'INVALID_VALUE', 'duration in ISO 8601'],
  ])('must be a duration from one minute to 36 days: %s', async (delay_duration, code, says) => {
    const answer = await tryToPay(server, merchant, { autocomplete: false, delay_duration });
    expectRefusal(answer, { code, field: 'delay_duration', says: [says] });
  });

  it('is part of what a retry has to repeat', async () => {
    const body = { idempotency_key: 'delayed', autocomplete: false, delay_duration: 'PT1H' };
    await pay(server, merchant, body);
    const answer = await tryToPay(server, merchant, { ...body, delay_duration: 'PT2H' });
    expectRefusal(answer, { code: 'IDEMPOTENCY_KEY_REUSED', field: 'idempotency_key' });
  });
});

describe('delay_action', () => {
  it('COMPLETE captures the payment when its time is over, with that time, in both generations', async () => {
    const own = await frozen();
    const approved = await approve(server, own, {
      delay_duration: 'PT36H',
      delay_action: 'COMPLETE',
      tip_money: usd(150),
    });
    await advance(server, own, 'PT35H');
    expect(await listV1(own)).toEqual([]);
    await advance(server, own, 'P8D');
    const { capabilities: _, ...rest } = approved;
    const { processing_fee, ...completed } = await getPayment(server, own, approved.id);
    expect(completed).toEqual({
      ...rest,
      version_token: expect.any(String),
      status: 'COMPLETED',
      card_details: {
        ...approved.card_details,
        status: 'CAPTURED',
        card_payment_timeline: { authorized_at: START, captured_at: approved.delayed_until },
      },
      updated_at: approved.delayed_until,
      receipt_url: receiptUrlOf(server, own, approved.id),
    });
    expect(processing_fee).toMatchObject([{ type: 'INITIAL', amount_money: usd(63) }]);
    expect(await movementsOf(server, approved.id)).toMatchObject([
      { kind: 'CHARGE', amount: 1150, occurredAt: Date.parse('2020-02-27T22:15:30.154Z') },
    ]);
    expect(await listV1(own)).toMatchObject([{ id: approved.id, created_at: '2020-02-27T22:15:30Z' }]);
  });

  it('COMPLETE puts the payment into the settlement of the day on which its time was over', async () => {
    const shop = await openShop(server);
    const { id } = await approve(server, shop, { delay_duration: 'PT4H', delay_action: 'COMPLETE' });
    const late = await approve(server, shop, { delay_duration: 'PT8H', delay_action: 'COMPLETE' });
    await advance(server, shop, 'P5D');
    const settlements = await settlementsOf(server, shop);
    expect(
      settlements.map(({ initiated_at, entries = [] }) => [initiated_at, entries.map((each) => each.payment_id)]),
    ).toEqual([
      [CLOSE, [id]],
      ['2020-02-22T22:00:00Z', [late.id]],
    ]);
  });

  it('COMPLETE captures payments of several durations each at its time', async () => {
    const own = await frozen();
    const made = [];
    for (const delay_duration of ['PT3H', 'PT1H', 'PT2H']) {
      made.push(await approve(server, own, { delay_duration, delay_action: 'COMPLETE' }));
    }
    await changeClock(server, own.id, { now: '2020-02-26T12:30:00Z', frozen: true });
    const found = await Promise.all(made.map(({ id }) => getPayment(server, own, id)));
    expect(found.map(({ status, updated_at }) => [status, updated_at])).toEqual([
      ['APPROVED', START],
      ['COMPLETED', '2020-02-26T11:15:30.154Z'],
      ['COMPLETED', '2020-02-26T12:15:30.154Z'],
    ]);
  });

  it('must be CANCEL or COMPLETE', async () => {
    const answer = await tryToPay(server, merchant, { autocomplete: false, delay_action: 'VOID' });
    expectRefusal(answer, { code: 'INVALID_ENUM_VALUE', field: 'delay_action', says: ['CANCEL, COMPLETE'] });
  });
});

describe('approved_money', () => {
  it('is what the card has approved, with the tip, and 0 if it was declined', async () => {
    const approved = await approve(server, merchant, { tip_money: usd(150) });
    const declined = (await tryToPay(server, merchant, { source_id: 'cnon:card-nonce-declined' })).body.payment;
    expect([approved, declined].map(({ approved_money }: Json) => approved_money)).toEqual([usd(1150), usd(0)]);
  });
});

describe('version_token', () => {
  it('is another one after each change, and the same in every answer', async () => {
    const payment = await approve(server, merchant);
    const tokens = [payment.version_token];
    expect((await getPayment(server, merchant, payment.id)).version_token).toBe(tokens[0]);
    const completed = (await complete(merchant, payment.id, { version_token: tokens[0] })).body.payment;
    tokens.push(completed.version_token);
    const listed = (await server.call('GET', '/v2/payments?limit=1', { token: merchant.token })).body.payments[0];
    expect([listed.id, listed.version_token]).toEqual([payment.id, tokens[1]]);
    await refund(server, merchant, payment, { amount_money: usd(100) });
    tokens.push((await getPayment(server, merchant, payment.id)).version_token);
    expect(new Set(tokens).size).toBe(3);
  });

  it('of another version refuses completePayment, which then changes nothing', async () => {
    const payment = await approve(server, merchant);
    const other = await approve(server, merchant);
    const answer = await complete(merchant, payment.id, { version_token: other.version_token });
    expectRefusal(answer, { status: 409, code: 'VERSION_MISMATCH', field: 'version_token', says: [payment.id] });
    expect(await getPayment(server, merchant, payment.id)).toEqual(payment);
  });

  it('of another version refuses refundPayment, and that of the payment does not', async () => {
    const payment = await pay(server, merchant);
    const body = { idempotency_key: 'seen', payment_id: payment.id, amount_money: usd(100) };
    const send = (payment_version_token: string) =>
      server.call('POST', '/v2/refunds', { token: merchant.token, body: { ...body, payment_version_token } });
    const field = 'payment_version_token';
    expectRefusal(await send('another'), { status: 409, code: 'VERSION_MISMATCH', field, says: [payment.id] });
    expect((await getPayment(server, merchant, payment.id)).refund_ids).toBeUndefined();
    const answers = [await send(payment.version_token), await send(payment.version_token)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await getPayment(server, merchant, payment.id)).refund_ids).toEqual([answers[0]?.body.refund.id]);
  });

  it.each([{}, { version_token: null }, { version_token: '' }])('may be absent: %j', async (body) => {
    const { id } = await approve(server, merchant);
    expect((await complete(merchant, id, body)).body.payment.status).toBe('COMPLETED');
  });
});

describe('capabilities', () => {
  it('are those of the published interface while a payment is APPROVED, and absent then', async () => {
    const payment = await approve(server, merchant);
    expect(payment.capabilities).toEqual([
      'EDIT_AMOUNT_UP',
      'EDIT_AMOUNT_DOWN',
      'EDIT_TIP_AMOUNT_UP',
      'EDIT_TIP_AMOUNT_DOWN',
    ]);
    expect((await complete(merchant, payment.id)).body.payment).not.toHaveProperty('capabilities');
  });
});
