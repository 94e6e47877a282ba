import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../../support/clock.js';
import type { ApiResponse } from '../../support/http.js';
import { expectBooksInOrder, expectRefusal, type Json, paymentBody } from '../../support/payments.js';
import { startProduction, startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
});
afterEach(async () => {
  expect((await server.operator('DELETE', '/api/sandbox/faults')).status).toBe(200);
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const tryToAdd = (fault: Json) => server.operator('POST', '/api/sandbox/faults', fault);

async function add(fault: Json): Promise<Json & { id: string }> {
  const answer = await tryToAdd(fault);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.fault;
}

async function faultsOf(who?: TestMerchant): Promise<Json[]> {
  return (await server.operator('GET', `/api/sandbox/faults${who ? `?merchant_id=${who.id}` : ''}`)).body.faults;
}

const get = (path: string, { token }: TestMerchant = merchant, at = server) => at.call('GET', path, { token });
const pay = (body: Json, { token }: TestMerchant = merchant) => server.call('POST', '/v2/payments', { token, body });
const faultIn = ({ headers }: ApiResponse) => headers['tillhouse-fault'];

async function paymentsOf({ token }: TestMerchant): Promise<Json[]> {
  return (await server.call('GET', '/v2/payments', { token })).body.payments ?? [];
}

describe('sandbox.addFault', () => {
  it('returns the fault, and the list shows it until it is used up, oldest first', async () => {
    const first = await add({ merchant_id: merchant.id, effect: 'STATUS', status: 503, times: 2 });
    expect(first).toEqual({
      id: expect.any(String),
      merchant_id: merchant.id,
      effect: 'STATUS',
      status: 503,
      remaining: 2,
    });
    const second = await add({ operation: 'v2.listEmployees', effect: 'DELAY', min_delay_ms: 0, max_delay_ms: 3 });
    expect(second).toEqual({
      id: expect.any(String),
      operation: 'v2.listEmployees',
      effect: 'DELAY',
      min_delay_ms: 0,
      max_delay_ms: 3,
      remaining: 1,
    });
    const third = await add({ effect: 'DELAY', delay_ms: 1 });
    expect(third).toEqual({ id: expect.any(String), effect: 'DELAY', delay_ms: 1, remaining: 1 });
    expect(await faultsOf()).toEqual([first, second, third]);
    expect(await faultsOf(merchant)).toEqual([first]);
    const answers = [await get('/v1/me'), await get('/v1/me'), await get('/v1/me')];
    expect(answers.map(faultIn)).toEqual([`${first.id} STATUS`, `${first.id} STATUS`, `${third.id} DELAY`]);
    expect(await faultsOf()).toEqual([second]);
  });

  it.each<[Json, string, string]>([
    [{ effect: 'EXPLODE' }, 'effect', 'INVALID_ENUM_VALUE'],
    [{}, 'effect', 'MISSING_REQUIRED_PARAMETER'],
    [{ effect: 'STATUS' }, 'status', 'MISSING_REQUIRED_PARAMETER'],
    [{ effect: 'STATUS', status: 399 }, 'status', 'VALUE_TOO_LOW'],
    [{ effect: 'STATUS', status: 600 }, 'status', 'VALUE_TOO_HIGH'],
    [{ effect: 'SLOW_BODY' }, 'delay_ms', 'MISSING_REQUIRED_PARAMETER'],
    [{ effect: 'SLOW_BODY', delay_ms: 60_001 }, 'delay_ms', 'VALUE_TOO_HIGH'],
    [{ effect: 'STATUS', status: 500, retry_after_seconds: 1 }, 'retry_after_seconds', 'CONFLICTING_PARAMETERS'],
    [{ effect: 'STATUS', status: 429, delay_ms: 1 }, 'delay_ms', 'CONFLICTING_PARAMETERS'],
    [{ effect: 'DELAY' }, 'delay_ms', 'MISSING_REQUIRED_PARAMETER'],
    [{ effect: 'DELAY', min_delay_ms: 1 }, 'delay_ms', 'MISSING_REQUIRED_PARAMETER'],
    [{ effect: 'DELAY', delay_ms: 60_001 }, 'delay_ms', 'VALUE_TOO_HIGH'],
    [{ effect: 'DELAY', delay_ms: 1, max_delay_ms: 2 }, 'max_delay_ms', 'CONFLICTING_PARAMETERS'],
    [{ effect: 'DELAY', min_delay_ms: 2, max_delay_ms: 1 }, 'max_delay_ms', 'VALUE_TOO_LOW'],
    [{ effect: 'RESET_AFTER', status: 500 }, 'status', 'CONFLICTING_PARAMETERS'],
    [{ effect: 'RESET_BEFORE', times: 0 }, 'times', 'VALUE_TOO_LOW'],
    [{ effect: 'RESET_BEFORE', operation: 'v2.payForMe' }, 'operation', 'INVALID_VALUE'],
    [{ effect: 'RESET_BEFORE', operation: 'sandbox.clearFaults' }, 'operation', 'INVALID_VALUE'],
  ])('refuses %j, naming %s, and keeps nothing', async (fault, field, code) => {
    expectRefusal(await tryToAdd(fault), { code, field });
    expect(await faultsOf()).toEqual([]);
  });

  it('refuses an unknown merchant', async () => {
    const answer = await tryToAdd({ merchant_id: 'MNOBODY', effect: 'RESET_BEFORE' });
    expectRefusal(answer, { status: 404, code: 'NOT_FOUND', says: ['MNOBODY'] });
  });
});

describe('sandbox.clearFaults', () => {
  it('removes the faults of one merchant, or all, immediately', async () => {
    const other = await server.createMerchant();
    await add({ merchant_id: merchant.id, effect: 'STATUS', status: 500, times: 9 });
    await add({ merchant_id: other.id, effect: 'STATUS', status: 500, times: 9 });
    const everyone = await add({ operation: 'v2.listLocations', effect: 'STATUS', status: 500, times: 9 });
    expect((await get('/v1/me')).status).toBe(500);
    await server.operator('DELETE', `/api/sandbox/faults?merchant_id=${merchant.id}`);
    expect((await get('/v1/me')).status).toBe(200);
    expect((await get('/v1/me', other)).status).toBe(500);
    expect((await faultsOf()).map(({ id }) => id)).toEqual([expect.any(String), everyone.id]);
    await server.operator('DELETE', '/api/sandbox/faults');
    expect((await get('/v1/me', other)).status).toBe(200);
    expect((await get('/v2/locations')).status).toBe(200);
    expect(await faultsOf()).toEqual([]);
  });
});

describe('a fault', () => {
  it.each([
    [429, 'RATE_LIMITED', 'RATE_LIMIT_ERROR', 'rate_limited', '1'],
    [500, 'INTERNAL_SERVER_ERROR', 'API_ERROR', 'internal_server_error', undefined],
    [503, 'SERVICE_UNAVAILABLE', 'API_ERROR', 'service_unavailable', undefined],
    [404, 'NOT_FOUND', 'INVALID_REQUEST_ERROR', 'not_found', undefined],
    [418, 'BAD_REQUEST', 'INVALID_REQUEST_ERROR', 'bad_request', undefined],
    [422, 'BAD_REQUEST', 'INVALID_REQUEST_ERROR', 'unprocessable_entity', undefined],
    [502, 'BAD_GATEWAY', 'API_ERROR', 'bad_gateway', undefined],
    [599, 'INTERNAL_SERVER_ERROR', 'API_ERROR', 'internal_server_error', undefined],
  ])('with status %i has the error format of its generation', async (status, code, category, type, retryAfter) => {
    const { id } = await add({ merchant_id: merchant.id, effect: 'STATUS', status, times: 2 });
    const v2 = await get('/v2/payments');
    expectRefusal(v2, { status, code, category });
    const v1 = await get('/v1/me/employees');
    expect([v1.status, v1.body]).toEqual([status, { type, message: expect.any(String) }]);
    for (const answer of [v1, v2]) {
      expect(faultIn(answer)).toBe(`${id} STATUS`);
      expect(answer.headers['retry-after']).toBe(retryAfter);
    }
    const unaffected = await get('/v2/payments');
    expect([unaffected.status, faultIn(unaffected)]).toEqual([200, undefined]);
  });

  it('sends the given Retry-After', async () => {
    await add({ effect: 'STATUS', status: 429, retry_after_seconds: 30 });
    await add({ effect: 'STATUS', status: 503, retry_after_seconds: 0 });
    expect((await get('/v1/me')).headers['retry-after']).toBe('30');
    expect((await get('/v1/me')).headers['retry-after']).toBe('0');
  });

  it('with a status has no other effect, and applies only to its operation and its merchant', async () => {
    const own = await server.createMerchant();
    await add({ merchant_id: own.id, operation: 'v2.createPayment', effect: 'STATUS', status: 503 });
    expect((await get('/v2/payments', own)).status).toBe(200);
    expect((await pay(paymentBody())).status).toBe(200);
    const body = paymentBody();
    expect((await pay(body, own)).status).toBe(503);
    expect(await paymentsOf(own)).toEqual([]);
    expect((await pay(body, own)).status).toBe(200);
  });

  it('delays the response by the given time, or by a time between two limits, and then returns the real response', async () => {
    const { id } = await add({ effect: 'DELAY', delay_ms: 150 });
    const startedAt = performance.now();
    const answer = await get('/v1/me');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(149);
    expect([answer.status, answer.body.id, faultIn(answer)]).toEqual([200, merchant.id, `${id} DELAY`]);
    await add({ effect: 'DELAY', min_delay_ms: 50, max_delay_ms: 51 });
    const again = performance.now();
    await get('/v1/me');
    expect(performance.now() - again).toBeGreaterThanOrEqual(49);
  });

  it.each(['/v1/me', '/v2/locations', '/v2/payments/unknown'])(
    'sends the headers of GET %s at once and the body, which is the usual one, over the given time',
    async (path) => {
      const usual = await get(path);
      const { id } = await add({ effect: 'SLOW_BODY', delay_ms: 300 });
      const headers = { authorization: `Bearer ${merchant.token}` };
      const startedAt = performance.now();
      const answer = await fetch(`${server.baseUrl}${path}`, { headers });
      const headAfter = performance.now() - startedAt;
      const text = await answer.text();
      const bodyAfter = performance.now() - startedAt;
      expect([answer.status, answer.headers.get('tillhouse-fault')]).toEqual([usual.status, `${id} SLOW_BODY`]);
      expect(text).toBe(usual.text);
      expect(bodyAfter).toBeGreaterThanOrEqual(299);
      expect(bodyAfter - headAfter).toBeGreaterThan(150);
    },
  );

  it.each(['/v1/me', '/v2/locations', '/v2/payments/unknown'])(
    'sends the half of the response to GET %s and then resets the connection',
    async (path) => {
      const usual = await get(path);
      const { id } = await add({ effect: 'RESET_DURING' });
      const [status, fault, received, code] = await new Promise<unknown[]>((resolve, reject) => {
        const headers = { authorization: `Bearer ${merchant.token}` };
        const sent = request(`${server.baseUrl}${path}`, { headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece) => {
            text += piece;
          });
          response.on('error', (error: NodeJS.ErrnoException) =>
            resolve([response.statusCode, response.headers['tillhouse-fault'], text, error.code]),
          );
        });
        sent.on('error', reject).end();
      });
      expect([status, fault, code]).toEqual([usual.status, `${id} RESET_DURING`, 'ECONNRESET']);
      expect(received).toBe(usual.text.slice(0, Math.floor(usual.text.length / 2)));
    },
  );

  it('is not used up by pages and commands of Tillhouse, nor by what the console sends again', async () => {
    const own = await server.createMerchant();
    const { id } = await add({ merchant_id: own.id, effect: 'STATUS', status: 503 });
    const sentBy = (sender: string) =>
      server.call('GET', '/v1/me', { token: own.token, headers: { 'tillhouse-sent-by': sender } });
    for (const sender of ['console', 'docs', 'command', 'mcp', 'trigger'])
      expect((await sentBy(sender)).status).toBe(200);
    const refused = await sentBy('somebody');
    expect([refused.status, faultIn(refused)]).toEqual([503, `${id} STATUS`]);
    await add({ merchant_id: own.id, effect: 'STATUS', status: 503 });
    const path = `/api/sandbox/requests/${refused.headers['x-request-id']}/resend`;
    expect((await server.operator('POST', path)).body.request.status).toBe(200);
    expect((await get('/v1/me', own)).status).toBe(503);
  });

  it.each(['GET /v2/payments', 'GET /v1/me', 'GET /v1/me/employees', 'POST /v2/payments'])(
    'closes the connection of %s before or after the operation, without sending a byte',
    async (name) => {
      const [method = '', path = ''] = name.split(' ');
      for (const effect of ['RESET_BEFORE', 'RESET_AFTER']) {
        await add({ merchant_id: merchant.id, effect });
        const body = method === 'POST' ? paymentBody() : undefined;
        await expect(server.call(method, path, { token: merchant.token, body })).rejects.toMatchObject({
          code: 'ECONNRESET',
        });
        expect((await server.call(method, path, { token: merchant.token, body })).status).toBe(200);
      }
    },
  );

  it('that disconnects before has no effect; one that disconnects after has the full effect, and a retry with the key returns it', async () => {
    const own = await server.createMerchant();
    const body = paymentBody();
    await add({ merchant_id: own.id, operation: 'v2.createPayment', effect: 'RESET_BEFORE' });
    await expect(pay(body, own)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await paymentsOf(own)).toEqual([]);
    await add({ merchant_id: own.id, operation: 'v2.createPayment', effect: 'RESET_AFTER' });
    await expect(pay(body, own)).rejects.toMatchObject({ code: 'ECONNRESET' });
    const [made, ...others] = await paymentsOf(own);
    expect(others).toEqual([]);
    const again = await pay(body, own);
    expect([again.status, again.body.payment.id]).toEqual([200, made?.['id']]);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('closes the connection after a refusal too', async () => {
    await add({ effect: 'RESET_AFTER' });
    await expect(pay({ idempotency_key: randomUUID() })).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await pay({ idempotency_key: randomUUID() })).status).toBe(400);
  });

  it('applies after authentication and permission checks, and a failed check does not use it up', async () => {
    const token = await server.createToken(merchant.id, ['EMPLOYEES_READ']);
    const fault = await add({ effect: 'STATUS', status: 500 });
    expect((await server.call('GET', '/v2/payments', { token: 'nobody' })).status).toBe(401);
    expect((await server.call('GET', '/v2/payments', { token })).status).toBe(403);
    expect((await server.call('POST', '/v2/payments', { token: merchant.token, body: '{"bro' })).status).toBe(400);
    expect(await faultsOf()).toEqual([fault]);
    expect((await server.call('GET', '/v2/employees', { token })).status).toBe(500);
  });

  it('for all merchants applies to requests without a known merchant; a fault of one merchant does not', async () => {
    const body = { client_id: 'nobody', grant_type: 'authorization_code', code: 'x', client_secret: 'x' };
    const obtain = () => server.call('POST', '/oauth2/token', { body });
    await add({ merchant_id: merchant.id, effect: 'STATUS', status: 503 });
    expect((await obtain()).status).not.toBe(503);
    await add({ operation: 'oauth2.obtainToken', effect: 'STATUS', status: 503 });
    expect([(await obtain()).body.type, (await obtain()).status]).toEqual(['service_unavailable', 401]);
  });

  it('keeps the headers of deprecated operations', async () => {
    await add({ operation: 'v1.listTimecards', effect: 'STATUS', status: 500 });
    const answer = await get('/v1/me/timecards');
    expect([answer.status, answer.headers['deprecation']]).toEqual([500, '@1582675200']);
  });
});

