/** Builds the HTTP application from its dependencies, without listening. */
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
import { type ChangeStreams, registerChangeStream } from './api/change-stream.js';
import { type ConsoleStreams, registerConsoleStream } from './api/console-stream.js';
import { registerDocs } from './api/docs.js';
import { splitQuery } from './api/input.js';
import { operationName, pathTemplate, requestFields } from './api/log-fields.js';
import { limitConnections } from './api/open-connections.js';
import type { Operation } from './api/operation.js';
import { type Page, registerPages } from './api/pages.js';
import { type ProcessorEvents, registerProcessorEvents } from './api/processor-events.js';
import { asRefusal, renderError, shapeOf } from './api/render-error.js';
import type { RequestLog } from './api/request-log.js';
import { createMethodFinder, mountOperations } from './api/routes.js';
import { fixedHeaders, handlePreflights, REQUEST_ID_HEADER, requireKnownHost, securityHeaders } from './api/safety.js';
import { traceRequests } from './api/trace-requests.js';
import { closeUnreadConnections } from './api/unread.js';
import { registerWeb } from './api/web.js';
import { listWebFiles } from './api/web-files.js';
import type { TrustedProxies } from './base/config.js';
import { Refusal } from './base/errors.js';
import { DEFAULT_MAX_CONNECTIONS } from './base/flags.js';
import { JSON_TYPE } from './base/json.js';
import type { Tracing } from './base/tracing.js';

/** Operations check their requests themselves. The framework's validator takes long to load. */
function refuseSchemas(): never {
  throw new Error('Routes have no schemas for requests: declare an operation.');
}

const BODY_LIMIT_BYTES = 1024 * 1024;
const HEADER_LIMIT_BYTES = 16 * 1024;
/** Bytes of an invalid request that are searched for its path. */
const MAX_PREFIX_LENGTH = 64;
const REQUEST_TIME_LIMIT_MS = 30_000;
/** The time for the headers of a request. On a new connection it starts with the connection, so an idle one is closed. */
const SILENCE_LIMIT_MS = 10_000;
/** The time for a client to read a whole response. */
const UNREAD_LIMIT_MS = 30_000;
/** The idle time between two requests; longer than that of common proxies, so that the proxy closes first. */
const KEEP_ALIVE_MS = 72_000;
/** The time for a client to read the error before its connection is closed. */
const CLOSE_GRACE_MS = 1_000;

export interface AppOptions {
  readonly dependencies: ApiDependencies;
  readonly operations: readonly Operation[];
  readonly pages: readonly Page[];
  readonly streams: ChangeStreams;
  /** Absent in production. */
  readonly consoleStreams?: ConsoleStreams | undefined;
  /** Absent if the processor sends none. */
  readonly processorEvents?: ProcessorEvents | undefined;
  readonly log: Logger;
  /** Bound to loopback: the Host header must be a loopback name or address (decision 0053). */
  readonly loopbackOnly: boolean;
  /** The proxies whose X-Forwarded-For header is trusted; default: none. */
  readonly trustProxy?: TrustedProxies | undefined;
  readonly maxConnections?: number | undefined;
  readonly headersTimeoutMs?: number | undefined;
  readonly readTimeoutMs?: number | undefined;
  /** Returns the reason why the database is unavailable; undefined if it is available. */
  readonly findOutage: () => Promise<string | undefined>;
  /** Resolves when other processes of the server have forgotten old credentials. Responses wait for it. */
  readonly untilForgotten?: (() => Promise<unknown> | undefined) | undefined;
  /** Called after every response, except those that are streams. */
  readonly onAnswered?: ((operation: string, status: number, durationMs: number) => void) | undefined;
  readonly tracing?: Tracing | undefined;
}

