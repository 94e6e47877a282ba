/** Opens the processor of a server (the simulator, an adapter, Stripe, or the one of a test) and those of single merchants. */
import { setMaxListeners } from 'node:events';
import type { AdapterAddress, StripeAccess } from '../base/config.js';
import type { SealingKeys } from '../base/sealing.js';
import { SECOND_MS } from '../base/time.js';
import type { Tracing } from '../base/tracing.js';
import type { Database } from '../database/database.js';
import type { AdapterOptions } from './adapter/processor.js';
import type { Processor, ProcessorEventSource } from './contract.js';
import { createMerchantProcessors, withMerchantProcessors } from './routing.js';
import { withRules } from './rules.js';
import { simulator } from './simulator.js';
import type { StripeLimits } from './stripe/client.js';
import {
  type AbortableProcessor,
  type ObserveCall,
  withAbort,
  withCallObserver,
  withCallSpans,
  withRefusedReversals,
  withTimeLimit,
} from './time-limit.js';

export interface ProcessorOptions {
  /** Default: the adapter, or the simulator. */
  readonly processor?: Processor;
  /** The timeout of calls to a remote processor. */
  readonly processorTimeLimitMs?: number;
  /** For tests: shorter times for calls to an adapter. */
  readonly adapterLimits?: AdapterOptions['limits'];
  readonly stripeLimits?: Partial<StripeLimits>;
}

export interface ProcessorSettings extends Pick<AdapterOptions, 'onTrouble'> {
  readonly database: Database;
  readonly adapter: AdapterAddress | undefined;
  readonly stripe: StripeAccess | undefined;
  /** Decrypt the secrets of merchants' own processors. */
  readonly keys: SealingKeys;
  /** Called after each call. */
  readonly onCall: ObserveCall | undefined;
  readonly tracing: Tracing | undefined;
}

/** Shorter than the lease of a worker, so that the processor never gets the same call twice at the same time. */
const TIME_LIMIT_MS = 20 * SECOND_MS;

export interface OpenProcessor {
  readonly processor: AbortableProcessor;
  /** Undefined if it sends no events. */
  readonly events: ProcessorEventSource | undefined;
  /** Ends the requests to remote processors. */
  readonly close: () => Promise<void>;
}

export async function openProcessor(
  { database, adapter, stripe, keys, onTrouble, onCall, tracing }: ProcessorSettings,
  { processor, processorTimeLimitMs = TIME_LIMIT_MS, adapterLimits: limits, stripeLimits }: ProcessorOptions,
): Promise<OpenProcessor> {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // each call in flight listens
  const options = { limits, onTrouble, closing: closing.signal };
  const headers = tracing?.headers;
  const limited = (inner: Processor): Processor => withTimeLimit(inner, processorTimeLimitMs);
  const reporting = (inner: Processor): Processor => withRefusedReversals(limited(inner), onTrouble);

  const openOfServer = async (): Promise<{ processor: Processor; events?: ProcessorEventSource | undefined }> => {
    if (processor) return { processor: reporting(processor) };
    if (stripe) {
      const { openStripeProcessor } = await import('./stripe/open.js'); // loads an optional package
      const opened = await openStripeProcessor(stripe, { database, onTrouble, limits: stripeLimits });
      closing.signal.addEventListener('abort', () => opened.close());
      // It reports refused reversals itself: only Stripe knows the reason.
      return { processor: limited(opened.processor), events: opened.events };
    }
    if (!adapter) return { processor: simulator };
    const { createAdapterProcessor } = await import('./adapter/processor.js'); // only servers with an adapter need it
    return { processor: reporting(createAdapterProcessor({ ...adapter, headers }, options)) };
  };
  const ofServer = await openOfServer();
  const ofMerchants = reporting(createMerchantProcessors({ ...options, database, keys, headers }));
  const routed = withMerchantProcessors(ofServer.processor, ofMerchants);
  const ruled = processor ? routed : withRules(routed, database);
  const traced = tracing ? withCallSpans(ruled, tracing) : ruled;
  return {
    processor: withAbort(onCall ? withCallObserver(traced, onCall) : traced),
    events: ofServer.events,
    close: async () => closing.abort(new Error('the server is stopping')),
  };
}
