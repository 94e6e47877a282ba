/** Every refusal in the catalogue has a request that returns it. A refusal that no request can return is removed from the catalogue. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asRefusal } from '../../src/api/render-error.js';
import { DECLINE_CODES, Refusal, type RefusalName, refusalNames } from '../../src/base/errors.js';
import type { CallOptions } from '../support/http.js';
import { approve, pay, paymentBody, usd } from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { atRegister, authorizeDemoApplication, type Business, cookie, type Json, openBusiness } from './business.js';
import { isV1 } from './refusals.js';
import { asClient } from './requests.js';

let server: TestServer;
let retired: TestServer;
let strict: TestServer;
let business: Business;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  retired = await startTestServer({ databaseUrl: server.databaseUrl, config: { retired: 'gone' } });
  strict = await startTestServer({ databaseUrl: server.databaseUrl, config: { strict: true } });
  business = await openBusiness(server);
  ({ merchant } = business);
});
afterAll(async () => {
  await retired.stop();
  await strict.stop();
  await server.stop();
});

/** The response: its status and its error code. */
interface Refused {
  readonly status: number;
  readonly words: readonly string[];
  readonly v1?: boolean;
}

async function ask(method: string, path: string, options: CallOptions = {}, at = server): Promise<Refused> {
  const { status, body, text } = await at.call(method, path, { token: merchant.token, ...options });
  expect(status, text).toBeGreaterThanOrEqual(400);
  return isV1(path)
    ? { status, words: [body.type], v1: true }
    : { status, words: body.errors.map(({ code }: { code: string }) => code) };
}

const get = (path: string, options?: CallOptions) => ask('GET', path, options);
const tryToPay = (change: Json) => ask('POST', '/v2/payments', { body: paymentBody(change) });
const search = (body: unknown) => ask('POST', '/v2/labor/shifts/search', { body });
const operate = (path: string, body: unknown) => server.operator('POST', `/api/sandbox/${path}`, body);
const refuseMerchant = async (body: Json): Promise<Refused> => {
  const answer = await operate('merchants', body);
  return { status: answer.status, words: answer.body.errors.map(({ code }: { code: string }) => code) };
};

async function tryToRefund(change: Json, payment_id: string): Promise<Refused> {
  const body = { idempotency_key: randomUUID(), payment_id, amount_money: usd(1), ...change };
  return ask('POST', '/v2/refunds', { body });
}

/** Injects a fault into one request of a new merchant. */
async function underFault(status: number): Promise<Refused> {
  const { id, token } = await server.createMerchant();
  await operate('faults', { merchant_id: id, effect: 'STATUS', status });
  return get('/v2/payments', { token });
}

/** Sends bytes that no client library sends. */
function talk(bytes: string): Promise<Refused> {
  const { hostname, port } = new URL(server.baseUrl);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [, status] = /^HTTP\/1\.1 (\d+)/.exec(received) ?? [];
      const { errors } = JSON.parse(received.slice(received.indexOf('{')));
      resolve({ status: Number(status), words: errors.map(({ code }: { code: string }) => code) });
    });
  });
}

const decline = (code: string) =>
  tryToPay({ source_id: `cnon:test-visa-declined-${code.toLowerCase().replaceAll('_', '-')}` });

