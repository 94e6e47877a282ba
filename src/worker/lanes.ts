/**
 * Runs work of many merchants concurrently. Each merchant has its own lane, so a merchant whose processor does not
 * respond delays only itself. Any number of servers can run this on one database.
 */
import type { DueQuery } from './due-source.js';
import { runLoop } from './loop.js';

const PAUSE_MS = 100;
/** High, because a waiting lane costs only a timer and little memory: merchants that wait must not block the others. */
const MAX_LANES = 5000;
const MAX_MERCHANTS_PER_POLL = 1000;

export interface Lanes {
  /** Starts no new lanes, and waits until all lanes have ended. */
  stop(): Promise<void>;
}

export interface LaneWork {
  /** Merchants that have work now. */
  readonly listMerchants: (wanted: DueQuery) => Promise<readonly string[]>;
  readonly work: (merchantId: string, signal: AbortSignal) => Promise<void>;
  /** Called when the work of a merchant fails, which affects no other merchant, or without a merchant when a poll fails. */
  readonly onError: (error: unknown, merchantId?: string) => void;
}

export function startLanes({ listMerchants, work, onError }: LaneWork): Lanes {
  const lanes = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;

  const poll = async (): Promise<void> => {
    const limit = Math.min(MAX_LANES - lanes.size, MAX_MERCHANTS_PER_POLL);
    if (limit === 0) return;
    for (const merchantId of await listMerchants({ except: [...lanes.keys()], limit })) {
      const lane = work(merchantId, signal)
        .catch((error: unknown) => onError(error, merchantId))
        .finally(() => lanes.delete(merchantId));
      lanes.set(merchantId, lane);
    }
  };

  const running = runLoop({ poll, pauseMs: PAUSE_MS, signal, onError });

  return {
    async stop() {
      stopping.abort();
      await running;
      await Promise.all(lanes.values());
    },
  };
}
