import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SquareClient } from 'square';
import { startTillhouse } from 'tillhouse/testing';
import { CardDeclined, takePayment } from '../src/checkout.js';

let tillhouse;
let merchant;
let connection;

const ORDER = { id: 'order-1', amount: 2500, currency: 'USD', sourceId: 'cnon:card-nonce-ok' };
const BUSY = { effect: 'STATUS', status: 429, retryAfterSeconds: 1, operation: 'v2.createPayment' };

async function payments() {
  const client = new SquareClient({ token: merchant.accessToken, baseUrl: tillhouse.url });
  return (await client.payments.list()).data;
}

describe('the checkout', () => {
  before(async () => {
    tillhouse = await startTillhouse();
  });
  beforeEach(async () => {
    merchant = await tillhouse.createMerchant();
    connection = { baseUrl: tillhouse.url, accessToken: merchant.accessToken };
  });
  after(() => tillhouse?.stop());

  it('takes the payment', async () => {
    const { paymentId, status } = await takePayment(connection, ORDER);
    assert.equal(status, 'COMPLETED');
    const [payment, ...others] = await payments();
    assert.deepEqual(others, []);
    assert.equal(payment.id, paymentId);
    assert.equal(payment.totalMoney.amount, 2500n);
    assert.equal(payment.referenceId, 'order-1');
  });

  it('takes the payment once for concurrent calls', async () => {
    const [first, second] = await Promise.all([takePayment(connection, ORDER), takePayment(connection, ORDER)]);
    assert.equal(first.paymentId, second.paymentId);
    assert.equal((await payments()).length, 1);
  });

  it('reports a declined card with its code', async () => {
    const declined = takePayment(connection, { ...ORDER, sourceId: 'cnon:card-nonce-declined' });
    await assert.rejects(declined, (error) => error instanceof CardDeclined && error.message === 'GENERIC_DECLINE');
  });

  it('succeeds after two responses with 429, and fails after three', async () => {
    await merchant.faults.add({ ...BUSY, times: 2 });
    assert.equal((await takePayment(connection, ORDER)).status, 'COMPLETED');
    await merchant.faults.add({ ...BUSY, times: 3 }); // one request and two retries
    await assert.rejects(takePayment(connection, { ...ORDER, id: 'order-2' }), { statusCode: 429 });
    assert.deepEqual(await merchant.faults.list(), []);
    assert.equal((await payments()).length, 1);
  });

  it('takes the payment once when the connection is reset after the charge', async () => {
    await merchant.faults.add({ operation: 'v2.createPayment', effect: 'RESET_AFTER' });
    await assert.rejects(takePayment(connection, ORDER)); // the client does not retry without a response
    const { paymentId } = await takePayment(connection, ORDER);
    assert.deepEqual(
      (await payments()).map(({ id }) => id),
      [paymentId],
    );
  });
});
