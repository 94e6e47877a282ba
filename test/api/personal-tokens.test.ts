/** Personal tokens that the owner creates for the own business. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server);
});
afterAll(() => server.stop());

const PATH = '/api/dashboard/tokens';
const create = (body: Record<string, unknown>) => owner.call('POST', PATH, { body });
const find = async (id: string) =>
  (await owner.call('GET', PATH)).body.tokens.find((token: { id: string }) => token.id === id);

describe('a personal token', () => {
  it('works with its permissions in v1 and v2, shows its last use, and can be revoked', async () => {
    const answer = await create({ label: 'Books', permissions: ['EMPLOYEES_READ', 'EMPLOYEES_READ'] });
    expect(answer.status).toBe(200);
    const { token, access_token } = answer.body;
    expect(token).toMatchObject({ label: 'Books', permissions: ['EMPLOYEES_READ'] });
    expect(token.last_used_at).toBeUndefined();
    for (const path of ['/v1/me/employees', '/v2/employees']) {
      expect([path, (await server.call('GET', path, { token: access_token })).status]).toEqual([path, 200]);
    }
    expect((await server.call('GET', '/v2/payments', { token: access_token })).status).toBe(403);
    await expect.poll(async () => (await find(token.id)).last_used_at).toMatch(/^\d{4}-/);
    expect((await owner.call('GET', PATH)).text).not.toContain(access_token);
    expect((await owner.call('DELETE', `${PATH}/${token.id}`)).status).toBe(200);
    expect((await server.call('GET', '/v2/employees', { token: access_token })).status).toBe(401);
    const { audit_events } = (await owner.call('GET', '/api/dashboard/audit-events?kind=TOKEN_CREATED')).body;
    expect(audit_events[0]).toMatchObject({ details: { token_id: token.id, label: 'Books' } });
    expect(audit_events[0].account_id).toBeDefined();
  });

  it('expires when its owner said', async () => {
    const expires_at = new Date(Date.now() + 1500).toISOString();
    const { access_token } = (await create({ label: 'Short', permissions: ['EMPLOYEES_READ'], expires_at })).body;
    expect((await server.call('GET', '/v2/employees', { token: access_token })).status).toBe(200);
    await expect
      .poll(async () => (await server.call('GET', '/v2/employees', { token: access_token })).body.errors?.[0].code, {
        timeout: 5000,
      })
      .toBe('ACCESS_TOKEN_EXPIRED');
  });

  it.each([
    ['no label', { label: '', permissions: ['EMPLOYEES_READ'] }],
    ['a long label', { label: 'x'.repeat(300), permissions: ['EMPLOYEES_READ'] }],
    ['no permissions', { label: 'A', permissions: [] }],
    ['an unknown permission', { label: 'A', permissions: ['EVERYTHING'] }],
    ['an expiry in the past', { label: 'A', permissions: ['EMPLOYEES_READ'], expires_at: '2020-01-01T00:00:00Z' }],
    ['an expiry that is no time', { label: 'A', permissions: ['EMPLOYEES_READ'], expires_at: 'tomorrow' }],
  ])('is refused with %s', async (_, body) => {
    expect((await create(body)).status).toBe(400);
  });

  it('is refused after a hundred valid ones', async () => {
    owner = await createOwner(server);
    let last = await create({ label: 'One of many', permissions: ['EMPLOYEES_READ'] });
    for (let count = 0; count < 110 && last.status === 200; count++) {
      last = await create({ label: 'One of many', permissions: ['EMPLOYEES_READ'] });
    }
    expect([last.status, last.body.errors[0].code]).toEqual([409, 'CONFLICT']);
  });
});
