/** Employees in v2: both generations show the same row. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import { createOwner } from '../../support/dashboard.js';
import { createEmployee, createEmployees, createRole, type V1Employee } from '../../support/employees.js';
import type { ApiResponse } from '../../support/http.js';
import { CLIENT_STYLES, idsOf, walkV2 } from '../../support/lists.js';
import { repetitions } from '../../support/long.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const EMPLOYEES = '/v2/employees';
const START = '2020-02-26T10:00:00Z';
const MISSING_ID = '018f3c0d-0e11-7222-8333-444455556666';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ config: { demo: true } });
});
afterAll(() => server.stop());

const getAs =
  ({ token }: TestMerchant) =>
  (path: string): Promise<ApiResponse> =>
    server.call('GET', path, { token });

const names = (count: number) => Array.from({ length: count }, (_, index) => ({ first_name: `n${index}` }));
const itemsOf = (pages: readonly ApiResponse[]): { id: string }[] => pages.flatMap(({ body }) => body.employees ?? []);

/** The v2 view of an employee, computed from the v1 view. */
function asV2({
  id,
  first_name,
  last_name,
  email,
  status,
  authorized_location_ids,
  created_at,
  updated_at,
}: V1Employee) {
  return {
    id,
    first_name,
    last_name,
    ...(email !== undefined && { email }),
    location_ids: authorized_location_ids,
    status,
    is_owner: false,
    created_at,
    updated_at,
  };
}