describe('a fault with a number of times', () => {
  it('applies to exactly that many of many concurrent requests to two servers', async () => {
    const other = await startTestServer({ databaseUrl: server.databaseUrl });
    try {
      const own = await server.createMerchant();
      await add({ merchant_id: own.id, effect: 'STATUS', status: 503, times: 7 });
      await add({ effect: 'STATUS', status: 429, times: 3 });
      const seen = await pollUntil(
        () => get('/v1/me', own, other),
        ({ status }) => status === 503,
        1000,
      );
      expect(seen.status).toBe(503);
      const crowd = Array.from({ length: 40 }, (_, index) => get('/v1/me', own, index % 2 === 0 ? server : other));
      const statuses = (await Promise.all(crowd)).map(({ status }) => status);
      const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
      expect([count(503), count(429), count(200)]).toEqual([6, 3, 31]);
      expect(await faultsOf()).toEqual([]);
    } finally {
      await other.stop();
    }
  });
});

describe('a server that stops', () => {
  it('does not wait for a delay: delayed requests get their response immediately', async () => {
    const own = await startTestServer();
    const { token } = await own.createMerchant();
    await own.operator('POST', '/api/sandbox/faults', { effect: 'DELAY', delay_ms: 60_000 });
    const waiting = own.call('GET', '/v1/me', { token });
    const isUsedUp = async () => (await own.operator('GET', '/api/sandbox/faults')).body.faults.length === 0;
    expect(await pollUntil(isUsedUp, Boolean, 10_000)).toBe(true);
    const startedAt = performance.now();
    await own.stop();
    expect((await waiting).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });
});

describe('production', () => {
  it('ignores faults, even those in its database', async () => {
    const { production, sandbox, stop } = await startProduction();
    try {
      await sandbox.operator('POST', '/api/sandbox/faults', { effect: 'STATUS', status: 500, times: 5 });
      const answer = await get('/v1/me', await sandbox.createMerchant(), production);
      expect([answer.status, faultIn(answer)]).toEqual([200, undefined]);
      expect((await production.operator('GET', '/api/sandbox/faults')).status).toBe(404);
    } finally {
      await stop();
    }
  });
});
