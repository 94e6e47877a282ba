/** Builds the HTTP application from its dependencies; never listens. */
import { randomUUID } from 'node:crypto';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { type ApiDependencies, authenticateUnknownPath } from './api/authenticate.js';
import { acceptBodies } from './api/body.js';
import { registerDocs } from './api/docs.js';
import { splitQuery } from './api/input.js';
import { fullName, type Operation } from './api/operation.js';
import { type Page, registerPages } from './api/pages.js';
import { asRefusal, renderError, shapeOf } from './api/render-error.js';
import { createMethodFinder, mountOperations } from './api/routes.js';
import { answerPreflights, requireKnownHost, securityHeaders } from './api/safety.js';
import { endUnread } from './api/unread.js';
import { addressOf } from './api/visitor.js';
import type { TrustedProxies } from './base/config.js';
import { Refusal } from './base/errors.js';
import { DEFAULT_MAX_CONNECTIONS } from './base/flags.js';
import { JSON_TYPE } from './base/json.js';

const BODY_LIMIT_BYTES = 1024 * 1024;
const HEADER_LIMIT_BYTES = 16 * 1024;
/** Enough of a request to tell whose path it names. */
const MAX_PREFIX_LENGTH = 64;
const REQUEST_TIME_LIMIT_MS = 30_000;
/** For the headers of a request, on a new connection from its beginning: one that says nothing is closed. */
const SILENCE_LIMIT_MS = 10_000;
/** For a client to take a whole answer. */
const UNREAD_LIMIT_MS = 30_000;
/** How long a connection may rest between two requests; more than proxies keep theirs. */
const KEEP_ALIVE_MS = 72_000;
/** For a client to read why its connection is closed. */
const CLOSE_GRACE_MS = 1_000;

export interface AppOptions {
  readonly dependencies: ApiDependencies;
  readonly operations: readonly Operation[];
  readonly pages: readonly Page[];
  readonly log: Logger;
  /** Bound to loopback: only its own names are accepted as Host (decision 0053). */
  readonly loopbackOnly: boolean;
  /** Whose word on the client's address is taken; nobody's where absent. */
  readonly trustProxy?: TrustedProxies | undefined;
  readonly maxConnections?: number | undefined;
  readonly silenceLimitMs?: number | undefined;
  readonly unreadLimitMs?: number | undefined;
  /** Why the database cannot be worked with, in words; undefined where it can. */
  readonly findOutage: () => Promise<string | undefined>;
}

