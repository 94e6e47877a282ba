import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listQuery } from '../../src/api/pagination.js';
import { responseSchema } from '../../src/api/routes.js';
import { operations, productionOperations } from '../../src/operations.js';
import { startTestServer, type TestServer } from '../support/server.js';
import type { Json } from './business.js';
import { nameOf, parametersOf } from './requests.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

type Description = {
  openapi: string;
  info: Json;
  servers: unknown;
  tags: { name: string }[];
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Record<string, Json>; securitySchemes: Json };
};

/** Every schema, with those inside of it. */
function schemasIn(node: unknown): Json[] {
  if (typeof node !== 'object' || node === null) return [];
  const inside = Object.values(node).flatMap(schemasIn);
  return 'type' in node && typeof node.type === 'string' ? [node as Json, ...inside] : inside;
}

describe('/openapi.json', () => {
  let description: Description;
  let entries: { path: string; method: string; entry: Json }[];

  beforeAll(async () => {
    description = (await server.call('GET', '/openapi.json')).body;
    entries = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, entry]) => ({ path, method, entry })),
    );
  });

  it('is OpenAPI 3.1 with all required parts', () => {
    expect(description.openapi).toBe('3.1.0');
    expect(description.info).toMatchObject({ title: 'Tillhouse', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    expect(Object.keys(description).sort()).toEqual(['components', 'info', 'openapi', 'paths', 'servers', 'tags']);
    for (const { path, method, entry } of entries) {
      expect(path).toMatch(/^\/[\w{}/-]+$/);
      expect(['get', 'post', 'put', 'delete']).toContain(method);
      const responses = entry['responses'] as Record<string, { description?: unknown; content?: unknown }>;
      expect(Object.keys(responses)).toEqual(['200', '4XX', '5XX']);
      for (const each of Object.values(responses)) {
        expect(each).toMatchObject({
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

  it('refers only to schemas that exist, and names only schemas that are referred to', () => {
    const references = new Set(
      [...JSON.stringify(description).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to = '']) => to),
    );
    const models = Object.keys(description.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...references].sort()).toEqual([...models].sort());
    expect(models.length).toBeGreaterThan(10);
  });

  it('names every path and query parameter once', () => {
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

  it('names the credential of each operation, with schemes that are described', () => {
    const BY_SURFACE = {
      v1: 'accessToken',
      v2: 'accessToken',
      oauth2: 'clientSecret',
      dashboard: 'session',
      checkout: 'publishableKey',
      register: 'deviceToken',
      sandbox: 'operatorKey',
    };
    expect(Object.keys(description.components.securitySchemes).sort()).toEqual(
      [...new Set(Object.values(BY_SURFACE)), 'employeeSession'].sort(),
    );
    for (const operation of operations) {
      const entry = description.paths[operation.path]?.[operation.method.toLowerCase()];
      const { surface, permission } = operation;
      const scheme = permission === 'TOKEN' ? 'accessToken' : BY_SURFACE[surface];
      const employee = surface === 'register' && permission !== 'DEVICE' && { employeeSession: [] };
      const expected = permission === 'ANYONE' ? [] : [{ [scheme]: [], ...employee }];
      expect(entry?.['security'], nameOf(operation)).toEqual(expected);
      expect(entry?.['deprecated'] ?? false).toBe(operation.deprecated !== undefined);
    }
  });

  it('names the permission of each operation, also one that depends on the body, and where approval is required', () => {
    for (const operation of operations) {
      const { permission, requires, recentSignIn } = operation;
      const entry = description.paths[operation.path]?.[operation.method.toLowerCase()];
      const { withField, ...others } =
        typeof permission === 'string' ? { permission } : { withField: undefined, ...permission };
      for (const word of Object.values(others).flat()) expect(entry?.['description']).toContain(word);
      const [, field, also] = / with `(\w+)` also (\w+)\./.exec(String(entry?.['description'])) ?? [];
      expect([nameOf(operation), field, also]).toEqual([nameOf(operation), withField?.name, withField?.permission]);
      expect(/approved accounts only/.test(String(entry?.['description']))).toBe(requires !== undefined);
      expect(/recent sign-in/.test(String(entry?.['description']))).toBe(recentSignIn === true);
    }
  });

  it('lists each surface under its own tag', () => {
    expect(description.tags.map(({ name }) => name).sort()).toEqual([
      ...['checkout', 'dashboard', 'oauth2', 'register', 'sandbox', 'v1', 'v2'],
    ]);
    for (const operation of operations) {
      const entry = description.paths[operation.path]?.[operation.method.toLowerCase()];
      expect(entry?.['tags']).toEqual([operation.surface]);
    }
  });

  it('describes how an employee is identified together with a device', () => {
    expect(description.components.securitySchemes['employeeSession']).toEqual({
      type: 'apiKey',
      in: 'header',
      name: 'Tillhouse-Employee-Session',
      description: expect.stringContaining('together with the device token'),
    });
  });

  it('gives each name to one model only', () => {
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

  it('names the server that sends it, so that a generated client calls it', async () => {
    const [{ url }] = description.servers as [{ url: string }];
    const answer = await fetch(`${url}/openapi.json`);
    expect(((await answer.json()) as Description).info).toEqual(description.info);
  });

  it('says which whole numbers need 64 bits: amounts do, and page sizes do not', () => {
    const { properties } = description.components.schemas['Money'] as { properties: { amount: Json } };
    expect(properties.amount).toMatchObject({ type: 'integer', format: 'int64' });
    const listed = description.paths['/v1/{location_id}/payments']?.['get']?.['parameters'] as Json[] | undefined;
    expect(listed?.find(({ name }) => name === 'limit')).toMatchObject({ schema: { type: 'integer', maximum: 200 } });
    expect(listed?.find(({ name }) => name === 'limit')).not.toHaveProperty('schema.format');
    for (const { type, maximum, format } of schemasIn(description)) {
      const isWide = type === 'integer' && (maximum === undefined || Number(maximum) > 2 ** 31 - 1);
      if (isWide) expect(format).toBe('int64');
    }
  });

  it('keeps the rules of linters that no other test here checks', () => {
    const findings = [
      ...(description.info['license'] ? [] : ['the license is missing']),
      ...description.tags.filter((tag) => !('description' in tag)).map(({ name }) => `${name} has no description`),
      ...entries.flatMap(({ path, entry }) => [
        ...(entry['summary'] ? [] : [`${path}: no summary`]),
        ...(/[/?]$/.test(path) ? [`${path}: ends with a slash or a query`] : []),
        ...(/^[\w.-]+$/.test(String(entry['operationId'])) ? [] : [`${path}: the id cannot be part of a URL`]),
      ]),
      ...schemasIn(description).flatMap((schema) => [
        ...((schema['required'] as string[] | undefined) ?? [])
          .filter((name) => !(name in ((schema['properties'] as Json | undefined) ?? {})))
          .map((name) => `${schema['title']}: ${name} is required, but not declared`),
        ...((schema['enum'] as unknown[] | undefined) ?? [])
          .filter((word) => typeof word !== (schema['type'] === 'integer' ? 'number' : schema['type']))
          .map((word) => `${word} is not of type ${schema['type']}`),
      ]),
    ];
    expect(findings).toEqual([]);
  });

  it('omits the sandbox in production', async () => {
    const production = await startTestServer({ config: { mode: 'production' } });
    try {
      const { paths } = (await production.call('GET', '/openapi.json')).body as Description;
      expect(Object.keys(paths).sort()).toEqual([...new Set(productionOperations.map(({ path }) => path))].sort());
      expect((await production.call('POST', '/api/sandbox/merchants', { token: 'x' })).status).toBe(404);
    } finally {
      await production.stop();
    }
  });
});
