/** Generates the reference of the public API as Markdown, from the server's OpenAPI description. */
import { describeApi } from '../../src/api/openapi.js';
import type { Operation } from '../../src/api/operation.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: true;
  readonly parameters: readonly { name: string; in: 'path' | 'query'; required?: true; schema: Schema }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: { readonly 200: { readonly content: Content } };
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

const SECTIONS = [
  ['v1', 'First generation'],
  ['v2', 'Second generation'],
  ['oauth2', 'OAuth 2.0'],
] as const;

/** As Markdown renderers generate it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/ /g, '-');
}

export function headingOf({ surface, name }: Pick<Operation, 'surface' | 'name'>): string {
  return `${surface} ${name}`;
}

export function writeReference(operations: readonly Operation[]): string {
  const { paths, components } = describeApi(operations) as unknown as {
    paths: Record<string, Record<string, Described>>;
    components: { schemas: Record<string, Schema> };
  };
  const models = new Set<string>();
  const type = (schema: Schema): string => describeType(schema, models);
  const sections = SECTIONS.map(([surface, title]) => {
    const own = operations.filter((operation) => operation.surface === surface);
    const texts = own.map((operation) => {
      const described = paths[operation.path]?.[operation.method.toLowerCase()] as Described;
      return describe(operation, described, type);
    });
    return `## ${title}\n\n${texts.join('\n')}`;
  });
  // A model may refer to others that were not seen before, so `models` grows during the loop.
  const shown: string[] = [];
  for (const name of models) {
    const { properties = {}, required = [] } = components.schemas[name] ?? {};
    shown.push(`### ${name}\n\n${fields(properties, required, type)}`);
  }
  return [
    '# The public API',
    'This page is generated from the operations that the server declares (`npm run docs`). A running server shows the same reference at ' +
      '`/docs`, together with its other surfaces. [Errors](errors.md) describes the error responses, and ' +
      '[decisions](decisions/README.md) describes what the published API leaves open.',
    ...sections,
    `## Models\n\n${shown.sort().join('\n')}`,
  ].join('\n\n');
}

function describe(operation: Operation, described: Described, type: (schema: Schema) => string): string {
  const { summary, description, deprecated, parameters, requestBody, responses } = described;
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const body = requestBody?.content['application/json']?.schema;
  const response = responses[200].content['application/json']?.schema ?? {};
  const parts = [
    `### ${headingOf(operation)}`,
    `\`${operation.method} ${operation.path}\``,
    `${summary} ${description}${deprecated ? ' Deprecated.' : ''}`,
    query.length > 0 && `Query:\n\n${query.map(({ name, schema }) => `- \`${name}\`: ${type(schema)}`).join('\n')}`,
    body?.properties && `Body:\n\n${fields(body.properties, body.required ?? [], type)}`.trimEnd(),
    `Returns ${describeResponse(response, type)}.`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function describeResponse(schema: Schema, type: (schema: Schema) => string): string {
  if (!schema.properties) return type(schema);
  const names = Object.entries(schema.properties).map(([name, property]) => `\`${name}\` (${type(property)})`);
  return names.length === 0 ? 'an empty object' : names.join(', ');
}

function fields(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
  type: (schema: Schema) => string,
): string {
  const rows = Object.entries(properties).map(
    ([name, schema]) => `- \`${name}\`${required.includes(name) ? ', required' : ''}: ${type(schema)}`,
  );
  return `${rows.join('\n')}\n`;
}

function describeType(schema: Schema, models: Set<string>): string {
  const inner = (each: Schema): string => describeType(each, models);
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    models.add(name);
    return `[${name}](#${anchorOf(name)})`;
  }
  if (schema.enum) return schema.enum.map((word) => `\`${word}\``).join(', ');
  if (schema.type === 'array') {
    return `list${schema.maxItems === undefined ? '' : ` (at most ${schema.maxItems})`} of ${inner(schema.items ?? {})}`;
  }
  if (schema.properties) {
    const { properties, required = [] } = schema;
    const names = Object.entries(properties).map(
      ([name, each]) => `\`${name}\`${required.includes(name) ? '' : '?'}: ${inner(each)}`,
    );
    return `{ ${names.join('; ')} }`;
  }
  if (schema.format === 'date-time') return 'time';
  return [schema.type ?? 'any value', ...limits(schema)].join(', ');
}

function limits({ minimum, maximum, minLength, maxLength }: Schema): string[] {
  return [
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : '',
    minLength !== undefined && minLength > 1 ? `at least ${minLength} characters` : '',
    maxLength !== undefined ? `at most ${maxLength} characters` : '',
  ].filter(Boolean);
}
