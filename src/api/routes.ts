/** Registers a route for each declared operation. All routes authenticate, read, refuse and respond in the same way. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { Refusal } from '../base/errors.js';
import { JSON_TYPE } from '../base/json.js';
import type { Page } from '../database/keyset.js';
import { type Topic, topicsOf } from '../identity/topics.js';
import { type ApiDependencies, authenticate, logHandlerRefusal } from './authenticate.js';
import { requirePermissionForBody } from './authorize.js';
import { isForm } from './body.js';
import { bodyLimitOf } from './body-limits.js';
import { sendText } from './compression.js';
import { deprecationHeaders } from './deprecation.js';
import { withFaults } from './faults.js';
import { withIgnoredFields } from './ignored-fields.js';
import { compileBody, compileQuery, type Reader } from './input.js';
import type { ApplicationContext, MerchantContext, Operation, PermissionRule, WithHeaders } from './operation.js';
import { ownUrl } from './own-url.js';
import { createPager, type ListRequest, type Pager } from './pagination.js';
import { Printed, printList } from './printed.js';
import { EARLIEST_BEGIN } from './ranges.js';
import { shapeOf } from './render-error.js';
import { requireVersionHeader } from './safety.js';
import { withStubs } from './stubbed-requests.js';
import { about, type Schema, Type } from './wire.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
  interface FastifyRequest {
    /** Its operation has begun: the caller, the path and what was sent were accepted. Never set for lists, which change nothing. */
    isHandled: boolean;
  }
}

/** Longer than every valid id. Longer values, and those with control characters, are refused without a lookup. */
const MAX_ID_LENGTH = 300;

export function mountOperations(
  app: FastifyInstance,
  operations: readonly Operation[],
  dependencies: ApiDependencies,
): void {
  app.decorateRequest('context', null as never);
  app.decorateRequest('isHandled', false);
  app.decorateReply('uncompressed', undefined);
  for (const operation of operations) registerRoute(app, operation, dependencies);
}

function registerRoute(app: FastifyInstance, operation: Operation, dependencies: ApiDependencies): void {
  const shape = shapeOf(operation.path);
  const headers = operation.deprecated && deprecationHeaders(operation.deprecated);
  const pager = pagerOf(operation);
  const readQuery = operation.query && !pager ? compileQuery(operation.query) : undefined;
  const readBody = operation.body && compileBody(operation.body, shape);
  const readForm = operation.body && operation.acceptsForm && compileQuery(operation.body);
  const readers = { readQuery, readBody };
  const send = createSender(responseSchema(operation));
  const topics = topicsOf(operation.path);
  const ownHandler = pager
    ? async (request: FastifyRequest, reply: FastifyReply) =>
        send(reply, await respondWithList(operation, pager, request, reply, dependencies))
    : (request: FastifyRequest, reply: FastifyReply) => {
        const read = readForm && isForm(request) ? { readQuery, readBody: readForm } : readers;
        return respond(operation, read, { request, reply, dependencies, send });
      };
  const checked = withIgnoredFields(operation, dependencies.ignoredFields, ownHandler);
  const handler = withFaults(operation, dependencies, withStubs(operation, dependencies, checked));

  const route: RouteOptions = {
    // The framework would add a second route for HEAD, which takes as long to register. Node.js leaves the body out.
    method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation },
    bodyLimit: bodyLimitOf(operation),
    onRequest(request, reply, done) {
      if (headers) reply.headers(headers);
      const waiting = authenticate(request, operation, dependencies);
      if (waiting instanceof Promise) {
        waiting.then(() => requireServed(operation, request, dependencies)).then(() => done(), done);
      } else {
        requireServed(operation, request, dependencies);
        done();
      }
    },
    ...(operation.method !== 'GET' && {
      // After the response, whether it succeeded or not: a request can be refused after a part of its work. Without a valid
      // credential it has done none, and what it sent must not reach the worker or the stream of an owner.
      onResponse({ context, params, isHandled }: FastifyRequest, { statusCode }: FastifyReply, done: () => void) {
        if (!isHandled || statusCode === 401) return done();
        const merchantId = findWrittenMerchant(operation, context, params);
        if (merchantId !== undefined) dependencies.onWrite(merchantId);
        publishWrite(dependencies, topics, context, params);
        done();
      },
    }),
    // The operator's own requests are not what a developer looks for.
    ...(dependencies.requestLog &&
      operation.surface !== 'sandbox' &&
      !operation.isPrivate && { onSend: dependencies.requestLog.hookFor(operation) }),
    handler,
  };
  app.route(route);
}

