/** Builds the HTTP application from its dependencies, without listening. */
import type { Server } from 'node:http';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { type ApiDependencies, authenticateUnknownPath } from '../api/authenticate.js';
import { acceptBodies } from '../api/body.js';
import { OPEN_BODY_BYTES } from '../api/body-limits.js';
import { type ChangeStreams, registerChangeStream } from '../api/change-stream.js';
import { type ConsoleStreams, registerConsoleStream } from '../api/console-stream.js';
import { registerDocs } from '../api/docs.js';
import { splitQuery } from '../api/input.js';
import { withoutLastSlash } from '../api/last-slash.js';
import { operationName, pathTemplate, paymentOf, requestFields } from '../api/log-fields.js';
import { refuseMalformed } from '../api/malformed-requests.js';
import { limitConnections } from '../api/open-connections.js';
import type { Operation } from '../api/operation.js';
import { type Page, registerPages } from '../api/pages.js';
import { type ProcessorEvents, registerProcessorEvents } from '../api/processor-events.js';
import { isStream, type RequestsInFlight } from '../api/requests-in-flight.js';
import { createMethodFinder, mountOperations } from '../api/routes.js';
import {
  fixedHeaders,
  handlePreflights,
  REQUEST_ID_HEADER,
  requireKnownHost,
  securityHeaders,
  versionHeaders,
} from '../api/safety.js';
import { NOT_IMPLEMENTED_HEADER, pathOf, refuseUnknown, sendError } from '../api/send-error.js';
import { answerUnknown } from '../api/stubbed-requests.js';
import { traceRequests } from '../api/trace-requests.js';
import { createRequestIds, toTrust } from '../api/trusted-proxies.js';
import { closeUnreadConnections } from '../api/unread.js';
import { registerWeb } from '../api/web.js';
import { listWebFiles } from '../api/web-files.js';
import type { TrustedProxies } from '../base/config.js';
import { Refusal } from '../base/errors.js';
import { DEFAULT_MAX_CONNECTIONS } from '../base/flags.js';
import { JSON_TYPE } from '../base/json.js';
import type { Tracing } from '../base/tracing.js';

/** Operations check their requests themselves. The framework's validator takes long to load. */
function refuseSchemas(): never {
  throw new Error('Routes have no schemas for requests: declare an operation.');
}

const HEADER_LIMIT_BYTES = 16 * 1024;
const REQUEST_TIME_LIMIT_MS = 30_000;
/** The time for the headers of a request. On a new connection it starts with the connection, so an idle one is closed. */
const SILENCE_LIMIT_MS = 10_000;
/** The time for a client to read a whole response. */
const UNREAD_LIMIT_MS = 30_000;
/** The idle time between two requests; longer than that of common proxies, so that the proxy closes first. */
const KEEP_ALIVE_MS = 72_000;

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
  /** Resolves when other processes of the server have invalidated old credentials. Responses wait for it. */
  readonly untilInvalidated?: (() => Promise<unknown> | undefined) | undefined;
  /** Called after every response, except those that are streams. */
  readonly onAnswered?: ((operation: string, status: number, durationMs: number) => void) | undefined;
  /** Told about every request. */
  readonly inFlight?: RequestsInFlight | undefined;
  readonly tracing?: Tracing | undefined;
}

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { dependencies, operations, pages, streams, consoleStreams, processorEvents, findOutage, tracing } = options;
  const { maxConnections = DEFAULT_MAX_CONNECTIONS, readTimeoutMs = UNREAD_LIMIT_MS } = options;
  const { mode, requestLog } = dependencies.context;
  const app: FastifyInstance = Fastify(frameworkOptions(options));
  limitConnections(app.server, maxConnections);
  closeUnreadConnections(app.server, readTimeoutMs);
  // Node would respond with an empty 417 to an unknown Expect header; the request is processed instead.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.decorateRequest('errorCode', undefined);
  acceptBodies(app);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, { requestLog, mode }));
  if (tracing)
    traceRequests(app, tracing, (request) => ({ route: pathTemplate(request), operation: operationName(request) }));
  addHooks(app, options);

  app.get('/healthz', async (_request, reply) => sendStatus(reply, 'ok'));
  app.get('/readyz', async (_request, reply) => {
    const outage = await findOutage();
    if (outage !== undefined) throw new Refusal('SERVICE_UNAVAILABLE', { detail: outage, retryAfterSeconds: 1 });
    return sendStatus(reply, 'ready');
  });
  await registerDocs(app, operations, dependencies.context);
  handlePreflights(app);
  mountOperations(app, operations, dependencies);
  registerChangeStream(app, dependencies, streams);
  if (consoleStreams) registerConsoleStream(app, dependencies, consoleStreams);
  if (processorEvents) registerProcessorEvents(app, processorEvents, dependencies.context.limits.guards);
  const webFiles = listWebFiles();
  registerPages(app, pages, dependencies, webFiles);
  registerWeb(app, mode, webFiles);
  return app;
}

