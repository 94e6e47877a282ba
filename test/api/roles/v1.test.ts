/** Roles: named sets of permissions at the register (v1 only). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import { createEmployee, createRole, type V1Role } from '../../support/employees.js';
import { type ApiResponse, nextPath } from '../../support/http.js';
import { CLIENT_STYLES, idsOf, walkV1 } from '../../support/lists.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const ROLES = '/v1/me/roles';
const START = '2020-02-26T10:00:00Z';
const LATER = '2020-02-26T11:00:00Z';
const MISSING_ID = '0QcPZ1mAAAAAAAAAAAAA';
const PERMISSIONS = [
  'REGISTER_ACCESS_SALES_HISTORY',
  'REGISTER_APPLY_RESTRICTED_DISCOUNTS',
  'REGISTER_CHANGE_SETTINGS',
  'REGISTER_EDIT_ITEM',
  'REGISTER_ISSUE_REFUNDS',
  'REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE',
  'REGISTER_VIEW_SUMMARY_REPORTS',
];

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
});
afterAll(() => server.stop());

const call = (method: string, path: string, body?: unknown, as: TestMerchant = merchant) =>
  server.call(method, path, { token: as.token, body });
const itemsOf = (pages: readonly ApiResponse[]): V1Role[] => pages.flatMap(({ body }) => body);

async function countRoles(): Promise<number> {
  const [row] = await server.database.sql<{ count: number }[]>`select count(*) from roles`;
  return row?.count ?? -1;
}

describe('v1.createEmployeeRole', () => {
  it('returns the role with every permission', async () => {
    const answer = await call('POST', ROLES, { name: 'Manager', permissions: PERMISSIONS, is_owner: true });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9A-Za-z]{20}$/),
      name: 'Manager',
      permissions: PERMISSIONS,
      is_owner: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: answer.body.created_at,
    });
    expect((await call('GET', `${ROLES}/${answer.body.id}`)).body).toEqual(answer.body);
  });

  it.each([undefined, null, false])('creates no owner role for is_owner %s', async (is_owner) => {
    expect((await createRole(server, merchant, { is_owner })).is_owner).toBe(false);
  });

  it('accepts a single permission as plain text (contract 22.2)', async () => {
    const role = await createRole(server, merchant, { permissions: 'REGISTER_ISSUE_REFUNDS' });
    expect(role.permissions).toEqual(['REGISTER_ISSUE_REFUNDS']);
  });

  it('accepts an empty list of permissions', async () => {
    expect((await createRole(server, merchant, { permissions: [] })).permissions).toEqual([]);
  });

  it('stores a permission once that is sent twice, in the given order', async () => {
    const permissions = ['REGISTER_ISSUE_REFUNDS', 'REGISTER_EDIT_ITEM', 'REGISTER_ISSUE_REFUNDS'];
    const role = await createRole(server, merchant, { permissions });
    expect(role.permissions).toEqual(['REGISTER_ISSUE_REFUNDS', 'REGISTER_EDIT_ITEM']);
  });

  it('sets id and times itself, on the clock of the merchant', async () => {
    const own = await server.createMerchant({ clock: { now: '2020-02-26T10:00:00.789Z', frozen: true } });
    const role = await createRole(server, own, { id: MISSING_ID, created_at: LATER, updated_at: LATER });
    expect(role).toMatchObject({ created_at: START, updated_at: START });
    expect(role.id).not.toBe(MISSING_ID);
  });

  it.each([
    ['a missing name', { name: undefined }, 'bad_request.missing_parameter', 'name'],
    ['an empty name', { name: '' }, 'bad_request.missing_parameter', 'name'],
    ['a name of null', { name: null }, 'bad_request.missing_parameter', 'name'],
    ['a number for a name', { name: 5 }, 'bad_request.invalid_parameter', 'name'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, 'bad_request.invalid_parameter', 'name'],
    ['a name with a NUL', { name: 'a\0' }, 'bad_request.invalid_parameter', 'name'],
    ['missing permissions', { permissions: undefined }, 'bad_request.missing_parameter', 'permissions'],
    ['permissions of null', { permissions: null }, 'bad_request.missing_parameter', 'permissions'],
    ['an unknown permission', { permissions: ['FLY'] }, 'bad_request.invalid_parameter', 'permissions'],
    [
      'an unknown permission among known ones',
      { permissions: [...PERMISSIONS, 'FLY'] },
      'bad_request.invalid_parameter',
      'permissions',
    ],
    ['an unknown permission as text', { permissions: 'FLY' }, 'bad_request.invalid_parameter', 'permissions'],
    [
      'a permission in lower case',
      { permissions: ['register_edit_item'] },
      'bad_request.invalid_parameter',
      'permissions',
    ],
    ['a number for permissions', { permissions: 7 }, 'bad_request.invalid_parameter', 'permissions'],
    ['an object for permissions', { permissions: {} }, 'bad_request.invalid_parameter', 'permissions'],
    ['null among permissions', { permissions: [null] }, 'bad_request.invalid_parameter', 'permissions'],
    ['text for is_owner', { is_owner: 'true' }, 'bad_request.invalid_parameter', 'is_owner'],
    ['a number for is_owner', { is_owner: 1 }, 'bad_request.invalid_parameter', 'is_owner'],
  ])('refuses %s, names the field and writes nothing', async (_what, body, type, field) => {
    const before = await countRoles();
    const answer = await call('POST', ROLES, { name: 'Cashier', permissions: [], ...body });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ type, field, message: expect.any(String) });
    expect(await countRoles()).toBe(before);
  });
});

describe('v1.retrieveEmployeeRole', () => {
  it.each([MISSING_ID, 'x', '%00', 'x'.repeat(10_000)])('returns 404 not_found for the id %s', async (id) => {
    const answer = await call('GET', `${ROLES}/${id}`);
    expect([answer.status, answer.body.type]).toEqual([404, 'not_found']);
  });

  it("returns 404 for another merchant's role (decision 0015)", async () => {
    const { id } = await createRole(server, await server.createMerchant());
    const [theirs, missing] = [await call('GET', `${ROLES}/${id}`), await call('GET', `${ROLES}/${MISSING_ID}`)];
    expect(theirs.status).toBe(404);
    expect(theirs.text.replaceAll(id, 'ID')).toBe(missing.text.replaceAll(MISSING_ID, 'ID'));
  });
});

describe('v1.updateEmployeeRole', () => {
  let own: TestMerchant;

  /** A role created at START. The clock shows LATER. */
  async function make(body: Record<string, unknown> = {}): Promise<V1Role> {
    own = await server.createMerchant({ clock: { now: START, frozen: true } });
    const role = await createRole(server, own, {
      permissions: ['REGISTER_ISSUE_REFUNDS', 'REGISTER_EDIT_ITEM'],
      ...body,
    });
    await changeClock(server, own.id, { now: LATER });
    return role;
  }
  const put = (id: string, body: unknown) => call('PUT', `${ROLES}/${id}`, body, own);
  const get = async (id: string) => (await call('GET', `${ROLES}/${id}`, undefined, own)).body;

  it.each([
    ['name', 'Boss', 'Boss'],
    ['permissions', ['REGISTER_CHANGE_SETTINGS'], ['REGISTER_CHANGE_SETTINGS']],
    ['permissions', 'REGISTER_CHANGE_SETTINGS', ['REGISTER_CHANGE_SETTINGS']],
    ['permissions', ['REGISTER_EDIT_ITEM', 'REGISTER_EDIT_ITEM'], ['REGISTER_EDIT_ITEM']],
    ['permissions', [], []],
    ['is_owner', true, true],
  ])('changes only %s to %j, and updated_at', async (field, value, shown) => {
    const role = await make();
    const answer = await put(role.id, { [field]: value });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...role, [field]: shown, updated_at: LATER });
    expect(await get(role.id)).toEqual(answer.body);
  });

  it('sets is_owner back to false', async () => {
    const role = await make({ is_owner: true });
    expect((await put(role.id, { is_owner: false })).body.is_owner).toBe(false);
  });

  it('changes nothing, updated_at included, when the whole fetched object is sent back', async () => {
    const role = await make();
    expect((await put(role.id, role)).body).toEqual(role);
    expect(await get(role.id)).toEqual(role);
  });

  it.each([
    ['an empty object', {}],
    ['nulls', { name: null, permissions: null, is_owner: null }],
    ['empty text', { name: '', permissions: '' }],
    ['read-only fields', { id: MISSING_ID, created_at: '2019-01-01', updated_at: '2019-01-01' }],
  ])('changes nothing for %s', async (_what, body) => {
    const role = await make();
    const answer = await put(role.id, body);
    expect([answer.status, answer.body]).toEqual([200, role]);
  });

  it.each([
    ['an unknown permission', { permissions: ['FLY'] }, 'permissions'],
    ['a number for a name', { name: 1 }, 'name'],
    ['text for is_owner', { is_owner: 'false' }, 'is_owner'],
  ])('refuses %s, names the field and changes nothing', async (_what, body, field) => {
    const role = await make();
    const answer = await put(role.id, { name: 'CHANGED', ...body });
    expect([answer.status, answer.body.type, answer.body.field]).toEqual([400, 'bad_request.invalid_parameter', field]);
    expect(await get(role.id)).toEqual(role);
  });

  it("returns 404 for another merchant's role, and changes nothing", async () => {
    const role = await make();
    const theirs = await call('PUT', `${ROLES}/${role.id}`, { name: 'X' });
    const missing = await call('PUT', `${ROLES}/${MISSING_ID}`, { name: 'X' });
    expect([theirs.status, theirs.body.type]).toEqual([404, 'not_found']);
    expect(theirs.text.replaceAll(role.id, 'ID')).toBe(missing.text.replaceAll(MISSING_ID, 'ID'));
    expect(await get(role.id)).toEqual(role);
  });

  it('does not change the employees with the role', async () => {
    const role = await make();
    const employee = await createEmployee(server, own, { role_ids: [role.id] });
    await put(role.id, { name: 'Renamed' });
    expect((await call('GET', `/v1/me/employees/${employee.id}`, undefined, own)).body).toEqual(employee);
  });
});

