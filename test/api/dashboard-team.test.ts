/** The owner's team: employees and roles are created and edited, and an edit of an outdated version is refused (decision 0148). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { createEmployee, createRole } from '../support/employees.js';
import type { Answer } from '../support/http.js';
import { startTestServer, type TestServer } from '../support/server.js';

const EMPLOYEES = '/api/dashboard/employees';
const ROLES = '/api/dashboard/roles';
const UNKNOWN_ID = '018f3c0d-0e11-7222-8333-444455556666';

let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  // Frozen: times never tell two versions apart.
  owner = await createOwner(server, {
    locations: [{ name: 'One' }, { name: 'Two' }],
    clock: { now: '2020-02-26T10:00:00Z', frozen: true },
  });
});
afterAll(() => server.stop());

const refusal = ({ status, body }: Answer) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];

async function create(path: string, body: Record<string, unknown>): Promise<Answer['body']> {
  const answer = await owner.call('POST', path, { body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.employee ?? answer.body.role;
}

const newEmployee = (body: Record<string, unknown> = {}) => create(EMPLOYEES, { first_name: 'Ana', ...body });
const newRole = (body: Record<string, unknown> = {}) => create(ROLES, { name: 'Cashier', permissions: [], ...body });
const put = (path: string, body: Record<string, unknown>) => owner.call('PUT', path, { body });
const employee = async (id: string) => (await owner.call('GET', `${EMPLOYEES}/${id}`)).body.employee;
const role = async (id: string) => (await owner.call('GET', `${ROLES}/${id}`)).body.role;
const v1 = async (path: string) => (await server.call('GET', `/v1/me/${path}`, { token: owner.merchant.token })).body;

describe('dashboard.createEmployee', () => {
  it('creates an active employee with all fields, whom both generations show', async () => {
    const { id: role_id } = await newRole();
    const location_ids = [owner.merchant.locationIds[1] ?? ''];
    const body = {
      first_name: 'Ana',
      last_name: 'Ruiz',
      email: 'ana@example.com',
      phone_number: '+12065550100',
      external_id: 'HR-9',
      role_id,
      location_ids,
    };
    const made = await newEmployee(body);
    expect(made).toMatchObject({ ...body, status: 'ACTIVE', is_owner: false });
    expect(await employee(made.id)).toEqual(made);
    expect(await v1(`employees/${made.id}`)).toMatchObject({
      first_name: 'Ana',
      email: 'ana@example.com',
      external_id: 'HR-9',
      role_ids: [role_id],
      authorized_location_ids: location_ids,
      status: 'ACTIVE',
    });
    expect((await newEmployee({ status: 'INACTIVE' })).status).toBe('INACTIVE');
  });

  it.each([
    [{ first_name: '' }, 'VALUE_EMPTY', 'first_name'],
    [{ first_name: 'x'.repeat(256) }, 'VALUE_TOO_LONG', 'first_name'],
    [{ email: 'nobody' }, 'VALUE_REGEX_MISMATCH', 'email'],
    [{ phone_number: '555-0100' }, 'VALUE_REGEX_MISMATCH', 'phone_number'],
    [{ role_id: 'nothing' }, 'INVALID_VALUE', 'role_id'],
    [{ location_ids: ['nowhere'] }, 'INVALID_VALUE', 'location_ids'],
    [{ status: 'GONE' }, 'INVALID_ENUM_VALUE', 'status'],
  ])('refuses %j at its field', async (change, code, field) => {
    const before = (await owner.call('GET', EMPLOYEES)).body.employees.length;
    const answer = await owner.call('POST', EMPLOYEES, { body: { first_name: 'Ana', ...change } });
    expect(refusal(answer)).toEqual([400, code, field]);
    expect((await owner.call('GET', EMPLOYEES)).body.employees).toHaveLength(before);
  });
});

describe('dashboard.updateEmployee', () => {
  it('replaces the fields: what is absent becomes empty', async () => {
    const { id: role_id } = await newRole();
    const made = await newEmployee({ last_name: 'Ruiz', email: 'a@b.example', role_id, external_id: 'X' });
    const { status, body } = await put(`${EMPLOYEES}/${made.id}`, { version: made.version, first_name: 'Anna' });
    expect(status).toBe(200);
    const { version, email, role_id: gone, external_id, last_name, ...rest } = made;
    expect(body.employee).toEqual({ ...rest, first_name: 'Anna', last_name: '', version: expect.any(String) });
    expect(body.employee.version).not.toBe(version);
    expect([email, gone, external_id, last_name]).not.toContain(undefined);
  });

  it('refuses a version that is not the current one, and changes nothing', async () => {
    const made = await newEmployee();
    const path = `${EMPLOYEES}/${made.id}`;
    const first = await put(path, { version: made.version, first_name: 'First' });
    expect(first.status).toBe(200);
    const second = await put(path, { version: made.version, first_name: 'Second' });
    expect([...refusal(second), second.body.errors[0].detail]).toEqual([
      ...[409, 'CONFLICT', undefined],
      'Somebody has changed this employee meanwhile.',
    ]);
    expect(await employee(made.id)).toEqual(first.body.employee);
    const again = await put(path, { version: first.body.employee.version, first_name: 'Second' });
    expect(again.body.employee.first_name).toBe('Second');
  });

  it('counts changes of applications and of the status as changes, and an equal edit as none', async () => {
    const made = await newEmployee({ last_name: 'Ruiz' });
    const path = `${EMPLOYEES}/${made.id}`;
    const same = await put(path, { version: made.version, first_name: 'Ana', last_name: 'Ruiz' });
    expect(same.body.employee).toEqual(made);
    const { token } = owner.merchant;
    await server.call('PUT', `/v1/me/employees/${made.id}`, { token, body: { last_name: 'Diaz' } });
    expect((await put(path, { version: made.version, first_name: 'Ana' })).status).toBe(409);
    const { version } = await employee(made.id);
    await owner.call('POST', `${path}/deactivate`);
    expect((await put(path, { version, first_name: 'Ana' })).status).toBe(409);
    expect((await employee(made.id)).last_name).toBe('Diaz');
  });

  it('lets one of many concurrent edits of a version win', async () => {
    const made = await newEmployee();
    const names = ['A', 'B', 'C', 'D', 'E'];
    const answers = await Promise.all(
      names.map((first_name) => put(`${EMPLOYEES}/${made.id}`, { version: made.version, first_name })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const won = answers.find(({ status }) => status === 200);
    expect(await employee(made.id)).toEqual(won?.body.employee);
  });

  it('returns 404 for an unknown employee, whatever the version', async () => {
    const answer = await put(`${EMPLOYEES}/${UNKNOWN_ID}`, { version: '1', first_name: 'Ana' });
    expect(answer.status).toBe(404);
  });
});

describe('the owner', () => {
  it('can be edited, but not deactivated', async () => {
    const { id } = await newEmployee({ last_name: 'Owner' });
    await server.database.sql`update employees set is_owner = true where employee_id = ${id}`;
    const { version } = await employee(id);
    const answer = await owner.call('POST', `${EMPLOYEES}/${id}/deactivate`);
    expect([answer.status, answer.body.errors[0].detail]).toEqual([
      400,
      'The owner of the business cannot be deactivated.',
    ]);
    expect((await employee(id)).status).toBe('ACTIVE');
    expect((await put(`${EMPLOYEES}/${id}`, { version, first_name: 'Boss' })).status).toBe(200);
  });
});

describe('dashboard.retrieveEmployee', () => {
  it('says whether the employee has a passcode, and never shows it', async () => {
    const { id } = await newEmployee();
    const shown = async () => (await owner.call('GET', `${EMPLOYEES}/${id}`)).body;
    expect((await shown()).has_passcode).toBe(false);
    await owner.call('PUT', `${EMPLOYEES}/${id}/passcode`, { body: { passcode: '2468' } });
    const { has_passcode, employee: found } = await shown();
    expect([has_passcode, Object.keys(found).filter((name) => name.includes('pass'))]).toEqual([true, []]);
  });
});

describe('dashboard.listEmployees', () => {
  it('filters by role and location', async () => {
    const { id: role_id } = await newRole();
    const [, two = ''] = owner.merchant.locationIds;
    const withRole = await newEmployee({ role_id });
    const there = await newEmployee({ location_ids: [two] });
    const list = async (query: string) =>
      (await owner.call('GET', `${EMPLOYEES}?${query}`)).body.employees.map(({ id }: { id: string }) => id);
    expect(await list(`role_id=${role_id}`)).toEqual([withRole.id]);
    expect(await list(`location_id=${two}&limit=200`)).toContain(there.id);
    expect(await list(`location_id=${two}&limit=200`)).not.toContain(withRole.id);
  });
});

describe('roles', () => {
  it('are created, listed with the number of employees, and edited by version', async () => {
    const own = await createOwner(server);
    const body = { name: 'Manager', permissions: ['REGISTER_ISSUE_REFUNDS', 'REGISTER_ISSUE_REFUNDS'] };
    const { role: made } = (await own.call('POST', ROLES, { body })).body;
    expect(made).toMatchObject({
      name: 'Manager',
      permissions: ['REGISTER_ISSUE_REFUNDS'],
      is_owner: false,
      employees: 0,
    });
    await createEmployee(server, own.merchant, { role_ids: [made.id] });
    expect((await own.call('GET', ROLES)).body).toEqual({ roles: [{ ...made, employees: 1 }] });

    const path = `${ROLES}/${made.id}`;
    const edit = { version: made.version, name: 'Chief', permissions: [], is_owner: true };
    const changed = await own.call('PUT', path, { body: edit });
    expect(changed.body.role).toMatchObject({ name: 'Chief', permissions: [], is_owner: true, employees: 1 });
    expect(refusal(await own.call('PUT', path, { body: { ...edit, name: 'Late' } }))).toEqual([
      409,
      'CONFLICT',
      undefined,
    ]);
    expect((await own.call('GET', path)).body).toEqual(changed.body);
  });

  it('of which an application changed one are a newer version', async () => {
    const made = await createRole(server, owner.merchant);
    const { version } = await role(made.id);
    const { token } = owner.merchant;
    await server.call('PUT', `/v1/me/roles/${made.id}`, { token, body: { name: 'Cashier' } });
    expect((await role(made.id)).version).toBe(version);
    await server.call('PUT', `/v1/me/roles/${made.id}`, { token, body: { name: 'Other' } });
    expect((await put(`${ROLES}/${made.id}`, { version, name: 'Mine', permissions: [] })).status).toBe(409);
  });

  it('are deleted if nobody has them', async () => {
    const used = await newRole();
    const person = await newEmployee({ role_id: used.id });
    const answer = await owner.call('DELETE', `${ROLES}/${used.id}`);
    expect([answer.status, answer.body.errors[0].detail]).toEqual([
      400,
      'An employee has this role. Give everybody who has it another role first.',
    ]);
    expect(await role(used.id)).toBeDefined();
    await put(`${EMPLOYEES}/${person.id}`, { version: person.version, first_name: 'Ana' });
    expect((await owner.call('DELETE', `${ROLES}/${used.id}`)).status).toBe(200);
    expect((await owner.call('DELETE', `${ROLES}/${used.id}`)).status).toBe(404);
    expect((await server.call('GET', `/v1/me/roles/${used.id}`, { token: owner.merchant.token })).status).toBe(404);
  });

  it('are deleted or given, never both, if both are asked at the same time', async () => {
    for (let round = 0; round < 8; round++) {
      const { id } = await newRole();
      const [given, deleted] = await Promise.all([
        owner.call('POST', EMPLOYEES, { body: { first_name: 'Ana', role_id: id } }),
        owner.call('DELETE', `${ROLES}/${id}`),
      ]);
      expect([given.status, deleted.status].sort()).toEqual([200, 400]);
    }
  });

  it.each([
    [{ name: '' }, 'VALUE_EMPTY', 'name'],
    [{ permissions: ['REGISTER_FLY'] }, 'INVALID_ENUM_VALUE', 'permissions'],
    [{ permissions: undefined }, 'MISSING_REQUIRED_PARAMETER', 'permissions'],
  ])('refuse %j at its field', async (change, code, field) => {
    const answer = await owner.call('POST', ROLES, { body: { name: 'Cashier', permissions: [], ...change } });
    expect(refusal(answer)).toEqual([400, code, field]);
  });
});
