import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isBuilt, type Operation } from '../../src/api/operation.js';
import { listQuery } from '../../src/api/pagination.js';
import { responseSchema } from '../../src/api/register.js';
import { discoveryOperations, operations, productionOperations } from '../../src/operations.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, callWell, type Json, nameOf, openBusiness, parametersOf, signIn } from './requests.js';

const ajv = new Ajv({ strict: false });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/); // as decision 10 prints it

let server: TestServer;
let dataDir: string;
/** Somebody new with little to show, and the demo, whose records have every optional field that a record can have. */
let businesses: Business[];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tillhouse-responses-'));
  server = await startTestServer({ config: { demo: true, dataDir } });
  businesses = [await openBusiness(server), await openDemo()];
});
afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function openDemo(): Promise<Business> {
  const demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
  const merchant = { id: demo.merchant_id, token: demo.access_token, locationIds: demo.location_ids };
  const [role] = (await server.call('GET', '/v1/me/roles', merchant)).body;
  const [employee] = (await server.call('GET', '/v1/me/employees', merchant)).body;
  const ids = {
    merchant_id: merchant.id,
    location_id: merchant.locationIds[0],
    role_id: role.id,
    employee_id: employee.id,
  };
  return {
    merchant,
    owner: demo.dashboard,
    session: await signIn(server, demo.dashboard),
    ids: { ...ids, id: employee.id },
  };
}

/** The schema with nothing allowed that it does not name. */
function closed(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema), (_, value) =>
    value?.type === 'object' && value.properties ? { ...value, additionalProperties: false } : value,
  );
}

function expectValid(schema: unknown, value: unknown): void {
  const validate = ajv.compile(closed(schema));
  validate(value);
  expect(validate.errors ?? []).toEqual([]);
}

const built = operations.filter(isBuilt);

describe.each(built.map((each) => [nameOf(each), each] as const))('%s', (_, operation) => {
  it('answers as its schema says, and its handler gives nothing that the schema does not name', async () => {
    for (const business of businesses) {
      // What the serialiser leaves out is not seen on the wire, so the handler's own result is looked at too.
      const handle = vi.spyOn(operation, 'handle');
      const { status, body, text } = await callWell(server, operation, business);
      expect(status, text).toBe(200);
      expectValid(responseSchema(operation), body);
      const given = (await handle.mock.results[0]?.value) as Json;
      handle.mockRestore();
      if (operation.item) expectValid({ type: 'array', items: operation.item }, given['items']);
      else expectValid(operation.response, 'headers' in given && 'body' in given ? given['body'] : given);
    }
  });
});

describe('what the schemas name', () => {
  it('is filled by some answer: no field is declared that nothing ever fills', async () => {
    const full = await server.operator('POST', '/sandbox/merchants', {
      locations: [
        { address: Object.fromEntries(addressLines().map((line) => [line, line])), phone_number: '+1 415-555-0100' },
      ],
    });
    const more: Business = {
      ...(businesses[0] as Business),
      merchant: { id: full.body.merchant.id, token: full.body.access_token, locationIds: [] },
      ids: {
        ...businesses[0]?.ids,
        merchant_id: full.body.merchant.id,
        location_id: full.body.merchant.locations[0].id,
      },
    };
    const [declared, shown] = [new Set<string>(), new Set<string>()];
    for (const operation of built) {
      const schema = responseSchema(operation) as unknown as Json;
      const asking = discoveryOperations.includes(operation) ? [...businesses, more] : businesses;
      for (const business of asking) {
        const search = operation.page ? { path: `${operation.path}?limit=1` } : {};
        const { body } = await callWell(server, { ...operation, ...search }, business);
        collect(schema, body, nameOf(operation), declared, shown);
      }
    }
    expect(declared.size).toBeGreaterThan(80);
    expect([...declared].filter((name) => !shown.has(name))).toEqual([]);
  });
});

function addressLines(): string[] {
  return clientProperties('Address');
}

/** Walks schema and answer together: which properties there are, and which were there. */
function collect(schema: Json, value: unknown, at: string, declared: Set<string>, shown: Set<string>): void {
  const name = typeof schema['title'] === 'string' ? schema['title'] : at;
  if (schema['type'] === 'array') {
    const list = Array.isArray(value) && value.length > 0 ? value : [undefined];
    for (const each of list) collect(schema['items'] as Json, each, `${name}[]`, declared, shown);
  }
  for (const [key, child] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
    const inside = (value as Json | undefined)?.[key];
    declared.add(`${name}.${key}`);
    if (inside !== undefined) shown.add(`${name}.${key}`);
    collect(child, inside, `${name}.${key}`, declared, shown);
  }
}

type Description = {
  openapi: string;
  info: Json;
  tags: { name: string }[];
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Record<string, Json>; securitySchemes: Json };
};

