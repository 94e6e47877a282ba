/** Runs a poll function repeatedly, with a pause, until it is aborted. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Loop {
  readonly poll: () => Promise<void>;
  readonly pauseMs: number;
  readonly signal: AbortSignal;
  /** Called when a poll fails. The next poll follows after the pause. */
  readonly onError: (error: unknown) => void;
}

export async function runLoop({ poll, pauseMs, signal, onError }: Loop): Promise<void> {
  while (!signal.aborted) {
    await poll().catch(onError);
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}
