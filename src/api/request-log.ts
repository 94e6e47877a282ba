/**
 * Keeps the latest requests of a sandbox with their responses in memory, for a developer who looks for a mistake (decision 0164). During a
 * request its bytes are only copied. Everything else, such as hiding secrets, is done when somebody reads the log.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { realNow } from '../base/clock.js';
import { NO_PEERS, type Peers } from '../base/peers.js';
import { type Instant, instant } from '../base/time.js';
import {
  type CommonHeaders,
  type Headers,
  joinHead,
  type Named,
  type RecordedRequest,
  RecordedRequests,
  type RecordedSpan,
  type RequestLogBound,
  toCommonHeaders,
} from './recorded-requests.js';
import { fixedHeaders } from './safety.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it was sent, if it was read. */
    sent: Buffer | undefined;
  }
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

export const REQUEST_LOG_BOUND: RequestLogBound = { maxRequests: 2000, maxBytes: 32 * 1024 * 1024 };

type Listener = () => void;

type Dropped = 'all' | RecordedSpan;

export class RequestLog {
  readonly #recorded: RecordedRequests;
  readonly #listeners = new Set<Listener>();
  readonly #bound: RequestLogBound;
  readonly #peers: Peers;

  constructor(bound: RequestLogBound = REQUEST_LOG_BOUND, peers: Peers = NO_PEERS) {
    this.#bound = bound;
    this.#recorded = new RecordedRequests(bound);
    this.#peers = peers;
    peers.on('recorded requests', () => this.own);
    peers.on('drop requests', (dropped: Dropped) => this.dropOwn(dropped));
  }

  /** A hook of the route of `operation`. The framework calls it with every response before it is sent. */
  hookFor(operation: Named | undefined) {
    const common = commonHeaders(operation);
    return (
      request: FastifyRequest,
      reply: FastifyReply,
      payload: unknown,
      done: (error: null, payload: unknown) => void,
    ): void => {
      this.record(operation, request, reply, { payload }, common);
      done(null, payload);
    };
  }

  /** Without `sent`: the connection was reset. Some responses have no payload. */
  record(
    operation: Named | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    sent?: { readonly payload: unknown },
    common = commonHeaders(operation),
  ): void {
    const { id, method, url, raw } = request;
    const { merchant, caller, application } = (request.context ?? {}) as Callers;
    const durationMs = reply.elapsedTime;
    this.#recorded.add({
      head: joinHead({ id, method, url, requestHeaders: raw.rawHeaders }, headersOf(reply), common),
      at: instant(Math.round(realNow() - durationMs)),
      durationMs,
      status: sent ? reply.statusCode : 0,
      operation,
      merchantId: merchant?.id,
      applicationId: caller?.applicationId ?? application?.id,
      requestBody: request.sent,
      responseBody: sent && (reply.uncompressed ?? sent.payload),
    });
    this.#tell();
  }

  get isEmpty(): boolean {
    return this.#recorded.isEmpty;
  }

  /** The requests of this process, newest first, as plain data that other processes can use. */
  get own(): readonly RecordedRequest[] {
    return Array.from(this.#recorded.newestFirst(), (each) => ({ ...each, operation: toNamed(each.operation) }));
  }

  /** The requests of all processes of the server. Each is read when the loop comes to it, so do not wait for anything inside the loop. */
  async newestFirst(): Promise<Iterable<RecordedRequest>> {
    const others = (await this.#peers.ask('recorded requests', undefined)) as readonly (readonly RecordedRequest[])[];
    const newest = this.#recorded.newestFirst();
    if (others.length === 0) return newest;
    return [...newest, ...others.flat()].sort((one, other) => other.at - one.at).slice(0, this.#bound.maxRequests);
  }

  /** Drops the requests of a merchant since a time: the records that they made no longer exist. */
  async dropOfMerchant(merchantId: string, since: Instant): Promise<void> {
    await this.#drop({ merchantId, since });
  }

  async clear(): Promise<void> {
    await this.#drop('all');
  }

  /** Drops requests on this process only. */
  dropOwn(dropped: Dropped): void {
    if (dropped === 'all') this.#recorded.clear();
    else this.#recorded.removeOf(dropped);
    this.#tell();
  }

  async #drop(dropped: Dropped): Promise<void> {
    this.dropOwn(dropped);
    await this.#peers.ask('drop requests', dropped);
  }

  /** Calls `listener` after each request, until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Only a sandbox has a log. */
function commonHeaders(operation: Named | undefined): CommonHeaders {
  return toCommonHeaders(fixedHeaders(operation?.path ?? '', 'sandbox'));
}

/** The property in which the framework keeps the headers of a reply. */
let headersKey: symbol | undefined;

/** Without the copy that `getHeaders` makes: it took a quarter of the time that keeping a request took. */
function headersOf(reply: FastifyReply): Headers {
  headersKey ??= Object.getOwnPropertySymbols(reply).find(({ description }) => description === 'fastify.reply.headers');
  const own = headersKey && (reply as unknown as Record<symbol, Headers | undefined>)[headersKey];
  // Link is the only header that is set without the framework. Asking for all headers would cost a tenth of keeping a request.
  return own && !reply.raw.hasHeader('link') ? own : reply.getHeaders();
}

/** The declaration of an operation has functions, which cannot be sent. */
function toNamed(operation: Named | undefined): Named | undefined {
  return operation && { surface: operation.surface, name: operation.name, path: operation.path };
}
