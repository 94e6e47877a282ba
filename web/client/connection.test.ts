/** How often pages ask a server that does not respond, or that stops responding again soon. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isConnected, noteWrite, setReachabilityCheck, untilConnected } from './connection.js';

let isUp = true;

beforeEach(() => {
  vi.useFakeTimers();
  const browser = new EventTarget();
  vi.stubGlobal('addEventListener', browser.addEventListener.bind(browser));
  vi.stubGlobal('removeEventListener', browser.removeEventListener.bind(browser));
  setReachabilityCheck(async () => isUp);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** How long an outage lasts if the server responds as soon as it is asked, in seconds. */
async function outage(): Promise<number> {
  const since = Date.now();
  const isBack = untilConnected();
  while (!isConnected.get()) await vi.advanceTimersByTimeAsync(500);
  await isBack;
  return (Date.now() - since) / 1000;
}

describe('a connection', () => {
  it('is tried after growing pauses if it is lost repeatedly, until a write succeeds or it has lasted', async () => {
    await vi.advanceTimersByTimeAsync(120_000);
    const pauses = [];
    for (let time = 0; time < 7; time++) pauses.push(await outage());
    expect(pauses).toEqual([1.5, 1.5, 3, 5, 10, 15, 15]);

    noteWrite();
    expect(await outage()).toBe(1.5);
    for (let time = 0; time < 3; time++) await outage();
    await vi.advanceTimersByTimeAsync(61_000);
    expect(await outage()).toBe(1.5);
  });

  it('stays lost while the server does not respond', async () => {
    isUp = false;
    const changes: boolean[] = [];
    const stop = isConnected.subscribe(() => changes.push(isConnected.get()));
    const isBack = untilConnected();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(changes).toEqual([false]);
    isUp = true;
    await vi.advanceTimersByTimeAsync(15_000);
    await isBack;
    expect(changes).toEqual([false, true]);
    stop();
  });
});
