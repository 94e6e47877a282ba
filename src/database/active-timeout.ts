/** A timeout that does not count the time in which this process was blocked. */

export const TICK_MS = 100;

/**
 * Calls `call` after some milliseconds, counted in short ticks. A process that was blocked, or got no CPU time, did not wait for
 * the other side in that time: the response may be there, still unread. Returns a function that cancels the timeout.
 */
export function setActiveTimeout(milliseconds: number, call: () => void): () => void {
  let left = Math.ceil(milliseconds / TICK_MS);
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    // Data that has already arrived is read first.
    setImmediate(call);
  }, TICK_MS);
  return () => clearInterval(timer);
}
