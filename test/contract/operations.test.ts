import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { listQuery } from '../../src/api/pagination.js';
import { responseSchema } from '../../src/api/routes.js';
import { operations, productionOperations } from '../../src/operations.js';
import { CONTRACT, contractOperations, rowOf } from './contract.js';
import { nameOf } from './requests.js';

/** Contract 9 rule 2. */
const DEPRECATED = [
  'v1.createTimecard',
  'v1.deleteTimecard',
  'v1.listBankAccounts',
  'v1.listCashDrawerShifts',
  'v1.listTimecardEvents',
  'v1.listTimecards',
  'v1.retrieveBankAccount',
  'v1.retrieveCashDrawerShift',
  'v1.retrieveTimecard',
  'v1.updateTimecard',
];

describe('the contract', () => {
  it('is exactly the 41 operations of contract 4, each with its method, path and permission (contract 11.6)', () => {
    expect(CONTRACT).toHaveLength(41);
    expect(contractOperations.map(rowOf).sort()).toEqual([...CONTRACT].sort());
  });

  it('deprecates the ten operations of contract 9 from 2020-02-26, retired 2021-02-26, and no others', () => {
    const deprecated = operations.filter((each) => each.deprecated);
    expect(deprecated.map(nameOf).sort()).toEqual(DEPRECATED);
    for (const each of deprecated) expect(each.deprecated).toEqual({ since: '2020-02-26', retired: '2021-02-26' });
  });

  it('requires an approved account for employees, roles and timecards, wherever they are changed (decision 0020)', () => {
    const needing = operations.filter((each) => each.requires === 'EMPLOYEE_MANAGEMENT').map(({ path }) => path);
    const concerned = operations
      .map(({ path }) => path)
      .filter((path) =>
        /^\/v1\/me\/(?:employees|roles|timecards)\b|^\/v2\/labor\b|^\/api\/dashboard\/(?:employees|roles|timecards|hours)\b|^\/api\/register\/timecards\b/.test(
          path,
        ),
      );
    expect(needing).toEqual(concerned);
    expect(needing.length).toBeGreaterThan(14);
  });

  it('requires a second permission when a body has an application fee (contract 5 rule 2), and nowhere else', () => {
    const depending = operations.filter(
      ({ permission }) => typeof permission === 'object' && 'withField' in permission,
    );
    expect(depending.map(nameOf)).toEqual(['v2.createPayment', 'v2.refundPayment']);
    const withField = { name: 'app_fee_money', permission: 'PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS' };
    for (const { permission } of depending) expect(permission).toEqual({ always: 'PAYMENTS_WRITE', withField });
  });

  it('has pages as contract 8 and decision 0009 specify', () => {
    const rules = contractOperations.flatMap((each) =>
      each.page ? [[nameOf(each), each.page.token, each.page.limit]] : [],
    );
    expect(rules.length).toBeGreaterThan(0);
    for (const [name, token, limit] of rules) {
      expect([name, token, limit], String(name)).toEqual([name, ...(PAGES[String(name)] ?? ['no such list'])]);
    }
    // Every list that has pages is declared with them.
    const named = contractOperations.filter((each) => nameOf(each) in PAGES);
    expect(named.filter((each) => !each.page).map(nameOf)).toEqual([]);
  });
});

const V1_PAGE = ['batch_token', { default: 100, max: 200, over: 'refuse' }];
const DRAWER_PAGE = ['cursor', { default: 200, max: 1000, over: 'refuse' }];
const V2_PAGE = ['cursor', { default: 100, max: 100, over: 'cap' }];

const PAGES: Readonly<Record<string, readonly unknown[]>> = {
  'v1.listEmployees': V1_PAGE,
  'v1.listEmployeeRoles': V1_PAGE,
  'v1.listTimecards': V1_PAGE,
  'v1.listPayments': V1_PAGE,
  'v1.listRefunds': V1_PAGE,
  'v1.listOrders': V1_PAGE,
  'v1.listSettlements': V1_PAGE,
  'v2.listPayments': V2_PAGE,
  'v2.listPaymentRefunds': V2_PAGE,
  'v2.listCashDrawerShifts': DRAWER_PAGE,
  'v2.listCashDrawerShiftEvents': DRAWER_PAGE,
  'v2.listEmployees': ['cursor', { default: 50, max: 50, over: 'cap' }],
};

const ajv = new Ajv({ strict: false });

/** The places where a schema is not valid JSON Schema. The program does not check this (src/api/validators.ts). */
function invalid(schema: object): string[] {
  ajv.validateSchema(schema);
  return (ajv.errors ?? []).map(({ instancePath }) => instancePath);
}

