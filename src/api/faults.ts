/** Injects the operator's faults into requests (decision 0080). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, type RefusalName } from '../base/errors.js';
import { requestFields } from './log-fields.js';
import { fullName, type MerchantContext, type Operation } from './operation.js';
import { asRefusal } from './render-error.js';
import type { RequestLog } from './request-log.js';

/** The delay is random between `minDelayMs` and `maxDelayMs`. A status can have a Retry-After header. */
export interface Fault {
  readonly id: string;
  readonly effect: 'DELAY' | 'STATUS' | 'RESET_BEFORE' | 'RESET_AFTER';
  readonly status: FaultStatus | null;
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

/** The refusal for each status. It is rendered in the format of the generation, like every refusal. */
const REFUSALS = {
  429: 'RATE_LIMITED',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
} as const satisfies Record<number, RefusalName>;

export type FaultStatus = keyof typeof REFUSALS;

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
      const { status, retryAfterSeconds } = fault;
      throw new Refusal(REFUSALS[status ?? 500], { ...(retryAfterSeconds !== null && { retryAfterSeconds }) });
    }
    case 'RESET_BEFORE':
      return reset();
    case 'RESET_AFTER':
      await handler(request, discardingReply(reply)).catch((error: unknown) => {
        if (!asRefusal(error)) throw error; // a bug must not be hidden
      });
      return reset();
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