describe('/openapi.json', () => {
  let description: Description;
  let entries: { path: string; method: string; entry: Json }[];

  beforeAll(async () => {
    description = (await server.call('GET', '/openapi.json')).body;
    entries = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, entry]) => ({ path, method, entry })),
    );
  });

  it('is OpenAPI 3.1 with what that requires', () => {
    expect(description.openapi).toBe('3.1.0');
    expect(description.info).toMatchObject({ title: 'Tillhouse', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    expect(Object.keys(description).sort()).toEqual(['components', 'info', 'openapi', 'paths', 'tags']);
    for (const { path, method, entry } of entries) {
      expect(path).toMatch(/^\/[\w{}/-]+$/);
      expect(['get', 'post', 'put', 'delete']).toContain(method);
      const responses = entry['responses'] as Record<string, { description?: unknown; content?: unknown }>;
      expect(Object.keys(responses)).toEqual(['200', 'default']);
      for (const each of Object.values(responses)) {
        expect(each).toEqual({
          description: expect.any(String),
          content: { 'application/json': { schema: expect.any(Object) } },
        });
      }
      for (const tag of entry['tags'] as string[]) expect(description.tags.map(({ name }) => name)).toContain(tag);
    }
  });

  it('describes every operation exactly once', () => {
    const described = entries.map(
      ({ path, method, entry }) => `${entry['operationId']} ${method.toUpperCase()} ${path}`,
    );
    const offered = operations.map((each) => `${nameOf(each)} ${each.method} ${each.path}`);
    expect([...described].sort()).toEqual([...offered].sort());
    expect(new Set(entries.map(({ entry }) => entry['operationId'])).size).toBe(operations.length);
  });

  it('refers only to what is there, and names only what is referred to', () => {
    const references = new Set(
      [...JSON.stringify(description).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to = '']) => to),
    );
    const models = Object.keys(description.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...references].sort()).toEqual([...models].sort());
    expect(models.length).toBeGreaterThan(10);
  });

  it('names every parameter of a path and of a query, once', () => {
    for (const operation of operations) {
      const entry = description.paths[operation.path]?.[operation.method.toLowerCase()];
      const parameters = entry?.['parameters'] as { name: string; in: string; required?: boolean; schema: Json }[];
      const query = (operation.page ? listQuery(operation, operation.page) : operation.query) as
        | { properties?: Json }
        | undefined;
      const expected = [
        ...parametersOf(operation).map((name) => `path ${name}`),
        ...Object.keys(query?.properties ?? {}).map((name) => `query ${name}`),
      ];
      expect(parameters.map((each) => `${each.in} ${each.name}`)).toEqual(expected);
      for (const each of parameters) {
        if (each.in === 'path') expect(each.required).toBe(true);
        expect(each.schema['type'] ?? each.schema['$ref'], `${nameOf(operation)} ${each.name}`).toEqual(
          expect.any(String),
        );
      }
    }
  });

  it('says which credential opens each operation, with schemes that are described', () => {
    const BY_SURFACE = { v1: 'accessToken', v2: 'accessToken', dashboard: 'session', sandbox: 'operatorKey' };
    expect(Object.keys(description.components.securitySchemes).sort()).toEqual(
      [...new Set(Object.values(BY_SURFACE))].sort(),
    );
    for (const operation of operations) {
      const entry = description.paths[operation.path]?.[operation.method.toLowerCase()];
      const expected = operation.permission === 'ANYONE' ? [] : [{ [BY_SURFACE[operation.surface]]: [] }];
      expect(entry?.['security'], nameOf(operation)).toEqual(expected);
      expect(entry?.['deprecated'] ?? false).toBe(operation.deprecated !== undefined);
    }
  });

  it('gives a name to one model only', () => {
    const models = new Map<string, string>();
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const { title } = node as { title?: unknown };
      if (typeof title === 'string') {
        const text = JSON.stringify(node);
        expect(models.get(title) ?? text, `two models are called ${title}`).toBe(text);
        models.set(title, text);
      }
      for (const child of Object.values(node)) walk(child);
    };
    for (const operation of operations) walk([operation.query, operation.body, responseSchema(operation)]);
    expect([...models.keys()].filter((name) => !(name in description.components.schemas))).toEqual([]);
  });

  it('leaves the sandbox out in production', async () => {
    const production = await startTestServer({ config: { mode: 'production' } });
    try {
      const { paths } = (await production.call('GET', '/openapi.json')).body as Description;
      expect(Object.keys(paths).sort()).toEqual([...new Set(productionOperations.map(({ path }) => path))].sort());
      expect((await production.call('POST', '/sandbox/merchants', { token: 'x' })).status).toBe(404);
    } finally {
      await production.stop();
    }
  });
});

const client = createRequire(import.meta.url)('square-connect') as Record<
  string,
  { constructFromObject?: (data: object) => object; prototype: object }
>;

/** The properties that the published client's model reads: those that survive its own reading of an object that has all. */
function clientProperties(model: string): string[] {
  const source = String(client[model]?.constructFromObject);
  return [...source.matchAll(/data\.hasOwnProperty\('(\w+)'\)/g)].map(([, name = '']) => name);
}

function clientValues(model: string): string[] {
  const values: unknown[] = Object.values(client[model] ?? {});
  return values.filter((value) => typeof value === 'string');
}

