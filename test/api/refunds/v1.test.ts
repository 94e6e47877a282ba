import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shifted } from '../../support/clock.js';
import {
  advance,
  approve,
  cancelByKey,
  expectBooksInOrder,
  getPayment,
  getRefund,
  movementsOf,
  pay,
  refund,
  tryToPay,
  tryToRefund,
  usd,
} from '../../support/payments.js';
import { mainLocation } from '../../support/people.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';
import { makeSale, receiptOf } from '../../support/split-sales.js';
import { expectV1Refusal, listV1, money, part, refundV1, tryToRefundV1 } from '../../support/v1-refunds.js';

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

const frozen = () =>
  server.createMerchant({ clock: { now: START, frozen: true }, locations: [{ name: 'One' }, { name: 'Two' }] });

describe('v1.createRefund of a card payment', () => {
  it('returns every field, with zero for empty amounts, and creates a v2 refund', async () => {
    const payment = await pay(server, merchant, { tip_money: usd(150) });
    const refunded = await refundV1(server, merchant, part(payment.id, 575));
    expect(refunded).toEqual({
      type: 'PARTIAL',
      reason: 'wrong size',
      refunded_money: money(-575),
      // Half of 2.9 % of 1150 and 30.
      refunded_processing_fee_money: money(32),
      refunded_tax_money: money(0),
      refunded_additive_tax_money: money(0),
      refunded_additive_tax: [],
      refunded_inclusive_tax_money: money(0),
      refunded_inclusive_tax: [],
      refunded_tip_money: money(-75),
      refunded_discount_money: money(0),
      refunded_surcharge_money: money(0),
      refunded_surcharges: [],
      created_at: '2020-02-26T10:15:30Z',
      processed_at: '2020-02-26T10:15:30Z',
      payment_id: payment.id,
      merchant_id: mainLocation(merchant),
      is_exchange: false,
    });
    const shown = await getPayment(server, merchant, payment.id);
    expect(shown).toMatchObject({ refunded_money: usd(575), refund_ids: [expect.any(String)] });
    const [id = ''] = shown.refund_ids ?? [];
    expect(await getRefund(server, merchant, id)).toMatchObject({
      status: 'PENDING',
      amount_money: usd(575),
      reason: 'wrong size',
    });
  });

  it('is completed by due work with its movement, like any v2 refund', async () => {
    const own = await frozen();
    const payment = await pay(server, own);
    await refundV1(server, own, { payment_id: payment.id });
    await advance(server, own, 'PT10S');
    expect(await getPayment(server, own, payment.id)).toMatchObject({ refunded_money: usd(1000) });
    expect(await movementsOf(server, payment.id)).toMatchObject([
      { kind: 'CHARGE', amount: 1000 },
      { kind: 'REFUND', amount: -1000, fee: 59 },
    ]);
    expect(await listV1(server, own)).toMatchObject([{ type: 'FULL', refunded_processing_fee_money: money(59) }]);
  });

  it('refunds in full what v2 has left, and the tips of both add up', async () => {
    const payment = await pay(server, merchant, { tip_money: usd(101) });
    await refund(server, merchant, payment, { amount_money: usd(333) });
    const rest = await refundV1(server, merchant, { payment_id: payment.id, refunded_money: money(5) });
    expect(rest).toMatchObject({ type: 'FULL', refunded_money: money(-768) });
    const tips = (await listV1(server, merchant))
      .filter(({ payment_id }) => payment_id === payment.id)
      .map(({ refunded_tip_money }) => refunded_tip_money.amount);
    expect(tips).toHaveLength(2);
    expect(tips.reduce((sum, each) => sum + each, 0)).toBe(-101);
  });

  it('reduces the amount that v2 can refund', async () => {
    const payment = await pay(server, merchant);
    await refundV1(server, merchant, part(payment.id, 700));
    const answer = await tryToRefund(server, merchant, payment, { amount_money: usd(301) });
    expect(answer.body.errors[0]).toMatchObject({ code: 'REFUND_AMOUNT_INVALID' });
  });

  it('frees the amount again if the refund fails at the processor, and is then not listed', async () => {
    const own = await server.createMerchant({ clock: { now: START, frozen: true } });
    const payment = await pay(server, own);
    await server.operator('POST', `/api/sandbox/merchants/${own.id}/processor-rules`, { effect: 'FAIL_REFUND' });
    await refundV1(server, own, { payment_id: payment.id });
    expect(await listV1(server, own)).toHaveLength(1);
    await advance(server, own, 'PT10S');
    expect(await listV1(server, own)).toEqual([]);
    expectV1Refusal(await tryToRefundV1(server, own, { payment_id: payment.id }), 422, 'payment_id', 'failed');
  });
});