/** What a row says of an operation besides its credential. */
function marksOf({ method, body, requires, recentSignIn, beyondContract }: Operation): string[] {
  return [
    ...((method === 'POST' || method === 'PUT') && !body ? ['no body'] : []),
    ...(requires ? ['approved'] : []),
    ...(recentSignIn ? ['recent sign-in'] : []),
    ...(beyondContract ? ['beyond the contract'] : []),
  ];
}

describe('every declaration', () => {
  it('has a name that is unique on its surface', () => {
    expect(new Set(operations.map(nameOf)).size).toBe(operations.length);
  });

  it('has a method and path that no other has', () => {
    const routes = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(new Set(routes).size).toBe(operations.length);
  });

  it('is under the path of its surface: the published ones at the root, our own JSON under /api', () => {
    const published = ['v1', 'v2', 'oauth2'];
    for (const { surface, path } of operations) {
      const root = published.includes(surface) ? `/${surface}/` : `/api/${surface}/`;
      expect(path.startsWith(root), path).toBe(true);
    }
  });

  it('has a summary of one sentence', () => {
    for (const { summary } of operations) expect(summary).toMatch(/^[A-Z].*\.$/);
  });

  it.each(operations.map((each) => [nameOf(each), each] as const))(
    '%s has only valid schemas with a type',
    (_, each) => {
      const query = each.page ? listQuery(each, each.page) : each.query;
      for (const [part, schema] of Object.entries({ query, body: each.body, response: responseSchema(each) })) {
        if (schema === undefined) continue;
        expect(untyped(schema, part)).toEqual([]);
        expect(invalid(schema)).toEqual([]);
      }
    },
  );

  it('would be found with an invalid schema', () => {
    expect(invalid({ type: 'string', maxLength: -1 })).toEqual(['/maxLength']);
    expect(invalid({ type: 'text' })).toContain('/type');
  });
});

describe('the operations beyond the contract', () => {
  it('are those of the recorded list, with their credentials; `npm run docs` records it', async () => {
    const rows = operations
      .filter((each) => !contractOperations.includes(each))
      .map((each) => [rowOf(each), ...marksOf(each)].join(' '));
    await expect(`${rows.join('\n')}\n`).toMatchFileSnapshot('recorded/operations.txt');
  });

  it('of published clients say so, if clients call them beside the 41 (decision 0103)', () => {
    const beyond = operations.filter((each) => each.beyondContract);
    expect(beyond.length).toBeGreaterThan(0);
    for (const each of beyond) {
      expect([nameOf(each), each.surface, contractOperations.includes(each)]).toEqual([nameOf(each), 'v2', false]);
    }
  });

  it('omit the sandbox in production, and nothing else (decision 0050)', () => {
    expect(productionOperations).toEqual(operations.filter(({ surface }) => surface !== 'sandbox'));
    expect(productionOperations.length).toBeLessThan(operations.length);
  });
});

describe('the walk over schemas', () => {
  it('finds a schema that accepts anything, at any depth', () => {
    const hidden = { type: 'object', properties: { a: { type: 'array', items: {} }, b: { description: 'any' } } };
    expect(untyped(hidden, 'body')).toEqual(['body.a[]', 'body.b']);
    expect(untyped({ type: 'array' }, 'body')).toEqual(['body[]']);
    expect(untyped({ anyOf: [{ type: 'string' }, {}] }, 'query')).toEqual(['query|1']);
    expect(untyped({ type: 'object', patternProperties: { '^.*$': {} } }, 'body')).toEqual(['body{^.*$}']);
  });
});

/** The places of a schema that accept any value. */
function untyped(schema: unknown, at: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [at];
  const node = schema as Record<string, unknown>;
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (node[key] as unknown[] | undefined) ?? []);
  if (branches.length > 0) return branches.flatMap((branch, index) => untyped(branch, `${at}|${index}`));
  if ('const' in node) return [];
  if (typeof node['type'] !== 'string') return [at];
  const children = [
    ...Object.entries((node['properties'] as object | undefined) ?? {}).map(([name, child]) => [
      `${at}.${name}`,
      child,
    ]),
    ...Object.entries((node['patternProperties'] as object | undefined) ?? {}).map(([name, child]) => [
      `${at}{${name}}`,
      child,
    ]),
    ...(node['type'] === 'array' ? [[`${at}[]`, node['items'] ?? {}]] : []),
  ] as const;
  return children.flatMap(([place, child]) => untyped(child, String(place)));
}
