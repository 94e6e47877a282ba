/** The requests that have no whole response yet, for metrics. */
import { performance } from 'node:perf_hooks';
import type { FastifyReply } from 'fastify';

export class RequestsInFlight {
  /** With their start, in the order of their arrival. */
  readonly #started = new Map<FastifyReply, number>();

  add(reply: FastifyReply): void {
    this.#started.set(reply, performance.now());
    reply.raw.once('close', () => this.#started.delete(reply)); // also if the client hangs up
  }

  /** Streams are open for long on purpose. */
  get counts(): { readonly count: number; readonly oldestMs: number } {
    const starts = [...this.#started].flatMap(([reply, since]) => (isStream(reply) ? [] : [since]));
    return { count: starts.length, oldestMs: performance.now() - (starts[0] ?? performance.now()) };
  }
}

export function isStream(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('text/event-stream');
}
