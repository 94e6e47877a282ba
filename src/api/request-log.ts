/**
 * Keeps the latest requests of a sandbox with their responses in memory, for a developer who looks for a mistake (decision 0164). A request
 * only leaves references here. Everything else, such as hiding secrets, is done when somebody reads.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { realNow } from '../base/clock.js';
import { NO_PEERS, type Peers } from '../base/peers.js';
import { type Instant, instant } from '../base/time.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it was sent, if it was read: as text if it is valid. */
    sent: string | Buffer | undefined;
  }
}

/** An operation, or a page. */
interface Named {
  readonly surface: string;
  readonly name: string;
  readonly path: string;
}

/** The callers that the context of a request can have. */
interface Callers {
  readonly merchant?: { readonly id: string };
  readonly caller?: { readonly applicationId: string };
  readonly application?: { readonly id: string };
}

/** Who called, as fields of a line of the log. Absent if it is not known. */
export function callersOf({ context }: FastifyRequest): { merchant_id?: string; application_id?: string } {
  const { merchant, caller, application } = (context ?? {}) as Callers;
  const applicationId = caller?.applicationId ?? application?.id;
  return {
    ...(merchant && { merchant_id: merchant.id }),
    ...(applicationId !== undefined && { application_id: applicationId }),
  };
}

type Body = string | Buffer | undefined;

/** A request and its response. */
export interface Exchange {
  /** That of the header `x-request-id`. */
  readonly id: string;
  /** When it came, in real time. */
  readonly at: Instant;
  readonly durationMs: number;
  readonly method: string;
  /** The path with the query. */
  readonly url: string;
  /** Undefined: nothing is at this path. */
  readonly operation: Named | undefined;
  readonly merchantId: string | undefined;
  readonly applicationId: string | undefined;
  /** 0: a fault reset the connection. */
  readonly status: number;
  /** Names and values in turn. */
  readonly requestHeaders: readonly string[];
  /** Undefined: empty, or refused before it was read. Only the beginning of a long one. */
  readonly requestBody: Body;
  readonly responseHeaders: Readonly<Record<string, number | string | string[] | undefined>>;
  /** Undefined: a stream, or none. Only the beginning of a long one. */
  readonly responseBody: Body;
  /** What it counts against the bound. */
  readonly size: number;
}

export interface RequestLogBound {
  readonly maxRequests: number;
  readonly maxBytes: number;
}

export const REQUEST_LOG_BOUND: RequestLogBound = { maxRequests: 2000, maxBytes: 32 * 1024 * 1024 };

/** The beginning of a longer body is kept. */
export const MAX_KEPT_LENGTH = 128 * 1024;
/** The objects around the texts, roughly. */
const OBJECTS_SIZE = 1024;

type Listener = () => void;

/** The requests of a merchant since a time, or all. */
type Dropped = 'all' | { readonly merchantId: string; readonly since: Instant };

export class RequestLog {
  readonly #bound: RequestLogBound;
  /** Oldest first. */
  readonly #exchanges: Exchange[] = [];
  readonly #listeners = new Set<Listener>();
  readonly #peers: Peers;
  #bytes = 0;

  constructor(bound: RequestLogBound = REQUEST_LOG_BOUND, peers: Peers = NO_PEERS) {
    this.#bound = bound;
    this.#peers = peers;
    peers.on('exchanges', () => this.own);
    peers.on('drop exchanges', (dropped: Dropped) => this.dropOwn(dropped));
  }

  /** A hook of the route of `operation`. The framework calls it with every response before it is sent. */
  hookFor(operation: Named | undefined) {
    return (
      request: FastifyRequest,
      reply: FastifyReply,
      payload: unknown,
      done: (error: null, payload: unknown) => void,
    ): void => {
      this.record(operation, request, reply, { payload });
      done(null, payload);
    };
  }

