/** Where the background loops get work from. */
import type { Receiver } from '../events/delivery-queries.js';

/** What to list: at most `limit`, and none in `except`, which are being worked on. */
export interface DueQuery {
  readonly except: readonly string[];
  readonly limit: number;
}

export interface DueSource {
  listMerchantsWithDueWork(wanted: DueQuery): Promise<readonly string[]>;
  listMerchantsWithCalls(wanted: DueQuery): Promise<readonly string[]>;
  /** `except`: subscriptions without free slots. `limit`: how many receivers of each other subscription. */
  listReceivers(wanted: DueQuery): Promise<readonly Receiver[]>;
  /** The merchant may have something due now: something was written, or a part of its work was done. */
  lookAt(merchantId: string): void;
  /** Starts loops of its own. Called before the first list. */
  start(): void;
  /** Called after the last list. */
  stop(): Promise<void>;
}
