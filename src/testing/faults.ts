/** Faults as tests order them: what befalls requests and webhooks on their way, for one merchant or for all. */
import { callSandbox, type SandboxServer } from '../sandbox-client.js';

/** Fixed, or drawn between two ends. */
export type Delay = number | { readonly min: number; readonly max: number };

export type RequestFaultEffect =
  /** The answer takes so long; the work is done even if nobody waits any more. */
  | { readonly effect: 'DELAY'; readonly delayMs: Delay }
  /** Answered so, in the shape of the generation; nothing is done. */
  | { readonly effect: 'STATUS'; readonly status: 429 | 500 | 503; readonly retryAfterSeconds?: number }
  /** The connection is reset before anything is done, or after everything is done and committed. */
  | { readonly effect: 'RESET_BEFORE' | 'RESET_AFTER' };

export type WebhookFaultEffect =
  /** A message arrives a second time. */
  | { readonly effect: 'WEBHOOK_TWICE' }
  /** A message arrives so much later, in real time, and what happened after it may arrive before it. */
  | { readonly effect: 'WEBHOOK_LATE'; readonly delayMs: Delay };

export type FaultEffect = RequestFaultEffect | WebhookFaultEffect;

type Scope =
  /** By surface and name, such as `v2.createPayment`; absent: any. */
  | (RequestFaultEffect & { readonly operation?: string })
  /** Such as `payment.created`; absent: any. */
  | (WebhookFaultEffect & { readonly eventType?: string });

export type NewFault = Scope & {
  /**
   * How many requests or messages it befalls; 1 where not said. Published clients may retry twice, so 3 makes them give up.
   */
  readonly times?: number;
};

export type Fault = Scope & {
  readonly id: string;
  readonly merchantId?: string;
  /** How many more requests or messages it befalls. */
  readonly remaining: number;
};

export interface FaultControls {
  add(fault: NewFault): Promise<Fault>;
  /** Those that are not used up, oldest first. */
  list(): Promise<Fault[]>;
  clear(): Promise<void>;
}

interface WireFault {
  readonly id: string;
  readonly effect: FaultEffect['effect'];
  readonly operation?: string;
  readonly event_type?: string;
  readonly merchant_id?: string;
  readonly status?: 429 | 500 | 503;
  readonly retry_after_seconds?: number;
  readonly delay_ms?: number;
  readonly min_delay_ms?: number;
  readonly max_delay_ms?: number;
  readonly remaining: number;
}

/** Of one merchant; without one, those for all are added, and all there are are listed and cleared. */
export function faultControls(server: SandboxServer, merchantId?: string): FaultControls {
  const path = merchantId === undefined ? 'faults' : `faults?merchant_id=${merchantId}`;
  return {
    async add(fault) {
      const body = { ...toWire(fault), merchant_id: merchantId };
      return fromWire((await callSandbox<{ fault: WireFault }>(server, 'POST', 'faults', body)).fault);
    },
    async list() {
      return (await callSandbox<{ faults: WireFault[] }>(server, 'GET', path)).faults.map(fromWire);
    },
    async clear() {
      await callSandbox(server, 'DELETE', path);
    },
  };
}

function toWire(fault: NewFault): Record<string, unknown> {
  const { effect, times } = fault;
  switch (effect) {
    case 'DELAY':
      return { effect, times, operation: fault.operation, ...delayToWire(fault.delayMs) };
    case 'STATUS': {
      const { operation, status, retryAfterSeconds } = fault;
      return { effect, times, operation, status, retry_after_seconds: retryAfterSeconds };
    }
    case 'WEBHOOK_TWICE':
      return { effect, times, event_type: fault.eventType };
    case 'WEBHOOK_LATE':
      return { effect, times, event_type: fault.eventType, ...delayToWire(fault.delayMs) };
    default:
      return { effect, times, operation: fault.operation };
  }
}

function delayToWire(delay: Delay): Record<string, number> {
  return typeof delay === 'number' ? { delay_ms: delay } : { min_delay_ms: delay.min, max_delay_ms: delay.max };
}

function fromWire(wire: WireFault): Fault {
  return {
    id: wire.id,
    ...effectOf(wire),
    ...(wire.operation !== undefined && { operation: wire.operation }),
    ...(wire.event_type !== undefined && { eventType: wire.event_type }),
    ...(wire.merchant_id !== undefined && { merchantId: wire.merchant_id }),
    remaining: wire.remaining,
  };
}

function effectOf({ effect, status = 500, retry_after_seconds, ...wire }: WireFault): FaultEffect {
  switch (effect) {
    case 'DELAY':
    case 'WEBHOOK_LATE': {
      const { delay_ms, min_delay_ms: min = 0, max_delay_ms: max = 0 } = wire;
      return { effect, delayMs: delay_ms ?? { min, max } };
    }
    case 'STATUS':
      return { effect, status, ...(retry_after_seconds !== undefined && { retryAfterSeconds: retry_after_seconds }) };
    default:
      return { effect };
  }
}
