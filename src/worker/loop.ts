/** A loop in the background: looks for work again and again, until it is told to stop. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Loop {
  readonly look: () => Promise<void>;
  readonly pauseMs: number;
  readonly signal: AbortSignal;
  /** What fails is tried again after the pause. */
  readonly onTrouble: (error: unknown) => void;
}

export async function runLoop({ look, pauseMs, signal, onTrouble }: Loop): Promise<void> {
  while (!signal.aborted) {
    await look().catch(onTrouble);
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}
