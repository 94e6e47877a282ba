/** Lets tests inject faults into requests and webhooks, for one merchant or for all. */
import { callSandbox, type SandboxServer } from '../sandbox-client.js';
import { OPERATION_NAMES, type OperationName } from './operation-names.js';
import { checkName, checkOptions } from './options.js';
import { WEBHOOK_TYPES, type WebhookType } from './webhook-types.js';

/** Milliseconds: fixed, or random between two bounds. */
export type Delay = number | { readonly min: number; readonly max: number };

export type RequestFaultEffect =
  /** The response is delayed. The request is processed even if the client has disconnected. */
  | { readonly effect: 'DELAY'; readonly delayMs: Delay }
  /** The headers arrive at once, and the body in pieces over this time. */
  | { readonly effect: 'SLOW_BODY'; readonly delayMs: Delay }
  /** The request is rejected with this status, 400 to 599, in the error format of its generation. Only 429 and 503 have Retry-After. */
  | { readonly effect: 'STATUS'; readonly status: number; readonly retryAfterSeconds?: number }
  /** The connection is reset before the request is processed, after its changes are committed, or in the middle of the response. */
  | { readonly effect: 'RESET_BEFORE' | 'RESET_AFTER' | 'RESET_DURING' };

export type WebhookFaultEffect =
  /** The webhook is delivered twice. */
  | { readonly effect: 'WEBHOOK_TWICE' }
  /** The webhook is delivered later, in real time. Later events can overtake it. */
  | { readonly effect: 'WEBHOOK_LATE'; readonly delayMs: Delay };

export type FaultEffect = RequestFaultEffect | WebhookFaultEffect;

type Scope =
  /** Surface and name, such as `v2.createPayment`; default: any operation. */
  | (RequestFaultEffect & { readonly operation?: OperationName })
  /** For example `payment.created`; default: any event. */
  | (WebhookFaultEffect & { readonly eventType?: WebhookType });

export type NewFault = Scope & {
  /** The number of requests or webhooks; default: 1. Published clients retry up to twice, so with 3 they fail. */
  readonly times?: number;
};

export type Fault = Scope & {
  readonly id: string;
  readonly merchantId?: string;
  /** The remaining number of requests or webhooks. */
  readonly remaining: number;
};

export interface FaultControls {
  add(fault: NewFault): Promise<Fault>;
  /** The faults with remaining uses, oldest first. */
  list(): Promise<Fault[]>;
  clear(): Promise<void>;
}

interface WireFault {
  readonly id: string;
  readonly effect: FaultEffect['effect'];
  readonly operation?: OperationName;
  readonly event_type?: WebhookType;
  readonly merchant_id?: string;
  readonly status?: number;
  readonly retry_after_seconds?: number;
  readonly delay_ms?: number;
  readonly min_delay_ms?: number;
  readonly max_delay_ms?: number;
  readonly remaining: number;
}

/** For one merchant. Without `merchantId`, new faults are for all merchants, and all faults are listed and cleared. */
export function faultControls(server: SandboxServer, merchantId?: string): FaultControls {
  const path = merchantId === undefined ? 'faults' : `faults?merchant_id=${merchantId}`;
  return {
    async add(fault) {
      checkFault(fault);
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

/** Which options an effect has. */
const OF_EVERY_FAULT = { effect: true, times: true } as const;
const OF_REQUESTS = { ...OF_EVERY_FAULT, operation: true } as const;
const OF_WEBHOOKS = { ...OF_EVERY_FAULT, eventType: true } as const;
const OPTIONS: Readonly<Record<FaultEffect['effect'], Readonly<Record<string, true>>>> = {
  DELAY: { ...OF_REQUESTS, delayMs: true },
  STATUS: { ...OF_REQUESTS, status: true, retryAfterSeconds: true },
  SLOW_BODY: { ...OF_REQUESTS, delayMs: true },
  RESET_BEFORE: OF_REQUESTS,
  RESET_DURING: OF_REQUESTS,
  RESET_AFTER: OF_REQUESTS,
  WEBHOOK_TWICE: OF_WEBHOOKS,
  WEBHOOK_LATE: { ...OF_WEBHOOKS, delayMs: true },
};

function checkFault(fault: NewFault): void {
  checkName('effect', String(fault.effect), Object.keys(OPTIONS));
  checkOptions<object>(
    `A fault with the effect ${fault.effect}`,
    fault,
    OPTIONS[fault.effect] as Readonly<Record<never, true>>,
  );
  if ('operation' in fault) checkName('operation', fault.operation, OPERATION_NAMES);
  if ('eventType' in fault) checkName('event type', fault.eventType, WEBHOOK_TYPES);
}

function toWire(fault: NewFault): Record<string, unknown> {
  const { effect, times } = fault;
  switch (effect) {
    case 'DELAY':
    case 'SLOW_BODY':
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
    case 'SLOW_BODY':
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
