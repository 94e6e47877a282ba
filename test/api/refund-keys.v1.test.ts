/** The request_idempotence_key of v1 refunds: one refund of a sale, whichever id names the sale (decision 27). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  advance,
  authorizeAnotherApplication,
  expectBooksInOrder,
  getPayment,
  pay,
  refund,
  usd,
} from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { makeSale } from '../support/split-sales.js';
import { expectV1Refusal, listV1, money, part, refundV1, tryToRefundV1 } from '../support/v1-refunds.js';

const START = '2020-02-26T10:15:30.154Z';

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await frozen();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const frozen = () => server.createMerchant({ clock: { now: START, frozen: true } });

describe('the request idempotence key', () => {
  const keyed = (id: string, units: number, key = 'r-001') => part(id, units, { request_idempotence_key: key });

  it('returns the same refund again, in its current state, and creates no second one', async () => {
    const own = await frozen();
    const { id } = await pay(server, own);
    const first = await refundV1(server, own, keyed(id, 300));
    await advance(server, own, 'P61D');
    expect(await refundV1(server, own, keyed(id, 300))).toEqual(first);
    expect(await getPayment(server, own, id)).toMatchObject({ refunded_money: usd(300) });
  });

  it('marks a replayed response, and no other', async () => {
    const { id } = await pay(server, merchant);
    const answers = [
      await tryToRefundV1(server, merchant, keyed(id, 300)),
      await tryToRefundV1(server, merchant, keyed(id, 300)),
      await tryToRefundV1(server, merchant, part(id, 100)),
    ];
    expect(answers.map(({ status, headers }) => [status, headers['idempotency-replayed']])).toEqual([
      [200, undefined],
      [200, 'true'],
      [200, undefined],
    ]);
  });

  it('returns a full refund again, though nothing is left to refund', async () => {
    const { id } = await pay(server, merchant);
    const body = { payment_id: id, request_idempotence_key: 'all' };
    expect(await refundV1(server, merchant, body)).toEqual(await refundV1(server, merchant, body));
  });

  it('is refused with another request, naming it', async () => {
    const { id } = await pay(server, merchant);
    await refundV1(server, merchant, keyed(id, 300));
    expectV1Refusal(await tryToRefundV1(server, merchant, keyed(id, 301)), 400, 'request_idempotence_key');
    expect(await refundV1(server, merchant, keyed(id, 301, 'r-002'))).toMatchObject({ refunded_money: money(-301) });
  });

  it('belongs to the payment and to the application that it was sent with', async () => {
    const [one, other] = [await pay(server, merchant), await pay(server, merchant)];
    await refundV1(server, merchant, keyed(one.id, 300));
    expect(await refundV1(server, merchant, keyed(other.id, 300))).toMatchObject({ payment_id: other.id });
    const token = await authorizeAnotherApplication(server, merchant.id);
    await refundV1(server, { ...merchant, token }, keyed(one.id, 300));
    expect(await getPayment(server, merchant, one.id)).toMatchObject({ refunded_money: usd(600) });
  });

  it('stays free if the request is refused', async () => {
    const { id } = await pay(server, merchant);
    expect((await tryToRefundV1(server, merchant, keyed(id, 1001))).status).toBe(422);
    expect(await refundV1(server, merchant, keyed(id, 1000))).toMatchObject({ refunded_money: money(-1000) });
  });

  it('is optional: without one each request creates a refund', async () => {
    const { id } = await pay(server, merchant);
    await refundV1(server, merchant, part(id, 300));
    await refundV1(server, merchant, part(id, 300));
    expect(await getPayment(server, merchant, id)).toMatchObject({ refunded_money: usd(600) });
  });
});

describe('the key of a sale with several tenders', () => {
  const KEY = { request_idempotence_key: 'once' };
  const split = (own: TestMerchant) => {
    const tenders = [
      { source: 'CARD', amount: 700 },
      { source: 'CASH', amount: 300 },
    ] as const;
    return makeSale(server, own, { at: START, tenders });
  };

  it('creates one refund, whether the sale is named by its own id or by a tender', async () => {
    const own = await frozen();
    const { id, saleId } = await split(own);
    const first = await refundV1(server, own, { payment_id: saleId, ...KEY });
    expect(await refundV1(server, own, { payment_id: id, ...KEY })).toEqual(first);
    expect(await listV1(server, own)).toHaveLength(2);
  });

  it('creates one refund of a sale with one tender, in full or in part, whichever id names it', async () => {
    for (const asked of [{}, part('', 200)]) {
      const own = await frozen();
      const sale = await makeSale(server, own, { at: START, tenders: [{ source: 'CARD', amount: 500 }] });
      const first = await refundV1(server, own, { ...asked, payment_id: sale.saleId, ...KEY });
      expect(await refundV1(server, own, { ...asked, payment_id: sale.id, ...KEY })).toEqual(first);
      expect(await listV1(server, own)).toEqual([first]);
    }
  });

  it.each<[string, (tenders: readonly string[]) => Record<string, unknown>]>([
    ['another tender', ([, cash = '']) => part(cash, 100)],
    ['another amount', ([card = '']) => part(card, 101)],
    ['another type', ([card = '']) => ({ payment_id: card })],
    ['another tender and type', ([, cash = '']) => ({ payment_id: cash })],
  ])('with %s is refused, and no more money is refunded', async (_, asked) => {
    const own = await frozen();
    const { tenderIds } = await split(own);
    const first = await refundV1(server, own, { ...part(tenderIds[0] ?? '', 100), ...KEY });
    const again = await tryToRefundV1(server, own, { ...asked(tenderIds), ...KEY });
    expectV1Refusal(again, 400, 'request_idempotence_key');
    expect(await listV1(server, own)).toEqual([first]);
  });

  it('ignores another reason, and an amount that a FULL refund does not need', async () => {
    const own = await frozen();
    const { id } = await split(own);
    const first = await refundV1(server, own, { payment_id: id, ...KEY });
    const body = { payment_id: id, reason: 'said otherwise', refunded_money: money(-1), unknown: 1, ...KEY };
    expect(await refundV1(server, own, body)).toEqual(first);
  });
});

describe('the key of a failed refund', () => {
  const failing = async (): Promise<TestMerchant> => {
    const own = await frozen();
    await server.operator('POST', `/api/sandbox/merchants/${own.id}/processor-rules`, { effect: 'FAIL_REFUND' });
    return own;
  };

  it('returns 422, saying that no money was refunded', async () => {
    const own = await failing();
    const { id } = await pay(server, own);
    const body = part(id, 300, { request_idempotence_key: 'r' });
    const first = await refundV1(server, own, body);
    expect(await refundV1(server, own, body)).toEqual(first); // pending
    await advance(server, own, 'PT10S');
    const answer = await tryToRefundV1(server, own, body);
    expectV1Refusal(answer, 422, 'payment_id', 'failed', id, 'was not refunded');
    expect(await listV1(server, own)).toEqual([]);
    expectV1Refusal(
      await tryToRefundV1(server, own, part(id, 301, { request_idempotence_key: 'r' })),
      400,
      'request_idempotence_key',
    );
  });

  it('of several tenders returns which money was refunded and which was not', async () => {
    const own = await failing();
    const tenders = [
      { source: 'CASH', amount: 300 },
      { source: 'CARD', amount: 700 },
    ] as const;
    const { id, tenderIds } = await makeSale(server, own, { at: START, tenders });
    const body = { payment_id: id, request_idempotence_key: 'r' };
    await refundV1(server, own, body);
    await advance(server, own, 'PT10S');
    const answer = await tryToRefundV1(server, own, body);
    const [cash = '', card = ''] = tenderIds;
    expectV1Refusal(answer, 422, 'payment_id', `the money of ${card} was not refunded`, `${cash} is COMPLETED`);
  });
});

describe('a key and a reason of any length', () => {
  it('are stored: the same long key creates one refund, and a key that differs at its end creates another', async () => {
    const own = await frozen();
    const { id } = await pay(server, own);
    // Random, so that it cannot be compressed to the maximum size of an index entry.
    const long = Array.from({ length: 2000 }, () => randomUUID()).join();
    const keyed = (key: string) => part(id, 100, { request_idempotence_key: key, reason: long });
    const first = await refundV1(server, own, keyed(`${long}a`));
    expect(first.reason).toBe(long);
    expect(await refundV1(server, own, keyed(`${long}a`))).toEqual(first);
    await refundV1(server, own, keyed(`${long}b`));
    expect(await listV1(server, own)).toMatchObject([{ reason: long }, { reason: long }]);
    const shown = await server.call('GET', `/v1/me/payments/${id}`, { token: own.token });
    expect(shown.body.refunds).toHaveLength(2);
  });

  it('are limited only by the size of the body', async () => {
    const { id } = await pay(server, merchant);
    const sized = (length: number) => part(id, 1, { reason: 'x'.repeat(length) });
    expect((await refundV1(server, merchant, sized(1_000_000))).reason).toHaveLength(1_000_000);
    expect((await tryToRefundV1(server, merchant, sized(1_050_000))).status).toBe(413);
  });

  it('have the published limit in v2: 192 characters for a reason', async () => {
    const payment = await pay(server, merchant);
    await refund(server, merchant, payment, { amount_money: usd(1), reason: 'x'.repeat(192) });
    const body = { idempotency_key: 'r', payment_id: payment.id, amount_money: usd(1), reason: 'x'.repeat(193) };
    const answer = await server.call('POST', '/v2/refunds', { token: merchant.token, body });
    expect(answer.body.errors).toMatchObject([{ code: 'VALUE_TOO_LONG', field: 'reason' }]);
  });
});
