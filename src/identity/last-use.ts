/** Records that a session was used. */
import { realNow } from '../base/clock.js';
import { hashSecret } from '../base/secrets.js';
import { MINUTE_MS } from '../base/time.js';
import type { Database } from '../database/database.js';
import type { Account } from './caller.js';
import { updateLastUse } from './credential-queries.js';

/** Written down this seldom, so that a request costs no write. */
export const LAST_USE_INTERVAL_MS = 5 * MINUTE_MS;

/** Of which it is being written; what is read of the session next has it. */
export const updating = new WeakSet<Account>();

/** Does not wait: that a session was used is no reason to keep a request. */
export function recordSessionUse(database: Database, account: Account, session: string): void {
  const now = realNow();
  if (now - account.lastUsedAt < LAST_USE_INTERVAL_MS || updating.has(account)) return;
  updating.add(account);
  void database.statement((tx) => updateLastUse(tx, hashSecret(session), now)).catch(() => {});
}
