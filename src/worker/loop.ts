/** A loop in the background: looks for work again and again, until it is told to stop. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Loop {
  readonly poll: () => Promise<void>;
  readonly pauseMs: number;
  readonly signal: AbortSignal;
  /** What fails is tried again after the pause. */
  readonly onError: (error: unknown) => void;
}

export async function runLoop({ poll, pauseMs, signal, onError }: Loop): Promise<void> {
  while (!signal.aborted) {
    await poll().catch(onError);
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}
