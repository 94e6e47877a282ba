/** `GET /api/sandbox/changes`: tells the console and `tillhouse logs` that something is new, as server-sent events (decision 0164). */
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../base/errors.js';
import type { Watches } from '../identity/watches.js';
import type { ApiDependencies } from './authenticate.js';
import { EventSender, registerStream } from './event-sender.js';
import type { RequestLog } from './request-log.js';

const CHANGES = {
  surface: 'sandbox',
  name: 'streamChanges',
  path: '/api/sandbox/changes',
  summary: 'Streams the topics that have changed on this server.',
  permission: 'OPERATOR',
} as const;

/** Browsers and commands that follow the log at the same time. */
const MAX_STREAMS = 50;

export class ConsoleStreams {
  readonly #requestLog: RequestLog;
  readonly #watches: Watches;
  readonly #ends = new Set<() => void>();
  readonly #senders = new Set<EventSender>();
  #isClosed = false;

  constructor(requestLog: RequestLog, watches: Watches) {
    this.#requestLog = requestLog;
    this.#watches = watches;
  }

  close(): void {
    this.#isClosed = true;
    this.endAll();
  }

  /** Sends the topics that changed on another process of the server. */
  announce(topics: readonly string[]): void {
    for (const sender of this.#senders) sender.add(topics);
  }

  /** Ends the open streams. Browsers connect again. */
  endAll(): void {
    for (const end of [...this.#ends]) end();
  }

  /** Its topics are `requests`, and those that change for any merchant on this server. */
  open(): Readable {
    if (this.#isClosed) throw new Refusal('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 });
    if (this.#ends.size >= MAX_STREAMS) {
      throw new Refusal('RATE_LIMITED', {
        detail: `There can be ${MAX_STREAMS} streams at a time.`,
        retryAfterSeconds: 5,
      });
    }
    const sender = new EventSender();
    const unlisten = [
      this.#requestLog.listen(() => sender.add(['requests'])),
      this.#watches.listenToAll((topics) => sender.add(topics)),
    ];
    const end = (): void => {
      if (!this.#ends.delete(end)) return;
      this.#senders.delete(sender);
      for (const stop of unlisten) stop();
      sender.end('closed');
    };
    this.#ends.add(end);
    this.#senders.add(sender);
    sender.stream.once('close', end);
    return sender.stream;
  }
}

export function registerConsoleStream(
  app: FastifyInstance,
  dependencies: ApiDependencies,
  streams: ConsoleStreams,
): void {
  registerStream(app, dependencies, CHANGES, () => streams.open());
}
