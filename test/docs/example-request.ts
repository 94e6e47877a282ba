/** The request that the OpenAPI document shows as the example of an operation. */
import { describeApi } from '../../src/api/openapi.js';
import { fullName, type Operation } from '../../src/api/operation.js';

interface Described {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query';
    readonly required?: boolean;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

export interface ExampleRequest {
  readonly path: string;
  readonly body: unknown;
  /** The names of the credentials that it needs together. */
  readonly schemes: readonly string[];
}

function describeOne(operation: Operation): Described {
  const { paths } = describeApi([operation]) as { paths: Record<string, Record<string, Described>> };
  const described = paths[operation.path]?.[operation.method.toLowerCase()];
  if (!described) throw new Error(`${fullName(operation)} is not in the document`);
  return described;
}

/** The request that the document of an operation shows. Throws if it shows only a part of one. */
export function requestOf(operation: Operation): ExampleRequest {
  const { parameters, requestBody, security } = describeOne(operation);
  const missing = parameters.filter(({ required, example }) => required && example === undefined);
  const body = requestBody?.content['application/json']?.example;
  if (missing.length > 0 || (requestBody && body === undefined)) {
    throw new Error(`${fullName(operation)} has no complete example. Declare one, with ids of api/sample-ids.ts.`);
  }
  const sampleOf = (name: string) => encodeURIComponent(String(parameters.find((each) => each.name === name)?.example));
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => sampleOf(name));
  const query = parameters.filter((each) => each.in === 'query' && each.example !== undefined);
  const search = new URLSearchParams(query.map(({ name, example }) => [name, String(example)])).toString();
  return { path: search === '' ? path : `${path}?${search}`, body, schemes: Object.keys(security[0] ?? {}) };
}
