const { SquareClient } = require('square');
const { startTillhouse } = require('tillhouse/testing');
const { RefundRefused, refundPayment } = require('../src/refunds.js');

let tillhouse;
let merchant;
let connection;
let client;

beforeAll(async () => {
  tillhouse = await startTillhouse();
}, 60_000);
afterAll(() => tillhouse?.stop());

beforeEach(async () => {
  merchant = await tillhouse.createMerchant();
  connection = { baseUrl: tillhouse.url, accessToken: merchant.accessToken };
  client = new SquareClient({ token: merchant.accessToken, baseUrl: tillhouse.url });
});

async function pay() {
  const { payment } = await client.payments.create({
    idempotencyKey: 'order-1',
    sourceId: 'cnon:card-nonce-ok',
    amountMoney: { amount: 2500n, currency: 'USD' },
  });
  return { paymentId: payment.id, requestId: 'return-1', amount: 2500, currency: 'USD' };
}

async function refundedMoney({ paymentId }) {
  const { payment } = await client.payments.get({ paymentId });
  return payment.refundedMoney?.amount;
}

test('a payment is refunded', async () => {
  const request = await pay();
  expect(await refundPayment(connection, request)).toContain(request.paymentId);
  expect(await refundedMoney(request)).toBe(2500n);
});

test('a repeated call refunds nothing again', async () => {
  const request = await pay();
  const refundId = await refundPayment(connection, { ...request, amount: 1000 });
  expect(await refundPayment(connection, { ...request, amount: 1000 })).toBe(refundId);
  expect(await refundedMoney(request)).toBe(1000n);
});

test('a refund after more than a year is refused in words', async () => {
  const request = await pay();
  await merchant.clock.advance('P366D');
  const refused = refundPayment(connection, request);
  await expect(refused).rejects.toThrow(RefundRefused);
  await expect(refused).rejects.toThrow(/year|old/);
});

test('a server that fails twice does not refund twice', async () => {
  const request = await pay();
  await merchant.faults.add({ effect: 'STATUS', status: 503, operation: 'v2.refundPayment', times: 2 });
  await refundPayment(connection, request);
  expect(await refundedMoney(request)).toBe(2500n);
  const sent = await merchant.requests.list({ operation: 'v2.refundPayment' });
  expect(sent.map(({ status }) => status)).toEqual([503, 503, 200]);
});

test('fake timers do not stop the server', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  try {
    expect((await fetch(`${tillhouse.url}/readyz`)).status).toBe(200);
  } finally {
    jest.useRealTimers();
  }
});
