import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openStubFolder } from '../../../src/sandbox/stub-files.js';
import type { ApiResponse } from '../../support/http.js';
import { expectBooksInOrder, type Json, paymentBody } from '../../support/payments.js';
import { startProduction, startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
});
afterEach(async () => {
  expect((await server.operator('DELETE', '/api/sandbox/stubs')).status).toBe(200);
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const PATH = '/api/sandbox/stubs';
const tryToAdd = (stub: unknown) => server.operator('POST', PATH, { stub });

async function add(stub: Json): Promise<Json & { id: string }> {
  const answer = await tryToAdd(stub);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.stub;
}

const call = (method: string, path: string, body?: Json, { token }: { token?: string } = merchant) =>
  server.call(method, path, { ...(token !== undefined && { token }), ...(body && { body }) });
const get = (path: string, who?: { token?: string }) => call('GET', path, undefined, who);
const expectCode = ({ body, text }: ApiResponse, code: string) => expect(body.errors?.[0].code, text).toBe(code);
const listed = async (query = ''): Promise<Json[]> => (await server.operator('GET', PATH + query)).body.stubs;

describe('a stub', () => {
  it('answers a published operation that is missing, for a valid token', async () => {
    const missing = await get('/v2/customers/C1');
    expectCode(missing, 'NOT_IMPLEMENTED');
    expect(missing.body.errors[0].detail).toContain('/docs/guides/stubs');
    const stub = await add({
      merchant_id: merchant.id,
      request: { method: 'GET', path: '/v2/customers/{customer_id}' },
      response: { body: { customer: { id: '{{request.path.customer_id}}', merchant: '{{merchant.id}}' } } },
    });
    const answer = await get('/v2/customers/C%201?x=1');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['tillhouse-stub']).toBe(stub.id);
    expect(answer.headers['square-version']).toBe('2020-02-26');
    expect(answer.body).toEqual({ customer: { id: 'C 1', merchant: merchant.id } });
    expectCode(await get('/v2/customers/C1', { token: 'unknown' }), 'UNAUTHORIZED');
    const other = await server.createMerchant();
    expectCode(await get('/v2/customers/C1', other), 'NOT_IMPLEMENTED');
    expectCode(await call('DELETE', '/v2/customers/C1'), 'NOT_IMPLEMENTED');
  });

  it('answers instead of an operation, which then does nothing', async () => {
    await add({
      request: { method: 'POST', path: '/v2/payments', members: { 'amount_money.amount': 4242 } },
      response: { status: 402, body: { errors: [{ code: 'OUT_OF_STUBS', got: '{{request.body.amount_money}}' }] } },
    });
    const body = { ...paymentBody(), amount_money: { amount: 4242, currency: 'USD' } };
    const before = (await get('/v2/payments')).body.payments?.length ?? 0;
    const answer = await call('POST', '/v2/payments', body);
    expect(answer.status).toBe(402);
    expect(answer.body.errors[0].got).toEqual({ amount: 4242, currency: 'USD' });
    expect((await get('/v2/payments')).body.payments?.length ?? 0).toBe(before);
    expect((await call('POST', '/v2/payments', paymentBody())).status).toBe(200);
    expectCode(await call('POST', '/v2/payments', body, { token: 'wrong' }), 'UNAUTHORIZED');
  });

  it('answers paths that nobody knows: of all merchants without a credential, of one merchant with its own', async () => {
    await add({
      request: { path: '/rates/**' },
      response: { body: 'no JSON', headers: { 'X-Rate': '{{request.query.a}}' } },
    });
    const open = await get('/rates/2020/eur?a=1%0d%0aB', {});
    expect([open.status, open.text, open.headers['x-rate']]).toEqual([200, 'no JSON', '1  B']);
    expect(open.headers['content-type']).toBe('text/plain; charset=utf-8');
    await add({ merchant_id: merchant.id, request: { path: '/own' }, response: { status: 204 } });
    expect((await get('/own')).status).toBe(204);
    expect((await get('/own', {})).status).toBe(404);
    expect((await get('/own', { token: 'wrong' })).status).toBe(404);
  });

  it('matches query, headers and body, also of paths that nobody knows', async () => {
    await add({
      request: {
        method: 'POST',
        path: '/v2/lo*ty/*',
        query: { kind: { one_of: ['A', 'B'] }, gone: { present: false }, n: 5 },
        headers: { 'X-Client': { like: 'app/*.1' } },
        body: { list: [{ id: 1 }], nested: { a: null } },
        members: { 'list.0.name': { contains: 'mel' }, 'nested.b': { present: true } },
      },
      response: {
        body: { text: 'got {{request.body.list.0.id}} of {{request.headers.X-Client}}', none: '{{request.body.none}}' },
      },
    });
    const body = { list: [{ id: 1, name: 'Amelia' }], nested: { a: null, b: false }, more: 1 };
    const post = (path: string, sent: Json, client = 'app/2.1') =>
      server.call('POST', path, { token: merchant.token, body: sent, headers: { 'x-client': client } });
    const path = '/v2/loyalty/x?kind=B&n=5';
    expect((await post(path, body)).body).toEqual({ text: 'got 1 of app/2.1' });
    const others = [
      await post('/v2/loyalty/x?kind=C&n=5', body),
      await post('/v2/loyalty/x?kind=B&n=5&gone=', body),
      await post('/v2/loyalty/x?kind=B', body),
      await post('/v2/loyalty/?kind=B&n=5', body),
      await post(path, body, 'app/2.2'),
      await post(path, { ...body, list: [...body.list, {}] }),
      await post(path, { ...body, nested: { b: 1 } }),
      await post(path, { ...body, list: [{ id: 1, name: 'Bob' }] }),
    ];
    expect(others.map(({ status }) => status)).not.toContain(200);
  });

  it('is asked by priority, then the newest first, and answers as often as it says, through two servers too', async () => {
    const request = { path: '/v2/gift-cards' };
    const respond = (name: string) => ({ response: { body: { name } } });
    await add({ request, ...respond('first') });
    await add({ request, ...respond('twice'), times: 2 });
    await add({ request, ...respond('low'), priority: -1 });
    const second = await startTestServer({ databaseUrl: server.databaseUrl });
    const names: string[] = [];
    for (const at of [server, second, server, second]) {
      names.push((await at.call('GET', '/v2/gift-cards', { token: merchant.token })).body.name);
    }
    expect(names).toEqual(['twice', 'twice', 'first', 'first']);
    expect((await listed()).map(({ used }) => used)).toEqual([2, 2, 0]);
    await second.stop();
  });

  it('gives several responses one after the other, and repeats the last one', async () => {
    await add({
      request: { path: '/v2/terminals/checkouts/1' },
      responses: [{ body: { state: 'PENDING' }, delay_ms: 30 }, { body: { state: 'DONE', n: '{{used}}' } }],
      times: 3,
    });
    const bodies = [];
    for (let n = 0; n < 4; n += 1) bodies.push((await get('/v2/terminals/checkouts/1')).body);
    expect(bodies.slice(0, 3)).toEqual([{ state: 'PENDING' }, { state: 'DONE', n: 2 }, { state: 'DONE', n: 3 }]);
    expect(bodies[3].errors).toBeDefined();
  });

  it('is shown with the requests that it answered', async () => {
    const stub = await add({ request: { path: '/v2/customers' }, response: { body: { customer: { id: 'C' } } } });
    await call('POST', '/v2/customers', { given_name: 'Amelia' });
    await get('/v2/payments');
    const { requests } = (await server.operator('GET', `/api/sandbox/requests?stub=${stub.id}`)).body;
    expect(requests).toMatchObject([{ status: 200, stub: stub.id, merchant_id: merchant.id, path: '/v2/customers' }]);
    const { request } = (await server.operator('GET', `/api/sandbox/requests/${requests[0].id}`)).body;
    expect(JSON.parse(request.request_body.text)).toEqual({ given_name: 'Amelia' });
    expect(JSON.parse(request.response_body.text)).toEqual({ customer: { id: 'C' } });
    expect(request.notes.map(({ text }: Json) => text)).toEqual([`The response is that of the stub ${stub.id}.`]);
  });

  it('is removed alone, or with all of a merchant', async () => {
    const one = await add({ request: { path: '/a' }, response: {} });
    await add({ merchant_id: merchant.id, request: { path: '/b' }, response: {} });
    expect((await get('/a')).status).toBe(200);
    expect((await server.operator('DELETE', `${PATH}/${one.id}`)).status).toBe(200);
    expect((await get('/a')).status).toBe(404);
    expectCode(await server.operator('DELETE', `${PATH}/${one.id}`), 'NOT_FOUND');
    expect(await listed(`?merchant_id=${merchant.id}`)).toHaveLength(1);
    await server.operator('DELETE', `${PATH}?merchant_id=${merchant.id}`);
    expect(await listed()).toEqual([]);
    expect((await get('/b')).status).toBe(404);
  });

  it('of an unknown merchant is refused', async () => {
    expectCode(await tryToAdd({ merchant_id: 'NOBODY', request: { path: '/a' }, response: {} }), 'NOT_FOUND');
  });

  it('takes no body that is larger than any operation takes, and no broken one gets a 5xx', async () => {
    await add({ request: { method: 'POST', path: '/big' }, response: { body: { got: '{{request.body}}' } } });
    expect((await call('POST', '/big', { text: 'x'.repeat(1024 * 1024) })).status).toBe(413);
    const raw = async (body: string, type = 'application/json') =>
      (await fetch(`${server.baseUrl}/big`, { method: 'POST', body, headers: { 'content-type': type } })).text();
    expect(await raw('{"a":')).toBe('{"got":"{\\"a\\":"}');
    expect(await raw('a=1&b=2', 'application/x-www-form-urlencoded')).toBe('{"got":{"a":"1","b":"2"}}');
    expect(await raw('['.repeat(100))).toContain('EXPECTED_JSON_BODY');
    expect(await raw('')).toBe('{}');
  });
});

describe('the check of a stub', () => {
  const request = { path: '/a' };
  it.each<[unknown, string, string]>([
    [{}, 'request', 'MISSING_REQUIRED_PARAMETER'],
    [{ request }, 'response', 'MISSING_REQUIRED_PARAMETER'],
    [{ request: {}, response: {} }, 'request.path', 'MISSING_REQUIRED_PARAMETER'],
    [{ request, response: {}, responses: [{}] }, 'responses', 'CONFLICTING_PARAMETERS'],
    [{ request, respons: {} }, 'respons', 'INVALID_VALUE'],
    [{ request: { path: 'a' }, response: {} }, 'request.path', 'INVALID_VALUE'],
    [{ request: { path: '/a?b=1' }, response: {} }, 'request.path', 'INVALID_VALUE'],
    [{ request: { path: '/a/**/b' }, response: {} }, 'request.path', 'INVALID_VALUE'],
    [{ request: { path: '/a/x{b}' }, response: {} }, 'request.path', 'INVALID_VALUE'],
    [{ request: { path: '/{a}/{a}' }, response: {} }, 'request.path', 'INVALID_VALUE'],
    [{ request: { path: '/api/sandbox/stubs' }, response: {} }, 'request.path', 'INVALID_VALUE'],
    [{ request: { ...request, method: 'post' }, response: {} }, 'request.method', 'INVALID_VALUE'],
    [{ request: { ...request, query: { a: ['b'] } }, response: {} }, 'request.query.a', 'INVALID_VALUE'],
    [{ request: { ...request, query: { a: {} } }, response: {} }, 'request.query.a', 'VALUE_EMPTY'],
    [
      { request: { ...request, query: { a: { matches: 'x' } } }, response: {} },
      'request.query.a.matches',
      'INVALID_VALUE',
    ],
    [{ request, response: { status: 99 } }, 'response.status', 'VALUE_TOO_LOW'],
    [{ request, response: { status: '200' } }, 'response.status', 'EXPECTED_INTEGER'],
    [{ request, response: { status: 204, body: {} } }, 'response.body', 'CONFLICTING_PARAMETERS'],
    [{ request, response: { delay_ms: 60_001 } }, 'response.delay_ms', 'VALUE_TOO_HIGH'],
    [{ request, response: { headers: { 'content-length': '1' } } }, 'response.headers.content-length', 'INVALID_VALUE'],
    [{ request, response: { headers: { a: 'b\r\nc: d' } } }, 'response.headers.a', 'INVALID_VALUE'],
    [{ request, response: { headers: { 'a b': 'c' } } }, 'response.headers.a b', 'INVALID_VALUE'],
    [{ request, response: { body: { a: [{ b: '{{requst.body.c}}' }] } } }, 'response.body.a.0.b', 'INVALID_VALUE'],
    [{ request, responses: [{}, { status: 1000 }] }, 'responses.1.status', 'VALUE_TOO_HIGH'],
    [{ request, responses: [] }, 'responses', 'VALUE_EMPTY'],
    [{ request, response: {}, times: 0 }, 'times', 'VALUE_TOO_LOW'],
    [{ merchant_id: 5, request, response: {} }, 'merchant_id', 'EXPECTED_STRING'],
    [{ request: [], response: {} }, 'request', 'EXPECTED_OBJECT'],
  ])('names what is wrong with %j', async (stub, field, code) => {
    const answer = await tryToAdd(stub);
    expectCode(answer, code);
    expect(answer.body.errors[0].field).toBe(field);
    expect(answer.body.errors[0].detail).toContain(field);
  });
});

describe('a folder of stubs', () => {
  it('is in force from the start, survives a reset, and its place is taken by the next start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tillhouse-stubs-'));
    const write = (name: string, content: unknown) => writeFile(join(folder, name), JSON.stringify(content));
    const stub = (path: string) => ({ request: { path }, response: { body: { path } } });
    await write('a.json', stub('/file-a'));
    await write('b.json', [stub('/file-b'), stub('/file-c')]);
    await openStubFolder(server.database, folder);
    await add(stub('/added'));
    expect((await listed()).map(({ source }) => source)).toEqual([undefined, 'b.json', 'b.json', 'a.json']);
    await server.operator('DELETE', PATH);
    expect((await get('/file-c')).body).toEqual({ path: '/file-c' });
    expect((await listed()).map(({ used }) => used)).toEqual([1, 0, 0]);
    await write('b.json', [stub('/file-b'), { request: { path: '/x' }, response: { stauts: 1 } }]);
    await expect(openStubFolder(server.database, folder)).rejects.toThrow(
      /b\.json, stub 2: response\.stauts is not known/,
    );
    await openStubFolder(server.database, undefined);
    expect(await listed()).toEqual([]);
    await rm(folder, { recursive: true });
  });
});

describe('production', () => {
  it('has no stubs', async () => {
    const pair = await startProduction();
    const { status } = await pair.production.call('GET', PATH);
    expect(status).toBe(404);
    await pair.stop();
  });
});
