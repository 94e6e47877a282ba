/** How long a sign-in at a register counts for what is done there without a network. */
import { realNow } from '../../base/clock.js';
import { DAY_MS, type Instant, MINUTE_MS } from '../../base/time.js';

/** How far a register's clock may be behind the server's. */
export const CLOCK_DIFFERENCE_MS = 5 * MINUTE_MS;

/** Who signed in at the device within this time may work there offline. */
export const SIGN_IN_AGE_MS = 7 * DAY_MS;

/** Whether a sign-in was in the seven days before what was done `agoMs` ago. Sign-ins have a real time, writes that of the merchant's clock. */
export function wasNotLongBefore({ createdAt }: { readonly createdAt: Instant }, agoMs: number): boolean {
  const happenedAt = realNow() - agoMs;
  return createdAt <= happenedAt + CLOCK_DIFFERENCE_MS && createdAt >= happenedAt - SIGN_IN_AGE_MS;
}
