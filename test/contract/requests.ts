/** What the contract tests share: how each operation is asked for, by whom, and what every answer must look like. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import type { Answer, CallOptions } from '../support/http.js';
import { OPERATOR_KEY, type TestMerchant, type TestServer } from '../support/server.js';

export type Json = Record<string, unknown>;

export function nameOf({ surface, name }: Operation): string {
  return `${surface}.${name}`;
}

/** The names in braces of a path. */
export function parametersOf({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** One merchant with something of everything that a path can name, and with everyone who may ask. */
export interface Business {
  readonly merchant: TestMerchant;
  readonly owner: { readonly email: string; readonly password: string };
  /** The secret of the owner's session. */
  readonly session: string;
  /** By the name of the path parameter. A built operation whose parameter is missing here fails its tests. */
  readonly ids: Readonly<Record<string, string>>;
}

export async function openBusiness(server: TestServer): Promise<Business> {
  const owner = { email: `owner-${randomUUID()}@example.com`, password: 'correct horse battery' };
  const merchant = await server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }], owner });
  const { token } = merchant;
  const create = async (path: string, body: Json): Promise<string> =>
    (await server.call('POST', path, { token, body })).body.id;
  const role_id = await create('/v1/me/roles', { name: 'Cashier', permissions: [] });
  const employee_id = await create('/v1/me/employees', { first_name: 'A', last_name: 'B', role_ids: [role_id] });
  const ids = { merchant_id: merchant.id, location_id: merchant.locationIds[0] ?? '', role_id, employee_id };
  return { merchant, owner, session: await signIn(server, owner), ids: { ...ids, id: employee_id } };
}

export async function signIn(server: TestServer, owner: Business['owner']): Promise<string> {
  const { headers } = await server.call('POST', '/dashboard/session', { body: owner });
  const session = /^tillhouse_session=([^;]+)/.exec(String(headers['set-cookie']))?.[1];
  if (session === undefined) throw new Error('no session');
  return session;
}

/** The path with real ids where the business has them; operations that are not built name things that cannot exist yet. */
export function pathOf(operation: Operation, ids: Readonly<Record<string, string>>): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'none-yet'));
}

/** The same id with another ending: as long, as well formed, and of nobody. */
export function madeUp(id: string): string {
  return id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');
}

export function cookie(session: string): CallOptions {
  return { headers: { cookie: `tillhouse_session=${session}` } };
}

/** The credential that opens an operation's surface. */
export function credentialFor({ surface }: Operation, business: Business): CallOptions {
  if (surface === 'dashboard') return cookie(business.session);
  return { token: surface === 'sandbox' ? OPERATOR_KEY : business.merchant.token };
}

type BodyMaker = (business: Business, server: TestServer) => Json | Promise<Json>;

/** A body that each operation accepts. An operation that takes one and is missing here fails its tests. */
const BODIES: Readonly<Record<string, BodyMaker>> = {
  'v1.createEmployee': ({ ids, merchant }) => ({
    first_name: 'Ana',
    last_name: 'Ruiz',
    email: 'ana@example.com',
    external_id: 'HR-9',
    role_ids: [ids['role_id']],
    authorized_location_ids: [...merchant.locationIds],
  }),
  'v1.updateEmployee': () => ({ first_name: 'Ana', last_name: 'Ruiz' }),
  'v1.createEmployeeRole': () => ({ name: 'Manager', permissions: ['REGISTER_EDIT_ITEM'], is_owner: false }),
  'v1.updateEmployeeRole': () => ({ name: 'Manager' }),
  'dashboard.signIn': ({ owner }) => ({ ...owner }),
  'sandbox.createMerchant': () => ({ business_name: 'Another' }),
  'sandbox.setApproval': () => ({ approved: true }),
  'sandbox.changeClock': () => ({ advance: 'PT1S' }),
  'sandbox.createToken': () => ({ permissions: ['PAYMENTS_READ'] }),
  'sandbox.expireToken': async ({ merchant }, server) => ({ access_token: await server.createToken(merchant.id, []) }),
};

export async function goodBody(operation: Operation, business: Business, server: TestServer): Promise<Json> {
  const make = BODIES[nameOf(operation)];
  if (!make) throw new Error(`say in test/contract/requests.ts what a good body of ${nameOf(operation)} is`);
  return make(business, server);
}

/** A call that succeeds once the operation is built; `change` overrides parts of it. */
export async function callWell(
  server: TestServer,
  operation: Operation,
  business: Business,
  change: CallOptions = {},
): Promise<Answer> {
  // Signing out ends the session, so it gets one of its own.
  const asking =
    nameOf(operation) === 'dashboard.signOut'
      ? { ...business, session: await signIn(server, business.owner) }
      : business;
  const body = operation.body && { body: await goodBody(operation, business, server) };
  const credential = credentialFor(operation, asking);
  const headers = { ...credential.headers, ...change.headers };
  const answer = await server.call(operation.method, pathOf(operation, business.ids), {
    ...credential,
    ...body,
    ...change,
    headers,
  });
  expectDecent(answer, operation.path);
  return answer;
}

/** Words that only our own code, its libraries or the database would say. */
const INTERNAL =
  /postgres|\bat \S+ \(|at Object|node_modules|\/src\/|\/dist\/|\.[jt]s:\d|\b\w+Error\b:|\bajv\b|fastify/i;

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

/** What holds for every answer of the API, whatever was asked. */
export function expectDecent({ headers, text }: Answer, path: string): void {
  expect(headers).toMatchObject(SECURITY_HEADERS);
  expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  // Decision 13: answers of the second generation say which version they follow.
  expect(headers['square-version']).toBe(path.startsWith('/v2/') ? '2020-02-26' : undefined);
  expect(headers['content-type']).toMatch(/^application\/json(?:; charset=utf-8)?$/);
  expect(text).not.toMatch(INTERNAL);
}

export interface Refusal {
  readonly status: number;
  /** v1 `type`, v2 `code`. */
  readonly word: string;
  readonly category?: string;
  readonly message: string;
  readonly field: string | undefined;
}

/** Takes a refusal apart, after checking that it has exactly the shape of the path's generation (decision 2). */
export function readRefusal(answer: Answer, path: string): Refusal {
  expectDecent(answer, path);
  const { status, body, text } = answer;
  const optionalField = body?.field === undefined && body?.errors?.[0]?.field === undefined ? [] : ['field'];
  if (isV1(path)) {
    expect(Object.keys(body ?? {}), text).toEqual(['type', 'message', ...optionalField]);
    const { type, message, field } = body;
    for (const each of [type, message]) expect(each).toEqual(expect.stringMatching(/\S/));
    return { status, word: type, message, field };
  }
  expect(Object.keys(body ?? {}), text).toEqual(['errors']);
  expect(body.errors).toHaveLength(1);
  expect(Object.keys(body.errors[0])).toEqual(['category', 'code', 'detail', ...optionalField]);
  const { category, code, detail, field } = body.errors[0];
  for (const each of [category, code, detail]) expect(each).toEqual(expect.stringMatching(/\S/));
  return { status, word: code, category, message: detail, field };
}

export function isV1(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/');
}

/** A refusal by status and word in the shape of each generation. */
export type Expected = { readonly v1: readonly [number, string]; readonly v2: readonly [number, string] };

export function expectRefusal(answer: Answer, path: string, expected: Expected): Refusal {
  const refusal = readRefusal(answer, path);
  expect([refusal.status, refusal.word], answer.text).toEqual(isV1(path) ? expected.v1 : expected.v2);
  return refusal;
}
