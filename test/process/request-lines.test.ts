/** What the log says about one request, from the proxy to the processor: one id, the payment, and the code of the error. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADAPTER_SECRET } from '../support/adapter.js';
import type { ApiResponse } from '../support/http.js';
import { CARD, usd } from '../support/payments.js';
import { Server, usedDataDir } from '../support/process.js';
import { answer, Receiver } from '../support/receiver.js';

const APPROVED = { outcome: 'approved', amount: 500, card: { brand: 'VISA', last_4: '1111' } };
const DECLINED = { outcome: 'declined', code: 'CARD_DECLINED', card: { brand: 'VISA', last_4: '1111' } };

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
    args: ['--log-level', 'info', '--trust-proxy', '127.0.0.1', '--processor', new URL(adapter.url).origin],
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

function linesOf(id: string): Record<string, unknown>[] {
  const lines = server.program.stderr.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line)).filter(({ request_id }) => request_id === id);
}

/** The line is written after the response. */
async function lineOf(id: string): Promise<Record<string, unknown>> {
  const find = () => linesOf(id).find(({ msg }) => msg === 'request completed');
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
