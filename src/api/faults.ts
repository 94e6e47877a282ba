/** Injects the operator's faults into requests (decision 0080). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, type RefusalName } from '../base/errors.js';
import { RESENT_HEADER } from '../base/senders.js';
import { resetHalfway, sendSlowly } from './faulty-bodies.js';
import { requestFields, senderOf } from './log-fields.js';
import { fullName, type MerchantContext, type Operation } from './operation.js';
import { asRefusal } from './render-error.js';
import type { RequestLog } from './request-log.js';

/** The delay is random between `minDelayMs` and `maxDelayMs`. A status can have a Retry-After header. */
export interface Fault {
  readonly id: string;
  readonly effect: 'DELAY' | 'STATUS' | 'RESET_BEFORE' | 'RESET_AFTER' | 'RESET_DURING' | 'SLOW_BODY';
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;
  readonly minDelayMs: number | null;
  readonly maxDelayMs: number | null;
}

export interface Faults {
  /** Finds the fault rule that matches the request, and counts this use of the rule. */
  take(request: { readonly operation: string; readonly merchantId: string | undefined }): Promise<Fault | undefined>;
  /** Waits, at most until the server stops. */
  wait(milliseconds: number): Promise<void>;
}

export const FAULT_STATUSES = { min: 400, max: 599 } as const;

/** The refusals for statuses. They are rendered in the format of the generation, like every refusal. */
const REFUSALS: Readonly<Record<number, RefusalName>> = {
  401: 'UNAUTHORIZED',
  402: 'CARD_DECLINED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  410: 'GONE',
  413: 'REQUEST_ENTITY_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'WRONG_STATE',
  429: 'RATE_LIMITED',
  501: 'NOT_IMPLEMENTED',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
};
const FIRST_OF_SERVER = 500;

function refusalWith(status: number): RefusalName {
  return REFUSALS[status] ?? (status < FIRST_OF_SERVER ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR');
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Wraps a handler with fault injection. The sandbox surface has no faults, so that the operator can always remove them. */
export function withFaults(
  operation: Operation,
  { faults, requestLog }: { readonly faults: Faults | undefined; readonly requestLog: RequestLog | undefined },
  handler: Handler,
): Handler {
  if (!faults || operation.surface === 'sandbox') return handler;
  const name = fullName(operation);
  const handleWithFault: Handler = async (request, reply) => {
    if (isOwnCall(request)) return handler(request, reply);
    const { merchant } = request.context as Partial<MerchantContext>;
    const fault = await faults.take({ operation: name, merchantId: merchant?.id });
    if (!fault) return handler(request, reply);
    request.log.info({ ...requestFields(request), fault: fault.id, effect: fault.effect }, 'fault injected');
    reply.header('tillhouse-fault', `${fault.id} ${fault.effect}`);
    const reset = (): void => {
      if (!operation.isPrivate) requestLog?.record(operation, request, reply);
      resetConnection(reply);
    };
    return injectFault(fault, { faults, handler, reset }, request, reply);
  };
  return (request, reply) => {
    const { merchant } = request.context as Partial<MerchantContext>;
    return merchant && !merchant.hasFaults ? handler(request, reply) : handleWithFault(request, reply);
  };
}

/** Faults are for programs: what a page or a command of ours sends uses none up, and neither does what the console sends again. */
function isOwnCall(request: FastifyRequest): boolean {
  return senderOf(request) !== undefined || request.headers[RESENT_HEADER] !== undefined;
}

async function injectFault(
  fault: Fault,
  { faults, handler, reset }: { readonly faults: Faults; readonly handler: Handler; readonly reset: () => void },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  switch (fault.effect) {
    case 'DELAY':
      await faults.wait(delayOf(fault));
      return handler(request, reply);
    case 'STATUS': {
      const { retryAfterSeconds } = fault;
      const status = fault.status ?? FIRST_OF_SERVER;
      throw new Refusal(refusalWith(status), { status, ...(retryAfterSeconds !== null && { retryAfterSeconds }) });
    }
    case 'RESET_BEFORE':
      return reset();
    case 'RESET_AFTER':
      await handler(request, discardingReply(reply)).catch((error: unknown) => {
        if (!asRefusal(error)) throw error; // a bug must not be hidden
      });
      return reset();
    case 'RESET_DURING':
      resetHalfway(reply);
      return handler(request, reply);
    case 'SLOW_BODY':
      sendSlowly(reply, delayOf(fault), (milliseconds) => faults.wait(milliseconds));
      return handler(request, reply);
  }
}

export function delayOf({ minDelayMs, maxDelayMs }: Pick<Fault, 'minDelayMs' | 'maxDelayMs'>): number {
  const shortest = minDelayMs ?? 0;
  return shortest + Math.random() * ((maxDelayMs ?? shortest) - shortest);
}

/** A reply that discards the response. */
function discardingReply(reply: FastifyReply): FastifyReply {
  return Object.create(reply, { send: { value: () => undefined } }) as FastifyReply;
}

/** The client gets ECONNRESET and no byte of a response, as if a machine on the network path had failed. */
function resetConnection(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.socket?.resetAndDestroy();
}
