/** Where the background loops get work from. */
import type { Receiver } from '../events/delivery-queries.js';

/** Except those that are being worked on, and at most so many. */
export interface Wanted {
  readonly except: readonly string[];
  readonly limit: number;
}

export interface DueSource {
  listMerchantsWithDueWork(wanted: Wanted): Promise<readonly string[]>;
  listMerchantsWithCalls(wanted: Wanted): Promise<readonly string[]>;
  /** Except full subscriptions. For each other one at most so many. */
  listReceivers(wanted: Wanted): Promise<readonly Receiver[]>;
  /** The merchant may have something due now: something was written, or a part of its work was done. */
  lookAt(merchantId: string): void;
  /** Starts loops of its own. Called before the first list. */
  start(): void;
  /** Called after the last list. */
  stop(): Promise<void>;
}
