/** The 2020 client against a listening server: both generations. */
import SquareConnect, { type ApiClient, type Model, type ModelClass } from 'square-connect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { ADDRESS, createFullBusiness, type FullBusiness, plain } from './full-business.js';

let server: TestServer;
let business: FullBusiness;

beforeAll(async () => {
  server = await startTestServer();
  business = await createFullBusiness(server);
  SquareConnect.ApiClient.instance.basePath = server.baseUrl;
  SquareConnect.ApiClient.instance.authentications.oauth2.accessToken = business.token;
});
afterAll(() => server.stop());

function clientFor(token: string): ApiClient {
  const client = new SquareConnect.ApiClient();
  client.basePath = server.baseUrl;
  client.authentications.oauth2.accessToken = token;
  return client;
}

function v1Of({ token }: Pick<TestMerchant, 'token'>) {
  return new SquareConnect.V1EmployeesApi(clientFor(token));
}

function fieldsOf({ prototype }: ModelClass): string[] {
  return Object.keys(prototype).sort();
}

/** What the client rejects with: superagent's error, which has the status and the parsed body. */
async function refusalOf(call: Promise<unknown>): Promise<{ status: number; body: unknown }> {
  try {
    await call;
  } catch (error) {
    const { status, response } = error as { status: number; response: { body: unknown } };
    return { status, body: response.body };
  }
  throw new Error('the call was not refused');
}

/** As samples of that time read it from the header. */
function batchTokenOf(headers: Readonly<Record<string, string>>): string | undefined {
  const next = /^<([^>]+)>;rel='next'$/.exec(headers['link'] ?? '')?.[1];
  return next === undefined ? undefined : (new URL(next).searchParams.get('batch_token') ?? undefined);
}

const SECOND = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

