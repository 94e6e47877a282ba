/** What the log says about one request, from the proxy to the processor: one id, the payment, and the code of the error. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADAPTER_SECRET } from '../support/adapter.js';
import type { ApiResponse } from '../support/http.js';
import { expect200, orderBody } from '../support/orders.js';
import { CARD, usd } from '../support/payments.js';
import { ensureDefined } from '../support/people.js';
import { Server, usedDataDir } from '../support/process.js';
import { answer, Receiver } from '../support/receiver.js';
import { card, cash, item, SALES } from '../support/register-sales.js';

const APPROVED = { outcome: 'approved', amount: 500, card: { brand: 'VISA', last_4: '1111' } };
const DECLINED = { outcome: 'declined', code: 'CARD_DECLINED', card: { brand: 'VISA', last_4: '1111' } };

/** Every request has a line, with the id that the proxy gave it. */
const LOGGED = ['--log-level', 'info', '--trust-proxy', '127.0.0.1'];

let adapter: Receiver;
/** What the adapter answers to an authorization. */
let authorization: readonly [status: number, body?: object];
let server: Server;
let token: string;

beforeAll(async () => {
  adapter = await Receiver.open();
  adapter.answering = (response, received) => {
    const others = { '/capture': { outcome: 'captured' }, '/refund': { outcome: 'refunded' } };
    const [status, body] = received.path === '/authorize' ? authorization : [200, others[received.path as '/capture']];
    answer(status, JSON.stringify(body))(response, received);
  };
  server = await Server.start({
    dataDir: await usedDataDir(),
    args: [...LOGGED, '--processor', new URL(adapter.url).origin],
    env: { TILLHOUSE_PROCESSOR_SECRET: ADAPTER_SECRET },
  });
  token = (await server.demo()).access_token;
});
afterAll(async () => {
  await server.stop();
  await adapter.close();
});

function ask(id: string, method: string, path: string, body?: unknown): Promise<ApiResponse> {
  return server.call(method, path, { token, body, headers: { 'x-request-id': id } });
}

function pay(id: string, change: object = {}): Promise<ApiResponse> {
  const body = { idempotency_key: randomUUID(), source_id: CARD, amount_money: usd(500), ...change };
  return ask(id, 'POST', '/v2/payments', body);
}

function linesOf(id: string, { program } = server): Record<string, unknown>[] {
  const lines = program.stderr.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line)).filter(({ request_id }) => request_id === id);
}

/** The line is written after the response. */
async function lineOf(id: string, by = server): Promise<Record<string, unknown>> {
  const find = () => linesOf(id, by).find(({ msg }) => msg === 'request completed');
  await expect.poll(find).toBeDefined();
  return find() ?? {};
}

it('a payment has its id in the lines of all requests that make, read, complete or refund it, and no error', async () => {
  authorization = [200, APPROVED];
  const paid = await pay('request-pay', { autocomplete: false });
  expect(paid.status, paid.text).toBe(200);
  const { id } = paid.body.payment;
  await ask('request-read', 'GET', `/v2/payments/${id}`);
  expect((await ask('request-complete', 'POST', `/v2/payments/${id}/complete`)).status).toBe(200);
  const refund = { idempotency_key: randomUUID(), payment_id: id, amount_money: usd(100) };
  await ask('request-refund', 'POST', '/v2/refunds', refund);
  for (const [name, operation] of [
    ['request-pay', 'v2.createPayment'],
    ['request-read', 'v2.getPayment'],
    ['request-complete', 'v2.completePayment'],
    ['request-refund', 'v2.refundPayment'],
  ] as const) {
    const line = await lineOf(name);
    expect(line).toMatchObject({ operation, payment_id: id, status: 200 });
    expect(line).not.toHaveProperty('error');
  }
});

it('a refused request has the code of its error, a declined payment its id too, and a path that is no id is not shown', async () => {
  authorization = [200, DECLINED];
  await pay('request-declined');
  expect(await lineOf('request-declined')).toMatchObject({
    error: 'CARD_DECLINED',
    payment_id: expect.stringMatching(/^\w{27}$/),
  });
  await pay('request-wrong', { amount_money: { amount: 1.5, currency: 'USD' } });
  const wrong = await lineOf('request-wrong');
  expect(wrong).toMatchObject({ status: 400, error: expect.stringMatching(/^[A-Z_]+$/) });
  expect(wrong).not.toHaveProperty('payment_id');
  await ask('request-nothing', 'GET', '/v2/payments/EAAA-not-an-id');
  const nothing = await lineOf('request-nothing');
  expect(nothing).toMatchObject({ error: 'NOT_FOUND' });
  expect(nothing).not.toHaveProperty('payment_id');
});

it('a call of the processor for it has its id, in the log and at the adapter', async () => {
  authorization = [401];
  const { status } = await pay('request-unknown');
  expect(status).toBe(503);
  const completed = await lineOf('request-unknown');
  expect(completed).toMatchObject({ error: 'TEMPORARY_ERROR', payment_id: expect.any(String) });
  expect(linesOf('request-unknown')).toMatchObject([
    { msg: 'processor call: unknown outcome, will be asked again', payment_id: completed['payment_id'] },
    { msg: 'request completed' },
  ]);
  const sent = adapter.received.filter(({ headers }) => headers['x-request-id'] === 'request-unknown');
  expect(sent.map(({ path }) => path)).toEqual(['/authorize']);
});

it('a payment at a register or in a store has its id too, also one that no processor is asked for', async () => {
  const shop = await Server.start({ args: [...LOGGED, '--demo-history', 'on'] });
  const { register, publishable_key: key = '' } = await shop.demo();
  const post = async (id: string, path: string, body: object, headers: Record<string, string>) =>
    expect200(await shop.call('POST', path, { body, headers: { 'x-request-id': id, ...headers } })).body;
  const device = { authorization: `Bearer ${register?.device_token}` };
  const { id: employee_id, passcode } = ensureDefined(register?.employees[0]);
  const { session } = await post('sign-in', '/api/register/session', { employee_id, passcode }, device);
  const attendant = { ...device, 'tillhouse-employee-session': session };
  const sale = (tender: object) => ({ id: randomUUID(), itemizations: [item(1000)], tenders: [tender] });
  const store = { authorization: `Bearer ${key}` };
  const { items } = (await shop.call('GET', '/api/checkout/catalogue', { headers: store })).body;
  const placed = await post('place', '/api/checkout/orders', orderBody({ itemIds: [items[0].id] }), store);
  const pay = `/api/checkout/orders/${placed.order_token}/pay`;

  const inCash = await post('request-cash', SALES, sale(cash()), attendant);
  const byCard = await post('request-card', SALES, sale(card()), attendant);
  await post('request-online', pay, { source_id: CARD }, store);
  for (const [id, payment] of [
    ['request-cash', inCash.sale.tenders[0].id],
    ['request-card', byCard.sale.tenders[0].id],
    ['request-online', expect.stringMatching(/^\w{27}$/)],
  ] as const) {
    expect(await lineOf(id, shop)).toMatchObject({ payment_id: payment, status: 200 });
  }
  await shop.stop();
});
