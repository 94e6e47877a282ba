/** Adds a timeout, an abort, an observer, spans and reports to a processor. After a timeout or an abort the outcome is unknown. */
import { SECOND_MS } from '../base/time.js';
import type { Tracing } from '../base/tracing.js';
import { type Processor, ProcessorUnavailable, type Trouble } from './contract.js';

export function withTimeLimit(processor: Processor, limitMs: number): Processor {
  return aroundCalls(processor, (call) => {
    const response = call();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const expire = () => reject(new ProcessorUnavailable(`no response from the processor within ${limitMs} ms`));
      timer = setTimeout(expire, limitMs).unref(); // the timer must not keep the process running
    });
    return Promise.race([response, timeout]).finally(() => clearTimeout(timer));
  });
}

export interface AbortableProcessor extends Processor {
  /** Rejects all calls in flight and all later ones. */
  abort(): void;
}

/** For a server that stops before the processor has responded. Its calls are retried after the next start. */
export function withAbort(processor: Processor): AbortableProcessor {
  const inFlight = new Set<(error: Error) => void>();
  let isAborted = false;
  const stopping = () => new ProcessorUnavailable('the server is stopping');
  const abortable = aroundCalls(processor, async (call) => {
    if (isAborted) throw stopping();
    const response = call();
    let rejectCall = (_error: Error): void => {};
    const aborted = new Promise<never>((_, reject) => {
      rejectCall = reject;
    });
    inFlight.add(rejectCall);
    return Promise.race([response, aborted]).finally(() => inFlight.delete(rejectCall));
  });
  return {
    ...abortable,
    abort() {
      isAborted = true;
      for (const rejectCall of inFlight) rejectCall(stopping());
    },
  };
}

/** `seconds` is the time until the response, or until it was given up. */
export type ObserveCall = (name: CallName, seconds: number, isUnknown: boolean) => void;

/** Tells how long each call took. */
export function withCallObserver(processor: Processor, observe: ObserveCall): Processor {
  return aroundCalls(processor, async (call, name) => {
    const startedAt = performance.now();
    const tell = (isUnknown: boolean): void => observe(name, (performance.now() - startedAt) / SECOND_MS, isUnknown);
    try {
      const response = await call();
      tell(false);
      return response;
    } catch (error) {
      tell(error instanceof ProcessorUnavailable);
      throw error;
    }
  });
}

/** Each call is a span. */
export function withCallSpans(processor: Processor, tracing: Tracing): Processor {
  return aroundCalls(processor, (call, name) =>
    tracing.span({ name: `processor ${name}`, attributes: { 'tillhouse.processor.call': name } }, call),
  );
}

/** Reports a reversal that the processor refuses for good: our books say that the buyer has got the money (decision 0197). */
export function withRefusedReversals(processor: Processor, onTrouble: (trouble: Trouble) => void): Processor {
  return {
    ...processor,
    async refund(request) {
      const hasSucceeded = await processor.refund(request);
      if (!hasSucceeded && request.isReversal) {
        const reason = 'the payment is canceled here, but the processor refuses the refund';
        onTrouble({ action: 'refund', call: request, reason, isFinal: true });
      }
      return hasSucceeded;
    },
  };
}

type CallName = Trouble['action'];

function aroundCalls(
  processor: Processor,
  around: <Response>(call: () => Promise<Response>, name: CallName) => Promise<Response>,
): Processor {
  return {
    isCertain: (merchant, processorId) => processor.isCertain(merchant, processorId),
    authorize: (request) => around(() => processor.authorize(request), 'authorize'),
    capture: (request) => around(() => processor.capture(request), 'capture'),
    void: (request) => around(() => processor.void(request), 'void'),
    refund: (request) => around(() => processor.refund(request), 'refund'),
  };
}
