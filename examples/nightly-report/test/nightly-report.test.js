import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SquareClient } from 'square';
import { startTillhouse } from 'tillhouse/testing';
import { takePayment } from '../src/checkout.js';
import { reportSales } from '../src/nightly-report.js';

const DAY = { begin: '2020-02-26T08:00:00Z', end: '2020-02-27T08:00:00Z' }; // a day in Los Angeles
const SALES = 205; // more than the largest page

let tillhouse;
let merchant;
let connection;

const sell = (id, amount = 1000) =>
  takePayment(connection, { id, amount, currency: 'USD', sourceId: 'cnon:card-nonce-ok' });
const report = () => reportSales(connection, { locationId: merchant.locationId, ...DAY });

describe('the nightly report', () => {
  before(async () => {
    tillhouse = await startTillhouse();
    merchant = await tillhouse.createMerchant({ now: '2020-02-26T18:00:00Z', frozen: true });
    connection = { baseUrl: tillhouse.url, accessToken: merchant.accessToken };
  });
  after(() => tillhouse?.stop());

  it('is empty for a day without sales', async () => {
    assert.deepEqual(await report(), { sales: 0, collected: 0, refunded: 0, fees: 0, byTender: {} });
  });

  it('adds up all pages of a busy day, without the next day', async () => {
    await Promise.all(Array.from({ length: SALES }, (_, number) => sell(`busy-${number}`)));
    await merchant.clock.set('2020-02-27T08:00:00Z');
    await sell('next-day');
    const found = await report();
    assert.equal(found.sales, SALES);
    assert.equal(found.collected, SALES * 1000);
    assert.equal(found.fees, SALES * -59); // 2.9 % + 30
    assert.deepEqual(found.byTender, { CREDIT_CARD: SALES * 1000 });
  });

  it('includes later refunds', async () => {
    const { paymentId } = await sell('busy-0');
    const client = new SquareClient({ token: merchant.accessToken, baseUrl: tillhouse.url });
    const amountMoney = { amount: 400n, currency: 'USD' };
    await client.refunds.refundPayment({ idempotencyKey: 'refund-busy-0', paymentId, amountMoney });
    await merchant.clock.advance('PT1H');
    const found = await report();
    assert.equal(found.refunded, -400);
    assert.equal(found.collected, SALES * 1000);
  });

  it('fails instead of reporting an incomplete day', async () => {
    await merchant.faults.add({ operation: 'v1.listPayments', effect: 'RESET_BEFORE' });
    await assert.rejects(report());
    assert.equal((await report()).sales, SALES);
  });
});