export async function buildApp({
  dependencies,
  operations,
  pages,
  streams,
  consoleStreams,
  processorEvents,
  log,
  loopbackOnly,
  trustProxy,
  maxConnections = DEFAULT_MAX_CONNECTIONS,
  headersTimeoutMs = SILENCE_LIMIT_MS,
  readTimeoutMs = UNREAD_LIMIT_MS,
  findOutage,
  untilForgotten,
  onAnswered,
  tracing,
}: AppOptions): Promise<FastifyInstance> {
  const { mode } = dependencies.context;
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    childLoggerFactory: (logger) => logger, // log lines contain the request id; a child logger per request costs measurable time
    return503OnClosing: false, // requests on open connections are finished
    schemaController: { compilersFactory: { buildValidator: refuseSchemas } },
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIME_LIMIT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      maxHeaderSize: HEADER_LIMIT_BYTES,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.ceil(headersTimeoutMs / 4), // Node closes connections only at this interval
    },
    trustProxy: trustProxy === undefined ? false : toTrust(trustProxy),
    forceCloseConnections: 'idle',
    // No limit below that of the request line: an id that is too long must be rejected after authentication.
    routerOptions: { maxParamLength: HEADER_LIMIT_BYTES, querystringParser: splitQuery },
    async frameworkErrors(error, request, reply) {
      reply.headers(securityHeaders(request.url, request.id, mode)); // no hooks run for requests that cannot be routed
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
      setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref(); // for clients that never close their side
    },
  });

  limitConnections(app.server, maxConnections);
  closeUnreadConnections(app.server, readTimeoutMs);
  // Node would respond with an empty 417 to an unknown Expect header; the request is processed instead.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  acceptBodies(app);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, dependencies.requestLog));
  const methodsAt = createMethodFinder(operations);
  if (tracing)
    traceRequests(app, tracing, (request) => ({ route: pathTemplate(request), operation: operationName(request) }));
  app.addHook('onRequest', (request, reply, done) => {
    // A path that is percent-encoded, or part of an absolute URL, is replaced by the declared path of its route.
    const isPlain = request.url.startsWith('/') && !request.url.includes('%');
    const path = isPlain ? request.url : pathOf(request);
    reply.headers(fixedHeaders(path, mode)).header(REQUEST_ID_HEADER, request.id);
    if (loopbackOnly) requireKnownHost(request.headers.host, dependencies.publicUrl);
    if (!request.is404) return done();
    authenticateUnknownPath(request, dependencies)
      .then(() => refuseUnknown(request, reply, methodsAt)) // in this hook, before the body is read
      .catch(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    logResponse(request, reply);
    done();
  });
  if (untilForgotten) {
    app.addHook('onSend', (_request, _reply, payload, done) => {
      const waiting = untilForgotten();
      if (waiting) void waiting.then(() => done(null, payload));
      else done(null, payload);
    });
  }
  if (onAnswered) {
    app.addHook('onResponse', (request, reply, done) => {
      if (!String(reply.getHeader('content-type')).startsWith('text/event-stream')) {
        onAnswered(operationName(request), reply.statusCode, reply.elapsedTime);
      }
      done();
    });
  }

  app.get('/healthz', async (_request, reply) => sendStatus(reply, 'ok'));
  app.get('/readyz', async (_request, reply) => {
    const outage = await findOutage();
    if (outage !== undefined) throw new Refusal('SERVICE_UNAVAILABLE', { detail: outage, retryAfterSeconds: 1 });
    return sendStatus(reply, 'ready');
  });
  await registerDocs(app, operations);
  handlePreflights(app);
  mountOperations(app, operations, dependencies);
  registerChangeStream(app, dependencies, streams);
  if (consoleStreams) registerConsoleStream(app, dependencies, consoleStreams);
  if (processorEvents) registerProcessorEvents(app, processorEvents);
  const webFiles = listWebFiles();
  registerPages(app, pages, dependencies, webFiles);
  registerWeb(app, mode, webFiles);
  return app;
}

/** With its own serializer: the framework's adds a charset to the content type. */
function sendStatus(reply: FastifyReply, status: string): FastifyReply {
  return reply.type(JSON_TYPE).serializer(JSON.stringify).send({ status });
}

/** The framework does not accept a number of hops. It calls the function for each proxy, nearest first. */
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

function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  requestLog?: RequestLog,
): FastifyReply {
  const refusal = asRefusal(error);
  if (!refusal) request.log.error({ err: error, ...requestFields(request) }, 'request failed unexpectedly');
  const { status, body } = renderError(refusal ?? new Refusal('INTERNAL_SERVER_ERROR'), shapeOf(pathOf(request)));
  if (refusal) reply.headers(refusal.headers);
  if (refusal?.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds);
  reply.code(status).type(JSON_TYPE).serializer(String);
  if (request.is404) requestLog?.record(undefined, request, reply, { payload: body }); // other requests are recorded by their routes
  return reply.send(body);
}

/** One line per request: who called what, status, duration. */
function logResponse(request: FastifyRequest, reply: FastifyReply): void {
  if (!(request.log as Logger).isLevelEnabled('info')) return;
  request.log.info(
    {
      ...requestFields(request),
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
    },
    'request completed',
  );
}

/** The path in the first line of an invalid request; empty if there is none. */
function pathIn(packet: unknown): string {
  const start = Buffer.isBuffer(packet) ? packet.toString('latin1', 0, MAX_PREFIX_LENGTH) : '';
  return /^[A-Z]+ (\/\S*)/.exec(start)?.[1] ?? '';
}

/** The declared path if there is one: the path of the request may be percent-encoded. */
function pathOf(request: FastifyRequest): string {
  return request.routeOptions?.config?.operation?.path ?? request.url;
}
