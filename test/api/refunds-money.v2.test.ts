import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  advance,
  cancelByKey,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  getRefund,
  type Json,
  later,
  movementsOf,
  pay,
  refund,
  tryToRefund,
  usd,
} from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

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

const frozen = () => server.createMerchant({ clock: { now: START, frozen: true } });

describe("the application's share of a refund", () => {
  const shared = (own: TestMerchant) => pay(server, own, { app_fee_money: usd(100) });

  it('is proportional by default, shown when the refund completes, and the whole fee on a full refund', async () => {
    const own = await frozen();
    const payment = await shared(own);
    const first = await refund(server, own, payment, { amount_money: usd(333) });
    expect(first).not.toHaveProperty('app_fee_money');
    await advance(server, own, 'PT10S');
    const second = await refund(server, own, payment, { amount_money: usd(667) });
    await advance(server, own, 'PT10S');
    for (const [{ id }, share] of [
      [first, 33],
      [second, 67],
    ] as const) {
      expect(await getRefund(server, own, id)).toMatchObject({ status: 'COMPLETED', app_fee_money: usd(share) });
    }
    expect(await movementsOf(server, payment.id)).toMatchObject([
      { fee: -159 },
      { amount: -333, fee: 20 + 33 },
      { amount: -667, fee: 39 + 67 },
    ]);
  });

  it('is the given amount, which the refund shows', async () => {
    const own = await frozen();
    const payment = await shared(own);
    const change = { amount_money: usd(500), app_fee_money: usd(7) };
    expect(await refund(server, own, payment, change)).toMatchObject({ app_fee_money: usd(7) });
    await advance(server, own, 'PT10S');
    expect(await movementsOf(server, payment.id)).toMatchObject([{ fee: -159 }, { amount: -500, fee: 30 + 7 }]);
  });

  it.each([
    ['more than is refunded', { amount_money: usd(50), app_fee_money: usd(51) }, 'INVALID_FEES'],
    ['more than the fee', { amount_money: usd(500), app_fee_money: usd(101) }, 'INVALID_FEES'],
    ['a negative one', { amount_money: usd(500), app_fee_money: usd(-1) }, 'VALUE_TOO_LOW'],
  ])('cannot be %s', async (_, change, code) => {
    const answer = await tryToRefund(server, merchant, await shared(merchant), change);
    expectRefusal(answer, { code, field: 'app_fee_money.amount' });
  });

  it('cannot be in another currency, nor exist for a payment without an application fee', async () => {
    const foreign = { app_fee_money: { amount: 1, currency: 'EUR' } };
    expectRefusal(await tryToRefund(server, merchant, await shared(merchant), foreign), {
      code: 'INVALID_VALUE',
      field: 'app_fee_money.currency',
    });
    const answer = await tryToRefund(server, merchant, await pay(server, merchant), { app_fee_money: usd(1) });
    expectRefusal(answer, { code: 'INVALID_FEES', field: 'app_fee_money.amount' });
  });

  it('is never more in total than the fee, including pending refunds', async () => {
    const own = await frozen();
    const payment = await shared(own);
    const half = (share: number) => ({ amount_money: usd(500), app_fee_money: usd(share) });
    await refund(server, own, payment, half(70));
    const refusal = { code: 'INVALID_FEES', field: 'app_fee_money.amount' };
    expectRefusal(await tryToRefund(server, own, payment, half(31)), refusal);
    await advance(server, own, 'PT10S');
    expectRefusal(await tryToRefund(server, own, payment, half(31)), refusal);
    await refund(server, own, payment, { amount_money: usd(500) }); // its half would be 50, but only 30 are left
    await advance(server, own, 'PT10S');
    expect((await movementsOf(server, payment.id)).map(({ fee }) => fee)).toEqual([-159, 30 + 70, 29 + 30]);
  });

  it('satisfies the laws of the books for any history', async () => {
    const own = await frozen();
    const part = fc.record({
      units: fc.integer({ min: 1, max: 400 }),
      share: fc.option(fc.nat(120)),
      wait: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), fc.boolean(), async (parts, cancels) => {
        const idempotency_key = randomUUID();
        const payment = await pay(server, own, { app_fee_money: usd(100), idempotency_key });
        for (const { units, share, wait } of parts) {
          const app_fee_money = share === null ? undefined : usd(share);
          const answer = await tryToRefund(server, own, payment, { amount_money: usd(units), app_fee_money });
          expect([200, 400]).toContain(answer.status);
          if (wait) await advance(server, own, 'PT10S');
        }
        if (cancels) expect((await cancelByKey(server, own, idempotency_key)).status).toBe(200);
        await advance(server, own, 'PT10S');
        const movements = await movementsOf(server, payment.id);
        const { refunded_money } = await getPayment(server, own, payment.id);
        const left = movements.reduce((sum, { amount }) => sum + amount, 0);
        expect(left).toBe(cancels ? 0 : 1000 - (refunded_money?.amount ?? 0));
        expect(movements.reduce((sum, { fee }) => sum + fee, 0)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a failed refund', () => {
  const failNext = ({ id }: TestMerchant, change: Json = {}) =>
    server.operator('POST', `/api/sandbox/merchants/${id}/processor-rules`, { effect: 'FAIL_REFUND', ...change });

  it('is FAILED at its due time, frees its amount, and blocks further refunds', async () => {
    const own = await frozen();
    const payment = await pay(server, own);
    const made = await refund(server, own, payment, { amount_money: usd(400) });
    await failNext(own);
    await advance(server, own, 'PT10S');
    expect(await getRefund(server, own, made.id)).toEqual({
      ...made,
      status: 'FAILED',
      updated_at: later(START, 3000),
    });
    const shown = await getPayment(server, own, payment.id);
    expect(shown).toMatchObject({ status: 'COMPLETED', refund_ids: [made.id], updated_at: later(START, 3000) });
    expect(shown).not.toHaveProperty('refunded_money');
    expect(await movementsOf(server, payment.id)).toHaveLength(1);
    const answer = await tryToRefund(server, own, payment, { amount_money: usd(1) });
    const says = [payment.id, 'failed'];
    expectRefusal(answer, { code: 'PAYMENT_NOT_REFUNDABLE', category: 'REFUND_ERROR', field: 'payment_id', says });
  });

  it('does not affect another pending refund', async () => {
    const own = await frozen();
    const payment = await pay(server, own);
    const made = [await refund(server, own, payment, { amount_money: usd(400) })];
    await advance(server, own, 'PT1S');
    made.push(await refund(server, own, payment, { amount_money: usd(300) }));
    await failNext(own);
    await advance(server, own, 'PT10S');
    const statuses = await Promise.all(made.map(async ({ id }) => (await getRefund(server, own, id)).status));
    expect(statuses).toEqual(['FAILED', 'COMPLETED']);
    expect(await getPayment(server, own, payment.id)).toMatchObject({
      refunded_money: usd(300),
      refund_ids: made.map(({ id }) => id),
    });
    expect(await movementsOf(server, payment.id)).toMatchObject([{ amount: 1000 }, { kind: 'REFUND', amount: -300 }]);
  });

  it('is returned as FAILED to a retry with its key', async () => {
    const own = await frozen();
    const payment = await pay(server, own);
    const change = { idempotency_key: 'r' };
    const { id } = await refund(server, own, payment, change);
    await failNext(own);
    await advance(server, own, 'PT10S');
    const answer = await tryToRefund(server, own, payment, change);
    expect([answer.status, answer.body.refund.id, answer.body.refund.status]).toEqual([200, id, 'FAILED']);
  });
});
