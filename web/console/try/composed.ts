/** A request that a developer composes: what was typed, and what is sent. */
import type { DescribedApi, DescribedOperation, Scheme } from './described.js';
import { skeletonOf } from './skeleton.js';

/** What was typed, by the names of the parameters. */
export type Values = Readonly<Record<string, string>>;

export interface Composed {
  readonly operation: DescribedOperation;
  readonly values: Values;
  /** The body as JSON. Undefined: the operation has none, or nothing was typed. */
  readonly body: unknown;
}

/** The header of each scheme begins with a word. */
export const SCHEMES: Readonly<Record<Scheme, { readonly word: string; readonly variable: string }>> = {
  accessToken: { word: 'Bearer', variable: 'ACCESS_TOKEN' },
  clientSecret: { word: 'Client', variable: 'APPLICATION_SECRET' },
  publishableKey: { word: 'Bearer', variable: 'PUBLISHABLE_KEY' },
  deviceToken: { word: 'Bearer', variable: 'DEVICE_TOKEN' },
  operatorKey: { word: 'Bearer', variable: 'OPERATOR_KEY' },
};

/** The header in which a register sends the session of its attendant. */
export const SESSION_HEADER = { name: 'Tillhouse-Employee-Session', variable: 'EMPLOYEE_SESSION' } as const;

export interface SecretHeader {
  readonly name: string;
  /** The text before the secret, such as `Bearer `. */
  readonly before: string;
  /** The environment variable that has the secret. */
  readonly variable: string;
}

/** The headers that show who sends a request. */
export function secretHeadersOf({ scheme }: DescribedOperation): readonly SecretHeader[] {
  if (scheme === undefined) return [];
  const { word, variable } = SCHEMES[scheme];
  const authorization = { name: 'Authorization', before: `${word} `, variable };
  return scheme === 'deviceToken' ? [authorization, { ...SESSION_HEADER, before: '' }] : [authorization];
}

/** Members of bodies that need a new value for each write. Stores and registers choose the ids of what they make. */
const KEYS = ['idempotency_key'];
const KEYS_WITH_ID = [...KEYS, 'id'];

/** The example of an operation. It gets new keys, so that it can be sent again and again. */
export function exampleOf(
  operation: DescribedOperation,
  models: DescribedApi['models'],
  newKey: () => string,
): Composed {
  const shown = operation.parameters.filter(({ example }) => example !== undefined);
  const values = Object.fromEntries(shown.map(({ name, example }) => [name, String(example)]));
  const example = operation.body && (operation.body.example ?? skeletonOf(operation.body.schema, models));
  if (typeof example !== 'object' || example === null) return { operation, values, body: example };
  const choosesIds = operation.surface === 'checkout' || operation.surface === 'register';
  const keys = (choosesIds ? KEYS_WITH_ID : KEYS).filter((name) => name in example).map((name) => [name, newKey()]);
  return { operation, values, body: { ...example, ...Object.fromEntries(keys) } };
}

/** The parameters of the query that have a value, in the order of the description. */
export function queryOf({ operation, values }: Composed): [string, string][] {
  return operation.parameters
    .filter((each) => each.in === 'query' && (values[each.name] ?? '') !== '')
    .map(({ name }) => [name, values[name] ?? '']);
}

/** The path with the query. */
export function pathOf(composed: Composed): string {
  const { operation, values } = composed;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = new URLSearchParams(queryOf(composed)).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** The parameters of the path that have no value. Without them the request would go to another path. */
export function missingOf({ operation, values }: Composed): readonly string[] {
  return operation.parameters
    .filter((each) => each.in === 'path' && (values[each.name] ?? '').trim() === '')
    .map(({ name }) => name);
}
