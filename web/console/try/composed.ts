/** A request that a developer composes: what was typed, and what is sent. */
import type { DescribedOperation, Scheme } from './described.js';

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
};

/** The example of an operation. A key of its own makes that it can be sent again and again. */
export function exampleOf(operation: DescribedOperation, newKey: () => string): Composed {
  const shown = operation.parameters.filter(({ example }) => example !== undefined);
  const values = Object.fromEntries(shown.map(({ name, example }) => [name, String(example)]));
  const example = operation.body?.example;
  const hasKey = typeof example === 'object' && example !== null && 'idempotency_key' in example;
  return { operation, values, body: hasKey ? { ...example, idempotency_key: newKey() } : example };
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

/** The parameters of the path without a value: with none, the request would go elsewhere. */
export function missingOf({ operation, values }: Composed): readonly string[] {
  return operation.parameters
    .filter((each) => each.in === 'path' && (values[each.name] ?? '').trim() === '')
    .map(({ name }) => name);
}