function find(name: string): Operation {
  const found = operations.find((each) => nameOf(each) === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
}

/** Models of the client that are models of ours under the same name. */
const MODELS = [
  'V1Employee',
  'V1EmployeeRole',
  'V1Merchant',
  'V1MerchantLocationDetails',
  'V1PhoneNumber',
  'Employee',
  'Merchant',
  'Location',
  'Address',
  'BusinessHours',
  'BusinessHoursPeriod',
  'Coordinates',
  'Error',
];

/** Whole answers and whole queries of the client, and the operation whose schema must have them. */
const RESPONSES = {
  ListEmployeesResponse: 'v2.listEmployees',
  RetrieveEmployeeResponse: 'v2.retrieveEmployee',
  ListLocationsResponse: 'v2.listLocations',
  RetrieveLocationResponse: 'v2.retrieveLocation',
  ListMerchantsResponse: 'v2.listMerchants',
  RetrieveMerchantResponse: 'v2.retrieveMerchant',
};
const QUERIES = {
  V1ListEmployeesRequest: 'v1.listEmployees',
  V1ListEmployeeRolesRequest: 'v1.listEmployeeRoles',
  ListEmployeesRequest: 'v2.listEmployees',
  ListMerchantsRequest: 'v2.listMerchants',
};
const BODIES = {
  V1Employee: ['v1.createEmployee', 'v1.updateEmployee'],
  V1EmployeeRole: ['v1.createEmployeeRole', 'v1.updateEmployeeRole'],
};

/** What we leave out, and why. Everything else must be there, and whatever is listed here must be missing. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'Location.description': 'came with the release after ours; the interface of 2020-02-26 does not have it',
  'ListEmployeesResponse.errors': 'a success has no errors, a refusal nothing else (facts 2.1)',
  'RetrieveEmployeeResponse.errors': 'as above',
  'ListLocationsResponse.errors': 'as above',
  'RetrieveLocationResponse.errors': 'as above',
  'ListMerchantsResponse.errors': 'as above',
  'RetrieveMerchantResponse.errors': 'as above',
  'ListMerchantsResponse.cursor': 'a token belongs to one merchant: there is never a second page',
};

/** What clients send back with a fetched object and we ignore (facts 12.1, 12.2). */
const READ_ONLY: Readonly<Record<string, readonly string[]>> = {
  'v1.createEmployee': ['id', 'status', 'created_at', 'updated_at'],
  'v1.updateEmployee': ['id', 'status', 'created_at', 'updated_at', 'email'],
  'v1.createEmployeeRole': ['id', 'created_at', 'updated_at'],
  'v1.updateEmployeeRole': ['id', 'created_at', 'updated_at'],
};

function namesIn(schema: unknown): string[] {
  return Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});
}

describe("the published client's models", () => {
  const missing = (model: string, ours: readonly string[]): string[] => {
    const names = clientProperties(model);
    expect(names.length, model).toBeGreaterThan(0);
    return names.filter((name) => !ours.includes(name)).map((name) => `${model}.${name}`);
  };

  it('are in our answers field by field, but for what is left out with a reason', async () => {
    const { components } = (await server.call('GET', '/openapi.json')).body as Description;
    const absent = [
      ...MODELS.flatMap((model) => missing(model, namesIn(components.schemas[model]))),
      ...Object.entries(RESPONSES).flatMap(([model, name]) => missing(model, namesIn(responseSchema(find(name))))),
    ];
    expect(absent.sort()).toEqual(Object.keys(LEFT_OUT).sort());
  });

  it.each(Object.entries(QUERIES))('%s is in the query of %s field by field', (model, name) => {
    const operation = find(name);
    expect(missing(model, namesIn(operation.page ? listQuery(operation, operation.page) : operation.query))).toEqual(
      [],
    );
  });

  it.each(Object.entries(BODIES).flatMap(([model, names]) => names.map((name) => [model, name] as const)))(
    '%s may be sent to %s field by field; what is read-only is ignored',
    (model, name) => {
      const ignored = missing(model, namesIn(find(name).body)).map((each) => each.split('.')[1]);
      expect([...ignored].sort()).toEqual([...(READ_ONLY[name] ?? [])].sort());
    },
  );

  it.each([
    ['V1EmployeeRolePermissions', 'V1EmployeeRole', 'permissions'],
    ['V1EmployeeStatus', 'V1Employee', 'status'],
    ['EmployeeStatus', 'Employee', 'status'],
    ['MerchantStatus', 'Merchant', 'status'],
    ['LocationStatus', 'Location', 'status'],
    ['LocationType', 'Location', 'type'],
    ['V1MerchantAccountType', 'V1Merchant', 'account_type'],
  ])('%s has the same words as our %s.%s', async (words, model, property) => {
    const { components } = (await server.call('GET', '/openapi.json')).body as Description;
    const properties = (components.schemas[model]?.['properties'] ?? {}) as Record<string, Json>;
    const schema = properties[property];
    const ours = (schema?.['enum'] ?? (schema?.['items'] as Json | undefined)?.['enum']) as string[];
    expect([...ours].sort()).toEqual(clientValues(words).sort());
    expect(ours.length).toBeGreaterThan(1);
  });
});
