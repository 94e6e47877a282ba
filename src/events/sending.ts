/** Sends one message and returns the outcome. It does not follow redirects and has a timeout. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { realNow } from '../base/clock.js';
import type { Reach } from '../base/config.js';
import type { Instant } from '../base/time.js';
import type { Tracing } from '../base/tracing.js';
import { ForbiddenAddress } from './addresses.js';
import { openDestinations } from './destinations.js';
import { type DeliveryFailure, RESPONSE_TIMEOUT_MS } from './model.js';
import { headersOf, type Message } from './signing.js';

export interface Outcome {
  readonly startedAt: Instant;
  readonly durationMs: number;
  /** Null without a response. */
  readonly status: number | null;
  /** Null if it was received: a 2xx status before the timeout. */
  readonly failure: DeliveryFailure | null;
  /** The first bytes of the response body, or the error message. */
  readonly response: string;
}

/** How much of a response is stored, and how much is read at most so that the connection can be reused. */
const MAX_STORED_BYTES = 1024;
const MAX_READ_BYTES = 64 * 1024;

/** What Node.js adds to the error of a connection. */
type ConnectionError = Error & {
  readonly code?: string;
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
};

export interface Sender {
  /** Rejects only if the sender is closed meanwhile. */
  send(message: Message): Promise<Outcome>;
  /** Aborts all messages in flight. */
  close(): void;
}

export function createSender(reach: Reach): Sender {
  const destinations = openDestinations(reach);
  let closed = false;

  const send = (message: Message): Promise<Outcome> => {
    const { request, options, refusal } = destinations.find(message.url);
    const [startedAt, started] = [realNow(), performance.now()];
    return new Promise((resolve, reject) => {
      const settle = (status: number | null, failure: DeliveryFailure | null, response: string): void => {
        clearTimeout(timer);
        const durationMs = Math.round(performance.now() - started);
        resolve({ startedAt, durationMs, status, failure, response: storable(response) });
      };
      const fail = (error: Error): void => {
        clearTimeout(timer);
        if (closed) reject(error);
        else settle(null, failureOf(error), reasonOf(error));
      };
      let received: IncomingMessage | undefined;
      let mayRepeat = true;
      const stored: Buffer[] = [];
      const timer = setTimeout(() => {
        mayRepeat = false;
        if (received) finish(received);
        else settle(null, 'http_timeout', `No response within ${RESPONSE_TIMEOUT_MS} ms.`);
        outgoing.destroy();
      }, RESPONSE_TIMEOUT_MS);
      const finish = ({ statusCode = 0 }: IncomingMessage): void =>
        settle(statusCode, statusCode >= 200 && statusCode < 300 ? null : 'http_error', beginningOf(stored));

      const open = (): ClientRequest => {
        const opened = request({ headers: headersOf(message, reach.mode), ...options });
        opened.on('error', (error) => {
          if (!mayRepeat || closed || received || !wasClosedWhileIdle(opened, error)) return fail(error);
          mayRepeat = false;
          outgoing = open();
        });
        opened.on('response', (response) => {
          received = response;
          let length = 0;
          response.on('data', (chunk: Buffer) => {
            if (length < MAX_STORED_BYTES) stored.push(chunk);
            length += chunk.length;
            if (length > MAX_READ_BYTES) response.destroy();
          });
          response.on('close', () => finish(response));
        });
        if (refusal === undefined) opened.end(message.body);
        else opened.destroy(new ForbiddenAddress(refusal));
        return opened;
      };
      let outgoing = open();
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

/** Tells how each message ended. */
export function withSendObserver(sender: Sender, observe: (outcome: Outcome) => void): Sender {
  return {
    async send(message) {
      const outcome = await sender.send(message);
      observe(outcome);
      return outcome;
    },
    close: () => sender.close(),
  };
}

/** Each message is a span and begins a trace: it is sent long after the request that caused it. The path of a receiver may be secret. */
export function withSendSpans(sender: Sender, tracing: Tracing): Sender {
  return {
    send(message) {
      const { hostname, port, protocol } = new URL(message.url);
      const attributes = {
        'http.request.method': 'POST',
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
        ...(message.retry > 0 && { 'http.request.resend_count': message.retry }),
      };
      return tracing.span({ name: 'webhook delivery', attributes, causes: [] }, async (learn) => {
        const outcome = await sender.send({ ...message, traced: tracing.headers() });
        if (outcome.status !== null) learn({ 'http.response.status_code': outcome.status });
        if (outcome.failure !== null) learn({ 'error.type': outcome.failure });
        return outcome;
      });
    },
    close: () => sender.close(),
  };
}

/**
 * A receiver may close an idle connection at the moment when it is used again. Then it has not read the message, and the message is sent
 * again at once, not after a minute.
 */
function wasClosedWhileIdle({ reusedSocket }: ClientRequest, { code }: Error & { code?: string }): boolean {
  return reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}

function beginningOf(chunks: readonly Buffer[]): string {
  return chunks.length === 0 ? '' : Buffer.concat(chunks).toString('utf8', 0, MAX_STORED_BYTES);
}

/** PostgreSQL stores no NUL, and the cut can leave half a character. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** The published failures do not tell these two apart: the first is a wrong address, the second a receiver that does not run. */
function reasonOf({ code, message, hostname, address, port }: ConnectionError): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `There is no host named ${hostname} (${code}).`;
  if (code === 'ECONNREFUSED') return `Nothing listens at ${address}:${port} (${code}).`;
  return message;
}

function failureOf(error: Error & { code?: string }): DeliveryFailure {
  const code = error.code ?? '';
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO)/.test(code)) return 'ssl_error';
  return code === 'ETIMEDOUT' ? 'http_timeout' : 'other_error';
}