describe('v2.retrieveEmployee', () => {
  it('returns the employee created by v1: authorized_location_ids are location_ids', async () => {
    const merchant = await server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }] });
    const employee = await createEmployee(server, merchant, {
      email: 'ana@example.com',
      external_id: 'HR-9',
      authorized_location_ids: merchant.locationIds,
    });
    const answer = await getAs(merchant)(`${EMPLOYEES}/${employee.id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ employee: asV2(employee) });
  });

  it('returns an empty location_ids list and no email if there are none', async () => {
    const merchant = await server.createMerchant();
    const employee = await createEmployee(server, merchant);
    const { body } = await getAs(merchant)(`${EMPLOYEES}/${employee.id}`);
    expect(body).toEqual({ employee: asV2(employee) });
    expect(Object.keys(body.employee)).not.toContain('email');
  });

  it('returns the changes made by v1', async () => {
    const merchant = await server.createMerchant({ clock: { now: START, frozen: true } });
    const employee = await createEmployee(server, merchant);
    await changeClock(server, merchant.id, { advance: 'PT1H' });
    const changed = await server.call('PUT', `/v1/me/employees/${employee.id}`, {
      token: merchant.token,
      body: { first_name: 'Eva', authorized_location_ids: merchant.locationIds },
    });
    const { body } = await getAs(merchant)(`${EMPLOYEES}/${employee.id}`);
    expect(body).toEqual({ employee: asV2(changed.body) });
    expect(body.employee).toMatchObject({ first_name: 'Eva', updated_at: '2020-02-26T11:00:00Z', created_at: START });
  });

  it('sets is_owner for the owner of the business, not for an employee with an owner role, and returns phone numbers', async () => {
    const [demo] = await server.database.sql<{ merchantId: string }[]>`
      select merchant_id from merchants where is_demo`;
    const token = await server.createToken(demo?.merchantId ?? '', ['EMPLOYEES_READ']);
    const { body } = await server.call('GET', EMPLOYEES, { token });
    expect(body.employees.filter(({ is_owner }: { is_owner: boolean }) => is_owner)).toEqual([
      {
        id: expect.any(String),
        first_name: 'Maren',
        last_name: 'Holt',
        email: 'maren.holt@juniper-and-rye.example',
        phone_number: expect.stringMatching(/^\+1\d{10}$/),
        location_ids: [expect.any(String), expect.any(String)],
        status: 'ACTIVE',
        is_owner: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
    ]);
    const merchant = await server.createMerchant();
    const role = await createRole(server, merchant, { is_owner: true });
    const employee = await createEmployee(server, merchant, { role_ids: [role.id] });
    expect((await getAs(merchant)(`${EMPLOYEES}/${employee.id}`)).body.employee.is_owner).toBe(false);
  });

  it.each([MISSING_ID, 'nobody', '%00', 'x'.repeat(10_000)])('returns 404 NOT_FOUND for the id %s', async (id) => {
    const answer = await getAs(await server.createMerchant())(`${EMPLOYEES}/${id}`);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      errors: [{ category: 'INVALID_REQUEST_ERROR', code: 'NOT_FOUND', detail: expect.any(String) }],
    });
  });

  it("returns 404 for another merchant's employee (decision 0015)", async () => {
    const [mine, theirs] = [await server.createMerchant(), await server.createMerchant()];
    const { id } = await createEmployee(server, theirs);
    const [foreign, missing] = [
      await getAs(mine)(`${EMPLOYEES}/${id}`),
      await getAs(mine)(`${EMPLOYEES}/${MISSING_ID}`),
    ];
    expect(foreign.status).toBe(404);
    expect(foreign.text.replaceAll(id, 'ID')).toBe(missing.text.replaceAll(MISSING_ID, 'ID'));
  });

  it('requires no approval: it only reads (decision 0020)', async () => {
    const merchant = await server.createMerchant();
    const employee = await createEmployee(server, merchant);
    await server.operator('PUT', `/api/sandbox/merchants/${merchant.id}/approval`, { approved: false });
    expect((await getAs(merchant)(`${EMPLOYEES}/${employee.id}`)).status).toBe(200);
    expect(idsOf((await getAs(merchant)(EMPLOYEES)).body.employees)).toEqual([employee.id]);
    expect((await getAs(merchant)(`/v1/me/employees/${employee.id}`)).status).toBe(403);
  });
});

describe('v2.listEmployees', () => {
  it('returns an empty list and no cursor if there are no employees', async () => {
    const answer = await getAs(await server.createMerchant())(EMPLOYEES);
    expect([answer.status, answer.body]).toEqual([200, {}]);
  });

  it('returns each employee as retrieveEmployee does, oldest first, and echoes the version', async () => {
    const merchant = await server.createMerchant();
    const made = await createEmployees(server, merchant, [{ email: 'a@example.com' }, {}, { external_id: 'E3' }]);
    const answer = await getAs(merchant)(EMPLOYEES);
    expect(answer.body).toEqual({ employees: made.map(asV2) });
    expect(answer.headers['square-version']).toBe('2020-02-26');
    expect(answer.headers['link']).toBeUndefined();
  });

  it('filters by location; an employee without locations matches none (decision 0023)', async () => {
    const merchant = await server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }] });
    const [one = '', two = ''] = merchant.locationIds;
    const [a, b, c] = await createEmployees(server, merchant, [
      { authorized_location_ids: [one] },
      { authorized_location_ids: [one, two] },
      { authorized_location_ids: [] },
    ]);
    const list = async (query: string) => idsOf((await getAs(merchant)(`${EMPLOYEES}?${query}`)).body.employees ?? []);
    expect(await list(`location_id=${one}`)).toEqual([a?.id, b?.id]);
    expect(await list(`location_id=${two}`)).toEqual([b?.id]);
    expect(await list('location_id=')).toEqual([a?.id, b?.id, c?.id]);
    expect(await list('location_id=L000000000000')).toEqual([]);
    const [foreign = ''] = (await server.createMerchant()).locationIds;
    expect(await list(`location_id=${foreign}`)).toEqual([]);
  });

  it('filters by status', async () => {
    const owner = await createOwner(server);
    const [a, b] = await createEmployees(server, owner.merchant, names(2));
    await owner.call('POST', `/api/dashboard/employees/${b?.id}/activate`);
    const list = async (query: string) => idsOf((await getAs(owner.merchant)(`${EMPLOYEES}?${query}`)).body.employees);
    expect(await list('status=ACTIVE')).toEqual([b?.id]);
    expect(await list('status=INACTIVE')).toEqual([a?.id]);
    expect(await list('status=')).toEqual([a?.id, b?.id]);
  });

  it.each([
    ['status=active', 'INVALID_ENUM_VALUE', 'status'],
    ['limit=ten', 'EXPECTED_INTEGER', 'limit'],
    ['limit=2.5', 'EXPECTED_INTEGER', 'limit'],
    ['cursor=nonsense', 'INVALID_CURSOR', 'cursor'],
    [`location_id=${'x'.repeat(256)}`, 'VALUE_TOO_LONG', 'location_id'],
    ['location_id=%00', 'INVALID_VALUE', 'location_id'],
  ])('refuses %s with 400 %s', async (query, code, field) => {
    const answer = await getAs(await server.createMerchant())(`${EMPLOYEES}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      { category: 'INVALID_REQUEST_ERROR', code, field, detail: expect.any(String) },
    ]);
  });

  it('returns 50 per page, and caps a higher limit (decision 0009)', async () => {
    const merchant = await server.createMerchant();
    await Promise.all(names(103).map((body) => createEmployee(server, merchant, body)));
    const sizes = async (parameters: Record<string, string>) =>
      (await walkV2({ get: getAs(merchant), path: EMPLOYEES, parameters })).map(({ body }) => body.employees.length);
    expect(await sizes({})).toEqual([50, 50, 3]);
    expect(await sizes({ limit: '50' })).toEqual([50, 50, 3]);
    expect(await sizes({ limit: '51' })).toEqual([50, 50, 3]);
    expect(await sizes({ limit: '100000' })).toEqual([50, 50, 3]);
    expect(await sizes({ limit: '40' })).toEqual([40, 40, 23]);
  });

  it.each(CLIENT_STYLES.slice(1))(
    'returns employees of one second exactly once, to clients that send %s',
    async (style) => {
      const merchant = await server.createMerchant({ clock: { now: START, frozen: true } });
      const made = await createEmployees(server, merchant, names(7));
      const parameters = { limit: '2', status: 'INACTIVE' };
      const pages = await walkV2({ get: getAs(merchant), path: EMPLOYEES, parameters, style });
      expect(pages.map(({ body }) => body.employees.length)).toEqual([2, 2, 2, 1]);
      expect(itemsOf(pages)).toEqual(made.map(asV2));
    },
  );

  it('returns every existing employee exactly once while others are added', async () => {
    const merchant = await server.createMerchant({ clock: { now: START, frozen: true } });
    const made = await createEmployees(server, merchant, names(7));
    const seen: { id: string }[] = [];
    let path: string | undefined = `${EMPLOYEES}?limit=2`;
    while (path) {
      const { body }: ApiResponse = await getAs(merchant)(path);
      seen.push(...body.employees);
      path = body.cursor && `${EMPLOYEES}?cursor=${body.cursor}`;
      if (seen.length < 7) await createEmployee(server, merchant, { first_name: 'new' });
    }
    expect(idsOf(seen).slice(0, 7)).toEqual(idsOf(made));
    expect(new Set(idsOf(seen)).size).toBe(seen.length);
  });

  it('refuses the cursor of another operation', async () => {
    const owner = await createOwner(server);
    await createEmployees(server, owner.merchant, names(2));
    const { cursor } = (await owner.call('GET', '/api/dashboard/employees?limit=1')).body;
    const answer = await getAs(owner.merchant)(`${EMPLOYEES}?cursor=${cursor}`);
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'INVALID_CURSOR']);
  });

  it('matches an independent implementation of the rules for combined filters', async () => {
    const owner = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
    const { merchant } = owner;
    const [one = '', two = ''] = merchant.locationIds;
    const everyone: V1Employee[] = [];
    for (let index = 0; index < 24; index++) {
      const authorized_location_ids = [[], [one], [two], [two, one]][index % 4];
      const employee = await createEmployee(server, merchant, { authorized_location_ids });
      if (index % 3 === 0) {
        const { body } = await owner.call('POST', `/api/dashboard/employees/${employee.id}/activate`);
        everyone.push({ ...employee, status: body.employee.status, updated_at: body.employee.updated_at });
      } else everyone.push(employee);
    }
    const filters = fc.record(
      {
        location_id: fc.constantFrom(one, two, 'L000000000000'),
        status: fc.constantFrom('ACTIVE', 'INACTIVE'),
        limit: fc.integer({ min: 1, max: 60 }).map(String),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filters, fc.constantFrom(...CLIENT_STYLES), async (parameters, style) => {
        const { location_id, status } = parameters;
        const expected = everyone.filter(
          (employee) =>
            (location_id === undefined || employee.authorized_location_ids.includes(location_id)) &&
            (status === undefined || employee.status === status),
        );
        const pages = await walkV2({ get: getAs(merchant), path: EMPLOYEES, parameters, style });
        expect(itemsOf(pages)).toEqual(expected.map(asV2));
      }),
      { seed: 20_200_226, numRuns: repetitions({ usual: 30, long: 60 }) },
    );
  });

  it.each(['POST', 'PUT', 'DELETE'])('refuses %s: v2 is read-only', async (method) => {
    const merchant = await server.createMerchant();
    const answer = await server.call(method, EMPLOYEES, { token: merchant.token, body: {} });
    expect([answer.status, answer.body.errors[0].code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(answer.headers['allow']).toBe('GET');
  });
});
