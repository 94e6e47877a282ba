/** Generates the OpenAPI 3.1 description from the declared operations, so that it always matches the server. */

import { JSON_TYPE } from '../base/json.js';
import { descriptionOf } from '../base/schema.js';
import { SESSION_COOKIE } from './authorize.js';
import { bodyLimitOf } from './body-limits.js';
import { fullName, type Operation, type Surface } from './operation.js';
import { listQuery } from './pagination.js';
import { ErrorModel, shapeOf } from './render-error.js';
import { responseSchema } from './routes.js';
import { sampleIdFor } from './sample-ids.js';
import { about, model, optional, type Schema, Type, text } from './wire.js';

type Json = Record<string, unknown>;

/** What the server responded to the example of an operation, by the operation's full name. `npm run docs` records them. */
export type ResponseExamples = Readonly<Record<string, unknown>>;

const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

const FORM_TYPE = 'application/x-www-form-urlencoded';

const SURFACES: Readonly<Record<Surface, { about: string; security: string }>> = {
  v1: { about: 'First generation of the public API.', security: 'accessToken' },
  v2: { about: 'Second generation of the public API.', security: 'accessToken' },
  oauth2: {
    about: 'Tokens for applications. The owner authorizes an application on the page GET /oauth2/authorize.',
    security: 'clientSecret',
  },
  dashboard: { about: 'Operations for the owner of a merchant.', security: 'session' },
  register: { about: 'Operations for registers and the employees who are signed in at them.', security: 'deviceToken' },
  checkout: { about: 'Operations for the web page of an online store, on any site.', security: 'publishableKey' },
  sandbox: {
    about: 'Operations for the operator of a sandbox: merchants, clocks, tokens, faults.',
    security: 'operatorKey',
  },
};

const V1Error = model('V1Error', {
  type: about('The kind of error, for programs.', Type.String()),
  message: about('What is wrong, for people.', Type.String()),
  field: about('The parameter or the member of the body that is wrong.', optional(Type.String())),
});

const V2Errors = model('V2Errors', {
  errors: about('What is wrong. It has at least one element.', Type.Array(ErrorModel)),
});

export function describeApi(
  operations: readonly Operation[],
  {
    version = '0',
    examples = {},
    serverUrl = '/',
  }: {
    version?: string;
    examples?: ResponseExamples;
    /** Default: that of this description. */
    serverUrl?: string | undefined;
  } = {},
): Json {
  const models: Record<string, unknown> = {};
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    paths[operation.path] = path;
    path[operation.method.toLowerCase()] = describeOperation(operation, models, examples[fullName(operation)]);
  }
  const surfaces = [...new Set(operations.map(({ surface }) => surface))];
  return {
    openapi: '3.1.0',
    info: { title: 'Tillhouse', version, description: "A merchant's business in one server.", license: LICENSE },
    servers: [{ url: serverUrl }],
    tags: surfaces.map((name) => ({ name, description: SURFACES[name].about })),
    paths,
    components: {
      schemas: models,
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer', description: 'The access token of an application.' },
        clientSecret: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The secret of an application, as `Client SECRET`.',
        },
        deviceToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of a paired device.',
        },
        employeeSession: {
          type: 'apiKey',
          in: 'header',
          name: 'Tillhouse-Employee-Session',
          description:
            'The session of the employee who is signed in at the device. Sent together with the device token.',
        },
        publishableKey: {
          type: 'http',
          scheme: 'bearer',
          description: "The publishable key of a location's online store. It is not secret.",
        },
        operatorKey: { type: 'http', scheme: 'bearer', description: 'The key of the operator of this server.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description:
            'The session cookie. Its name begins with __Host- in production and ends with the port in a sandbox.',
        },
      },
    },
  };
}