describe('v1.createRefund of a sale with several tenders', () => {
  /** 2446 in total: a card of 1200 with a tip of 180, 1000 in cash, a voucher of 246. */
  const TENDERS = [
    { source: 'CARD', amount: 1200, tip: 180 },
    { source: 'CASH', amount: 1000 },
    { source: 'OTHER', amount: 246 },
  ] as const;
  const split = (own: TestMerchant) => makeSale(server, own, { at: START, receipt: receiptOf(2300), tenders: TENDERS });

  it('in full refunds every tender, returns the first, and lists one record for each', async () => {
    const own = await frozen();
    const sale = await split(own);
    const first = await refundV1(server, own, { payment_id: sale.id });
    expect(first).toMatchObject({ type: 'FULL', refunded_money: money(-1380), payment_id: sale.tenderIds[0] });
    const records = await listV1(server, own);
    expect(records[0]).toEqual(first);
    expect(records.map(({ payment_id }) => payment_id)).toEqual(sale.tenderIds);
    expect(records.map(({ refunded_money }) => refunded_money.amount)).toEqual([-1380, -1000, -246]);
    const sum = (read: (each: (typeof records)[number]) => number) =>
      records.reduce((total, each) => total + read(each), 0);
    expect(sum((each) => each.refunded_tax_money.amount)).toBe(-176);
    expect(sum((each) => each.refunded_discount_money.amount)).toBe(230);
    expect(sum((each) => each.refunded_surcharge_money.amount)).toBe(-200);
    expect(sum((each) => each.refunded_tip_money.amount)).toBe(-180);
    expect(first.refunded_additive_tax).toMatchObject([{ name: 'Sales tax', rate: '0.08500000', fee_id: 'tax-1' }]);
    expect(first.refunded_surcharges).toMatchObject([{ name: 'Delivery', type: 'CUSTOM' }]);
  });

  it('in full refunds the remainder of each tender, and nothing of tenders without a remainder', async () => {
    const own = await frozen();
    const sale = await split(own);
    const [card = '', cash = '', voucher = ''] = sale.tenderIds;
    await refundV1(server, own, { payment_id: cash });
    await refundV1(server, own, part(voucher, 46));
    expect(await refundV1(server, own, { payment_id: sale.id })).toMatchObject({ payment_id: card });
    const records = await listV1(server, own);
    expect(records.map((each) => [each.payment_id, each.refunded_money.amount, each.type]).sort()).toEqual(
      [
        [cash, -1000, 'FULL'],
        [voucher, -46, 'PARTIAL'],
        [card, -1380, 'FULL'],
        [voucher, -200, 'FULL'],
      ].sort(),
    );
    expectV1Refusal(
      await tryToRefundV1(server, own, { payment_id: sale.id }),
      422,
      'payment_id',
      'no remaining amount',
    );
  });

  it("in part is refused with the register's id of the sale (contract 4.2 rule 4) and accepted with the id of a tender", async () => {
    const own = await frozen();
    const sale = await split(own);
    const refused = await tryToRefundV1(server, own, part(sale.saleId, 100));
    expectV1Refusal(refused, 400, 'payment_id', 'several tenders', 'payment_id');
    expect(refused.body.type).toBe('bad_request.invalid_parameter');
    const [, cash = ''] = sale.tenderIds;
    expect(await refundV1(server, own, part(cash, 100))).toMatchObject({ payment_id: cash, type: 'PARTIAL' });
    expect(await listV1(server, own)).toHaveLength(1);
  });

  it('is refused if a tender has less left, naming the remainder', async () => {
    const own = await frozen();
    const [, , voucher = ''] = (await split(own)).tenderIds;
    await refundV1(server, own, part(voucher, 200));
    expectV1Refusal(await tryToRefundV1(server, own, part(voucher, 47)), 422, 'refunded_money', 'remaining', '46');
  });

  it('of one tender names the sale', async () => {
    const own = await frozen();
    const sale = await makeSale(server, own, { at: START, tenders: [{ source: 'CASH', amount: 500 }] });
    const [tender = ''] = sale.tenderIds;
    expect(await refundV1(server, own, part(tender, 200))).toMatchObject({ payment_id: sale.id });
    expect(sale.id).toBe(tender);
    expect(await refundV1(server, own, part(sale.saleId, 200))).toMatchObject({ payment_id: sale.id });
    expect(await refundV1(server, own, { payment_id: tender })).toMatchObject({ refunded_money: money(-100) });
  });

  it('is refused while the sale is not paid in full', async () => {
    const own = await frozen();
    const tenders = [{ source: 'CASH', amount: 1000 }] as const;
    const sale = await makeSale(server, own, { at: START, receipt: receiptOf(2300), tenders });
    for (const id of [sale.saleId, ...sale.tenderIds]) {
      expectV1Refusal(await tryToRefundV1(server, own, { payment_id: id }), 422, 'payment_id', 'not paid in full');
    }
  });

  it('shows only the cards in v2: cash and other tenders are not visible there', async () => {
    const own = await frozen();
    const sale = await split(own);
    const [card = '', cash = '', voucher = ''] = sale.tenderIds;
    await refundV1(server, own, { payment_id: sale.id });
    const listed = await server.call('GET', '/v2/refunds', { token: own.token });
    expect(listed.body.refunds).toMatchObject([{ payment_id: card, amount_money: usd(1380) }]);
    const rows = await server.database.sql<{ id: string }[]>`
      select refund_id as id from refunds where payment_id in (${cash}, ${voucher})`;
    expect(rows).toHaveLength(2);
    for (const { id } of rows) {
      expect((await server.call('GET', `/v2/refunds/${id}`, { token: own.token })).status).toBe(404);
    }
    for (const id of [cash, voucher, sale.saleId]) {
      for (const [method, path] of [
        ['GET', `/v2/payments/${id}`],
        ['POST', `/v2/payments/${id}/cancel`],
        ['POST', `/v2/payments/${id}/complete`],
      ] as const) {
        expect([path, (await server.call(method, path, { token: own.token })).status]).toEqual([path, 404]);
      }
      const answer = await tryToRefund(server, own, { id }, { amount_money: usd(1) });
      expect([answer.status, answer.body.errors[0].field]).toEqual([404, 'payment_id']);
    }
  });

  it('of a card by v2 has the same parts, and both ways add up to the sale', async () => {
    const own = await frozen();
    const tenders = [
      { source: 'CARD', amount: 1200, tip: 180 },
      { source: 'CARD', amount: 1246 },
    ] as const;
    const sale = await makeSale(server, own, { at: START, receipt: receiptOf(2300), tenders });
    const [one = '', other = ''] = sale.tenderIds;
    await refund(server, own, { id: one }, { amount_money: usd(777) });
    await refund(server, own, { id: other }, { amount_money: usd(1246) });
    await refundV1(server, own, { payment_id: sale.id });
    const records = await listV1(server, own);
    expect(records).toHaveLength(3);
    expect(records.reduce((sum, each) => sum + each.refunded_tax_money.amount, 0)).toBe(-176);
    expect(records.reduce((sum, each) => sum + each.refunded_discount_money.amount, 0)).toBe(230);
    expect(records.map(({ type }) => type).sort()).toEqual(['FULL', 'FULL', 'PARTIAL']);
  });
});