/** Refuses requests for reasons that do not depend on the caller. */
function requireServed(
  { deprecated, name: operationName }: Operation,
  { headers, params }: FastifyRequest,
  { retired }: ApiDependencies,
): void {
  if (deprecated && retired === 'gone') {
    throw new Refusal('GONE', { detail: `${operationName} was retired on ${deprecated.retired}.` });
  }
  requireVersionHeader(headers['square-version']);
  const given = params as Readonly<Record<string, string>>;
  for (const name in given) {
    const value = given[name] ?? '';
    if (value.length > MAX_ID_LENGTH || /\p{Cc}/u.test(value)) {
      throw new Refusal('NOT_FOUND', { detail: `There is no record with this ${name}.` });
    }
  }
}

/** The merchant that may now have new work or deliveries that are due soon; undefined: none. */
function findWrittenMerchant(
  { addsNoWork }: Operation,
  context: FastifyRequest['context'] | null,
  params: unknown,
): string | undefined {
  const { merchant } = (context ?? {}) as Partial<MerchantContext>;
  if (!merchant) return (params as { merchant_id?: string }).merchant_id; // a request of the operator
  return merchant.hasSubscriptions || !addsNoWork ? merchant.id : undefined;
}

/** Tells open pages of the merchant what may have changed. */
function publishWrite(
  { watches }: ApiDependencies,
  topics: readonly Topic[],
  context: FastifyRequest['context'] | null,
  params: unknown,
): void {
  const { merchant } = (context ?? {}) as Partial<MerchantContext>;
  const merchantId = merchant?.id ?? (params as { merchant_id?: string }).merchant_id; // without a merchant: the operator
  if (merchantId === undefined || topics.length === 0) return;
  watches.publish(merchantId, topics, merchant ? merchant.watch : 'unknown');
}

interface Responding {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly dependencies: ApiDependencies;
  readonly send: Send;
}

/** Sends the result of a handler. Returns what the framework has to wait for. */
type Send = (reply: FastifyReply, body: unknown) => unknown;

async function respond(
  operation: Operation,
  read: { readQuery: Reader | undefined; readBody: Reader | undefined },
  { request, reply, dependencies, send }: Responding,
): Promise<unknown> {
  let result: unknown;
  try {
    result = await handle(operation, read, request);
  } catch (error) {
    logHandlerRefusal(request, operation, dependencies, error);
    throw error;
  }
  if (!isWithHeaders(result)) return send(reply, result);
  reply.headers(result.headers);
  return send(reply, result.body);
}

function handle(
  operation: Operation,
  read: { readQuery: Reader | undefined; readBody: Reader | undefined },
  request: FastifyRequest,
): Promise<unknown> {
  const given = request.body === undefined ? {} : request.body;
  // Before the body is validated: a missing permission is reported before an invalid body (decision 0004).
  const { caller } = request.context as Partial<ApplicationContext>;
  if (caller) requirePermissionForBody(caller.permissions, operation.permission as PermissionRule, given);
  const body = read.readBody?.(given);
  const query = read.readQuery?.(request.query) ?? {};
  request.isHandled = true;
  return operation.handle(request.context, { params: request.params, query, body });
}

/**
 * Sends the result of a handler. The serializer is compiled on first use, so that the server starts faster, which matters most
 * in tests. Servers of one process share it: tests start hundreds. Text that is already printed is sent unchanged.
 */
function createSender(schema: Schema): Send {
  let print = printers.get(schema);
  return (reply, body) => {
    reply.type(JSON_TYPE);
    if (Buffer.isBuffer(body)) return sendText(reply, body);
    reply.serializer(String); // it is printed here: the framework would add a charset to the content type
    if (body instanceof Printed) return sendText(reply, body.text);
    if (!print) {
      print = printers.get(schema) ?? reply.compileSerializationSchema(schema as unknown as Record<string, unknown>);
      printers.set(schema, print);
    }
    return sendText(reply, print(body as Record<string, unknown>));
  };
}

