/** Employees in the dashboard: only here does the status of an employee change (contract 3). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../support/clock.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { createEmployee, createEmployees } from '../support/employees.js';
import { CLIENT_STYLES, idsOf, walkV2 } from '../support/lists.js';
import { startTestServer, type TestServer } from '../support/server.js';

const EMPLOYEES = '/api/dashboard/employees';
const START = '2020-02-26T10:00:00Z';
const LATER = '2020-02-26T11:00:00Z';
const MISSING_ID = '018f3c0d-0e11-7222-8333-444455556666';

let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server);
});
afterAll(() => server.stop());

const names = (count: number) => Array.from({ length: count }, (_, index) => ({ first_name: `n${index}` }));

/** The same employee in both generations. */
async function seen(of: TestOwner, id: string) {
  const get = async (path: string) => (await server.call('GET', path, { token: of.merchant.token })).body;
  return { v1: await get(`/v1/me/employees/${id}`), v2: (await get(`/v2/employees/${id}`)).employee };
}

describe('dashboard.activateEmployee and dashboard.deactivateEmployee', () => {
  it('change the status and updated_at, visible in both generations', async () => {
    const own = await createOwner(server, { clock: { now: START, frozen: true } });
    const employee = await createEmployee(server, own.merchant, { email: 'ana@example.com' });
    await changeClock(server, own.merchant.id, { now: LATER });
    const activated = await own.call('POST', `${EMPLOYEES}/${employee.id}/activate`);
    expect(activated.status).toBe(200);
    expect(activated.body.employee).toMatchObject({ id: employee.id, status: 'ACTIVE', updated_at: LATER });
    const { v1, v2 } = await seen(own, employee.id);
    expect(v1).toEqual({ ...employee, status: 'ACTIVE', updated_at: LATER });
    expect(v2).toEqual(activated.body.employee);

    await changeClock(server, own.merchant.id, { advance: 'PT1H' });
    const deactivated = await own.call('POST', `${EMPLOYEES}/${employee.id}/deactivate`);
    expect(deactivated.body.employee).toMatchObject({ status: 'INACTIVE', updated_at: '2020-02-26T12:00:00Z' });
    expect((await seen(own, employee.id)).v1.status).toBe('INACTIVE');
  });

  it.each([
    ['activate', 'ACTIVE'],
    ['deactivate', 'INACTIVE'],
  ])('%s keeps updated_at if nothing changes', async (verb, status) => {
    const own = await createOwner(server, { clock: { now: START, frozen: true } });
    const { id } = await createEmployee(server, own.merchant);
    await own.call('POST', `${EMPLOYEES}/${id}/${verb}`);
    await changeClock(server, own.merchant.id, { now: LATER });
    const answer = await own.call('POST', `${EMPLOYEES}/${id}/${verb}`);
    expect([answer.status, answer.body.employee.status, answer.body.employee.updated_at]).toEqual([200, status, START]);
  });

  it('are the only operations that change a status: writes of both generations do not', async () => {
    const { token } = owner.merchant;
    const { id } = await createEmployee(server, owner.merchant, { status: 'ACTIVE' });
    expect((await seen(owner, id)).v1.status).toBe('INACTIVE');
    await server.call('PUT', `/v1/me/employees/${id}`, { token, body: { status: 'ACTIVE', first_name: 'B' } });
    expect((await seen(owner, id)).v1.status).toBe('INACTIVE');
    await owner.call('POST', `${EMPLOYEES}/${id}/activate`);
    await server.call('PUT', `/v1/me/employees/${id}`, { token, body: { status: 'INACTIVE', first_name: 'C' } });
    const { v1, v2 } = await seen(owner, id);
    expect([v1.status, v2.status, v1.first_name]).toEqual(['ACTIVE', 'ACTIVE', 'C']);
    expect((await server.call('PUT', `/v2/employees/${id}`, { token, body: { status: 'INACTIVE' } })).status).toBe(405);
  });

  it.each(['activate', 'deactivate'])('%s returns 404 for an invalid or unknown id', async (verb) => {
    for (const id of [MISSING_ID, 'nobody', '%00']) {
      const answer = await owner.call('POST', `${EMPLOYEES}/${id}/${verb}`);
      expect([answer.status, answer.body.errors[0].code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  it("return 404 for another merchant's employee, and change nothing (decision 0015)", async () => {
    const other = await createOwner(server);
    const { id } = await createEmployee(server, other.merchant);
    const theirs = await owner.call('POST', `${EMPLOYEES}/${id}/activate`);
    const missing = await owner.call('POST', `${EMPLOYEES}/${MISSING_ID}/activate`);
    expect(theirs.status).toBe(404);
    expect(theirs.text.replaceAll(id, 'ID')).toBe(missing.text.replaceAll(MISSING_ID, 'ID'));
    expect((await seen(other, id)).v1.status).toBe('INACTIVE');
  });

  it('require a session: an access token of the same merchant is refused, and nothing changes', async () => {
    const { id } = await createEmployee(server, owner.merchant);
    for (const options of [{}, { token: owner.merchant.token }, { headers: { cookie: 'tillhouse_session=guess' } }]) {
      expect((await server.call('POST', `${EMPLOYEES}/${id}/activate`, options)).status).toBe(401);
    }
    expect((await seen(owner, id)).v1.status).toBe('INACTIVE');
  });

  it("refuse a foreign Origin and change nothing, and accept the server's own (decision 0053)", async () => {
    const { id } = await createEmployee(server, owner.merchant);
    const activate = (origin: string) => owner.call('POST', `${EMPLOYEES}/${id}/activate`, { headers: { origin } });
    expect((await activate('https://evil.example')).status).toBe(403);
    expect((await seen(owner, id)).v1.status).toBe('INACTIVE');
    expect((await activate(server.baseUrl)).status).toBe(200);
    expect((await seen(owner, id)).v1.status).toBe('ACTIVE');
  });

  it('support POST only', async () => {
    const answer = await owner.call('GET', `${EMPLOYEES}/${MISSING_ID}/activate`);
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
  });
});

describe('dashboard.listEmployees', () => {
  it('returns what v2 returns and more, oldest first, and filters by status', async () => {
    const own = await createOwner(server);
    const [a, b] = await createEmployees(server, own.merchant, names(2));
    await own.call('POST', `${EMPLOYEES}/${b?.id}/activate`);
    const list = async (query: string) => (await own.call('GET', `${EMPLOYEES}${query}`)).body;
    const v2 = (await server.call('GET', '/v2/employees', { token: own.merchant.token })).body;
    expect(await list('')).toMatchObject(v2);
    expect(idsOf((await list('?status=ACTIVE')).employees)).toEqual([b?.id]);
    expect(idsOf((await list('?status=INACTIVE')).employees)).toEqual([a?.id]);
  });

  it.each([
    ['status=GONE', 'INVALID_ENUM_VALUE', 'status'],
    ['limit=ten', 'EXPECTED_INTEGER', 'limit'],
    ['cursor=nonsense', 'INVALID_CURSOR', 'cursor'],
  ])('refuses %s with 400 %s', async (query, code, field) => {
    const answer = await owner.call('GET', `${EMPLOYEES}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0]).toMatchObject({ code, field });
  });

  it('returns 50 per page by default and 200 at most', async () => {
    const own = await createOwner(server);
    await Promise.all(names(203).map((body) => createEmployee(server, own.merchant, body)));
    const get = (path: string) => own.call('GET', path);
    const sizes = async (parameters: Record<string, string>) =>
      (await walkV2({ get, path: EMPLOYEES, parameters })).map(({ body }) => body.employees.length);
    expect(await sizes({})).toEqual([50, 50, 50, 50, 3]);
    expect(await sizes({ limit: '200' })).toEqual([200, 3]);
    expect(await sizes({ limit: '500' })).toEqual([200, 3]);
  });

  it.each(CLIENT_STYLES.slice(1))(
    'returns employees of one second exactly once, to clients that send %s',
    async (style) => {
      const own = await createOwner(server, { clock: { now: START, frozen: true } });
      const made = await createEmployees(server, own.merchant, names(5));
      const get = (path: string) => own.call('GET', path);
      const pages = await walkV2({ get, path: EMPLOYEES, parameters: { limit: '2', status: 'INACTIVE' }, style });
      expect(pages.flatMap(({ body }) => idsOf(body.employees))).toEqual(idsOf(made));
      expect(pages).toHaveLength(3);
    },
  );

  it("never returns another merchant's employees", async () => {
    const other = await createOwner(server);
    await createEmployee(server, owner.merchant);
    expect((await other.call('GET', EMPLOYEES)).body).toEqual({ employees: [] });
  });
});

describe('the dashboard of a merchant that is not approved', () => {
  it.each([
    ['GET', EMPLOYEES],
    ['POST', `${EMPLOYEES}/${MISSING_ID}/activate`],
    ['POST', `${EMPLOYEES}/${MISSING_ID}/deactivate`],
  ])('%s %s returns 403 FORBIDDEN (decision 0020)', async (method, path) => {
    const unapproved = await createOwner(server, { approved: false });
    const answer = await unapproved.call(method, path);
    expect([answer.status, answer.body.errors[0].code]).toEqual([403, 'FORBIDDEN']);
    expect((await unapproved.call('GET', '/api/dashboard/session')).status).toBe(200);
  });
});
