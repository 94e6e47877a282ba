/** Does not wait for ever: an answer that a processor does not give in time is one that was lost. */
import { type Processor, ProcessorUnavailable } from './contract.js';

export function withTimeLimit(processor: Processor, limitMs: number): Processor {
  return {
    isCertain: (merchant) => processor.isCertain(merchant),
    authorize: (request) => within(limitMs, processor.authorize(request)),
    capture: (request) => within(limitMs, processor.capture(request)),
    void: (request) => within(limitMs, processor.void(request)),
    refund: (request) => within(limitMs, processor.refund(request)),
  };
}

async function within<Answer>(limitMs: number, call: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProcessorUnavailable(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([call, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