function describeOperation(operation: Operation, models: Record<string, unknown>, response: unknown): Json {
  const { surface, summary, permission, deprecated, page, query, body, acceptsForm, path, requires, recentSignIn } =
    operation;
  const { example = {} } = operation;
  const fullQuery = page ? listQuery(operation, page) : query;
  const requirements = [
    `Requires ${describePermission(permission)}.`,
    ...(requires ? ['For approved accounts only.'] : []),
    ...(body ? [`The body has at most ${bodyLimitOf(operation) / 1024} KiB.`] : []),
    ...(operation.beyondContract ? ['Not one of the 41 operations of the contract.'] : []),
    ...(recentSignIn
      ? ['Requires a recent sign-in: a sign-in or a password confirmation within the last 15 minutes.']
      : []),
  ];
  return {
    tags: [surface],
    operationId: fullName(operation),
    summary,
    description: requirements.join(' '),
    ...(deprecated && { deprecated: true }),
    security: securityOf(operation),
    parameters: [...pathParameters(path), ...queryParameters(fullQuery, models, example.query)],
    ...(body && {
      requestBody: {
        content: {
          [JSON_TYPE]: content(body, models, example.body),
          ...(acceptsForm && { [FORM_TYPE]: content(body, models, example.body) }),
        },
      },
    }),
    responses: {
      200: { description: 'Success', content: { [JSON_TYPE]: content(responseSchema(operation), models, response) } },
      '4XX': refusal('The request is refused.', path, models),
      '5XX': refusal('The server cannot answer now.', path, models),
    },
  };
}

function refusal(description: string, path: string, models: Record<string, unknown>): Json {
  return { description, content: { [JSON_TYPE]: content(shapeOf(path) === 'v1' ? V1Error : V2Errors, models) } };
}

function securityOf({ surface, permission }: Operation): Json[] {
  if (permission === 'ANYONE') return [];
  const scheme = permission === 'TOKEN' ? 'accessToken' : SURFACES[surface].security;
  const needsEmployee = surface === 'register' && permission !== 'DEVICE';
  return [{ [scheme]: [], ...(needsEmployee && { employeeSession: [] }) }];
}

function describePermission(rule: Operation['permission']): string {
  if (typeof rule === 'string') return rule;
  if ('anyOf' in rule) return rule.anyOf.join(' or ');
  return `${rule.always}, and with \`${rule.withField.name}\` also ${rule.withField.permission}`;
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    description: describePathParameter(name),
    required: true,
    schema: text(),
    ...exampleOf(sampleIdFor(name)),
  }));
}

/** A parameter in a path is named after what it identifies. `id` alone identifies what the path names. */
function describePathParameter(name: string): string {
  const subject = name.replace(/_?id$/, '').replaceAll('_', ' ');
  if (!name.endsWith('id')) return `The ${subject}.`;
  return subject === '' ? 'The id of the record.' : `The id of the ${subject}.`;
}

function queryParameters(
  query: Schema | undefined,
  models: Record<string, unknown>,
  examples: Readonly<Record<string, unknown>> = {},
): Json[] {
  const { properties = {}, required = [] } = (query ?? {}) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...shape } = lift(schema, models) as Json;
    return {
      name,
      in: 'query',
      ...(description !== undefined && { description }),
      ...(required.includes(name) && { required: true }),
      schema: shape,
      ...exampleOf(examples[name]),
    };
  });
}

function content(schema: Schema, models: Record<string, unknown>, example?: unknown): Json {
  return { schema: lift(schema, models), ...exampleOf(example) };
}

function exampleOf(example: unknown): { example?: unknown } {
  return example === undefined ? {} : { example };
}

/** Moves every named model to the components and replaces it by a reference. */
function lift(node: unknown, models: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((each) => lift(each, models));
  if (typeof node !== 'object' || node === null) return node;
  const copy = withFormat(Object.fromEntries(Object.entries(node).map(([key, value]) => [key, lift(value, models)])));
  const { title } = node as { title?: unknown };
  const description = descriptionOf(node);
  const described = description === undefined ? {} : { description };
  if (typeof title !== 'string') return { ...copy, ...described };
  models[title] ??= copy;
  return { $ref: `#/components/schemas/${title}`, ...described };
}

/** Whole numbers that do not fit into 32 bits: many generated clients take fewer bits otherwise. */
function withFormat(node: Json): Json {
  const { type, maximum = Number.MAX_SAFE_INTEGER } = node;
  return type === 'integer' && Number(maximum) > 2 ** 31 - 1 ? { ...node, format: 'int64' } : node;
}
