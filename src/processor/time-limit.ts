/** Does not wait for ever: an answer that does not come in time, or that nobody waits for any more, is one that was lost. */
import { type Processor, ProcessorUnavailable } from './contract.js';

export function withTimeLimit(processor: Processor, limitMs: number): Processor {
  return aroundCalls(processor, (call) => {
    const answer = call();
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      const lost = () => reject(new ProcessorUnavailable(`no answer within ${limitMs} ms`));
      timer = setTimeout(lost, limitMs).unref(); // a process that is about to end does not stay for it
    });
    return Promise.race([answer, tooLate]).finally(() => clearTimeout(timer));
  });
}

export interface AbortableProcessor extends Processor {
  /** Who waits for an answer now, or asks later, is told at once that there is none. */
  abort(): void;
}

/** For who may have to stop before the processor has answered: whatever was asked for is asked for again at the next start. */
export function withAbort(processor: Processor): AbortableProcessor {
  const inFlight = new Set<(error: Error) => void>();
  let ended = false;
  const lost = () => new ProcessorUnavailable('the server is stopping');
  const abortable = aroundCalls(processor, async (call) => {
    if (ended) throw lost();
    const answer = call();
    let end = (_error: Error): void => {};
    const given = new Promise<never>((_, reject) => {
      end = reject;
    });
    inFlight.add(end);
    return Promise.race([answer, given]).finally(() => inFlight.delete(end));
  });
  return {
    ...abortable,
    abort() {
      ended = true;
      for (const end of inFlight) end(lost());
    },
  };
}

function aroundCalls(
  processor: Processor,
  around: <Answer>(call: () => Promise<Answer>) => Promise<Answer>,
): Processor {
  return {
    isCertain: (merchant) => processor.isCertain(merchant),
    authorize: (request) => around(() => processor.authorize(request)),
    capture: (request) => around(() => processor.capture(request)),
    void: (request) => around(() => processor.void(request)),
    refund: (request) => around(() => processor.refund(request)),
  };
}
