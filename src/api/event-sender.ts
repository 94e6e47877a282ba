/** Writes the topics that have changed into a stream of server-sent events. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SECOND_MS } from '../base/time.js';
import { type ApiDependencies, authenticate } from './authenticate.js';
import type { Operation } from './operation.js';

/** Changes within this time are sent together. */
const GATHER_MS = 100;
/** Keeps proxies from closing the stream, and finds clients that are gone. Without it, pages know that the connection is dead. */
const HEARTBEAT_MS = 15 * SECOND_MS;
/** Browsers connect again after this time. */
const RETRY_MS = 2 * SECOND_MS;
/** A client that does not read is disconnected. */
const MAX_UNREAD_BYTES = 64 * 1024;

export type EndReason = 'session ended' | 'closed';

export class EventSender {
  readonly stream = new Readable({ read() {} });
  readonly #topics = new Set<string>();
  readonly #beating = setInterval(() => this.#write('event: beat\ndata: {}\n\n'), HEARTBEAT_MS).unref();
  #gathering: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor() {
    this.#write(`retry: ${RETRY_MS}\nevent: ready\ndata: {}\n\n`);
  }

  add(topics: Iterable<string>): void {
    for (const topic of topics) this.#topics.add(topic);
    if (this.#topics.size === 0 || this.#isOver) return;
    this.#gathering ??= setTimeout(() => this.#sendGathered(), GATHER_MS).unref();
  }

  end(reason: EndReason): void {
    clearTimeout(this.#gathering);
    clearInterval(this.#beating);
    if (reason === 'session ended') this.#write('event: end\ndata: {}\n\n');
    this.#isOver = true;
    if (!this.stream.destroyed) this.stream.push(null);
  }

  #sendGathered(): void {
    this.#gathering = undefined;
    const data = JSON.stringify({ topics: [...this.#topics].sort() });
    this.#topics.clear();
    this.#write(`event: change\ndata: ${data}\n\n`);
  }

  #write(text: string): void {
    if (this.#isOver || this.stream.destroyed) return;
    if (this.stream.readableLength > MAX_UNREAD_BYTES) this.stream.destroy();
    else this.stream.push(text);
  }
}

/** An operation whose response is a stream. `open` returns the stream, after the caller has been authenticated. */
export function registerStream(
  app: FastifyInstance,
  dependencies: ApiDependencies,
  declared: Omit<Operation, 'method' | 'handle'>,
  open: (request: FastifyRequest) => Readable,
): void {
  const operation: Operation = {
    ...declared,
    method: 'GET',
    handle: () => Promise.reject(new Error('a stream has no single response')),
  };
  app.route({
    method: 'GET',
    url: operation.path,
    exposeHeadRoute: false,
    config: { operation },
    onRequest: async (request: FastifyRequest) => authenticate(request, operation, dependencies),
    handler: (request, reply) => reply.type('text/event-stream').header('x-accel-buffering', 'no').send(open(request)),
  });
}