const PRODUCED: Readonly<Record<RefusalName, () => Promise<Refused>>> = {
  ...(Object.fromEntries(DECLINE_CODES.map((code) => [code, () => decline(code)])) as Record<
    (typeof DECLINE_CODES)[number],
    () => Promise<Refused>
  >),
  BAD_GATEWAY: () => underFault(502),
  GATEWAY_TIMEOUT: () => underFault(504),
  UNAUTHORIZED: () => get('/v2/payments', { token: 'nobody' }),
  async ACCESS_TOKEN_EXPIRED() {
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    await operate('tokens/expire', { access_token: token });
    return get('/v2/payments', { token });
  },
  async ACCESS_TOKEN_REVOKED() {
    const { id, secret, accessToken } = await authorizeDemoApplication(server, business);
    const body = { client_id: id, access_token: accessToken };
    await server.call('POST', '/oauth2/revoke', { ...asClient(secret), body });
    return get('/v2/payments', { token: accessToken });
  },
  INSUFFICIENT_SCOPES: async () => get('/v2/payments', { token: await server.createToken(merchant.id, []) }),
  async RECENT_SIGN_IN_REQUIRED() {
    await server.database.sql`update sessions set confirmed_at = confirmed_at - interval '1 hour'`;
    return ask('POST', '/api/dashboard/devices', { token: undefined, ...cookie(business.session), body: {} } as never);
  },
  async FORBIDDEN() {
    const { token } = await server.createMerchant({ approved: false });
    return ask('POST', '/v2/labor/shifts/search', { token, body: {} });
  },
  BAD_REQUEST: () => talk('GET /v2/payments HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'),
  MISSING_REQUIRED_PARAMETER: () => ask('POST', '/v2/payments', { body: {} }),
  EXPECTED_JSON_BODY: () => ask('POST', '/v2/payments', { body: '[]' }),
  EXPECTED_STRING: () => tryToPay({ source_id: 5 }),
  EXPECTED_INTEGER: () => tryToPay({ amount_money: { amount: '5', currency: 'USD' } }),
  EXPECTED_BOOLEAN: () => tryToPay({ autocomplete: 'yes' }),
  EXPECTED_OBJECT: () => tryToPay({ amount_money: 5 }),
  EXPECTED_ARRAY: () => search({ query: { filter: { location_ids: 'L' } } }),
  INVALID_VALUE: () => tryToPay({ source_id: 'no source' }),
  INVALID_ENUM_VALUE: () => get('/v2/payments?sort_field=TOTAL'),
  INVALID_TIME: () => get('/v2/payments?begin_time=yesterday'),
  INVALID_TIME_RANGE: () => get('/v2/payments?begin_time=2020-02-02&end_time=2020-02-01'),
  INVALID_SORT_ORDER: () => get('/v2/payments?sort_order=SIDEWAYS'),
  INVALID_CURSOR: () => get('/v2/payments?cursor=nonsense'),
  INVALID_SQUARE_VERSION_FORMAT: () => get('/v2/payments', { headers: { 'square-version': 'new' } }),
  VALUE_EMPTY: () => tryToPay({ source_id: '' }),
  VALUE_TOO_SHORT: () => refuseMerchant({ owner: { email: 'a@example.com', password: 'short' } }),
  VALUE_TOO_LONG: () => tryToPay({ note: 'x'.repeat(501) }),
  VALUE_TOO_LOW: () => tryToPay({ amount_money: usd(0) }),
  VALUE_TOO_HIGH: () => search({ limit: 201 }),
  VALUE_REGEX_MISMATCH: () => refuseMerchant({ country: 'us' }),
  ARRAY_LENGTH_TOO_LONG: () => search({ query: { filter: { employee_ids: Array(201).fill('x') } } }),
  ARRAY_LENGTH_TOO_SHORT: () => refuseMerchant({ locations: [] }),
  async TOO_OLD() {
    const { device, attendant } = business;
    const body = { id: randomUUID(), occurred_at: '2013-01-01T00:00:00Z' };
    return ask('POST', '/api/register/timecards/clock-in', { ...atRegister(device, attendant.session), body });
  },
  /** The queue responds with 200: each of its writes has its own result. */
  async NOT_SIGNED() {
    const { device, attendant } = business;
    const occurred_at = new Date().toISOString();
    const kept = { id: randomUUID(), operation: 'issueRefund', employee_id: attendant.employeeId, occurred_at };
    const body = {
      sent_at: occurred_at,
      writes: [{ ...kept, body: { payment_id: 'p', type: 'FULL', reason: 'Cold' } }],
    };
    const answer = await server.call('POST', '/api/register/queue', { ...atRegister(device), body });
    return { status: 400, words: [answer.body.results[0].error.code] };
  },
  UNKNOWN_BODY_PARAMETER: () => ask('POST', '/v2/payments', { body: paymentBody({ foo: 1 }) }, strict),
  UNKNOWN_QUERY_PARAMETER: () => ask('GET', '/v2/payments?foo=1', {}, strict),
  CONFLICTING_PARAMETERS: () => tryToPay({ accept_partial_authorization: true }),
  async IDEMPOTENCY_KEY_REUSED() {
    await pay(server, merchant, { idempotency_key: 'once' });
    return tryToPay({ idempotency_key: 'once', amount_money: usd(7) });
  },
  CARD_TOKEN_USED: () => tryToPay({ source_id: 'cnon:card-nonce-already-used' }),
  INVALID_FEES: () => tryToPay({ app_fee_money: usd(1000) }),
  GIFT_CARD_AVAILABLE_AMOUNT: () => tryToPay({ source_id: 'cnon:gift-card-nonce-insufficient-funds' }),
  REFUND_AMOUNT_INVALID: async () => tryToRefund({ amount_money: usd(1001) }, (await pay(server, merchant)).id),
  PAYMENT_NOT_REFUNDABLE: async () => tryToRefund({}, (await pay(server, merchant, { autocomplete: false })).id),
  WRONG_STATE: async () => ask('POST', `/v2/payments/${(await pay(server, merchant)).id}/complete`),
  async VERSION_MISMATCH() {
    const { id } = await approve(server, merchant);
    return ask('POST', `/v2/payments/${id}/complete`, { body: { version_token: 'another' } });
  },
  async CONFLICT() {
    const email = `${randomUUID()}@example.com`;
    await server.createMerchant({ owner: { email, password: 'correct horse' } });
    return refuseMerchant({ owner: { email, password: 'correct horse' } });
  },
  NOT_FOUND: () => get('/v2/payments/nothing'),
  METHOD_NOT_ALLOWED: () => ask('DELETE', '/v2/payments'),
  NOT_IMPLEMENTED: () => ask('GET', '/v2/customers'),
  GONE: () => ask('GET', `/v1/${merchant.locationIds[0]}/bank-accounts`, {}, retired),
  // This is an error of the framework. Triggering it would take as long as its timeout.
  REQUEST_TIMEOUT: async () => {
    const { meaning, reason } = asRefusal({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }) ?? new Refusal('BAD_REQUEST');
    return { status: meaning.status, words: [reason] };
  },
  REQUEST_ENTITY_TOO_LARGE: () => ask('POST', '/v2/payments', { body: `{"note":"${'x'.repeat(3_000_000)}"}` }),
  REQUEST_HEADERS_TOO_LARGE: () => talk(`GET /v2/payments HTTP/1.1\r\nHost: x\r\nx: ${'x'.repeat(17 * 1024)}\r\n\r\n`),
  UNSUPPORTED_MEDIA_TYPE: () =>
    ask('POST', '/v2/payments', { body: 'x=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  RATE_LIMITED: () => underFault(429),
  INTERNAL_SERVER_ERROR: () => underFault(500),
  SERVICE_UNAVAILABLE: () => underFault(503),
  async TEMPORARY_ERROR() {
    const { id, token } = await server.createMerchant();
    await operate(`merchants/${id}/processor-rules`, { effect: 'TIME_OUT' });
    return ask('POST', '/v2/payments', { token, body: paymentBody() });
  },
};

describe('the catalogue of refusals', () => {
  it.each(refusalNames)('%s is returned by some request', async (name) => {
    const { meaning } = new Refusal(name);
    const { status, words, v1 } = await PRODUCED[name]();
    expect(status).toBe(v1 ? (meaning.v1.status ?? meaning.status) : meaning.status);
    expect(words).toContain(v1 ? meaning.v1.type : (meaning.code ?? name));
  });
});
