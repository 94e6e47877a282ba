/** Nothing of a sale that is still open is refunded: at each surface, at the queue, and in races (decision 0211). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestOwner } from '../../support/dashboard.js';
import {
  cancelByKey,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  tryToRefund,
  usd,
} from '../../support/payments.js';
import { ensureDefined, openBusiness, openShift, type Register } from '../../support/people.js';
import { keep, sendQueue } from '../../support/queue.js';
import { card, cash, item, SALES, sell, tryToSell, type WireSale } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';
import { expectV1Refusal, money, part, refundV1, tryToRefundV1 } from '../../support/v1-refunds.js';

const NOW = '2020-02-26T10:15:30.154Z';
const STILL_OPEN = {
  ...{ status: 400, code: 'PAYMENT_NOT_REFUNDABLE', category: 'REFUND_ERROR' },
  ...{ field: 'payment_id', says: ['not paid in full', 'cancel the sale'] },
};
/** $10 and 10 % tax. */
const TAXED = { itemizations: [item(1000)], taxes: [{ name: 'Tax', rate: '0.1', inclusion_type: 'ADDITIVE' }] };

let server: TestServer;
let owner: TestOwner;
let till: Register;

beforeAll(async () => {
  server = await startTestServer();
  ({ owner, register: till } = await openBusiness(
    server,
    { clock: { now: NOW, frozen: true } },
    { role: { permissions: ['REGISTER_ISSUE_REFUNDS', 'REGISTER_ACCESS_SALES_HISTORY'] } },
  ));
  await openShift(till);
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const tenderOf = ({ tenders }: WireSale) => ensureDefined(tenders[0]);
const openSale = () => sell(till, { ...TAXED, tenders: [card(550)] });
const complete = ({ id }: WireSale) => till.write(`${SALES}/${id}/tenders`, cash());
const inV2 = (sale: WireSale, more: object = {}) => tryToRefund(server, owner.merchant, tenderOf(sale), { ...more });
const atRegister = (body: object) => till.write('/api/register/refunds', { reason: 'cold', ...body });
const returned = ({ id }: WireSale) => ({ payment_id: id, amount_money: { amount: 100 }, reason: 'too small' });

describe('a tender of an open sale', () => {
  it('is not refunded in v2, and all taxes go back after the sale is completed', async () => {
    const sale = await openSale();
    for (const amount_money of [usd(1), usd(550)]) expectRefusal(await inV2(sale, { amount_money }), STILL_OPEN);
    expect(await getPayment(server, owner.merchant, tenderOf(sale).id)).not.toHaveProperty('refunded_money');
    await complete(sale);
    await refundV1(server, owner.merchant, { payment_id: sale.id });
    const { body } = await server.call('GET', `/v1/me/payments/${sale.id}`, { token: owner.merchant.token });
    const sumOf = (name: string): number =>
      body.refunds.reduce(
        (so: number, refund: Record<string, { amount: number }>) => so + (refund[name]?.amount ?? 0),
        0,
      );
    expect([sumOf('refunded_money'), sumOf('refunded_tax_money')]).toEqual([-1100, -100]);
  });

  it('does not use up the idempotency key of a refused refund', async () => {
    const sale = await openSale();
    const attempt = { idempotency_key: randomUUID(), amount_money: usd(200) };
    expectRefusal(await inV2(sale, attempt), STILL_OPEN);
    await complete(sale);
    expect((await inV2(sale, attempt)).status).toBe(200);
  });

  it('is not refunded in v1, by its own id or that of the sale', async () => {
    const sale = await openSale();
    for (const id of [sale.id, tenderOf(sale).id]) {
      expectV1Refusal(await tryToRefundV1(server, owner.merchant, part(id, 100)), 422, 'payment_id', 'cancel the sale');
    }
  });

  it('is not refunded by the owner, at a register, nor by a queue, and does not pay for other goods', async () => {
    const sale = await openSale();
    const whole = { type: 'WHOLE' };
    const byOwner = (path: string, more: object) =>
      owner.call('POST', `/api/dashboard/sales/${sale.id}/${path}`, { body: { ...whole, ...more } });
    expectRefusal(await byOwner('refund-quotes', {}), STILL_OPEN);
    expectRefusal(await byOwner('refunds', { idempotency_key: randomUUID(), amount_money: usd(550) }), STILL_OPEN);
    const wanted = { payment_id: tenderOf(sale).id, type: 'FULL', reason: 'cold' };
    expectRefusal(await atRegister(wanted), STILL_OPEN);
    expectRefusal(await tryToSell(till, { returns: [returned(sale)], tenders: [cash()] }), STILL_OPEN);
    const kept = (operation: string, body: Record<string, unknown>) =>
      keep(till, operation, { occurred_at: NOW, body });
    const queued = await sendQueue(till, NOW, [
      kept('issueRefund', wanted),
      kept('ringUpSale', { itemizations: [item(1000)], returns: [returned(sale)], tenders: [cash()] }),
    ]);
    expect(queued.body.results.map(refusalOf)).toEqual([
      ['REFUSED', 'PAYMENT_NOT_REFUNDABLE'],
      ['REFUSED', 'PAYMENT_NOT_REFUNDABLE'],
    ]);
  });

  it('is not canceled through v2: by itself, or by a key', async () => {
    const sale = await openSale();
    const { id, register_id } = tenderOf(sale);
    expect((await server.call('POST', `/v2/payments/${id}/cancel`, { token: owner.merchant.token })).status).toBe(400);
    for (const key of [register_id, sale.id, id]) await cancelByKey(server, owner.merchant, key);
    expect((await getPayment(server, owner.merchant, id)).status).toBe('COMPLETED');
  });

  it('goes back when the sale is canceled, and nothing is left to refund', async () => {
    const sale = await openSale();
    await till.write(`${SALES}/${sale.id}/cancel`);
    expect((await inV2(sale, { amount_money: usd(1) })).status).toBe(400);
    expect((await getPayment(server, owner.merchant, tenderOf(sale).id)).status).toBe('CANCELED');
  });

  it('is refunded with its share of the tax, or not at all, if the sale is completed at that moment', async () => {
    for (let race = 0; race < 5; race++) {
      const sale = await openSale();
      const [refunded, completed] = await Promise.all([inV2(sale, { amount_money: usd(550) }), complete(sale)]);
      expect(completed.status, completed.text).toBe(200);
      if (refunded.status !== 200) expectRefusal(refunded, STILL_OPEN);
      await refundV1(server, owner.merchant, { payment_id: sale.id });
    }
    await expectBooksInOrder(server);
  });
});

describe('a free sale with a tip', () => {
  it('gives back its tip, and no discount: nothing was paid for its goods', async () => {
    const discounts = [{ name: 'On us', rate: '1' }];
    const tip = { tip_money: { amount: 150 } };
    const sale = await sell(till, { ...TAXED, discounts, tenders: [cash(0, tip)] });
    expect(sale).toMatchObject({ state: 'COMPLETED', tenders: [{ total_money: { amount: 150 } }] });
    expect(await refundV1(server, owner.merchant, part(sale.id, 50))).toMatchObject({
      refunded_tip_money: money(-50),
      refunded_discount_money: money(0),
    });
    expect(await refundV1(server, owner.merchant, { payment_id: sale.id })).toMatchObject({
      refunded_money: money(-100),
      refunded_tip_money: money(-100),
      refunded_tax_money: money(0),
      refunded_discount_money: money(0),
    });
    await expectBooksInOrder(server);
  });
});

function refusalOf({ status, error }: { status: string; error?: { code: string } }): unknown[] {
  return [status, error?.code];
}
