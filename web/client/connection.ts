/** Whether the server responds. While it does not, it is asked again and again, and reads wait for it. */
import { createStore } from './store.js';

const PAUSE_MS = 1500;

export const isConnected = createStore(true);

let recovery: Promise<void> | undefined;

/** Resolves as soon as the server responds again. */
export function untilConnected(): Promise<void> {
  recovery ??= recover().finally(() => {
    recovery = undefined;
  });
  return recovery;
}

async function recover(): Promise<void> {
  isConnected.set(false);
  do await pause();
  while (!(await isReady()));
  isConnected.set(true);
}

/** Ends early when the browser is online again. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, PAUSE_MS);
    addEventListener('online', end);
  });
}

async function isReady(): Promise<boolean> {
  return fetch('/readyz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
}