describe('V1EmployeesApi, employees', () => {
  const api = new SquareConnect.V1EmployeesApi();

  it('creates, retrieves and updates an employee with every field of the model', async () => {
    const role = await api.createEmployeeRole({ name: 'Barista', permissions: ['REGISTER_EDIT_ITEM'] });
    const given = {
      first_name: 'Li',
      last_name: 'Wei',
      email: 'li@example.com',
      external_id: 'HR-9',
      role_ids: [role['id']],
      authorized_location_ids: [...business.locationIds],
    };
    const created = await api.createEmployee(given);
    expect(Object.keys(created).sort()).toEqual(fieldsOf(SquareConnect.V1Employee));
    expect(plain(created)).toEqual({
      ...given,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'INACTIVE',
      created_at: expect.stringMatching(SECOND),
      updated_at: created['created_at'],
    });
    const id = String(created['id']);
    expect(await api.retrieveEmployee(id)).toEqual(created);

    const changed = await api.updateEmployee(id, { first_name: 'Lian', role_ids: [] });
    expect(plain(changed)).toEqual({
      ...(plain(created) as Model),
      first_name: 'Lian',
      role_ids: [],
      updated_at: expect.stringMatching(SECOND),
    });
    expect(await api.retrieveEmployee(id)).toEqual(changed);
  });

  it('sends a fetched employee back and changes nothing', async () => {
    const [fetched] = await api.listEmployees({ externalId: 'HR-1' });
    expect(fetched).toBeDefined();
    expect(await api.updateEmployee(String(fetched?.['id']), fetched ?? {})).toEqual(fetched);
    expect(fetched).toMatchObject({ status: 'ACTIVE', updated_at: '2019-06-07T08:09:10Z' });
  });

  it('lists by every filter, with dates as the client writes them', async () => {
    const own = v1Of(await server.createMerchant({ clock: { now: '2020-02-26T10:00:00Z', frozen: true } }));
    const ana = await own.createEmployee({ first_name: 'Ana', last_name: 'A', external_id: 'x' });
    expect(ana['created_at']).toBe('2020-02-26T10:00:00Z');
    const at = new Date('2020-02-26T10:00:00.000Z');
    const after = new Date('2020-02-26T10:00:01Z');
    for (const matching of [
      {},
      { externalId: 'x' },
      { status: 'INACTIVE' },
      { order: 'DESC' },
      { beginCreatedAt: at, endCreatedAt: after },
      { beginUpdatedAt: at, endUpdatedAt: after },
    ]) {
      expect(await own.listEmployees(matching), JSON.stringify(matching)).toEqual([ana]);
    }
    for (const other of [
      { externalId: 'y' },
      { status: 'ACTIVE' },
      { endCreatedAt: at },
      { beginCreatedAt: after },
      { endUpdatedAt: at },
      { beginUpdatedAt: after },
    ]) {
      expect(await own.listEmployees(other), JSON.stringify(other)).toEqual([]);
    }
  });

  it.each([
    ['only the token', {}],
    ['the token and all it asked for at first', { limit: 2, order: 'DESC' }],
  ])('pages by the Link header to the end, sending %s', async (_style, repeated) => {
    const own = v1Of(await server.createMerchant());
    const made: unknown[] = [];
    for (const first_name of ['a', 'b', 'c', 'd', 'e']) {
      made.push((await own.createEmployee({ first_name, last_name: 'x' }))['id']);
    }
    const seen: unknown[][] = [];
    let batchToken: string | undefined;
    do {
      const { data, response } = await own.listEmployeesWithHttpInfo(
        batchToken === undefined ? { limit: 2, order: 'DESC' } : { ...repeated, batchToken },
      );
      seen.push(data.map(({ id }) => id));
      batchToken = batchTokenOf(response.headers);
    } while (batchToken !== undefined);
    expect(seen.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(seen.flat()).toEqual(made.toReversed());
  });

  it('reads an empty list, which is a bare array without a Link', async () => {
    const own = v1Of(await server.createMerchant());
    const { data, response } = await own.listEmployeesWithHttpInfo();
    expect(data).toEqual([]);
    expect(response.headers).not.toHaveProperty('link');
  });
});

describe('V1EmployeesApi, roles', () => {
  const api = new SquareConnect.V1EmployeesApi();

  it('creates, retrieves and updates a role with every field of the model', async () => {
    const given = { name: 'Lead', permissions: ['REGISTER_EDIT_ITEM', 'REGISTER_ISSUE_REFUNDS'], is_owner: true };
    const created = await api.createEmployeeRole(given);
    expect(Object.keys(created).sort()).toEqual(fieldsOf(SquareConnect.V1EmployeeRole));
    expect(plain(created)).toEqual({
      ...given,
      id: expect.stringMatching(/^[0-9A-Za-z]+$/),
      created_at: expect.stringMatching(SECOND),
      updated_at: created['created_at'],
    });
    const id = String(created['id']);
    expect(await api.retrieveEmployeeRole(id)).toEqual(created);
    expect(await api.updateEmployeeRole(id, created)).toEqual(created);
    const changed = await api.updateEmployeeRole(id, { name: 'Shift lead', is_owner: false });
    expect(changed).toMatchObject({ id, name: 'Shift lead', permissions: given.permissions, is_owner: false });
    expect(await api.retrieveEmployeeRole(id)).toEqual(changed);
  });

  it('accepts a single permission that is not in a list', async () => {
    const role = await api.createEmployeeRole({ name: 'Viewer', permissions: 'REGISTER_VIEW_SUMMARY_REPORTS' });
    expect(role['permissions']).toEqual(['REGISTER_VIEW_SUMMARY_REPORTS']);
  });

  it('pages by the Link header to the end', async () => {
    const own = v1Of(await server.createMerchant());
    const made: unknown[] = [];
    for (const name of ['a', 'b', 'c']) made.push(await own.createEmployeeRole({ name, permissions: [] }));
    const first = await own.listEmployeeRolesWithHttpInfo({ limit: 2, order: 'ASC' });
    expect(first.data).toEqual(made.slice(0, 2));
    const second = await own.listEmployeeRolesWithHttpInfo({ batchToken: batchTokenOf(first.response.headers) ?? '' });
    expect(second.data).toEqual(made.slice(2));
    expect(second.response.headers).not.toHaveProperty('link');
  });
});

describe('V1LocationsApi', () => {
  const api = new SquareConnect.V1LocationsApi();
  const shared = {
    name: 'Ana Ruiz',
    email: 'ana@example.com',
    account_capabilities: ['CREDIT_CARD_PROCESSING', 'EMPLOYEE_MANAGEMENT', 'TIMECARD_MANAGEMENT'],
    country_code: 'US',
    language_code: 'en-US',
    currency_code: 'USD',
    business_name: "Ana's Coffee",
    business_type: 'RESTAURANTS',
  };
  const ofMain = {
    business_address: ADDRESS,
    business_phone: { calling_code: '+1', number: '4155551234' },
    shipping_address: ADDRESS,
    market_url: 'https://example.com',
  };

  it('lists the locations with every field of the model, and omits absent fields', async () => {
    const [main, bare, ...others] = await api.listLocations();
    expect(others).toEqual([]);
    expect(Object.keys(main ?? {}).sort()).toEqual(fieldsOf(SquareConnect.V1Merchant));
    expect(Object.keys(ADDRESS).sort()).toEqual(fieldsOf(SquareConnect.Address));
    expect(Object.keys(ofMain.business_phone).sort()).toEqual(fieldsOf(SquareConnect.V1PhoneNumber));
    expect(plain(main)).toEqual({
      ...shared,
      ...ofMain,
      id: business.locationIds[0],
      account_type: 'LOCATION',
      location_details: { nickname: 'Main' },
    });
    expect(plain(bare)).toEqual({
      ...shared,
      id: business.locationIds[1],
      account_type: 'LOCATION',
      location_details: { nickname: 'Bare' },
    });
  });

  it('retrieves the business, which has no location_details', async () => {
    const { id, ...rest } = plain(await api.retrieveBusiness()) as Model;
    expect(id).toBe(business.id);
    expect(rest).toEqual({ ...shared, ...ofMain, account_type: 'BUSINESS' });
  });
});

describe('EmployeesApi', () => {
  const api = new SquareConnect.EmployeesApi();

  it('retrieves an employee with every field of the model', async () => {
    const { employee } = await api.retrieveEmployee(String(business.owner['id']));
    expect(Object.keys(employee).sort()).toEqual(fieldsOf(SquareConnect.Employee));
    expect(plain(employee)).toEqual(business.owner);
  });

  it('lists by location and status, and pages by cursor to the end', async () => {
    const merchant = await server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }] });
    const [v1, v2] = [v1Of(merchant), new SquareConnect.EmployeesApi(clientFor(merchant.token))];
    const made: unknown[] = [];
    for (const first_name of ['a', 'b', 'c']) {
      const authorized_location_ids = merchant.locationIds.slice(0, 1);
      made.push((await v1.createEmployee({ first_name, last_name: 'x', authorized_location_ids }))['id']);
    }
    await v1.createEmployee({ first_name: 'd', last_name: 'x' });

    const filter = { locationId: merchant.locationIds[0] ?? '', status: 'INACTIVE', limit: 2 };
    const first = await v2.listEmployees(filter);
    const second = await v2.listEmployees({ ...filter, cursor: first.cursor ?? '' });
    expect([first, second].map(({ employees }) => employees.map(({ id }) => id))).toEqual([
      made.slice(0, 2),
      made.slice(2),
    ]);
    expect(second.cursor).toBeUndefined();
    expect((await v2.listEmployees({ status: 'ACTIVE' })).employees).toBeUndefined();
    expect((await v2.listEmployees({ locationId: merchant.locationIds[1] ?? '' })).employees).toBeUndefined();
  });
});