export async function buildApp({
  dependencies,
  operations,
  pages,
  log,
  loopbackOnly,
  trustProxy,
  maxConnections = DEFAULT_MAX_CONNECTIONS,
  silenceLimitMs = SILENCE_LIMIT_MS,
  unreadLimitMs = UNREAD_LIMIT_MS,
  findOutage,
}: AppOptions): Promise<FastifyInstance> {
  const { mode } = dependencies.context;
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    childLoggerFactory: (logger) => logger, // every line names its request itself; a child for each would be felt
    return503OnClosing: false, // what is under way on open connections is finished
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIME_LIMIT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      maxHeaderSize: HEADER_LIMIT_BYTES,
      headersTimeout: silenceLimitMs,
      connectionsCheckingInterval: Math.ceil(silenceLimitMs / 4), // nothing is closed between two looks
    },
    trustProxy: trustProxy === undefined ? false : toTrust(trustProxy),
    forceCloseConnections: 'idle',
    // No parameter is longer than the request line: an id that is too long gets its answer after the question who asks.
    routerOptions: { maxParamLength: HEADER_LIMIT_BYTES, querystringParser: splitQuery },
    async frameworkErrors(error, request, reply) {
      reply.headers(securityHeaders(request.url, request.id, mode)); // it runs no hooks for what it cannot route
      const refused = await authenticateUnknownPath(request as FastifyRequest, dependencies).then(
        () => error,
        (refusal: unknown) => refusal,
      );
      sendError(refused, request as never, reply as never);
    },
    clientErrorHandler(error, socket) {
      if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
      const path = pathIn((error as { rawPacket?: unknown }).rawPacket);
      const { status, body } = renderError(asRefusal(error) ?? new Refusal('BAD_REQUEST'), shapeOf(path));
      const headers = {
        ...securityHeaders(path, randomUUID(), mode),
        'content-type': JSON_TYPE,
        'content-length': Buffer.byteLength(body),
        connection: 'close',
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}\r\n${body}`);
      setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref(); // a client that never closes its end does not keep ours
    },
  });

  app.server.maxConnections = maxConnections;
  endUnread(app.server, unreadLimitMs);
  // Node would hang up with an empty 417; what nobody here can promise is no reason not to answer.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  acceptBodies(app);
  app.setErrorHandler(sendError);
  const methodsAt = createMethodFinder(operations);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders(pathOf(request), request.id, mode));
    if (loopbackOnly) requireKnownHost(request.headers.host, dependencies.publicUrl);
    if (!request.is404) return;
    await authenticateUnknownPath(request, dependencies);
    refuseUnknown(request, reply, methodsAt); // here, so that no body is read first
  });
  app.addHook('onResponse', async (request, reply) => logAnswer(request, reply));

  app.get('/healthz', async (_request, reply) => sendStatus(reply, 'ok'));
  app.get('/readyz', async (_request, reply) => {
    const outage = await findOutage();
    if (outage !== undefined) throw new Refusal('SERVICE_UNAVAILABLE', { detail: outage, retryAfterSeconds: 1 });
    return sendStatus(reply, 'ready');
  });
  await registerDocs(app, operations);
  answerPreflights(app);
  mountOperations(app, operations, dependencies);
  registerPages(app, pages, dependencies);
  return app;
}

/** By a serialiser of our own: the framework's would add a charset to the content type. */
function sendStatus(reply: FastifyReply, status: string): FastifyReply {
  return reply.type(JSON_TYPE).serializer(JSON.stringify).send({ status });
}

/** The framework does not take a bare number: it counts proxies from the nearest on, which is the first to be asked about. */
function toTrust(trusted: TrustedProxies): string[] | ((address: string, hop: number) => boolean) {
  return 'hops' in trusted ? (_address, hop) => hop < trusted.hops : [...trusted.addresses];
}

function refuseUnknown(
  { method, url }: FastifyRequest,
  reply: FastifyReply,
  methodsAt: ReturnType<typeof createMethodFinder>,
): never {
  const path = url.split('?', 1)[0] ?? '';
  const supported = methodsAt(path).join(', ');
  if (supported === '') throw new Refusal('NOT_FOUND', { detail: `There is no ${method} ${path.slice(0, 100)}.` });
  reply.header('allow', supported);
  throw new Refusal('METHOD_NOT_ALLOWED', { detail: `This path supports ${supported}.` });
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = asRefusal(error);
  if (!refusal)
    request.log.error({ err: error, request_id: request.id, operation: operationName(request) }, 'unexpected');
  const { status, body } = renderError(refusal ?? new Refusal('INTERNAL_SERVER_ERROR'), shapeOf(pathOf(request)));
  if (refusal) reply.headers(refusal.headers);
  if (refusal?.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds);
  return reply.code(status).type(JSON_TYPE).serializer(String).send(body);
}

/** One line a request: what, how it ended, how long it took. No body, no query, no credential. */
function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  if (!(request.log as Logger).isLevelEnabled('info')) return;
  request.log.info(
    {
      request_id: request.id,
      operation: operationName(request),
      method: request.method,
      address: addressOf(request),
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
    },
    'answered',
  );
}

/** The path that bytes ask for which are not quite a request; empty where they do not begin with one. */
function pathIn(packet: unknown): string {
  const start = Buffer.isBuffer(packet) ? packet.toString('latin1', 0, MAX_PREFIX_LENGTH) : '';
  return /^[A-Z]+ (\/\S*)/.exec(start)?.[1] ?? '';
}

/** The path as it was declared, where it was: a client may spell its letters as percent codes. */
function pathOf(request: FastifyRequest): string {
  return request.routeOptions?.config?.operation?.path ?? request.url;
}

function operationName(request: FastifyRequest): string {
  const { operation, page } = request.routeOptions?.config ?? {};
  const named = operation ?? page;
  return named ? fullName(named) : 'none';
}