function frameworkOptions({ dependencies, log, trustProxy, headersTimeoutMs = SILENCE_LIMIT_MS }: AppOptions) {
  const { mode } = dependencies.context;
  const trust = trustProxy && toTrust(trustProxy);
  return {
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestIds(trust),
    rewriteUrl: withoutLastSlash,
    childLoggerFactory: (logger) => logger, // log lines contain the request id; a child logger per request costs measurable time
    return503OnClosing: false, // requests on open connections are finished
    schemaController: { compilersFactory: { buildValidator: refuseSchemas } },
    bodyLimit: OPEN_BODY_BYTES, // routes with callers that are known have a higher one
    requestTimeout: REQUEST_TIME_LIMIT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      maxHeaderSize: HEADER_LIMIT_BYTES,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.ceil(headersTimeoutMs / 4), // Node closes connections only at this interval
    },
    trustProxy: trust ?? false,
    forceCloseConnections: 'idle',
    // No limit below that of the request line: an id that is too long must be rejected after authentication.
    routerOptions: { maxParamLength: HEADER_LIMIT_BYTES, querystringParser: splitQuery },
    async frameworkErrors(error, request, reply) {
      reply.headers(
        securityHeaders({ path: request.url, requestId: request.id, version: request.headers['square-version'] }, mode),
      ); // no hooks run for requests that cannot be routed
      const refused = await authenticateUnknownPath(request as FastifyRequest, dependencies).then(
        () => error,
        (refusal: unknown) => refusal,
      );
      sendError(refused, request as never, reply as never, { mode });
    },
    clientErrorHandler: (error, socket) => refuseMalformed(error, socket, mode),
  } satisfies FastifyHttpOptions<Server>;
}

/** What happens before and after every request, whatever its route. */
function addHooks(
  app: FastifyInstance,
  { dependencies, operations, loopbackOnly, untilInvalidated, onAnswered, inFlight }: AppOptions,
): void {
  const { mode } = dependencies.context;
  const methodsAt = createMethodFinder(operations);
  app.addHook('onRequest', (request, reply, done) => {
    inFlight?.add(reply);
    // A path that is percent-encoded, or part of an absolute URL, is replaced by the declared path of its route.
    const isPlain = request.url.startsWith('/') && !request.url.includes('%');
    const path = isPlain ? request.url : pathOf(request);
    const version = versionHeaders(path, request.headers['square-version']);
    reply.headers(fixedHeaders(path, mode)).headers(version).header(REQUEST_ID_HEADER, request.id);
    if (loopbackOnly) requireKnownHost(request.headers.host, dependencies.publicUrl);
    if (!request.is404) return done();
    authenticateUnknownPath(request, dependencies)
      .then(() => answerUnknown(request, reply, dependencies))
      .then((isAnswered) => isAnswered || refuseUnknown(request, reply, methodsAt, mode)) // in this hook, before the body is read
      .catch(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    logResponse(request, reply);
    done();
  });
  if (untilInvalidated) {
    app.addHook('onSend', (_request, _reply, payload, done) => {
      const waiting = untilInvalidated();
      if (waiting) void waiting.then(() => done(null, payload));
      else done(null, payload);
    });
  }
  if (onAnswered) {
    app.addHook('onResponse', (request, reply, done) => {
      if (!isStream(reply)) onAnswered(operationName(request), reply.statusCode, reply.elapsedTime);
      done();
    });
  }
}

/** With its own serializer: the framework's adds a charset to the content type. */
function sendStatus(reply: FastifyReply, status: string): FastifyReply {
  return reply.type(JSON_TYPE).serializer(JSON.stringify).send({ status });
}

/** The published operation that is missing here. */
function notImplementedBy(reply: FastifyReply): { readonly not_implemented?: string } {
  const name = reply.getHeader(NOT_IMPLEMENTED_HEADER);
  return name === undefined ? {} : { not_implemented: String(name) };
}

/** One line per request: who called what, status, duration. */
function logResponse(request: FastifyRequest, reply: FastifyReply): void {
  if (!(request.log as Logger).isLevelEnabled('info')) return;
  request.log.info(
    {
      ...requestFields(request),
      ...paymentOf(request),
      ...(request.errorCode !== undefined && { error: request.errorCode }),
      ...notImplementedBy(reply),
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
    },
    'request completed',
  );
}
