import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextPath } from '../support/http.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }] });
});
afterAll(() => server.stop());

const call = (method: string, path: string, body?: unknown) =>
  server.call(method, path, { token: merchant.token, body });

describe('v1.createEmployee', () => {
  it('answers the employee, INACTIVE, with both lists present (spec 3)', async () => {
    const answer = await call('POST', '/v1/me/employees', { first_name: 'Ana', last_name: 'Ruiz' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      first_name: 'Ana',
      last_name: 'Ruiz',
      role_ids: [],
      authorized_location_ids: [],
      status: 'INACTIVE',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: answer.body.created_at,
    });
  });
});

describe('v1.listEmployees', () => {
  it('pages by Link until there is none', async () => {
    const own = await server.createMerchant();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const first_name of names) {
      await server.call('POST', '/v1/me/employees', { token: own.token, body: { first_name, last_name: 'x' } });
    }
    const seen: string[] = [];
    let path: string | undefined = '/v1/me/employees?limit=2';
    while (path) {
      const answer = await server.call('GET', path, { token: own.token });
      expect(answer.status).toBe(200);
      seen.push(...answer.body.map(({ first_name }: { first_name: string }) => first_name));
      path = nextPath(answer);
    }
    expect(seen).toEqual(names);
  });
});