describe('LocationsApi', () => {
  const api = new SquareConnect.LocationsApi();

  it('retrieves a location with every field of the model', async () => {
    const { location } = await api.retrieveLocation(business.locationIds[0] ?? '');
    expect(plain(location)).toEqual(business.mainLocation);
    expect(Object.keys(location).sort()).toEqual(fieldsOf(SquareConnect.Location));
    const { coordinates, business_hours } = location as {
      coordinates: Model;
      business_hours: { periods: Model[] };
    };
    expect(Object.keys(coordinates).sort()).toEqual(fieldsOf(SquareConnect.Coordinates));
    expect(Object.keys(business_hours.periods[0] ?? {}).sort()).toEqual(fieldsOf(SquareConnect.BusinessHoursPeriod));
  });

  it('lists all locations in the order they were opened', async () => {
    const { locations } = await api.listLocations();
    expect(locations.map(({ id }) => id)).toEqual(business.locationIds);
    expect(plain(locations[0])).toEqual(business.mainLocation);
  });
});

describe('MerchantsApi', () => {
  const api = new SquareConnect.MerchantsApi();

  it('lists and retrieves the merchant with every field of the model', async () => {
    const { merchant, cursor } = await api.listMerchants();
    expect(plain(merchant)).toEqual([business.merchant]);
    expect(cursor).toBeUndefined();
    expect(Object.keys(merchant[0] ?? {}).sort()).toEqual(fieldsOf(SquareConnect.Merchant));
    expect(await api.retrieveMerchant('me')).toEqual({ merchant: merchant[0] });
    expect(await api.retrieveMerchant(business.id)).toEqual({ merchant: merchant[0] });
  });
});