function isWithHeaders(result: unknown): result is WithHeaders<unknown> {
  return typeof result === 'object' && result !== null && 'headers' in result && 'body' in result;
}

async function respondWithList(
  operation: Operation,
  pager: Pager,
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: ApiDependencies,
): Promise<unknown> {
  const params = request.params as Record<string, string>;
  // A list without a merchant has no clock, and no defaults relative to now.
  const { now = EARLIEST_BEGIN } = request.context as Partial<MerchantContext>;
  const list = pager.read(params, request.query as Record<string, string>, now);
  const { query, page } = await readPage({ operation, pager, context: request.context, params, list });
  const { items, next } = page;
  const token = next && pager.next(params, list, next);
  const keys = operation.page?.keys;
  if (token && !keys) {
    const base = ownUrl(request, dependencies.publicUrl);
    const path = request.url.split('?', 1)[0];
    // Clients compare the exact spelling of the header name, and Fastify would convert it to lower case (decision 0005).
    reply.raw.setHeader('Link', `<${base}${path}?${pager.link(token, list, query)}>;rel='next'`);
  }
  if (items[0] instanceof Printed) {
    return printList(items as readonly Printed[], keys, token);
  }
  if (!keys) return items;
  if (items.length === 0 && omitsEmptyLists(operation)) return {};
  return { ...Object.fromEntries(keys.map((key) => [key, items])), ...(token && { cursor: token }) };
}

/** Returns the page and the query with its defaults, which are relative to the time of the first page. */
async function readPage({
  operation,
  pager,
  context,
  params,
  list,
}: {
  readonly operation: Operation;
  readonly pager: Pager;
  readonly context: FastifyRequest['context'];
  readonly params: Readonly<Record<string, string>>;
  readonly list: ListRequest;
}): Promise<{ readonly query: ListRequest['query']; readonly page: Page<unknown> }> {
  try {
    const resolved = operation.resolve?.({ ...context, now: list.startedAt }, list.query) ?? list.query;
    const query = resolved as ListRequest['query'];
    const page = (await operation.handle(context, { params, query, page: list.page })) as Page<unknown>;
    return { query, page };
  } catch (error) {
    throw pager.explain(list, error);
  }
}

type Printer = (body: Record<string, unknown>) => string;

const printers = new WeakMap<Schema, Printer>();
const pagers = new WeakMap<Operation, Pager>();
const responseSchemas = new WeakMap<Operation, Schema>();

/** The same for every server of a process, so that its schemas are compiled once. */
function pagerOf(operation: Operation): Pager | undefined {
  if (!operation.page) return undefined;
  const pager = pagers.get(operation) ?? createPager(operation, operation.page);
  pagers.set(operation, pager);
  return pager;
}

/** The schema of a successful response, the same object each time. */
export function responseSchema(operation: Operation): Schema {
  const schema = responseSchemas.get(operation) ?? createResponseSchema(operation);
  responseSchemas.set(operation, schema);
  return schema;
}

/** An empty v2 list is `{}` (decision 0241). Pages of our own surfaces read `[]`. */
function omitsEmptyLists({ surface }: Operation): boolean {
  return surface === 'v2';
}

/** All lists derive it from their element in the same way. */
function createResponseSchema(operation: Operation): Schema {
  const { page, item, response } = operation;
  if (!page || !item) return response ?? Type.Object({});
  if (!page.keys) return Type.Array(item);
  const list = omitsEmptyLists(operation)
    ? about('The records of this page. Absent if there are none.', Type.Optional(Type.Array(item)))
    : about('The records of this page.', Type.Array(item));
  const lists = Object.fromEntries(page.keys.map((key) => [key, list]));
  return Type.Object({
    ...lists,
    cursor: about('The token of the next page. Absent on the last page.', Type.Optional(Type.String())),
  });
}

/**
 * Finds the methods of a path, to distinguish a wrong method from an unknown path. In v1 both are 404, so v1 paths are left
 * out (decision 0002).
 */
export function createMethodFinder(operations: readonly Operation[]): (path: string) => readonly string[] {
  const methods = new Map<string, string[]>();
  for (const { path, method } of operations) {
    if (shapeOf(path) !== 'v1') methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  const patterns = [...methods].map(
    ([path, supported]) => [new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), supported] as const,
  );
  return (path) => patterns.find(([pattern]) => pattern.test(path))?.[1] ?? [];
}
