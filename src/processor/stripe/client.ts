/** Opens the official client of Stripe. The only file that loads the package, which is optional. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import Stripe from 'stripe';
import type { StripeAccess } from '../../base/config.js';
import { SECOND_MS } from '../../base/time.js';
import { ProcessorUnavailable } from '../contract.js';
import { ForeignAnswer, onlyAnswersOfStripe } from './answers.js';

export interface StripeLimits {
  /** The limit of a whole call. It is shorter than the time that callers wait for a processor. */
  readonly callMs: number;
  /** The limit of one request. Stripe may finish the request after it. */
  readonly attemptMs: number;
  /** How often the client repeats a request that failed, with the same key. */
  readonly repetitions: number;
  /** The pause before a fee that is not booked yet is read again. */
  readonly pauseMs: number;
}

const LIMITS: StripeLimits = { callMs: 18 * SECOND_MS, attemptMs: 9 * SECOND_MS, repetitions: 1, pauseMs: 500 };

export interface StripeClient {
  readonly api: Stripe;
  readonly limits: StripeLimits;
  /** Begins a call: its requests share its time. */
  begin(): CallTime;
  /** Ends all requests in flight. */
  close(): void;
}

export interface CallTime {
  readonly isOver: boolean;
  /** The options of the next request. Throws if no time is left. */
  next(idempotencyKey?: string): Stripe.RequestOptions;
}

export function openStripe({ secretKey, url }: StripeAccess, given: Partial<StripeLimits> = {}): StripeClient {
  const limits = { ...LIMITS, ...given };
  const address = url === undefined ? undefined : new URL(url);
  const isPlain = address?.protocol === 'http:';
  const agent = isPlain ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ keepAlive: true });
  const api = new Stripe(secretKey, {
    httpClient: onlyAnswersOfStripe(Stripe.createNodeHttpClient(agent)),
    maxNetworkRetries: limits.repetitions,
    telemetry: false,
    ...(address && { host: address.hostname, port: address.port || (isPlain ? 80 : 443) }),
    ...(isPlain && { protocol: 'http' as const }),
  });
  return { api, limits, begin: () => beginCall(limits), close: () => agent.destroy() };
}

function beginCall({ callMs, attemptMs, repetitions }: StripeLimits): CallTime {
  const end = performance.now() + callMs;
  return {
    get isOver() {
      return performance.now() >= end;
    },
    next(idempotencyKey) {
      const leftMs = end - performance.now();
      if (leftMs <= 0) throw new ProcessorUnavailable('no response in time');
      // A request that is repeated leaves time for the repetition.
      const timeout = Math.max(1, Math.floor(Math.min(attemptMs, leftMs / (repetitions + 1))));
      return { timeout, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    },
  };
}

/** Why a request failed, as far as it decides what to do. */
export interface StripeFailure {
  /** `refused`: Stripe has refused the request and done nothing. `declined`: the bank has declined. `unknown`: it may have taken effect. */
  readonly kind: 'refused' | 'declined' | 'unknown';
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly message: string;
  /** Whether Stripe repeated the answer to an earlier request with the same key. */
  readonly isReplayed: boolean;
}

export function toStripeFailure(error: unknown): StripeFailure {
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  const { type, code, param, headers, statusCode, raw } = error;
  const { exception } = (raw ?? {}) as { readonly exception?: unknown };
  const { message } = exception instanceof ForeignAnswer ? exception : error;
  const isReplayed = headers?.['idempotent-replayed'] === 'true';
  const isRefused = type === 'StripeInvalidRequestError' && (statusCode === 400 || statusCode === 404);
  const kind = type === 'StripeCardError' ? 'declined' : isRefused ? 'refused' : 'unknown';
  return { kind, code, param, message, isReplayed };
}
