/** What a sandbox says of fields and parameters that an operation does not have (decision 0266). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../../support/http.js';
import { expectRefusal, type Json, paymentBody, usd } from '../../support/payments.js';
import { startProduction, startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
let strict: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  strict = await startTestServer({ databaseUrl: server.databaseUrl, config: { strict: true } });
  merchant = await server.createMerchant();
});
afterAll(async () => {
  await strict.stop();
  await server.stop();
});

const send = (method: string, path: string, body?: unknown, at = server): Promise<ApiResponse> =>
  at.call(method, path, { token: merchant.token, ...(body !== undefined && { body }) });

const payWith = (change: Json, at = server) => send('POST', '/v2/payments', paymentBody(change), at);

const ignoredBy = ({ headers }: ApiResponse): unknown => headers['tillhouse-ignored'];

describe('a sandbox', () => {
  it.each<[string, Json, string | undefined]>([
    ['a misspelt field', { ammount_money: usd(1) }, 'body.ammount_money'],
    ['a field inside of another', { tip_money: { ...usd(1), currancy: 'USD' } }, 'body.tip_money.currancy'],
    [
      'several',
      { foo: 1, billing_address: { street: 'x' }, bar: {} },
      'body.billing_address.street, body.foo, body.bar',
    ],
    ['a published field that is not implemented', { cash_details: {} }, 'body.cash_details'],
    ['a name of objects', { constructor: 1, __proto__x: 1 }, 'body.constructor, body.__proto__x'],
    ['letters that no header has', { 'a, b%ü\n': 1 }, 'body.a%2C%20b%25%C3%BC%0A'],
    ['null, because clients print it for what is not set', { foo: null }, undefined],
    ['nothing', {}, undefined],
  ])('names what it ignored of a body: %s', async (_, change, expected) => {
    const answer = await payWith(change);
    expect([answer.status, new Set(String(ignoredBy(answer)).split(', '))]).toEqual([
      200,
      new Set(String(expected).split(', ')),
    ]);
  });

  it('names what it ignored in the elements of a list once, by the name of the list', async () => {
    const query = { filter: { location_ids: [], bar: 1 }, sorts: [{ x: 1 }] };
    const answer = await send('POST', '/v2/labor/shifts/search', { query, cursors: 'x' });
    expect(ignoredBy(answer)).toBe('body.query.filter.bar, body.query.sorts, body.cursors');
    const events = await send('PUT', `/v1/${merchant.locationIds[0]}/webhooks`, [[{}]]);
    expect(ignoredBy(events)).toBeUndefined();
  });

  it.each([
    ['/v2/payments?beginn_time=2020-01-01T00:00:00Z&limit=1', 'query.beginn_time'],
    ['/v2/payments?cursor=&sort_order=ASC', undefined],
    ['/v2/locations?foo=1&bar=', 'query.foo, query.bar'],
    ['/v1/me/employees?order=ASC&statuss=ACTIVE', 'query.statuss'],
  ])('names the parameters that it ignored: %s', async (path, expected) => {
    const answer = await send('GET', path);
    expect([answer.status, ignoredBy(answer)]).toEqual([200, expected]);
  });

  it('says it also in a refusal, and of a body that the operation does not read', async () => {
    const refused = await payWith({ amount_money: undefined, ammount_money: usd(1) });
    expect([refused.status, ignoredBy(refused)]).toEqual([400, 'body.ammount_money']);
    const { id } = (await payWith({ autocomplete: false })).body.payment;
    expect(ignoredBy(await send('POST', `/v2/payments/${id}/cancel`, { reason: 'x' }))).toBe('body.reason');
  });

  it('says at most ten names, each of at most 64 letters', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${'x'.repeat(100)}${index}`, 1]));
    const names = String(ignoredBy(await payWith(many))).split(', ');
    expect([names.length, new Set(names)]).toEqual([10, new Set([`body.${'x'.repeat(64)}`])]);
  });

  it('says nothing of fields that a client has read and sends back with the whole record', async () => {
    const employee = (await send('POST', '/v1/me/employees', { first_name: 'Ana', last_name: 'Ruiz' })).body;
    const changed = await send('PUT', `/v1/me/employees/${employee.id}`, { ...employee, first_name: 'Eva' });
    expect([changed.status, changed.body.first_name, ignoredBy(changed)]).toEqual([200, 'Eva', undefined]);
    const misspelt = await send('PUT', `/v1/me/employees/${employee.id}`, { ...employee, first_nam: 'Eva' });
    expect(ignoredBy(misspelt)).toBe('body.first_nam');
  });

  it('says nothing of its own surfaces', async () => {
    const answer = await server.operator('GET', '/api/sandbox/merchants?foo=1');
    expect([answer.status, ignoredBy(answer)]).toEqual([200, undefined]);
  });

  it('shows it in the log of requests', async () => {
    const { headers } = await payWith({ ammount_money: usd(1), foo: 1 });
    const { body } = await server.operator('GET', `/api/sandbox/requests/${headers['x-request-id']}`);
    expect(body.request.ignored).toEqual(['body.ammount_money', 'body.foo']);
    const text = expect.stringContaining('v2.createPayment does not know body.ammount_money and body.foo');
    expect(body.request.notes).toContainEqual({ tone: 'warning', text });
    const list = await server.operator('GET', `/api/sandbox/requests?merchant_id=${merchant.id}&limit=1`);
    expect(list.body.requests[0].ignored).toEqual(['body.ammount_money', 'body.foo']);
  });
});

describe('a strict sandbox', () => {
  it('refuses a field with the nearest known name, and makes nothing', async () => {
    const key = 'strict-1';
    const answer = await payWith({ idempotency_key: key, ammount_money: usd(1) }, strict);
    const says = ['v2.createPayment has no field ammount_money. Did you mean amount_money'];
    expectRefusal(answer, { code: 'UNKNOWN_BODY_PARAMETER', field: 'ammount_money', says });
    expect(ignoredBy(answer)).toBe('body.ammount_money');
    expect((await payWith({ idempotency_key: key }, strict)).headers['idempotency-replayed']).toBeUndefined();
  });

  it('refuses a parameter, and names all that it does not know', async () => {
    const answer = await send('GET', '/v2/payments?beginn_time=x&foo_bar_baz=1', undefined, strict);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      {
        category: 'INVALID_REQUEST_ERROR',
        code: 'UNKNOWN_QUERY_PARAMETER',
        field: 'beginn_time',
        detail: 'v2.listPayments has no parameter beginn_time. Did you mean begin_time or end_time?',
      },
      {
        category: 'INVALID_REQUEST_ERROR',
        code: 'UNKNOWN_QUERY_PARAMETER',
        field: 'foo_bar_baz',
        detail: 'v2.listPayments has no parameter foo_bar_baz.',
      },
    ]);
  });

  it('refuses in the format of v1 and OAuth', async () => {
    const employee = await send('POST', '/v1/me/employees', { first_name: 'A', last_name: 'B', lastname: 'B' }, strict);
    expect([employee.status, employee.body]).toEqual([
      400,
      {
        type: 'bad_request.invalid_parameter',
        message: 'v1.createEmployee has no field lastname. Did you mean last_name or first_name?',
        field: 'lastname',
      },
    ]);
    const token = await strict.call('POST', '/oauth2/token', { body: { client_id: 'x', grant_typ: 'refresh_token' } });
    expect([token.status, token.body.field]).toEqual([400, 'grant_typ']);
  });

  it('takes a whole record that a client sends back, and what clients print as null', async () => {
    const created = await send(
      'POST',
      '/v1/me/employees',
      { id: null, first_name: 'A', last_name: 'B', foo: null },
      strict,
    );
    expect(created.status).toBe(200);
    const changed = await send('PUT', `/v1/me/employees/${created.body.id}`, created.body, strict);
    expect([changed.status, changed.body.first_name]).toEqual([200, 'A']);
  });

  it('still requires a token first', async () => {
    const answer = await strict.call('POST', '/v2/payments', { token: 'nobody', body: { foo: 1 } });
    expect(answer.status).toBe(401);
  });
});

describe('production', () => {
  it('ignores unknown fields as the contract says, without a word', async () => {
    const { production, sandbox, stop } = await startProduction();
    try {
      const { token } = await sandbox.createMerchant();
      const answer = await production.call('GET', '/v2/locations?foo=1', { token });
      expect([answer.status, ignoredBy(answer)]).toEqual([200, undefined]);
    } finally {
      await stop();
    }
  });
});
