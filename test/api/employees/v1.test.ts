/** Creating, retrieving and updating employees in v1; the list is in employees-list.v1.test.ts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import { createEmployee, createRole } from '../../support/employees.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const EMPLOYEES = '/v1/me/employees';
const START = '2020-02-26T10:00:00Z';
const LATER = '2020-02-26T11:00:00Z';
const MISSING_ID = '018f3c0d-0e11-7222-8333-444455556666';

let server: TestServer;
let merchant: TestMerchant;
let other: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }] });
  other = await server.createMerchant();
});
afterAll(() => server.stop());

const call = (method: string, path: string, body?: unknown, as: TestMerchant = merchant) =>
  server.call(method, path, { token: as.token, body });

const create = (body: Record<string, unknown>) =>
  call('POST', EMPLOYEES, { first_name: 'Ana', last_name: 'Ruiz', ...body });

async function countEmployees(): Promise<number> {
  const [row] = await server.database.sql<{ count: number }[]>`select count(*) from employees`;
  return row?.count ?? -1;
}

describe('v1.createEmployee', () => {
  it('returns the employee, INACTIVE, with both lists present (contract 3)', async () => {
    const answer = await create({});
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      first_name: 'Ana',
      last_name: 'Ruiz',
      role_ids: [],
      authorized_location_ids: [],
      status: 'INACTIVE',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: answer.body.created_at,
    });
  });

  it('stores every optional field', async () => {
    const role = await createRole(server, merchant);
    const fields = {
      first_name: 'Zoë 🧾',
      last_name: "O'Neil; drop table employees",
      email: 'zoe@example.com',
      external_id: 'HR-9',
      role_ids: [role.id],
      authorized_location_ids: [...merchant.locationIds].reverse(),
    };
    const answer = await create(fields);
    expect(answer.body).toMatchObject({ ...fields, status: 'INACTIVE' });
    expect((await call('GET', `${EMPLOYEES}/${answer.body.id}`)).body).toEqual(answer.body);
  });

  it('stores no email and no external_id if they are absent or empty (decision 0012)', async () => {
    for (const body of [{}, { email: '', external_id: '' }, { email: null, external_id: null }]) {
      const answer = await create(body);
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.body)).not.toContain('email');
      expect(Object.keys(answer.body)).not.toContain('external_id');
    }
  });

  it('sets id, status and times itself and ignores those in the body', async () => {
    const claims = { id: MISSING_ID, status: 'ACTIVE', created_at: START, updated_at: START, is_owner: true };
    const { status, body } = await create(claims);
    expect(status).toBe(200);
    expect(body.status).toBe('INACTIVE');
    expect(body.id).not.toBe(MISSING_ID);
    expect(body.created_at).not.toBe(START);
    expect(body.updated_at).not.toBe(START);
    expect(Object.keys(body)).not.toContain('is_owner');
  });

  it('uses the clock of the merchant, in whole seconds (decisions 0010, 0040)', async () => {
    const own = await server.createMerchant({ clock: { now: '2020-02-26T10:00:00.789Z', frozen: true } });
    expect(await createEmployee(server, own)).toMatchObject({ created_at: START, updated_at: START });
  });

  it('accepts the same email and external_id twice: they are not unique', async () => {
    const twin = { email: 'twin@example.com', external_id: 'TWIN' };
    const [one, two] = [await create(twin), await create(twin)];
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(one.body.id).not.toBe(two.body.id);
  });

  it('stores a location once that is sent twice', async () => {
    const [first = ''] = merchant.locationIds;
    const { body } = await create({ authorized_location_ids: [first, first] });
    expect(body.authorized_location_ids).toEqual([first]);
  });

  it.each([
    ['a missing first name', { first_name: undefined }, 'bad_request.missing_parameter', 'first_name'],
    ['an empty first name', { first_name: '' }, 'bad_request.missing_parameter', 'first_name'],
    ['a first name of null', { first_name: null }, 'bad_request.missing_parameter', 'first_name'],
    ['a missing last name', { last_name: undefined }, 'bad_request.missing_parameter', 'last_name'],
    ['an empty last name', { last_name: '' }, 'bad_request.missing_parameter', 'last_name'],
    ['a number for a name', { first_name: 5 }, 'bad_request.invalid_parameter', 'first_name'],
    ['an object for a name', { last_name: {} }, 'bad_request.invalid_parameter', 'last_name'],
    ['a name of 256 characters', { first_name: 'x'.repeat(256) }, 'bad_request.invalid_parameter', 'first_name'],
    ['a name with a NUL', { first_name: 'A\0B' }, 'bad_request.invalid_parameter', 'first_name'],
    ['half of a surrogate pair', { last_name: '\ud800' }, 'bad_request.invalid_parameter', 'last_name'],
    ['a number for an email', { email: 5 }, 'bad_request.invalid_parameter', 'email'],
    ['a boolean for an external_id', { external_id: true }, 'bad_request.invalid_parameter', 'external_id'],
    ['text for role_ids', { role_ids: 'abc' }, 'bad_request.invalid_parameter', 'role_ids'],
    ['a number among role_ids', { role_ids: [1] }, 'bad_request.invalid_parameter', 'role_ids'],
    ['null among role_ids', { role_ids: [null] }, 'bad_request.invalid_parameter', 'role_ids'],
    ['two roles', { role_ids: ['a', 'b'] }, 'bad_request.invalid_parameter', 'role_ids'],
    ['an unknown role', { role_ids: ['abc'] }, 'bad_request.invalid_parameter', 'role_ids'],
    ['an empty role id', { role_ids: [''] }, 'bad_request.invalid_parameter', 'role_ids'],
    [
      'an object for locations',
      { authorized_location_ids: {} },
      'bad_request.invalid_parameter',
      'authorized_location_ids',
    ],
    [
      'an unknown location',
      { authorized_location_ids: ['L000000000000'] },
      'bad_request.invalid_parameter',
      'authorized_location_ids',
    ],
  ])('refuses %s, names the field and writes nothing', async (_what, body, type, field) => {
    const before = await countEmployees();
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ type, field, message: expect.any(String) });
    expect(await countEmployees()).toBe(before);
  });

  it('accepts a name of 255 characters', async () => {
    expect((await create({ first_name: 'x'.repeat(255) })).body.first_name).toHaveLength(255);
  });

  it.each([
    ['an array', '[]'],
    ['text', '"Ana"'],
    ['broken JSON', '{"first_name":'],
    ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('refuses %s as a body', async (_what, body) => {
    const answer = await call('POST', EMPLOYEES, body);
    expect([answer.status, answer.body.type]).toEqual([400, 'bad_request']);
  });

  it('refuses another content type with 400 (decision 0002), and accepts an empty body of any type as {}', async () => {
    const headers = { 'content-type': 'text/plain' };
    const text = await server.call('POST', EMPLOYEES, { token: merchant.token, body: 'Ana', headers });
    expect([text.status, text.body.type]).toEqual([400, 'bad_request']);
    const empty = await server.call('POST', EMPLOYEES, { token: merchant.token, headers });
    expect([empty.status, empty.body.field]).toEqual([400, 'first_name']);
  });

  it("refuses another merchant's role and location as unknown (decision 0015)", async () => {
    const foreign = await createRole(server, other);
    const [mine, missing] = [await create({ role_ids: [foreign.id] }), await create({ role_ids: ['abc'] })];
    expect([mine.status, mine.body]).toEqual([400, missing.body]);
    const [location = ''] = other.locationIds;
    const [theirs, nowhere] = [
      await create({ authorized_location_ids: [location] }),
      await create({ authorized_location_ids: ['L000000000000'] }),
    ];
    expect(theirs.status).toBe(400);
    expect(theirs.text.replaceAll(location, 'ID')).toBe(nowhere.text.replaceAll('L000000000000', 'ID'));
  });
});

describe('v1.retrieveEmployee', () => {
  it('returns the employee as created', async () => {
    const employee = await createEmployee(server, merchant, { email: 'a@example.com', external_id: 'E1' });
    const answer = await call('GET', `${EMPLOYEES}/${employee.id}`);
    expect([answer.status, answer.body]).toEqual([200, employee]);
  });

  it.each([MISSING_ID, 'nobody', '%00', encodeURIComponent("' or 1=1 --"), 'x'.repeat(10_000)])(
    'returns 404 not_found for the id %s',
    async (id) => {
      const answer = await call('GET', `${EMPLOYEES}/${id}`);
      expect([answer.status, answer.body.type]).toEqual([404, 'not_found']);
    },
  );

  it("returns 404 for another merchant's employee (decision 0015)", async () => {
    const { id } = await createEmployee(server, other);
    const [theirs, missing] = [
      await call('GET', `${EMPLOYEES}/${id}`),
      await call('GET', `${EMPLOYEES}/${MISSING_ID}`),
    ];
    expect(theirs.status).toBe(404);
    expect(theirs.text.replaceAll(id, 'ID')).toBe(missing.text.replaceAll(MISSING_ID, 'ID'));
  });
});

describe('v1.updateEmployee', () => {
  let own: TestMerchant;

  /** An employee created at START. The clock shows LATER. */
  async function hire(body: Record<string, unknown> = {}) {
    own = await server.createMerchant({
      locations: [{ name: 'One' }, { name: 'Two' }],
      clock: { now: START, frozen: true },
    });
    const role = await createRole(server, own);
    const [location = ''] = own.locationIds;
    const employee = await createEmployee(server, own, {
      email: 'ana@example.com',
      external_id: 'HR-9',
      role_ids: [role.id],
      authorized_location_ids: [location],
      ...body,
    });
    await changeClock(server, own.id, { now: LATER });
    return employee;
  }
  const put = (id: string, body: unknown) => call('PUT', `${EMPLOYEES}/${id}`, body, own);
  const get = async (id: string) => (await call('GET', `${EMPLOYEES}/${id}`, undefined, own)).body;

  it.each([
    ['first_name', 'Anna'],
    ['last_name', 'Ruíz'],
    ['external_id', 'HR-10'],
  ])('changes only %s, and updated_at', async (field, value) => {
    const employee = await hire();
    const answer = await put(employee.id, { [field]: value });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...employee, [field]: value, updated_at: LATER });
    expect(await get(employee.id)).toEqual(answer.body);
  });

  it('changes two fields and keeps the others, as clients send it', async () => {
    const employee = await hire();
    const answer = await put(employee.id, { first_name: 'A', last_name: 'B' });
    expect(answer.body).toEqual({ ...employee, first_name: 'A', last_name: 'B', updated_at: LATER });
  });

  it('changes nothing, updated_at included, when the whole fetched object is sent back', async () => {
    const employee = await hire();
    const answer = await put(employee.id, employee);
    expect([answer.status, answer.body]).toEqual([200, employee]);
    expect(await get(employee.id)).toEqual(employee);
  });

  it.each([
    ['an empty object', {}],
    ['only unknown fields', { nickname: 'A', phone: null }],
    ['nulls', { first_name: null, last_name: null, external_id: null, role_ids: null, authorized_location_ids: null }],
    ['empty text', { first_name: '', last_name: '' }],
  ])('changes nothing for %s', async (_what, body) => {
    const employee = await hire();
    const answer = await put(employee.id, body);
    expect([answer.status, answer.body]).toEqual([200, employee]);
  });

  it('removes external_id for empty text, and keeps it for null', async () => {
    const employee = await hire();
    expect((await put(employee.id, { external_id: null })).body).toEqual(employee);
    const { external_id, ...rest } = employee;
    expect(external_id).toBe('HR-9');
    const answer = await put(employee.id, { external_id: '' });
    expect([answer.status, answer.body]).toEqual([200, { ...rest, updated_at: LATER }]);
    expect(await get(employee.id)).toEqual(answer.body);
    expect((await put(employee.id, { external_id: '' })).body).toEqual(answer.body);
  });

  it('ignores email, status, id and times (contract 1, contract 22.1)', async () => {
    const employee = await hire();
    const answer = await put(employee.id, {
      id: MISSING_ID,
      email: 'other@example.com',
      status: 'ACTIVE',
      created_at: '2019-01-01T00:00:00Z',
      updated_at: '2019-01-01T00:00:00Z',
    });
    expect([answer.status, answer.body]).toEqual([200, employee]);
    expect(await get(employee.id)).toEqual(employee);
  });

  it('does not add an email to an employee without one', async () => {
    const employee = await hire({ email: undefined });
    expect((await put(employee.id, { email: 'late@example.com' })).body).toEqual(employee);
  });

  it('removes the role for [], and sets another', async () => {
    const employee = await hire();
    expect((await put(employee.id, { role_ids: [] })).body).toEqual({ ...employee, role_ids: [], updated_at: LATER });
    const role = await createRole(server, own);
    expect((await put(employee.id, { role_ids: [role.id] })).body.role_ids).toEqual([role.id]);
  });

  it('replaces the locations, and removes all for []', async () => {
    const employee = await hire();
    const both = [...own.locationIds];
    expect((await put(employee.id, { authorized_location_ids: both })).body.authorized_location_ids).toEqual(both);
    expect((await put(employee.id, { authorized_location_ids: [] })).body.authorized_location_ids).toEqual([]);
  });

  it.each([
    ['two roles', { role_ids: ['a', 'b'] }, 'role_ids'],
    ['an unknown role', { role_ids: ['abc'] }, 'role_ids'],
    ['an unknown location', { authorized_location_ids: ['L000000000000'] }, 'authorized_location_ids'],
    ['a number for a name', { first_name: 1 }, 'first_name'],
    ['a name that is too long', { last_name: 'x'.repeat(256) }, 'last_name'],
    ['a name with a NUL', { first_name: '\0' }, 'first_name'],
  ])('refuses %s, names the field and changes nothing', async (_what, body, field) => {
    const employee = await hire();
    const answer = await put(employee.id, { external_id: 'CHANGED', ...body });
    expect([answer.status, answer.body.type, answer.body.field]).toEqual([400, 'bad_request.invalid_parameter', field]);
    expect(await get(employee.id)).toEqual(employee);
  });

  it("refuses another merchant's role as unknown, and changes nothing", async () => {
    const employee = await hire();
    const foreign = await createRole(server, other);
    const [theirs, missing] = [
      await put(employee.id, { role_ids: [foreign.id] }),
      await put(employee.id, { role_ids: ['abc'] }),
    ];
    expect([theirs.status, theirs.body]).toEqual([400, missing.body]);
    expect(await get(employee.id)).toEqual(employee);
  });

  it("returns 404 for another merchant's employee, and changes nothing", async () => {
    const employee = await hire();
    const theirs = await call('PUT', `${EMPLOYEES}/${employee.id}`, { first_name: 'X' }, other);
    const missing = await call('PUT', `${EMPLOYEES}/${MISSING_ID}`, { first_name: 'X' }, other);
    expect([theirs.status, theirs.body.type]).toEqual([404, 'not_found']);
    expect(theirs.text.replaceAll(employee.id, 'ID')).toBe(missing.text.replaceAll(MISSING_ID, 'ID'));
    expect(await get(employee.id)).toEqual(employee);
  });

  it('returns 404 for an invalid id', async () => {
    expect((await call('PUT', `${EMPLOYEES}/nobody`, {})).status).toBe(404);
  });
});

describe('v1 employees of a merchant that is not approved', () => {
  it.each([
    ['POST', EMPLOYEES],
    ['GET', EMPLOYEES],
    ['GET', `${EMPLOYEES}/${MISSING_ID}`],
    ['PUT', `${EMPLOYEES}/${MISSING_ID}`],
  ])('%s %s returns 403 forbidden, before it validates the input (decisions 0004, 0020)', async (method, path) => {
    const unapproved = await server.createMerchant({ approved: false });
    const answer = await call(method, path, method === 'GET' ? undefined : { first_name: 5 }, unapproved);
    expect([answer.status, answer.body.type]).toEqual([403, 'forbidden']);
  });

  it('cannot be deleted: DELETE returns 404 (contract 1)', async () => {
    const employee = await createEmployee(server, merchant);
    expect((await call('DELETE', `${EMPLOYEES}/${employee.id}`)).status).toBe(404);
    expect((await call('GET', `${EMPLOYEES}/${employee.id}`)).status).toBe(200);
  });
});