describe('refusals', () => {
  it('arrive in v1 with the status and a body of type, message and field', async () => {
    const v1 = new SquareConnect.V1EmployeesApi();
    expect(await refusalOf(v1.createEmployee({ first_name: 'Li' }))).toEqual({
      status: 400,
      body: { type: 'bad_request.missing_parameter', message: expect.any(String), field: 'last_name' },
    });
    expect(await refusalOf(v1.listEmployees({ limit: 201 }))).toMatchObject({
      status: 400,
      body: { type: 'bad_request.invalid_parameter', field: 'limit' },
    });
    expect(await refusalOf(v1.retrieveEmployee('a/b'))).toEqual({
      status: 404,
      body: { type: 'not_found', message: expect.stringContaining('a/b') },
    });
    expect(await refusalOf(v1Of({ token: 'EAAAnobody' }).listEmployees())).toMatchObject({
      status: 401,
      body: { type: 'service.not_authorized' },
    });
    const unapproved = v1Of(await server.createMerchant({ approved: false }));
    expect(await refusalOf(unapproved.listEmployeeRoles())).toMatchObject({
      status: 403,
      body: { type: 'forbidden' },
    });
  });

  it('arrive in v2 with the status and a list of errors', async () => {
    const unknown = await refusalOf(new SquareConnect.EmployeesApi().retrieveEmployee('nobody'));
    expect(unknown).toEqual({
      status: 404,
      body: {
        errors: [{ category: 'INVALID_REQUEST_ERROR', code: 'NOT_FOUND', detail: expect.stringContaining('nobody') }],
      },
    });
    const forged = await refusalOf(new SquareConnect.EmployeesApi().listEmployees({ cursor: 'forged' }));
    expect(forged).toMatchObject({ status: 400, body: { errors: [{ code: 'INVALID_CURSOR', field: 'cursor' }] } });
    const token = await server.createToken(business.id, ['EMPLOYEES_READ']);
    const refused = await refusalOf(new SquareConnect.MerchantsApi(clientFor(token)).listMerchants());
    expect(refused).toMatchObject({
      status: 403,
      body: { errors: [{ category: 'AUTHENTICATION_ERROR', code: 'INSUFFICIENT_SCOPES' }] },
    });
  });
});