describe('v1.createRefund refuses', () => {
  it.each([
    ['a positive amount', { refunded_money: money(100) }, 400, 'refunded_money', 'negative'],
    ['an amount of zero', { refunded_money: money(0) }, 400, 'refunded_money', 'negative'],
    ['another currency', { refunded_money: { amount: -1, currency_code: 'CAD' } }, 400, 'refunded_money', 'USD'],
    ['an amount above the maximum', { refunded_money: money(-1e15) }, 400, 'refunded_money.amount', '99999999999'],
    ['a part without an amount', { refunded_money: undefined }, 400, 'refunded_money', 'required'],
    ['no reason', { reason: undefined }, 400, 'reason', 'reason'],
    ['an empty reason', { reason: '' }, 400, 'reason', 'reason'],
    ['an unknown type', { type: 'HALF' }, 400, 'type', 'type'],
    ['no payment', { payment_id: undefined }, 400, 'payment_id', 'payment_id'],
    ['an unknown payment', { payment_id: 'nobody' }, 404, 'payment_id', 'nobody'],
    ['more than the payment', { refunded_money: money(-1001) }, 422, 'refunded_money', '1000'],
  ] as const)('%s', async (_, change, status, field, word) => {
    const { id } = await pay(server, merchant);
    expectV1Refusal(await tryToRefundV1(server, merchant, part(id, 1, change)), status, field, word);
  });

  it('a payment of another location and of another merchant', async () => {
    const { id } = await pay(server, merchant);
    const [, second = ''] = merchant.locationIds;
    expectV1Refusal(await tryToRefundV1(server, { ...merchant, at: second }, part(id, 1)), 404, 'payment_id', id);
    const stranger = await frozen();
    expectV1Refusal(await tryToRefundV1(server, stranger, part(id, 1)), 404, 'payment_id', id);
    expectV1Refusal(await tryToRefundV1(server, { ...stranger, at: 'me' }, part(id, 1)), 404, 'payment_id', id);
  });

  it('a payment that was never captured, with 404 (decision 0026)', async () => {
    const approved = await approve(server, merchant);
    const failed = (await tryToPay(server, merchant, { source_id: 'cnon:card-nonce-declined' })).body.payment;
    for (const { id } of [approved, failed]) {
      expectV1Refusal(await tryToRefundV1(server, merchant, part(id, 1)), 404, 'payment_id', id);
    }
  });

  it('a reversed payment', async () => {
    const payment = await pay(server, merchant, { idempotency_key: 'reversed' });
    await cancelByKey(server, merchant, 'reversed');
    expectV1Refusal(await tryToRefundV1(server, merchant, { payment_id: payment.id }), 422, 'payment_id', 'CANCELED');
  });

  it('a refund 60 days and a millisecond after the sale, and accepts it at 60 days (contract 4.2 rule 4)', async () => {
    const own = await frozen();
    // Captured a day after its creation: v1 dates it by the capture.
    const payment = await approve(server, own);
    await advance(server, own, 'P1D');
    await server.call('POST', `/v2/payments/${payment.id}/complete`, { token: own.token });
    await advance(server, own, 'P60D');
    await refundV1(server, own, part(payment.id, 1));
    const { sql } = server.database;
    await sql`update sales set created_at = ${shifted(sql, 'created_at', '-1 millisecond')}
      where sale_id = ${payment.id}`;
    await sql`update payments set captured_at = ${shifted(sql, 'captured_at', '-1 millisecond')}
      where payment_id = ${payment.id}`;
    const late = await tryToRefundV1(server, own, part(payment.id, 1));
    expectV1Refusal(late, 422, 'payment_id', '60 days');
    // v2 allows a year.
    expect((await tryToRefund(server, own, payment, { amount_money: usd(1) })).status).toBe(200);
  });

  it('a twenty-first refund', async () => {
    const payment = await pay(server, merchant);
    for (let made = 0; made < 20; made++) await refundV1(server, merchant, part(payment.id, 1));
    expectV1Refusal(await tryToRefundV1(server, merchant, part(payment.id, 1)), 422, 'payment_id', '20');
  });

  it('a token without PAYMENTS_WRITE', async () => {
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    const { id } = await pay(server, merchant);
    expect((await tryToRefundV1(server, { ...merchant, token }, part(id, 1))).status).toBe(403);
  });
});
