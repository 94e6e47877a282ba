import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SquareClient } from 'square';
import { startTillhouse } from 'tillhouse/testing';
import { createPaidOrders, ForgedWebhook } from '../src/paid-orders.js';

let tillhouse;
let merchant;
let inbox;
let orders;
let client;

async function authorize(order) {
  const { payment } = await client.payments.create({
    idempotencyKey: order,
    referenceId: order,
    sourceId: 'cnon:card-nonce-ok',
    amountMoney: { amount: 2500n, currency: 'USD' },
    autocomplete: false,
  });
  return payment.id;
}

describe('paid orders', () => {
  before(async () => {
    tillhouse = await startTillhouse();
  });
  beforeEach(async () => {
    merchant = await tillhouse.createMerchant();
    inbox = await merchant.catchWebhooks({ types: ['payment.created', 'payment.updated'] });
    orders = createPaidOrders({ signatureKey: inbox.signatureKey, notificationUrl: inbox.url });
    client = new SquareClient({ token: merchant.accessToken, baseUrl: tillhouse.url, timeoutInSeconds: 5 });
  });
  after(() => tillhouse?.stop());

  it('are those whose payments are completed', async () => {
    const paymentId = await authorize('order-1');
    await orders.receive(await inbox.next('payment.created'));
    assert.deepEqual(orders.list(), []);
    await client.payments.complete({ paymentId });
    await orders.receive(await inbox.next('payment.updated'));
    assert.deepEqual(orders.list(), ['order-1']);
  });

  it('stay paid when an old message arrives after a newer one, and another twice', async () => {
    await merchant.faults.add({ effect: 'WEBHOOK_LATE', eventType: 'payment.created', delayMs: 3_600_000 });
    await merchant.faults.add({ effect: 'WEBHOOK_TWICE', eventType: 'payment.updated' });
    const paymentId = await authorize('order-1');
    await client.payments.complete({ paymentId });
    await orders.receive(await inbox.next('payment.updated'));
    await orders.receive(await inbox.next('payment.updated'));
    await inbox.hurry();
    await orders.receive(await inbox.next('payment.created'));
    assert.deepEqual(orders.list(), ['order-1']);
  });

  it('ignore a message with a forged signature', async () => {
    await authorize('order-1');
    const { body, headers } = await inbox.next();
    const changed = body.replace('"APPROVED"', '"COMPLETED"');
    await assert.rejects(orders.receive({ body: changed, headers }), ForgedWebhook);
    assert.deepEqual(orders.list(), []);
  });
});
