/** Faults as tests order them: delays, refusals and connections that break, for one merchant or for all. */
import { callSandbox, type SandboxServer } from '../sandbox-client.js';

export type FaultEffect =
  /** The answer takes so long, or a time drawn between the two; the work is done even if nobody waits any more. */
  | { readonly effect: 'DELAY'; readonly delayMs: number | { readonly min: number; readonly max: number } }
  /** Answered so, in the shape of the generation; nothing is done. */
  | { readonly effect: 'STATUS'; readonly status: 429 | 500 | 503; readonly retryAfterSeconds?: number }
  /** The connection is reset before anything is done, or after everything is done and committed. */
  | { readonly effect: 'RESET_BEFORE' | 'RESET_AFTER' };

export type NewFault = FaultEffect & {
  /** By surface and name, such as `v2.createPayment`; absent: any. */
  readonly operation?: string;
  /** How many requests it befalls; 1 where not said. Published clients may retry twice, so 3 makes them give up. */
  readonly times?: number;
};

export type Fault = FaultEffect & {
  readonly id: string;
  readonly operation?: string;
  readonly merchantId?: string;
  /** How many more requests it befalls. */
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
  const common = { effect: fault.effect, operation: fault.operation, times: fault.times };
  switch (fault.effect) {
    case 'DELAY': {
      const { delayMs } = fault;
      if (typeof delayMs === 'number') return { ...common, delay_ms: delayMs };
      return { ...common, min_delay_ms: delayMs.min, max_delay_ms: delayMs.max };
    }
    case 'STATUS':
      return { ...common, status: fault.status, retry_after_seconds: fault.retryAfterSeconds };
    default:
      return common;
  }
}

function fromWire(wire: WireFault): Fault {
  return {
    id: wire.id,
    ...effectOf(wire),
    ...(wire.operation !== undefined && { operation: wire.operation }),
    ...(wire.merchant_id !== undefined && { merchantId: wire.merchant_id }),
    remaining: wire.remaining,
  };
}

function effectOf({ effect, status = 500, retry_after_seconds, ...wire }: WireFault): FaultEffect {
  switch (effect) {
    case 'DELAY': {
      const { delay_ms, min_delay_ms: min = 0, max_delay_ms: max = 0 } = wire;
      return { effect, delayMs: delay_ms ?? { min, max } };
    }
    case 'STATUS':
      return { effect, status, ...(retry_after_seconds !== undefined && { retryAfterSeconds: retry_after_seconds }) };
    default:
      return { effect };
  }
}
