/**
 * Keeps the latest requests of a sandbox with their responses in memory, for a developer who looks for a mistake (decision 0164). A request
 * only leaves its bytes here. Everything else, such as hiding secrets, is done when somebody reads.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { realNow } from '../base/clock.js';
import { type Instant, instant } from '../base/time.js';
import { type Exchange, joinHead, type KeptBound, KeptExchanges, type Named } from './kept-exchanges.js';

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

export const REQUEST_LOG_BOUND: KeptBound = { maxRequests: 2000, maxBytes: 32 * 1024 * 1024 };

type Listener = () => void;

export class RequestLog {
  readonly #kept: KeptExchanges;
  readonly #listeners = new Set<Listener>();

  constructor(bound: KeptBound = REQUEST_LOG_BOUND) {
    this.#kept = new KeptExchanges(bound);
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
    const { id, method, url, raw } = request;
    const { merchant, caller, application } = (request.context ?? {}) as Callers;
    const durationMs = reply.elapsedTime;
    this.#kept.add({
      head: joinHead({ id, method, url, requestHeaders: raw.rawHeaders }, reply.getHeaders()),
      at: instant(Math.round(realNow() - durationMs)),
      durationMs,
      status: sent ? reply.statusCode : 0,
      operation,
      merchantId: merchant?.id,
      applicationId: caller?.applicationId ?? application?.id,
      requestBody: request.sent,
      responseBody: sent?.payload,
    });
    this.#tell();
  }

  /** Each is read when the loop comes to it. Do not wait for anything inside the loop. */
  newestFirst(): Iterable<Exchange> {
    return this.#kept.newestFirst();
  }

  find(id: string): Exchange | undefined {
    for (const exchange of this.#kept.newestFirst()) if (exchange.id === id) return exchange;
    return undefined;
  }

  /** Drops the requests of a merchant since a time: what they made does not exist any more. */
  forget(merchantId: string, since: Instant): void {
    this.#kept.removeOf(merchantId, since);
    this.#tell();
  }

  clear(): void {
    this.#kept.clear();
    this.#tell();
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
