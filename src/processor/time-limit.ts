/** Adds a timeout and an abort to the calls of a processor. Both make the outcome of the call unknown. */
import { type Processor, ProcessorUnavailable } from './contract.js';

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

function aroundCalls(
  processor: Processor,
  around: <Response>(call: () => Promise<Response>) => Promise<Response>,
): Processor {
  return {
    isCertain: (merchant) => processor.isCertain(merchant),
    authorize: (request) => around(() => processor.authorize(request)),
    capture: (request) => around(() => processor.capture(request)),
    void: (request) => around(() => processor.void(request)),
    refund: (request) => around(() => processor.refund(request)),
  };
}
