/** What befalls a request on its way where an operator wants it so, and how that looks to whoever asked (decision 0080). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, type RefusalName } from '../base/errors.js';
import { fullName, type MerchantContext, type Operation } from './operation.js';
import { asRefusal } from './render-error.js';

/** A delay is drawn between its two ends; a status may come with the seconds after which to try again. */
export interface Fault {
  readonly id: string;
  readonly effect: 'DELAY' | 'STATUS' | 'RESET_BEFORE' | 'RESET_AFTER';
  readonly status: FaultStatus | null;
  readonly retryAfterSeconds: number | null;
  readonly minDelayMs: number | null;
  readonly maxDelayMs: number | null;
}

export interface Faults {
  /** Uses up one time of the rule that befalls the request, if any does. */
  take(request: { readonly operation: string; readonly merchantId: string | undefined }): Promise<Fault | undefined>;
  /** Waits, but not past the end of the server. */
  wait(milliseconds: number): Promise<void>;
}

/** What a refusal is called whose status is wanted; its shape follows the generation, as always. */
const REFUSALS = {
  429: 'RATE_LIMITED',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
} as const satisfies Record<number, RefusalName>;

export type FaultStatus = keyof typeof REFUSALS;

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** The handler, with faults around it. The operator's own surface has none: it is where they are taken away. */
export function withFaults(operation: Operation, faults: Faults | undefined, handler: Handler): Handler {
  if (!faults || operation.surface === 'sandbox') return handler;
  const name = fullName(operation);
  return async (request, reply) => {
    const { merchant } = request.context as Partial<MerchantContext>;
    if (merchant && !merchant.hasFaults) return handler(request, reply);
    const fault = await faults.take({ operation: name, merchantId: merchant?.id });
    if (!fault) return handler(request, reply);
    request.log.info({ request_id: request.id, operation: name, fault: fault.id, effect: fault.effect }, 'fault');
    reply.header('tillhouse-fault', `${fault.id} ${fault.effect}`);
    return injectFault(fault, faults, handler, request, reply);
  };
}

async function injectFault(
  fault: Fault,
  faults: Faults,
  handler: Handler,
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
      return reset(reply);
    case 'RESET_AFTER':
      await handler(request, discardingReply(reply)).catch((error: unknown) => {
        if (!asRefusal(error)) throw error; // a mistake of ours shall be seen
      });
      return reset(reply);
  }
}

/** Drawn between its two ends. */
export function delayOf({ minDelayMs, maxDelayMs }: Pick<Fault, 'minDelayMs' | 'maxDelayMs'>): number {
  const shortest = minDelayMs ?? 0;
  return shortest + Math.random() * ((maxDelayMs ?? shortest) - shortest);
}

/** The same reply, but what is sent with it goes nowhere. */
function discardingReply(reply: FastifyReply): FastifyReply {
  return Object.create(reply, { send: { value: () => undefined } }) as FastifyReply;
}

/** As when a machine on the way dies: the other side reads ECONNRESET, and not a byte of an answer. */
function reset(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.socket?.resetAndDestroy();
}