  /** Without `sent`: the connection was reset. Some responses have no payload. */
  record(
    operation: Named | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    sent?: { readonly payload: unknown },
  ): void {
    const { raw } = request;
    const { merchant, caller, application } = (request.context ?? {}) as Callers;
    const durationMs = reply.elapsedTime;
    const requestBody = keep(request.sent);
    const responseBody = keep(sent?.payload);
    const responseHeaders = reply.getHeaders();
    const exchange = {
      id: request.id,
      at: instant(Math.round(realNow() - durationMs)),
      durationMs,
      method: request.method,
      url: request.url,
      operation,
      merchantId: merchant?.id,
      applicationId: caller?.applicationId ?? application?.id,
      status: sent ? reply.statusCode : 0,
      requestHeaders: raw.rawHeaders,
      requestBody,
      responseHeaders,
      responseBody,
      size: OBJECTS_SIZE + sizeOf(requestBody) + sizeOf(responseBody) + sizeOfHeaders(raw.rawHeaders, request.url),
    };
    this.#exchanges.push(exchange);
    this.#bytes += exchange.size;
    while (this.#exchanges.length > this.#bound.maxRequests || this.#bytes > this.#bound.maxBytes) {
      this.#bytes -= this.#exchanges.shift()?.size ?? 0;
    }
    for (const listener of this.#listeners) listener();
  }

  /** Those of this process, without what only this process can use. */
  get own(): readonly Exchange[] {
    return this.#exchanges.map((exchange) => ({ ...exchange, operation: toNamed(exchange.operation) }));
  }

  /** Those of all processes of the server. */
  async newestFirst(): Promise<readonly Exchange[]> {
    const others = (await this.#peers.ask('exchanges', undefined)) as readonly (readonly Exchange[])[];
    const newest = this.#exchanges.toReversed();
    if (others.length === 0) return newest;
    return [...newest, ...others.flatMap((each) => each.toReversed())]
      .sort((one, other) => other.at - one.at)
      .slice(0, this.#bound.maxRequests);
  }

  /** Drops the requests of a merchant since a time: what they made does not exist any more. */
  async forget(merchantId: string, since: Instant): Promise<void> {
    await this.#drop({ merchantId, since });
  }

  async clear(): Promise<void> {
    await this.#drop('all');
  }

  /** On this process only. */
  dropOwn(dropped: Dropped): void {
    const isKept = (each: Exchange): boolean =>
      dropped !== 'all' && (each.merchantId !== dropped.merchantId || each.at < dropped.since);
    const kept = this.#exchanges.filter(isKept);
    this.#exchanges.splice(0, this.#exchanges.length, ...kept);
    this.#bytes = kept.reduce((sum, { size }) => sum + size, 0);
    for (const listener of this.#listeners) listener();
  }

  async #drop(dropped: Dropped): Promise<void> {
    this.dropOwn(dropped);
    await this.#peers.ask('drop exchanges', dropped);
  }

  /** Calls `listener` after each request, until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The declaration of an operation has functions, which cannot be sent. */
function toNamed(operation: Named | undefined): Named | undefined {
  return operation && { surface: operation.surface, name: operation.name, path: operation.path };
}

/** A part of a text or of bytes would keep the whole in memory, so what is cut off is copied. */
function keep(body: unknown): Body {
  if (typeof body === 'string') {
    return body.length <= MAX_KEPT_LENGTH ? body : Buffer.from(body.slice(0, MAX_KEPT_LENGTH)).toString();
  }
  if (!Buffer.isBuffer(body)) return undefined;
  return body.length <= MAX_KEPT_LENGTH ? body : Buffer.from(body.subarray(0, MAX_KEPT_LENGTH));
}

/** A text takes one or two bytes for each character. */
function sizeOf(body: Body): number {
  if (body === undefined) return 0;
  return typeof body === 'string' ? body.length * 2 : body.length;
}

function sizeOfHeaders(headers: readonly string[], url: string): number {
  let size = url.length;
  for (const text of headers) size += text.length;
  return size;
}
