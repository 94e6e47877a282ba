/** The operations that programs call, as the OpenAPI description of this server has them. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** How a request shows who sends it. */
export type Scheme = 'accessToken' | 'clientSecret' | 'publishableKey' | 'deviceToken' | 'operatorKey';

export interface DescribedOperation {
  /** Such as `v2.createPayment`. */
  readonly name: string;
  readonly surface: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly isDeprecated: boolean;
  /** Undefined: anybody may call it. */
  readonly scheme: Scheme | undefined;
  readonly parameters: readonly Parameter[];
  /** Undefined: it has none. */
  readonly body: { readonly schema: Schema; readonly example: unknown } | undefined;
}

export interface DescribedApi {
  readonly operations: readonly DescribedOperation[];
  readonly models: Readonly<Record<string, Schema>>;
}

/** What programs call, in the order of the list. The dashboard is for people: a browser signs in to it. */
export const SURFACES = ['v2', 'v1', 'oauth2', 'checkout', 'register', 'sandbox'] as const;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface DocumentOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  };
}

export function readApi(text: string): DescribedApi {
  const { paths, components } = JSON.parse(text) as Document;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(method.toUpperCase(), path, operation)),
  );
  return {
    operations: SURFACES.flatMap((name) => all.filter(({ surface }) => surface === name)),
    models: components.schemas,
  };
}

function toOperation(method: string, path: string, operation: DocumentOperation): DescribedOperation {
  const content = operation.requestBody?.content['application/json'];
  return {
    name: operation.operationId,
    surface: operation.tags[0] ?? '',
    method,
    path,
    summary: operation.summary,
    description: operation.description,
    isDeprecated: operation.deprecated === true,
    scheme: Object.keys(operation.security[0] ?? {})[0] as Scheme | undefined,
    parameters: operation.parameters,
    body: content && { schema: content.schema, example: content.example },
  };
}

/** The schema behind a reference, with the description of its use. */
export function resolve(schema: Schema, models: DescribedApi['models']): Schema {
  if (schema.$ref === undefined) return schema;
  const target = models[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] ?? {};
  return { ...target, ...(schema.description !== undefined && { description: schema.description }) };
}
