/** Opens the processor of a server: the simulator, an adapter, or the one of a test. */
import type { AdapterAddress } from '../base/config.js';
import { SECOND_MS } from '../base/time.js';
import type { Tracing } from '../base/tracing.js';
import type { Database } from '../database/database.js';
import type { AdapterOptions } from './adapter/processor.js';
import type { Processor } from './contract.js';
import { withRules } from './rules.js';
import { simulator } from './simulator.js';
import {
  type AbortableProcessor,
  type ObserveCall,
  withAbort,
  withObserver,
  withSpans,
  withTimeLimit,
} from './time-limit.js';

export interface ProcessorOptions {
  /** Default: the adapter, or the simulator. */
  readonly processor?: Processor;
  /** The timeout of calls to a remote processor. */
  readonly processorTimeLimitMs?: number;
  /** For tests: shorter times for calls to an adapter. */
  readonly adapterLimits?: AdapterOptions['limits'];
}

export interface ProcessorSettings extends Pick<AdapterOptions, 'onTrouble'> {
  readonly database: Database;
  readonly adapter: AdapterAddress | undefined;
  /** Called after each call. */
  readonly onCall: ObserveCall | undefined;
  readonly tracing: Tracing | undefined;
}

/** Shorter than the lease of a worker, so that the processor never gets the same call twice at the same time. */
const TIME_LIMIT_MS = 20 * SECOND_MS;

/** `close` ends the requests to an adapter. */
export async function openProcessor(
  { database, adapter, onTrouble, onCall, tracing }: ProcessorSettings,
  { processor, processorTimeLimitMs = TIME_LIMIT_MS, adapterLimits }: ProcessorOptions,
): Promise<{ readonly processor: AbortableProcessor; readonly close: () => Promise<void> }> {
  const finish = (inner: Processor) => {
    const traced = tracing ? withSpans(inner, tracing) : inner;
    return withAbort(onCall ? withObserver(traced, onCall) : traced);
  };
  if (processor) return { processor: finish(withTimeLimit(processor, processorTimeLimitMs)), close: async () => {} };
  if (!adapter) return { processor: finish(withRules(simulator, database)), close: async () => {} };
  const { createAdapterProcessor } = await import('./adapter/processor.js'); // only servers with an adapter need it
  const client = createAdapterProcessor(
    { ...adapter, headers: tracing?.headers },
    { limits: adapterLimits, onTrouble },
  );
  return {
    processor: finish(withRules(withTimeLimit(client, processorTimeLimitMs), database)),
    close: async () => client.close(),
  };
}
