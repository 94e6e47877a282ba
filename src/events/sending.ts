/** Sends one message and tells what became of it: never follows a redirect, never waits longer than it may. */
import type { IncomingMessage } from 'node:http';
import { realNow } from '../base/clock.js';
import type { Reach } from '../base/config.js';
import type { Instant } from '../base/time.js';
import { ForbiddenAddress } from './addresses.js';
import { openDestinations } from './destinations.js';
import { type Failure, RESPONSE_TIMEOUT_MS } from './model.js';
import { headersOf, type Message } from './signing.js';

export interface Outcome {
  readonly startedAt: Instant;
  readonly durationMs: number;
  /** Null where nothing was answered. */
  readonly status: number | null;
  /** Null where it was received: a status of 2xx in time. */
  readonly failure: Failure | null;
  /** The first bytes of what was answered, or why nothing was. */
  readonly answer: string;
}

/** How much of an answer is kept, and how much is read so that the connection can be used again. */
const MAX_STORED_BYTES = 1024;
const MAX_READ_BYTES = 64 * 1024;

export interface Sender {
  /** Rejects only where the sender was closed meanwhile. */
  send(message: Message): Promise<Outcome>;
  /** Gives up all that is under way. */
  close(): void;
}

export function createSender(reach: Reach): Sender {
  const destinations = openDestinations(reach);
  let closed = false;

  const send = (message: Message): Promise<Outcome> => {
    const { request, options, refusal } = destinations.find(message.url);
    const [startedAt, started] = [realNow(), performance.now()];
    return new Promise((resolve, reject) => {
      const settle = (status: number | null, failure: Failure | null, answer: string): void => {
        clearTimeout(timer);
        const durationMs = Math.round(performance.now() - started);
        resolve({ startedAt, durationMs, status, failure, answer: storable(answer) });
      };
      const fail = (error: Error): void => {
        clearTimeout(timer);
        if (closed) reject(error);
        else settle(null, failureOf(error), error.message);
      };
      let answered: IncomingMessage | undefined;
      const kept: Buffer[] = [];
      const timer = setTimeout(() => {
        if (answered) finish(answered);
        else settle(null, 'http_timeout', `No answer within ${RESPONSE_TIMEOUT_MS} ms.`);
        outgoing.destroy();
      }, RESPONSE_TIMEOUT_MS);
      const finish = ({ statusCode = 0 }: IncomingMessage): void =>
        settle(statusCode, statusCode >= 200 && statusCode < 300 ? null : 'http_error', beginningOf(kept));

      const outgoing = request({ ...options, headers: headersOf(message, reach.mode) });
      outgoing.on('error', fail);
      outgoing.on('response', (response) => {
        answered = response;
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          if (length < MAX_STORED_BYTES) kept.push(chunk);
          length += chunk.length;
          if (length > MAX_READ_BYTES) response.destroy();
        });
        response.on('close', () => finish(response));
      });
      if (refusal === undefined) outgoing.end(message.body);
      else outgoing.destroy(new ForbiddenAddress(refusal));
    });
  };

  return {
    send,
    close() {
      closed = true;
      destinations.close();
    },
  };
}

function beginningOf(chunks: readonly Buffer[]): string {
  return chunks.length === 0 ? '' : Buffer.concat(chunks).toString('utf8', 0, MAX_STORED_BYTES);
}

/** PostgreSQL keeps no NUL, and half a character at the cut is none. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

function failureOf(error: Error & { code?: string }): Failure {
  const code = error.code ?? '';
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO)/.test(code)) return 'ssl_error';
  return code === 'ETIMEDOUT' ? 'http_timeout' : 'other_error';
}
