/**
 * Works for many merchants side by side, each in a lane of its own: one whose processor is silent keeps only itself waiting.
 * Any number of servers may run it on one database.
 */
import { runLoop } from './loop.js';

const PAUSE_MS = 250;
/** A lane that waits for a processor costs a timer and a little memory: silent merchants do not use them up. */
const MAX_LANES = 5000;

export interface Lanes {
  /** Begins nothing new, and waits until every lane has ended. */
  stop(): Promise<void>;
}

export interface LaneWork {
  /** Other merchants with something to do now. */
  readonly listMerchants: (except: readonly string[]) => Promise<readonly string[]>;
  readonly work: (merchantId: string, signal: AbortSignal) => Promise<void>;
  /** What fails for one merchant keeps nobody else waiting, and is tried again. */
  readonly onError: (error: unknown) => void;
}

export function startLanes({ listMerchants, work, onError }: LaneWork): Lanes {
  const lanes = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;

  const poll = async (): Promise<void> => {
    if (lanes.size >= MAX_LANES) return;
    for (const merchantId of await listMerchants([...lanes.keys()])) {
      if (signal.aborted || lanes.size >= MAX_LANES) return;
      const lane = work(merchantId, signal)
        .catch(onError)
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
