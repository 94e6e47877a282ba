/** The header `Square-Version` of responses (decision 0013). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
});
afterAll(() => server.stop());

const REQUESTS: [status: number, method: string, path: string, as: 'nobody' | 'merchant'][] = [
  [200, 'GET', '/v2/employees', 'merchant'],
  [200, 'GET', '/%76%32/employees', 'merchant'],
  [400, 'GET', '/v2/payments?limit=x', 'merchant'],
  [400, 'POST', '/v2/payments', 'merchant'],
  [404, 'GET', '/v2/payments/nothing', 'merchant'],
  [404, 'GET', '/v2/nowhere', 'merchant'],
  [405, 'DELETE', '/v2/payments', 'merchant'],
  [401, 'GET', '/v2/employees', 'nobody'],
  [401, 'GET', '/v2/nowhere', 'nobody'],
  [404, 'GET', '/v2/payments/%zz', 'merchant'],
];

async function versionOf([status, method, path, as]: (typeof REQUESTS)[number], version?: string) {
  const answer = await server.call(method, path, {
    ...(as === 'merchant' && { token: merchant.token }),
    headers: version === undefined ? {} : { 'square-version': version },
  });
  expect(answer.status, answer.text).toBe(status);
  return answer.headers['square-version'];
}

it.each(REQUESTS)('names the version that was asked for, with %i for %s %s by %s', async (...request) => {
  expect(await versionOf(request, '2024-01-18')).toBe('2024-01-18');
  expect(await versionOf(request, '2019-12-17')).toBe('2019-12-17');
  expect(await versionOf(request)).toBe('2020-02-26');
  expect(await versionOf(request, '')).toBe('2020-02-26');
});

it('names the default after a malformed version, and never repeats what is not a date', async () => {
  for (const version of ['yesterday', '2020-02-30', '2020-02-26, 2021-01-01']) {
    const headers = { 'square-version': version };
    const answer = await server.call('GET', '/v2/employees', { token: merchant.token, headers });
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'INVALID_SQUARE_VERSION_FORMAT']);
    expect(answer.headers['square-version']).toBe('2020-02-26');
  }
});

it('is not in responses of v1', async () => {
  const headers = { 'square-version': '2024-01-18' };
  const answer = await server.call('GET', '/v1/me/employees', { token: merchant.token, headers });
  expect([answer.status, answer.headers['square-version']]).toEqual([200, undefined]);
});
