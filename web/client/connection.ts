/** Whether the server responds. While it does not, it is asked again and again, and reads wait for it. */
import { createStore } from './store.js';

/** Pauses before the server is asked again. They grow while it does not respond, and if it soon stops responding again. */
const PAUSES_MS = [1500, 1500, 3000, 5000, 10_000, 15_000];
/** After this time without an outage the pauses start again from the first. No request waits that long for its response. */
const LASTING_MS = 60_000;

export const isConnected = createStore(true);

let recovery: Promise<void> | undefined;
let attempts = 0;
let connectedAt = Number.NEGATIVE_INFINITY;
let responds = isReady;

/** Replaces the request to `/readyz` that asks whether the server responds. */
export function setReachabilityCheck(ask: () => Promise<boolean>): void {
  responds = ask;
}

/** Call it when a write has succeeded: the next outage is a new one, so its pauses start from the first. */
export function noteWrite(): void {
  attempts = 0;
}

/** Resolves as soon as the server responds again. */
export function untilConnected(): Promise<void> {
  recovery ??= recover().finally(() => {
    recovery = undefined;
  });
  return recovery;
}

async function recover(): Promise<void> {
  isConnected.set(false);
  if (performance.now() - connectedAt > LASTING_MS) attempts = 0;
  do await pause(PAUSES_MS[Math.min(attempts++, PAUSES_MS.length - 1)]);
  while (!(await responds()));
  connectedAt = performance.now();
  isConnected.set(true);
}

/** Ends early when the browser is online again. */
function pause(milliseconds: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener('online', end);
  });
}

async function isReady(): Promise<boolean> {
  return fetch('/readyz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
}
