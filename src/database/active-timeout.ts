/** Measures how long something stays silent without counting the time in which this process itself was held up. */

export const TICK_MS = 100;

/**
 * Calls after so many milliseconds, counted in short steps: a process that was blocked, or got no turn on a busy machine, has not
 * waited for the other side in that time, whose answer may lie there unread. Returns how to call it off.
 */
export function setActiveTimeout(milliseconds: number, call: () => void): () => void {
  let left = Math.ceil(milliseconds / TICK_MS);
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    // What has arrived by now is read before anybody is judged.
    setImmediate(call);
  }, TICK_MS);
  return () => clearInterval(timer);
}
