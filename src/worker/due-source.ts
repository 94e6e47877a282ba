/** Where the background loops get work from. */
import { realNow } from '../base/clock.js';
import { listMerchantsWithDueWork } from '../business/due-work/queries.js';
import { listMerchantsWithCalls } from '../business/payments/call-queries.js';
import type { Sql } from '../database/database.js';
import { listReceivers, type Receiver } from '../events/delivery-queries.js';

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

/** For a plain PostgreSQL: asks the tables. That is cheap there, so nobody need say where to look. */
export function createTableSource(sql: Sql): DueSource {
  return {
    listMerchantsWithDueWork: (wanted) => listMerchantsWithDueWork(sql, { ...wanted, now: realNow() }),
    listMerchantsWithCalls: (wanted) => listMerchantsWithCalls(sql, { ...wanted, now: realNow() }),
    listReceivers: (wanted) => listReceivers(sql, { ...wanted, now: realNow() }),
    lookAt() {},
    start() {},
    async stop() {},
  };
}