describe('v1.listEmployeeRoles', () => {
  const getAs =
    ({ token }: TestMerchant) =>
    (path: string): Promise<ApiResponse> =>
      server.call('GET', path, { token });

  /** Two roles in each of three seconds. */
  async function createSixRoles(): Promise<{ own: TestMerchant; made: V1Role[] }> {
    const own = await server.createMerchant({ clock: { now: START, frozen: true } });
    const made: V1Role[] = [];
    for (let index = 0; index < 6; index++) {
      made.push(await createRole(server, own, { name: `r${index}` }));
      if (index % 2 === 1) await changeClock(server, own.id, { advance: 'PT1S' });
    }
    // Within a second the order is by id, in the collation of the database.
    const listed: V1Role[] = (await getAs(own)(ROLES)).body;
    expect(listed.map(({ created_at }) => created_at)).toEqual(made.map(({ created_at }) => created_at));
    expect(new Set(listed.map(({ name }) => name))).toEqual(new Set(made.map(({ name }) => name)));
    made.sort((a, b) => idsOf(listed).indexOf(a.id) - idsOf(listed).indexOf(b.id));
    return { own, made };
  }

  it('returns an empty array if there are no roles', async () => {
    const answer = await getAs(await server.createMerchant())(ROLES);
    expect([answer.status, answer.text, answer.headers['link']]).toEqual([200, '[]', undefined]);
  });

  it('orders by created_at, ASC by default', async () => {
    const { own, made } = await createSixRoles();
    expect((await getAs(own)(ROLES)).body).toEqual(made);
    expect((await getAs(own)(`${ROLES}?order=ASC`)).body).toEqual(made);
    expect((await getAs(own)(`${ROLES}?order=DESC`)).body).toEqual([...made].reverse());
  });

  it.each(CLIENT_STYLES)('returns the whole list in both orders to clients that send %s', async (style) => {
    const { own, made } = await createSixRoles();
    for (const [order, limit] of [
      ['ASC', 1],
      ['DESC', 1],
      ['ASC', 4],
      ['DESC', 5],
      ['ASC', 6],
    ] as const) {
      const parameters = { order, limit: String(limit) };
      const pages = await walkV1({ get: getAs(own), path: ROLES, parameters, style });
      expect(itemsOf(pages)).toEqual(order === 'ASC' ? made : [...made].reverse());
      expect(pages).toHaveLength(Math.ceil(6 / limit));
    }
  });

  it('writes Link byte for byte, once, on every page except the last', async () => {
    const { own } = await createSixRoles();
    const [first, last] = await walkV1({ get: getAs(own), path: ROLES, parameters: { limit: '4' } });
    const raw = first?.rawHeaders ?? [];
    expect(raw.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'link')).toEqual(['Link']);
    const value = raw[raw.indexOf('Link') + 1] ?? '';
    const token = /batch_token=([\w-]+)/.exec(value)?.[1];
    expect(value).toBe(`<${server.baseUrl}${ROLES}?batch_token=${token}&limit=4>;rel='next'`);
    expect(last?.headers['link']).toBeUndefined();
  });

  it('returns every existing role exactly once while others are added', async () => {
    const { own, made } = await createSixRoles();
    const seen: V1Role[] = [];
    let path: string | undefined = `${ROLES}?limit=2&order=DESC`;
    while (path) {
      const answer = await getAs(own)(path);
      seen.push(...answer.body);
      path = nextPath(answer);
      await createRole(server, own, { name: 'new' });
    }
    expect(idsOf(seen)).toEqual(idsOf([...made].reverse()));
  });

  it('returns 100 per page by default and 200 at most (contract 8)', async () => {
    const own = await server.createMerchant();
    await Promise.all(Array.from({ length: 203 }, () => createRole(server, own)));
    const sizes = async (parameters: Record<string, string>) =>
      (await walkV1({ get: getAs(own), path: ROLES, parameters })).map(({ body }) => body.length);
    expect(await sizes({})).toEqual([100, 100, 3]);
    expect(await sizes({ limit: '200' })).toEqual([200, 3]);
  });

  it.each([
    ['order', 'asc'],
    ['limit', '201'],
    ['limit', 'ten'],
    ['batch_token', 'nonsense'],
  ])('refuses %s=%s with 400 naming it', async (name, value) => {
    const answer = await getAs(merchant)(`${ROLES}?${name}=${value}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ type: 'bad_request.invalid_parameter', field: name });
  });

  it('never returns the roles of another merchant', async () => {
    const [one, two] = [await server.createMerchant(), await server.createMerchant()];
    const mine = await createRole(server, one);
    expect((await getAs(one)(ROLES)).body).toEqual([mine]);
    expect((await getAs(two)(ROLES)).text).toBe('[]');
  });
});

describe('v1 roles of a merchant that is not approved', () => {
  it.each([
    ['POST', ROLES],
    ['GET', ROLES],
    ['GET', `${ROLES}/${MISSING_ID}`],
    ['PUT', `${ROLES}/${MISSING_ID}`],
  ])('%s %s returns 403 forbidden (decision 0020)', async (method, path) => {
    const unapproved = await server.createMerchant({ approved: false });
    const answer = await call(method, path, method === 'GET' ? undefined : { name: 5 }, unapproved);
    expect([answer.status, answer.body.type]).toEqual([403, 'forbidden']);
  });
});
